"""The method of moments before anything is spent: features, noise and cost, by public facts alone."""

from __future__ import annotations

from fractions import Fraction

from mechanisms.mechanism import Public
from release.cross_moments.planned import CrossMomentPlan
from release.distance.planned import DISTANCE
from release.noise.kinds import Mode
from release.reserving import plan_ledger
from release.statistics.cross_moments import encode_table, noise_of_a_moment

SMOOTH_NOISE = 0.05
"""If a mean of a product has more noise than this, ordered columns get one feature instead of three."""


def plan_moments(
    public: Public,
    *,
    epsilon: Fraction,
    dp_delta: Fraction,
    label: str | None = None,
    reserve: Fraction = Fraction(0),
    mode: Mode = "simulate",
) -> CrossMomentPlan:
    """Features, noise and cost of tables and cross moments; `reserve` is the share kept for a distance."""
    ledger = plan_ledger(epsilon=epsilon, dp_delta=dp_delta, adjacency=public.adjacency)
    if reserve:
        ledger = ledger.reserve_share(reserve, DISTANCE)
    noise = noise_of_a_moment(public.schema, size=public.size, mu_squared=ledger.total)
    encoding = encode_table(public.schema, smooth=noise <= SMOOTH_NOISE, label=label)
    return CrossMomentPlan(encoding=encoding, mode=mode, ledger=ledger, stated_size=public.size)
