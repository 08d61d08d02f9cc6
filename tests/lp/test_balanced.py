"""Rows drawn from a density: whole numbers that are right on average, and answers as near as the theorem allows."""

from __future__ import annotations

from itertools import product
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lp.programme.balanced import balanced_rows, systematic
from lp.programme.matrices import full_matrix
from release.data.domain import Domain
from release.statistics.families import build_family
from tests.speeds import examples


def draws(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


@examples(200)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=12).filter(any), st.integers(1, 500), st.integers(0, 99))
def test_systematic_sampling_rounds_each_expected_number_down_or_up(weights: list[int], k: int, seed: int) -> None:
    share = np.array(weights, dtype=float) / sum(weights)
    counts = systematic(share, k, draws(seed))
    assert counts.sum() == k
    assert (np.abs(counts - share * k) < 1 + 1e-9).all()


def test_systematic_sampling_is_right_on_average() -> None:
    share = draws(1).dirichlet(np.full(40, 0.3))
    generator = draws(2)
    mean = np.mean([systematic(share, 25, generator) for _ in range(4000)], axis=0)
    assert np.abs(mean - 25 * share).max() < 5 * 0.5 / 4000**0.5  # five standard deviations


@pytest.mark.parametrize("sizes", [(2, 2), (2, 2, 2), (3, 2)])
def test_rows_as_near_as_the_theorem_says_exist(sizes: tuple[int, ...]) -> None:
    """All ways of rounding each expected number down or up: one is within R (r + 1) / (4 k)."""
    family = build_family("cells", Domain(sizes), 1)
    entries = full_matrix(family).columns_at(np.arange(family.domain.size))
    for seed in range(20):
        h = draws(seed).dirichlet(np.full(family.domain.size, 0.7))
        for k in (1, 3, 10):
            least = np.floor(k * h)
            ways = (least + up for up in product((0, 1), repeat=h.size) if least.sum() + sum(up) == k)
            errors = [np.abs(entries @ (counts / k - h)).max() for counts in ways]
            assert min(errors) <= (family.facts.dimension + 1) / (4 * k) + 1e-12


@pytest.mark.parametrize(
    ("name", "sizes", "k"),
    [("cells", (3, 2, 4, 3, 2), 4000), ("monomials", (2,) * 12, 20_000), ("thresholds", (5, 4, 6), 300)],
)
def test_rows_are_as_near_as_a_rounded_vertex(name: str, sizes: tuple[int, ...], k: int) -> None:
    family = build_family(name, Domain(sizes), 2)
    matrix = full_matrix(family)
    error = float(family.facts.range_width) * (family.facts.dimension + 1) / (4 * k)
    for seed in range(3):
        h = draws(seed).dirichlet(np.full(matrix.columns, 0.1))
        found = balanced_rows(matrix, h, k=k, error=error, generator=draws(seed + 10))
        assert found is not None
        numbers, counts = found
        assert sum(counts) == k
        assert min(counts) > 0
        assert (np.diff(numbers) > 0).all()
        answers = matrix.columns_at(numbers) @ np.array(counts) / k
        assert np.abs(answers - matrix.apply(h)).max() <= error * family.denominator
        # every point is still drawn about as often as the density says: only some rows were changed
        expected = np.zeros(matrix.columns)
        expected[numbers] = counts
        assert np.abs(expected - k * h).sum() < 0.2 * k + floor(matrix.columns / 2)


def test_what_cannot_be_found_is_not_invented() -> None:
    family = build_family("monomials", Domain((2,) * 6), 2)
    matrix = full_matrix(family)
    h = draws(1).dirichlet(np.full(64, 0.5))
    assert balanced_rows(matrix, h, k=7, error=0.0, generator=draws(1)) is None
    assert balanced_rows(matrix, np.eye(64)[3], k=7, error=0.0, generator=draws(1)) is not None  # one point, no error
