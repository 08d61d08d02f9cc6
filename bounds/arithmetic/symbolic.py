"""sympy arithmetic: the symbolic form of a formula, for display, differentiation and as an oracle in tests.

Quantiles have no elementary form; they appear as named functions that evaluate through mpmath.
"""

from __future__ import annotations

from typing import Any

import mpmath
import sympy

from bounds.arithmetic.multiprecision import MULTIPRECISION


def _named_function(name: str, latex: str, method: str) -> Any:
    def evaluate(self: Any, prec: int) -> Any:
        with mpmath.workprec(prec + 20):
            numbers = [sympy.re(a.evalf(mpmath.mp.dps + 5))._to_mpmath(prec + 20) for a in self.args]
            value = getattr(MULTIPRECISION, method)(*numbers)
            return sympy.Float._new(value._mpf_, prec)

    def print_latex(self: Any, printer: Any, exp: str | None = None) -> str:
        inside = ", ".join(printer._print(a) for a in self.args)
        power = f"^{{{exp}}}" if exp else ""
        return rf"{latex}{power}\left({inside}\right)"

    return type(name, (sympy.Function,), {"_eval_evalf": evaluate, "_latex": print_latex, "is_real": True})


Theta = _named_function("Theta", r"\vartheta", "theta")
LaplaceMaxQuantile = _named_function("LaplaceMaxQuantile", r"q_{\mathrm{Lap}}", "laplace_max_quantile")
GammaQuantile = _named_function("GammaQuantile", r"q_{\Gamma}", "gamma_quantile")
NormalMaxQuantile = _named_function("NormalMaxQuantile", r"q_{\mathcal{N}}", "normal_max_quantile")
GaussianFactor = _named_function("GaussianFactor", r"s_{\mathcal{N}}", "gaussian_factor")
BinomialBelow = _named_function("BinomialBelow", r"P_{\mathrm{Bin}}", "binomial_below")


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
        return Theta(x)

    def laplace_max_quantile(self, count: Any, failure: Any) -> Any:
        return LaplaceMaxQuantile(count, failure)

    def gamma_quantile(self, shape: Any, failure: Any) -> Any:
        return GammaQuantile(shape, failure)

    def normal_max_quantile(self, count: Any, failure: Any) -> Any:
        return NormalMaxQuantile(count, failure)

    def gaussian_factor(self, epsilon: Any, dp_delta: Any) -> Any:
        return GaussianFactor(epsilon, dp_delta)

    def binomial_below(self, trials: Any, success: Any, least: Any) -> Any:
        return BinomialBelow(trials, success, least)


SYMBOLIC = SymbolicArithmetic()
