"""Proof of Theorem 1 of wang2023, Appendix A.1, its Lagrangian and dual function, and the derivatives of Section 3."""

from __future__ import annotations

from typing import Any

from verify.claim import Claim, Evidence, Method, Scope, Verdict, confirmed_if

POINTS = 3
"""Points of the finite domain in the symbolic checks; every step treats the points alike."""
ALIKE = "; the points are treated alike, and every further query adds terms of the same kind"


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
    return confirmed_if(right, f"the derivative of the Lagrangian is (6) for each of three points{ALIKE}")


def _convexity() -> Evidence:
    import sympy as sp

    v = _symbols()
    hessian = sp.hessian(lagrangian(v, v["p"]), v["p"])
    right = sp.simplify(hessian - sp.diag(*(1 / x for x in v["p"]))) == sp.zeros(POINTS)
    text = (
        "the Hessian of the Lagrangian is diag(1/p), positive definite for p > 0, for three points and in the same way "
        "for more: the sum separates into functions of one p each, and the terms of the queries are linear"
    )
    return confirmed_if(right, text)


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
    bent = sp.diff(inner, v["mu"], 2).is_negative
    text = (
        f"exp(1 + mu) = sum of s exp(-lambda q) makes the sum 1 and the derivative in mu, which is decreasing, 0{ALIKE}"
    )
    return confirmed_if(sums and flat and bool(bent), text)


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
    text = f"substituting p and mu gives -log sum s exp(-lambda q) - a lambda - gamma (lambda+ + lambda-){ALIKE}"
    return confirmed_if(same, text)


def _shift() -> Evidence:
    import sympy as sp

    v = _symbols()
    lam = v["plus"] - v["minus"]
    plain = [s * sp.exp(-lam * q) for s, q in zip(v["s"], v["q"], strict=True)]
    moved = [s * sp.exp(-lam * (q - v["a"])) for s, q in zip(v["s"], v["q"], strict=True)]
    proportional = all(sp.simplify(m / x - sp.exp(lam * v["a"])) == 0 for m, x in zip(moved, plain, strict=True))
    text = "subtracting a multiplies every weight by exp(lambda a), so the tilt is the same and log E gains a lambda"
    return confirmed_if(proportional, text + ALIKE)


def _gradient() -> Evidence:
    import sympy as sp

    lam = sp.symbols("l1 l2", real=True)
    s = sp.symbols("s1:4", positive=True)
    c = [sp.symbols(f"c{i}_1 c{i}_2", real=True) for i in range(3)]  # q_k(x_i) - a_k
    weights = [s[i] * sp.exp(-lam[0] * c[i][0] - lam[1] * c[i][1]) for i in range(3)]
    f = sp.log(sum(weights))
    printed = -sum(w * c[i][0] for i, w in enumerate(weights)) / sum(weights)
    text = "for three points and two queries the derivative of log E exp(-lambda (q - a)) is the printed ratio"
    return confirmed_if(sp.simplify(sp.diff(f, lam[0]) - printed) == 0, text + ALIKE)


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
    text = (
        "along any line f'' = sum over pairs of w_i w_j (c_i - c_j)^2/(sum w)^2, the variance under the tilt, never "
        "negative, for three points and in the same way for more; gamma |lambda|_1 is convex as a norm"
    )
    return confirmed_if(same, text)


C = Verdict.CONFIRMED
PAPER = "wang2023"


def _step(
    name: str,
    locator: str,
    statement: str,
    check: Any,
    quote: str,
    depends_on: tuple[str, ...] = (),
) -> Claim:
    return Claim(
        f"wang2023.{name}",
        PAPER,
        locator,
        statement,
        C,
        Method.SYMBOLIC,
        check,
        quote=quote,
        scope=Scope.REASONED,
        depends_on=tuple(f"wang2023.{other}" for other in depends_on),
    )


CLAIMS = (
    _step(
        "A1.stationarity",
        "Appendix A.1, (6)",
        "The derivative of the Lagrangian in p_x is log(p_x/s_x) + 1 + mu + sum of (lambda+ - lambda-) q.",
        _stationarity,
        r"We compute the partial derivative w.r.t.  $p^{\text{post}}$  and set it to be zero [...] "
        r"\sum_{k=1}^{K} (\lambda_k^+ - \lambda_k^-) q_{k,\boldsymbol{x}} = 0",
    ),
    _step(
        "A1.convexity",
        "Appendix A.1, before (6)",
        "The Lagrangian is strictly convex in p, so its minimiser is unique if it exists.",
        _convexity,
        r"The Lagrangian function is strictly convex w.r.t.  $p^{\text{post}}$  so it has a unique solution if exists",
    ),
    _step(
        "A1.mu",
        "Appendix A.1, the equation for mu",
        "The maximising mu satisfies exp(1 + mu) = sum of p_syn exp(-sum lambda q).",
        _normaliser,
        r"$$\exp\left(1+\mu^*\right) = \sum_{\boldsymbol{x}\in\mathcal{X}} p_{\boldsymbol{x}}^{\text{syn}}",
        ("A1.stationarity",),
    ),
    _step(
        "A1.dual",
        "Appendix A.1, the dual function",
        "The Lagrangian at the stationary point is -log sum p_syn exp(-lambda q) - a lambda - gamma "
        "(lambda+ + lambda-).",
        _dual_function,
        r"Now we substitute  $\mu^*$  into the Lagrangian function and get [...] "
        r"\gamma \sum_{k=1}^K (\lambda_k^+ + \lambda_k^-)",
        ("A1.stationarity", "A1.mu"),
    ),
    _step(
        "A1.shift",
        "Appendix A.1, last two displays",
        "Tilting by q and by q - a gives the same distribution.",
        _shift,
        "Finally, we rewrite the optimal primal solution as",
        ("A1.stationarity",),
    ),
    _step(
        "S3.gradient",
        "Section 3, the partial derivative of f",
        "The partial derivatives of f are minus a ratio of two expectations under P_syn.",
        _gradient,
        "Note that the partial derivative of f in (5) has a closed-form expression",
    ),
    _step(
        "S3.convex", "Section 3, (5)", "(5) is a convex programme.", _convex_dual, "Although (5) is a convex program"
    ),
)
