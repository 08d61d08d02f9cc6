"""Numbers on the proof pages of the theorems of zhou2024 on excess risk: every edition and route from its formula."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import cosh, floor, isclose, log, pi, sqrt, tan, tanh
from typing import Any

import numpy as np
from scipy.optimize import linprog

from bounds.approximation.functions import find_function
from bounds.enclosure import Enclosure
from bounds.risk.loss import Loss, loss_on
from bounds.risk.polynomials import RiskPolynomial, of_method, slope_pool
from verify.numbers.answers import values
from verify.numbers.grouped import grouped
from verify.numbers.written import Real, digits_up, scientific_up, up

PRIVATE: dict[str, Any] = {"n": 10**6, "epsilon": "1/2", "dp_delta": "1e-6", "levels": 2, "failure": "1/1048576"}
PRIVATE_SETTING = r"$n=10^6$, $\varepsilon=\frac12$, $\delta=10^{-6}$, $\beta=2^{-20}$"
LIPSCHITZ: dict[str, Any] = {"slope": 1, "at_zero": 1, "radius": 1, "features": 10}
LIPSCHITZ_ROUTES = {"a": "Bernstein, convex loss", "b": "Bernstein", "c": "Jackson"}


def chebyshev_sum(j: int) -> float:
    """t_j, the sum of the absolute coefficients of the Chebyshev polynomial."""
    return ((1 + sqrt(2)) ** j + (1 - sqrt(2)) ** j) / 2


def favard_cost(D: int) -> float:
    """Theta_D of route (h)."""
    terms = ((chebyshev_sum(j) - (j % 2 == 0)) / tan(j * pi / (2 * D + 2)) for j in range(1, D + 1))
    return pi / (2 * D + 2) * sum(terms)


def favard(D: int, s: Real) -> float:
    """Route (h) for K = R = 1."""
    return 2 * pi / (D + 1) + 2 * favard_cost(D) * float(s.midpoint if isinstance(s, Enclosure) else s)


def private_distance(order: int) -> tuple[Enclosure, Enclosure, Fraction]:
    """Standard deviation, nu and s of the sharp edition in the private setting."""
    asked = {name: PRIVATE[name] for name in ("epsilon", "dp_delta")}
    sd = values("zhou2024.sensitivity", features=10, order=order, **asked)["sharp"]
    more = {name: PRIVATE[name] for name in ("levels", "failure")}
    nu = values("zhou2024.marginal-noise", features=10, order=order, noise_sd=sd.hi, **more)["sharp"]
    return sd, nu, nu.hi / PRIVATE["n"]


@grouped
def lipschitz() -> Iterator[Any]:
    for D in (2, 4, 6, 8, 16):
        at = [values("zhou2024.lipschitz", order=D, marginal_error=s, **{**LIPSCHITZ, "features": 20}) for s in (0, 1)]
        bias = {letter: at[0][route] for letter, route in LIPSCHITZ_ROUTES.items()}
        cost = {letter: at[1][route].midpoint - bias[letter].midpoint for letter, route in LIPSCHITZ_ROUTES.items()}
        assert round(cost["a"], 9) == round(cost["b"], 9)
        approximation = [bias[letter] for letter in "abc"]
        marginals = [cost["a"], cost["c"], 2 * favard_cost(D)]
        yield str(D), *approximation, *marginals
    yield [(d, _lipschitz_at(d)) for d in (4, 8)]
    yield 1, 0, 1, 10, "0.001"
    yield [_largest_sum(D) for D in (2, 4, 6)]


def _lipschitz_at(order: int) -> list[Any]:
    s = "0.001"
    found = values("zhou2024.lipschitz", order=order, marginal_error=s, **LIPSCHITZ)
    return [found[e] for e in ("printed", "corrected", *LIPSCHITZ_ROUTES.values())] + [favard(order, Fraction(s))]


def _largest_sum(D: int) -> int:
    """Theorem C: the largest sum of |a_k|, k >= 1, if the polynomial is at most 1 in size at the nodes of T_D."""
    nodes = np.cos(np.arange(D + 1) * pi / D)
    powers = np.vander(nodes, D + 1, increasing=True)
    both, ones = np.vstack([powers, -powers]), np.ones(2 * (D + 1))
    largest: float = max(
        -linprog([0, *(-s for s in signs)], A_ub=both, b_ub=ones, bounds=(None, None)).fun
        for signs in product((1, -1), repeat=D)
    )
    assert abs(largest - (chebyshev_sum(D) - 1)) < 1e-6
    return round(largest)


@grouped
def lipschitz_private() -> Iterator[Any]:
    orders = (2, 4)
    found = [values("zhou2024.lipschitz-private", order=d, **LIPSCHITZ, **PRIVATE) for d in orders]
    for edition in ("printed", "corrected"):
        yield edition, *(digits_up(f[edition], 5) for f in found)
    names = {"a": "sharp (a), convex loss", "b": "sharp (b)", "c": "sharp (c)"}
    for letter, route in LIPSCHITZ_ROUTES.items():
        yield names[letter], *(up(f[route], 4) for f in found)
    yield "sharp (h)", *(up(favard(d, private_distance(d)[2]), 4) for d in orders)
    yield "no data", *(f["no data"] for f in found)
    yield PRIVATE_SETTING


@cache
def logistic_on(radius: int) -> Loss:
    return loss_on(find_function("logistic"), Fraction(radius))


@cache
def near_slope(radius: int, D: int) -> RiskPolynomial:
    """The polynomial whose derivative is closest to that of the loss."""
    return next(p for p in slope_pool(logistic_on(radius), D) if p.degree == D)


def quadratic_bias(radius: int, D: int, s: Fraction | str | int, tilt: Fraction | None = None) -> Enclosure:
    """The theorem with that polynomial, at a quarter of the convexity unless told."""
    loss, polynomial = logistic_on(radius), near_slope(radius, D)
    numbers: dict[str, Any] = {
        "radius": radius, "features": 10, "order": D, "marginal_error": s, "derivative_error": polynomial.slope_error,
        "convexity": loss.convexity, "coefficient_cost": polynomial.cost, "quadratic_cost": polynomial.scaled(2),
        "tilt": loss.convexity / 4 if tilt is None else tilt,
    }  # fmt: skip
    return values("synthbounds.quadratic-bias", **numbers)["sharp"]


def chebyshev_cost(D: int) -> float:
    """A_D of route (i)."""
    return 4 / pi * sum((chebyshev_sum(2 * k) - 1) / (4 * k * k - 1) for k in range(1, D // 2 + 1))


def chebyshev(radius: int, D: int, s: Fraction) -> float:
    """Route (i)."""
    error = values("synthbounds.logistic-chebyshev", radius=radius, half_degree=D // 2)["exact"]
    return 4 * float(error.midpoint) + float(s) * radius * (1 + chebyshev_cost(D) * tanh(radius / 2))


LOGISTIC_ROUTES = {"(a)": "Bernstein", "(c)": "Jackson", "(h)": "Bernstein, even part"}


@grouped
def logistic() -> Iterator[Any]:
    settings, s = ((1, 2), (5, 5)), Fraction(1, 100)
    yield "", *(rf"R={R}$, $m=10$, $d={d}$, $s=0.01" for R, d in settings)
    found = [values("zhou2024.logistic", radius=R, features=10, order=d, marginal_error=s) for R, d in settings]
    for edition in ("printed", "corrected"):
        yield edition, found[0][edition], found[1][edition]
    for letter, route in LOGISTIC_ROUTES.items():
        yield letter, *(f[route] for f in found)
    yield "(i)", *(chebyshev(R, 2 * (d // 2), s) for R, d in settings)
    yield "(d)", *(f["no data"] for f in found)
    best = of_method(logistic_on(1), 2, "minimax")
    yield 2 * best.oscillation.midpoint, 2 * best.cost
    polynomial = near_slope(1, 2)
    assert polynomial.coefficients[1] == -Fraction(1, 2)
    assert polynomial.slope_error is not None
    slope = 2 * polynomial.coefficients[2]
    yield slope, up(polynomial.slope_error, 8)
    bias, at_one = (quadratic_bias(1, 2, s).midpoint for s in (0, 1))
    yield scientific_up(bias, 6), up(at_one - bias, 6)
    yield _chebyshev_by_quadrature()


def _chebyshev_by_quadrature() -> str:
    """The bounds on e_D and S(Q) in (i), from Chebyshev coefficients by the trapezoidal rule."""
    radii, degrees = (Fraction(1, 10), 1, 5, 20, 100), (2, 4, 8)
    angles = (np.arange(2**13) + 0.5) * pi / 2**13
    for R, D in product(map(float, radii), degrees):
        even = np.logaddexp(R / 2 * np.cos(angles), -R / 2 * np.cos(angles))
        series = [2 * float(np.mean(even * np.cos(k * angles))) for k in range(0, D + 1, 2)]
        error = abs(series[0] / 2 + sum((-1) ** k * c for k, c in enumerate(series) if k) - log(2))
        assert error <= 2 * log(cosh(R / 2)) / (pi * (D + 1))
        known = values("synthbounds.logistic-chebyshev", radius=Fraction(R), half_degree=D // 2)["exact"]
        assert abs(error - float(known.midpoint)) < 1e-11
        whole = np.zeros(D + 1)
        whole[::2] = series
        powers = np.polynomial.chebyshev.cheb2poly(whole)
        assert np.abs(powers[1:]).sum() <= R / 2 * chebyshev_cost(D) * tanh(R / 2)
    return f"for $R$ from ${float(radii[0])}$ to ${radii[-1]}$ and $D={','.join(map(str, degrees))}$ by quadrature"


@grouped
def logistic_private() -> Iterator[Any]:
    yield PRIVATE_SETTING
    sd, nu, s = private_distance(2)
    yield up(sd, 3), up(nu, 2)
    found = values("zhou2024.logistic-private", radius=1, features=10, order=2, **PRIVATE)
    shown = [f"{edition} ${up(found[edition], 5)}$" for edition in ("printed", "corrected")]
    shown += [f"sharp (a) ${up(found['Bernstein'], 5)}$", f"(c) ${up(found['Jackson'], 5)}$"]
    shown += [f"(i) ${up(chebyshev(1, 2, s), 6)}$"]
    best = of_method(logistic_on(1), 2, "minimax")
    given = 2 * best.oscillation.midpoint + 2 * s * best.cost
    yield ", ".join(shown), up(given, 6)
    yield up(quadratic_bias(1, 2, s), 6), found["no data"]


@grouped
def lower() -> Iterator[Any]:
    for log_n, c in ((24, 1), (62, 2), (200, 1)):
        found = values("zhou2024.lower", log_n=log_n, query_constant=c)
        routes = ("printed", "corrected", "error near 1/2", "separator")
        cells = [found.get(r, "empty") for r in routes]
        most = floor(log_n / (7 * log(max(log_n / c, 9)) + log(5)))
        yield f"${log_n}$", f"${c}$", *cells, f"${most}$"


@grouped
def upper_half() -> Iterator[Any]:
    share = Fraction(1, 5)
    for log_n, shown in ((200, "200"), (1000, "1000"), (10**4, "10^4")):
        d = floor(share * log_n / Fraction(3 * log(log_n)))
        found = values("zhou2024.upper-half", log_n=log_n, order=d)
        printed, corrected = (found[edition] for edition in ("printed", "corrected"))
        assert isclose(printed.midpoint, corrected.midpoint, rel_tol=1e-5)
        below = values("zhou2024.lower", log_n=log_n, query_constant=2)["separator"]
        sharp = (found[route] for route in ("Bernstein", "best polynomial"))
        yield f"${shown}$", str(d), printed, *sharp, below
