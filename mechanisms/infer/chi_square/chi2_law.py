"""Chi-square laws, central and not, in floats: tails, critical values, and the noncentrality that a power needs."""

from __future__ import annotations

from math import inf

_LARGEST = 1e12


def upper_tail(value: float, degrees: int, noncentrality: float = 0.0) -> float:
    """The probability of at least this value."""
    from scipy.stats import chi2, ncx2

    return float(chi2.sf(value, degrees) if noncentrality <= 0 else ncx2.sf(value, degrees, noncentrality))


def critical_value(probability: float, degrees: int) -> float:
    """What is reached with this probability."""
    from scipy.stats import chi2

    return float(chi2.isf(probability, degrees))


def noncentrality_with(probability: float, value: float, degrees: int) -> float:
    """The one with which the value is reached with this probability; 0 where it is reached so often without."""
    from scipy.optimize import brentq

    if upper_tail(value, degrees) >= probability:
        return 0.0
    most = max(1.0, value)
    while upper_tail(value, degrees, most) < probability:
        most *= 2
        if most > _LARGEST:
            return inf
    return float(brentq(lambda x: upper_tail(value, degrees, x) - probability, 0.0, most, xtol=1e-9, rtol=1e-12))
