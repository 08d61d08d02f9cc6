"""How far noise on second moments reaches: quantiles against scipy, and every event against draws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from bounds.certify.radii import goe_radius
from bounds.errors import ParameterError
from bounds.inference.eigenvalues import eigensystem
from bounds.inference.largest_sum import mean_of_largest
from bounds.inference.spectrum_noise import Failures, MomentNoise, one_sided
from tests.bounds.inference.matrices import Floats, full_noise, is_about, is_plausible, leading, rational, symmetric

P, RANK, SCALE = 5, 2, Fraction(1, 50)
FAILURE = Fraction(1, 5)
DRAWS = 2000
NOISE = MomentNoise(size=P, scale=SCALE, rounding=Fraction(0))
SOME = Failures(cross=FAILURE, blocks=FAILURE, energy=FAILURE, head=FAILURE, rest=FAILURE)


def draws(seed: int, kept: Floats | None = None) -> list[Floats]:
    generator = np.random.default_rng(seed)
    shape = np.ones((P, P)) if kept is None else kept
    return [float(SCALE) * full_noise(generator, P) * shape for _ in range(DRAWS)]


def public() -> Floats:
    """Some entries without noise, some with less."""
    kept = np.full((P, P), 0.7)
    kept[-1, -1] = kept[0, 0] = kept[0, 1] = kept[1, 0] = 0
    kept[2, 2] = 1
    return kept


def test_quantiles_are_those_of_scipy() -> None:
    system = eigensystem(rational(symmetric([1.0, 0.5, 0.25, 0.2, 0.1], np.random.default_rng(0))))
    scale, few = float(SCALE), float(FAILURE)
    found = NOISE.leading(system, RANK, SOME)
    entries = RANK * (P - RANK)
    assert float(found.noise.cross) == pytest.approx(scale * np.sqrt(stats.chi2.isf(few, entries) / 2), rel=1e-9)
    assert float(found.head.up) == pytest.approx(scale * stats.norm.isf(few / 2) * np.sqrt(2), rel=1e-9)
    assert float(found.rest.down) == pytest.approx(scale * stats.norm.isf(few / 2) * np.sqrt(3), rel=1e-9)
    assert float(NOISE.largest_up(system, FAILURE)) == pytest.approx(scale * stats.norm.isf(few), rel=1e-9)
    assert found.noise.blocks == SCALE * (goe_radius(RANK, FAILURE / 2) + goe_radius(P - RANK, FAILURE / 2))
    energy = float(mean_of_largest(P, RANK)) + np.sqrt(4) * stats.norm.isf(few)
    assert float(found.noise.energy) == pytest.approx(scale * energy, rel=1e-9)
    single = NOISE.single(system, 0, cross=FAILURE, along=FAILURE, radius=FAILURE)
    assert float(single.cross) == pytest.approx(scale * np.sqrt(stats.chi2.isf(few, P - 1) / 2), rel=1e-9)
    assert float(single.along) == pytest.approx(scale * stats.norm.isf(few / 2), rel=1e-9)
    assert single.radius == NOISE.radius(FAILURE)


def test_rounding_is_added() -> None:
    system = eigensystem(rational(symmetric([1.0, 0.5, 0.25, 0.2, 0.1], np.random.default_rng(0))))
    step = Fraction(1, 1000)
    rounded = MomentNoise(size=P, scale=SCALE, rounding=step)
    plain, more = NOISE.leading(system, RANK, SOME), rounded.leading(system, RANK, SOME)
    assert more.noise.cross == plain.noise.cross + P * step
    assert more.noise.blocks == plain.noise.blocks + 2 * P * step
    assert float(more.noise.energy - plain.noise.energy) == pytest.approx(2 * P * float(step))
    assert float(more.head.up - plain.head.up) == pytest.approx(np.sqrt(2) * P * float(step))
    assert rounded.radius(FAILURE) == NOISE.radius(FAILURE) + P * step
    assert rounded.largest_up(system, FAILURE) == NOISE.largest_up(system, FAILURE) + P * step


@pytest.mark.parametrize("kept", [None, public()], ids=["full", "public entries"])
def test_events_fail_as_rarely_as_they_say(kept: Floats | None) -> None:
    """At full noise those that are exact fail as often as they say, too."""
    real = symmetric([1.0, 0.5, 0.5, 0.2, 0.1], np.random.default_rng(4))
    p = leading(real, RANK)
    rest = np.eye(P) - p
    known = NOISE.leading_noise(RANK, SOME)
    top, radius = float(one_sided(FAILURE)) * float(SCALE), float(NOISE.radius(FAILURE))
    v = np.linalg.eigh(real)[1][:, -1]
    failed = dict.fromkeys(("cross", "blocks", "energy", "largest", "radius"), 0)
    for noise in draws(9, kept):
        q = leading(real + noise, RANK)
        failed["cross"] += np.linalg.norm(rest @ noise @ p) > float(known.cross)
        blocks = np.linalg.norm(p @ noise @ p, 2) + np.linalg.norm(rest @ noise @ rest, 2)
        failed["blocks"] += blocks > float(known.blocks)
        failed["energy"] += np.trace((q - p) @ noise) > float(known.energy)
        failed["largest"] += -v @ noise @ v > top
        failed["radius"] += np.linalg.norm(noise, 2) > radius
    for name, count in failed.items():
        assert is_plausible(count, DRAWS, float(FAILURE)), name
    if kept is None:
        assert is_about(failed["cross"], DRAWS, float(FAILURE))
        assert is_about(failed["largest"], DRAWS, float(FAILURE))
        assert failed["radius"] > 0.15 * DRAWS  # the counting bound is nearly exact here
        assert failed["blocks"] > 0.02 * DRAWS


def test_one_sided_quantiles() -> None:
    assert float(one_sided(Fraction(1, 40))) == pytest.approx(stats.norm.isf(1 / 40), rel=1e-9)
    assert one_sided(Fraction(1, 2)) == 0


def test_the_mean_of_the_largest_eigenvalue_of_two() -> None:
    """(a + d)/2 + sqrt(((a - d)/2)^2 + b^2), whose root is Rayleigh: mean sqrt(pi)/2."""
    exact = np.sqrt(np.pi) / 2
    assert exact <= float(mean_of_largest(2, 1)) < 1.25 * exact


@pytest.mark.parametrize(("order", "rank"), [(3, 1), (6, 2), (10, 3), (10, 5)])
def test_means_of_largest_sums_against_draws(order: int, rank: int) -> None:
    generator = np.random.default_rng(order)
    sums = [np.linalg.eigvalsh(full_noise(generator, order))[-rank:].sum() for _ in range(1500)]
    mean, error = float(np.mean(sums)), float(np.std(sums)) / np.sqrt(len(sums))
    bound = float(mean_of_largest(order, rank))
    assert mean - 5 * error <= bound <= 1.2 * mean + 5 * error


def test_sums_of_all_and_of_the_others() -> None:
    assert mean_of_largest(4, 4) == 0
    assert mean_of_largest(1, 1) == 0
    assert mean_of_largest(7, 2) == mean_of_largest(7, 5)
    assert float(mean_of_largest(300, 2)) == pytest.approx(2 * np.sqrt(600))
    assert mean_of_largest(300, 299) == mean_of_largest(300, 1)
    for rank in (0, 5):
        with pytest.raises(ParameterError, match="from 1 to 4"):
            mean_of_largest(4, rank)
