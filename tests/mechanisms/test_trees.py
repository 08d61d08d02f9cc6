"""MST and tree: exact charges, edges that form a tree, scores that one record changes by one record, merged codes."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from bounds.errors import NotApplicable, ParameterError
from bounds.privacy.adjacency import Adjacency
from mechanisms.pgm.order import tree_cells
from mechanisms.select.aim_plan import plan_aim
from mechanisms.select.gen import plan_gen
from mechanisms.select.mst import RARE, plan_mst, run_mst
from mechanisms.select.spanning import choose_forest, distances_from_product, edges_of_forest, published_shares
from mechanisms.select.tree import CHOICE, EDGES, ONE_WAY, WITH_LABEL, plan_tree, run_tree
from release.log.file import MarginalLog
from release.log.impossible import Impossible
from release.log.make import OpenLog
from release.noise.randomness import Randomness
from release.statistics.statistic import RECORD_STEPS
from tests.tree_examples import ADD, BUDGET, METHODS, REPLACE, SIZES, budget, digests, made, public, rows_of, table


def cost(log: MarginalLog, *lengths: int) -> Fraction:
    return sum((step.rho for step in log.tables if len(step.columns) in lengths), Fraction(0))


@pytest.mark.parametrize("reserve", [Fraction(0), Fraction(1, 7)])
@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
def test_mst_spends_a_third_on_each_step_exactly(adjacency: Adjacency, reserve: Fraction) -> None:
    log = made("mst", adjacency, reserve=reserve)
    rho = log.ledger.total * (1 - reserve)
    chosen = [step.rho for step in log.choices]
    assert cost(log, 1) == cost(log, 2) == sum(chosen) == rho / 3
    assert chosen == [rho / 3 / 4] * 4
    assert log.ledger.spent == rho
    assert log.ledger.left == 0
    squared = {REPLACE: 2, ADD: 1}[adjacency]
    for length, tables in ((1, 5), (2, 4)):
        (sd,) = {step.sd for step in log.tables if len(step.columns) == length}
        exact = Fraction(squared * tables) / (2 * rho / 3)
        assert exact <= sd**2 <= exact * (1 + Fraction(1, 10**9))
    assert all(step.moved == RECORD_STEPS for step in log.choices)


@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
def test_tree_spends_its_shares_exactly(adjacency: Adjacency) -> None:
    log = made("tree", adjacency, label="x3", epsilon=Fraction(8), reserve=Fraction(1, 5))
    rho = log.ledger.total * Fraction(4, 5)
    with_label = sum(step.rho for step in log.tables if len(step.columns) == 2 and 2 in step.columns)
    edges = sum(step.rho for step in log.tables if len(step.columns) == 2 and 2 not in step.columns)
    chosen = sum(step.rho for step in log.choices)
    assert (cost(log, 1), with_label, chosen, edges) == tuple(rho * Fraction(k, 10) for k in (2, 3, 1, 4))
    assert log.ledger.spent == rho
    assert {step.columns for step in log.tables if 2 in step.columns[:2] and len(step.columns) == 2} == {
        (0, 2), (1, 2), (2, 3), (2, 4),
    }  # fmt: skip


def test_what_a_tree_does_not_need_is_shared_out() -> None:
    two = plan_tree(public(REPLACE, sizes=(2, 3)), **BUDGET)
    assert two.shares == {ONE_WAY: Fraction(1, 3), WITH_LABEL: 0, CHOICE: 0, EDGES: Fraction(2, 3)}
    assert plan_tree(public(REPLACE, sizes=(2,)), **BUDGET).shares[ONE_WAY] == 1
    named = plan_tree(public(REPLACE, sizes=(2, 3)), label="x1", **BUDGET)
    assert named.shares == {ONE_WAY: Fraction(2, 5), WITH_LABEL: Fraction(3, 5), CHOICE: 0, EDGES: 0}
    for plan, columns in ((two, 2), (named, 2)):
        log = run_tree(table(sizes=(2, 3)), plan, Randomness(mode="simulate", seed=3))
        assert [step.columns for step in log.steps] == [(0,), (1,), (0, 1)][: columns + 1]
        assert log.ledger.left == 0


def test_pairs_that_can_tell_nothing_are_no_edges() -> None:
    """The noise of a table of 200 cells is above every distance of two tables of 400 records."""
    plan = plan_tree(public(REPLACE), **BUDGET)
    assert (1, 3) not in plan.candidates
    assert plan.edges == edges_of_forest(plan.candidates) < 4
    assert len(plan_tree(public(REPLACE), **budget(30)).candidates) == 10
    unknown = plan_tree(public(ADD, n=1), **BUDGET)
    assert len(unknown.candidates) == 10
    log = made("tree", ADD)  # one-way tables say how many records there are
    assert {pair for step in log.choices for pair in step.candidates} == set(unknown.telling(unknown.candidates, 400))
    large = (2, 60_000, 60_000)
    kept = plan_tree(public(REPLACE, n=10**9, sizes=large), label="x1", **BUDGET)
    assert kept.candidates == ()
    assert kept.with_label == ((0, 1), (0, 2))


@pytest.mark.parametrize("method", ["mst", "tree"])
@pytest.mark.parametrize("seed", range(5))
def test_chosen_edges_are_a_spanning_tree(method: str, seed: int) -> None:
    log = made(method, ADD, seed=seed, epsilon=Fraction(9))
    edges = [step.chosen for step in log.choices]
    assert len(edges) == len(set(edges)) == 4
    assert edges_of_forest(edges) == 4
    assert sorted(edges) == [step.columns for step in log.tables if len(step.columns) == 2]
    for before, step in enumerate(log.choices):  # no edge inside a part is ever a candidate
        assert all(edges_of_forest([*edges[:before], pair]) == before + 1 for pair in step.candidates)


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda p: p[0] < p[1]), unique=True))
def test_edges_of_a_forest_are_columns_less_parts(pairs: list[tuple[int, int]]) -> None:
    rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
    graph = coo_array((np.ones(len(pairs)), (rows, columns)), shape=(9, 9))
    assert edges_of_forest(pairs) == 9 - connected_components(graph, directed=False)[0]


def open_log(records: np.ndarray, sizes: tuple[int, ...], *, epsilon: int = 1) -> OpenLog:
    plan = plan_mst(public(ADD, n=1, sizes=sizes), **budget(epsilon))
    return OpenLog(records, plan.log, Randomness(mode="simulate", seed=1))


def test_with_a_large_budget_the_tree_is_the_best_one() -> None:
    records = table(3000)
    log = open_log(records, SIZES, epsilon=10**6)
    one_way = log.measure([(u,) for u in range(5)], rho=log.left / 3)
    pairs = list(combinations(range(5), 2))
    distances = distances_from_product(log, pairs, published_shares(one_way, 3000.0), 3000.0)
    edges = choose_forest(log, pairs, distances, rho=log.left / 2)
    weights = np.zeros((5, 5))
    for pair, distance in distances.items():
        weights[pair] = -distance
    best = minimum_spanning_tree(weights).tocoo()
    assert sorted(edges) == sorted(zip(best.row.tolist(), best.col.tolist(), strict=True))


def most_moved(distances: object, sizes: tuple[int, ...], *, replaced: bool) -> int:
    """Of any pair's score, over all tables of up to three records and all their neighbours."""
    points = [np.array(point, dtype=np.uint8) for point in np.ndindex(*sizes)]
    most = 0
    for start in [[], points[:1], [points[0], points[-1]], [points[1], points[2], points[2]]]:
        ends = [[*start, point] for point in points]
        found = [distances(np.array(rows, dtype=np.uint8).reshape(-1, len(sizes))) for rows in [start, *ends]]
        compared = combinations(found[1:], 2) if replaced else ((found[0], other) for other in found[1:])
        most = max([most, *(abs(a[pair] - b[pair]) for a, b in compared for pair in a)])
    return most


