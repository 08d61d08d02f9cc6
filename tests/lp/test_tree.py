"""Points from a tree of noisy answers: shares are read correctly, the tree is right, points cover the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.errors import ParameterError
from lp.measures import tree
from lp.measures.tree import NoisyShares, nearest_law, noisy_shares, tree_measure, tree_points
from release.data.counting import count_marginals
from release.data.domain import Domain
from release.statistics.families import build_family
from tests.speeds import examples

MIXED, BITS = Domain((3, 2, 4, 5)), Domain((2,) * 4)


def stream(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


def chain(domain: Domain, n: int, seed: int = 1) -> np.ndarray:
    """Records whose attribute j follows attribute j - 1, most of the time."""
    generator = stream(seed)
    codes = np.zeros((n, domain.p), dtype=np.uint8)
    codes[:, 0] = generator.integers(domain.sizes[0], size=n)
    for j in range(1, domain.p):
        free = generator.random(n) < 0.3
        codes[:, j] = np.where(free, generator.integers(domain.sizes[j], size=n), codes[:, j - 1] % domain.sizes[j])
    return codes


def exact_answers(name: str, domain: Domain, records: np.ndarray, degree: int = 2) -> tuple[Any, np.ndarray]:
    family = build_family(name, domain, degree)
    return family, np.array(family.sums(records)) / (family.denominator * len(records))


@pytest.mark.parametrize(
    ("name", "domain"),
    [("cells", MIXED), ("thresholds", MIXED), ("cells", BITS), ("monomials", BITS), ("parities", BITS)],
)
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_shares_of_exact_answers_are_those_of_the_records(name: str, domain: Domain, degree: int) -> None:
    records = chain(domain, 500)
    family, answers = exact_answers(name, domain, records, degree)
    shares, truth = noisy_shares(family, answers), count_marginals(records, domain.sizes, 2)
    for j in range(domain.p):
        assert np.allclose(shares.ones[j], truth[j,] / 500)
    assert len(shares.twos) == (6 if degree > 1 else 0)
    for pair, table in shares.twos.items():
        assert np.allclose(table, truth[pair] / 500)


def test_queries_that_do_not_tell_pairs_are_refused() -> None:
    for name in ("moments", "monomials"):
        family = build_family(name, MIXED, 2)
        with pytest.raises(ParameterError, match="do not tell shares of pairs"):
            tree_points(family, np.zeros(family.count), m=5, mode="simulate", generator=stream(1))


@examples(100)
@given(st.lists(st.floats(-2, 2), min_size=1, max_size=12))
def test_the_nearest_law_is_the_projection_on_the_simplex(values: list[float]) -> None:
    given_values = np.array(values)
    found = nearest_law(given_values)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    lowered = given_values - found  # the same wherever there is weight, and no more elsewhere
    level = lowered[found > 0].max()
    assert np.allclose(lowered[found > 0], level, atol=1e-9)
    assert (given_values <= level + 1e-9)[found == 0].all()


def test_the_tree_of_a_chain_is_the_chain_also_under_noise() -> None:
    domain = Domain((4, 6, 5, 6, 4))
    family, answers = exact_answers("cells", domain, chain(domain, 20_000))
    for seed in range(5):
        noisy = answers + stream(seed).normal(scale=0.004, size=answers.size)
        branches = tree_measure(domain, noisy_shares(family, noisy)).branches
        assert {(min(u, v), max(u, v)) for u, v, _ in branches} == {(0, 1), (1, 2), (2, 3), (3, 4)}


def test_noise_on_a_large_table_is_not_taken_for_dependence() -> None:
    """Hundreds of empty cells with noise are farther from independent shares than a real dependence is."""
    generator = stream(3)
    wide = [np.append(np.full(2, 0.499), np.full(38, 0.002 / 38))] * 2
    shares = {
        (0, 1): np.multiply.outer(wide[0], wide[1]) + generator.normal(scale=0.001, size=(40, 40)),
        (0, 2): np.vstack([[[0.3, 0.199], [0.199, 0.3]], np.full((38, 2), 0.002 / 76)]),
        (1, 2): np.multiply.outer(wide[1], [0.5, 0.5]),
    }
    ones = [*wide, np.array([0.5, 0.5])]
    branches = tree_measure(Domain((40, 40, 2)), NoisyShares(ones, shares)).branches
    assert branches[0][:2] == (0, 2)


def test_draws_without_redrawing_follow_the_tree() -> None:
    records = chain(MIXED, 20_000)
    family, answers = exact_answers("cells", MIXED, records)
    measure = tree_measure(MIXED, noisy_shares(family, answers), redrawn=0.0)
    drawn = count_marginals(measure.draw(200_000, stream(2)), MIXED.sizes, 2)
    wanted = count_marginals(records, MIXED.sizes, 2)
    for pair in ((0, 1), (1, 2), (2, 3)):
        assert np.abs(drawn[pair] / 200_000 - wanted[pair] / 20_000).max() < 0.006
    anew = tree_measure(MIXED, noisy_shares(family, answers), redrawn=1.0)
    alone = count_marginals(anew.draw(200_000, stream(2)), MIXED.sizes, 2)
    product = np.multiply.outer(alone[2,], alone[3,]) / 200_000
    assert np.abs(alone[2, 3] - product).max() / 200_000 < 0.004


def test_points_are_distinct_in_order_and_as_many_as_there_can_be() -> None:
    family, answers = exact_answers("cells", MIXED, chain(MIXED, 5000))
    for m in (1, 40, 90):
        found = tree_points(family, answers, m=m, mode="simulate", generator=stream(m))
        assert found.codes is not None
        assert len(np.unique(found.codes, axis=0)) == len(found.codes) == found.drawn == m
        numbers = MIXED.numbers(found.codes)
        assert np.array_equal(numbers, np.sort(numbers))
        assert found.epsilon_spent == 0
        assert found.private
    few = tree_points(family, answers, m=1000, mode="simulate", generator=stream(1))
    assert 100 <= few.drawn <= MIXED.size


def test_a_cell_with_a_large_noisy_share_has_a_point(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = Domain((30, 30, 30, 30))
    family, answers = exact_answers("cells", domain, chain(domain, 5000))
    answers += stream(5).normal(scale=2e-4, size=answers.size)
    bar = -answers.min()

    def uncovered() -> int:
        codes = tree_points(family, answers, m=2000, mode="simulate", generator=stream(6)).codes
        here = np.array(family.sums(codes))
        return int(np.count_nonzero((here == 0) & (answers > bar)))

    assert uncovered() == 0
    monkeypatch.setattr(tree, "_covering", lambda codes, *_: codes)
    assert uncovered() > 0


def test_a_release_draws_points_without_a_seed() -> None:
    family, answers = exact_answers("cells", MIXED, chain(MIXED, 5000))
    first, second = (tree_points(family, answers, m=30, mode="release").codes for _ in range(2))
    assert not np.array_equal(first, second)
