"""The Bernstein measure: what one record moves, by brute force; the printed scale; coefficients, mass, draws."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest
from flint import arb

from bounds.enclosure import as_fmpq, precision
from bounds.errors import DataError, NotApplicable, ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from lp.measures import Paid, bernstein
from lp.measures.bernstein import BernsteinMeasure, bernstein_measure, lattice_sums
from lp.measures.iterated import iterated_coefficients, iterated_operator
from lp.measures.kernel import (
    axis_table,
    kernel_constants,
    kernel_values,
    lattice_sensitivity,
    table_sensitivity,
    value_sensitivity,
)
from release.data.domain import Domain

BITS = 12
SIZE = 21
BOTH = (Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE)


def stream(seed: int = 0, run: int = 0) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, 0, run]))


def lattice_rows(p: int, degree: int, width: Fraction, kernel: str, codes: range) -> np.ndarray:
    """The exact integers of every record on a grid of codes, over the whole lattice: records in rows."""
    table = axis_table(size=SIZE, degree=degree, bandwidth=width, bits=BITS, kernel=kernel).entries
    points = np.array(list(product(codes, repeat=p)))
    rows = np.ones((len(points), 1), dtype=np.int64)
    for axis in range(p):
        rows = (rows[:, :, None] * table[points[:, axis]][:, None, :]).reshape(len(points), -1)
    return rows


def largest_move(rows: np.ndarray) -> int:
    return max(int(np.abs(rows - row).sum(axis=1).max()) for row in rows)


GRIDS = {1: range(SIZE), 2: range(0, SIZE, 2), 3: range(0, SIZE, 5)}
SETTINGS = [
    (p, degree, Fraction(width), kernel)
    for p, degrees in ((1, (1, 5, 10, 40)), (2, (1, 2, 10, 20)), (3, (2, 6)))
    for degree in degrees
    for width in ("0.05", "0.2", "0.5", "1")
    for kernel in ("reflected", "plain")
]


@pytest.mark.parametrize(("p", "degree", "width", "kernel"), SETTINGS)
def test_no_record_moves_the_lattice_by_more_than_the_calibration(
    p: int, degree: int, width: Fraction, kernel: str
) -> None:
    tables = [axis_table(size=SIZE, degree=degree, bandwidth=width, bits=BITS, kernel=kernel)] * p
    rows = lattice_rows(p, degree, width, kernel, GRIDS[p])
    assert largest_move(rows) <= table_sensitivity(tables, Adjacency.REPLACE_ONE)
    assert int(rows.sum(axis=1).max()) <= table_sensitivity(tables, Adjacency.ADD_REMOVE)
    # Part (b) of the proof: rounding down adds nothing to the bound by sums, and next to nothing to the other one.
    constants = kernel_constants(degree=degree, bandwidth=width, kernel=kernel)
    unit = 2 ** (BITS * p)
    by_sum = constants.lattice_sum.hi**p * unit
    low = max(Fraction(0), (1 - Fraction(1, 2**31)) * constants.inf.lo * 2**BITS - 1)
    by_range = (degree + 1) ** p * (constants.sup.hi**p * unit - low**p)
    assert table_sensitivity(tables, Adjacency.ADD_REMOVE) <= by_sum
    assert table_sensitivity(tables, Adjacency.REPLACE_ONE) <= min(2 * by_sum, by_range)


def test_the_calibration_is_attained_where_the_kernel_is_narrow() -> None:
    width = Fraction("0.052221")
    table = axis_table(size=SIZE, degree=144, bandwidth=width, bits=20)
    moved = largest_move(table.entries)
    assert moved == table_sensitivity([table], Adjacency.REPLACE_ONE)
    assert moved / 2**20 == pytest.approx(303.2789, abs=1e-3)  # D of bojkovic2024.kde at its first setting


def test_the_unreflected_sum_would_be_too_small() -> None:
    width = Fraction("0.052221")
    plain = kernel_constants(degree=144, bandwidth=width, kernel="plain").lattice_sum.hi
    table = axis_table(size=SIZE, degree=144, bandwidth=width, bits=20)
    assert float(plain * width) == pytest.approx(7.5199, abs=1e-4)
    assert largest_move(table.entries) > 2 * plain * 2**20


@pytest.mark.parametrize(
    ("p", "degree", "width", "least", "most"),
    [
        (2, 2, "0.5", 1.494652, 1.52),
        (2, 10, "0.3", 4.894548, 4.98),
        (2, 10, "0.1", 1.13, 1.15),
        (2, 20, "0.2", 7.2, 7.3),
        (3, 10, "0.3", 35.2, 35.3),
        (2, 10, "0.05", 0.28, 0.31),
        (1, 10, "0.3", 0.70, 0.702),
    ],
)
def test_the_printed_scale_is_not_private_in_more_than_one_dimension(
    p: int, degree: int, width: str, least: float, most: float
) -> None:
    """The privacy loss in units of epsilon: the L1 movement over (k+1) S. Above 1 it is a violation."""
    grid = {1: range(SIZE), 2: range(0, SIZE, 2), 3: range(0, SIZE, 5)}[p]
    moved = largest_move(lattice_rows(p, degree, Fraction(width), "plain", grid)) / 2 ** (BITS * p)
    constants = kernel_constants(degree=degree, bandwidth=Fraction(width), kernel="plain")
    assert least <= moved / float((degree + 1) * value_sensitivity(constants, p=p)) <= most


@pytest.mark.parametrize("kernel", ["reflected", "plain"])
@pytest.mark.parametrize("width", ["0.03", "0.3", "0.49", "0.5", "2"])
def test_tables_are_the_kernel_rounded_down(kernel: str, width: str) -> None:
    h, bits, degree, size = Fraction(width), 24, 4, 7
    table = axis_table(size=size, degree=degree, bandwidth=h, bits=bits, kernel=kernel).entries
    images = range(-30, 31) if kernel == "reflected" else range(1)
    with precision(200):
        for code, ell in product(range(size), range(degree + 1)):
            u, y = Fraction(code, size - 1), Fraction(ell, degree)
            total = arb(0)
            for j in images:
                places = (y - u - 2 * j, y + u - 2 * j) if kernel == "reflected" else (y - u,)
                total += sum(((-arb(as_fmpq((v / h) ** 2 / 2))).exp() for v in places), arb(0))
            exact = total / ((2 * arb.pi()).sqrt() * as_fmpq(h)) * 2**bits
            entry = int(table[code, ell])
            assert exact >= entry
            assert exact * (1 - arb(2) ** -31) - 1 <= entry


@pytest.mark.parametrize("width", ["0.05", "0.3", "1", "3"])
def test_constants_are_attained(width: str) -> None:
    h = Fraction(width)
    ends = np.array([0.0, 1.0])
    fine = np.linspace(0, 1, 401)
    for kernel in ("reflected", "plain"):
        constants = kernel_constants(degree=8, bandwidth=h, kernel=kernel)
        corner = kernel_values(ends, ends, bandwidth=h, kernel=kernel)
        values = kernel_values(fine, fine, bandwidth=h, kernel=kernel)
        assert values.max() <= float(constants.sup.hi) * (1 + 1e-12)
        assert values.min() >= float(constants.inf.lo) * (1 - 1e-12)
        assert corner[0, 0] == pytest.approx(float(constants.sup.hi), rel=1e-12)
        assert corner[0, 1] == pytest.approx(float(constants.inf.hi), rel=1e-11, abs=1e-80)
        sums = kernel_values(np.arange(9) / 8, fine, bandwidth=h, kernel=kernel).sum(axis=1)
        assert sums.max() <= float(constants.lattice_sum.hi) * (1 + 1e-12)
        if kernel == "reflected":
            assert sums[0] == pytest.approx(float(constants.lattice_sum.hi), rel=1e-12)


def test_figures_of_the_repaired_theorem() -> None:
    """D of bojkovic2024.kde, corrected edition, for L = 1, tau = 1/2."""
    for p, width, degree, expected in (
        (1, "0.052221", 144, 303.28),
        (2, "0.033245", 288, 1.8000e5),
        (3, "0.026111", 432, 1.7896e8),
    ):
        constants = kernel_constants(degree=degree, bandwidth=Fraction(width))
        found = lattice_sensitivity(constants, p=p, degree=degree, adjacency=Adjacency.REPLACE_ONE)
        assert float(found) == pytest.approx(expected, rel=2e-4)


def test_reflection_removes_the_bias_at_the_boundary() -> None:
    """Uniform records: the plain estimate keeps .7607 of the mass and .4996 at an end; the reflected one keeps all."""
    steps = 2001
    fine = (np.arange(steps) + 0.5) / steps
    for kernel, mass, end in (("reflected", 1.0, 1.0), ("plain", 0.7607018785, 0.4995709397)):
        values = kernel_values(np.append(fine, 0.0), fine, bandwidth=Fraction(3, 10), kernel=kernel)
        assert values[:, :-1].mean() == pytest.approx(mass, abs=1e-6)
        assert values[:, -1].mean() == pytest.approx(end, abs=1e-6)
        if kernel == "reflected":
            assert np.allclose(values[:, :-1].mean(axis=1), 1, atol=1e-6)  # for every record


def test_lattice_sums_are_exact() -> None:
    domain = Domain((9, 6, 9))
    records = np.stack([stream(axis).integers(size, size=70) for axis, size in enumerate(domain.sizes)], axis=1)
    tables = [axis_table(size=size, degree=3, bandwidth=Fraction(1, 4), bits=10) for size in domain.sizes]
    found = lattice_sums(records, tables)
    for number, ell in enumerate(product(range(4), repeat=3)):
        by_hand = 0
        for record in records:
            by_hand += int(np.prod([int(t.entries[c, e]) for t, c, e in zip(tables, record, ell, strict=True)]))
        assert found[number] == by_hand
    assert np.array_equal(found, lattice_sums(stream().permutation(records), tables))


# --- coefficients --------------------------------------------------------------------------------------------------


def bernstein_basis(degree: int, ell: int, y: Fraction) -> Fraction:
    return comb(degree, ell) * y**ell * (1 - y) ** (degree - ell)


def iterate(values: list[Fraction], order: int, y: Fraction) -> Fraction:
    """B^(order) f (y) = f-part of I - (I - B)^order, by the definition with binomials: sum C(h,i)(-1)^(i-1) B^i f."""
    degree = len(values) - 1
    powers, current = [], values
    for _ in range(order):
        powers.append(sum((v * bernstein_basis(degree, e, y) for e, v in enumerate(current)), Fraction(0)))
        current = [
            sum((v * bernstein_basis(degree, e, Fraction(r, degree)) for e, v in enumerate(current)), Fraction(0))
            for r in range(degree + 1)
        ]
    return sum((comb(order, i) * (-1) ** (i - 1) * powers[i - 1] for i in range(1, order + 1)), Fraction(0))


@pytest.mark.parametrize(("degree", "order"), [(1, 3), (2, 2), (4, 1), (4, 3), (5, 4), (10, 2)])
def test_iterated_coefficients_against_the_definition(degree: int, order: int) -> None:
    values = [int(v) for v in stream(degree).integers(-50, 50, size=degree + 1)]
    coefficients, denominator = iterated_coefficients(np.array(values, dtype=object), degree, order)
    for y in (Fraction(0), Fraction(1, 3), Fraction(5, 6), Fraction(1)):
        polynomial = sum(
            Fraction(int(c), denominator) * bernstein_basis(degree, e, y) for e, c in enumerate(coefficients)
        )
        assert polynomial == iterate([Fraction(v) for v in values], order, y)


def test_iterated_coefficients_on_two_axes_and_known_values() -> None:
    rows, denominator = iterated_operator(2, 2)
    assert all(sum(row) == denominator for row in rows)
    # the basis polynomial of order 2 is negative somewhere: -1/24 at 5/6 for k = 2
    basis = [Fraction(rows[r][0], denominator) for r in range(3)]
    assert sum(c * bernstein_basis(2, e, Fraction(5, 6)) for e, c in enumerate(basis)) == Fraction(-1, 24)
    values = np.array([[3, 1, 4], [1, 5, 9], [2, 6, 5]], dtype=object)
    found, common = iterated_coefficients(values, 2, 2)
    a = np.array(rows, dtype=object)
    assert common == denominator**2
    assert np.array_equal(found, a @ values @ a.T)
    # noise is amplified by the largest row sum of absolute values: 2.507812 for k = 10 and order 2
    rows, denominator = iterated_operator(10, 2)
    assert max(sum(map(abs, row)) for row in rows) / denominator == pytest.approx(2.507812, abs=1e-6)


def test_a_long_denominator_is_rounded_to_64_bits() -> None:
    rows, denominator = iterated_operator(30, 3)
    assert denominator == 2**64
    assert all(abs(sum(row) - denominator) <= 31 for row in rows)


# --- the measure ---------------------------------------------------------------------------------------------------


def triangular(domain: Domain, n: int, seed: int = 2) -> np.ndarray:
    values = stream(seed).triangular(0, 0.2, 1, size=(n, domain.p))
    return np.rint(values * (np.array(domain.sizes) - 1)).astype(domain.code_type)


def measure_of(domain: Domain, n: int = 4000, **options: object) -> BernsteinMeasure:
    settings: dict[str, object] = {"degree": 6, "bandwidth": "1/5", "epsilon": 1, "adjacency": "replace-one"}
    settings |= {"mode": "simulate"} | options
    if settings["mode"] == "simulate":
        settings.setdefault("generator", stream(1))
    return bernstein_measure(triangular(domain, n), domain, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("mode", ["simulate", "release"])
def test_draws_have_the_moments_of_the_mixture(mode: str, order: int) -> None:
    domain, m = Domain((4001, 3001)), 40_000
    measure = measure_of(domain, mode=mode, order=order)
    weights = measure.weights / measure.weights.sum()
    indices = measure.lattice(np.arange(weights.size))
    drawn = measure.draw_values(m, stream(9))
    first = [(ell + 1) / 8 for ell in indices]  # mean of Beta(l+1, k-l+1) for k = 6
    second = [(ell + 1) * (ell + 2) / 72 for ell in indices]
    for axis in range(2):
        mean, square = float(weights @ first[axis]), float(weights @ second[axis])
        assert drawn[axis].mean() == pytest.approx(mean, abs=6 * np.sqrt((square - mean**2) / m))
        assert (drawn[axis] ** 2).mean() == pytest.approx(square, abs=6 / np.sqrt(m))
    mixed = float(weights @ (first[0] * first[1]))
    assert (drawn[0] * drawn[1]).mean() == pytest.approx(mixed, abs=6 / np.sqrt(m))
    points = measure.draw(m, stream(9) if mode == "simulate" else None)
    assert points.codes is not None
    means = (points.codes * points.multiplicity[:, None]).sum(axis=0) / m / [4000, 3000]  # type: ignore[index]
    assert means == pytest.approx([float(weights @ f) for f in first], abs=6 / np.sqrt(m))


def test_draws_follow_the_density() -> None:
    from scipy.stats import kstest

    measure = measure_of(Domain((1001,)), degree=20)
    grid = (np.arange(20_000) + 0.5) / 20_000
    density = measure.density_est(grid[:, None])
    assert density.min() >= 0
    assert density.mean() == pytest.approx(1, abs=1e-6)
    cumulative = np.concatenate([[0], np.cumsum(density) / density.sum()])
    values = measure.draw_values(20_000, stream(3))[0]
    edges = np.arange(20_001) / 20_000
    assert kstest(values, lambda y: np.interp(y, edges, cumulative)).pvalue > 1e-4


def test_the_density_integrates_to_one_in_two_dimensions() -> None:
    measure = measure_of(Domain((101, 101)))
    side = (np.arange(150) + 0.5) / 150
    points = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    density = measure.density_est(points)
    assert density.mean() == pytest.approx(1, abs=1e-3)
    # and it resembles the data: the triangular densities peak at 0.2
    assert density.reshape(150, 150)[30, 30] > 2 * density.reshape(150, 150)[120, 120]


def test_with_little_noise_the_measure_is_near_the_density() -> None:
    """nu = 1/2 + x at the sizes of bojkovic2024.kde, p = 1: |w - nu| <= tau/3 and nu/mu <= 7/4."""
    size, n = 4001, 290_146
    middle = np.arange(size) / (size - 1)
    nu = 0.5 + middle
    counts = stream(4).multinomial(n, nu / nu.sum())
    records = np.repeat(np.arange(size), counts)[:, None]
    measure = bernstein_measure(
        records,
        Domain((size,)),
        degree=144,
        bandwidth="0.052221",
        epsilon="1/5",
        adjacency="replace-one",
        mode="release",
    )
    density = measure.density_est(middle[:, None])
    assert np.abs(density - nu).max() < 1 / 6
    assert (nu / density).max() < 7 / 4
    assert float(measure.noise_scale) == pytest.approx(303.28 * 5, rel=1e-3)
    assert not measure.paid.measurement.is_simulated
    assert Fraction(19999, 100_000) < measure.paid.ledger.spent <= Fraction(1, 5)


def test_emptied_coefficients_fall_back_to_the_uniform_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    real = bernstein.noisy_counts

    def all_negative(counts: list[int], **options: Any) -> Paid:
        paid = real(counts, **options)
        return replace(paid, measurement=replace(paid.measurement, values=tuple(-1 for _ in counts)))

    monkeypatch.setattr(bernstein, "noisy_counts", all_negative)
    for order in (1, 2):
        measure = measure_of(Domain((101, 101)), mode="release", order=order)
        assert measure.emptied
        assert np.array_equal(measure.weights, np.ones(49))
        assert measure.density_est(np.array([[0.1, 0.9], [0.5, 0.5]])) == pytest.approx([1, 1])


def test_draws_are_rounded_to_the_nearest_code() -> None:
    """A wide kernel and hardly any noise make the measure uniform: 3 codes get 1/4, 1/2 and 1/4 of it."""
    m = 40_000
    points = measure_of(Domain((3,)), degree=1, bandwidth=10).draw(m, stream(6))
    assert points.multiplicity is not None
    assert points.multiplicity / m == pytest.approx([0.25, 0.5, 0.25], abs=0.015)


def test_a_floor_keeps_every_coefficient() -> None:
    domain = Domain((101, 101))
    plain, floored = measure_of(domain, n=50, epsilon="1/10"), measure_of(domain, n=50, epsilon="1/10", floor="1/4")
    assert plain.weights.min() == 0
    assert floored.weights.min() > 0
    assert (floored.weights == floored.weights.min()).sum() > 1
    with pytest.raises(ParameterError, match="0 under add-remove"):
        measure_of(domain, floor="1/4", adjacency="add-remove")


def test_the_printed_calibration_is_only_simulated_and_says_so() -> None:
    domain = Domain((101, 101))
    options = {"degree": 10, "bandwidth": "3/10", "kernel": "plain", "calibration": "printed"}
    measure = measure_of(domain, **options)
    assert measure.paid.measurement.is_simulated
    assert "NOT PRIVATE" in measure.description
    loss = float(measure.description.split("at least ")[1].split(" ")[0])
    assert 4.89 <= loss <= 5
    points = measure.draw(5, stream())
    assert not points.private
    assert "NOT PRIVATE" in points.description
    tight = measure_of(domain, **(options | {"calibration": "tight"}))
    assert tight.noise_scale > 8 * measure.noise_scale
    with pytest.raises(UsageError, match="not private and is only simulated"):
        measure_of(domain, mode="release", **options)
    with pytest.raises(ParameterError, match="replace-one"):
        measure_of(domain, adjacency="add-remove", **options)


@pytest.mark.parametrize("adjacency", BOTH)
def test_release_noise_has_the_scale_of_the_table(adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, object]] = []
    real = bernstein.noisy_counts

    def spy(counts: list[int], **options: object) -> Paid:
        asked.append(options)
        return real(counts, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(bernstein, "noisy_counts", spy)
    measure = measure_of(Domain((31, 31)), mode="release", adjacency=adjacency)
    assert asked[0]["mode"] == "release"
    assert asked[0]["generator"] is None
    sensitivity = measure.paid.measurement.noise.sensitivity
    assert sensitivity.adjacency is adjacency
    bits = int(sensitivity.text.rsplit("^-", 1)[1]) // 2
    moved = sensitivity.amount / 4**bits
    assert measure.noise_scale >= moved
    assert measure.noise_scale == pytest.approx(float(moved), rel=1e-12)
    tables = [axis_table(size=31, degree=6, bandwidth=Fraction(1, 5), bits=bits)] * 2
    assert sensitivity.amount == table_sensitivity(tables, adjacency)


def test_under_add_remove_nothing_depends_on_the_number_of_records() -> None:
    domain = Domain((31, 31))
    few, many = (measure_of(domain, n=n, mode="release", adjacency="add-remove") for n in (3, 30_000))
    assert few.paid.ledger == many.paid.ledger
    assert few.paid.measurement.noise == many.paid.measurement.noise
    assert few.noise_scale == many.noise_scale


def test_what_is_refused() -> None:
    domain = Domain((31, 31))
    for options, words in (
        ({"degree": 0}, "degree"),
        ({"degree": 2000}, "about 2\\^21"),
        ({"bandwidth": "1/2000"}, "bandwidth"),
        ({"bandwidth": float("nan")}, "bandwidth"),
        ({"kernel": "box"}, "kernel"),
        ({"order": 0}, "order"),
        ({"order": 99}, "order"),
        ({"calibration": "loose"}, "calibration"),
        ({"epsilon": 0}, "epsilon"),
        ({"floor": -1}, "floor"),
        ({"mode": "other"}, "mode"),
    ):
        with pytest.raises(ParameterError, match=words):
            measure_of(domain, **options)
    with pytest.raises(UsageError, match="operating system"):
        measure_of(domain, mode="release", generator=stream())
    with pytest.raises(DataError, match="2 columns"):
        bernstein_measure(
            np.zeros((3, 1), dtype=int),
            domain,
            degree=2,
            bandwidth=1,
            epsilon=1,
            adjacency="replace-one",
            mode="release",
        )
    with pytest.raises(NotApplicable, match="64-bit"):
        measure_of(Domain((31,) * 12), n=10, degree=1, bandwidth="1/20")