def test_one_record_moves_a_score_by_one_record_at_most() -> None:
    """Over all neighbours on a small domain, with shares that are no multiples of anything; and it is attained."""
    sizes, shares = (2, 3, 2), [np.array([0.3, 0.7]), np.array([0.21, 0.47, 0.32]), np.array([1 / 3, 2 / 3])]
    pairs = list(combinations(range(3), 2))

    def shipped(records: np.ndarray) -> dict[tuple[int, int], int]:
        return distances_from_product(open_log(records, sizes), pairs, shares, 2.6180339)

    assert most_moved(shipped, sizes, replaced=False) == RECORD_STEPS
    assert most_moved(shipped, sizes, replaced=True) == 2 * RECORD_STEPS

    def own_shares(records: np.ndarray) -> dict[tuple[int, int], int]:
        """The bug that this test is for: the product of the records' own columns, not of published ones."""
        own = [np.bincount(records[:, u], minlength=s) / max(len(records), 1) for u, s in enumerate(sizes)]
        return distances_from_product(open_log(records, sizes), pairs, own, float(len(records)))

    assert most_moved(own_shares, sizes, replaced=False) > RECORD_STEPS


@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
def test_rare_codes_are_merged_by_what_was_published(adjacency: Adjacency) -> None:
    log = made("mst", adjacency)
    assert log.groups is not None
    rare_somewhere = False
    for step, group in zip(log.tables, log.groups, strict=False):
        rare = [code for code, count in enumerate(step.counts) if count < RARE * step.sd]
        top = int(np.argmax(step.counts))
        rare = [code for code in rare if code != top]
        apart = [code for code in range(len(step.counts)) if code not in rare]
        assert len({group[code] for code in rare}) == min(1, len(rare))
        assert len(set(group)) == len(apart) + bool(rare) == max(group) + 1
        rare_somewhere |= len(rare) > 1
    assert rare_somewhere


