"""Exact discrete noise for releases: OpenDP's samplers on vectors of integers, randomness from the operating system.

There is no parameter for a seed or a generator, and numpy's random numbers are not imported here or in anything that
this module imports. What is spent is computed exactly and compared with the sampler's own statement.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq
from bounds.errors import NotCertified, ParameterError, UsageError, how_to_install
from bounds.privacy.concentrated import zcdp_epsilon
from bounds.privacy.statements import DP, ZCDP
from bounds.solve import enclose
from release.noise.cube import sample_cube
from release.noise.kinds import NORM_OF, NoisePlan, NoisyAnswers
from release.noise.lattice import lattice_sums
from release.noise.scales import LARGEST_SUM, double_at_least, sampler_scale


def release_answers(
    plan: NoisePlan, sums: Sequence[int], *, n: int, anchor: Sequence[int] | None = None
) -> NoisyAnswers:
    """Noisy answers for publication, with the privacy spent; the plan must be one for releases.

    `sums` are the exact sums over a table of n records. Under add-remove `anchor` are the values of the queries at a
    public point. Draw once: every further call spends as much again.
    """
    if plan.mode != "release":
        raise UsageError("mode = simulate: this plan is for a simulation; choose the noise with mode = release")
    if plan.sensitivity.norm != NORM_OF[plan.mechanism] or plan.sensitivity.adjacency is not plan.adjacency:
        raise UsageError(f"sensitivity = {plan.sensitivity.norm}: not the one that {plan.mechanism} noise is made for")
    exact = lattice_sums(plan, sums, n=n, anchor=anchor)
    noisy, spent = _DRAW[plan.mechanism](plan, exact)
    return NoisyAnswers(noisy=tuple(noisy), plan=plan, simulated=False, spent=spent)


def _laplace(plan: NoisePlan, sums: list[int]) -> tuple[list[int], DP]:
    measurement = laplace_measurement(plan.scale)
    require_within_budget(Fraction(measurement.map(plan.sensitivity.amount)), plan.epsilon)
    return run_measurement(measurement, sums), _pure(plan)


def _linf(plan: NoisePlan, sums: list[int]) -> tuple[list[int], DP]:
    spent = _pure(plan)
    noise = sample_cube(plan.count, scale=plan.scale)
    return [value + more for value, more in zip(sums, noise, strict=True)], spent


def _gaussian(plan: NoisePlan, sums: list[int]) -> tuple[list[int], DP]:
    if plan.dp_delta is None:
        raise UsageError("dp_delta: Gaussian noise needs one")
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T=float)
    measurement = dp.m.make_gaussian(*space, float(plan.scale))
    squared = as_fmpq(plan.sensitivity.amount)
    distance = double_at_least(enclose(lambda: arb(squared).sqrt()).hi)
    rho = ZCDP(rho=Enclosure.of(Fraction(measurement.map(distance))), adjacency=plan.adjacency)
    spent = zcdp_epsilon(rho, dp_delta=plan.dp_delta)
    require_within_budget(spent.epsilon.hi, plan.epsilon)
    return run_measurement(measurement, sums), spent


_DRAW = {"laplace": _laplace, "linf": _linf, "gaussian": _gaussian}


def _pure(plan: NoisePlan) -> DP:
    """What Laplace and l_inf noise spend: the sensitivity over the scale, exactly."""
    epsilon = plan.sensitivity.amount / plan.scale
    require_within_budget(epsilon, plan.epsilon)
    return DP(epsilon=Enclosure.of(epsilon), delta=Enclosure.of(0), adjacency=plan.adjacency)


def discrete_laplace(sums: Sequence[int], *, l1_sensitivity: int, epsilon: Fraction) -> tuple[list[int], Fraction]:
    """Sums with discrete Laplace noise, and the scale that was used: epsilon-private for that L1 sensitivity.

    The exact privacy spent is l1_sensitivity / scale, which is at most epsilon.
    """
    scale = sampler_scale(Fraction(l1_sensitivity) / epsilon)
    measurement = laplace_measurement(scale)
    require_within_budget(Fraction(measurement.map(l1_sensitivity)), epsilon)
    return run_measurement(measurement, sums), scale


def laplace_measurement(scale: Fraction) -> Any:
    """OpenDP's discrete Laplace noise of that scale on a vector of 64-bit integers."""
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    return dp.m.make_laplace(*space, float(scale))


def run_measurement(measurement: Any, sums: Sequence[int]) -> list[int]:
    """One run of a sampler, after a check that the sums fit."""
    values = [int(value) for value in sums]
    if any(abs(value) > LARGEST_SUM for value in values):
        raise ParameterError("sums", "a value beyond 2^62", "at most 2^62 in size", "noise is drawn in 64 bits")
    return [int(value) for value in measurement(values)]


def require_within_budget(stated: Fraction, budget: Fraction) -> None:
    """Refuse to draw when the sampler says that it would spend more than the budget."""
    if stated > budget:
        raise NotCertified(f"the sampler states a privacy loss of {float(stated):.17g}, above {float(budget):.17g}")


def opendp() -> Any:
    """OpenDP with the exact samplers enabled, or one line that says how to get it."""
    try:
        prelude = importlib.import_module("opendp.prelude")
    except ImportError:
        raise UsageError(
            f"release: OpenDP, which draws exact noise, is not installed: {how_to_install('release')}"
        ) from None
    prelude.enable_features("contrib")
    return prelude
