"""The logistic objective of ddssp2024: Section 3.3, Proposition 3.4, Figure 2 and Appendix C.

phi(s) = -log(1 + e^-s) is s/2 plus an even function, f(s^2) = -log(2 cosh(s/2)). So every approximation that is
symmetric in s has the odd part s/2, and its even part is a polynomial in t = s^2 that approximates f on [0, R^2]. The
derivative of f is -tanh(u)/(8 u) with u = sqrt(t)/2, which increases: f is convex, and errors of straight lines are
found by tangents.
"""

from __future__ import annotations

from fractions import Fraction

from flint import acb, arb, arb_mat, fmpq, fmpq_mat

from bounds.enclosure import Enclosure, as_fmpq, precision
from bounds.quadrature import integral
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if, inconsistent_if

RANGE = 6


def digits(number: Enclosure, count: int) -> str:
    """The first digits of a number, cut towards zero."""
    return number.decimal(count)[int(number.hi < 0)] + "..."


def even_part(t: arb) -> arb:
    """f(t) = -log(2 cosh(sqrt(t)/2))."""
    return -(2 * (t.sqrt() / 2).cosh()).log()


def even_slope(t: arb) -> arb:
    """f'(t) for t > 0."""
    return -(t.sqrt() / 2).tanh() / (4 * t.sqrt())


def interpolated() -> arb:
    """b_2 of the interpolation at 0 and +-6 cos(pi/6): the chord of f from 0 to 27."""
    return (even_part(arb(27)) - even_part(arb(0))) / 27


def best() -> arb:
    """b_2 of the best uniform approximation: the chord of f from 0 to 36, since f is convex."""
    return (even_part(arb(36)) - even_part(arb(0))) / 36


def series() -> arb:
    """b_2 of the truncated Chebyshev series: 2 c_2/R^2, c_2 = (2/pi) times the integral of phi(R cos a) cos(2a)."""

    def integrand(angle: acb, analytic: bool) -> acb:
        return (2 * (RANGE * angle.cos() / 2).cosh()).log(analytic=analytic) * (2 * angle).cos()

    half = integral(integrand, acb(0), acb.pi() / 2).real  # the even part is symmetric about pi/2
    return -4 * half / arb.pi() * 2 / RANGE**2


def largest_gap(slope: arb, guess: Fraction) -> arb:
    """max over t >= 0 of f(0) + slope t - f(t), which is concave: at most its tangent near the maximum."""
    t = arb(as_fmpq(guess))
    at = even_part(arb(0)) + slope * t - even_part(t)
    return at.union(at + abs(slope - even_slope(t)) * 36)


def root_of_slope(slope: arb) -> Fraction:
    """Where f' passes the slope, nearly; bisection on numbers that need not be certain."""
    low, high = Fraction(1, 100), Fraction(36)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if even_slope(arb(as_fmpq(middle))).mid() < slope.mid() else (low, middle)
    return low


def uniform_errors() -> tuple[arb, arb]:
    """Largest error on [-6, 6] of the interpolation and of the best quadratic."""
    chord, least = interpolated(), best()
    beyond = even_part(arb(36)) - even_part(arb(0)) - 36 * chord  # convex from 27 on: largest at the end
    inside = largest_gap(chord, root_of_slope(chord))
    return beyond.max(inside), largest_gap(least, root_of_slope(least)) / 2


def _log_likelihood() -> Evidence:
    """With a = e^-s and p = 1/(1 + a): log p = phi(s) for y = 1, log(1 - p) = phi(-s) for y = -1."""
    import sympy as sp

    a = sp.symbols("a", positive=True)
    p = 1 / (1 + a)
    same = [sp.simplify(sp.exp(-sp.log(1 + a)) - p) == 0, sp.simplify(sp.exp(-sp.log(1 + 1 / a)) - (1 - p)) == 0]
    text = "with a = exp(-x.theta): p = 1/(1 + a) = exp(phi(s)), 1 - p = 1/(1 + 1/a) = exp(phi(-s))"
    return confirmed_if(all(same), text)


