"""Gen of zhou2024, Mechanism 1: all tables of up to d columns at once, with Gaussian noise, and a table near them.

One charge pays for all of them: one record changes one count of every table, so the squared L2 sensitivity is the
number of tables, and twice that if a record is replaced (docs/proofs/synthbounds.marginal-log.md, (a)). The paper
leaves open how to find a table near the noisy ones; here public facts decide, before anything is spent:

- the graphical-model estimate, if its junction tree fits into the allowed memory and the number of tables times cells
  is small enough to process repeatedly. From d = 2 on all columns are connected, so the tree is the domain itself;
- the tilt of points, on any domain, if d is 2, the columns have few codes in all and no combination is impossible;
- otherwise it is refused.

The linear programme, which handles domains of up to 2^18 points, is not needed: the estimate handles those. The budget
is counted in rho, as in every log; with Gaussian noise only, mu^2 would need slightly less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import DataError, NotApplicable, ParameterError
from mechanisms.pgm.from_log import stream_of_log
from mechanisms.pgm.order import tree_cells
from mechanisms.select.log_plan import cells_of, cells_within, facts_of, plan_log
from mechanisms.select.settings import DEGREES, GEN, MODEL_MB
from mechanisms.tilt.pair_tables import LEAST_PRICE, targets_of_pairs
from mechanisms.tilt.rows import DrawnRows, rows_of
from release.data.counting import MOST_CELLS
from release.log.make import OpenLog
from release.statistics.cross_moments import MOST_FEATURES

if TYPE_CHECKING:
    from mechanisms.mechanism import Public
    from release.data.domain import Codes
    from release.data.source import Source
    from release.log.file import MarginalLog
    from release.log.impossible import Impossible
    from release.log.planned import LogPlan
    from release.noise.kinds import Mode
    from release.noise.randomness import Randomness

ESTIMATE, TILT = "estimate", "tilt"
MOST_TABLES = 10_000
MOST_WORK = 2**28
"""Most tables times points of the domain for an estimate, which goes through them some hundred times, in a minute."""

_FASTER = 8
"""Factors for the price of terms, if rows of the tilt end farther from the tables than independent columns."""

Columns = tuple[int, ...]
Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class GenPlan:
    """The tables that will be measured, and what will make rows of them."""

    log: LogPlan
    tables: tuple[Columns, ...]
    generator: str

    @property
    def cells(self) -> int:
        """Cells of all tables."""
        return sum(cells_of(self.log.schema.domain.sizes, table) for table in self.tables)


def plan_gen(
    public: Public,
    *,
    epsilon: Fraction,
    dp_delta: Fraction,
    mode: Mode,
    reserve: Fraction = Fraction(0),
    degree: int = DEGREES[GEN],
    model_mb: int = MODEL_MB,
    impossible: Sequence[Impossible] = (),
) -> GenPlan:
    """All tables of 1 to `degree` columns; refused if nothing here can make rows from them."""
    sizes = public.schema.domain.sizes
    tables = _tables(sizes, degree)
    generator = _generator(sizes, tables, degree=degree, model_mb=model_mb, facts=facts_of(impossible))
    log = plan_log(
        public,
        method=GEN,
        settings={"degree": degree, "model_mb": model_mb, "generator": generator},
        epsilon=epsilon,
        dp_delta=dp_delta,
        mode=mode,
        reserve=reserve,
        impossible=impossible,
    )
    return GenPlan(log=log, tables=tables, generator=generator)


def run_gen(records: Codes | Source, plan: GenPlan, randomness: Randomness, *, say: Say | None = None) -> MarginalLog:
    """The log of one run; in release mode each run spends the budget again."""
    log = OpenLog(records, plan.log, randomness)
    log.measure(plan.tables, rho=log.left)
    if say is not None:
        say(f"{len(plan.tables)} tables with {plan.cells:,} cells are measured")
    return log.close()


def is_tilted(log: MarginalLog) -> bool:
    """Whether rows of this log come from the tilt, according to the log itself."""
    return log.method == GEN and log.settings.get("generator") == TILT


def tilted_rows(log: MarginalLog, k: int, *, seed: int | None = None, say: Say | None = None) -> DrawnRows:
    """k rows from the distribution that the tables of a log of pairs determine: a function of the log and a seed."""
    sizes = log.schema.domain.sizes
    tables = {
        table.columns: np.array(table.counts, float).reshape([sizes[u] for u in table.columns]) for table in log.tables
    }
    if tuple(tables) != _tables(sizes, 2) or log.groups is not None or log.choices:
        raise DataError("log: its generator is the tilt, so it has all tables of one and two columns, and nothing else")
    price = LEAST_PRICE
    while True:
        targets, features = targets_of_pairs(
            tables, deviation=float(log.tables[0].sd), total=log.total_est, least_price=price
        )
        drawn = rows_of(targets, features, stream_of_log(log, seed), k, say=say)
        first, last = drawn.stages[0], drawn.stages[-1]
        # A fit that ran away from the tables gets a higher price; with a high enough one it stays where it began.
        if last.residual <= max(first.residual, 1.0):
            return drawn
        price *= _FASTER


def _tables(sizes: Sequence[int], degree: int) -> tuple[Columns, ...]:
    p = len(sizes)
    if not 1 <= degree <= p:
        raise ParameterError("degree", degree, f"between 1 and the number of columns, {p}")
    count = sum(comb(p, k) for k in range(1, degree + 1))
    if count > MOST_TABLES:
        raise ParameterError("degree", degree, f"such that there are at most {MOST_TABLES} tables", f"here {count}")
    tables = tuple(table for k in range(1, degree + 1) for table in combinations(range(p), k))
    cells = sum(cells_of(sizes, table) for table in tables)
    if cells > MOST_CELLS:
        raise ParameterError("degree", degree, f"such that all tables have at most {MOST_CELLS} cells", f"here {cells}")
    return tables


def _generator(
    sizes: Sequence[int], tables: Sequence[Columns], *, degree: int, model_mb: int, facts: Sequence[Columns]
) -> str:
    """The method that can make rows near all these tables, from the sizes of columns alone."""
    cells, most = tree_cells(sizes, [*tables, *facts]), cells_within(model_mb)
    if cells <= most and cells * len(tables) <= MOST_WORK:
        return ESTIMATE
    if degree == 2 and sum(sizes) <= MOST_FEATURES and not facts:
        return TILT
    raise NotApplicable(
        f"degree = {degree}: a model of all {len(tables)} tables has {float(cells):.3g} cells; it may have {most} "
        f"(model_mb = {model_mb}), and {MOST_WORK} times the tables; beyond that, gen makes rows only for pairs "
        f"(degree = 2) of columns with at most {MOST_FEATURES} codes in all, none impossible; --method aim chooses"
    )
