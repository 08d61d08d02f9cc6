"""GEM of liu2021: a generator fitted to tables of pairs, each of which is chosen where the generator fits worst.

One-way tables come first. In every round the exponential mechanism chooses a pair that was not chosen before, by
integer scores, its table is measured with Gaussian noise, and the network takes some more steps. All rounds cost the
same, but the last takes all that is left. Ordered columns of many codes have merged codes in the tables of pairs. The
generator that makes rows is fitted afresh, from the log alone. Proof: docs/proofs/synthbounds.marginal-log.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable, ParameterError
from mechanisms.generators.fit_tables import (
    PairTarget,
    column_targets,
    fit_tables,
    pair_target,
    root_mean_square,
    steady,
)
from mechanisms.generators.network import Network
from mechanisms.generators.outputs import (
    GeneratedRows,
    Mixture,
    Outputs,
    network_stream,
    refuse_impossible,
    require_outputs,
)
from mechanisms.generators.settings import GEM, MOST_CODES, MOST_ROUNDS, POINTS, ROUNDS_PER_COLUMN
from mechanisms.pgm.from_log import measured_table, stream_of_log
from mechanisms.select.aim_plan import neighbours_merged
from mechanisms.select.log_plan import plan_log
from mechanisms.select.scores import in_steps, noise_distance
from release.log.make import OpenLog
from release.log.steps import Shape, records_moved, table_deviation
from release.one_thread import one_thread
from release.statistics.statistic import RECORD_STEPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.mechanism import Public
    from release.data.domain import Codes
    from release.data.source import Source
    from release.log.file import MarginalLog
    from release.log.impossible import Impossible
    from release.log.planned import LogPlan
    from release.log.steps import Columns, Groups
    from release.noise.kinds import Mode
    from release.noise.randomness import Randomness

Say = Callable[[str], None]
START = Fraction(1, 5)
"""The share of the budget that one-way tables take."""
MEASURING = Fraction(9, 10)
"""The share of a round that pays for its table."""
_STEPS, _ALL_STEPS = 25, 1000
"""Steps of the network in a round, and at most in all rounds together."""
_LAST_STEPS, _MOST_PASSES, _ENOUGH = 500, 3, 1.1
"""For the network that makes rows: steps per pass, the most passes, and the distance from the tables, in deviations of
their noise, at which fitting stops."""


@dataclass(frozen=True, kw_only=True)
class GemPlan:
    """What GEM would do with a table of this schema; everything in it is public."""

    log: LogPlan
    pairs: tuple[Columns, ...]
    rounds: int
    groups: Groups | None
    """Merged codes of every column in tables of pairs, if there are any."""

    @property
    def rho(self) -> Fraction:
        """All that is spent: the budget minus what is reserved for a distance."""
        return self.log.ledger.left

    @property
    def start(self) -> Fraction:
        """What the one-way tables cost together."""
        return START * self.rho

    @property
    def price(self) -> Fraction:
        """The price of a round."""
        return (self.rho - self.start) / self.rounds

    @property
    def noise(self) -> float:
        """The mean size of a count's noise in a table of a round, in records."""
        return noise_distance(MEASURING * self.price, records_moved(self.log.adjacency))

    @property
    def shape(self) -> Shape:
        return Shape(self.log.schema.domain.sizes, self.groups)


def plan_gem(
    public: Public,
    *,
    epsilon: Fraction,
    dp_delta: Fraction,
    mode: Mode,
    reserve: Fraction = Fraction(0),
    rounds: int | None = None,
    most_codes: int = MOST_CODES,
    impossible: Sequence[Impossible] = (),
) -> GemPlan:
    """The plan; refuses what cannot be run, before any record is seen. `reserve` is the share kept for a distance."""
    refuse_impossible(impossible, GEM)
    groups = neighbours_merged(public.schema, most_codes, ())
    require_outputs(public.schema, groups, GEM)
    pairs = tuple(combinations(range(len(public.schema.columns)), 2))
    if not pairs:
        raise NotApplicable("gem measures tables of two columns; the schema has one (--method independent)")
    most = min(len(pairs), MOST_ROUNDS)
    planned = min(ROUNDS_PER_COLUMN * len(public.schema.columns), most) if rounds is None else rounds
    if not 1 <= planned <= most:
        raise ParameterError("rounds", planned, f"1 to {most}", "every round chooses a new pair of columns")
    log = plan_log(
        public,
        method=GEM,
        settings={"rounds": planned, "most_codes": most_codes},
        epsilon=epsilon,
        dp_delta=dp_delta,
        mode=mode,
        reserve=reserve,
        impossible=(),
    )
    return GemPlan(log=log, pairs=pairs, rounds=planned, groups=groups)


