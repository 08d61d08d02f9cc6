"""AIM before anything is spent: workload, rounds, the price of a round, and the size that its model may reach.

The budget is counted in rho. A round costs rho/T at first, nine tenths of it for a table and the rest for its choice;
the one-way tables come first, each at the price of a table. Annealing multiplies the price of a round by four, which
halves the noise. Once the remaining budget would pay for no more than two rounds, all of it goes to the last round. All
of this is exact.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
from release.data.schema import Schema
from release.log.impossible import Impossible
from release.log.planned import LogPlan
from release.log.steps import Groups, Shape, records_moved
from release.noise.kinds import Mode

MEASURING = Fraction(9, 10)
"""The share of a round that pays for its table."""
ANNEALING = 4


@dataclass(frozen=True, kw_only=True)
class Round:
    """The cost of one round, by its parts."""

    measure: Fraction
    choose: Fraction
    is_last: bool

    @property
    def price(self) -> Fraction:
        return self.measure + self.choose


def next_round(left: Fraction, price: Fraction) -> Round:
    """A round at that price, or with all that is left if that would not pay for more than two.

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
    groups: Groups | None = None
    """Merged codes of every column in tables of two or more columns, if there are any; a public rule."""

    @property
    def rho(self) -> Fraction:
        """All that AIM spends: the budget minus what is reserved for a distance."""
        return self.log.ledger.left

    @property
    def price(self) -> Fraction:
        """Price of a round, before annealing."""
        return self.rho / self.rounds

    @property
    def start(self) -> Fraction:
        """Total cost of the one-way tables."""
        return MEASURING * self.price * len(self.workload.sizes)

    @property
    def squared_sensitivity(self) -> int:
        """Squared L2 sensitivity of one table of counts."""
        return records_moved(self.log.adjacency)

    @property
    def deviation_est(self) -> float:
        """Deviation of the noise of the first tables."""
        return sqrt(self.squared_sensitivity / (2 * MEASURING * self.price))

    @property
    def most_rounds(self) -> int:
        """Number of rounds after the one-way tables, without annealing."""
        return max(1, ceil(self.rounds - MEASURING * len(self.workload.sizes)) - 1)

    def most_cells_of_model(self, used: Fraction) -> int:
        """Limit on the cells of the junction tree after this much is spent: it grows with the budget spent."""
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
    most_codes: int | None = None,
    kept_whole: Sequence[str] = (),
    impossible: Sequence[Impossible] = (),
) -> AimPlan:
    """The plan; refuses what cannot be run, before any record is seen. `reserve` is the share kept for a distance.

    Ordered columns of more than `most_codes` codes have that many in tables of two or more columns: neighbours are
    merged, like in a schema with wider bins. Columns that are named, or that occur in a public fact, are kept whole.
    """
    sizes, groups, more = public.schema.domain.sizes, None, {}
    if most_codes is not None:
        facts = {public.schema.names[place] for fact in impossible for place in fact.columns}
        groups, more = neighbours_merged(public.schema, most_codes, {*kept_whole, *facts}), {"most_codes": most_codes}
    if groups is not None:
        sizes = Shape(sizes, groups).merged
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
        settings={"degree": degree, "most_cells": most_cells, "model_mb": model_mb, "rounds": planned, **more},
        epsilon=epsilon,
        dp_delta=dp_delta,
        mode=mode,
        reserve=reserve,
        impossible=impossible,
    )
    return AimPlan(log=log, workload=workload, model_mb=model_mb, rounds=planned, groups=groups)


def neighbours_merged(schema: Schema, most_codes: int, kept_whole: Collection[str]) -> Groups | None:
    """Codes of ordered columns in at most this many groups of neighbours, of nearly equal size; None if none merge."""
    if most_codes < 2:
        raise ParameterError("most_codes", most_codes, "at least 2")
    found = []
    for column in schema.columns:
        count = column.value_count
        if column.name in kept_whole or not column.is_ordered or count <= most_codes:
            found.append(tuple(range(column.size)))
        else:
            merged = tuple(code * most_codes // count for code in range(count))
            found.append(merged + (most_codes,) * (column.size - count))  # a missing code stays separate
    return None if all(max(g) + 1 == len(g) for g in found) else tuple(found)
