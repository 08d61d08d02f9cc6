"""Section 2 of zhou2024, what it quotes about Bernstein polynomials, and Claim B.2, which uses it.

X is the share of successes in d draws with probability u, so that P_d f(u) = E f(X) on [0, 1]. The quoted bounds follow
from two moments of X - u; these identities are checked, and named instances are computed as well.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

from flint import arb, fmpq_poly

from bounds.approximation.approximate import approximate
from bounds.approximation.bernstein import bernstein
from bounds.approximation.functions import find_function
from bounds.approximation.result import Question
from bounds.enclosure import Enclosure, as_fmpq, as_fraction, precision
from bounds.registry import find_theorem
from bounds.values import evaluate_value
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, Withdrawn, confirmed_if, refuted_if
from verify.claims.zhou2024_theorem41 import slope

ZHOU = "zhou2024"


def bernstein_error(function: str, radius: int, degree: int) -> Enclosure:
    """Largest error of the Bernstein polynomial on [-radius, radius]."""
    return bernstein(Question.of(find_function(function), Fraction(-radius), Fraction(radius)), degree).error


def variance_is_right() -> bool:
    """E (X - u)^2 = u(1-u)/d identically in u and d, at most 1/(4d)."""
    import sympy

    t, u, d = sympy.symbols("t u d", positive=True)
    generating = (1 - u + u * sympy.exp(t / d)) ** d * sympy.exp(-u * t)
    second = sympy.diff(generating, t, 2).subs(t, 0)
    largest = sympy.Rational(1, 4) - u * (1 - u) - (u - sympy.Rational(1, 2)) ** 2
    return bool(sympy.simplify(second - u * (1 - u) / d) == 0 and sympy.expand(largest) == 0)


def _continuous() -> Evidence:
    """|f(x) - f(y)| <= (1 + l^2) omega(delta) for |x - y| = l delta: ceil(l) is 1 up to l = 1, below 1 + l beyond."""
    ceilings = all(-(-k // 100) <= 1 + Fraction(k, 100) ** 2 for k in range(2001))
    text = (
        "E(1 + (X-u)^2 d) <= 1 + 1/4 by the variance u(1-u)/d, proved in symbols; omega(l delta) <= ceil(l) "
        "omega(delta) <= (1 + l^2) omega(delta), since ceil(l) = 1 for l <= 1 and ceil(l) < 1 + l < 1 + l^2 beyond"
    )
    return confirmed_if(variance_is_right() and ceilings, text)


def _coefficients() -> Evidence:
    """For a <= 0 <= b, (x-a)/(b-a) and (b-x)/(b-a) have coefficient sums (1-a)/(b-a) and (1+b)/(b-a); then the binomial
    theorem.
    """
    largest = Fraction(0)
    for left, right in ((0, 1), (-1, 1), (-2, 3)):
        width = right - left
        up = fmpq_poly([as_fmpq(Fraction(-left, width)), as_fmpq(Fraction(1, width))])
        down = fmpq_poly([as_fmpq(Fraction(right, width)), as_fmpq(Fraction(-1, width))])
        for d in range(1, 6):
            basis = [comb(d, i) * up**i * down ** (d - i) for i in range(d + 1)]
            bound = (1 + Fraction(2, width)) ** d
            for signs in product((-1, 1), repeat=d + 1):
                found = sum((s * b for s, b in zip(signs, basis, strict=True)), fmpq_poly([0]))
                largest = max(largest, sum((abs(as_fraction(c)) for c in found.coeffs()), Fraction(0)) / bound)
    text = (
        "sums of absolute coefficients are submultiplicative, so the basis polynomials have at most C(d,i) "
        "((1-a)/(b-a))^i ((1+b)/(b-a))^(d-i), which add up to (1 + 2/(b-a))^d by the binomial theorem, for every d; "
        f"all sign patterns up to degree 5 on 3 intervals reach {largest} of it"
    )
    return confirmed_if(largest == 1, text)


def _smooth() -> Evidence:
    """f(X) - f(u) - f'(u)(X-u) is an integral of f' - f'(u): at most |X-u| (1 + |X-u|/delta) omega(f', delta)."""
    total = Fraction(1, 2) + Fraction(1, 4)  # E|X-u| <= 1/(2 sqrt d), E(X-u)^2 sqrt d <= 1/(4 sqrt d)
    text = (
        "|f(X) - f(u) - f'(u)(X-u)| <= |X-u| (1 + sqrt d |X-u|) omega(f', 1/sqrt d), and E|X-u| + sqrt(d) E(X-u)^2 <= "
        "(1/2 + 1/4)/sqrt d by the variance u(1-u)/d <= 1/(4d), proved in symbols"
    )
    return confirmed_if(variance_is_right() and total == Fraction(3, 4), text)


def _shrunk() -> Evidence:
    """g(u) = phi(-R + 2Ru) and d = 4: omega(g', 1/2) is the rise of g' over the middle half, by symmetry."""
    import sympy

    u, a, b = sympy.symbols("u a b", real=True)
    x = a + (b - a) * u
    same_share = sympy.simplify((x - a) / (b - a) - u) == 0  # so P_d of f at x is P_d of g at u
    slope = sympy.diff(sympy.log(1 + sympy.exp(-x)), u)
    continuous = sympy.simplify(slope + (b - a) / (1 + sympy.exp(x))) == 0
    found = {}
    with precision(128):
        for radius in (1, 5):
            # g' = 2R phi', phi' = -1/2 + tanh(x/2)/2; it rises most over the window of length R around 0
            rise = arb(radius) / 4
            found[radius] = Enclosure.of(2 * radius * rise.tanh() * as_fmpq(Fraction(3, 8)))
    errors = {radius: bernstein_error("logistic", radius, 4) for radius in (1, 5)}
    shown = ", ".join(f"{errors[r].decimal(6)[0]} against {found[r].decimal(6)[1]} (R = {r})" for r in (1, 5))
    text = (
        "g(u) = phi(a + (b-a)u) has the continuous derivative -(b-a)/(1 + e^x), and (x-a)/(b-a) = u makes P_d phi(x) = "
        f"P_d g(u), for every interval; degree 4 on [-R, R]: {shown}"
    )
    return confirmed_if(bool(same_share and continuous) and all(errors[r].hi < found[r].lo for r in (1, 5)), text)


def _logistic() -> Evidence:
    import sympy

    t = sympy.Symbol("t", real=True)
    loss = -sympy.log(1 / (1 + sympy.exp(-t)))
    slope = sympy.simplify(sympy.diff(loss, t) + 1 / (1 + sympy.exp(t)))
    bend = sympy.simplify(sympy.diff(loss, t, 2) - sympy.exp(t) / (1 + sympy.exp(t)) ** 2)
    return confirmed_if(slope == 0 and bend == 0, "phi' = -1/(1+e^t) in (-1, 0), phi'' = e^t/(1+e^t)^2 > 0")


def _not_best() -> Evidence:
    plain, least = bernstein_error("logistic", 5, 4), approximate("logistic", interval="-5,5", degree=4).minimax_error
    assert least is not None
    text = f"degree 4 on [-5, 5]: {plain.decimal(6)[0]} against the smallest possible error {least.decimal(6)[1]}"
    return confirmed_if(plain.lo > least.hi, text)


def _loss_of_lower_bound() -> Evidence:
    """Slope 2 + gamma/2 and E|X-u| <= 1/(2 sqrt d) on an interval of length 2 give (2 + gamma/2)/sqrt d < 5/sqrt d."""
    gammas, degrees = ("1/64", "1/4", "99/100"), (1, 2, 4, 16)
    errors = {(g, d): bernstein_error(f"gamma-phi-gamma:{g}", 1, d) for g in gammas for d in degrees}
    below = all(error.hi**2 * d <= (2 + Fraction(g) / 2) ** 2 for (g, d), error in errors.items())
    largest_slope = 2 + Fraction(1, 2)  # gamma < 1
    theorem = find_theorem("zhou2024.phi-gamma-bernstein")
    sharp = [evaluate_value(theorem, {"margin": "1/64", "D": d}, "sharp")[0].value for d in degrees]
    under = all(v is not None and errors["1/64", d].lo <= v.hi for v, d in zip(sharp, degrees, strict=True))
    worst = max(float(error.hi) * d**0.5 for (_, d), error in errors.items())
    text = (
        "the slope is at most 2 + gamma/2 < 5/2 and E|X-u| <= 1/(2 sqrt d) on an interval of length 2, so the error is "
        f"at most (2 + gamma/2)/sqrt d < 5/sqrt d for every gamma < 1 and d; sqrt d times it is at most {worst:.4f} in "
        "12 cases"
    )
    return confirmed_if(variance_is_right() and below and largest_slope < 5 and under, text)


def _reason_of_claim() -> Evidence:
    """(5/4) K (b-a)/sqrt d with b - a = 2, and K from a secant of the loss."""
    gamma = Fraction(1, 64)
    secant = -slope(gamma, Fraction(-1), Fraction(-1) + Fraction(1, 10**6))
    text = (
        f"(1) gives {Fraction(5, 4) * 2 * 2}/sqrt d for K = 2, but at gamma = 1/64 the loss has a secant of slope "
        f"-{float(secant):.9f}, for which (1) gives {float(Fraction(5, 4) * 2 * secant):.8f}/sqrt d"
    )
    return refuted_if(secant > 2 and Fraction(5, 4) * 2 * secant > 5, text)


def _reason_again() -> Evidence:
    import sympy

    t, g = sympy.symbols("t gamma", positive=True)
    left = g * (1 - t) ** 2 / 8 + g - 2 * t  # gamma phi_gamma on [-1, 0]
    steepest = sympy.simplify(-sympy.diff(left, t).subs(t, -1))
    bound = sympy.expand(sympy.Rational(5, 4) * 2 * steepest)
    text = f"-phi'(-1) = {steepest}, so that (1) gives ({bound})/sqrt d, more than 5/sqrt d for every gamma > 0"
    return refuted_if(sympy.expand(bound - 5 - sympy.Rational(5, 4) * g) == 0, text)


YES, SYMBOLIC, BALL, EXACT = Verdict.CONFIRMED, Method.SYMBOLIC, Method.BALL, Method.EXACT
EVERY, REASONED = Scope.ALL_CASES, Scope.REASONED

CLAIMS = (
    Claim(
        "zhou2024.22.logistic", ZHOU, "Section 2.2",
        "The logistic loss -ln(1/(1+e^-t)) is convex and Lipschitz, as the paper says of all its losses.",
        YES, SYMBOLIC, _logistic, scope=EVERY,
        quote="Throughout the paper, we consider [...] that is convex and Lipschitz. Logistic Regression Logistic "
        "regression is a prominent representative model",
    ),
    Claim(
        "zhou2024.T23.error", ZHOU, "Theorem 2.3, equation (1)",
        "The Bernstein polynomial of degree d is within (5/4) omega(f, (b-a)/sqrt d) of a continuous f.",
        YES, SYMBOLIC, _continuous, theorems=("zhou2024.bernstein-continuous", "zhou2024.bernstein-lipschitz"),
        hypotheses=("a <= 0 < 1 <= b", "f is continuous on [a, b]"), scope=REASONED,
        quote=r"Suppose $a \le 0 < 1 \le b$, and f is a continuous function on [a, b], for d = 1, 2, ..., [...] "
        r"\frac{5}{4}\omega\left(f,",
    ),
    Claim(
        "zhou2024.T23.coefficients", ZHOU, "Theorem 2.3, equation (2)",
        "The absolute values of the coefficients of the Bernstein polynomial sum to at most |f| (1 + 2/(b-a))^d.",
        YES, EXACT, _coefficients, theorems=("zhou2024.coefficient-sum",), hypotheses=("a <= 0 < 1 <= b",),
        scope=REASONED,
        quote=r"Additionally, let [...] then for d = 1, 2, ..., [...] \le \|f\| \left(1 + \frac{2}{b-a}\right)^d",
    ),
    Claim(
        "zhou2024.T24.error", ZHOU, "Theorem 2.4",
        "On [0, 1] the Bernstein polynomial is within (3/(4 sqrt d)) omega(f', 1/sqrt d) of an f with continuous f'.",
        YES, SYMBOLIC, _smooth, theorems=("zhou2024.bernstein-smooth",), scope=REASONED,
        quote=r"Suppose f is a function on [0, 1] with a continuous first-order derivative. [...] "
        r"\frac{3}{4\sqrt{d}}\omega\left(f', \frac{1}{\sqrt{d}}\right)",
    ),
    Claim(
        "zhou2024.T24.logistic", ZHOU, "Appendix A.2, the use of Theorem 2.4",
        "Theorem 2.4 applies to the logistic loss, rescaled from [a, b] to [0, 1].",
        YES, SYMBOLIC, _shrunk, theorems=("zhou2024.bernstein-smooth",), scope=EVERY,
        quote="while Theorem 2.4 only considers functions defined over [0, 1], we can shrink any function defined over "
        "[a, b] into this range",
        depends_on=("zhou2024.T24.error", "zhou2024.A2.curvature"),
    ),
    Claim(
        "zhou2024.31.bernstein-not-best", ZHOU, "Section 3.1, Polynomial Approximation Error",
        "For a fixed degree, the Bernstein polynomial may not have the smallest error.", YES, BALL, _not_best,
        quote="For a fixed degree d, the Bernstein polynomial approximation may not yield the best error",
    ),
    Claim(
        "zhou2024.B2.bound", ZHOU, "Claim B.2",
        "The Bernstein polynomial of degree d of gamma phi_gamma on [-1, 1] is within 5/sqrt d of it.",
        YES, BALL, _loss_of_lower_bound, theorems=("zhou2024.phi-gamma-bernstein",), scope=REASONED,
        quote=r"be the Bernstein polynomial of order d of $\varphi$ on [-1, 1]. Then [...] \le \frac{5}{\sqrt{d}}",
        depends_on=("zhou2024.B2.reason",),
    ),
    Claim(
        "zhou2024.B2.reason", ZHOU, "Claim B.2, the sentence after it",
        "The claim follows from equation (1) and from the loss being 2-Lipschitz.",
        Verdict.REFUTED, EXACT, _reason_of_claim,
        "The loss is only (2 + gamma/2)-Lipschitz, so (1) gives 5 (1 + gamma/4)/sqrt d. The claim itself holds with "
        "room to spare, by a variance argument. The constant is the one in zhou2024.T41.lipschitz.",
        ("zhou2024.phi-gamma-bernstein",), again=_reason_again, severity=Severity.CONDITION,
        root="zhou2024.T41.lipschitz",
        quote=r"The claim follows from Theorem 2.3, Eq. 1 and the fact that $\varphi$ is 2-Lipschitz",
        depends_on=("zhou2024.T23.error", "zhou2024.T41.lipschitz"),
    ),
)  # fmt: skip

WITHDRAWN = (
    Withdrawn(
        "zhou2024.F1b.once-is-plain",
        "It compared I - (I - B) with B, which are the same; the numbers printed for one iteration have claims of "
        "their own.",
        "zhou2024.F1b.bern1-c0",
    ),
)
