"""Exact discrete noise for releases: OpenDP's samplers on vectors of integers, randomness from the operating system.

There is no parameter for a seed or a generator, and numpy's random numbers are not imported here or in anything that
this module imports. What is charged is exact; on a lattice it is compared with what the sampler
states before it draws, and for rounded Gaussian noise it is what its deviations were computed from.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil
from types import SimpleNamespace
from typing import Any

from bounds.enclosure import Enclosure
from bounds.errors import NotCertified, ParameterError, UsageError, how_to_install
from bounds.privacy.concentrated import zcdp_epsilon
from bounds.privacy.statements import DP, ZCDP
from release.noise.cube import sample_cube
from release.noise.kinds import NORM_OF, Noise, NoiseKind
from release.noise.rounded_gaussian import rounded_gaussian
from release.noise.scales import LARGEST_SUM, double_at_least

_ROUNDING = Fraction(1, 2**47)
"""Samplers state their privacy in doubles, rounded up; the charge is exact. Scales leave more room than this, so that
the statement never exceeds the charge."""


def with_exact_noise(noise: Noise, values: Sequence[int]) -> tuple[int, ...]:
    """The values with noise, for publication. Draw once: every further call spends as much again."""
    return tuple(_DRAW[noise.kind](noise, values))


def _laplace(noise: Noise, values: Sequence[int]) -> list[int]:
    _require_norm(noise)
    measurement = laplace_measurement(_one_scale(noise))
    stated = DP(
        epsilon=Enclosure.of(Fraction(measurement.map(ceil(noise.sensitivity.amount)))),
        delta=Enclosure.of(0),
        adjacency=noise.sensitivity.adjacency,
    )
    _require_stated(stated, noise)
    return run_measurement(measurement, values)


def _linf(noise: Noise, values: Sequence[int]) -> list[int]:
    _require_norm(noise)
    epsilon = Enclosure.of(noise.sensitivity.amount / _one_scale(noise))
    _require_stated(DP(epsilon=epsilon, delta=Enclosure.of(0), adjacency=noise.sensitivity.adjacency), noise)
    drawn = sample_cube(noise.count, scale=_one_scale(noise))
    return [int(value) + more for value, more in zip(values, drawn, strict=True)]


def _gaussian(noise: Noise, values: Sequence[int]) -> list[int]:
    _require_norm(noise)
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T=float)
    measurement = dp.m.make_gaussian(*space, float(_one_scale(noise)))
    rho = Fraction(measurement.map(double_at_least(noise.sensitivity.value.hi)))
    cost = noise.cost
    if isinstance(cost, DP):
        stated = ZCDP(rho=Enclosure.of(rho), adjacency=cost.adjacency)
        _require_stated(zcdp_epsilon(stated, dp_delta=cost.delta.hi), noise)
    elif not isinstance(cost, ZCDP):
        raise UsageError("cost: discrete Gaussian noise is paid in rho, or in epsilon and dp_delta")
    elif rho > cost.rho.hi:
        raise NotCertified(f"the sampler states rho = {float(rho):.17g}, above {float(cost.rho.hi):.17g}")
    booked = noise.additive_cost
    assert isinstance(booked, ZCDP)
    if rho > booked.rho.hi * (1 + _ROUNDING):
        raise NotCertified(f"the sampler states rho = {float(rho):.17g}, above {float(booked.rho.hi):.17g}")
    return run_measurement(measurement, values)


def _rounded_gaussian(noise: Noise, values: Sequence[int]) -> list[int]:
    scales = noise.scales if isinstance(noise.scales, tuple) else (noise.scales,) * noise.count
    return [int(value) + rounded_gaussian(sd, 1)[0] for value, sd in zip(values, scales, strict=True)]


_DRAW: dict[NoiseKind, Callable[[Noise, Sequence[int]], list[int]]] = {
    "laplace": _laplace,
    "linf": _linf,
    "gaussian": _gaussian,
    "rounded-gaussian": _rounded_gaussian,
}


def _require_norm(noise: Noise) -> None:
    if noise.sensitivity.adjacency is not noise.cost.adjacency:
        raise UsageError("adjacency: sensitivity and cost of the noise are about different pairs of data sets")
    if noise.sensitivity.norm != NORM_OF[noise.kind]:  # type: ignore[index]
        raise UsageError(f"sensitivity = {noise.sensitivity.norm}: not the one that {noise.kind} noise is made for")


def _one_scale(noise: Noise) -> Fraction:
    assert not isinstance(noise.scales, tuple)
    return noise.scales


def _require_stated(stated: DP, noise: Noise) -> None:
    """Refuse to draw if the sampler itself states that it would spend more than was charged, but for its rounding."""
    charged = noise.cost
    assert isinstance(charged, DP)
    if stated.epsilon.hi > charged.epsilon.hi * (1 + _ROUNDING) or stated.delta.hi > charged.delta.hi:
        shown = float(stated.epsilon.hi), float(charged.epsilon.hi)
        raise NotCertified(f"the sampler states a privacy loss of {shown[0]:.17g}, above {shown[1]:.17g}")


def laplace_measurement(scale: Fraction) -> Any:
    """OpenDP's discrete Laplace noise of this scale on a vector of 64-bit integers."""
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    return dp.m.make_laplace(*space, float(scale))


def run_measurement(measurement: Any, sums: Sequence[int]) -> list[int]:
    """One run of a sampler, after a check that the sums fit."""
    values = [int(value) for value in sums]
    if any(abs(value) > LARGEST_SUM for value in values):
        raise ParameterError("sums", "a value beyond 2^62", "at most 2^62 in size", "noise is drawn in 64 bits")
    return [int(value) for value in measurement(values)]


def opendp() -> Any:
    """The parts of OpenDP that are used, with the exact samplers enabled, or one line that says how to install it.

    Its prelude would import scikit-learn, if that is installed, and take a second.
    """
    try:
        names = ("domains", "metrics", "measurements", "mod")
        domains, metrics, measurements, mod = (importlib.import_module(f"opendp.{name}") for name in names)
    except ImportError:
        raise UsageError(
            f"release: OpenDP, which draws exact noise, is not installed: {how_to_install('release')}"
        ) from None
    mod.enable_features("contrib")
    return SimpleNamespace(
        vector_domain=domains.vector_domain,
        atom_domain=domains.atom_domain,
        l1_distance=metrics.l1_distance,
        l2_distance=metrics.l2_distance,
        m=measurements,
    )
