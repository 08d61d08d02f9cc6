"""The noise of a covariance matrix: its bounds against draws, with public and private size, and without noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from bounds.certify.radii import goe_radius
from bounds.errors import NotApplicable
from bounds.inference.covariance_noise import CovarianceNoise
from bounds.inference.eigenvalues import eigensystem, root_up
from bounds.inference.spectrum_noise import Failures
from tests.bounds.inference.matrices import Floats, full_noise, is_plausible, leading, rational

ORDER, RANK = 4, 2
"""Of the covariance."""
UNIT = ORDER + 1
FAILURE = Fraction(1, 4)
SOME = Failures(cross=FAILURE, blocks=FAILURE, energy=FAILURE, head=FAILURE, rest=FAILURE)
DRAWS = 60


def moments() -> Floats:
    """Of records in the unit ball whose means are far from 0."""
    generator = np.random.default_rng(2)
    rows = generator.choice([-1.0, 1.0], p=[0.3, 0.7], size=(300, ORDER))
    rows[:, 1] = np.where(generator.random(300) < 0.8, rows[:, 0], rows[:, 1])
    rows[:, 3] *= 0.4
    whole = np.column_stack([rows, np.ones(300)])
    found: Floats = whole.T @ whole / 300 / UNIT
    return found


def covariance(whole: Floats) -> Floats:
    found: Floats = whole[:-1, :-1] - np.outer(whole[:-1, -1], whole[:-1, -1]) / whole[-1, -1]
    return found


@dataclass(frozen=True)
class Drawn:
    """Noisy moments, their covariance, and its noise as it is and as it is bounded."""

    noisy: Floats
    centred: Floats
    noise: CovarianceNoise

    @classmethod
    def of(cls, generator: np.random.Generator, scale: float, *, public: bool) -> Drawn:
        disturbed = scale * full_noise(generator, UNIT)
        if public:
            disturbed[-1, -1] = 0
        noisy = moments() + disturbed
        return cls(
            noisy,
            covariance(noisy),
            CovarianceNoise(
                means=tuple(Fraction(x) for x in noisy[:-1, -1].tolist()),
                mass=Fraction(float(noisy[-1, -1])),
                mass_is_public=public,
                most_mean=root_up(Fraction(ORDER)),
                scale=Fraction(scale),
                rounding=Fraction(1, 10**12),
            ),
        )


@pytest.mark.share(3)
@pytest.mark.parametrize("public", [True, False], ids=["n public", "n private"])
@pytest.mark.parametrize("scale", [0.0005, 0.004])
def test_events_fail_as_rarely_as_they_say(scale: float, public: bool) -> None:
    generator = np.random.default_rng(17)
    real = covariance(moments())
    values, vectors = np.linalg.eigh(real)
    p, top = leading(real, RANK), vectors[:, -1]
    rest = np.eye(ORDER) - p
    failed = dict.fromkeys(("cross", "blocks", "energy", "head", "rest", "radius", "largest", "along", "single"), 0)
    for _ in range(DRAWS):
        drawn = Drawn.of(generator, scale, public=public)
        e, system = drawn.centred - real, eigensystem(rational(drawn.centred))
        found = drawn.noise.leading(system, RANK, SOME)
        q = leading(drawn.centred, RANK)
        failed["cross"] += np.linalg.norm(rest @ e @ p) > float(found.noise.cross)
        blocks = np.linalg.norm(p @ e @ p, 2) + np.linalg.norm(rest @ e @ rest, 2)
        failed["blocks"] += blocks > float(found.noise.blocks)
        failed["energy"] += np.trace((q - p) @ e) > float(found.noise.energy)
        failed["head"] += not -float(found.head.up) <= np.trace(p @ e) <= float(found.head.down)
        failed["rest"] += not -float(found.rest.up) <= np.trace(rest @ e) <= float(found.rest.down)
        failed["radius"] += np.linalg.norm(e, 2) > float(drawn.noise.radius(FAILURE))
        failed["largest"] += values[-1] > float(system.values[0].hi + drawn.noise.largest_up(system, FAILURE))
        single = drawn.noise.single(system, 0, cross=FAILURE, along=FAILURE, radius=FAILURE)
        failed["along"] += abs(top @ e @ top) > float(single.along)
        failed["single"] += np.linalg.norm(e @ top - (top @ e @ top) * top) > float(single.cross)
    for name, count in failed.items():
        # the part of an event that bounds where means are may fail besides
        assert is_plausible(count, DRAWS, 2 * float(FAILURE)), name
    assert failed["head"] + failed["rest"] + failed["along"] > 0.05 * DRAWS
    if scale < 0.001:
        assert failed["single"] > 0


class Written:
    """(i) of the proof, once more in floats, at the sine 1 or any other that is given."""

    def __init__(self, noise: CovarianceNoise, failure: float) -> None:
        self.s, self.g, self.o = float(noise.scale), float(noise.rounding), noise.size
        self.omega, self.mass = int(not noise.mass_is_public), float(noise.mass)
        self.m = np.array([float(x) for x in noise.means])
        shares = [failure * share for share in (1 / 2, 1 / 4, 1 / 8, 1 / 8)]
        self.beta = self.s * float(goe_radius(self.o, Fraction(shares[0]))) + self.o * self.g
        self.w = self.chi(self.o, shares[1]) + np.sqrt(self.o) * self.g
        self.nu = self.omega * (self.s * stats.norm.isf(shares[3] / 2) + self.g)
        self.x = min(float(noise.most_mean), (np.linalg.norm(self.m) + self.w) / (self.mass - self.nu))
        self.eta = self.w + self.nu * self.x
        along = self.s / np.sqrt(2) * stats.norm.isf(shares[2] / 2) + np.sqrt(self.o) * self.g
        self.radius = self.beta + self.x * (self.w + along) + self.nu * self.x**2 + self.eta**2 / self.mass

    def chi(self, degrees: int, failure: float) -> float:
        return float(self.s * np.sqrt(stats.chi2.isf(failure, degrees) / 2))

    def place(self, q: Floats, failure: float, sine: float) -> tuple[float, float, float]:
        """|P eta|, |Px| and the part across; a fifth of what may fail is for the first."""
        rank, seen = round(np.trace(q)), self.m / self.mass
        eta = self.chi(rank, failure / 5) * np.sqrt(1 + 2 * self.omega * self.x**2)
        eta += self.g * (np.sqrt(self.o) + self.omega * self.x)
        whole = float(np.linalg.norm(seen))
        x = min(self.x, np.linalg.norm(q @ seen) + sine * whole + eta / self.mass)
        across = min(whole, np.linalg.norm(seen - q @ seen) + sine * whole)
        entries = self.chi(rank * (self.o - rank), failure * 4 / 5) + (self.o + 1) * self.g
        return eta, float(x), float(np.sqrt(1 + x**2) * entries + across * eta)

    def along(self, rank: int, failure: float, x: float) -> float:
        spread = np.sqrt(rank + 2 * x**2 + self.omega * x**4) * self.s * stats.norm.isf(failure / 2)
        return float(spread + np.sqrt(rank + 2 * x**2 + x**4) * (self.o + 1) * self.g)


@pytest.mark.parametrize("public", [True, False], ids=["n public", "n private"])
def test_bounds_are_those_of_the_proof(public: bool) -> None:
    """With hardly a gap the sine is 1, and stays it."""
    drawn = Drawn.of(np.random.default_rng(3), 0.003, public=public)
    noise = replace(drawn.noise, rounding=Fraction(1, 10**4))
    values = np.array([0.3, 0.1, 0.0999, 0.05])
    system = eigensystem(rational(np.diag(values)))
    written, few = Written(noise, 0.25), 0.25
    assert float(noise.radius(FAILURE)) == pytest.approx(written.radius, rel=1e-9)
    found = noise.leading(system, RANK, SOME)
    assert found.bounds.squared_sines is None
    eta, x, across = written.place(np.diag([1.0, 1.0, 0.0, 0.0]), few, 1.0)
    assert float(found.noise.cross) == pytest.approx(across, rel=1e-9)
    inner = written.beta + x * (2 * eta + written.nu * x) + eta**2 / written.mass
    assert float(found.noise.blocks) == pytest.approx(written.radius + min(written.radius, inner), rel=1e-9)
    along = written.along(RANK, few, x)
    assert float(found.head.down) == pytest.approx(along, rel=1e-9)
    assert float(found.head.up) == pytest.approx(along + eta**2 / written.mass, rel=1e-9)
    rest = written.along(RANK, few, written.x)
    assert float(found.rest.up) == pytest.approx(rest + written.eta**2 / written.mass, rel=1e-9)
    inside = np.linalg.norm(written.m[:RANK]) / written.mass + written.eta / written.mass
    energy = RANK * written.beta + 2 * inside * written.w + written.nu * inside**2 + along + eta**2 / written.mass
    assert float(found.noise.energy) == pytest.approx(min(4 * written.radius, energy), rel=1e-6)
    tenth = Written(noise, few / 10)
    top = tenth.along(1, few * 8 / 5, tenth.x)
    of_means = tenth.chi(1, few / 10) * np.sqrt(1 + 2 * tenth.omega * tenth.x**2)
    of_means += tenth.g * (np.sqrt(ORDER) + tenth.omega * tenth.x)
    assert float(noise.largest_up(system, FAILURE)) == pytest.approx(top + of_means**2 / tenth.mass, rel=1e-9)


def test_a_known_angle_says_where_means_are() -> None:
    """With little noise the leading span is known, and what the means have in it counts alone."""
    noise = Drawn.of(np.random.default_rng(3), 1e-6, public=False).noise
    means = np.array([0.1, 0.0, 0.0, 0.0])
    noise = replace(noise, means=tuple(Fraction(x) for x in means.tolist()), rounding=Fraction(0))
    system = eigensystem(rational(np.diag([0.3, 0.2, 0.1, 0.05])))
    written = Written(noise, 0.25)
    found = noise.leading(system, 1, SOME)
    assert found.bounds.squared_sines is not None
    sine = float(np.sqrt(float(found.bounds.squared_sines)))
    _, _, across = written.place(np.diag([1.0, 0.0, 0.0, 0.0]), 0.25, sine)
    assert float(found.noise.cross) == pytest.approx(across, rel=1e-3)
    without = written.place(np.diag([1.0, 0.0, 0.0, 0.0]), 0.25, 1.0)[2]
    assert float(found.noise.cross) < 0.9 * without


def test_bounds_shrink_with_the_noise() -> None:
    """In proportion, but for what is of second order."""
    system = eigensystem(rational(covariance(moments())))
    small = Drawn.of(np.random.default_rng(1), 1e-7, public=False).noise
    smaller = replace(small, scale=small.scale / 100, rounding=Fraction(0))
    small = replace(small, rounding=Fraction(0))
    for at in (lambda noise: noise.radius(FAILURE), lambda noise: noise.largest_up(system, FAILURE)):
        assert float(at(small) / at(smaller)) == pytest.approx(100, rel=1e-3)
    wide, narrow = small.leading(system, RANK, SOME), smaller.leading(system, RANK, SOME)
    assert float(wide.noise.cross / narrow.noise.cross) == pytest.approx(100, rel=1e-3)
    assert float(wide.noise.blocks / narrow.noise.blocks) == pytest.approx(100, rel=1e-3)
    assert float(wide.head.up / narrow.head.up) == pytest.approx(100, rel=1e-3)


def test_a_public_size_says_more() -> None:
    system = eigensystem(rational(covariance(moments())))
    private = Drawn.of(np.random.default_rng(1), 0.001, public=False).noise
    public = replace(private, mass_is_public=True)
    assert public.radius(FAILURE) < private.radius(FAILURE)
    assert public.largest_up(system, FAILURE) < private.largest_up(system, FAILURE)
    found, wider = (noise.leading(system, RANK, SOME) for noise in (public, private))
    assert found.noise.cross < wider.noise.cross
    assert found.head.up < wider.head.up
    assert found.rest.down < wider.rest.down


def test_where_the_linear_noise_is_exact() -> None:
    """With the means known, tr PE has the deviation that the noise on moments, means and size makes together."""
    real, whole = covariance(moments()), moments()
    p, x = leading(real, 1), whole[:-1, -1] / whole[-1, -1]
    turned = np.column_stack([np.eye(ORDER), -x])
    weights = turned.T @ p @ turned
    system = eigensystem(rational(real))
    noise = Drawn.of(np.random.default_rng(1), 1e-9, public=False).noise
    exact = replace(
        noise, means=tuple(Fraction(y) for y in whole[:-1, -1].tolist()), mass=Fraction(float(whole[-1, -1]))
    )
    found = replace(exact, rounding=Fraction(0)).leading(system, 1, SOME)
    quantile = 1.1503493803760079  # exceeded in size by a normal number with probability 1/4
    assert float(found.head.down) == pytest.approx(1e-9 * quantile * np.linalg.norm(weights), rel=1e-5)
    public = replace(exact, rounding=Fraction(0), mass_is_public=True).leading(system, 1, SOME)
    weights[-1, -1] = 0
    assert float(public.head.down) == pytest.approx(1e-9 * quantile * np.linalg.norm(weights), rel=1e-5)


def test_too_much_noise_on_the_size_is_refused() -> None:
    noise = Drawn.of(np.random.default_rng(1), 0.004, public=False).noise
    with pytest.raises(NotApplicable, match="as large as the number"):
        replace(noise, mass=Fraction(1, 1000)).radius(FAILURE)