def _concave() -> Evidence:
    import sympy as sp

    s = sp.symbols("s", real=True)
    curvature = sp.diff(-sp.log(1 + sp.exp(-s)), s, 2)
    same = sp.simplify(curvature + 1 / (4 * sp.cosh(s / 2) ** 2)).rewrite(sp.exp).simplify() == 0
    return confirmed_if(same, "phi'' = -1/(4 cosh(s/2)^2) < 0, so the log-likelihood is concave")


def _no_finite_statistics() -> Evidence:
    """phi(x theta) for different x > 0 are independent: no fixed number of statistics carries them all."""
    with precision(256):
        dets = []
        for k in range(2, 9):
            entries = [[-((-arb(x * t) / 2).exp() + 1).log() for t in range(1, k + 1)] for x in range(1, k + 1)]
            dets.append(arb_mat(entries).det())
        independent = all(d > 0 or d < 0 for d in dets)
    text = (
        "phi(x theta) for x = 1, ..., k at k values of theta has a determinant different from 0 for k = 2, ..., 8; in "
        "general phi(x theta) ~ -exp(-x theta) for large theta, and exponentials are independent"
    )
    return confirmed_if(independent, text, with_conditions=True)


def _proposition() -> Evidence:
    import sympy as sp

    x = sp.Matrix(3, 2, sp.symbols("x1:7"))
    theta, b = sp.Matrix(sp.symbols("t1:3")), sp.symbols("b0:3")
    proved = []
    for signs in ((1, 1, 1), (1, -1, 1), (-1, -1, -1), (-1, 1, -1)):
        y = sp.Matrix(signs)
        margins = [(x[i, :] * theta)[0] * y[i] for i in range(3)]
        left = sum(b[0] + b[1] * m + b[2] * m**2 for m in margins)
        right = 3 * b[0] + b[1] * (theta.T * x.T * y)[0] + b[2] * (theta.T * x.T * x * theta)[0]
        proved.append(sp.expand(left - right) == 0)
    text = "3 symbolic records, 2 features, four label patterns: the two sides are the same polynomial"
    return confirmed_if(all(proved), text)


def _coefficients() -> Evidence:
    import sympy as sp

    a = sp.symbols("a", positive=True)  # e^s: phi(s) - phi(-s) = log((1 + a)/(1 + 1/a)) = log a = s
    odd = sp.simplify((1 + a) / (1 + 1 / a) - a) == 0
    with precision(128):
        found = {
            name: Enclosure.of(value)
            for name, value in (("nodes", interpolated()), ("series", series()), ("best", best()))
        }
    shown = ", ".join(f"{digits(value, 12)} ({name})" for name, value in found.items())
    text = f"phi(s) - phi(-s) = s, so b_1 = 1/2; b_2 on [-6, 6] is {shown}"
    return confirmed_if(odd and all(value.hi < 0 for value in found.values()), text)


def _optimum() -> Evidence:
    """Gradient b_1 X^T y + 2 b_2 X^T X theta at theta = c (X^T X)^-1 X^T y with c = 1/(4 |b_2|) and b_1 = 1/2."""
    import sympy as sp

    b2 = sp.symbols("b2", negative=True)
    g11, g12, g22, h1, h2 = sp.symbols("g11 g12 g22 h1 h2")
    gram, cross = sp.Matrix([[g11, g12], [g12, g22]]), sp.Matrix([h1, h2])
    theta = -gram.LUsolve(cross) / (4 * b2)
    zero = (cross / 2 + 2 * b2 * gram * theta).applyfunc(sp.simplify) == sp.zeros(2, 1)
    indefinite = fmpq_mat(2, 2, [1, 0, 0, -1])
    grows = -(fmpq(1, 16)) * indefinite[1, 1] > 0  # b_2 theta^T G theta along the second axis
    with precision(128):
        factors = [Enclosure.of(-1 / (4 * value)).decimal(7)[0] for value in (interpolated(), series(), best())]
    text = (
        f"the maximum is (X^T X)^-1 X^T y/(4 |b_2|), that is {', '.join(factors)} times least squares for nodes, "
        "series and "
        "best approximation; with an indefinite estimate of X^T X the objective has no maximum"
    )
    return confirmed_if(zero and grows, text, with_conditions=True)


