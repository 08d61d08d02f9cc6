"""What a release says of the real moments: its noisy moments with radii that hold together, except with probability
beta.

The radii are quantiles of the noise, rounded up, and the rounding of the noise to its lattice is added. Fourth moments
are used through E[(w.f)^2 f f'] for one model w, which must not depend on their noise.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from bounds.certify.contraction import contraction_matrix_radius
from bounds.certify.problem import KnownMoments, Matrix, Vector
from bounds.certify.radii import joint_radii
from lp.moments.budget import root_at_least
from lp.moments.release import MomentRelease
from lp.moments.sums import fourth_indices

FOURTH_SHARE = Fraction(1, 5)
"""Of beta, for the fourth moments where they are used."""


def known_moments(release: MomentRelease, beta: Fraction, model: Vector | None = None) -> KnownMoments:
    """The event of first and second moments; with a model also of its weighted moments, from the fourth ones."""
    left = beta if model is None else beta * (1 - FOURTH_SHARE)
    first_radius, second_radius = moment_radii(release, left)
    return KnownMoments(
        first=release.first,
        second=release.second,
        first_radius=first_radius,
        second_radius=second_radius,
        failure=beta,
        squared_norm=release.feature_map.squared_norm,
        size_is_exact=release.size_is_exact,
        weighted=None if model is None else weighted_moments(release, model),
        weighted_radius=Fraction(0) if model is None else weighted_radius(release, beta * FOURTH_SHARE, model),
    )


def moment_radii(release: MomentRelease, failure: Fraction) -> tuple[Fraction, Fraction]:
    """How far first moments can be off in Euclidean and second ones in operator norm, both at once."""
    p, squared_norm = release.feature_map.size, release.feature_map.squared_norm
    root = root_at_least(Fraction(squared_norm))
    # what a radius costs: half of the first enters a gradient, the second about once
    first, second = joint_radii(p, failure, first_weight=release.noise_first / 2, second_weight=release.noise_second)
    return (
        first * release.noise_first * root + root_at_least(Fraction(p)) * release.grid_first,
        second * release.noise_second * squared_norm + p * release.grid_second,
    )


def weighted_radius(release: MomentRelease, failure: Fraction, model: Vector) -> Fraction:
    """How far the weighted moments of a model that does not depend on their noise can be off in operator norm."""
    assert release.noise_fourth is not None
    p = release.feature_map.size
    size = sum((x * x for x in model), Fraction(0))
    spread = sum((abs(x) for x in model), Fraction(0)) ** 2 * release.grid_fourth * p
    radius = contraction_matrix_radius(p, failure)
    return release.noise_fourth * radius * size * release.feature_map.squared_norm**2 + spread


def weighted_moments(release: MomentRelease, model: Vector) -> Matrix:
    """E[(w.f)^2 f_i f_j] from the noisy fourth moments, exactly."""
    assert release.fourth_sums is not None
    p = release.feature_map.size
    denominator = lcm(*(x.denominator for x in model))
    w = [int(x * denominator) for x in model]
    sums = dict(zip(fourth_indices(p), release.fourth_sums, strict=True))
    unit = release.size * release.feature_map.one**4 * denominator**2
    rows = [[Fraction(0)] * p for _ in range(p)]
    for i in range(p):
        for j in range(i, p):
            total = 0
            for k in range(p):
                for m in range(k, p):
                    key = tuple(sorted((i, j, k, m)))
                    total += (1 if k == m else 2) * w[k] * w[m] * sums[key]  # type: ignore[index]
            rows[i][j] = rows[j][i] = Fraction(total, unit)
    return tuple(tuple(row) for row in rows)
