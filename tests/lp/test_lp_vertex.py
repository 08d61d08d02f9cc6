"""Exact vertices: gap zero on every small cube, from good, interior and useless candidates; rounding to rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bounds.errors import NotCertified, ParameterError
from lp.programme.density_certificate import ExactTarget, certify, dual_value, primal_value
from lp.programme.exact_products import first_below, least_price
from lp.programme.exact_simplex import Basis, ExactSimplex, SingularBasis
from lp.programme.matrices import QueryMatrix, build_matrix, full_matrix
from lp.programme.vertex import Vertex, exact_vertex, round_rows
from lp.study.reference import highs_model
from release.data.domain import Domain
from release.statistics.families import build_family


@dataclass(frozen=True)
class Guess:
    numbers: NDArray[np.int64]
    weights: NDArray[np.float64]
    dual: NDArray[np.float64]


def noisy_instance(
    name: str, p: int, seed: int, *, levels: int = 2, degree: int = 2
) -> tuple[QueryMatrix, list[Fraction]]:
    """Answers of few or many records, balanced or skewed, with no, little or much noise."""
    draws = np.random.Generator(np.random.Philox(seed))
    family = build_family(name, Domain((levels,) * p), degree)
    n = (7, 60, 2000)[seed % 3]
    bias = draws.beta(0.3, 0.3, size=p) if seed % 2 else np.full(p, 0.5)
    data = draws.binomial(levels - 1, bias, size=(n, p)).astype(np.uint8)
    scale = (0.0, 0.3, 4.0, 40.0)[seed // 3 % 4]
    noise = [round(v * 2**20) for v in scale * draws.laplace(size=family.count)]
    answers = [Fraction(s, family.denominator * n) for s in family.sums(data)]
    return full_matrix(family), [a + Fraction(v, n * 2**20) for a, v in zip(answers, noise, strict=True)]


def candidates(matrix: QueryMatrix, target: list[Fraction]) -> tuple[float, list[Guess]]:
    every = np.arange(matrix.columns)
    entries = matrix.columns_at(every) / matrix.family.denominator
    best = highs_model(entries, np.array([float(b) for b in target]))
    inside = 0.5 * best.density + 0.5 / matrix.columns
    return best.value_est, [Guess(every, best.density, best.dual_est), Guess(every, inside, 0.9 * best.dual_est)]


def assert_optimal(matrix: QueryMatrix, target: list[Fraction], vertex: Vertex) -> None:
    exact = ExactTarget.of(target)
    assert sum(vertex.density) == 1
    assert min(vertex.weights) > 0
    assert primal_value(matrix, exact, vertex.numbers, vertex.weights, vertex.weight_total) == vertex.value
    assert dual_value(matrix, exact, vertex.dual) == vertex.value
    entries = matrix.columns_at(vertex.numbers).astype(np.int64).tolist()
    answers = [sum(w * v for w, v in zip(vertex.density, row, strict=True)) for row in entries]
    worst = max(abs(a / matrix.family.denominator - b) for a, b in zip(answers, target, strict=True))
    assert worst == vertex.value
    assert vertex.support <= matrix.rows + 1
    assert vertex.support == len(set(vertex.numbers.tolist()))


@pytest.mark.share(3)
@pytest.mark.parametrize("name", ["monomials", "parities", "cells"])
@pytest.mark.parametrize("p", range(2, 9))
def test_every_small_cube_has_gap_zero(name: str, p: int) -> None:
    for seed in range(24):
        matrix, target = noisy_instance(name, p, seed)
        value, guesses = candidates(matrix, target)
        found = [exact_vertex(matrix, target, guess) for guess in guesses]
        for vertex in found:
            assert_optimal(matrix, target, vertex)
        assert found[0].value == found[1].value
        assert float(found[0].value) == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize("name", ["monomials", "parities", "cells"])
def test_the_largest_cubes_too(name: str) -> None:
    for p, seeds in ((9, range(100, 106)), (10, range(200, 206))):
        for seed in seeds:
            matrix, target = noisy_instance(name, p, seed)
            value, guesses = candidates(matrix, target)
            vertex = exact_vertex(matrix, target, guesses[0])
            assert_optimal(matrix, target, vertex)
            assert float(vertex.value) == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize(("name", "degree"), [("moments", 3), ("thresholds", 2), ("cells", 2)])
def test_attributes_with_levels(name: str, degree: int) -> None:
    for seed in range(12):
        matrix, target = noisy_instance(name, 3, seed, levels=4, degree=degree)
        value, guesses = candidates(matrix, target)
        vertex = exact_vertex(matrix, target, guesses[1])
        assert_optimal(matrix, target, vertex)
        assert float(vertex.value) == pytest.approx(value, abs=1e-8)


def test_a_useless_candidate_leads_to_the_same_optimum() -> None:
    """Also without HiGHS: pivots from one column, the safe start, end at the optimum."""
    for seed in range(12):
        matrix, target = noisy_instance("cells", 4, seed)
        nothing = Guess(np.array([3]), np.ones(1), np.full(matrix.rows, np.nan))
        vertex = exact_vertex(matrix, target, nothing)
        assert_optimal(matrix, target, vertex)
        simplex = ExactSimplex(matrix, ExactTarget.of(target))
        reached = simplex.run(simplex.trivial_basis(0), most_steps=2000)
        assert reached is not None
        _, point, dual = reached
        assert Fraction(point.value, point.total * matrix.family.denominator) == vertex.value
        assert dual_value(matrix, ExactTarget.of(target), dual) == vertex.value


def test_columns_outside_the_candidate_are_found() -> None:
    """A candidate that is optimal on a part of the columns only, with a dual that prices the rest wrongly."""
    matrix, target = noisy_instance("monomials", 7, 31)
    part = np.arange(20)
    best = highs_model(matrix.columns_at(part), np.array([float(b) for b in target]))
    vertex = exact_vertex(matrix, target, Guess(part, best.density, best.dual_est))
    assert vertex.value < Fraction(best.value_est)
    assert_optimal(matrix, target, vertex)


def test_answers_of_a_table_are_met_exactly() -> None:
    """Without noise the optimum is 0, and the density has the answers of the table, exactly."""
    for seed in (0, 1, 2, 12, 13):
        matrix, target = noisy_instance("parities", 6, seed)
        vertex = exact_vertex(matrix, target, candidates(matrix, target)[1][1])
        assert vertex.value == 0
        assert not any(vertex.dual)
        assert_optimal(matrix, target, vertex)


def test_one_reference_point() -> None:
    family = build_family("monomials", Domain((2, 2)), 2)
    matrix = build_matrix(family, np.array([[1, 0]], dtype=np.uint8))
    vertex = exact_vertex(matrix, [Fraction(1, 4)] * 3, Guess(np.array([0]), np.ones(1), np.zeros(3)))
    assert vertex.value == Fraction(3, 4)
    assert vertex.density == (1,)


def test_too_few_pivots_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix, target = noisy_instance("monomials", 6, 5)
    simplex = ExactSimplex(matrix, ExactTarget.of(target))
    assert simplex.run(simplex.trivial_basis(0), most_steps=1) is None
    monkeypatch.setattr("lp.programme.vertex._basis_by_highs", lambda *_: ((), (), 1.0))
    with pytest.raises(NotCertified, match="within 0 pivots"):
        exact_vertex(matrix, target, Guess(np.array([3]), np.ones(1), np.zeros(matrix.rows)), most_steps=0)


def test_a_basis_that_determines_nothing_is_said_so() -> None:
    matrix, target = noisy_instance("cells", 3, 5)
    simplex = ExactSimplex(matrix, ExactTarget.of(target))
    with pytest.raises(SingularBasis):
        simplex.point(Basis((0, 1), ((0, 1), (0, 1))))


def test_degenerate_steps_end() -> None:
    """One record, no noise, many equal columns of prices: every step is degenerate, and Bland's rule ends it."""
    family = build_family("cells", Domain((2,) * 6), 2)
    matrix = full_matrix(family)
    target = [Fraction(v) for v in family.sums(matrix.points_at(np.array([37])))]
    simplex = ExactSimplex(matrix, ExactTarget.of(target))
    for start in (0, 5, 63):
        reached = simplex.run(simplex.trivial_basis(start), most_steps=5000)
        assert reached is not None
        assert reached[1].value == 0


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.sampled_from([4, 40, 70, 200]))
def test_first_below_is_the_first(seed: int, bits: int) -> None:
    draws = np.random.Generator(np.random.Philox(seed))
    matrix = build_matrix(build_family("moments", Domain((65536, 700)), 2), _grid(draws))
    y = [int.from_bytes(draws.bytes(30)) % 2**bits - 2 ** (bits - 1) for _ in range(matrix.rows)]
    entries = matrix.columns_at(np.arange(matrix.columns)).astype(np.int64).tolist()
    prices = [sum(row[j] * v for row, v in zip(entries, y, strict=True)) for j in range(matrix.columns)]
    bound = sorted(prices)[int(draws.integers(0, len(prices)))]
    expected = next((j for j, price in enumerate(prices) if price < bound), None)
    assert first_below(matrix, y, bound) == expected
    assert first_below(matrix, y, bound + 1) is not None
    assert least_price(matrix, y)[0] == min(prices)