def _precise() -> Evidence:
    with precision(128):
        nodes, least = (Enclosure.of(value) for value in uniform_errors())
        turning = Enclosure.of(-1 / (4 * interpolated()))
    text = (
        f"largest error on [-6, 6]: {nodes.decimal(8)[0]}... for the interpolation, {least.decimal(8)[0]}... for "
        "the best "
        f"quadratic, beside phi(0) = -0.693...; the interpolation falls from s = {turning.decimal(7)[0]}... on, "
        "phi grows"
    )
    known = nodes.lo > Fraction(23, 100) and least.lo > Fraction(15, 100) and least.hi < nodes.lo
    return Evidence(Verdict.NOT_CHECKABLE if known else Verdict.UNDECIDABLE, text)


def _uniform_guarantee() -> Evidence:
    """Lebesgue's constant at 0, +-cos(pi/6): 1 + 2u/sqrt 3 - 4u^2/3 <= 5/4 inside, 8u^2/3 - 1 <= 5/3 outside."""
    inside = 1 + Fraction(1, 2) - Fraction(1, 4)  # at u = sqrt(3)/4
    outside = Fraction(8, 3) - 1
    with precision(128):
        nodes, least = uniform_errors()
        within = nodes <= (1 + as_fmpq(outside)) * least
        ratio = Enclosure.of(nodes / least)
    text = (
        f"the interpolation is off by at most 1 + {max(inside, outside)} times the least possible error; here "
        f"{ratio.decimal(6)[0]}... times"
    )
    return confirmed_if(inside <= outside and bool(within), text)


def _not_the_logit() -> Evidence:
    with precision(64):
        half = Enclosure.of(-arb(2).log())
    text = (
        f"phi(0) = {digits(half, 8)}, and phi < 0 everywhere; the logit log(p/(1 - p)) is 0 at p = 1/2 and "
        "positive beyond"
    )
    return inconsistent_if(half.hi < 0, text)


def _log_of_the_logistic_function() -> Evidence:
    """exp(phi) is the logistic function, whose inverse is the logit."""
    import sympy as sp

    a = sp.symbols("a", positive=True)  # e^-s
    p = sp.simplify(sp.exp(-sp.log(1 + a)))
    inverse = sp.simplify(p / (1 - p) - 1 / a) == 0
    text = "p = exp(phi(s)) has log(p/(1 - p)) = s: phi is log p, the logit is the inverse of p"
    return inconsistent_if(inverse, text)


def _taylor() -> Evidence:
    """The objective of Proposition 3.4 with Taylor coefficients at 0 in place of Chebyshev's."""
    import sympy as sp

    s = sp.symbols("s", real=True)
    phi = -sp.log(1 + sp.exp(-s))
    found = [sp.simplify(sp.diff(phi, s, k).subs(s, 0) / sp.factorial(k)) for k in range(3)]
    known = found[1:] == [sp.Rational(1, 2), sp.Rational(-1, 8)]
    text = (
        f"the Taylor polynomial of degree 2 has the coefficients {found}: an objective of the same form with b_2 = -1/8"
    )
    return Evidence(Verdict.NOT_CHECKABLE if known else Verdict.UNDECIDABLE, text)


