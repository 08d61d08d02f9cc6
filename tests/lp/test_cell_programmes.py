"""Programmes of many cells: projections, bounds and densities against plain linear programmes and least squares."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.linalg import null_space
from scipy.optimize import linprog

from bounds.errors import ParameterError
from lp.programme import proportional as fitting
from lp.programme import solve as solving
from lp.programme.cell_newton import _RIDGE, nearest_between
from lp.programme.cell_sweeps import fitted, sweep
from lp.programme.cell_tables import Consistency, cell_tables
from lp.programme.density_certificate import ExactTarget, certify, dual_value, quantise_dual
from lp.programme.matrices import build_matrix
from lp.programme.matrix_cells import CellsMatrix
from lp.programme.proportional import proportional
from lp.programme.solve import Candidate, require_method, solve
from lp.programme.table_bound import rows_bound, table_bound
from lp.programme.table_projection import nearest_tables
from release.data.domain import Domain
from release.statistics.families import ProductFamily, build_family
from tests.lp.test_lp_solve import draws, plain_optimum, table

Vector = NDArray[np.float64]


def programme(
    sizes: tuple[int, ...], *, degree: int = 2, points: int, noise: float, seed: int
) -> tuple[CellsMatrix, Vector]:
    """Cells on points near the records, and noisy answers."""
    domain = Domain(sizes)
    family = build_family("cells", domain, degree)
    records = table(domain, 2000, seed)
    truth = CellsMatrix(family, records).apply(np.full(2000, 1 / 2000))
    mixed = np.stack([draws(seed + 2).permutation(column) for column in records.T], axis=1)
    near = np.unique(np.concatenate([records, mixed]), axis=0)
    kept = draws(seed + 3).permutation(len(near))[:points]
    return CellsMatrix(family, near[np.sort(kept)]), truth + noise * draws(seed + 1).normal(size=truth.size)


def consistent_basis(family: ProductFamily) -> Vector:
    """Directions in which tables may move and still agree: null space of all differences of margins and of totals."""
    tables, rows = cell_tables(family), []
    for one in tables:
        total = np.zeros(family.count)
        total[one.span] = 1
        rows.append(total)
    for one, other in combinations(tables, 2):
        shared = tuple(sorted({*one.attributes} & {*other.attributes}))
        if shared:
            left, right = one.margin_places(shared), other.margin_places(shared)
            for place in range(int(left.max()) + 1):
                row = np.zeros(family.count)
                row[one.span] += left == place
                row[other.span] -= right == place
                rows.append(row)
    return np.asarray(null_space(np.array(rows)))


@pytest.mark.parametrize(("sizes", "degree"), [((2, 3, 4), 2), ((3, 2, 2, 3), 3), ((4, 3), 1)])
def test_the_nearest_consistent_tables_are_those_of_least_squares(sizes: tuple[int, ...], degree: int) -> None:
    family = build_family("cells", Domain(sizes), degree)
    consistency = Consistency(cell_tables(family))
    basis = consistent_basis(family)
    some = CellsMatrix(family, np.zeros((1, len(sizes)), dtype=np.uint8)).apply(
        np.ones(1)
    )  # a point agrees with itself
    target = draws(1).normal(size=family.count)
    wanted = some + basis @ (basis.T @ (target - some))
    np.testing.assert_allclose(consistency.nearest(target), wanted, atol=1e-12)
    np.testing.assert_allclose(consistency.nearest(wanted), wanted, atol=1e-12)
    rows, right = consistency.equations()
    agreed = np.linalg.lstsq(rows.toarray()[:, family.count :], right - rows[:, : family.count] @ wanted)[0]
    np.testing.assert_allclose(rows @ np.concatenate([wanted, agreed]), right, atol=1e-12)


def test_least_squares_between_walls() -> None:
    matrix, target = programme((3, 4, 2), points=50, noise=0.02, seed=4)
    consistency, radius = Consistency(matrix.tables), 0.05
    low, high = np.maximum(target - radius, 0), np.maximum(target + radius, 0)
    found = nearest_tables(consistency, target, low, high, radius=radius)
    np.testing.assert_allclose(consistency.nearest(found), found, atol=1e-12)
    assert max((found - high).max(), (low - found).max()) <= 1e-3 * radius
    # no consistent tables between the walls lie on the near side of the target
    inside = consistency.nearest(np.clip(found, low, high))
    for other in (inside, matrix.apply(np.full(matrix.columns, 1 / matrix.columns))):
        if (other >= low).all() and (other <= high).all():
            assert (target - found) @ (other - found) <= 1e-4


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_fitted_cells_are_in_proportion_and_between_the_walls(seed: int, count: int) -> None:
    generator = draws(seed)
    cells = generator.dirichlet(np.ones(count)) * (generator.random(count) < 0.8)
    centre = generator.dirichlet(np.ones(count)) * (cells > 0)
    if not centre.sum() > 0:
        return
    centre /= centre.sum()
    width = generator.random() * 0.3
    low, high = np.maximum(centre - width, 0), centre + width
    found = fitted(cells, low, high)
    used = cells > 0
    assert abs(found.sum() - 1) < 1e-12
    assert not found[~used].any()
    assert (found >= low - 1e-12)[used].all()
    assert (found <= high + 1e-12)[used].all()
    ratio = found[used] / cells[used]
    scale = ratio[(found > low + 1e-9)[used] & (found < high - 1e-9)[used]]
    if scale.size:
        assert np.ptp(scale) <= 1e-9 * scale.max()
        assert (found[used] >= low[used] - 1e-12).all()
        assert (ratio[(found <= low + 1e-12)[used]] >= scale.max() - 1e-9 * scale.max()).all()
        assert (ratio[(found >= high - 1e-12)[used]] <= scale.min() + 1e-9 * scale.max()).all()


def test_a_sweep_between_wide_walls_changes_nothing_and_between_close_ones_meets_the_last_table() -> None:
    matrix, target = programme((3, 4, 2), points=60, noise=0.0, seed=5)
    h = draws(5).dirichlet(np.ones(matrix.columns))
    before = h.copy()
    assert sweep(matrix, h, np.zeros(matrix.rows), np.ones(matrix.rows)) == 0
    assert np.array_equal(h, before)
    last = matrix.tables[-1].span
    sweep(matrix, h, np.maximum(target - 1e-4, 0), target + 1e-4)
    assert np.abs(matrix.apply(h) - target)[last].max() <= 1e-4 + 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_newton_finds_the_projection_in_relative_entropy(seed: int) -> None:
    matrix, target = programme((3, 4, 2, 3), points=300, noise=0.01, seed=seed)
    first = np.full(matrix.columns, 1 / matrix.columns)
    radius = 1.2 * plain_optimum(matrix, target)
    low, high = np.maximum(target - radius, 0), np.maximum(target + radius, 0)
    found = nearest_between(matrix, first, low, high, radius=radius, near=0.0, most_steps=40)
    np.testing.assert_allclose(matrix.apply(found.h), found.cells, atol=1e-14)
    # the conditions of Kuhn and Tucker; a wall gives way in proportion to what pushes against it
    wanted = first * np.exp(-matrix.price(found.y))
    np.testing.assert_allclose(found.h, wanted / wanted.sum(), rtol=1e-9)
    assert found.outside.max() <= 1e-3 * radius
    soft = found.outside - _RIDGE * radius**2 * np.abs(found.y)
    assert np.abs(soft[found.y != 0]).max() <= 1e-6 * radius
    assert soft.max() <= 1e-6 * radius
    assert (np.where(found.y > 0, found.cells - high, low - found.cells) == found.outside)[found.y != 0].all()


def plain_table_bound(matrix: CellsMatrix, target: Vector) -> float:
    """min V over consistent tables mu >= 0, 0 where no point lies, with |mu - target| <= V; by scipy."""
    consistency, rows = Consistency(matrix.tables), matrix.rows
    agree, right = consistency.equations()
    covered = matrix.apply(np.ones(matrix.columns)) > 0
    identity = np.eye(rows, agree.shape[1])
    one = np.ones((rows, 1))
    found = linprog(
        np.append(np.zeros(agree.shape[1]), 1),
        A_ub=np.block([[identity, -one], [-identity, -one]]),
        b_ub=np.concatenate([target, -target]),
        A_eq=np.hstack([agree.toarray(), np.zeros((agree.shape[0], 1))]),
        b_eq=right,
        bounds=[*((0, None if c else 0) for c in covered), *[(None, None)] * (agree.shape[1] - rows), (0, None)],
    )
    return float(found.fun)


@pytest.mark.parametrize(
    ("sizes", "degree", "noise"), [((3, 4, 2, 3), 2, 0.02), ((4, 5, 3), 2, 0.005), ((2, 3, 2, 2), 3, 0.02)]
)
@pytest.mark.parametrize("seed", range(3))
def test_the_bound_without_points(sizes: tuple[int, ...], degree: int, noise: float, seed: int) -> None:
    matrix, target = programme(sizes, degree=degree, points=70, noise=noise, seed=seed)
    bound = table_bound(matrix, target)
    optimum = plain_optimum(matrix, target)
    assert bound.value_est == pytest.approx(plain_table_bound(matrix, target), rel=1e-6, abs=1e-12)
    assert 0 <= bound.value_est <= optimum * (1 + 1e-9)
    exact = ExactTarget.of([Fraction(float(value)) for value in target])
    proved = dual_value(matrix, exact, quantise_dual(bound.dual, 50))
    assert float(proved) == pytest.approx(bound.value_est, rel=1e-9, abs=1e-13)
    assert np.count_nonzero(bound.dual) <= matrix.rows // 2


@pytest.mark.parametrize("seed", range(8))
def test_one_table_alone_in_closed_form(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven codes, five of them with points: excess, lack, negative cells and empty ones decide in turn."""
    monkeypatch.setattr("lp.programme.table_bound.MOST_LP_CELLS", 0)
    family = build_family("cells", Domain((7,)), 1)
    matrix = CellsMatrix(family, np.arange(5, dtype=np.uint8)[:, None])
    generator = draws(seed)
    target = generator.normal(size=7) * 0.3 * np.append(np.ones(5), np.full(2, generator.integers(2)))
    target[:5] += (0.2, 0.5, -0.3, 0.2)[seed % 4]
    bound = table_bound(matrix, target)
    assert bound.way == "one table"
    assert bound.value_est == pytest.approx(plain_optimum(matrix, target), abs=1e-9)


