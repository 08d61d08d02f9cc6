"""MST: one-way tables, a tree of pairs chosen by how much they add to these, and the tables of the tree.

Each of the three steps gets a third of the budget. Before the tree is chosen, codes whose noisy count is below three
deviations of its noise are merged, column by column, by a rule on published numbers. Tables of pairs then have merged
codes, and rows get their codes back when they are drawn. Columns named in a public fact about impossible records keep
their codes. The label has no special role; `tree` gives it one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.select.log_plan import cells_of, facts_of, plan_log, room_for_edges
from mechanisms.select.settings import MODEL_MB, MST
from mechanisms.select.spanning import Facts, Pair, choose_forest, distances_from_product, published_shares, require_few
from release.log.make import OpenLog

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.mechanism import Public
    from release.data.domain import Codes
    from release.data.source import Source
    from release.log.file import MarginalLog
    from release.log.impossible import Impossible
    from release.log.planned import LogPlan
    from release.log.steps import TableStep
    from release.noise.kinds import Mode
    from release.noise.randomness import Randomness

_THIRD = Fraction(1, 3)
RARE = 3
"""Codes whose noisy count is below this many deviations are merged."""

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class MstPlan:
    """What MST will do, by public facts: the most edges and pairs there can be once codes are merged."""

    log: LogPlan
    model_mb: int

    @property
    def columns(self) -> int:
        return self.log.schema.domain.p

    @property
    def most_edges(self) -> int:
        return self.columns - 1

    @cached_property
    def facts(self) -> Facts:
        return Facts(facts_of(self.log.impossible))

    @property
    def kept_whole(self) -> frozenset[int]:
        """Columns whose codes are never merged."""
        return frozenset(column for fact in self.log.impossible for column in fact.columns)


def plan_mst(
    public: Public,
    *,
    epsilon: Fraction,
    dp_delta: Fraction,
    mode: Mode,
    reserve: Fraction = Fraction(0),
    model_mb: int = MODEL_MB,
    impossible: Sequence[Impossible] = (),
) -> MstPlan:
    """The plan; pairs whose tables would not fit into `model_mb` together cannot be edges."""
    require_few(public.schema.domain.p)
    log = plan_log(
        public,
        method=MST,
        settings={"model_mb": model_mb},
        epsilon=epsilon,
        dp_delta=dp_delta,
        mode=mode,
        reserve=reserve,
        impossible=impossible,
    )
    return MstPlan(log=log, model_mb=model_mb)


def run_mst(records: Codes | Source, plan: MstPlan, randomness: Randomness, *, say: Say | None = None) -> MarginalLog:
    """The log of one run; in release mode each run spends the budget again."""
    log = OpenLog(records, plan.log, randomness)
    third = log.left * _THIRD
    one_way = log.measure([(u,) for u in range(plan.columns)], rho=third if plan.most_edges else log.left)
    groups = [_merged(table, whole=u in plan.kept_whole) for u, table in enumerate(one_way)]
    if any(group.max() + 1 < len(group) for group in groups):
        log.merge([group.tolist() for group in groups])
    total = log.total_est
    shares = [
        np.asarray(np.bincount(group, weights=share), dtype=np.float64)
        for group, share in zip(groups, published_shares(one_way, total), strict=True)
    ]
    pairs = _candidates([len(share) for share in shares], plan)
    if pairs:
        distances = distances_from_product(log, pairs, shares, total)
        edges = choose_forest(log, pairs, distances, rho=third, facts=plan.facts)
        if say is not None:
            say(f"{len(edges)} pairs are chosen")
        log.measure(sorted(edges), rho=log.left)
    elif log.left:  # every pair is too large: the rest of the budget sharpens the one-way tables
        log.measure([(u,) for u in range(plan.columns)], rho=log.left)
    return log.close()


def _merged(table: TableStep, *, whole: bool) -> NDArray[np.int64]:
    """The group of every code: its own if it is common, one for all rare codes; groups are numbered by first codes.

    The commonest code is never merged, so that every column keeps two groups.
    """
    counts = np.array(table.counts)
    rare = counts < RARE * float(table.sd)
    rare[counts.argmax()] = False
    if whole or rare.sum() < 2:
        return np.arange(len(counts))
    first = np.where(rare, int(np.flatnonzero(rare)[0]), np.arange(len(counts)))
    found: NDArray[np.int64] = np.unique(first, return_inverse=True)[1]
    return found


def _candidates(sizes: Sequence[int], plan: MstPlan) -> list[Pair]:
    """Pairs whose tables fit into the model together with public facts, whichever of them are chosen."""
    room = room_for_edges(sizes, facts_of(plan.log.impossible), model_mb=plan.model_mb, edges=plan.most_edges)
    pairs = (pair for pair in combinations(range(len(sizes)), 2) if plan.facts.allow(pair))
    return [pair for pair in pairs if plan.facts.are_inside(pair) or cells_of(sizes, pair) <= room]
