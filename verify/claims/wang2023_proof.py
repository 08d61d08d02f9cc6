"""Proof of Theorem 1 of wang2023, Appendix A.1, step by step, and the derivatives of Section 3."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if

POINTS = 3
"""Points of the finite domain in the symbolic checks; every step treats the points alike."""


def _symbols() -> dict[str, Any]:
    import sympy as sp

    return {
        "p": sp.symbols(f"p1:{POINTS + 1}", positive=True),
        "s": sp.symbols(f"s1:{POINTS + 1}", positive=True),
        "q": sp.symbols(f"q1:{POINTS + 1}", real=True),
        "plus": sp.symbols("lp", nonnegative=True),
        "minus": sp.symbols("lm", nonnegative=True),
        "mu": sp.symbols("mu", real=True),
        "a": sp.symbols("a", real=True),
        "gamma": sp.symbols("gamma", nonnegative=True),
    }


def lagrangian(v: dict[str, Any], p: Any) -> Any:
    """The Lagrangian of (3) for one query."""
    import sympy as sp

    mean = sum(x * y for x, y in zip(p, v["q"], strict=True))
    value = sum(x * sp.log(x / y) for x, y in zip(p, v["s"], strict=True)) + v["mu"] * (sum(p) - 1)
    return value + v["plus"] * (mean - v["a"] - v["gamma"]) + v["minus"] * (-mean + v["a"] - v["gamma"])


def _stationarity() -> Evidence:
    import sympy as sp

    v = _symbols()
    whole = lagrangian(v, v["p"])
    right = all(
        sp.simplify(
            sp.diff(whole, v["p"][i])
            - (sp.log(v["p"][i] / v["s"][i]) + 1 + v["mu"] + (v["plus"] - v["minus"]) * v["q"][i])
        )
        == 0
        for i in range(POINTS)
    )
    return confirmed_if(right, "the derivative of the Lagrangian is (6) for each of three points")


def _convexity() -> Evidence:
    import sympy as sp

    v = _symbols()
    hessian = sp.hessian(lagrangian(v, v["p"]), v["p"])
    right = sp.simplify(hessian - sp.diag(*(1 / x for x in v["p"]))) == sp.zeros(POINTS)
    return confirmed_if(right, "the Hessian of the Lagrangian is diag(1/p), positive definite for p > 0")


def _stationary_point(v: dict[str, Any], mu: Any) -> list[Any]:
    import sympy as sp

    lam = v["plus"] - v["minus"]
    return [s * sp.exp(-lam * q - 1 - mu) for s, q in zip(v["s"], v["q"], strict=True)]


def _normaliser() -> Evidence:
    """The stationary point sums to one exactly for this mu; L is then concave in mu with its maximum there."""
    import sympy as sp

    v = _symbols()
    total = sum(s * sp.exp(-(v["plus"] - v["minus"]) * q) for s, q in zip(v["s"], v["q"], strict=True))
    best = sp.log(total) - 1
    sums = sp.simplify(sum(_stationary_point(v, best)) - 1) == 0
    inner = -sum(_stationary_point(v, v["mu"])) - v["mu"]
    flat = sp.simplify(sp.diff(inner, v["mu"]).subs(v["mu"], best)) == 0
    return confirmed_if(
        sums and flat, "exp(1 + mu) = sum of s exp(-lambda q) makes the sum 1 and the derivative in mu 0"
    )


def _dual_function() -> Evidence:
    import sympy as sp

    v = _symbols()
    lam = v["plus"] - v["minus"]
    total = sum(s * sp.exp(-lam * q) for s, q in zip(v["s"], v["q"], strict=True))
    best = sp.log(total) - 1
    printed = -sp.log(total) - v["a"] * lam - v["gamma"] * (v["plus"] + v["minus"])
    point = _stationary_point(v, best)
    # log(p/s) is -lambda q - 1 - mu at the stationary point, written out so that no logarithm needs simplifying
    value = sum(x * (-lam * q - 1 - best) for x, q in zip(point, v["q"], strict=True)) + best * (sum(point) - 1)
    mean = sum(x * q for x, q in zip(point, v["q"], strict=True))
    value += v["plus"] * (mean - v["a"] - v["gamma"]) + v["minus"] * (-mean + v["a"] - v["gamma"])
    same = sp.simplify(sp.expand(value - printed)) == 0
    return confirmed_if(
        same, "inserting p and mu gives -log sum s exp(-lambda q) - a lambda - gamma (lambda+ + lambda-)"
    )


def _shift() -> Evidence:
    import sympy as sp

    v = _symbols()
    lam = v["plus"] - v["minus"]
    plain = [s * sp.exp(-lam * q) for s, q in zip(v["s"], v["q"], strict=True)]
    moved = [s * sp.exp(-lam * (q - v["a"])) for s, q in zip(v["s"], v["q"], strict=True)]
    proportional = all(sp.simplify(m / x - sp.exp(lam * v["a"])) == 0 for m, x in zip(moved, plain, strict=True))
    text = "subtracting a multiplies every weight by exp(lambda a), so the tilt is the same and log E gains a lambda"
    return confirmed_if(proportional, text)


def _replacement() -> Evidence:
    """The pair as scanned has lambda+ twice; with lambda- in the second place both aims are reached."""
    grid = [Fraction(i, 2) for i in range(5)]
    meant, scanned = True, 0
    for plus, minus in product(grid, repeat=2):
        least = min(plus, minus)
        good = (plus - least, minus - least)
        meant = meant and good[0] * good[1] == 0 and good[0] - good[1] == plus - minus
        bad = (plus - least, plus - least)
        scanned += bad[0] - bad[1] != plus - minus or bad[0] * bad[1] != 0
    text = (
        "the pair (lambda+ - min, lambda- - min) keeps lambda and has product 0 in 25 cases; with "
        "lambda+ twice, as the text "
        f"shows it, one of the two fails in {scanned} of them, e.g. (2, 1) becomes (1, 1)"
    )
    return confirmed_if(meant and scanned > 0, text, with_conditions=True)


def _increase() -> Evidence:
    import sympy as sp

    gamma, plus, minus, m = sp.symbols("gamma plus minus m", nonnegative=True)
    gain = sp.simplify(-gamma * ((plus - m) + (minus - m)) + gamma * (plus + minus))
    text = "subtracting m from both raises the dual function by 2 gamma m: strictly for gamma, m > 0, not for gamma = 0"
    return confirmed_if(sp.simplify(gain - 2 * gamma * m) == 0, text, with_conditions=True)


def _norm() -> Evidence:
    grid = [Fraction(i, 3) for i in range(5)]
    right = all(abs(x - y) == x + y for x, y in product(grid, repeat=2) if x * y == 0)
    only = all(abs(x - y) < x + y for x, y in product(grid, repeat=2) if x * y != 0)
    return confirmed_if(right and only, "|lambda+ - lambda-| = lambda+ + lambda- exactly for the pairs with product 0")


def _gradient() -> Evidence:
    import sympy as sp

    lam = sp.symbols("l1 l2", real=True)
    s = sp.symbols("s1:4", positive=True)
    c = [sp.symbols(f"c{i}_1 c{i}_2", real=True) for i in range(3)]  # q_k(x_i) - a_k
    weights = [s[i] * sp.exp(-lam[0] * c[i][0] - lam[1] * c[i][1]) for i in range(3)]
    f = sp.log(sum(weights))
    printed = -sum(w * c[i][0] for i, w in enumerate(weights)) / sum(weights)
    text = "for three points and two queries the derivative of log E exp(-lambda (q - a)) is the printed ratio"
    return confirmed_if(sp.simplify(sp.diff(f, lam[0]) - printed) == 0, text)


def _convex_dual() -> Evidence:
    """The second derivative is the variance of q under the tilt."""
    import sympy as sp

    lam = sp.symbols("lam", real=True)
    s, c = sp.symbols("s1:4", positive=True), sp.symbols("c1:4", real=True)
    weights = [x * sp.exp(-lam * y) for x, y in zip(s, c, strict=True)]
    total = sum(weights)
    second = sp.diff(sp.log(total), lam, 2)
    pairs = [(i, j) for i in range(3) for j in range(i)]
    variance = sum(weights[i] * weights[j] * (c[i] - c[j]) ** 2 for i, j in pairs) / total**2
    same = sp.simplify(second - variance) == 0
    return confirmed_if(same, "along any line f'' = sum over pairs of w_i w_j (c_i - c_j)^2/(sum w)^2, never negative")


C, W = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS
PAPER = "wang2023"


def _step(name: str, locator: str, statement: str, check: Any, verdict: Verdict = C, corrected: str = "") -> Claim:
    return Claim(f"wang2023.{name}", PAPER, locator, statement, verdict, Method.SYMBOLIC, check, corrected)


CLAIMS = (
    _step(
        "A1.stationarity",
        "Appendix A.1, (6)",
        "The derivative of the Lagrangian in p_x is log(p_x/s_x) + 1 + mu + sum of (lambda+ - lambda-) q.",
        _stationarity,
    ),
    _step(
        "A1.convexity",
        "Appendix A.1, before (6)",
        "The Lagrangian is strictly convex in p, so its minimiser is unique if it exists.",
        _convexity,
    ),
    _step(
        "A1.mu",
        "Appendix A.1, the equation for mu",
        "The maximising mu satisfies exp(1 + mu) = sum of p_syn exp(-sum lambda q).",
        _normaliser,
    ),
    _step(
        "A1.dual",
        "Appendix A.1, the dual function",
        "The Lagrangian at the stationary point is -log sum p_syn exp(-lambda q) - a lambda - gamma "
        "(lambda+ + lambda-).",
        _dual_function,
    ),
    _step(
        "A1.shift",
        "Appendix A.1, last two displays",
        "Tilting by q and by q - a gives the same distribution.",
        _shift,
    ),
    Claim(
        "wang2023.A1.replacement",
        PAPER,
        "Appendix A.1, the replacement pair",
        "Dual variables that are both positive can be replaced by a pair with product 0 and the same difference.",
        W,
        Method.EXACT,
        _replacement,
        "The second entry must start with lambda-; the text at hand shows lambda+ twice, a slip of print or scan.",
    ),
    _step(
        "A1.increase",
        "Appendix A.1, after the replacement pair",
        "That replacement increases the Lagrangian, so the maximising pair has product 0.",
        _increase,
        W,
        "Strictly for gamma > 0. For gamma = 0 a maximising pair with product 0 exists, but not every one has it.",
    ),
    Claim(
        "wang2023.A1.norm",
        PAPER,
        "Appendix A.1, after the replacement pair",
        "For pairs with product 0 the L1 norm of lambda is the sum of lambda+ + lambda-.",
        C,
        Method.EXACT,
        _norm,
    ),
    _step(
        "S3.gradient",
        "Section 3, the partial derivative of f",
        "The partial derivatives of f are minus a ratio of two expectations under P_syn.",
        _gradient,
    ),
    _step("S3.convex", "Section 3, (5)", "(5) is a convex programme.", _convex_dual),
)