def test_the_bound_of_some_rows_is_the_optimum_of_their_programme() -> None:
    matrix, target = programme((3, 4, 2, 3), points=100, noise=0.03, seed=7)
    rows = np.sort(draws(7).permutation(matrix.rows)[:12])
    entries = matrix.columns_at(np.arange(matrix.columns))
    np.testing.assert_array_equal(matrix.indicator_rows(rows).toarray(), entries[rows])
    one = np.ones((12, 1))
    found = linprog(
        np.append(np.zeros(matrix.columns), 1),
        A_ub=np.block([[entries[rows], -one], [-entries[rows], -one]]),
        b_ub=np.concatenate([target[rows], -target[rows]]),
        A_eq=np.append(np.ones(matrix.columns), 0)[None, :],
        b_eq=[1],
    )
    bound = rows_bound(matrix, target, rows)
    assert bound.value_est == pytest.approx(float(found.fun), abs=1e-9)
    assert set(np.flatnonzero(bound.dual)) <= set(rows)
    assert rows_bound(matrix, target, rows[:0]).value_est == 0


@pytest.mark.parametrize("noise", [0.03, 0.003])
@pytest.mark.parametrize(("sizes", "points"), [((3, 4, 2, 3, 5), 600), ((6, 5, 4), 90), ((2, 2, 3, 2), 24)])
@pytest.mark.parametrize("agree", [False, True])
def test_proportional_fitting_ends_near_the_optimum(
    sizes: tuple[int, ...], points: int, noise: float, agree: bool
) -> None:
    matrix, target = programme(sizes, points=points, noise=noise, seed=11)
    if agree:
        target = Consistency(matrix.tables).nearest(target)
    optimum = plain_optimum(matrix, target)
    said: list[str] = []
    found = proportional(matrix, target, say=said.append)
    assert found.is_density
    assert found.lower_est <= optimum * (1 + 1e-9) + 1e-15
    assert optimum * (1 - 1e-9) <= found.value_est <= 1.02 * optimum + 1e-9
    assert len(said) == found.rounds
    certificate = certify(matrix, [Fraction(float(value)) for value in target], found)
    assert float(certificate.upper) == pytest.approx(found.value_est, rel=1e-6, abs=1e-12)
    assert float(certificate.lower) == pytest.approx(found.lower_est, rel=1e-6, abs=1e-12)


