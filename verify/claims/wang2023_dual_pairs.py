"""The pairs of dual variables in the proof of Theorem 1 of wang2023, Appendix A.1: one of the two can be made 0."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, refuted_if


def _replacement() -> Evidence:
    """The pair as printed has lambda+ twice; with lambda- in the second place both aims are reached."""
    grid = [Fraction(i, 2) for i in range(5)]
    meant, failing = True, 0
    for plus, minus in product(grid, repeat=2):
        least = min(plus, minus)
        good, bad = (plus - least, minus - least), (plus - least, plus - least)
        meant = meant and good[0] * good[1] == 0 and good[0] - good[1] == plus - minus
        failing += bad[0] - bad[1] != plus - minus or bad[0] * bad[1] != 0
    text = (
        "with lambda+ twice the pair (2, 1) becomes (1, 1): product 1, difference 0 instead of 1; the pair fails in "
        f"{failing} of {len(grid) ** 2} cases. (lambda+ - min, lambda- - min) has product 0 and keeps the difference"
    )
    return refuted_if(meant and failing > 0, text)


def _replacement_difference() -> Evidence:
    """Another argument: for every pair the difference of two equal entries is 0."""
    import sympy as sp

    plus, minus = sp.symbols("plus minus", positive=True)
    entry = plus - sp.Min(plus, minus)
    lost = sp.simplify((entry - entry) - (plus - minus)) == minus - plus
    text = "both entries are equal, so their difference is 0 for every pair, although lambda = lambda+ - lambda- is not"
    return refuted_if(bool(lost), text)


def _increase() -> Evidence:
    import sympy as sp

    gamma, plus, minus, m = sp.symbols("gamma plus minus m", nonnegative=True)
    gain = sp.simplify(-gamma * ((plus - m) + (minus - m)) + gamma * (plus + minus))
    text = (
        "subtracting m from both raises the dual function by 2 gamma m: strictly for gamma, m > 0, but by 0 for "
        "gamma = 0, so there pairs with a product above 0 are maximal, too"
    )
    return refuted_if(sp.simplify(gain - 2 * gamma * m) == 0 and gain.subs(gamma, 0) == 0, text)


def _maximal_pair() -> Evidence:
    """P_syn = (1/2, 1/2) on {0, 1}, q(x) = x, a = 1/2, gamma = 0: the dual function is -log cosh(lambda/2)."""
    import sympy as sp

    lam = sp.symbols("lam", real=True)
    dual = -sp.log((1 + sp.exp(-lam)) / 2) - lam / 2
    same = sp.simplify(sp.exp(-dual).rewrite(sp.exp) - sp.cosh(lam / 2).rewrite(sp.exp)) == 0
    text = (
        "P_syn = (1/2, 1/2) on {0, 1}, q(x) = x, a = 1/2, gamma = 0: the dual function is -log cosh((lambda+ - "
        f"lambda-)/2) <= 0; the pair (1, 1) reaches {dual.subs(lam, 0)}, and its product is 1"
    )
    return refuted_if(same and dual.subs(lam, 0) == 0, text)


def _norm() -> Evidence:
    import sympy as sp

    value, other = sp.symbols("v w", positive=True)
    right = abs(value - 0) == value + 0 and abs(0 - value) == 0 + value
    only = [sp.simplify(value + other - d).is_positive for d in (value - other, other - value)]
    text = (
        "if one of the two is 0, |lambda+ - lambda-| is the other, their sum; if both are positive, it is less than "
        "the sum by twice the smaller"
    )
    return confirmed_if(bool(right and all(only)), text)


PAPER = "wang2023"

CLAIMS = (
    Claim(
        "wang2023.A1.replacement",
        PAPER,
        "Appendix A.1, the replacement pair",
        "Dual variables that are both positive can be replaced by the printed pair, with product 0 and the same "
        "difference.",
        Verdict.REFUTED,
        Method.EXACT,
        _replacement,
        "The second entry must start with lambda-; the text that we read shows lambda+ twice, a slip of the print or "
        "of the scan.",
        again=_replacement_difference,
        quote=r"we can replace them with $$\left(\lambda_k^+ - \min\{\lambda_k^+, \lambda_k^-\}, "
        r"\lambda_k^+ - \min\{\lambda_k^+, \lambda_k^-\}\right)$$",
        severity=Severity.SLIP,
    ),
    Claim(
        "wang2023.A1.increase",
        PAPER,
        "Appendix A.1, around the replacement pair",
        "The replacement increases the Lagrangian, so every maximising pair has product 0.",
        Verdict.REFUTED,
        Method.SYMBOLIC,
        _increase,
        "For gamma > 0 this is true, and the increase is strict. For gamma = 0 a maximising pair with product 0 "
        "exists, but not every maximising pair is one; nothing depends on it, since the sum of the pair is multiplied "
        "by gamma.",
        again=_maximal_pair,
        quote=r"must satisfy  $\lambda_k^+ \lambda_k^- = 0$  since, otherwise, we can replace them with [...] "
        "and the Lagrangian function increases",
        severity=Severity.SLIP,
        depends_on=("wang2023.A1.replacement", "wang2023.A1.dual"),
    ),
    Claim(
        "wang2023.A1.norm",
        PAPER,
        "Appendix A.1, after the replacement pair",
        "For pairs with product 0 the L1 norm of lambda is the sum of lambda+ + lambda-.",
        Verdict.CONFIRMED,
        Method.SYMBOLIC,
        _norm,
        quote=r"Hence, we have  $\|\boldsymbol{\lambda}\|_1 = \sum_{k=1}^{K} (\lambda_k^{+,*} + \lambda_k^{-,*})$",
        scope=Scope.ALL_CASES,
        depends_on=("wang2023.A1.increase",),
    ),
)
