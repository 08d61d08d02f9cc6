"""Reference points by the plan, and the streams of random numbers from which points and rows are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.errors import ParameterError
from lp.measures import ReferencePoints
from lp.synthesis.question import BERNSTEIN, HISTOGRAM, UNIFORM, Plan

if TYPE_CHECKING:
    from bounds.privacy.ledger import Ledger
    from release.data.domain import Codes

POINTS, ROW_DRAWS = 1, 2
"""Purposes of streams; the noise of a simulation has another one."""


@dataclass(frozen=True, kw_only=True)
class MeasureSettings:
    """Choices that only private measures have."""

    degree: int | None = None
    bandwidth: Fraction | None = None
    order: int = 1


def reference_points(
    plan: Plan,
    records: Codes | None,
    settings: MeasureSettings,
    stream: np.random.Generator | None,
    ledger: Ledger,
) -> ReferencePoints:
    """Points that are drawn before the answers; a private measure spends its share of the ledger here."""
    question = plan.question
    domain, mode = question.domain, question.mode
    if question.measure == UNIFORM:
        from lp.measures.uniform import every_point, uniform_points

        if plan.m is None:
            return every_point(domain)
        return uniform_points(domain, m=plan.m, mode=mode, generator=stream, most_enumerated=0)
    assert records is not None
    assert plan.m is not None
    if question.measure == BERNSTEIN:
        from lp.measures.bernstein import bernstein_measure

        assert settings.degree is not None
        assert settings.bandwidth is not None
        return bernstein_measure(
            records,
            domain,
            degree=settings.degree,
            bandwidth=settings.bandwidth,
            order=settings.order,
            epsilon=plan.measure_epsilon,
            adjacency=question.adjacency,
            mode=mode,
            generator=stream,
            ledger=ledger,
        ).draw(plan.m, stream)
    common: dict[str, Any] = {
        "epsilon": plan.measure_epsilon,
        "adjacency": question.adjacency,
        "mode": mode,
        "gamma": plan.gamma,
        "ledger": ledger,
    }
    if question.measure == HISTOGRAM:
        from lp.measures.histogram import histogram_measure

        variant = question.variant or "shifted"
        return histogram_measure(records, domain, variant=variant, generator=stream, **common).draw(plan.m, stream)
    from lp.measures.grid import grid_measure

    assert plan.cells_per_axis is not None
    variant = question.variant or "covering"
    measure = grid_measure(
        records, domain, cells_per_axis=plan.cells_per_axis, variant=variant, generator=stream, **common
    )
    return measure.draw(plan.m, stream)


def stream_for(seed: int | None, run: int, purpose: int) -> np.random.Generator | None:
    """Random numbers for drawing points and rows: counted by run and purpose in a simulation, else the system's."""
    if seed is None:
        return None
    if not 0 <= run < 2**64:
        raise ParameterError("run", run, "between 0 and 2^64")
    return np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, purpose, run]))