def _grid(draws: np.random.Generator) -> NDArray[np.uint16]:
    points = np.stack([draws.integers(0, 65536, 30), draws.integers(0, 700, 30)], axis=1)
    return np.unique(points, axis=0).astype(np.uint16)


@given(st.lists(st.fractions(0, 1), min_size=1, max_size=30).filter(any), st.integers(0, 500))
def test_rounding_to_rows(weights: list[Fraction], k: int) -> None:
    counts = round_rows(weights, k)
    total = sum(weights)
    support = sum(1 for w in weights if w)
    assert sum(counts) == k
    assert min(counts) >= 0
    assert all(n == 0 for n, w in zip(counts, weights, strict=True) if w == 0)
    assert sum(abs(n - k * w / total) for n, w in zip(counts, weights, strict=True)) <= Fraction(support, 2)
    assert all(abs(n - k * w / total) < 1 for n, w in zip(counts, weights, strict=True))


def test_ties_go_to_the_first_points() -> None:
    assert round_rows([1, 1, 1, 1], 6) == [2, 2, 1, 1]
    assert round_rows(np.array([2**52, 2**52, 2**53]), 2) == [1, 0, 1]
    assert round_rows([Fraction(1, 3), Fraction(2, 3)], 0) == [0, 0]


def test_a_vertex_and_a_certificate_become_rows() -> None:
    matrix, target = noisy_instance("monomials", 5, 4)
    guess = candidates(matrix, target)[1][0]
    vertex, rounded = exact_vertex(matrix, target, guess), certify(matrix, target, guess)
    assert round_rows(vertex, 1000) == round_rows(vertex.density, 1000)
    assert sum(round_rows(rounded, 77)) == 77
    assert len(round_rows(rounded, 77)) == rounded.support


@pytest.mark.parametrize("weights", [[0, 0], [Fraction(-1), Fraction(2)]])
def test_what_is_no_density_is_refused(weights: list[Fraction]) -> None:
    with pytest.raises(ParameterError):
        round_rows(weights, 3)
    with pytest.raises(ParameterError):
        round_rows([1], -1)
