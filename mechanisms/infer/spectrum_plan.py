"""What principal components will be worth, before anything is spent: radii, and angles as a function of the gap.

Only public facts enter: the table matters only through its gaps, which are not yet known. So the answer is a list: for
several gaps of the noisy matrix, how far the first components can be from the real ones, and how much they can lose.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from bounds.errors import NotApplicable
from bounds.exact import require_range
from bounds.inference.spectrum import ANGLES, LOSS, times
from bounds.inference.spectrum_noise import MomentNoise, one_sided
from bounds.inference.subspaces import LeadingNoise, largest_sine, leading_bounds
from bounds.privacy.adjacency import Adjacency
from bounds.shown import Shown
from mechanisms.infer.spectrum import require_rank
from release.data.schema import Schema
from release.moments.make import MomentRequest
from release.statistics.features import choose_features

GAPS = tuple(Fraction(x, 1000) for x in (1, 2, 5, 10, 20, 50, 100, 200, 500))
"""Gaps of second moments of features in the unit ball, whose eigenvalues add up to at most 1."""


@dataclass(frozen=True, kw_only=True)
class AtGap:
    """What is true if the noisy matrix turns out to have this gap behind the components."""

    gap: Fraction
    sine: Fraction | None
    """Bounds the sine of the largest angle and the root of the sum of all squared; None if the gap tells nothing."""
    loss: Fraction
    """Bound on the explained variance lost, as a part of the largest possible trace."""


@dataclass(frozen=True, kw_only=True)
class SpectrumPlan(Shown):
    """A plan for second moments of the features with the intercept, in the unit ball."""

    rank: int
    level: Fraction
    columns: int
    """Number of features, including the intercept."""
    size: int
    """The number of records, or a lower bound."""
    n_is_public: bool
    squared_norm: int
    deviation: Fraction
    radius: Fraction
    """All real eigenvalues are within this of the noisy ones."""
    largest_up: Fraction
    """The largest real eigenvalue exceeds the noisy one by at most this."""
    gap_needed: Fraction
    at: tuple[AtGap, ...]


def plan_spectrum(
    schema: Schema,
    *,
    rank: int,
    n: int | None = None,
    epsilon: Fraction,
    dp_delta: Fraction,
    adjacency: Adjacency | str,
    least_size: int | None = None,
    label: str | None = None,
    one_hot: Iterable[str] = (),
    linear: Iterable[str] = (),
    by_value: Iterable[str] = (),
    reduced: Iterable[str] = (),
    level: Fraction = Fraction(19, 20),
) -> SpectrumPlan:
    """The plan for a release of moments with that label (default: the last column); n is not used under add-remove."""
    require_range("level", level, level, least=Fraction(1, 2), below=1)
    features = choose_features(
        schema,
        label=schema.names[-1] if label is None else label,
        one_hot=one_hot,
        linear=linear,
        by_value=by_value,
        reduced=reduced,
    )
    p = features.size
    require_rank(rank, columns=p, of="moments")
    asked = MomentRequest(
        features,
        epsilon=epsilon,
        dp_delta=dp_delta,
        adjacency=adjacency,
        mode="simulate",
        seed=0,
        n0=least_size,
    )
    if n is None and least_size is None:
        raise NotApplicable("replace-one makes the number of records public: give n")
    plan = asked.plan(0 if n is None else n)
    unit = plan.size * features.one**2 * features.squared_norm
    noise = MomentNoise(size=p, scale=plan.noise_second, rounding=Fraction(1, 2 * unit))
    alpha = 1 - level
    angles, loss = (noise.leading_noise(rank, times(shares, alpha)) for shares in (ANGLES, LOSS))
    return SpectrumPlan(
        rank=rank,
        level=level,
        columns=p,
        size=plan.size,
        n_is_public=plan.size_is_exact,
        squared_norm=features.squared_norm,
        deviation=plan.noise_second,
        radius=noise.radius(alpha),
        largest_up=noise.scale * one_sided(alpha) + p * noise.rounding,
        gap_needed=leading_bounds(Fraction(0), angles).needed,
        at=tuple(_at(gap, angles=angles, loss=loss) for gap in GAPS),
    )


def _at(gap: Fraction, *, angles: LeadingNoise, loss: LeadingNoise) -> AtGap:
    return AtGap(
        gap=gap,
        sine=largest_sine(leading_bounds(gap, angles).squared_sines),
        loss=leading_bounds(gap, loss).loss,
    )
