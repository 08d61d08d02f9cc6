"""The noise of a covariance matrix computed from noisy second moments, means and, if it is private, the size.

With M = (S m; m' N) the real moments, the last row that of the intercept, the matrix is S - mm'/N. Its noise is linear
but for one term of second order, and depends on the real means, which are bounded on the same event: first in general,
then by where the leading eigenvectors can be. Proof: docs/proofs/synthbounds.noisy-spectrum.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from bounds.certify.radii import chi_radius, goe_radius, normal_interval
from bounds.errors import NotApplicable
from bounds.inference.eigenvalues import Eigensystem, root_up
from bounds.inference.spectrum_noise import NOTHING, Failures, Leading, Reach, half_root
from bounds.inference.subspaces import LeadingNoise, SingleNoise, largest_sine, leading_bounds, single_sine

_ROUNDS = 3
"""How often the place of the means is bounded again by the angle that the last bound proves."""
_OF_CROSS = Fraction(1, 5)
"""Of the failure of `cross`, for the means in the directions of P."""
_OF_RADIUS = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 8))
"""Of the failure of a radius, for the second moments, the means, the means along themselves, and the size."""


@dataclass(frozen=True, kw_only=True)
class CovarianceNoise:
    """Of S - mm'/N; scale and rounding are those of the entries of M, as in `spectrum_noise`."""

    means: tuple[Fraction, ...]
    """The noisy m."""
    mass: Fraction
    """The noisy N, exact if it is public."""
    mass_is_public: bool
    most_mean: Fraction
    """No table has a larger |m/N|."""
    scale: Fraction
    rounding: Fraction

    @property
    def size(self) -> int:
        return len(self.means)

    def radius(self, failure: Fraction) -> Fraction:
        return self._globally(failure).radius

    def largest_up(self, system: Eigensystem, failure: Fraction) -> Fraction:
        """How far the largest eigenvalue can be above the noisy one: a normal quantile, and the square of another."""
        anyhow = self._globally(failure / 10)
        along = self._head(1, failure * Fraction(8, 5), anyhow.mean)  # two-sided: half of it above
        return along + self._means_in(1, failure / 10, anyhow.mean) ** 2 / self.mass

    def leading(self, system: Eigensystem, rank: int, failures: Failures) -> Leading:
        angles = min(rank, self.size - rank)
        anyhow = self._globally(failures.blocks)
        inside, outside = self._parts(system, 0, rank)
        sine = Fraction(1)
        for _ in range(_ROUNDS):
            place = self._place(rank, failures.cross, anyhow, inside, outside, sine)
            noise = LeadingNoise(
                angles=angles,
                cross=place.cross,
                blocks=anyhow.radius + min(anyhow.radius, self._inner(anyhow, place)),
                energy=min(2 * angles * anyhow.radius, self._energy(rank, failures.energy, anyhow, place, inside)),
            )
            bounds = leading_bounds(system.gap(rank), noise)
            sine = min(sine, largest_sine(bounds.squared_sines) or Fraction(1))
        outer = min(anyhow.mean, outside + sine * self._observed + anyhow.shift / self.mass)
        head, rest = self._head(rank, failures.head, place.mean), self._head(self.size - rank, failures.rest, outer)
        return Leading(
            noise=noise,
            bounds=bounds,
            head=Reach(up=head + place.shift**2 / self.mass, down=head),
            rest=Reach(up=rest + anyhow.shift**2 / self.mass, down=rest),
        )

    def single(
        self, system: Eigensystem, place: int, *, cross: Fraction, along: Fraction, radius: Fraction
    ) -> SingleNoise:
        anyhow = self._globally(radius)
        inside, outside = self._parts(system, place, place + 1)
        sides = [system.gap(j) for j in (place, place + 1) if 0 < j < self.size]
        sine = Fraction(1)
        for _ in range(_ROUNDS):
            found = self._place(1, cross, anyhow, inside, outside, sine)
            reach = self._head(1, along, found.mean) + found.shift**2 / self.mass
            noise = SingleNoise(cross=found.cross, along=reach, radius=anyhow.radius)
            squares = single_sine(min(sides), noise) if sides else None
            sine = min(sine, largest_sine(squares) or Fraction(1))
        return noise

    @property
    def _observed(self) -> Fraction:
        """The length of the noisy means."""
        return _length(self.means) / self.mass

    def _globally(self, failure: Fraction) -> _Anyhow:
        """What is true wherever the eigenvectors are."""
        moments, means, along, mass = (failure * share for share in _OF_RADIUS)
        p, s, g = self.size, self.scale, self.rounding
        of_mass = NOTHING if self.mass_is_public else s * normal_interval(mass) + g
        if self.mass <= of_mass:
            raise NotApplicable("the noise on the number of records is as large as the number: no covariance is known")
        of_means = s * half_root(chi_radius(p, means)) + root_up(Fraction(p)) * g
        mean = min(self.most_mean, (self._observed * self.mass + of_means) / (self.mass - of_mass))
        shift = of_means + of_mass * mean
        # 2 (a.v)(b.v) is at most |a||b| + a.b for a unit vector v.
        twice = mean * (of_means + half_root(s * normal_interval(along)) + root_up(Fraction(p)) * g)
        block = s * goe_radius(p, moments) + p * g
        radius = block + twice + of_mass * mean**2 + shift**2 / self.mass
        return _Anyhow(mean=mean, shift=shift, radius=radius, block=block, of_means=of_means, of_mass=of_mass)

    def _inner(self, anyhow: _Anyhow, place: _Place) -> Fraction:
        """The norm of PEP."""
        linear = place.mean * (2 * place.shift + anyhow.of_mass * place.mean)
        return anyhow.block + linear + place.shift**2 / self.mass

    def _energy(self, rank: int, failure: Fraction, anyhow: _Anyhow, place: _Place, inside: Fraction) -> Fraction:
        """The trace of QE by the radii, and that of PE, P fixed, by a normal quantile."""
        mean = inside + anyhow.shift / self.mass
        of_noisy = rank * anyhow.block + 2 * mean * anyhow.of_means + anyhow.of_mass * mean**2
        return of_noisy + self._head(rank, failure, place.mean) + place.shift**2 / self.mass

    def _place(
        self, rank: int, failure: Fraction, anyhow: _Anyhow, inside: Fraction, outside: Fraction, sine: Fraction
    ) -> _Place:
        """Where the eigenvectors are within this sine of the noisy ones."""
        shift = self._means_in(rank, failure * _OF_CROSS, anyhow.mean)
        mean = min(anyhow.mean, inside + sine * self._observed + shift / self.mass)
        across = min(self._observed, outside + sine * self._observed)
        entries = rank * (self.size - rank)
        radius = (
            self.scale * half_root(chi_radius(entries, failure * (1 - _OF_CROSS))) + (self.size + 1) * self.rounding
        )
        return _Place(mean=mean, shift=shift, cross=root_up(1 + mean**2) * radius + across * shift)

    def _means_in(self, rank: int, failure: Fraction, mean: Fraction) -> Fraction:
        """The noise of the means, and of the size times them, in a subspace of that dimension."""
        of_mass = NOTHING if self.mass_is_public else 2 * mean**2
        spread = self.scale * half_root(chi_radius(rank, failure)) * root_up(1 + of_mass)
        return spread + self.rounding * (root_up(Fraction(self.size)) + (0 if self.mass_is_public else mean))

    def _head(self, rank: int, failure: Fraction, mean: Fraction) -> Fraction:
        """The linear noise in the trace over a fixed subspace that contains this much of the means."""
        if failure == 0:
            return NOTHING
        square, whole = rank + 2 * mean**2, root_up(rank + 2 * mean**2 + mean**4)
        spread = root_up(square) if self.mass_is_public else whole
        return self.scale * normal_interval(failure) * spread + whole * (self.size + 1) * self.rounding

    def _parts(self, system: Eigensystem, first: int, last: int) -> tuple[Fraction, Fraction]:
        """How much of the noisy means lies along those noisy eigenvectors, and how much across."""
        off = system.offset(first, last)
        if off is None or off >= 1:
            return self._observed, self._observed
        inside = [_dot(system.vectors[j], self.means) for j in range(first, last)]
        left = list(self.means)
        for along, vector in zip(inside, system.vectors[first:last], strict=True):
            left = [x - along * Fraction(y) for x, y in zip(left, vector, strict=True)]
        slack = (off + 2 * system.tilt) * self._observed
        return _length(inside) / self.mass + slack, _length(left) / self.mass + slack


@dataclass(frozen=True, kw_only=True)
class _Anyhow:
    mean: Fraction
    """|m/N| at most."""
    shift: Fraction
    """Of the noise on means, the size counted."""
    radius: Fraction
    """Of the whole noise, in norm."""
    block: Fraction
    """Of the noise on S, in norm."""
    of_means: Fraction
    of_mass: Fraction


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Of P, where the eigenvectors are within some sine of the noisy ones."""

    mean: Fraction
    """|P m/N| at most."""
    shift: Fraction
    """Of the noise on means within P, the size counted."""
    cross: Fraction


def _dot(vector: Sequence[float], numbers: Sequence[Fraction]) -> Fraction:
    return sum((Fraction(x) * y for x, y in zip(vector, numbers, strict=True)), Fraction(0))


def _length(numbers: Sequence[Fraction]) -> Fraction:
    return root_up(sum((x * x for x in numbers), Fraction(0)))
