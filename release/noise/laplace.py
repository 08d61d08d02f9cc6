"""Laplace noise for counts: the scale for a pure epsilon, and its cost."""

from __future__ import annotations

from fractions import Fraction

from bounds.enclosure import Enclosure
from bounds.privacy.sensitivity import Sensitivity, require_norm
from bounds.privacy.statements import DP
from release.noise.kinds import Mode, Noise
from release.noise.scales import sampler_scale


def laplace_noise(count: int, *, sensitivity: Sensitivity, epsilon: Fraction, mode: Mode) -> Noise:
    """Noise of scale sensitivity / epsilon; in a release a double just above it, which costs a little less."""
    exact = require_norm(sensitivity, "L1").amount / epsilon
    scale = sampler_scale(exact) if mode == "release" else exact
    cost = Enclosure.of(sensitivity.amount / scale)
    return Noise(
        kind="laplace",
        scales=scale,
        count=count,
        sensitivity=sensitivity,
        mode=mode,
        cost=DP(epsilon=cost, delta=Enclosure.of(0), adjacency=sensitivity.adjacency),
    )
