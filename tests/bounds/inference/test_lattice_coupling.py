"""Discrete Gaussian noise against the continuous one: the coupling by distribution functions, sums by convolution."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from bounds.inference.lattice_coupling import distance_of_sum, gaussian_coupling


def distribution_functions(variance: Fraction) -> tuple[dict[int, mpmath.mpf], mpmath.mpf]:
    """P(D <= k) of the discrete law, and the deviation of the other one."""
    v = mpmath.mpf(variance.numerator) / variance.denominator
    most = int(mpmath.ceil(13 * mpmath.sqrt(v))) + 2
    weights = {k: mpmath.exp(-mpmath.mpf(k * k) / (2 * v)) for k in range(-most, most + 1)}
    total, below, found = mpmath.fsum(weights.values()), mpmath.mpf(0), {}
    for k, weight in weights.items():
        below += weight / total
        found[k] = below
    return found, mpmath.sqrt(v)


def worst(variance: Fraction, distance: Fraction) -> float:
    """How far F(k + 1/2 - excess) is above P(D <= k), or that above F(k + 1/2 + excess): 0 lets both be so near."""
    with mpmath.workdps(40):
        below, deviation = distribution_functions(variance)
        excess = mpmath.mpf(distance.numerator) / distance.denominator - mpmath.mpf(1) / 2
        gaps = [mpmath.mpf(0)]
        for k, found in below.items():
            gaps.append(mpmath.ncdf((k + mpmath.mpf(1) / 2 - excess) / deviation) - found)
            gaps.append(found - mpmath.ncdf((k + mpmath.mpf(1) / 2 + excess) / deviation))
        return float(max(gaps))


@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(1), Fraction(9, 4), Fraction(36), Fraction(2500)])
def test_both_can_be_drawn_together(variance: Fraction) -> None:
    found = gaussian_coupling(variance)
    assert found.failure < Fraction(1, 10**14)
    assert worst(variance, found.distance) <= float(found.failure)


def test_half_a_step_is_not_enough_and_the_excess_is_small() -> None:
    assert worst(Fraction(36), Fraction(1, 2)) > 1e-6
    assert gaussian_coupling(Fraction(36)).distance < Fraction(3, 5)
    assert gaussian_coupling(Fraction(10**20)).distance < Fraction(3, 5)
    assert gaussian_coupling(Fraction(10**20)).failure < Fraction(1, 10**30)


@pytest.mark.parametrize("variance", [Fraction(1, 50), Fraction(1, 12)])
def test_noise_that_is_hardly_there_is_near_to_anything(variance: Fraction) -> None:
    found = gaussian_coupling(variance)
    assert 2 <= found.distance <= 6
    assert worst(variance, found.distance) <= float(found.failure) < 1e-14


@pytest.mark.parametrize(("variance", "count"), [(Fraction(1, 4), 2), (Fraction(1, 2), 3), (Fraction(1), 2)])
def test_sums_are_that_near_to_one_number(variance: Fraction, count: int) -> None:
    support = np.arange(-60, 61)

    def law(v: float) -> np.ndarray:
        weights = np.exp(-(support**2) / (2 * v))
        return weights / weights.sum()

    one = law(float(variance))
    summed = one
    for _ in range(count - 1):
        summed = np.convolve(summed, one)
    centre = len(summed) // 2
    distance = np.abs(summed[centre - 60 : centre + 61] - law(float(variance) * count)).sum() / 2
    bound = float(distance_of_sum(variance, count))
    assert 1e-6 < distance <= bound + 1e-15
    assert bound < 60 * distance


def test_one_number_is_itself() -> None:
    assert distance_of_sum(Fraction(1, 9), 1) == 0
    assert distance_of_sum(Fraction(1, 10**6), 5) == 1
    assert distance_of_sum(Fraction(9), 100) < Fraction(1, 10**30)
