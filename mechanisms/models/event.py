"""What a release says about the real moments: its noisy moments with radii that hold together, except with probability
beta.

The radii are quantiles of the noise, rounded up, plus the rounding of the noise to its lattice. Fourth moments enter
through E[(w.f)^2 f f'] for one model w, which must not depend on their noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from bounds.certify.contraction import contraction_matrix_radius
from bounds.certify.problem import KnownMoments, Matrix, Vector
from bounds.certify.radii import joint_radii
from bounds.exact import root_at_least
from release.moments.file import MomentRelease
from release.moments.planned import MomentPlan
from release.statistics.moments import fourth_indices

FOURTH_SHARE = Fraction(1, 5)
"""Part of beta for the fourth moments, if they are used."""


def known_moments(release: MomentRelease, beta: Fraction, model: Vector | None = None) -> KnownMoments:
    """The event of first and second moments and, with a model, of its weighted moments from the fourth ones."""
    release.require_plausible_size()
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
        label_is_number=release.feature_map.label_is_number,
        weighted=None if model is None else weighted_moments(release, model),
        weighted_radius=Fraction(0) if model is None else weighted_radius(release, beta * FOURTH_SHARE, model),
    )


@dataclass(frozen=True)
class Radii:
    """Except with probability `failure`, both real moments are within these radii, on the scale of the features."""

    first: Fraction
    """In Euclidean norm."""
    second: Fraction
    """In operator norm."""
    failure: Fraction

    @classmethod
    def of(cls, release: MomentPlan, failure: Fraction) -> Radii:
        return cls(*moment_radii(release, failure), failure)


def moment_radii(release: MomentPlan, failure: Fraction) -> tuple[Fraction, Fraction]:
    """How far off first moments can be in Euclidean norm and second ones in operator norm, both at once."""
    p, squared_norm = release.feature_map.size, release.feature_map.squared_norm
    root = root_at_least(Fraction(squared_norm))
    first_cost, second_cost = radius_costs(release)
    first, second = joint_radii(p, failure, first_weight=first_cost, second_weight=second_cost)
    return (
        first * release.noise_first * root + root_at_least(Fraction(p)) * release.grid_first,
        second * release.noise_second * squared_norm + p * release.grid_second,
    )


def radius_costs(release: MomentPlan) -> tuple[Fraction, Fraction]:
    """Weights of the radii of first and second moments, up to a common factor, by which a failure probability is split.

    Half of the first radius enters a gradient, and the second about once. Only the schema and the budget are used: the
    split must not depend on the noise, and with a private number of records the divisor of the sums does.
    """
    features, deviations = release.feature_map, release.deviations
    root = root_at_least(Fraction(features.squared_norm))
    return deviations.first / features.label_one * features.one * root / 2, deviations.second_diagonal


def weighted_radius(release: MomentPlan, failure: Fraction, model: Vector) -> Fraction:
    """How far off, in operator norm, the weighted moments of a model can be that does not depend on their noise."""
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
