"""Numbers on the proof pages of the lemmas of zhou2024: polynomials, noise and conversions, each from its formula."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb, exp, log10, sqrt
from typing import Any

import numpy as np
import sympy
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import erf
from scipy.stats import norm

from bounds.approximation.approximate import approximate
from bounds.arithmetic.vector import VectorArithmetic
from bounds.pieces.marginal_noise import chernoff_nu, concentration_nu, corrected_nu, sharp_nu
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.concentrated import largest_rho
from bounds.privacy.gaussian import classical_valid_up_to, gaussian_epsilon
from bounds.privacy.statements import GaussianDP
from bounds.quantities import Quantities
from verify.numbers.answers import values
from verify.numbers.grouped import grouped
from verify.numbers.written import digits_up, down, up


@grouped
def aim_confidence() -> Iterator[Any]:
    asked: dict[str, Any] = {
        "weight": 5, "selected_weight": 10, "largest_weight": 12, "cells": 40, "selected_cells": 60, "candidates": 100,
        "noise_sd": 20, "epsilon": "0.5", "residual": 900, "noise_deviations": 3, "choice_exponent": 4,
    }  # fmt: skip
    yield list(asked.values())
    first, second = exp(-(Fraction(asked["noise_deviations"]) ** 2) / 2), exp(-Fraction(asked["choice_exponent"]))
    yield up(first + second, 4)
    found = values("zhou2024.aim-confidence", **asked)
    shown = ", ".join(f"{edition} ${up(found[edition], 2)}$" for edition in ("printed", "corrected", "sharp"))
    yield shown, up(norm.isf(first), 5)


@grouped
def bernstein_continuous() -> Iterator[Any]:
    """E ceil(lambda) just below the point, in exact algebra: the share k/D counts twice if it is 1/sqrt(D) off."""
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
    yield int(plain * bottom), int(of_root * bottom), int(bottom)


@grouped
def bernstein_lipschitz() -> Iterator[Any]:
    cells = []
    for D in (1, 2, 3, 4, 5, 6, 8, 10):
        value = values("zhou2024.bernstein-lipschitz", edition="sharp", slope=1, width=1, D=D)["mean deviation"]
        exact = value.midpoint.limit_denominator(30)
        short = abs(exact - value.midpoint) < Fraction(1, 10**15)
        cells.append(exact if short else value)
    yield r"$\mu_D$", *cells
    yield "| $D$ | 1 | 2 | 3 | 4 | 5 | 6 | 8 | 10 |"


@grouped
def bernstein_smooth() -> Iterator[Any]:
    degrees = (1, 2, 3, 4, 8)
    bounds = [
        values("zhou2024.bernstein-smooth", edition="sharp", curvature="1/4", width=2, D=D)["sharp"] for D in degrees
    ]
    yield "bound", *bounds
    errors = [approximate("logistic", interval=(-1, 1), degree=D, method="bernstein").error for D in degrees]
    yield "error", *(e for e in errors)


def largest_coefficient_sum(half_width: int, D: int) -> Fraction:
    """Largest over all Bernstein polynomials on [-a, a] of functions bounded by 1: attained at signs."""

    def basis(k: int) -> list[int]:
        """(a + x)^k (a - x)^(D - k), by powers of x."""
        polynomial = np.polynomial.Polynomial([1])
        for sign in [1] * k + [-1] * (D - k):
            polynomial *= np.polynomial.Polynomial([half_width, sign])
        return [comb(D, k) * int(c) for c in polynomial.coef]

    matrix = np.array([basis(k) for k in range(D + 1)])
    signs = np.array([(1, *rest) for rest in product((1, -1), repeat=D)])
    return Fraction(int(np.abs(signs @ matrix).sum(axis=1).max()), (2 * half_width) ** D)


@grouped
def coefficient_sum() -> Iterator[Any]:
    degrees = (4, 8)
    found = [values("zhou2024.coefficient-sum", edition="sharp", norm=1, left=2, right=2, D=D) for D in degrees]
    attained = [largest_coefficient_sum(2, D) for D in degrees]
    a, b = ([f[route] for f in found] for route in ("binomial theorem", "orthogonality"))
    yield attained[0], 4, attained[1]
    yield b[0], b[1], a[0], a[1]


@grouped
def gaussian_mechanism() -> Iterator[Any]:
    def ratios(epsilon: str, dp_delta: str) -> tuple[Fraction, Fraction]:
        found = values("zhou2024.gaussian-mechanism", epsilon=epsilon, dp_delta=dp_delta)
        return found["corrected"].midpoint, found["sharp"].midpoint

    for delta, shown in (("0.9", "0.9"), *((f"1e-{k}", f"10^{{-{k}}}") for k in (2, 5, 6, 9))):
        limit = down(classical_valid_up_to(delta, adjacency="replace-one"), 8)
        quotients = [classical / least for classical, least in (ratios(e, delta) for e in ("0.1", "1", "3"))]
        yield f"${shown}$", limit, *(digits_up(x, 5) for x in quotients)
    yield r"| $\delta$ | $\varepsilon^{\ast}(\delta)$ | $\varepsilon=0.1$ | $\varepsilon=1$ | $\varepsilon=3$ |"
    classical, least = (x for x in ratios("1", "1e-5"))
    yield classical, least


def largest_noise_quantile(sets: int, cells: int, failure: Fraction) -> float:
    """What the largest of this many independent sums of |g|, g standard normal, exceeds with the failure probability.

    The sums by convolution of half-normal masses on a lattice; the mass of each number lies at the middle of its cell.
    """
    step, length = 1 / 1024, 10 + cells + 8 * sqrt(cells)
    edges = np.arange(0, length, step) / sqrt(2)
    size = next_fast_len(len(edges))
    law = irfft(rfft(np.diff(erf(edges)), size) ** cells, size)
    missed = np.cumsum(law[::-1])[::-1]
    allowed = -np.expm1(np.log1p(-float(failure)) / sets)
    return step * (int(np.argmax(missed <= allowed)) + cells / 2 - 0.5)


@grouped
def marginal_noise() -> Iterator[Any]:
    yield r"| $m$, $l$, $d$, $\beta$ | printed | corrected | sharp | Chernoff | closed form | by convolution |"
    for m, levels, d, k in ((4, 2, 2, 5), (4, 4, 3, 5), (2, 2, 2, 5), (10, 2, 2, 20)):
        beta = Fraction(1, 2**k)
        found = values("zhou2024.marginal-noise", features=m, levels=levels, order=d, noise_sd=1, failure=beta)
        names = ("printed", "corrected", "sharp", "Chernoff's bound", "Gaussian concentration")
        exact = 2 * largest_noise_quantile(comb(m + 1, d), levels**d, beta)
        assert abs(exact / float(found["sharp"].lo) - 1) < 1e-4
        cells = [*(digits_up(found[name], 6) for name in names), exact]
        yield f"{m}, {levels}, {d}, $2^{{-{k}}}$", *cells
    yield from _sharp_against_corrected()


def _sharp_against_corrected() -> Iterator[Any]:
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
    quotient = up(float((closed / corrected).max()), 3)
    yield most, orders, *levels[1:], f"10^{{{round(log10(failures[0]))}}}", str(failures[-1]), quotient


@grouped
def phi_gamma() -> Iterator[Any]:
    for gamma in ("0.1", "0.01"):
        facts = values("zhou2024.phi-gamma", edition="sharp", margin=gamma)
        bound = values("zhou2024.phi-gamma-bernstein", edition="sharp", margin=gamma, D=9)["mean deviation"]
        error = approximate(f"gamma-phi-gamma:{gamma}", interval=(-1, 1), degree=9, method="bernstein").error
        exact = [facts[name] for name in ("slope", "convexity", "range")]
        yield f"${gamma}$", *exact, bound, error


@grouped
def polynomial_risk() -> Iterator[Any]:
    asked = {"slope": 1, "at_zero": 0, "radius": 1, "features": 10, "order": 5, "marginal_error": "0.01"}
    yield asked["slope"], 0, list(asked.values())[1:]  # phi(0) = at_zero
    found = values("zhou2024.polynomial-risk", **asked)
    printed, corrected, sharp = (float(found[edition].midpoint) for edition in ("printed", "corrected", "sharp"))
    yield f"{printed:g} {corrected:g} {sharp:g}"


@grouped
def risk_approximation() -> Iterator[Any]:
    at_zero = Fraction(sum(comb(4, k) * abs(2 * k - 4) for k in range(5)), 4 * 2**4)
    for radius, shown in ((Fraction(1, 4), r"\frac14"), (Fraction(5), "5")):
        found = values("zhou2024.risk-approximation", slope=1, radius=radius, order=5)
        printed, *others = (f"${float(found[edition].midpoint):g}$" for edition in ("printed", "corrected", "sharp"))
        # below R = 1 the polynomial is taken on [-1, 1], and |z| has this error at 0
        fails = radius < 1 and found["printed"].hi < at_zero
        yield f"${shown}$", printed + " (fails)" * fails, *others


@grouped
def sensitivity() -> Iterator[Any]:
    for m, d in ((10, 2), (3, 2), (1, 2)):
        found = values("zhou2024.sensitivity", features=m, order=d, epsilon="1/2", dp_delta="1e-6")
        least = float(found["sharp"].midpoint) / sqrt(2 * comb(m + 1, d))
        needed = least * sqrt(2 * sum(comb(m + 1, i) for i in range(1, d + 1)))
        printed, *others = (f"${up(found[edition], 3)}$" for edition in ("printed", "corrected", "sharp"))
        yield f"{m}, {d}", printed + " (not private)" * (found["printed"].hi < needed), *others


@grouped
def zcdp() -> Iterator[Any]:
    for rho, k in (("0.1", 6), ("0.5", 5), ("1", 6), ("0.01", 5)):
        delta = Fraction(1, 10**k)
        found = values("zhou2024.zcdp", edition="sharp", zcdp=rho, dp_delta=delta)
        noise = GaussianDP(mu_squared=2 * Fraction(rho), adjacency=Adjacency.REPLACE_ONE)
        exact = gaussian_epsilon(noise, dp_delta=delta).epsilon
        epsilons = (found["best order"], found["closed form"], exact)
        yield f"${rho}$", f"10^{{-{k}}}", *(e for e in epsilons)
    n = 48842
    first, second = (
        down(largest_rho(epsilon=epsilon, dp_delta=Fraction(1, n**2), adjacency="replace-one").rho, 9)
        for epsilon in (1, 2)
    )
    yield first, 1, second
