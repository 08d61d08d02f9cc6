"""The exact set of eigenvectors: its statistic by numpy, its level by draws, with public entries and centred."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from bounds.errors import DataError, ParameterError
from bounds.inference.eigenvector_test import EigenvectorTest, eigenvector_test
from tests.bounds.inference.matrices import Floats, is_about, is_plausible, rational, symmetric

ALPHA = Fraction(3, 10)
DRAWS = 400


def variances(order: int) -> Floats:
    """Unequal, as those of features that differ in scale, and one that is public."""
    generator = np.random.default_rng(order)
    half = np.triu(generator.uniform(0.2, 1.0, (order, order)))
    found: Floats = (half + np.triu(half, 1).T) * 1e-4
    found[order - 1, order - 1] = 0
    return found


def noise(generator: np.random.Generator, spread: Floats) -> Floats:
    half = np.triu(generator.standard_normal(spread.shape) * np.sqrt(spread))
    found: Floats = half + np.triu(half, 1).T
    return found


def asked(
    matrix: Floats, spread: Floats, vector: Floats, *, rounding: Fraction = Fraction(0), centred: bool = False
) -> EigenvectorTest:
    p = len(matrix)
    return eigenvector_test(
        rational(matrix),
        rational(spread),
        [[rounding] * p] * p,
        [Fraction(x) for x in vector.tolist()],
        alpha=ALPHA,
        centred=centred,
    )


@pytest.mark.parametrize("place", [0, 2])
def test_the_level_is_exact(place: int) -> None:
    """For any eigenvector, of a matrix with two equal eigenvalues, under noise of unequal deviations."""
    generator = np.random.default_rng(8)
    real, spread = symmetric([1.0, 1.0, 0.5, 0.2], generator), variances(4)
    vector = np.linalg.eigh(real)[1][:, -1 - place]
    found = [asked(real + noise(generator, spread), spread, vector) for _ in range(DRAWS)]
    assert all(one.is_exact and one.degrees == 3 for one in found)
    assert is_about(sum(not one.is_inside for one in found), DRAWS, float(ALPHA))
    mean = np.mean([float(one.statistic.midpoint) for one in found])
    assert abs(mean - 3) < 5 * np.sqrt(6 / DRAWS)


def test_the_level_is_exact_for_a_covariance() -> None:
    generator = np.random.default_rng(5)
    rows = np.column_stack([generator.standard_normal((50, 3)) @ np.diag([1.0, 0.6, 0.3]) + 0.5, np.ones(50)])
    whole, spread = rows.T @ rows / 50, variances(4)
    mean = whole[:-1, -1]
    u = np.linalg.eigh(whole[:-1, :-1] - np.outer(mean, mean))[1][:, -1]
    vector = np.append(u, -mean @ u)
    found = [asked(whole + noise(generator, spread), spread, vector, centred=True) for _ in range(DRAWS)]
    assert found[0].degrees == 3
    assert is_about(sum(not one.is_inside for one in found), DRAWS, float(ALPHA))
    wrong = np.append(u, -mean @ u + 0.2)
    assert not asked(whole, spread, wrong, centred=True).is_inside


def test_the_statistic_is_that_of_numpy() -> None:
    """In another basis of what is across, and with the limit of scipy."""
    generator = np.random.default_rng(1)
    spread = variances(5)
    matrix = symmetric([2.0, 1.0, 0.5, 0.4, 0.1], generator)
    vector = generator.standard_normal(5)
    found = asked(matrix, spread, vector)
    whole = spread * np.outer(vector, vector)
    np.fill_diagonal(whole, spread @ vector**2)
    basis = np.linalg.svd(vector[None, :])[2][1:]
    left = basis @ matrix @ vector
    expected = left @ np.linalg.solve(basis @ whole @ basis.T, left)
    assert float(found.statistic.midpoint) == pytest.approx(expected, rel=1e-9)
    assert float(found.statistic.hi - found.statistic.lo) < 1e-12 * expected
    assert float(found.limit) == pytest.approx(stats.chi2.isf(float(ALPHA), 4), rel=1e-9)


def test_an_eigenvector_of_the_noisy_matrix_is_always_inside() -> None:
    matrix = np.diag([3.0, 2.0, 1.0])
    assert asked(matrix, variances(3), np.array([1.0, 0.0, 0.0])).statistic.contains(0)
    assert not asked(matrix, variances(3), np.array([1.0, 1.0, 0.0])).is_inside


def test_where_public_entries_leave_no_noise_the_full_law_stands_in() -> None:
    """A vector along one column whose products with another are public: the noise has no component there."""
    generator = np.random.default_rng(3)
    spread = np.full((3, 3), 0.5e-4)
    np.fill_diagonal(spread, 1e-4)
    spread[0, 1] = spread[1, 0] = 0
    real, vector = np.diag([1.0, 0.5, 0.2]), np.array([1.0, 0.0, 0.0])
    found = [asked(real + noise(generator, spread), spread, vector) for _ in range(200)]
    assert not any(one.is_exact for one in found)
    assert is_plausible(sum(not one.is_inside for one in found), 200, float(ALPHA))


def test_rounding_only_lets_more_in() -> None:
    generator = np.random.default_rng(6)
    spread, real = variances(3), symmetric([1.0, 0.5, 0.2], generator)
    vector = np.linalg.eigh(real)[1][:, -1] + np.array([0.02, -0.01, 0.01])
    plain, rounded = asked(real, spread, vector), asked(real, spread, vector, rounding=Fraction(1, 1000))
    assert rounded.statistic.lo <= plain.statistic.lo
    assert plain.statistic.hi <= rounded.statistic.hi
    assert rounded.statistic.hi > rounded.statistic.lo


def test_what_is_no_vector_is_refused() -> None:
    matrix, spread = np.diag([1.0, 0.5]), np.full((2, 2), 1e-4)
    with pytest.raises(DataError, match="zeros"):
        asked(matrix, spread, np.zeros(2))
    with pytest.raises(ParameterError, match="one for each feature"):
        asked(matrix, spread, np.ones(3))
    assert asked(matrix, spread, np.array([1.0, 0.0])).is_inside
