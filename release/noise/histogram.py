"""Noisy counts for a histogram, in either mode: exact discrete Laplace noise, or numpy's for a simulation.

This module only chooses between the two; the exact noise is in release.noise.exact, the other in
release.noise.simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.errors import ParameterError, UsageError
from bounds.exact import Exact, parse_rational, require_range

if TYPE_CHECKING:
    import numpy as np

MODES = ("release", "simulate")


@dataclass(frozen=True, kw_only=True)
class NoisyCounts:
    """Counts with Laplace noise: integers in a release, floats in a simulation.

    `epsilon_spent` is exact, for neighbours whose counts differ by at most `sensitivity` in L1; a simulation spends
    nothing and promises nothing, and there it is None.
    """

    values: tuple[int, ...] | tuple[float, ...]
    scale: Fraction
    sensitivity: int
    epsilon_spent: Fraction | None
    simulated: bool


def noisy_counts(
    counts: Sequence[int],
    *,
    sensitivity: int,
    epsilon: Exact,
    mode: str,
    generator: np.random.Generator | None = None,
) -> NoisyCounts:
    """Counts with Laplace noise of scale sensitivity / epsilon, or a double just above it in a release.

    A simulation needs a `generator`; a release refuses one. The L1 sensitivity of a histogram is 2 for replace-one
    and 1 for add-remove.
    """
    if mode not in MODES:
        raise ParameterError("mode", mode, "release or simulate")
    value = parse_rational(epsilon, "epsilon")
    require_range("epsilon", value, epsilon, above=0)
    require_range("sensitivity", sensitivity, sensitivity, least=1)
    if mode == "release":
        if generator is not None:
            raise UsageError("generator: a release takes its randomness from the operating system; give none")
        from release.noise.exact import discrete_laplace

        noisy, scale = discrete_laplace(counts, l1_sensitivity=sensitivity, epsilon=value)
        return NoisyCounts(
            values=tuple(noisy),
            scale=scale,
            sensitivity=sensitivity,
            epsilon_spent=sensitivity / scale,
            simulated=False,
        )
    if generator is None:
        raise UsageError("generator: a simulation needs a numpy generator")
    from release.noise.simulated import continuous_laplace

    scale = sensitivity / value
    drawn = continuous_laplace(counts, scale=scale, generator=generator)
    return NoisyCounts(
        values=tuple(drawn.tolist()), scale=scale, sensitivity=sensitivity, epsilon_spent=None, simulated=True
    )
