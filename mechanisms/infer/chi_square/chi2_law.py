"""Chi-square distributions, central and noncentral, in floats: tails, critical values, noncentrality for a power.

The noncentral distribution is summed as a series near the origin. Far from it, where the series is too long, it is that
of a power of a normal variable up to less than a hundred-thousandth (Sankaran, Biometrika 1959).
"""

from __future__ import annotations

from math import sqrt

_FAR = 10_000


def upper_tail(value: float, degrees: int, noncentrality: float = 0.0) -> float:
    """The probability of at least this value."""
    from scipy.stats import chi2, ncx2

    if noncentrality > _FAR:
        return _far_tail(value, degrees, noncentrality)
    return float(chi2.sf(value, degrees) if noncentrality <= 0 else ncx2.sf(value, degrees, noncentrality))


def _far_tail(value: float, degrees: int, noncentrality: float) -> float:
    from scipy.stats import norm

    mean, second, third = (degrees + times * noncentrality for times in (1, 2, 3))
    power = 1 - 2 * mean * third / (3 * second**2)
    spread, bend = second / mean**2, (power - 1) * (1 - 3 * power)
    centre = 1 + power * spread * (power - 1 - (2 - power) * bend * spread / 2)
    deviation = power * sqrt(2 * spread) * (1 + bend * spread / 2)
    return float(norm.sf(((value / mean) ** power - centre) / deviation))


def critical_value(probability: float, degrees: int) -> float:
    """The value that is reached with this probability."""
    from scipy.stats import chi2

    return float(chi2.isf(probability, degrees))


def noncentrality_with(probability: float, value: float, degrees: int) -> float:
    """The noncentrality at which the value is reached with this probability; 0 if it is reached that often without."""
    from scipy.optimize import brentq
    from scipy.stats import norm

    if upper_tail(value, degrees) >= probability:
        return 0.0
    # its component along the mean alone makes a normal vector this long with this probability
    most = (sqrt(value) + max(0.0, float(norm.ppf(probability))) + 1) ** 2
    return float(brentq(lambda x: upper_tail(value, degrees, x) - probability, 0.0, most, xtol=1e-9, rtol=1e-12))
