"""What a noisy symmetric matrix says about the spectrum of the real one: eigenvalues, directions, variance explained.

Every statement is true on its own, except with probability alpha, whose parts are fixed shares: nothing about the noise
decides which event is used. If a gap of the noisy matrix does not show which eigenvector is which, the statement is
None, and no larger share of alpha is spent on it. The noise comes from `spectrum_noise` or `covariance_noise`. Proof:
docs/proofs/synthbounds.noisy-spectrum.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.enclosure import Enclosure
from bounds.exact import require_range
from bounds.inference.eigenvalues import Eigensystem, root_up
from bounds.inference.spectrum_noise import Failures, Leading, SpectrumNoise
from bounds.inference.subspaces import largest_sine, quotient_offset, single_sine

_OF = Fraction(1, 20)
ANGLES = Failures(cross=18 * _OF, blocks=_OF, energy=_OF)
LOSS = Failures(cross=11 * _OF, blocks=_OF, energy=8 * _OF)
_TOTAL = Failures(cross=2 * _OF, blocks=_OF, energy=_OF, head=16 * _OF)
_SHARE = Failures(cross=2 * _OF, blocks=_OF, energy=_OF, head=8 * _OF, rest=8 * _OF)
_SINGLE_ANGLE = (18 * _OF, Fraction(0), 2 * _OF)
_SINGLE_VALUE = (2 * _OF, 16 * _OF, 2 * _OF)
"""Shares of alpha; those of one eigenvector are for cross, along and radius."""

Ends = tuple[Fraction, Fraction]


@dataclass(frozen=True, kw_only=True)
class Direction:
    """Of one component: how far it is from the real one, and where the real eigenvalue is."""

    sine: Fraction | None
    value: Ends | None


@dataclass(frozen=True, kw_only=True)
class Explained:
    """Of the leading components together; ends are lower and upper."""

    total: Ends
    """The sum of the largest real eigenvalues."""
    explained: Ends
    """The variance of the real table along the noisy components."""
    share: Ends
    """The first as a share of the trace."""
    share_explained: Ends
    """The second as a share of the trace."""
    loss: Fraction
    """How much more the real components explain than the noisy ones."""
    squared_sines: Fraction | None
    """Between the two spans, summed up."""
    gap: Fraction
    gap_needed: Fraction


@dataclass(frozen=True, kw_only=True)
class Classical:
    """The same from the norm of the noise only: Weyl, Davis and Kahan, and twice the norm for every component."""

    radius: Fraction
    sine: Fraction | None
    span_sine: Fraction | None
    """Root of the sum of squared sines between the spans."""
    loss: Fraction


def require_alpha(alpha: Fraction) -> None:
    require_range("alpha", alpha, alpha, above=0, most=Fraction(1, 2), reason="what is left of a level")


def largest_end(system: Eigensystem, noise: SpectrumNoise, alpha: Fraction) -> Fraction:
    """An upper end of the largest real eigenvalue; never below 0, as the eigenvalue is not."""
    require_alpha(alpha)
    return max(system.values[0].hi + noise.largest_up(system, alpha), Fraction(0))


def all_values(system: Eigensystem, noise: SpectrumNoise, alpha: Fraction) -> tuple[Ends, ...]:
    """Ends of all real eigenvalues at once, the largest first; none is negative."""
    require_alpha(alpha)
    radius = noise.radius(alpha)
    return tuple((max(value.lo - radius, Fraction(0)), max(value.hi + radius, Fraction(0))) for value in system.values)


def direction(system: Eigensystem, noise: SpectrumNoise, place: int, alpha: Fraction) -> Direction:
    """Of the component at that place, 0 the first."""
    require_alpha(alpha)
    return Direction(sine=_sine_at(system, noise, place, alpha), value=_value_at(system, noise, place, alpha))


def _sine_at(system: Eigensystem, noise: SpectrumNoise, place: int, alpha: Fraction) -> Fraction | None:
    if place == 0:
        leading = noise.leading(system, 1, times(ANGLES, alpha))
        squares = leading.bounds.squared_sines
    else:
        cross, along, radius = (share * alpha for share in _SINGLE_ANGLE)
        found = noise.single(system, place, cross=cross, along=along, radius=radius)
        squares = single_sine(min(_gaps(system, place)), found)
    return _with_offset(largest_sine(squares), system.offset(place, place + 1))


def _value_at(system: Eigensystem, noise: SpectrumNoise, place: int, alpha: Fraction) -> Ends | None:
    cross, along, radius = (share * alpha for share in _SINGLE_VALUE)
    found = noise.single(system, place, cross=cross, along=along, radius=radius)
    ends = [found.along, found.along]
    for side, j in enumerate((place + 1, place)):  # the neighbour below moves the lower end
        if 0 < j < system.size:
            offset = quotient_offset(system.gap(j), found)
            if offset is None:
                return None
            ends[side] += offset
    value = system.values[place]
    return max(value.lo - ends[0], Fraction(0)), max(value.hi + ends[1], Fraction(0))


def explained(system: Eigensystem, noise: SpectrumNoise, rank: int, alpha: Fraction) -> Explained:
    """Of the first components, fewer than there are columns; each field on its own."""
    require_alpha(alpha)
    angles = noise.leading(system, rank, times(ANGLES, alpha))
    loss = noise.leading(system, rank, times(LOSS, alpha))
    total = noise.leading(system, rank, times(_TOTAL, alpha))
    share = noise.leading(system, rank, times(_SHARE, alpha))
    off = system.offset(0, rank)
    head = system.sum_of_largest(rank)
    return Explained(
        total=_ends(head, total, total.bounds.drop),
        explained=_ends(head, total, total.bounds.twist + _rounding(system, rank, total)),
        share=_parts(system, rank, share, share.bounds.drop),
        share_explained=_parts(system, rank, share, share.bounds.twist + _rounding(system, rank, share)),
        loss=loss.bounds.loss + _rounding(system, rank, loss),
        squared_sines=_square_with_offset(angles.bounds.squared_sines, off),
        gap=system.gap(rank),
        gap_needed=angles.bounds.needed,
    )


def classical(system: Eigensystem, noise: SpectrumNoise, rank: int, alpha: Fraction) -> Classical:
    """The classical bounds, for comparison."""
    require_alpha(alpha)
    radius = noise.radius(alpha)
    root = root_up(Fraction(min(rank, system.size - rank)))  # of this many angles only the largest is bounded

    def sine(gap: Fraction, root: Fraction) -> Fraction | None:
        return root * radius / (gap - radius) if gap > 2 * radius else None

    return Classical(
        radius=radius,
        sine=sine(system.gap(1), Fraction(1)),
        span_sine=sine(system.gap(rank), root),
        loss=2 * rank * radius,
    )


def _ends(head: Enclosure, found: Leading, below: Fraction) -> Ends:
    return max(head.lo - found.head.down - below, Fraction(0)), max(head.hi + found.head.up, Fraction(0))


def _parts(system: Eigensystem, rank: int, found: Leading, below: Fraction) -> Ends:
    """A share from the ends of the parts inside and outside: it grows with the one and falls with the other."""
    lo, hi = _ends(system.sum_of_largest(rank), found, below)
    rest = system.trace()
    inner = system.sum_of_largest(rank)
    left_lo = max(rest.lo - inner.hi - found.rest.down, Fraction(0))
    left_hi = max(rest.hi - inner.lo + found.rest.up + below, Fraction(0))
    least = lo / (lo + left_hi) if lo + left_hi > 0 else Fraction(0)
    most = hi / (hi + left_lo) if hi + left_lo > 0 else Fraction(1)
    return least, most


def _rounding(system: Eigensystem, rank: int, found: Leading) -> Fraction:
    """What components lose by being doubles: the norms of the matrix and the noise times a few tiny angles."""
    off = system.offset(0, rank)
    largest = max(abs(end) for value in system.values for end in (value.lo, value.hi))
    return 2 * found.noise.angles * (1 if off is None else off) * (largest + found.noise.blocks + found.noise.cross)


def _gaps(system: Eigensystem, place: int) -> list[Fraction]:
    return [system.gap(j) for j in (place, place + 1) if 0 < j < system.size]


def times(shares: Failures, alpha: Fraction) -> Failures:
    return Failures(
        cross=shares.cross * alpha,
        blocks=shares.blocks * alpha,
        energy=shares.energy * alpha,
        head=shares.head * alpha,
        rest=shares.rest * alpha,
    )


def _with_offset(sine: Fraction | None, off: Fraction | None) -> Fraction | None:
    if sine is None or off is None or sine + off >= 1:
        return None
    return sine + off


def _square_with_offset(squares: Fraction | None, off: Fraction | None) -> Fraction | None:
    """The root of the sum of squared sines is a distance between spans, up to a factor: the triangle inequality."""
    if squares is None or off is None:
        return None
    return squares + off * (2 + off)
