"""What eigenvalues and eigenvectors of a noisy matrix H = A + E say about those of A, with E bounded where it matters.

Nothing here is random: bounds of the noise go in, bounds of angles, eigenvalues and lost variance come out, and the
only gap used is that of H. P is the projection on eigenvectors of A, Q the one on those of H that have the same places;
s is the sum of the squared sines between them. Proof: docs/proofs/synthbounds.noisy-spectrum.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.inference.eigenvalues import root_down, root_up


@dataclass(frozen=True, kw_only=True)
class LeadingNoise:
    """Bounds of the noise where it matters for the largest eigenvalues, as many as P has dimensions."""

    angles: int
    """How many angles between P and Q can differ from zero: the lesser of the dimensions of P and I - P."""
    cross: Fraction
    """|(I-P)EP| in Frobenius norm."""
    blocks: Fraction
    """The norm of PEP plus that of (I-P)E(I-P)."""
    energy: Fraction
    """The trace of (Q - P)E."""


@dataclass(frozen=True, kw_only=True)
class LeadingBounds:
    """What follows for the span of the leading eigenvectors of H."""

    squared_sines: Fraction | None
    """s at most; None if the noise could have turned the span as far as the gap allows."""
    drop: Fraction
    """How far the trace of PH is below that of QH, at most."""
    loss: Fraction
    """How far the trace of QA is below that of PA, at most."""
    twist: Fraction
    """The trace of (Q - P)E, which is drop plus loss, at most."""
    needed: Fraction
    """The gap below which nothing is certain of the angles with this noise; an estimate from above."""


def leading_bounds(gap: Fraction, noise: LeadingNoise) -> LeadingBounds:
    """For the gap of H, a lower bound, between the leading eigenvalues and the others."""
    reach = _reach(gap, noise)
    near = small_root(noise.cross, gap)
    is_told = near is not None and reach is not None and reach < 1 - near
    loss = drop = twist = noise.energy
    squares = None
    if is_told:
        assert near is not None
        assert reach is not None
        squares = min(near, reach)
        drop = min(drop, noise.cross**2 / (gap * (1 - squares)))
    if gap > noise.blocks:
        loss = min(loss, noise.cross**2 / gap * (1 + noise.blocks / gap))
    elif gap > 0:
        loss = min(loss, _loss_with_little_gap(gap, noise))
    return LeadingBounds(
        squared_sines=squares, drop=drop, loss=loss, twist=min(twist, drop + loss), needed=_needed(noise)
    )


def _reach(gap: Fraction, noise: LeadingNoise) -> Fraction | None:
    """A bound on s that holds on either branch; None if there is none."""
    if gap <= 0:
        return None
    found = noise.energy / gap
    if gap > noise.blocks:
        fourth = 4 * noise.cross**2
        found = min(found, fourth / ((gap - noise.blocks) ** 2 + fourth / noise.angles))
    return found


def _loss_with_little_gap(gap: Fraction, noise: LeadingNoise) -> Fraction:
    """2 cross t + (blocks - gap) s with t at most cross/gap and s at most all angles."""
    return 2 * noise.cross**2 / gap + (noise.blocks - gap) * noise.angles


def small_root(cross: Fraction, gap: Fraction) -> Fraction | None:
    """The least s with s(1 - s) = (cross/gap)^2, rounded up; None if there is none, and every s is possible."""
    if gap <= 2 * cross:
        return None
    y = (cross / gap) ** 2
    return 2 * y / (1 + root_down(1 - 4 * y))


def _needed(noise: LeadingNoise) -> Fraction:
    """The least gap that determines the branch, to three digits, from above."""
    low, high = 2 * noise.cross, 2 * noise.cross + noise.blocks + noise.energy + Fraction(1, 10**30)

    def tells(gap: Fraction) -> bool:
        near, reach = small_root(noise.cross, gap), _reach(gap, noise)
        return near is not None and reach is not None and reach < 1 - near

    while not tells(high):
        high *= 2
    while high - low > high / 1000:
        middle = (low + high) / 2
        low, high = (low, middle) if tells(middle) else (middle, high)
    return high


@dataclass(frozen=True, kw_only=True)
class SingleNoise:
    """Bounds of the noise for one eigenvector v of A."""

    cross: Fraction
    """The norm of (I - vv')Ev."""
    along: Fraction
    """|v'Ev|."""
    radius: Fraction
    """The norm of E."""


def single_sine(gap: Fraction, noise: SingleNoise) -> Fraction | None:
    """The largest squared sine between the eigenvectors of H and A at one place.

    The gap, a lower bound, is that of H on the nearer side. None if the branch is not determined.
    """
    near = small_root(noise.cross, gap)
    if near is None or gap <= noise.radius:
        return None
    reach = (noise.radius / (gap - noise.radius)) ** 2
    return min(near, reach) if reach < 1 - near else None


def quotient_offset(gap: Fraction, noise: SingleNoise) -> Fraction | None:
    """How far v'Hv can be from the eigenvalue of H at v's place, on the side of a neighbour at this gap.

    None if it could be as near to that neighbour.
    """
    near = small_root(noise.cross, gap)
    if near is None or noise.radius + noise.along >= gap * (1 - near):
        return None
    return gap * near


def largest_sine(squares: Fraction | None) -> Fraction | None:
    """The sine of the largest angle, from the sum of the squares."""
    return None if squares is None or squares >= 1 else root_up(squares)
