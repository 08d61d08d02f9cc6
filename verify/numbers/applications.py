"""Section V of bojkovic2024: what the editions say at the settings of the proof pages."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

from bounds.arithmetic.multiprecision import MULTIPRECISION
from verify.numbers.answers import value
from verify.numbers.written import up

PROPORTION: dict[str, Any] = {"proportion": "0.3", "n": 900, "k": 400, "noise_sd": "0.01", "F": 9, "gamma": "0.05"}


def said(theorem: str, route: str, **quantities: Any) -> float:
    """The value of one route of a statement of Section V."""
    return float(value(f"bojkovic2024.{theorem}", route, **quantities).midpoint)


def proportion(route: str) -> float:
    return said("proportion", route, **PROPORTION)


def covered(kind: str, k: int) -> float:
    """How often the usual interval from this many rows covers, in percent."""
    return 100 * said("naive-interval", f"sharp {kind} rows", **{**PROPORTION, "k": k})


def effective_records() -> Fraction:
    return 1 / (Fraction(1, 900) + Fraction(1, 100) ** 2 / (Fraction(3, 10) * Fraction(7, 10)))


def radius(features: int, sd: str = "0.01", gamma: str = "0.05") -> float:
    route = "sharp Gaussian noise on the moments"
    return said("covariance", route, features=features, noise_sd=sd, gamma=gamma, delta="0.01")


def component(route: str, gamma: str = "0.05") -> float:
    known = {"features": 14, "noisy_gap": 1, "noise_sd": "0.01", "second_radius": up(radius(14, gamma=gamma), 6)}
    return said("principal-component", route, gamma=gamma, **known)


def graph(route: str, noisy_least: str, gamma: Any = "0.05") -> float:
    known = {"features": 12, "noise_sd": "0.01", "second_radius": up(radius(12), 6), "column_norm": 10}
    return said("graph", route, gamma=gamma, noisy_least=noisy_least, **known)


def graph_says_nothing() -> bool:
    try:
        graph("corrected least eigenvalue of the noisy matrix", "0.06")
    except StopIteration:
        return True
    return False


def first_radius() -> str:
    length = MULTIPRECISION.sqrt(2 * MULTIPRECISION.gamma_quantile(6, MULTIPRECISION.ratio(1, 40)))
    return up(0.02 * float(length), 6)


def least_squares(route: str) -> float:
    radii = {"first_radius": first_radius(), "second_radius": up(radius(12, gamma="0.025"), 6)}
    noise = {"features": 12, "noise_sd": "0.01", "first_sd": "0.02", "gamma": "0.05"}
    return said("least-squares", route, noisy_least="0.1", noisy_norm=1, **noise, **radii)


def grid(route: str, **more: Any) -> float:
    return said("grid", route, features=10, radius=1, slope=1, grid_error="0.1", **more)


def grid_records() -> float:
    queries = MULTIPRECISION.ratio(20**10)
    return float(2 * queries / MULTIPRECISION.ratio(1, 20) * MULTIPRECISION.log(20 * queries))


# --- chi-square: five equal shares -------------------------------------------------------------------------------

_N, _SD, _CATEGORIES = 5000, 20, 5


def share_error() -> str:
    """A bound on all shares of the noisy counts at gamma/2."""
    return up(_SD / _N * float(MULTIPRECISION.normal_max_quantile(5, MULTIPRECISION.ratio(1, 40))), 4)


def chi_square(route: str, **more: Any) -> float:
    asked = {"categories": _CATEGORIES, "n": _N, "noise_sd": _SD, "inverse_shares": 25}
    return said("chi-square", route, **{**asked, "gamma": "0.05", "delta": "0.05", **more})


def added() -> float:
    """Our reading of the printed correction, with the error of the shares for 8 delta and gamma/2."""
    return chi_square("printed as printed", gamma="0.025", delta=Fraction(share_error()) / 8)


def records_without_noise() -> float:
    return _N / (1 + _CATEGORIES * _SD**2 / _N)


def rejects_from(large: Fraction = Fraction(2, 5)) -> int:
    """Records, all in one category, from which the corrected statistic rejects, with 8 delta this large."""
    share = Fraction(1, _CATEGORIES)
    assert large >= Fraction(2, _CATEGORIES)  # sqrt(K - 1)/K: the printed one never does
    one_category = ((1 - share - large) ** 2 + (_CATEGORIES - 1) * max(share - large, Fraction(0)) ** 2) / share
    return ceil(chi_square("corrected errors taken off the shares") / float(one_category))
