"""Angles, lost variance and eigenvalues under a known disturbance: bounds against what they bound, and in the plane."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.inference.eigenvalues import eigensystem
from bounds.inference.spectrum import _value_at
from bounds.inference.subspaces import (
    LeadingBounds,
    LeadingNoise,
    SingleNoise,
    largest_sine,
    leading_bounds,
    quotient_offset,
    single_sine,
    small_root,
)
from tests.bounds.inference.matrices import Floats, full_noise, leading, rational, symmetric
from tests.speeds import examples

SLACK = 1e-9
SPECTRA = (
    [1.0, 0.6, 0.3, 0.1],
    [1.0, 1.0, 0.2, 0.2, 0.2],
    [0.5, 0.5, 0.5],
    [1.0, 0.05, 0.04, 0.03, 0.02],
    [0.9, 0.1],
    [0.7, 0.4, 0.4, 0.0],
)
cases = st.tuples(
    st.sampled_from(SPECTRA), st.integers(0, 2**32 - 1), st.sampled_from([0.003, 0.02, 0.08, 0.2, 0.6]), st.booleans()
)


def known(
    real: Floats, noisy: Floats, rank: int, *, roomy: bool = False
) -> tuple[LeadingBounds, LeadingNoise, Fraction]:
    """Bounds from the disturbance itself, or from somewhat more than it."""
    p, q, e = leading(real, rank), leading(noisy, rank), noisy - real
    rest = np.eye(len(real)) - p
    more = 1.3 if roomy else 1 + 1e-12
    noise = LeadingNoise(
        angles=min(rank, len(real) - rank),
        cross=Fraction(float(np.linalg.norm(rest @ e @ p)) * more),
        blocks=Fraction(float(np.linalg.norm(p @ e @ p, 2) + np.linalg.norm(rest @ e @ rest, 2)) * more),
        energy=Fraction(float(np.trace((q - p) @ e)) * more + 1e-13),
    )
    values = np.linalg.eigvalsh(noisy)[::-1]
    gap = Fraction(float(values[rank - 1] - values[rank]) * (1 - 1e-12))
    return leading_bounds(gap, noise), noise, gap


@given(cases)
@examples(300)
def test_spans_and_losses_are_bounded(case: tuple[list[float], int, float, bool]) -> None:
    values, seed, size, roomy = case
    generator = np.random.default_rng(seed)
    real = symmetric(values, generator)
    noisy = real + size * full_noise(generator, len(values))
    for rank in range(1, len(values)):
        p, q = leading(real, rank), leading(noisy, rank)
        found, _, gap = known(real, noisy, rank, roomy=roomy)
        squares = rank - float(np.trace(p @ q))
        assert found.squared_sines is None or squares <= float(found.squared_sines) + SLACK
        assert float(np.trace((q - p) @ noisy)) <= float(found.drop) + SLACK
        assert float(np.trace((p - q) @ real)) <= float(found.loss) + SLACK
        assert float(np.trace((q - p) @ (noisy - real))) <= float(found.twist) + SLACK
        if gap > 3 * size * len(values):
            assert found.squared_sines is not None


def plane(turn: float) -> tuple[Floats, Floats]:
    """A real matrix of two columns, and a noisy one turned by that angle."""
    cosine, sine = np.cos(turn), np.sin(turn)
    basis = np.array([[cosine, -sine], [sine, cosine]])
    return np.diag([1.0, 0.25]), basis @ np.diag([1.0, 0.25]) @ basis.T


@pytest.mark.parametrize("turn", [0.01, 0.1, 0.3])
def test_in_the_plane_bounds_are_attained(turn: float) -> None:
    """s(1 - s) = (cross/gap)^2 and the drop of gap times s are equalities: every constant is noticed."""
    found, noise, gap = known(*plane(turn), 1)
    squared = np.sin(turn) ** 2
    assert float(found.squared_sines or 0) == pytest.approx(squared, rel=1e-6)
    assert float(found.drop) == pytest.approx(0.75 * squared, rel=1e-6)
    assert float(noise.cross) == pytest.approx(0.75 * np.sin(turn) * np.cos(turn), rel=1e-6)
    assert gap > 0
    lost = 0.75 * squared
    assert lost <= float(found.loss) <= lost * (1 + 4 * turn)


def test_the_far_branch_is_not_taken_for_the_near_one() -> None:
    """A noisy matrix whose first eigenvector is the second of the real one has little across, and the same gap."""
    real, noisy = np.diag([1.0, 0.25]), np.diag([0.25, 1.0])
    found, noise, _ = known(real, noisy, 1)
    assert noise.cross < Fraction(1, 10**9)
    assert found.squared_sines is None
    assert found.loss >= Fraction(3, 4)


def test_less_noise_says_more_and_no_gap_says_nothing() -> None:
    noise = LeadingNoise(angles=1, cross=Fraction(1, 10), blocks=Fraction(1, 5), energy=Fraction(1, 4))
    wide, wider = leading_bounds(Fraction(1), noise), leading_bounds(Fraction(2), noise)
    assert wide.squared_sines is not None
    assert wider.squared_sines is not None
    assert wider.squared_sines < wide.squared_sines
    assert wider.loss < wide.loss
    none = leading_bounds(Fraction(0), noise)
    assert none.squared_sines is None
    assert none.loss == none.drop == none.twist == noise.energy
    assert leading_bounds(Fraction(-1), noise) == none


def test_the_gap_that_is_needed_is_the_least() -> None:
    noise = LeadingNoise(angles=2, cross=Fraction(1, 10), blocks=Fraction(1, 5), energy=Fraction(9, 10))
    needed = leading_bounds(Fraction(1), noise).needed
    assert leading_bounds(needed, noise).squared_sines is not None
    assert leading_bounds(needed * Fraction(99, 100), noise).squared_sines is None
    assert largest_sine(leading_bounds(needed, noise).squared_sines) is not None


def branch_is_told(gap: float, noise: LeadingNoise) -> bool:
    """(a) of the proof, once more in floats."""
    c, b, e = float(noise.cross), float(noise.blocks), float(noise.energy)
    if gap <= 2 * c:
        return False
    reach = e / gap
    if gap > b:
        reach = min(reach, 4 * c**2 / ((gap - b) ** 2 + 4 * c**2 / noise.angles))
    return reach < 1 - (1 - sqrt(1 - 4 * (c / gap) ** 2)) / 2


@pytest.mark.share(3)
@pytest.mark.parametrize("angles", [1, 3])
@pytest.mark.parametrize("energy", [Fraction(1, 3), Fraction(5)])
def test_the_branch_is_told_where_the_proof_says(angles: int, energy: Fraction) -> None:
    noise = LeadingNoise(angles=angles, cross=Fraction(1, 10), blocks=Fraction(1, 5), energy=energy)
    told = [leading_bounds(Fraction(x, 1000), noise).squared_sines is not None for x in range(1, 800)]
    assert told == [branch_is_told(x / 1000, noise) for x in range(1, 800)]
    assert 0 < sum(told) < len(told)


def test_losses_without_and_with_little_gap() -> None:
    noise = LeadingNoise(angles=2, cross=Fraction(1, 100), blocks=Fraction(1, 5), energy=Fraction(9))
    assert leading_bounds(Fraction(1, 10), noise).loss == Fraction(2, 1000) + Fraction(2, 10)
    assert leading_bounds(Fraction(1, 2), noise).loss == Fraction(2, 10**4) * Fraction(7, 5)
    assert leading_bounds(Fraction(-1), noise).loss == 9


def test_the_branch_of_one_component() -> None:
    """(R/(gap - R))^2 below 1 - r, with r near 0: from gap = 2R on."""
    noise = SingleNoise(cross=Fraction(1, 10**6), along=Fraction(0), radius=Fraction(1, 10))
    assert single_sine(Fraction(199, 1000), noise) is None
    assert single_sine(Fraction(201, 1000), noise) is not None


def test_small_roots() -> None:
    found = small_root(Fraction(3, 10), Fraction(1))
    assert found is not None
    assert float(found) == pytest.approx(0.1, abs=1e-12)  # 0.1 * 0.9 = 0.3^2
    assert found * (1 - found) >= Fraction(9, 100)
    assert small_root(Fraction(1, 2), Fraction(1)) is None
    assert largest_sine(None) is None
    assert largest_sine(Fraction(1)) is None
    assert float(largest_sine(Fraction(1, 4)) or 0) == pytest.approx(0.5)


def single(real: Floats, noisy: Floats, place: int) -> tuple[SingleNoise, Floats]:
    v = np.linalg.eigh(real)[1][:, ::-1][:, place]
    e = noisy - real
    across = e @ v - (v @ e @ v) * v
    return SingleNoise(
        cross=Fraction(float(np.linalg.norm(across)) * (1 + 1e-12)),
        along=Fraction(abs(float(v @ e @ v)) + 1e-15),
        radius=Fraction(float(np.linalg.norm(e, 2)) * (1 + 1e-12)),
    ), v


class _Known:
    """A noise whose bounds are given."""

    def __init__(self, noise: SingleNoise) -> None:
        self.noise = noise

    def single(self, *_: object, **__: object) -> SingleNoise:
        return self.noise


@given(cases)
@examples(200)
def test_single_components_are_bounded(case: tuple[list[float], int, float, bool]) -> None:
    values, seed, size, _ = case
    generator = np.random.default_rng(seed)
    real = symmetric(values, generator)
    noisy = real + size * full_noise(generator, len(values))
    system = eigensystem(rational(noisy))
    exact = np.linalg.eigvalsh(real)[::-1]
    for place in range(len(values)):
        noise, v = single(real, noisy, place)
        sides = [system.gap(j) for j in (place, place + 1) if 0 < j < len(values)]
        squares = single_sine(min(sides), noise)
        sine = 1 - float(v @ np.array(system.vectors[place])) ** 2
        assert squares is None or sine <= float(squares) + SLACK
        ends = _value_at(system, _Known(noise), place, Fraction(1, 20))  # type: ignore[arg-type]
        if ends is not None:
            assert float(ends[0]) - SLACK <= max(exact[place], 0) <= float(ends[1]) + SLACK


def test_one_component_in_the_plane_is_attained() -> None:
    """The noisy quotient v'Hv is gap times s below the noisy eigenvalue, exactly."""
    turn = 0.2
    real, noisy = plane(turn)
    noise, v = single(real, noisy, 0)
    gap = Fraction(0.75)
    assert float(single_sine(gap, replace(noise, radius=Fraction(1, 5))) or 0) == pytest.approx(np.sin(turn) ** 2)
    offset = quotient_offset(gap, noise)
    assert offset is not None
    assert float(offset) == pytest.approx(1.0 - float(v @ noisy @ v), rel=1e-6)
    assert quotient_offset(gap, replace(noise, radius=gap)) is None
    assert quotient_offset(gap, replace(noise, along=gap)) is None
    assert single_sine(gap, replace(noise, radius=gap)) is None
    assert sqrt(float(noise.cross)) > 0
