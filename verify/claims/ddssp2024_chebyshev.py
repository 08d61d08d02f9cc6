"""Quadratic approximations of phi(s) = -log(1 + e^-s) in ddssp2024: Section 3.3, Proposition 3.4 and Figure 2.

phi(s) = -log(1 + e^-s) is s/2 plus an even function, f(s^2) = -log(2 cosh(s/2)). So every approximation that is
symmetric in s has the odd part s/2, and its even part is a polynomial in t = s^2 that approximates f on [0, R^2]. The
derivative of f is -tanh(u)/(8 u) with u = sqrt(t)/2, which increases: f is convex, and errors of straight lines are
found by tangents.
"""

from __future__ import annotations

from fractions import Fraction

from flint import acb, arb

from bounds.enclosure import Enclosure, as_fmpq, precision
from bounds.quadrature import integral
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, inconsistent_if

RANGE = 6


def digits(number: Enclosure, count: int) -> str:
    """The first digits of a number, truncated towards zero."""
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
    """Approximately where f' passes the slope, by bisection on numbers that need not be certified."""
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
    text = (
        "phi(s) - phi(-s) = s, so an approximation that treats s and -s alike has b_1 = 1/2, which depends on the "
        f"data as little as phi and the range do; b_2 on [-6, 6] is {shown}"
    )
    return confirmed_if(odd and all(value.hi < 0 for value in found.values()), text)


def _precise() -> Evidence:
    with precision(128):
        nodes, least = (Enclosure.of(value) for value in uniform_errors())
        turning = Enclosure.of(-1 / (4 * interpolated()))
    text = (
        f"largest error on [-6, 6]: {nodes.decimal(8)[0]}... for the interpolation, {least.decimal(8)[0]}... for the "
        f"best quadratic, while phi(0) = -0.693...; the interpolation falls from s = {turning.decimal(7)[0]}... on, "
        "where phi grows"
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
        f"the interpolation of degree 2 is off by at most {1 + max(inside, outside)} times the smallest possible "
        f"error, for every function and R; here {ratio.decimal(6)[0]}... times. In general Lebesgue's constant of the "
        "Chebyshev nodes is at most 1 + (2/pi) log(M + 1) in degree M"
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


CLAIMS = (
    Claim(
        "ddssp2024.P3-4.coefficients", "ddssp2024", "Proposition 3.4; Section 3.3",
        "b_0, b_1 and b_2 are constants of a Chebyshev approximation on [-6, 6].",
        Verdict.CONFIRMED, Method.BALL, _coefficients,
        "b_1 = 1/2 exactly for every symmetric choice and range, and b_2 < 0.", formula="b_1 = 1/2",
        quote="where $b_0^{(2)}, b_1^{(2)}, b_2^{(2)}$ are constants", scope=Scope.REASONED,
    ),
    Claim(
        "ddssp2024.3-3.precise", "ddssp2024", "Section 3.3, before Figure 2",
        "The approximation of degree 2 on [-6, 6] is precise.",
        Verdict.NOT_CHECKABLE, Method.BALL, _precise,
        "The paper states no tolerance. No quadratic is closer than 0.1515 everywhere on [-6, 6], and interpolation at "
        "the Chebyshev nodes is off by 0.2379 at the ends.",
        quote="leading to a precise approximation over a range that encompasses most of the observed inner product "
        "values",
    ),
    Claim(
        "ddssp2024.3-3.uniform", "ddssp2024", "Section 3.3",
        "Chebyshev polynomials give uniform guarantees on a finite interval.",
        Verdict.CONFIRMED, Method.BALL, _uniform_guarantee,
        quote="Chebyshev polynomials, which provide uniform quality guarantees over a finite interval $[-R, R]$",
        scope=Scope.REASONED,
    ),
    Claim(
        "ddssp2024.Fig2.logit", "ddssp2024", "Figure 2, caption",
        "phi(s) = -log(1 + e^-s) is the logit function.",
        Verdict.INCONSISTENT, Method.BALL, _not_the_logit,
        "phi is the logarithm of the logistic function, as its formula says. A slip of the name. Appendix F.3 calls it "
        "the logistic function.",
        again=_log_of_the_logistic_function,
        quote=r"Degree 2 Chebyshev approximation of the logit function $\phi$, where $\phi(s) := -\log(1 + e^{-s})$.",
        severity=Severity.SLIP,
    ),
)  # fmt: skip
