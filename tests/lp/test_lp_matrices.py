"""Query matrices: every shape gives the same integers, and prices and sums of integers are exact."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from bounds.errors import ParameterError
from lp.programme import matrix_cells
from lp.programme.matrices import DenseMatrix, QueryMatrix, build_matrix, full_matrix
from lp.programme.matrix_cells import CellsMatrix
from lp.programme.matrix_grid import GridMatrix
from lp.programme.matrix_moments import boolean_moments
from lp.programme.matrix_points import PointsMatrix, ProductPointsMatrix
from lp.programme.matrix_splits import split_moments
from lp.programme.matrix_tables import TableMoments
from lp.programme.working_set import lowest
from release.data.domain import Domain
from release.statistics.families import Family, ProductFamily, build_family

SHAPES = [
    ("parities", (2,) * 9, 2),
    ("parities", (2,) * 7, 3),
    ("parities", (2,) * 3, 2),
    ("monomials", (2,) * 10, 1),
    ("monomials", (2,) * 9, 2),
    ("monomials", (2,) * 8, 3),
    ("monomials", (9, 3, 7), 2),
    ("cells", (2, 3, 4, 2), 2),
    ("cells", (2,) * 6, 3),
    ("moments", (5, 6, 3), 3),
    ("thresholds", (5, 2, 6), 2),
]

Codes = NDArray[np.integer]


def draws(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


def some_points(domain: Domain, count: int, seed: int = 1) -> Codes:
    columns = [draws(seed + j).integers(0, size, count) for j, size in enumerate(domain.sizes)]
    return np.unique(np.stack(columns, axis=1), axis=0).astype(domain.code_type)


def every_shape(family: ProductFamily, points: Codes) -> list[QueryMatrix]:
    found = [DenseMatrix(family, points), PointsMatrix(family, points), ProductPointsMatrix(family, points)]
    return [*found, CellsMatrix(family, points)] if family.name == "cells" else found


def exact(entries: NDArray[np.float64]) -> NDArray[np.object_]:
    """Python integers, whose sums have no rounding at all."""
    return np.array([[int(v) for v in row] for row in entries], dtype=object)


def check(matrix: QueryMatrix, family: Family, points: Codes) -> None:
    entries = exact(family.values(points))
    rows, columns = entries.shape
    assert (matrix.rows, matrix.columns, matrix.largest) == (rows, columns, family.largest)
    # the largest integers for which exactness is promised
    for count, product in ((rows, "price"), (columns, "apply")):
        largest = (2**53 - 1) // family.largest // count
        values = draws(3).integers(-largest, largest, count, endpoint=True)
        wanted = values.astype(object) @ (entries if product == "price" else entries.T)
        found = getattr(matrix, product)(values.astype(np.float64))
        assert [int(v) for v in found] == list(wanted)
    numbers = draws(4).permutation(columns)[: min(columns, 40)]
    assert np.array_equal(matrix.columns_at(numbers), entries[:, numbers].astype(float))
    assert np.array_equal(matrix.points_at(numbers), points[numbers])
    weights = draws(5).integers(0, 1000, numbers.size)
    found = matrix.apply_at(numbers, weights.astype(np.float64))
    assert [int(v) for v in found] == list(entries[:, numbers] @ weights.astype(object))
    d: NDArray[np.float64] = np.asarray(draws(6).random(columns))
    plain = np.asarray(family.values(points))
    tolerance = 1e-12 * float(family.largest) ** 2
    assert np.allclose(matrix.gram(d), (plain * d) @ plain.T, rtol=1e-12, atol=tolerance)
    part = plain[:, numbers]
    assert np.allclose(matrix.gram(d[numbers], numbers), (part * d[numbers]) @ part.T, rtol=1e-12, atol=tolerance)


@pytest.mark.parametrize(("name", "sizes", "degree"), SHAPES)
def test_every_shape_agrees_with_the_family(name: str, sizes: tuple[int, ...], degree: int) -> None:
    domain = Domain(sizes)
    family = build_family(name, domain, degree)
    points = some_points(domain, 150)
    for matrix in every_shape(family, points):
        check(matrix, family, points)
    everything = domain.points(np.arange(domain.size))
    check(GridMatrix(family), family, everything)
    check(ProductPointsMatrix(family, None), family, everything)


def test_cells_of_points_are_the_same_whether_they_are_held_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_cells, "HELD_BYTES", 0)
    family = build_family("cells", Domain((3, 260)), 2)
    points = some_points(family.domain, 50)
    check(CellsMatrix(family, points), family, points)


@pytest.mark.parametrize("name", ["parities", "monomials"])
@pytest.mark.parametrize("p", [3, 8, 17, 21])
@pytest.mark.parametrize("degree", [1, 2])
def test_gram_matrices_through_moments(name: str, p: int, degree: int) -> None:
    domain = Domain((2,) * p)
    family = build_family(name, domain, degree)
    moments = boolean_moments(family)
    assert moments is not None
    points = some_points(domain, 300)
    weights = draws(7).random(len(points))
    entries = family.values(points)
    np.testing.assert_allclose(moments.gram(points, weights), (entries * weights) @ entries.T, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["parities", "monomials"])
@pytest.mark.parametrize(("p", "degree"), [(2, 2), (5, 1), (9, 2), (8, 3), (7, 4)])
def test_gram_matrices_through_split_sets(name: str, p: int, degree: int) -> None:
    domain = Domain((2,) * p)
    family = build_family(name, domain, degree)
    splits = split_moments(family)
    assert splits is not None
    columns = family.values(some_points(domain, 60))
    weights: NDArray[np.float64] = np.asarray(draws(7).random(columns.shape[1]))
    moments = np.zeros(splits.size)
    splits.add(moments, columns, splits.arrange(columns), weights)
    np.testing.assert_allclose(splits.gram(moments), (columns * weights) @ columns.T, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("name", "sizes", "degree"), [*SHAPES, ("cells", (5,), 1), ("cells", (3, 2, 2, 3, 2), 1)])
def test_gram_matrices_through_tables(name: str, sizes: tuple[int, ...], degree: int) -> None:
    family = build_family(name, Domain(sizes), degree)
    assert isinstance(family, ProductFamily)
    matrix = GridMatrix(family)
    d = draws(5).random(matrix.columns)
    entries = family.values(family.domain.points(np.arange(matrix.columns)))
    wanted = (entries * d) @ entries.T
    np.testing.assert_allclose(TableMoments(family).gram(d), wanted, rtol=1e-12, atol=1e-12 * np.abs(wanted).max())
    np.testing.assert_allclose(matrix.gram(d), wanted, rtol=1e-12, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize(
    ("name", "degree", "count"), [("parities", 2, 200), ("monomials", 2, 9000), ("parities", 3, 3000)]
)
def test_gram_matrices_by_whichever_way_is_cheapest(name: str, degree: int, count: int) -> None:
    domain = Domain((2,) * 17)
    family = build_family(name, domain, degree)
    points = some_points(domain, count)
    columns = family.values(points)
    weights = draws(8).random(len(points))
    wanted = (columns * weights) @ columns.T
    few = draws(9).permutation(len(points))[: len(points) // 2]
    wanted_few = (columns[:, few] * weights[few]) @ columns[:, few].T
    for matrix in every_shape(family, points):
        np.testing.assert_allclose(matrix.gram(weights), wanted, rtol=1e-11, atol=1e-10)
        np.testing.assert_allclose(matrix.gram(weights[few], few), wanted_few, rtol=1e-11, atol=1e-10)


def test_the_grid_and_the_list_of_its_points_price_alike_where_neither_is_held() -> None:
    domain = Domain((2,) * 15)
    family = build_family("parities", domain, 3)
    grid = full_matrix(family)
    listed = build_matrix(family, domain.points(np.arange(domain.size)))
    assert isinstance(grid, GridMatrix)
    assert isinstance(listed, ProductPointsMatrix)
    y = draws(8).integers(-1000, 1000, family.count).astype(np.float64)
    assert np.array_equal(grid.price(y), listed.price(y))
    assert np.array_equal(grid.apply(np.ones(grid.columns)), np.zeros(family.count))


@pytest.mark.parametrize("count", [1, 7, 500])
def test_the_lowest_prices_are_found_block_by_block(count: int) -> None:
    family = build_family("parities", Domain((2,) * 18), 2)
    matrix = full_matrix(family)
    y = draws(9).normal(size=family.count)
    prices = matrix.price(y)
    found = lowest(matrix, y, count=count)
    order = np.argsort(prices)[:count]
    assert found.least == prices.min()
    assert set(found.numbers) == set(order)
    assert np.array_equal(prices[found.numbers], found.values)


def test_the_right_shape_is_chosen() -> None:
    small = build_family("parities", Domain((2,) * 7), 2)
    assert isinstance(full_matrix(small), DenseMatrix)
    assert isinstance(full_matrix(build_family("monomials", Domain((2,) * 20), 2)), GridMatrix)
    with pytest.raises(ParameterError, match="domain"):
        full_matrix(build_family("parities", Domain((2,) * 44), 2))
    with pytest.raises(ParameterError, match="reference points"):
        build_matrix(small, np.empty((0, 7), dtype=np.uint8))