def test_where_no_code_is_rare_nothing_is_merged() -> None:
    assert made("mst", sizes=(2, 3), n=5000, epsilon=Fraction(8)).groups is None


def test_where_all_codes_are_rare_the_commonest_stays_alone() -> None:
    """Four records in eight codes: every column keeps two groups, so that pairs have something to say."""
    records = table(4, sizes=(8, 8))
    log = run_mst(records, plan_mst(public(REPLACE, n=4, sizes=(8, 8)), **BUDGET), Randomness(mode="simulate", seed=1))
    assert log.groups is not None
    for step, group in zip(log.tables, log.groups, strict=False):
        assert max(step.counts) < RARE * step.sd
        assert group.count(group[step.counts.index(max(step.counts))]) == 1
    assert log.shape.merged == (2, 2)


def test_pairs_of_merged_codes_are_sums_of_pairs() -> None:
    """With hardly any noise the tables are those of the merged records, and rows get rare codes back."""
    records = table(2000, sizes=(3, 200))
    plan = plan_mst(public(REPLACE, n=2000, sizes=(3, 200)), **budget(8))
    log = run_mst(records, plan, Randomness(mode="simulate", seed=2))
    assert log.groups is not None
    merged = np.column_stack([np.array(group)[records[:, u]] for u, group in enumerate(log.groups)])
    shape = tuple(max(group) + 1 for group in log.groups)
    assert shape[1] < 200
    exact = np.zeros(shape, dtype=int)
    np.add.at(exact, tuple(merged.T), 1)
    noisy = np.array(log.tables[-1].counts).reshape(shape)
    assert np.abs(noisy - exact).max() <= 6 * log.tables[-1].sd
    rows = rows_of(log, 2000)
    group = np.array(log.groups[1])
    rest = np.flatnonzero(np.bincount(group)[group] > 1)
    assert len(set(rows[:, 1].tolist()) & set(rest.tolist())) > 1
    assert np.abs(np.isin(rows[:, 1], rest).sum() - np.isin(records[:, 1], rest).sum()) <= 60


def test_columns_of_public_facts_keep_their_codes() -> None:
    fact = Impossible((0, 3), ((0, 39),))
    records = table()
    records = records[~((records[:, 0] == 0) & (records[:, 3] == 39))]
    plan = plan_mst(public(REPLACE, n=len(records)), impossible=(fact,), **BUDGET)
    log = run_mst(records, plan, Randomness(mode="simulate", seed=1))
    assert log.groups is not None
    assert log.groups[3] == tuple(range(40))
    assert log.shape.merged[0] == 2


