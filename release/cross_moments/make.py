"""From records to one-way tables and cross moments with noise: all is decided first, then noise is drawn, once."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from bounds.errors import DataError
from release.cross_moments.file import CROSS_MOMENTS, STATISTIC, CrossMoments
from release.cross_moments.planned import CROSS, ONE_WAY, CrossMomentPlan
from release.measure import measure
from release.spending import book_ahead, spending
from release.statistics.cross_moments import cross_sums

if TYPE_CHECKING:
    from release.data.source import Records
    from release.noise.randomness import Randomness


def release_cross_moments(records: Records, plan: CrossMomentPlan, randomness: Randomness) -> CrossMoments:
    """Noisy tables and moments of records that are given as codes of the schema: an array, batches, or a source.

    In release mode the result may be published, once: each further call spends the budget again.
    """
    if not randomness.is_simulated:
        plan.schema.require_releasable()
    sums = cross_sums(records, plan.encoding)
    if plan.size_is_exact and sums.n != plan.stated_size:
        raise DataError("the table does not have the public number of records")
    one_way, cross = sums.counted
    header = header_of(plan)
    with spending(is_private=not randomness.is_simulated):
        if not randomness.is_simulated:
            book_ahead(plan.charges)
        tables, ledger = measure(
            one_way, plan.one_way_noise, plan.ledger, what=ONE_WAY, randomness=randomness, header=header
        )
        values: tuple[Any, ...] = ()
        if plan.has_cross_moments:
            moments, ledger = measure(
                cross, plan.cross_noise, ledger, what=CROSS, randomness=_next(randomness), header=header
            )
            values = moments.values
        public = {field.name: getattr(plan, field.name) for field in fields(CrossMomentPlan)} | {"ledger": ledger}
        return CrossMoments(
            **public,
            one_way_counts=tuple(int(value) for value in tables.values),
            cross_sums=tuple(int(value) for value in values),
            seed=randomness.seed,
            run=randomness.run if randomness.is_simulated else None,
        )


def header_of(plan: CrossMomentPlan) -> dict[str, Any]:
    """The public fields around the numbers, from which an interrupted release can be finished."""
    return {
        "kind": CROSS_MOMENTS,
        "mode": plan.mode,
        "statistic": STATISTIC,
        "stated_size": plan.stated_size,
        "encoding": plan.encoding.to_json(),
        "schema": plan.schema.to_json(),
    }


def _next(randomness: Randomness) -> Randomness:
    """A stream of its own for the second measurement of a simulation."""
    from release.noise.randomness import Randomness as Kind

    if not randomness.is_simulated or randomness.stream is not None:
        return randomness
    return Kind(mode="simulate", seed=randomness.seed, run=randomness.run + 2**63)
