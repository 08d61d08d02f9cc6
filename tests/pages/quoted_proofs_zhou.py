"""Numbers on the proof pages of the lemmas of zhou2024: polynomials, noise and conversions, each from its formula."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import ceil, comb, exp, floor, log10, sqrt
from typing import Any

import numpy as np
import sympy
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import erf
from scipy.stats import norm

import synthbounds as sb
from bounds.arithmetic.vector import VectorArithmetic
from bounds.enclosure import Enclosure
from bounds.pieces.marginal_noise import chernoff_nu, concentration_nu, corrected_nu, sharp_nu
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.concentrated import largest_rho
from bounds.privacy.gaussian import classical_valid_up_to, gaussian_epsilon
from bounds.privacy.statements import GaussianDP
from bounds.quantities import Quantities
from tests.pages.quoted import SETTING, Page

Real = Enclosure | Fraction | float | int
NEAREST, UP, DOWN = "nearest", "up", "down"
_NEGLIGIBLE = Fraction(1, 10**9)
"""Of a unit of the last place: what an enclosure of an exact number may be beside it."""


def fixed(value: Real, places: int, rounding: str = NEAREST) -> str:
    """With that many places after the point."""
    scaled = (value.midpoint if isinstance(value, Enclosure) else Fraction(value)) * 10**places
    whole = {NEAREST: round(scaled), UP: ceil(scaled - _NEGLIGIBLE), DOWN: floor(scaled + _NEGLIGIBLE)}[rounding]
    return f"{Decimal(whole).scaleb(-places):f}"


def digits(value: Real, count: int, rounding: str = NEAREST) -> str:
    """With that many significant digits, written out."""
    return fixed(value, count - 1 - _power(value), rounding)


def scientific(value: Real, count: int, rounding: str = NEAREST) -> str:
    """With that many significant digits, as a number from 1 to 10 times a power of ten."""
    power = _power(value)
    exact = value.midpoint if isinstance(value, Enclosure) else Fraction(value)
    shown = fixed(exact / Fraction(10) ** power, count - 1, rounding)
    return rf"{shown}\cdot10^{power if 0 <= power < 10 else f'{{{power}}}'}"


def _power(value: Real) -> int:
    return floor(log10(float(value.midpoint if isinstance(value, Enclosure) else value)))


def tex_fraction(value: Fraction) -> str:
    top, bottom = (str(n) if n < 10 else f"{{{n}}}" for n in (value.numerator, value.denominator))
    return rf"\frac{top}{bottom}"


def row(*cells: str, plain: int = 1) -> str:
    """A row of a table; so many first cells as they are, the others in maths."""
    return f"| {' | '.join([*cells[:plain], *(f'${cell}$' for cell in cells[plain:])])} |"


def values(theorem: str, **numbers: Any) -> dict[str, Enclosure]:
    """What a statement gives, by edition (its first route) and by route."""
    found: dict[str, Enclosure] = {}
    for result in sb.evaluate(theorem, **numbers):
        if result.value is not None:
            found.setdefault(result.edition, result.value)
            found[result.route] = result.value
    return found


def _aim_confidence() -> Iterator[str]:
    asked: dict[str, Any] = {
        "weight": 5, "selected_weight": 10, "largest_weight": 12, "cells": 40, "selected_cells": 60, "candidates": 100,
        "noise_sd": 20, "epsilon": "0.5", "residual": 900, "noise_deviations": 3, "choice_exponent": 4,
    }  # fmt: skip
    yield (
        "Weights $w_q={weight}$, $w_{{q_i}}={selected_weight}$, $\\Delta={largest_weight}$, cells $n_q={cells}$, "
        "$n_{{q_i}}={selected_cells}$, ${candidates}$ candidates, $\\sigma={noise_sd}$, $\\varepsilon={epsilon}$, "
        "$r={residual}$, $\\lambda_1={noise_deviations}$ and $\\lambda_2={choice_exponent}$"
    ).format(**asked)
    first, second = exp(-(Fraction(asked["noise_deviations"]) ** 2) / 2), exp(-Fraction(asked["choice_exponent"]))
    yield f"the failure probability is ${fixed(first + second, 4, UP)}$"
    found = values("zhou2024.aim-confidence", **asked)
    shown = ", ".join(f"{edition} ${fixed(found[edition], 2, UP)}$" for edition in ("printed", "corrected", "sharp"))
    yield f"{shown}, where $\\kappa={fixed(norm.isf(first), 5, UP)}$"


def _bernstein_continuous() -> Iterator[str]:
    """E ceil(lambda) just below the point, in exact algebra: the share k/D counts twice where it is 1/sqrt(D) off."""
    D, k = 6, 5
    root = sympy.sqrt(D)
    u = sympy.Rational(k, D) - 1 / root
    counts = [sympy.ceiling(root * abs(sympy.Rational(i, D) - u)) for i in range(D + 1)]
    assert counts[k] == 1
    counts[k] += 1
    mean = sympy.expand(sum(c * comb(D, i) * u**i * (1 - u) ** (D - i) for i, c in enumerate(counts)))
    plain, of_root = mean.coeff(root, 0), mean.coeff(root, 1)
    bottom = sympy.ilcm(plain.q, of_root.q)
    quoted = values("zhou2024.bernstein-continuous", omega=1, edition="sharp")["Sikkema"]
    assert abs(float(quoted.midpoint) - float(mean)) < 1e-14
    yield rf"$E\lceil\lambda\rceil$ tends to $\frac{{{plain * bottom}+{of_root * bottom}\sqrt{D}}}{{{bottom}}}$"


def _bernstein_lipschitz() -> Iterator[str]:
    cells = []
    for D in (1, 2, 3, 4, 5, 6, 8, 10):
        value = values("zhou2024.bernstein-lipschitz", edition="sharp", slope=1, width=1, D=D)["mean deviation"]
        exact = value.midpoint.limit_denominator(30)
        short = abs(exact - value.midpoint) < Fraction(1, 10**15)
        cells.append(tex_fraction(exact) if short else fixed(value, 5 if D == 4 else 6))
    yield row(r"$\mu_D$", *cells)
    yield "| $D$ | 1 | 2 | 3 | 4 | 5 | 6 | 8 | 10 |"


def _bernstein_smooth() -> Iterator[str]:
    degrees = (1, 2, 3, 4, 8)
    bounds = [
        values("zhou2024.bernstein-smooth", edition="sharp", curvature="1/4", width=2, D=D)["sharp"] for D in degrees
    ]
    yield row("bound", *(fixed(b, 6).rstrip("0") for b in bounds))
    errors = [sb.approximate("logistic", interval=(-1, 1), degree=D, method="bernstein").error for D in degrees]
    yield row("error", *(fixed(e, 9) for e in errors))


def largest_coefficient_sum(half_width: int, D: int) -> Fraction:
    """Of all Bernstein polynomials on [-a, a] of functions up to 1 in size: the most is reached at signs."""

    def basis(k: int) -> list[int]:
        """(a + x)^k (a - x)^(D - k), by powers of x."""
        polynomial = np.polynomial.Polynomial([1])
        for sign in [1] * k + [-1] * (D - k):
            polynomial *= np.polynomial.Polynomial([half_width, sign])
        return [comb(D, k) * int(c) for c in polynomial.coef]

    matrix = np.array([basis(k) for k in range(D + 1)])
    signs = np.array([(1, *rest) for rest in product((1, -1), repeat=D)])
    return Fraction(int(np.abs(signs @ matrix).sum(axis=1).max()), (2 * half_width) ** D)


def _coefficient_sum() -> Iterator[str]:
    degrees = (4, 8)
    found = [values("zhou2024.coefficient-sum", edition="sharp", norm=1, left=2, right=2, D=D) for D in degrees]
    attained = [fixed(largest_coefficient_sum(2, D), 5) for D in degrees]
    a, b = ([fixed(f[route], 4) for f in found] for route in ("binomial theorem", "orthogonality"))
    yield f"the largest coefficient sum is ${attained[0]}$ at $D=4$ and ${attained[1]}$ at $D=8$ (all signs tried)"
    yield f"(b) gives ${b[0]}$ and ${b[1]}$, (a) gives ${a[0]}$ and ${a[1]}$"


def _gaussian_mechanism() -> Iterator[str]:
    def ratios(epsilon: str, dp_delta: str) -> tuple[Fraction, Fraction]:
        found = values("zhou2024.gaussian-mechanism", epsilon=epsilon, dp_delta=dp_delta)
        return found["corrected"].midpoint, found["sharp"].midpoint

    for delta, shown in (("0.9", "0.9"), *((f"1e-{k}", f"10^{{-{k}}}") for k in (2, 5, 6, 9))):
        limit = fixed(classical_valid_up_to(delta, adjacency="replace-one"), 8, DOWN)
        quotients = [classical / least for classical, least in (ratios(e, delta) for e in ("0.1", "1", "3"))]
        yield row(f"${shown}$", limit, *(digits(x, 5, UP) for x in quotients))
    yield r"| $\delta$ | $\varepsilon^{\ast}(\delta)$ | $\varepsilon=0.1$ | $\varepsilon=1$ | $\varepsilon=3$ |"
    classical, least = (fixed(x, 8) for x in ratios("1", "1e-5"))
    yield rf"At $\varepsilon=1$, $\delta=10^{{-5}}$ the ratios are ${classical}$ and ${least}$."


def largest_noise_quantile(sets: int, cells: int, failure: Fraction) -> float:
    """What the largest of so many independent sums of |g|, g standard normal, exceeds with the failure probability.

    The sums by convolution of half-normal masses on a lattice; that of each number lies at the middle of its cell.
    """
    step, length = 1 / 1024, 10 + cells + 8 * sqrt(cells)
    edges = np.arange(0, length, step) / sqrt(2)
    size = next_fast_len(len(edges))
    law = irfft(rfft(np.diff(erf(edges)), size) ** cells, size)
    missed = np.cumsum(law[::-1])[::-1]
    allowed = -np.expm1(np.log1p(-float(failure)) / sets)
    return step * (int(np.argmax(missed <= allowed)) + cells / 2 - 0.5)


def _marginal_noise() -> Iterator[str]:
    yield r"| $m$, $l$, $d$, $\beta$ | printed | corrected | sharp | Chernoff | closed form | by convolution |"
    for m, levels, d, k in ((4, 2, 2, 5), (4, 4, 3, 5), (2, 2, 2, 5), (10, 2, 2, 20)):
        beta = Fraction(1, 2**k)
        found = values("zhou2024.marginal-noise", features=m, levels=levels, order=d, noise_sd=1, failure=beta)
        names = ("printed", "corrected", "sharp", "Chernoff's bound", "Gaussian concentration")
        exact = 2 * largest_noise_quantile(comb(m + 1, d), levels**d, beta)
        assert abs(exact / float(found["sharp"].lo) - 1) < 1e-4
        cells = [*(digits(found[name], 6, UP) for name in names), digits(exact, 4)]
        yield row(f"{m}, {levels}, {d}, $2^{{-{k}}}$", *cells)
    yield from _sharp_against_corrected()


def _sharp_against_corrected() -> Iterator[str]:
    most, orders, levels, failures = 29, 7, (2, 3, 5, 10), (1e-9, 1e-6, 1e-3, 0.05, 0.5, 0.9, 0.999)
    grid = np.array([
        at
        for at in product(range(1, most + 1), range(1, orders + 1), levels, failures)
        if at[1] <= at[0] + 1
    ])  # fmt: skip
    names = ("features", "order", "levels", "failure")
    A = VectorArithmetic()
    q = Quantities(A, {**dict(zip(names, grid.T, strict=True)), "noise_sd": np.float64(1)})
    chernoff, closed, corrected = (nu(q, A) for nu in (chernoff_nu, concentration_nu, corrected_nu))
    assert (chernoff <= closed).all()
    some = Quantities(A, {**dict(zip(names, grid[::40].T, strict=True)), "noise_sd": np.float64(1)})
    assert (sharp_nu(some, A) <= chernoff[::40]).all()
    yield (
        rf"for $m\le{most}$, $d\le{orders}$, $l\in\lbrace{','.join(map(str, levels))}\rbrace$ and $\beta$ from "
        rf"$10^{{{round(log10(failures[0]))}}}$ to ${failures[-1]}$ on a grid: the largest quotient is "
        f"${fixed(float((closed / corrected).max()), 3, UP)}$, rounded up"
    )


def _phi_gamma() -> Iterator[str]:
    for gamma in ("0.1", "0.01"):
        facts = values("zhou2024.phi-gamma", edition="sharp", margin=gamma)
        bound = values("zhou2024.phi-gamma-bernstein", edition="sharp", margin=gamma, D=9)["mean deviation"]
        error = sb.approximate(f"gamma-phi-gamma:{gamma}", interval=(-1, 1), degree=9, method="bernstein").error
        exact = [fixed(facts[name], 4).rstrip("0") for name in ("slope", "convexity", "range")]
        yield row(f"${gamma}$", *exact, fixed(bound, 6), fixed(error, 6))


def _polynomial_risk() -> Iterator[str]:
    asked = {"slope": 1, "at_zero": 0, "radius": 1, "features": 10, "order": 5, "marginal_error": "0.01"}
    setting = r"$K={slope}$, $\varphi(0)={at_zero}$, $R={radius}$, $m={features}$, $d={order}$, $s={marginal_error}$"
    yield setting.format(**asked)
    found = values("zhou2024.polynomial-risk", **asked)
    printed, corrected, sharp = (float(found[edition].midpoint) for edition in ("printed", "corrected", "sharp"))
    yield f"printed ${printed:g}$, corrected ${corrected:g}$, sharp ${sharp:g}$"


def _risk_approximation() -> Iterator[str]:
    at_zero = Fraction(sum(comb(4, k) * abs(2 * k - 4) for k in range(5)), 4 * 2**4)
    for radius, shown in ((Fraction(1, 4), r"\frac14"), (Fraction(5), "5")):
        found = values("zhou2024.risk-approximation", slope=1, radius=radius, order=5)
        printed, *others = (f"${float(found[edition].midpoint):g}$" for edition in ("printed", "corrected", "sharp"))
        # below R = 1 the polynomial is taken on [-1, 1], and |z| has this error at 0
        fails = radius < 1 and found["printed"].hi < at_zero
        yield row(f"${shown}$", printed + " (fails)" * fails, *others, plain=4)


def _sensitivity() -> Iterator[str]:
    for m, d in ((10, 2), (3, 2), (1, 2)):
        found = values("zhou2024.sensitivity", features=m, order=d, epsilon="1/2", dp_delta="1e-6")
        least = float(found["sharp"].midpoint) / sqrt(2 * comb(m + 1, d))
        needed = least * sqrt(2 * sum(comb(m + 1, i) for i in range(1, d + 1)))
        printed, *others = (f"${fixed(found[edition], 3, UP)}$" for edition in ("printed", "corrected", "sharp"))
        yield row(f"{m}, {d}", printed + " (not private)" * (found["printed"].hi < needed), *others, plain=4)


def _zcdp() -> Iterator[str]:
    for rho, k in (("0.1", 6), ("0.5", 5), ("1", 6), ("0.01", 5)):
        delta = Fraction(1, 10**k)
        found = values("zhou2024.zcdp", edition="sharp", zcdp=rho, dp_delta=delta)
        noise = GaussianDP(mu_squared=2 * Fraction(rho), adjacency=Adjacency.REPLACE_ONE)
        exact = gaussian_epsilon(noise, dp_delta=delta).epsilon
        epsilons = (found["best order"], found["closed form"], exact)
        yield row(f"${rho}$", f"10^{{-{k}}}", *(fixed(e, 9) for e in epsilons))
    n = 48842
    first, second = (
        fixed(largest_rho(epsilon=epsilon, dp_delta=Fraction(1, n**2), adjacency="replace-one").rho, 9, DOWN)
        for epsilon in (1, 2)
    )
    yield rf"records of Adult $\rho={first}$ at $\varepsilon=1$ and ${second}$ at $\varepsilon=2$, rounded down"


PAGES = {
    "zhou2024.aim-confidence": Page(_aim_confidence),
    "zhou2024.bernstein-continuous": Page(_bernstein_continuous),
    "zhou2024.bernstein-lipschitz": Page(_bernstein_lipschitz),
    "zhou2024.bernstein-smooth": Page(_bernstein_smooth),
    "zhou2024.coefficient-sum": Page(_coefficient_sum),
    "zhou2024.gaussian-mechanism": Page(_gaussian_mechanism),
    "zhou2024.marginal-noise": Page(_marginal_noise),
    "zhou2024.phi-gamma": Page(_phi_gamma),
    "zhou2024.polynomial-risk": Page(_polynomial_risk),
    "zhou2024.risk-approximation": Page(_risk_approximation),
    "zhou2024.sensitivity": Page(_sensitivity, {SETTING: (r"$\delta=10^{-6}$",)}),
    "zhou2024.zcdp": Page(_zcdp, {SETTING: ("for the $n=48842$ records of Adult",)}),
}