def facts(*pairs: tuple[int, int]) -> tuple[Impossible, ...]:
    return tuple(Impossible(pair, ((1, 1),)) for pair in pairs)


@pytest.mark.parametrize("plan", [plan_mst, plan_tree, plan_aim, plan_gen])
def test_facts_that_no_model_holds_are_refused_before_anything_is_spent(plan: object) -> None:
    """Facts about all pairs make all columns one clique."""
    asked = BUDGET | ({"degree": 1} if plan is plan_gen else {})
    known = facts(*combinations(range(36), 2))
    with pytest.raises((ParameterError, NotApplicable), match="model_mb = 100") as caught:
        plan(public(REPLACE, sizes=(2,) * 36), impossible=known, **asked)
    assert "\n" not in str(caught.value)
    plan(public(REPLACE, sizes=(2,) * 36), impossible=facts((0, 1), (1, 2)), **asked)


def test_tables_with_the_label_are_counted_with_facts() -> None:
    """A ring of facts has cliques of three columns; with the label each is 40 times as large."""
    sizes, ring = (30, 30, 30, 30, 40), facts((0, 1), (1, 2), (2, 3), (0, 3))
    assert plan_tree(public(REPLACE, sizes=sizes), impossible=ring, model_mb=1, **BUDGET).with_label == ()
    with pytest.raises(ParameterError, match="model_mb = 1: must be at least 17"):
        plan_tree(public(REPLACE, sizes=sizes), impossible=ring, model_mb=1, label="x5", **BUDGET)


@pytest.mark.parametrize("method", ["mst", "tree"])
@pytest.mark.parametrize("seed", range(4))
def test_edges_beside_facts_close_no_ring(method: str, seed: int) -> None:
    """A path of facts: edges lie within them, or join what nothing holds together, and reach all columns."""
    known, sizes = facts((0, 2), (2, 4), (4, 6), (1, 3)), (3,) * 8
    records = table(600, sizes)
    for a, b in ((0, 2), (2, 4), (4, 6), (1, 3)):
        records[records[:, b] == 1, b] = 2
        records[records[:, a] == 1, a] = 2
    plan, run = METHODS[method]
    planned = plan(public(REPLACE, n=600, sizes=sizes), impossible=known, **budget(20))
    log = run(records, planned, Randomness(mode="simulate", seed=seed))
    edges = [step.columns for step in log.tables if len(step.columns) == 2]
    assert edges_of_forest(edges) == len(edges) == 7
    scopes = [zeros.columns for zeros in known]
    assert set(edges) > set(scopes)
    assert tree_cells(sizes, [*scopes, *edges]) <= 7 * 9
    assert log.ledger.left == 0


@pytest.mark.parametrize("plan", [plan_mst, plan_tree])
def test_what_cannot_be_run_is_refused_by_the_plan(plan: object) -> None:
    with pytest.raises(ParameterError, match="model_mb = 0: must be at least 1"):
        plan(public(REPLACE), model_mb=0, **BUDGET)
    with pytest.raises(NotApplicable, match="columns = 201: a tree is chosen for at most 200"):
        plan(public(REPLACE, sizes=(2,) * 201), **BUDGET)


def test_a_label_is_a_column() -> None:
    with pytest.raises(ParameterError, match="label = income: must be the name of a column"):
        plan_tree(public(REPLACE), label="income", **BUDGET)


def test_pairs_that_are_all_too_large_leave_sharper_columns() -> None:
    sizes = (1000, 1000)
    plan = plan_mst(public(REPLACE, n=20_000, sizes=sizes), model_mb=1, **budget(100))
    records = np.tile(np.arange(1000, dtype=np.uint16), (20, 2)).reshape(2, -1).T.copy()
    log = run_mst(records, plan, Randomness(mode="simulate", seed=1))
    assert [step.columns for step in log.steps] == [(0,), (1,), (0,), (1,)]
    assert log.ledger.left == 0


def test_a_seed_fixes_logs_and_rows_in_every_process() -> None:
    script = "from tests.tree_examples import digests; print(*digests())"
    environment = os.environ | {"PYTHONHASHSEED": "1"}
    other = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert other.stdout.split() == digests()
