"""Exact discrete noise for releases: OpenDP's samplers on vectors of integers, randomness from the operating system.

There is no parameter for a seed or a generator, and numpy's random numbers are not imported here or in anything that
this module imports. What is spent is computed exactly and compared with the sampler's own statement.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from bounds.errors import NotCertified, ParameterError, UsageError
from lp.noise.scales import sampler_scale

LARGEST_SUM = 2**62
"""Sums must fit into 64 bits. The samplers saturate there, which only brings a noisy sum nearer to the true one."""


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
        raise UsageError("release: OpenDP, which draws exact noise, is missing: install synthbounds[release]") from None
    prelude.enable_features("contrib")
    return prelude
