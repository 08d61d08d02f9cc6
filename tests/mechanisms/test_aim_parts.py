"""Parts of AIM against brute force: workload, growth of the junction tree, exact scores and their sensitivity."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb, pi, prod, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.errors import ParameterError
from mechanisms.pgm.order import elimination, tree_cells
from mechanisms.select.aim_plan import MEASURING, next_round
from mechanisms.select.entering import Entering
from mechanisms.select.growth import Growth
from mechanisms.select.scores import Comparison, exact_counts, in_steps, noise_distance, scores
from mechanisms.select.workload import Workload, all_tables
from release.data.counting import counts
from release.parameters import MOST_RECORDS
from release.statistics.statistic import RECORD_STEPS

SIZES = st.lists(st.integers(2, 6), min_size=1, max_size=6)


def test_tables_too_large_for_any_limit_ask_for_a_smaller_degree() -> None:
    with pytest.raises(ParameterError, match=r"degree = 3: must be such .* take a smaller --degree"):
        all_tables((1000, 1000, 1000), degree=3, most_cells=10**6)


@given(sizes=SIZES, degree=st.integers(1, 4), most_cells=st.integers(1, 200))
def test_workload_by_brute_force(sizes: list[int], degree: int, most_cells: int) -> None:
    p = len(sizes)
    tables = [s for s in itertools.combinations(range(p), degree) if prod(sizes[j] for j in s) <= most_cells]
    if degree > p or not tables:
        with pytest.raises(ParameterError):
            all_tables(sizes, degree=degree, most_cells=most_cells)
        return
    found = all_tables(sizes, degree=degree, most_cells=most_cells)
    parts = [r for k in range(1, p + 1) for r in itertools.combinations(range(p), k)]
    assert found.tables == tuple(tables)
    assert found.candidates == tuple(r for r in parts if any(set(r) <= set(s) for s in tables))
    assert found.weights == tuple(sum(len(set(r) & set(s)) for s in tables) for r in found.candidates)
    assert found.cells == tuple(prod(sizes[j] for j in r) for r in found.candidates)


@pytest.mark.parametrize(
    ("sizes", "degree", "most_cells", "said"),
    [
        ((2, 3), 3, 100, "degree = 3: must be between 1 and the number of columns, 2"),
        ((5, 4, 6), 2, 19, "most_cells = 19: must be at least 20, as the smallest table of 2 columns"),
        ((2,) * 100, 4, 100, f"at most 100000 tables ({comb(100, 4)} tables of 4 of the 100 columns are too many"),
    ],
)
def test_impossible_workloads(sizes: tuple[int, ...], degree: int, most_cells: int, said: str) -> None:
    with pytest.raises(ParameterError) as refused:
        all_tables(sizes, degree=degree, most_cells=most_cells)
    assert said in str(refused.value)


@st.composite
def models(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, ...]], list[tuple[int, ...]]]:
    p = draw(st.integers(1, 35))
    sizes = draw(st.lists(st.integers(2, 9), min_size=p, max_size=p))
    column_set = st.sets(st.integers(0, p - 1), min_size=1, max_size=4).map(lambda found: tuple(sorted(found)))
    return sizes, draw(st.lists(column_set, max_size=8)), draw(st.lists(column_set, min_size=1, max_size=6))


@settings(max_examples=30)
@given(model=models())
def test_growth_is_the_size_of_the_junction_tree(model: Any) -> None:
    sizes, scopes, candidates = model
    found = Growth(sizes, candidates).cells(scopes, np.arange(len(candidates)))
    assert found.tolist() == [tree_cells(sizes, [*scopes, columns]) for columns in candidates]


@settings(max_examples=25)
@given(model=models(), noise=st.floats(0.01, 100), total=st.floats(1, 1000), most_cells=st.integers(0, 400))
def test_what_enters_a_choice(model: Any, noise: float, total: float, most_cells: int) -> None:
    """Inside a clique or small enough, and not drowned in noise; the same when asked again in another order."""
    sizes, scopes, candidates = model
    cells = tuple(prod(sizes[j] for j in columns) for columns in candidates)
    weights = (1,) * len(candidates)
    workload = Workload(sizes=tuple(sizes), tables=(), candidates=tuple(candidates), weights=weights, cells=cells)
    cliques = elimination(sizes, scopes).cliques
    wanted = [
        i
        for i, columns in enumerate(candidates)
        if (len(columns) == 1 or noise * cells[i] < 2 * total)
        and (any(set(columns) <= set(c) for c in cliques) or tree_cells(sizes, [*scopes, columns]) <= most_cells)
    ]
    entering = Entering(workload, total)
    entering.among([*scopes, (0,)][:1], noise=2 * noise, most_cells=10)
    entering.among(scopes, noise=100 * noise, most_cells=most_cells)
    assert entering.among(scopes, noise=noise, most_cells=most_cells) == wanted


def test_the_largest_tables_are_left_out_where_memory_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    workload = all_tables((2, 3, 4), degree=2, most_cells=100)
    asked: dict[str, Any] = {"noise": 0.1, "most_cells": 10**6}
    assert Entering(workload, 100.0).among([], **asked) == [0, 1, 2, 3, 4, 5]
    monkeypatch.setattr("mechanisms.select.entering._MOST_HELD", 2 + 3 + 4 + 6 + 8)
    assert Entering(workload, 100.0).among([], **asked) == [0, 1, 2, 3, 4]
    monkeypatch.setattr("mechanisms.select.entering._MOST_HELD", 1)
    assert Entering(workload, 100.0).among([], **asked) == [0, 1, 2]


def shares_of(sizes: tuple[int, ...], key: int) -> dict[tuple[int, ...], Any]:
    """Marginals of a random law."""
    law = np.random.default_rng(key).dirichlet(np.ones(prod(sizes))).reshape(sizes)
    sets = [s for k in range(1, len(sizes) + 1) for s in itertools.combinations(range(len(sizes)), k)]
    return {s: law.sum(axis=tuple(j for j in range(len(sizes)) if j not in s)) for s in sets}


def scores_of(records: Any, sizes: tuple[int, ...], shares: Any, workload: Workload) -> list[int]:
    table = np.array(records, dtype=np.uint8).reshape(-1, len(sizes))
    exact = exact_counts(sizes, workload.candidates, lambda sets: counts(table, sizes, sets))
    found = Comparison(sizes, workload.candidates).distances(exact, lambda columns: shares[columns], 2.7)
    return scores(found, workload.weights, [in_steps(0.37 * cells) for cells in workload.cells])


def test_scores_by_brute_force() -> None:
    sizes, total = (2, 3, 2), 2.7
    shares, workload = shares_of(sizes, 3), all_tables(sizes, degree=2, most_cells=6)
    records = [(0, 2, 1), (1, 1, 1), (1, 1, 0), (0, 0, 0)]
    found = scores_of(records, sizes, shares, workload)
    for columns, weight, score in zip(workload.candidates, workload.weights, found, strict=True):
        distance = Fraction(0)
        cells = list(itertools.product(*(range(sizes[j]) for j in columns)))
        for cell in cells:
            count = sum(tuple(record[j] for j in columns) == cell for record in records)
            distance += abs(count - Fraction(round(total * RECORD_STEPS * shares[columns][cell]), RECORD_STEPS))
        penalty = Fraction(round(RECORD_STEPS * 0.37 * len(cells)), RECORD_STEPS)
        assert Fraction(score, RECORD_STEPS) == weight * (distance - penalty)


def test_no_record_moves_a_score_further_than_stated() -> None:
    """All tables of at most 3 records of a small domain and all records that may be added: the bound is attained."""
    sizes = (2, 3, 2)
    shares, workload = shares_of(sizes, 5), all_tables(sizes, degree=2, most_cells=6)
    domain = list(itertools.product(*(range(size) for size in sizes)))
    tables = [t for k in range(3) for t in itertools.combinations_with_replacement(domain, k)]
    known = {t: scores_of(t, sizes, shares, workload) for t in tables}
    largest = [0] * len(workload.candidates)
    for before in (t for t in tables if len(t) < 2):
        for record in domain:
            after = known[tuple(sorted((*before, record)))]
            moved = [abs(a - b) for a, b in zip(known[before], after, strict=True)]
            largest = [max(a, b) for a, b in zip(largest, moved, strict=True)]
    assert largest == [weight * RECORD_STEPS for weight in workload.weights]


def test_one_record_moves_a_distance_by_one_record_however_many_there_are() -> None:
    """Counts beyond 32 bits, and the largest total that is published."""
    sizes, share = (2, 3), np.random.default_rng(7).dirichlet(np.ones(6)).reshape(2, 3)
    compared = Comparison(sizes, [(0, 1)])
    for count in (2**31 - 1, MOST_RECORDS // 2):
        found = []
        for cell in (count, count + 1):
            held = exact_counts(sizes, [(0, 1)], lambda sets, cell=cell: {(0, 1): np.array([[cell, 0, 0]] * 2)})
            found += compared.distances(held, lambda columns: share, float(MOST_RECORDS))
        assert abs(found[0] - found[1]) <= 2 * RECORD_STEPS
        exact = [count + 1, 0, 0] * 2
        wanted = [round(MOST_RECORDS * RECORD_STEPS * part) for part in share.ravel().tolist()]
        assert found[1] == sum(abs(RECORD_STEPS * c - w) for c, w in zip(exact, wanted, strict=True))


def test_distances_do_not_depend_on_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = (2, 3, 2)
    shares, workload = shares_of(sizes, 4), all_tables(sizes, degree=3, most_cells=12)
    whole = scores_of([(0, 1, 1)], sizes, shares, workload)
    monkeypatch.setattr("mechanisms.select.scores._AT_ONCE", 7)
    assert scores_of([(0, 1, 1)], sizes, shares, workload) == whole


def test_noise_distance_is_the_mean_of_gaussian_noise() -> None:
    rho = Fraction(9, 1000)
    assert noise_distance(rho, 1) == pytest.approx(sqrt(2 / pi) * sqrt(1 / (2 * float(rho))))
    assert noise_distance(rho, 2) == pytest.approx(sqrt(2) * noise_distance(rho, 1))


@given(left=st.fractions(min_value=Fraction(1, 100), max_value=20), price=st.fractions(Fraction(1, 100), 5))
def test_a_round_pays_for_both_its_parts(left: Fraction, price: Fraction) -> None:
    paid = next_round(left, price)
    assert paid.is_last == (left <= 2 * price)
    assert paid.measure + paid.choose == (left if paid.is_last else price)
    assert paid.measure == MEASURING * paid.price
