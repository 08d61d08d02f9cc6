"""sympy arithmetic: the symbolic form of a formula, for display, differentiation and as an oracle in tests.

Quantiles have no elementary form; they appear as named functions that evaluate through mpmath.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mpmath
import sympy

from bounds.arithmetic.multiprecision import MULTIPRECISION


@dataclass(frozen=True)
class NamedFunction:
    """A special function that appears in formulas by name and evaluates through mpmath."""

    name: str
    latex: str
    method: str
    meaning: str


FUNCTIONS = (
    NamedFunction("Theta", r"\vartheta", "theta", "sum over all integers j of exp(-x j^2)"),
    NamedFunction(
        "LaplaceMaxQuantile",
        r"q_{\mathrm{Lap}}",
        "laplace_max_quantile",
        "of (a, g): what the largest of a variables |Laplace(1)| exceeds with probability g",
    ),
    NamedFunction(
        "GammaQuantile",
        r"q_{\Gamma}",
        "gamma_quantile",
        "of (a, g): what a Gamma(a, 1) variable exceeds with probability g",
    ),
    NamedFunction(
        "NormalMaxQuantile",
        r"q_{\mathcal{N}}",
        "normal_max_quantile",
        "of (a, g): what the largest of a variables |N(0, 1)| exceeds with probability g",
    ),
    NamedFunction(
        "GaussianFactor",
        r"s_{\mathcal{N}}",
        "gaussian_factor",
        "least ratio of sigma to the L2 sensitivity for which Gaussian noise is private",
    ),
    NamedFunction(
        "HalfNormalSumBound",
        r"q_{|\mathcal{N}|}",
        "half_normal_sum_bound",
        "of (a, u): Chernoff's bound, which a sum of a variables |N(0, 1)| exceeds with probability at most e^-u",
    ),
    NamedFunction(
        "HalfNormalSumQuantile",
        r"q^{\max}_{|\mathcal{N}|}",
        "half_normal_sum_quantile",
        "of (a, b, g): what the largest of b sums of a variables |N(0, 1)| exceeds with probability g",
    ),
    NamedFunction(
        "BinomialSum",
        r"\Sigma_{\mathrm{bin}}",
        "binomial_sum",
        "of (a, b, x): sum over i from 0 to b of C(a, i) x^i",
    ),
    NamedFunction(
        "ZcdpEpsilon",
        r"\varepsilon_{\mathrm{zCDP}}",
        "zcdp_epsilon",
        "of (r, d): least epsilon at delta = d that the Rényi divergences a r of all orders a > 1 give",
    ),
    NamedFunction(
        "BinomialBelow",
        r"P_{\mathrm{Bin}}",
        "binomial_below",
        "of (a, s, b): probability that a Binomial(a, s) variable is below b; for a above 10^7 a bound of it",
    ),
    NamedFunction(
        "LogisticTruncation",
        r"\tau_{\mathrm{log}}",
        "logistic_truncation",
        "of (r, l): largest error of the Chebyshev series of log(1 + e^-x) on [-r, r] up to degree 2l",
    ),
)


def _as_sympy(function: NamedFunction) -> Any:
    def evaluate(self: Any, prec: int) -> Any:
        with mpmath.workprec(prec + 20):
            numbers = [sympy.re(a.evalf(mpmath.mp.dps + 5))._to_mpmath(prec + 20) for a in self.args]
            value = getattr(MULTIPRECISION, function.method)(*numbers)
            return sympy.Float._new(value._mpf_, prec)

    def print_latex(self: Any, printer: Any, exp: str | None = None) -> str:
        inside = ", ".join(printer._print(a) for a in self.args)
        power = f"^{{{exp}}}" if exp else ""
        return rf"{function.latex}{power}\left({inside}\right)"

    members = {"_eval_evalf": evaluate, "_latex": print_latex, "is_real": True}
    return type(function.name, (sympy.Function,), members)


_SYMPY = {function.method: _as_sympy(function) for function in FUNCTIONS}


class SymbolicArithmetic:
    """Numbers are sympy expressions."""

    name = "sympy"
    certified = False

    def ratio(self, numerator: int, denominator: int = 1) -> Any:
        return sympy.Rational(numerator, denominator)

    def settled(self, x: Any) -> Any:
        return x

    def pi(self) -> Any:
        return sympy.pi

    def log(self, x: Any) -> Any:
        return sympy.log(x)

    def log_ratio(self, x: Any, y: Any) -> Any:
        return sympy.log(x) / sympy.log(y)

    def exp(self, x: Any) -> Any:
        return sympy.exp(x)

    def expm1(self, x: Any) -> Any:
        return sympy.exp(x) - 1

    def sqrt(self, x: Any) -> Any:
        return sympy.sqrt(x)

    def power(self, x: Any, y: Any) -> Any:
        return sympy.Pow(x, y)

    def gamma(self, x: Any) -> Any:
        return sympy.gamma(x)

    def max(self, *xs: Any) -> Any:
        return sympy.Max(*xs)

    def min(self, *xs: Any) -> Any:
        return sympy.Min(*xs)

    def ceil(self, x: Any) -> Any:
        return sympy.ceiling(x)

    def theta(self, x: Any) -> Any:
        return _SYMPY["theta"](x)

    def laplace_max_quantile(self, count: Any, failure: Any) -> Any:
        return _SYMPY["laplace_max_quantile"](count, failure)

    def gamma_quantile(self, shape: Any, failure: Any) -> Any:
        return _SYMPY["gamma_quantile"](shape, failure)

    def normal_max_quantile(self, count: Any, failure: Any) -> Any:
        return _SYMPY["normal_max_quantile"](count, failure)

    def normal_within(self, x: Any) -> Any:
        return sympy.erf(x / sympy.sqrt(2))

    def gaussian_factor(self, epsilon: Any, dp_delta: Any) -> Any:
        return _SYMPY["gaussian_factor"](epsilon, dp_delta)

    def zcdp_epsilon(self, rho: Any, dp_delta: Any) -> Any:
        return _SYMPY["zcdp_epsilon"](rho, dp_delta)

    def half_normal_sum_bound(self, count: Any, exponent: Any) -> Any:
        return _SYMPY["half_normal_sum_bound"](count, exponent)

    def half_normal_sum_quantile(self, count: Any, sums: Any, failure: Any) -> Any:
        return _SYMPY["half_normal_sum_quantile"](count, sums, failure)

    def binomial_sum(self, n: Any, most: Any, x: Any) -> Any:
        return _SYMPY["binomial_sum"](n, most, x)

    def binomial(self, n: Any, k: Any) -> Any:
        return sympy.binomial(n, k)

    def binomial_below(self, trials: Any, success: Any, least: Any) -> Any:
        return _SYMPY["binomial_below"](trials, success, least)

    def logistic_truncation(self, radius: Any, half_degree: Any) -> Any:
        return _SYMPY["logistic_truncation"](radius, half_degree)


SYMBOLIC = SymbolicArithmetic()