def test_answers_without_noise_are_met() -> None:
    matrix, target = programme((3, 4, 2, 3), points=10**6, noise=0.0, seed=3)
    found = proportional(matrix, target)
    assert found.lower_est <= 1e-12
    assert found.value_est <= 1e-4


@pytest.fixture(scope="module")
def many() -> tuple[CellsMatrix, Vector]:
    return programme((6,) * 9, points=4000, noise=0.004, seed=2)


def test_auto_fits_more_than_a_thousand_cells(many: tuple[CellsMatrix, Vector]) -> None:
    matrix, target = many
    assert isinstance(build_matrix(matrix.family, matrix.points_at(np.arange(matrix.columns))), CellsMatrix)
    found = solve(matrix, target)
    assert matrix.rows > 1000
    assert found.is_density
    assert found.method == "proportional fitting"
    assert found.value_est <= 1.01 * found.lower_est
    assert found.numbers.size == matrix.columns


def test_the_interior_point_method_is_asked_where_fitting_stops_early(
    many: tuple[CellsMatrix, Vector], monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix, target = many
    good = solve(matrix, target)
    weights = np.full(matrix.columns, 1 / matrix.columns)
    asked: list[int] = []

    def stopped(_matrix: CellsMatrix, _target: Vector, *, say: Callable[[str], None] | None) -> Candidate:
        return Candidate(good.numbers, weights, good.dual, 1.0, good.lower_est, "stopped", 1, 1, is_density=True)

    def interior(*_: object, **__: object) -> Candidate:
        asked.append(1)
        return good

    monkeypatch.setattr(fitting, "proportional", stopped)
    monkeypatch.setattr(solving, "_interior", interior)
    assert solve(matrix, target) is good
    assert asked == [1]
    assert solve(matrix, target, method="proportional").method == "stopped"


def test_methods_that_would_not_do_are_refused(many: tuple[CellsMatrix, Vector]) -> None:
    signs = build_family("parities", Domain((2,) * 4), 2)
    with pytest.raises(ParameterError, match="it is for cells"):
        require_method(build_matrix(signs, np.zeros((1, 4), dtype=np.uint8)), "proportional")
    large = build_family("cells", Domain((100, 100, 100)), 2)
    points = np.zeros((1, 3), dtype=np.uint8)
    with pytest.raises(ParameterError, match="auto or proportional"):
        require_method(build_matrix(large, points), "interior-point")
    require_method(build_matrix(large, points), "auto")
    with pytest.raises(ParameterError, match="at most 131072 queries"):
        build_family("cells", Domain((300, 300, 300)), 2)


@pytest.mark.parametrize(("name", "levels"), [("cells", 60_000), ("thresholds", 15_000)])
def test_columns_of_too_many_levels_are_refused_before_features_are_made(
    name: str, levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("release.statistics.families.Feature", lambda *_: pytest.fail("a feature was made"))
    with pytest.raises(ParameterError, match=rf"^levels of wide = {levels}: must be fewer \(for {name} .*, here \d"):
        build_family(name, Domain((3, levels, 2), ("a", "wide", "b")), 1)
