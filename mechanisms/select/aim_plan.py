"""AIM before anything is spent: workload, rounds, the price of a round, and the size that its model may reach.

The budget is counted in rho. A round costs rho/T at first, nine tenths of it for a table and the rest for its choice;
the one-way tables come first, each at the price of a table. Annealing multiplies the price of a round by four, which
halves the noise. What is left goes to the last round, once it would not pay for more than two. All of this is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt

from bounds.errors import ParameterError
from mechanisms.mechanism import Public
from mechanisms.select.log_plan import BYTES_A_CELL, plan_log
from mechanisms.select.scores import noise_distance
from mechanisms.select.settings import (
    AIM,
    DEGREES,
    MODEL_MB,
    MOST_ROUNDS,
    ROUNDS_PER_COLUMN,
    TABLE_CELLS,
    TOO_MANY_ROUNDS,
)
from mechanisms.select.workload import Workload, all_tables
from release.log.impossible import Impossible
from release.log.planned import LogPlan
from release.log.steps import records_moved
from release.noise.kinds import Mode

MEASURING = Fraction(9, 10)
"""The share of a round that pays for its table."""
ANNEALING = 4


@dataclass(frozen=True, kw_only=True)
class Round:
    """What one round costs, by its parts."""

    measure: Fraction
    choose: Fraction
    is_last: bool

    @property
    def price(self) -> Fraction:
        return self.measure + self.choose


def next_round(left: Fraction, price: Fraction) -> Round:
    """A round at that price, or all that is left where it would not pay for more than two.

    >>> next_round(Fraction(5), Fraction(2)).price, next_round(Fraction(4), Fraction(2)).price
    (Fraction(2, 1), Fraction(4, 1))
    """
    is_last = left <= 2 * price
    paid = left if is_last else price
    return Round(measure=MEASURING * paid, choose=(1 - MEASURING) * paid, is_last=is_last)


@dataclass(frozen=True, kw_only=True)
class AimPlan:
    """What AIM would do with a table of this schema; everything in it is public."""

    log: LogPlan
    workload: Workload
    model_mb: int
    rounds: int
    """T: a round costs rho/T before it is annealed."""

    @property
    def rho(self) -> Fraction:
        """All that AIM spends: the budget without what is kept for a distance."""
        return self.log.ledger.left

    @property
    def price(self) -> Fraction:
        """Of a round, before it is annealed."""
        return self.rho / self.rounds

    @property
    def start(self) -> Fraction:
        """What the one-way tables cost together."""
        return MEASURING * self.price * len(self.workload.sizes)

    @property
    def squared_sensitivity(self) -> int:
        """Of one table of counts, in L2."""
        return records_moved(self.log.adjacency)

    @property
    def deviation_est(self) -> float:
        """Of the noise of the first tables."""
        return sqrt(self.squared_sensitivity / (2 * MEASURING * self.price))

    @property
    def most_rounds(self) -> int:
        """After the one-way tables, if no round is annealed."""
        return max(1, ceil(self.rounds - MEASURING * len(self.workload.sizes)) - 1)

    def most_cells_of_model(self, used: Fraction) -> int:
        """Cells of the junction tree once so much has been used: the limit grows with the budget spent."""
        return int(self.model_mb * 2**20 * used / (BYTES_A_CELL * self.rho))

    def noise_distance(self, rho: Fraction) -> float:
        """The mean size of a count's noise in a table that costs rho."""
        return noise_distance(rho, self.squared_sensitivity)


def plan_aim(
    public: Public,
    *,
    epsilon: Fraction,
    dp_delta: Fraction,
    mode: Mode,
    reserve: Fraction = Fraction(0),
    degree: int = DEGREES[AIM],
    most_cells: int = TABLE_CELLS,
    model_mb: int = MODEL_MB,
    rounds: int | None = None,
    impossible: Sequence[Impossible] = (),
) -> AimPlan:
    """Refuse what cannot be run, in one line, before any record is seen; `reserve` is the share kept for a distance."""
    sizes = public.schema.domain.sizes
    workload = all_tables(sizes, degree=degree, most_cells=most_cells)
    planned = min(ROUNDS_PER_COLUMN * len(sizes), MOST_ROUNDS) if rounds is None else rounds
    least_rounds = ceil(MEASURING * len(sizes)) + 1
    if planned < least_rounds:
        why = "the one-way tables take the budget of nine rounds for ten columns, and a round must be left"
        raise ParameterError("rounds", planned, f"at least {least_rounds}", why)
    if planned > MOST_ROUNDS:
        raise ParameterError("rounds", planned, f"at most {MOST_ROUNDS}", TOO_MANY_ROUNDS)
    log = plan_log(
        public,
        method=AIM,
        settings={"degree": degree, "most_cells": most_cells, "model_mb": model_mb, "rounds": planned},
        epsilon=epsilon,
        dp_delta=dp_delta,
        mode=mode,
        reserve=reserve,
        impossible=impossible,
    )
    return AimPlan(log=log, workload=workload, model_mb=model_mb, rounds=planned)
