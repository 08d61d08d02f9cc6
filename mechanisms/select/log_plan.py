"""The public side of a log that a mechanism is about to write: its budget in rho, and what is kept of it."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING

from bounds.errors import NotApplicable, ParameterError
from bounds.privacy.ledger import Ledger
from release.data.counting import MOST_CELLS
from release.distance.planned import DISTANCE
from release.log.planned import LogPlan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mechanisms.mechanism import Public
    from release.log.impossible import Impossible
    from release.noise.kinds import Mode

_BYTES_A_CELL = 8


def plan_log(
    public: Public,
    *,
    method: str,
    settings: Mapping[str, str | int],
    epsilon: Fraction,
    dp_delta: Fraction,
    mode: Mode,
    reserve: Fraction,
    impossible: Sequence[Impossible],
) -> LogPlan:
    """A log of that method; `reserve` is the share of the budget that is kept for the distance of the finished rows."""
    cells = sum(public.schema.domain.sizes)
    if cells > MOST_CELLS:
        raise NotApplicable(f"schema: the columns have {cells} codes in all; one-way tables have at most {MOST_CELLS}")
    ledger = Ledger.in_rho(epsilon=epsilon, dp_delta=dp_delta, adjacency=public.adjacency)
    if reserve:
        ledger = ledger.reserve_share(reserve, DISTANCE)
    return LogPlan(
        schema=public.schema,
        method=method,
        settings=dict(settings),
        mode=mode,
        ledger=ledger,
        stated_size=public.size,
        impossible=tuple(impossible),
    )


def cells_of(sizes: Sequence[int], columns: Sequence[int]) -> int:
    return prod(sizes[column] for column in columns)


def cells_within(model_mb: int) -> int:
    """How many cells a model of so many MB may have; more than can be counted at once are none the better."""
    if model_mb < 1:
        raise ParameterError("model_mb", model_mb, "at least 1")
    return min(model_mb * 2**20 // _BYTES_A_CELL, MOST_CELLS)