CLAIMS = (
    Claim("ddssp2024.3-3.likelihood", "ddssp2024", "Section 3.3; Appendix C",
        "With p = 1/(1 + exp(-x.theta)) the log-likelihood is the sum of phi(y x.theta), phi(s) = -log(1 + e^-s).",
        Verdict.CONFIRMED, Method.SYMBOLIC, _log_likelihood),
    Claim("ddssp2024.3-3.convex", "ddssp2024", "Section 3.3",
        "Maximising the log-likelihood is a convex problem.", Verdict.CONFIRMED, Method.SYMBOLIC, _concave),
    Claim("ddssp2024.3-3.statistics", "ddssp2024", "Section 3.3",
        "The log-likelihood has no finite sufficient statistics.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.BALL, _no_finite_statistics,
        "For features of infinitely many values. On the finite domain of the paper the histogram of the records is a "
        "finite statistic, with one number for each point of the domain.",
        hypotheses=("features take infinitely many values",)),
    Claim("ddssp2024.P3-4.identity", "ddssp2024", "Proposition 3.4; Appendix C",
        "A polynomial of degree 2 in place of phi turns the log-likelihood into "
        "n b_0 + b_1 theta^T X^T y + b_2 theta^T X^T X theta.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _proposition,
        "Proposition 3.4 prints theta for theta^T, and Appendix C has equalities from its first line on.",
        formula="n b_0 + b_1 y^T X theta + b_2 theta^T X^T X theta", hypotheses=("labels in {-1, 1}",)),
    Claim("ddssp2024.P3-4.coefficients", "ddssp2024", "Proposition 3.4; Section 3.3",
        "b_0, b_1 and b_2 are constants of a Chebyshev approximation on [-6, 6].",
        Verdict.CONFIRMED, Method.BALL, _coefficients,
        "b_1 = 1/2 exactly for every symmetric choice and range, and b_2 < 0.", formula="b_1 = 1/2"),
    Claim("ddssp2024.P3-4.optimum", "ddssp2024", "Section 3.3, after Proposition 3.4",
        "The objective can be optimised directly.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.SYMBOLIC, _optimum,
        "Its maximum is a positive multiple of least squares on labels -1 and 1, whatever the range: rankings and "
        "AUC are "
        "those of linear regression. The estimate of X^T X must be positive definite.",
        formula="theta = (X^T X)^-1 X^T y/(4 |b_2|)"),
    Claim("ddssp2024.3-3.precise", "ddssp2024", "Section 3.3, before Figure 2",
        "The approximation of degree 2 on [-6, 6] is precise.",
        Verdict.NOT_CHECKABLE, Method.BALL, _precise,
        "No tolerance is stated. No quadratic is closer than 0.1515 everywhere on [-6, 6], and interpolation at the "
        "Chebyshev nodes is off by 0.2379 at the ends."),
    Claim("ddssp2024.3-3.uniform", "ddssp2024", "Section 3.3",
        "Chebyshev polynomials give uniform guarantees on a finite interval.",
        Verdict.CONFIRMED, Method.BALL, _uniform_guarantee),
    Claim("ddssp2024.Fig2.logit", "ddssp2024", "Figure 2, caption",
        "phi(s) = -log(1 + e^-s) is the logit function.",
        Verdict.INCONSISTENT, Method.BALL, _not_the_logit,
        "It is the logarithm of the logistic function, as its formula says: a slip of the name. Appendix F.3 calls "
        "it the "
        "logistic function.",
        again=_log_of_the_logistic_function),
    Claim("ddssp2024.6.first", "ddssp2024", "Section 6",
        "The method is the first private logistic regression by perturbing sufficient statistics.",
        Verdict.NOT_CHECKABLE, Method.SYMBOLIC, _taylor,
        "No computation settles who was first. The functional mechanism (Zhang et al., 2012) adds noise to the "
        "coefficients of the Taylor polynomial of degree 2, which are multiples of X^T X and X^T y, and minimises it; "
        "first to do so in a data-dependent way is the narrower claim."),
)  # fmt: skip
