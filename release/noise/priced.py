"""The noise that a price buys: Gaussian for a cost in mu^2 or rho, Laplace for a pure epsilon, one scale for all."""

from __future__ import annotations

from fractions import Fraction

from bounds.enclosure import Enclosure
from bounds.errors import UsageError
from bounds.exact import root_at_least
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.sensitivity import Sensitivity, l1_sensitivity, l2_sensitivity, require_norm
from bounds.privacy.statements import DP, ZCDP, GaussianDP, Statement
from release.noise.kinds import Mode, Noise
from release.noise.laplace import laplace_noise
from release.noise.scales import sampler_scale


def priced_noise(
    count: int, cost: Statement, *, l1: Fraction | int, l2_squared: Fraction | int, text: str, mode: Mode
) -> Noise:
    """Noise on this many integers, which one record moves together by at most `l1`, and by `l2_squared` squared.

    A Gaussian cost is spent in full; of a pure epsilon a little is left if the sampler's scale was rounded up.
    """
    public = cost.adjacency is Adjacency.REPLACE_ONE
    if isinstance(cost, GaussianDP):
        moved = l2_sensitivity(squared=l2_squared, adjacency=cost.adjacency, n_is_public=public, text=text)
        return Noise(
            kind="rounded-gaussian",
            scales=root_at_least(moved.squared / cost.mu_squared),
            count=count,
            sensitivity=moved,
            cost=cost,
            mode=mode,
        )
    if isinstance(cost, DP) and cost.is_pure:
        moved = l1_sensitivity(value=l1, adjacency=cost.adjacency, n_is_public=public, text=text)
        return laplace_noise(count, sensitivity=moved, epsilon=cost.epsilon.lo, mode=mode)
    raise UsageError("cost: these numbers are paid for in mu^2, or with a pure epsilon")


def discrete_gaussian(count: int, *, sensitivity: Sensitivity, rho: Fraction, mode: Mode) -> Noise:
    """Discrete Gaussian noise whose deviation is a double above the root of (L2 sensitivity)^2/(2 rho)."""
    return Noise(
        kind="gaussian",
        scales=sampler_scale(root_at_least(require_norm(sensitivity, "L2").squared / (2 * rho))),
        count=count,
        sensitivity=sensitivity,
        cost=ZCDP(rho=Enclosure.of(rho), adjacency=sensitivity.adjacency),
        mode=mode,
    )
