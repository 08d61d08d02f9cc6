"""Families of queries against brute force over every pair of records."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import prod

import pytest
from flint import fmpq, fmpq_mat

from bounds.errors import ParameterError
from bounds.queries import QueryFamily, bounded, cells, family_of_degree, family_of_levels, monomials, parities


def _subsets(p: int, degree: int) -> list[tuple[int, ...]]:
    return [s for size in range(degree + 1) for s in combinations(range(p), size)]


def _monomial_vectors(p: int, t: int, degree: int) -> list[list[Fraction]]:
    return [
        [prod((Fraction(x[j], t - 1) for j in s), start=Fraction(1)) for s in _subsets(p, degree)]
        for x in product(range(t), repeat=p)
    ]


def _parity_vectors(p: int, t: int, degree: int) -> list[list[Fraction]]:
    return [[Fraction((-1) ** sum(x[j] for j in s)) for s in _subsets(p, degree)] for x in product(range(t), repeat=p)]


def _cell_vectors(p: int, t: int, degree: int) -> list[list[Fraction]]:
    queries = [(s, v) for s in _subsets(p, degree) for v in product(range(t), repeat=len(s))]
    return [
        [Fraction(all(x[j] == w for j, w in zip(s, v, strict=True))) for s, v in queries]
        for x in product(range(t), repeat=p)
    ]


def _threshold_vectors(p: int, t: int, degree: int) -> list[list[Fraction]]:
    queries = [(s, v) for s in _subsets(p, degree) for v in product(range(1, t), repeat=len(s))]
    return [
        [Fraction(all(x[j] >= w for j, w in zip(s, v, strict=True))) for s, v in queries]
        for x in product(range(t), repeat=p)
    ]


def _moment_vectors(p: int, t: int, degree: int) -> list[list[Fraction]]:
    powers = [a for a in product(range(degree + 1), repeat=p) if sum(a) <= degree]
    return [
        [prod((Fraction(v, t - 1) ** e for v, e in zip(x, a, strict=True)), start=Fraction(1)) for a in powers]
        for x in product(range(t), repeat=p)
    ]


CASES = [
    (name, vectors, p, t, d)
    for name, vectors, levels in (
        ("monomials", _monomial_vectors, (2, 3)),
        ("parities", _parity_vectors, (2,)),
        ("cells", _cell_vectors, (2, 3)),
        ("thresholds", _threshold_vectors, (2, 3)),
        ("moments", _moment_vectors, (4,)),
    )
    for t in levels
    for p in range(1, 6 if t == 2 else 4)
    for d in range(1, p + 1)
]


@pytest.mark.share(3)
@pytest.mark.parametrize(("name", "vectors", "p", "t", "d"), CASES)
def test_counts_and_sensitivities_by_brute_force(name: str, vectors, p: int, t: int, d: int) -> None:  # type: ignore[no-untyped-def]
    family = family_of_degree(name, p, t, d)
    points = vectors(p, t, d)
    assert family.total == len(points[0])
    columns = list(zip(*points, strict=True))
    assert family.varying == sum(len(set(column)) > 1 for column in columns)
    assert family.range_width == max(max(c) - min(c) for c in columns)
    differences = [[a - b for a, b in zip(x, y, strict=True)] for x in points for y in points]
    assert family.l1_sensitivity == max(sum(map(abs, d)) for d in differences)
    assert family.l2_sensitivity_squared == max(sum(v * v for v in d) for d in differences)
    centred = [[a - b for a, b in zip(x, points[0], strict=True)] for x in points]
    assert family.dimension == _rank(centred)


def _rank(rows: list[list[Fraction]]) -> int:
    flat = [fmpq(v.numerator, v.denominator) for row in rows for v in row]
    return int(fmpq_mat(len(rows), len(rows[0]), flat).rank())


@pytest.mark.parametrize("family", [monomials(3, 2, 2), parities(3, 2, 2), cells(2, 3, 2)])
def test_trivial_accuracy_is_what_a_data_free_table_reaches(family: QueryFamily) -> None:
    vectors = {
        "monomials": lambda: (_monomial_vectors(3, 2, 2), [[Fraction(1)] * 7, [Fraction(1)] + [Fraction(0)] * 6]),
        "parities": lambda: (_parity_vectors(3, 2, 2), _parity_vectors(3, 2, 2)),
        "cells": lambda: (_cell_vectors(2, 3, 2), _cell_vectors(2, 3, 2)),
    }[family.name]
    points, table = vectors()
    answers = [sum(column) / len(table) for column in zip(*table, strict=True)]
    worst = max(abs(a - b) for x in points for a, b in zip(x, answers, strict=True))
    assert worst == family.trivial_accuracy


def test_known_values() -> None:
    assert [parities(p, 2, 2).l1_sensitivity for p in range(3, 11)] == [8, 12, 18, 24, 32, 40, 50, 60]
    assert cells(10, 2, 2).total == 201
    assert cells(10, 3, 2).total == 436
    assert bounded(7).l1_sensitivity == 14


@pytest.mark.parametrize(("name", "p", "t", "d"), [("parities", 3, 3, 2), ("monomials", 3, 2, 4), ("words", 3, 2, 1)])
def test_refuses_impossible_families(name: str, p: int, t: int, d: int) -> None:
    with pytest.raises(ParameterError):
        family_of_degree(name, p, t, d)


def test_refuses_families_too_large_to_write_down_at_once() -> None:
    with pytest.raises(ParameterError, match="400 digits"):
        family_of_degree("cells", 3000, 10**6, 3000)


def _unequal_vectors(name: str, levels: tuple[int, ...], degree: int) -> list[list[Fraction]]:
    """The answers of every point, from features of one attribute: each with its degree and its values."""
    features: dict[str, list[list[tuple[int, list[Fraction]]]]] = {
        "monomials": [[(1, [Fraction(v, t - 1) for v in range(t)])] for t in levels],
        "cells": [[(1, [Fraction(v == w) for v in range(t)]) for w in range(t)] for t in levels],
        "thresholds": [[(1, [Fraction(v >= w) for v in range(t)]) for w in range(1, t)] for t in levels],
        "moments": [[(e, [Fraction(v, t - 1) ** e for v in range(t)]) for e in range(1, degree + 1)] for t in levels],
    }
    queries = [
        dict(zip(subset, chosen, strict=True))
        for subset in _subsets(len(levels), degree)
        for chosen in product(*(features[name][j] for j in subset))
        if sum(power for power, _ in chosen) <= degree
    ]
    points = product(*(range(t) for t in levels))
    return [[prod((v[x[j]] for j, (_, v) in q.items()), start=Fraction(1)) for q in queries] for x in points]


UNEQUAL = [
    (name, levels, degree)
    for name in ("monomials", "cells", "thresholds", "moments")
    for levels in ((2, 3), (4, 2, 3), (3, 2, 2))
    for degree in range(1, len(levels) + 1)
]


@pytest.mark.parametrize(("name", "levels", "degree"), UNEQUAL)
def test_unequal_levels_by_brute_force(name: str, levels: tuple[int, ...], degree: int) -> None:
    family, points = family_of_levels(name, levels, degree), _unequal_vectors(name, levels, degree)
    columns = list(zip(*points, strict=True))
    assert family.total == len(columns)
    assert family.varying == sum(len(set(column)) > 1 for column in columns)
    differences = [[a - b for a, b in zip(x, y, strict=True)] for x in points for y in points]
    assert family.l1_sensitivity == max(sum(map(abs, d)) for d in differences)
    assert family.l2_sensitivity_squared == max(sum(v * v for v in d) for d in differences)
    rank = _rank([[a - b for a, b in zip(x, points[0], strict=True)] for x in points])
    assert rank <= family.dimension if name == "moments" else rank == family.dimension
    one_way = family_of_levels(name, levels, 1)
    told_apart = {tuple(x) for x in _unequal_vectors(name, levels, 1)}
    corners = {x for x in told_apart if set(x) <= {0, 1}}
    assert one_way.packing == len(corners) - 1
    values = [sorted({b - a for a, b in combinations(sorted(set(c)), 2)})[0] for c in columns if len(set(c)) > 1]
    assert one_way.one_way_steps == (min(levels) - 1 if name in ("monomials", "moments") else 1)
    assert degree > 1 or Fraction(1, family.one_way_steps) == max(values)


@pytest.mark.parametrize("levels", [(2, 3), (3, 2, 4)])
def test_the_uniform_table_reaches_the_trivial_accuracy_of_unequal_cells(levels: tuple[int, ...]) -> None:
    for degree in range(1, len(levels) + 1):
        points = _unequal_vectors("cells", levels, degree)
        answers = [sum(column) / len(points) for column in zip(*points, strict=True)]
        worst = max(abs(a - b) for x in points for a, b in zip(x, answers, strict=True))
        assert worst == family_of_levels("cells", levels, degree).trivial_accuracy


@pytest.mark.parametrize("name", ["monomials", "cells", "thresholds", "moments"])
def test_equal_levels_are_a_special_case(name: str) -> None:
    assert family_of_levels(name, (3, 3, 3, 3), 2) == family_of_degree(name, 4, 3, 2)


def test_a_parity_needs_two_levels_everywhere() -> None:
    assert family_of_levels("parities", (2, 2, 2), 2) == parities(3, 2, 2)
    with pytest.raises(ParameterError, match="a parity is a product of signs"):
        family_of_levels("parities", (2, 3, 2), 2)