def run_gem(records: Codes | Source, plan: GemPlan, randomness: Randomness, *, say: Say | None = None) -> MarginalLog:
    """The log of one run; in release mode each run spends the budget again."""
    with one_thread():
        run = _Run(OpenLog(records, plan.log, randomness), plan)
        while run.log.left:
            run.round()
            if say is not None:
                say(f"round {run.rounds}: {float(1 - run.log.left / plan.rho):.0%} of the budget")
        return run.log.close()


def rows_of_gem(log: MarginalLog, k: int, *, seed: int | None = None, say: Say | None = None) -> GeneratedRows:
    """k rows of the generator that the log determines: a function of the log and a seed."""
    columns = len(log.schema.columns)
    with one_thread():
        outputs = Outputs.of_tables(log.tables[:columns], total=log.total_est, groups=log.groups)
        # with the noise of the first pair as the unit: only the ratios of weights matter
        unit = float(log.tables[columns].sd)
        one_way = column_targets(outputs, [float(table.sd) for table in log.tables[:columns]], unit=unit)
        tables = [measured_table(table, log.shape) for table in log.tables[columns:]]
        pairs = [pair_target(table, total=log.total_est, unit=unit) for table in tables]
        network = Network(outputs.sizes, network_stream(log), points=POINTS)
        network.start_at(outputs.merged)
        for _ in range(_MOST_PASSES):
            fit_tables(network, one_way, pairs, steps=_LAST_STEPS)
            residual = root_mean_square(network, pairs) * log.total_est / unit
            if say is not None:
                say(f"the generator is {residual:.2f} deviations of the noise from the tables of pairs")
            if residual <= _ENOUGH:
                break
        codes = Mixture(outputs, network.forward()).rows(k, stream_of_log(log, seed))
    return GeneratedRows(codes=codes.astype(log.schema.domain.code_type), residual_est=residual)


class _Run:
    """The state between rounds: the log, the generator fitted to it, and counts for the scores."""

    def __init__(self, log: OpenLog, plan: GemPlan) -> None:
        self.log, self.plan, self.rounds = log, plan, 0
        tables = log.measure([(u,) for u in range(len(plan.log.schema.columns))], rho=plan.start)
        if plan.groups is not None:
            log.merge(plan.groups)
        self.total = log.total_est
        outputs = Outputs.of_tables(tables, total=self.total, groups=plan.groups)
        unit = float(table_deviation(MEASURING * plan.price, plan.log.adjacency))
        self._unit, self._left = unit, list(plan.pairs)
        self._columns = column_targets(outputs, [float(table.sd) for table in tables], unit=unit)
        self._pairs: list[PairTarget] = []
        self._network = Network(outputs.sizes, np.random.Generator(np.random.Philox(key=0)), points=POINTS)
        self._network.start_at(outputs.merged)
        self._counts = self._exact_counts()
        noise, self._shape = plan.noise, plan.shape
        self._noise = {pair: noise * self._shape.cells(pair) for pair in plan.pairs}

    def round(self) -> None:
        """Choose, measure, fit; the last round if no other pair could tell more than noise."""
        self.rounds += 1
        heard = [pair for pair in self._left if self._noise[pair] < 2 * self.total] or self._left
        is_last = self.rounds == self.plan.rounds or len(heard) == 1
        paid = self.log.left if is_last else self.plan.price
        chosen = self.log.choose(heard, self._scores(heard), moved=RECORD_STEPS, rho=(1 - MEASURING) * paid)
        (table,) = self.log.measure([chosen], rho=MEASURING * paid)
        self._left.remove(chosen)
        if not is_last:
            measured = measured_table(table, self._shape)
            self._pairs.append(pair_target(measured, total=self.total, unit=self._unit))
            steps = min(_STEPS, max(1, _ALL_STEPS // self.plan.rounds))
            fit_tables(self._network, self._columns, self._pairs, steps=steps, rate=steady)

    def _scores(self, pairs: Sequence[Columns]) -> list[int]:
        """L1 distances of the generator's tables from the records, in whole steps, less what noise would leave."""
        shares = self._network.forward()
        steps = np.rint((shares.T @ shares).astype(np.float64) * (self.total * RECORD_STEPS / len(shares)))
        steps -= self._counts
        np.abs(steps, out=steps)
        # whole numbers below 2^53: sums are exact
        starts = self._network.starts[:-1]
        distances = np.add.reduceat(np.add.reduceat(steps, starts, axis=0), starts, axis=1)
        return [int(distances[pair]) - in_steps(self._noise[pair]) for pair in pairs]

    def _exact_counts(self) -> NDArray[np.float64]:
        """Counts of all pairs, in steps, laid out like the products of all outputs; only for scores."""
        blocks, size = self._network.blocks, int(self._network.starts[-1])
        found = np.zeros((size, size))
        for (u, v), table in self.log.counts_of(self.plan.pairs).items():
            found[blocks[u], blocks[v]] = table * float(RECORD_STEPS)
        return found
