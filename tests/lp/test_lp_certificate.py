"""Certificates of density programmes: exact products, bounds that hold for every candidate, refusals that say why."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bounds.errors import NotCertified
from lp.programme.density_certificate import (
    ExactTarget,
    certify,
    clean,
    dual_value,
    primal_value,
    quantise_dual,
    quantise_weights,
    require_gap,
)
from lp.programme.exact_products import balanced_digits, combination, least_price
from lp.programme.matrices import QueryMatrix, build_matrix, full_matrix
from release.data.domain import Domain
from release.statistics.families import build_family


@dataclass(frozen=True)
class Guess:
    """A candidate that knows nothing."""

    numbers: NDArray[np.int64]
    weights: NDArray[np.float64]
    dual: NDArray[np.float64]


SHAPES = [
    ("monomials", (2,) * 6, 2),
    ("parities", (2,) * 6, 3),
    ("cells", (2, 3, 4, 2), 2),
    ("thresholds", (5, 3, 4), 2),
    ("moments", (9, 6, 3), 3),
    ("monomials", (4096, 5000, 4097), 2),  # the integers have 24 bits: several passes
    ("moments", (65536,) * 3, 3),  # 48 bits: the matrix is cut into digits, too
]


def matrix_of(name: str, sizes: tuple[int, ...], degree: int, seed: int = 1) -> QueryMatrix:
    domain = Domain(sizes)
    family = build_family(name, domain, degree)
    if domain.size <= 2000:
        return full_matrix(family)
    draws = np.random.Generator(np.random.Philox(seed))
    points = np.unique(np.stack([draws.integers(0, size, 70) for size in sizes], axis=1), axis=0)
    return build_matrix(family, points.astype(domain.code_type))


def exact_entries(matrix: QueryMatrix) -> list[list[int]]:
    """The matrix in Python integers, from the features, one factor at a time."""
    family = matrix.family
    points = matrix.points_at(np.arange(matrix.columns)).tolist()
    rows = []
    for scale, row in zip(family.row_scale, family.rows, strict=True):
        entries = []
        for point in points:
            value = scale
            for a in row:
                feature = family.features[a]
                value *= feature.table[point[feature.attribute]]
            entries.append(value)
        rows.append(entries)
    return rows


@pytest.mark.parametrize(("name", "sizes", "degree"), SHAPES)
@pytest.mark.parametrize("bits", [3, 30, 52, 61, 150])
def test_products_are_exact_for_integers_of_any_size(name: str, sizes: tuple[int, ...], degree: int, bits: int) -> None:
    matrix = matrix_of(name, sizes, degree)
    entries = exact_entries(matrix)
    draws = np.random.Generator(np.random.Philox(bits))

    def integers(count: int) -> list[int]:
        return [int.from_bytes(draws.bytes(20)) % 2 ** (bits + 1) - 2**bits for _ in range(count)]

    y = integers(matrix.rows)
    prices = [sum(row[j] * v for row, v in zip(entries, y, strict=True)) for j in range(matrix.columns)]
    assert least_price(matrix, y) == (min(prices), prices.index(min(prices)))
    numbers = np.flatnonzero(draws.random(matrix.columns) < 0.5)
    w = integers(numbers.size)
    expected = [sum(row[j] * v for j, v in zip(numbers.tolist(), w, strict=True)) for row in entries]
    assert combination(matrix, numbers, w) == expected
    if bits < 62:
        assert least_price(matrix, np.array(y))[0] == min(prices)
        assert combination(matrix, numbers, np.array(w, dtype=np.int64)) == expected


@given(st.lists(st.integers(-(2**200), 2**200), min_size=1, max_size=5), st.integers(2, 40))
def test_digits_add_up(values: list[int], bits: int) -> None:
    digits = balanced_digits(values, bits)
    assert [sum(int(d[i]) << (bits * k) for k, d in enumerate(digits)) for i in range(len(values))] == values
    assert all(abs(d).max() <= 2 ** (bits - 1) for d in digits)


def random_instance(
    name: str, sizes: tuple[int, ...], degree: int, seed: int
) -> tuple[QueryMatrix, list[Fraction], Guess]:
    matrix = matrix_of(name, sizes, degree)
    draws = np.random.Generator(np.random.Philox(seed))
    density = draws.dirichlet(np.full(matrix.columns, 0.1))
    answers = matrix.apply(density) / matrix.family.denominator
    noisy = answers + 0.05 * draws.laplace(size=matrix.rows)
    target = [Fraction(round(v * 10**6), 10**6) for v in noisy]
    numbers = np.flatnonzero(draws.random(matrix.columns) < 0.7)
    guess = Guess(numbers, draws.normal(size=numbers.size), draws.normal(size=matrix.rows))
    return matrix, target, guess


@pytest.mark.parametrize(("name", "sizes", "degree"), SHAPES)
def test_bounds_are_what_the_definitions_say(name: str, sizes: tuple[int, ...], degree: int) -> None:
    matrix, target, guess = random_instance(name, sizes, degree, 5)
    found = certify(matrix, target, guess)
    entries, scale = exact_entries(matrix), matrix.family.denominator
    assert sum(found.weights.tolist()) == found.weight_total
    assert found.weight_total >= 2**44
    assert (found.weights > 0).all()
    h = dict(zip(found.numbers.tolist(), found.weights.tolist(), strict=True))
    worst = max(
        abs(Fraction(sum(row[j] * w for j, w in h.items()), scale * found.weight_total) - b)
        for row, b in zip(entries, target, strict=True)
    )
    assert found.upper == worst
    y = found.dual.tolist()
    total = sum(map(abs, y))
    least = min(sum(row[j] * v for row, v in zip(entries, y, strict=True)) for j in range(matrix.columns))
    value = (Fraction(least, scale) - sum(b * v for b, v in zip(target, y, strict=True))) / total
    assert found.lower == max(value, 0)
    assert found.lower <= found.upper
    assert found.optimum.lo == found.lower
    assert found.gap == found.upper - found.lower
    assert found.support == len(h)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from(SHAPES[:5]))
def test_the_optimum_lies_between_the_bounds_of_any_candidate(
    seed: int, shape: tuple[str, tuple[int, ...], int]
) -> None:
    matrix, target, guess = random_instance(*shape, seed)
    other = random_instance(*shape, seed + 1)[2]
    assert certify(matrix, target, guess).lower <= certify(matrix, target, other).upper


def test_a_candidate_close_to_optimal_is_certified_closely() -> None:
    """Two points and one query: target 1/3 is met exactly, target 3/2 is missed by 1/2."""
    matrix = full_matrix(build_family("monomials", Domain((2,)), 1))
    met = certify(matrix, [Fraction(1, 3)], Guess(np.array([0, 1]), np.array([2 / 3, 1 / 3]), np.array([0.0])))
    assert met.lower == 0
    assert met.upper <= Fraction(1, 2**50)
    missed = certify(matrix, [Fraction(3, 2)], Guess(np.array([1]), np.array([1.0]), np.array([-1.0])))
    assert (missed.lower, missed.upper) == (Fraction(1, 2), Fraction(1, 2))


def test_quantisation_is_fine_even_where_values_are_large() -> None:
    """The certificate loses at most about 2^-40 against the floats, on a grid whose integers have 24 bits."""
    matrix, target, guess = random_instance("monomials", (4096, 5000, 4097), 2, 3)
    numbers, weights = clean(guess.numbers, guess.weights)
    answers = matrix.apply_at(numbers, weights) / matrix.family.denominator
    float_value = np.abs(answers - [float(b) for b in target]).max()
    assert abs(float(certify(matrix, target, guess).upper) - float_value) < 2**-40


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=40).filter(lambda w: sum(w) > 1e-6), st.sampled_from([10, 44, 52])
)
def test_quantised_weights_add_up(weights: list[float], bits: int) -> None:
    floats = np.array(weights) / np.sum(weights)
    found = quantise_weights(floats, bits)
    assert sum(found.tolist()) == 2**bits
    assert (found >= 0).all()
    assert np.abs(found / 2**bits - floats).max() <= 2.0**-bits + 1e-15 * len(weights)
    dual = quantise_dual(np.array(weights) * -1, bits)
    assert sum(abs(v) for v in dual.tolist()) <= 2**bits


def test_ties_are_rounded_up_at_the_first_positions() -> None:
    assert quantise_weights(np.full(3, 1 / 3), 2).tolist() == [2, 1, 1]
    assert quantise_weights(np.full(6, 1 / 6), 3).tolist() == [2, 2, 1, 1, 1, 1]


def test_a_candidate_is_cleaned() -> None:
    numbers, weights = clean(np.array([5, 2, 5, 3, 7, 8]), np.array([0.25, 0.5, 0.25, -1.0, np.nan, np.inf]))
    assert numbers.tolist() == [2, 5]
    assert weights.tolist() == [0.5, 0.5]
    with pytest.raises(NotCertified, match="no positive weight"):
        clean(np.array([1, 2]), np.array([0.0, np.nan]))
    assert quantise_dual(np.array([np.nan, 0.0]), 20).tolist() == [0, 0]


def test_a_wide_gap_is_refused_with_its_bounds() -> None:
    matrix, target, guess = random_instance(*SHAPES[0], 2)
    found = certify(matrix, target, guess)
    require_gap(found, found.gap)
    with pytest.raises(NotCertified, match="must be at most 1e-09") as refusal:
        require_gap(found, 1e-9)
    assert refusal.value.exit_code == 5
    assert "\n" not in str(refusal.value)


def test_targets_share_one_denominator() -> None:
    target = ExactTarget.of([Fraction(1, 6), Fraction(-3, 4), Fraction(2)])
    assert (target.numerators, target.denominator) == ((2, -9, 24), 12)


def test_values_of_exact_rationals_too_large_for_floats() -> None:
    """Weights and dual of hundreds of bits, as an exact vertex has them."""
    matrix = full_matrix(build_family("cells", Domain((2, 2)), 2))
    target = ExactTarget.of([Fraction(1, 3)] * matrix.rows)
    total = 3**200
    weights = [total // 3, total // 3, total // 3, 0]
    value = primal_value(matrix, target, np.arange(4), weights, total)
    points = list(product((0, 1), repeat=2))
    answers = [1 - Fraction(1, 3), Fraction(1, 3)] * 2 + [Fraction(int(p != (1, 1)), 3) for p in points]
    assert value == max(abs(a - Fraction(1, 3)) for a in answers)
    assert dual_value(matrix, target, [-(7**100)] + [0] * (matrix.rows - 1)) == 0
    assert dual_value(matrix, target, [0] * matrix.rows) == 0
