"""How far Gaussian noise on second moments can reach in the directions on which a spectrum depends.

Entries are independent, of deviation at most s on the diagonal and s/sqrt 2 off it, and rounded by at most `rounding`
besides; public entries have none. Every radius is that of the full distribution: less noise makes symmetric convex
events more probable (Anderson), and only such events are used. Proof: docs/proofs/synthbounds.noisy-spectrum.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from bounds.certify.radii import chi_radius, goe_radius, normal_interval
from bounds.inference.eigenvalues import Eigensystem, root_up
from bounds.inference.largest_sum import mean_of_largest
from bounds.inference.subspaces import LeadingBounds, LeadingNoise, SingleNoise, leading_bounds

NOTHING = Fraction(0)
_HALF = Fraction(1, 2)


@dataclass(frozen=True, kw_only=True)
class Failures:
    """Probabilities with which parts of an event may fail; 0 for a part that is not requested."""

    cross: Fraction
    blocks: Fraction
    energy: Fraction
    head: Fraction = NOTHING
    rest: Fraction = NOTHING


@dataclass(frozen=True, kw_only=True)
class Reach:
    """By how much a trace can be above and below that of the noisy matrix."""

    up: Fraction
    down: Fraction


@dataclass(frozen=True, kw_only=True)
class Leading:
    """What an event says about the span of the leading eigenvectors."""

    noise: LeadingNoise
    bounds: LeadingBounds
    head: Reach
    """Of the trace of PA against that of PH."""
    rest: Reach
    """Of the trace of (I-P)A against that of (I-P)H."""


class SpectrumNoise(Protocol):
    """The noise of one symmetric matrix, as `bounds.inference.spectrum` requires it."""

    def radius(self, failure: Fraction) -> Fraction: ...

    def largest_up(self, system: Eigensystem, failure: Fraction) -> Fraction: ...

    def leading(self, system: Eigensystem, rank: int, failures: Failures) -> Leading: ...

    def single(
        self, system: Eigensystem, place: int, *, cross: Fraction, along: Fraction, radius: Fraction
    ) -> SingleNoise: ...


@dataclass(frozen=True, kw_only=True)
class MomentNoise:
    """Of second moments themselves."""

    size: int
    scale: Fraction
    rounding: Fraction

    def radius(self, failure: Fraction) -> Fraction:
        return self.scale * goe_radius(self.size, failure) + self.size * self.rounding

    def largest_up(self, system: Eigensystem, failure: Fraction) -> Fraction:
        """How far the largest eigenvalue can be above the noisy one: one normal quantile."""
        return self.scale * one_sided(failure) + self.size * self.rounding

    def leading_noise(self, rank: int, failures: Failures) -> LeadingNoise:
        """Known before anything is released."""
        p, s = self.size, self.scale
        angles = min(rank, p - rank)
        half, root = failures.blocks / 2, root_up(Fraction(2 * angles))
        return LeadingNoise(
            angles=angles,
            cross=self._cross(rank, failures.cross),
            blocks=s * (goe_radius(rank, half) + goe_radius(p - rank, half)) + 2 * p * self.rounding,
            energy=s * (mean_of_largest(p, rank) + root * one_sided(failures.energy)) + root * p * self.rounding,
        )

    def leading(self, system: Eigensystem, rank: int, failures: Failures) -> Leading:
        noise = self.leading_noise(rank, failures)
        return Leading(
            noise=noise,
            bounds=leading_bounds(system.gap(rank), noise),
            head=self._trace(rank, failures.head),
            rest=self._trace(self.size - rank, failures.rest),
        )

    def single(
        self, system: Eigensystem, place: int, *, cross: Fraction, along: Fraction, radius: Fraction
    ) -> SingleNoise:
        return SingleNoise(cross=self._cross(1, cross), along=self._trace(1, along).up, radius=self.radius(radius))

    def _cross(self, rank: int, failure: Fraction) -> Fraction:
        entries = rank * (self.size - rank)
        return self.scale * half_root(chi_radius(entries, failure)) + self.size * self.rounding

    def _trace(self, rank: int, failure: Fraction) -> Reach:
        """The noise in the trace over a fixed subspace, two-sided."""
        if failure == 0:
            return Reach(up=NOTHING, down=NOTHING)
        root = root_up(Fraction(rank))
        end = root * (self.scale * normal_interval(failure) + self.size * self.rounding)
        return Reach(up=end, down=end)


def one_sided(failure: Fraction) -> Fraction:
    """The normal quantile that is exceeded with this probability, at most 1/2."""
    return normal_interval(2 * failure) if failure < _HALF else NOTHING


def half_root(number: Fraction) -> Fraction:
    """The number over the root of 2, rounded up."""
    return root_up(number**2 / 2)
