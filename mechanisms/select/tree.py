"""`tree`: all tables of the label with another column, and a noisy tree over the others; without a label only a tree.

The budget goes 2 : 3 : 1 : 4 to one-way tables, tables with the label, the choice of the tree and its tables; parts
that are not needed are divided among the rest. With a label the model has cliques of three columns. Two rules exclude
pairs from being edges: a pair is excluded if its table with the label would take more than its part of the memory, or
if its noise alone is expected to be as large as the largest distance between two tables, because its table would say
nothing. The second rule uses the number of records or, if it is not public, the estimate of it from one-way tables.
Columns that cannot be joined are connected only with the label, so the tree may be a forest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from bounds.errors import ParameterError
from mechanisms.select.log_plan import cells_of, cells_within, facts_of, plan_log, room_for_edges
from mechanisms.select.scores import in_steps, noise_distance
from mechanisms.select.settings import MODEL_MB, TREE
from mechanisms.select.spanning import (
    Facts,
    Pair,
    choose_forest,
    distances_from_product,
    edges_of_forest,
    published_shares,
    require_few,
)
from release.log.make import OpenLog
from release.log.steps import records_moved

if TYPE_CHECKING:
    from mechanisms.mechanism import Public
    from release.data.domain import Codes
    from release.data.source import Source
    from release.log.file import MarginalLog
    from release.log.impossible import Impossible
    from release.log.planned import LogPlan
    from release.noise.kinds import Mode
    from release.noise.randomness import Randomness

ONE_WAY, WITH_LABEL, CHOICE, EDGES = "one-way", "with the label", "choice", "edges"
PARTS = {ONE_WAY: 2, WITH_LABEL: 3, CHOICE: 1, EDGES: 4}

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class TreePlan:
    """The plan of what to measure and choose from, by public facts."""

    log: LogPlan
    with_label: tuple[Pair, ...]
    """Tables of the label and another column."""
    candidates: tuple[Pair, ...]
    """Pairs that may be edges of the tree, as far as public facts say."""
    facts: Facts
    """Facts about impossible combinations, by columns without the label."""
    noise: float
    """The largest expected error of a count of an edge."""

    @property
    def edges(self) -> int:
        return edges_of_forest(self.candidates, self.facts)

    @property
    def shares(self) -> dict[str, Fraction]:
        """Shares of the budget, by use."""
        return self.shared_out(self.candidates, one_way=True)

    def shared_out(self, candidates: Sequence[Pair], *, one_way: bool) -> dict[str, Fraction]:
        """Shares of the remaining budget for what is still to be done, with these candidates; empty if nothing is."""
        needed = {
            ONE_WAY: one_way,
            WITH_LABEL: bool(self.with_label),
            CHOICE: len(candidates) > edges_of_forest(candidates, self.facts),
            EDGES: bool(candidates),
        }
        whole = sum(PARTS[name] for name, needs in needed.items() if needs)
        return {name: Fraction(PARTS[name] * needs, max(whole, 1)) for name, needs in needed.items()}

    def telling(self, pairs: Sequence[Pair], total: float) -> tuple[Pair, ...]:
        """Pairs whose noise over all cells is below the largest distance of two tables of this many records."""
        sizes = self.log.schema.domain.sizes
        return tuple(pair for pair in pairs if self.noise * cells_of(sizes, pair) < 2 * total)


def plan_tree(
    public: Public,
    *,
    epsilon: Fraction,
    dp_delta: Fraction,
    label: str | None = None,
    mode: Mode,
    reserve: Fraction = Fraction(0),
    model_mb: int = MODEL_MB,
    impossible: Sequence[Impossible] = (),
) -> TreePlan:
    """The plan: tables, candidate pairs, and the budget; `label` is the name of a column."""
    sizes, names = public.schema.domain.sizes, public.schema.names
    require_few(len(sizes))
    if label is not None and label not in names:
        raise ParameterError("label", label, "the name of a column of the schema")
    place = None if label is None else names.index(label)
    others = [u for u in range(len(sizes)) if u != place]
    room = cells_within(model_mb) // max(len(others), 1)
    with_label = tuple(
        (min(u, place), max(u, place)) for u in others if place is not None and sizes[u] * sizes[place] <= room
    )
    log = plan_log(
        public,
        method=TREE,
        settings={"model_mb": model_mb} | ({} if label is None else {"label": label}),
        always=with_label,
        epsilon=epsilon,
        dp_delta=dp_delta,
        mode=mode,
        reserve=reserve,
        impossible=impossible,
    )
    named = facts_of(impossible)
    facts = Facts([[u for u in columns if u != place] for columns in named])
    if named:
        room = room_for_edges(sizes, [*with_label, *named], model_mb=model_mb, edges=len(others))
    beside = 1 if place is None else sizes[place]
    least_rho = log.ledger.left * PARTS[EDGES] / sum(PARTS.values()) / max(len(others) - 1, 1)
    plan = TreePlan(
        log=log,
        with_label=with_label,
        candidates=tuple(
            pair
            for pair in combinations(others, 2)
            if facts.are_inside(pair) or (facts.allow(pair) and beside * cells_of(sizes, pair) <= room)
        ),
        facts=facts,
        noise=noise_distance(least_rho, records_moved(public.adjacency)),
    )
    fit = plan.telling(plan.candidates, public.size) if log.size_is_exact else plan.candidates
    return replace(plan, candidates=fit)


def run_tree(records: Codes | Source, plan: TreePlan, randomness: Randomness, *, say: Say | None = None) -> MarginalLog:
    """The log of one run; in release mode each run spends the budget again."""
    log, domain = OpenLog(records, plan.log, randomness), plan.log.schema.domain
    columns = [(u,) for u in range(domain.p)]
    one_way = log.measure(columns, rho=log.left * plan.shares[ONE_WAY])
    total, rest = log.total_est, log.left
    pairs = plan.telling(plan.candidates, total)
    shares = plan.shared_out(pairs, one_way=False)
    if plan.with_label:
        log.measure(plan.with_label, rho=rest * shares[WITH_LABEL])
    if pairs:
        distances = distances_from_product(log, pairs, published_shares(one_way, total), total)
        price = rest * shares[EDGES] / edges_of_forest(pairs, plan.facts)
        noise = noise_distance(price, records_moved(plan.log.adjacency))
        qualities = {
            pair: distance - in_steps(noise * cells_of(domain.sizes, pair)) for pair, distance in distances.items()
        }
        edges = choose_forest(log, pairs, qualities, rho=rest * shares[CHOICE], facts=plan.facts)
        if say is not None:
            say(f"{len(edges)} pairs are chosen")
        log.measure(sorted(edges), rho=log.left)
    elif log.left:  # by the one-way tables no pair remains: the rest of the budget sharpens them
        log.measure(columns, rho=log.left)
    return log.close()
