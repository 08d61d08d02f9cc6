"""The lower half of the proof of Theorem 4.1 of zhou2024, step by step: Claim B.5 and equations (4) to (8)."""

from __future__ import annotations

from fractions import Fraction

from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if, refuted_if
from verify.claims.zhou2024_theorem41 import MARGINS, loss, value

TWENTIETH = Fraction(1, 20)


def _error_at_most() -> Evidence:
    """At -s the loss over gamma exceeds 9/8 by (s^2 + 2s)/8 + 2s/gamma; the separator costs at most (1 - gamma)^2/8."""
    import sympy

    s, g = sympy.symbols("s gamma", positive=True)
    over = sympy.expand((1 + s) ** 2 / 8 + 1 + 2 * s / g - sympy.Rational(9, 8))
    start = all(loss(g, Fraction(0)) == g * Fraction(9, 8) and loss(g, g) == g * (1 - g) ** 2 / 8 for g in MARGINS)
    error = (Fraction(1, 8) + Fraction(1, 8)) / Fraction(9, 8)
    text = (
        f"an error costs at least 9 gamma/8 and the separator at most gamma (1 - gamma)^2/8: the error is at most "
        f"{error}"
    )
    return confirmed_if(bool(over.is_positive) and start and error < Fraction(1, 4), text)


def _gap() -> Evidence:
    """Contraposition of Claim B.5, and what the sharp edition adds."""
    found = [value("zhou2024.error-to-risk", "sharp", margin=g, error_rate="1/4") for g in MARGINS]
    least = all(v.lo >= g * Fraction(5, 32) for v, g in zip(found, MARGINS, strict=True))
    return confirmed_if(least, "an error of 1/4 or more costs at least 5 gamma/32, more than gamma/8")


def _nonnegative() -> Evidence:
    """A sum of squares and of a piece that falls to 0 at gamma; 0 is attained at 1."""
    values = [loss(g, Fraction(k, 50)) for g in MARGINS for k in range(-50, 51)]
    return confirmed_if(
        min(values) == 0 and all(loss(g, Fraction(1)) == 0 for g in MARGINS), "phi(1) = 0 is the least value"
    )


def _above_one() -> Evidence:
    largest = [loss(g, Fraction(-1)) for g in MARGINS]
    exact = all(v == 2 + g * Fraction(3, 2) for v, g in zip(largest, MARGINS, strict=True))
    return refuted_if(
        exact and min(largest) > 1,
        f"w = -xy/m has norm 1/sqrt m and loss phi(-1) = 2 + 3 gamma/2 = {largest[0]} at gamma = 1/64",
    )


def _above_one_from_half() -> Evidence:
    """On t <= 0 the loss is gamma (1-t)^2/8 + gamma - 2t, which is above -2t >= 1 for t <= -1/2."""
    import sympy

    t, g = sympy.symbols("t gamma", positive=True)
    rest = sympy.expand(g * (1 + t) ** 2 / 8 + g + 2 * t - 2 * t)  # at -t
    return refuted_if(
        bool(sympy.simplify(rest).is_positive), "phi(-t) - 2t is positive, so phi is above 1 from t = -1/2 down to -1"
    )


def _hoeffding() -> Evidence:
    """exp(-2 n (gamma/20)^2/range^2) with n gamma^2 = 800 ln^2 n."""
    printed = 2 * TWENTIETH**2 * 800
    true = printed / (2 + Fraction(3, 2) * MARGINS[0]) ** 2
    text = (
        f"with range 1 the failure is at most n^(-{printed} ln n), with the true range 2 + 3 gamma/2 at most "
        f"n^(-{float(true):.4f} ln n) at gamma = 1/64"
    )
    return confirmed_if(printed == 4 and true > Fraction(24, 25), text, with_conditions=True)


def _fortieth() -> Evidence:
    left = Fraction(1, 8) - 2 * TWENTIETH
    return refuted_if(left < Fraction(1, 16), f"1/8 - 2/20 = {left}, less than 1/16")


def _fortieth_by_assignment() -> Evidence:
    """Risks in units of gamma that satisfy (4) and (7) with equality: nothing more can follow from them."""
    best, reached = Fraction(1, 10), Fraction(1, 10) + Fraction(1, 8)
    on_data_best, on_data_reached = best + TWENTIETH, reached - TWENTIETH
    allowed = (
        reached >= best + Fraction(1, 8) and reached - on_data_reached <= TWENTIETH and on_data_best - best <= TWENTIETH
    )
    gap = on_data_reached - on_data_best
    return refuted_if(
        allowed and gap < Fraction(1, 16),
        f"risks of 9/40 and 1/10 on the distribution, 7/40 and 6/40 on the data: the gap is {gap}",
    )


def _sixteenth_holds() -> Evidence:
    """27/80 - 9 eta/8 >= 1/16 exactly for eta <= 11/45, that is ln n >= (45/11)^2."""
    least = Fraction(45, 11) ** 2
    value_at = [value("zhou2024.lower", "sharp", log_n=x, query_constant=2).lo * x**3 for x in (62, 10**4)]
    holds = Fraction(27, 80) - Fraction(9, 8) / Fraction(45, 11) == Fraction(1, 16) and min(value_at) > Fraction(1, 16)
    return confirmed_if(
        holds, f"the error 1/2 - eta gives gamma/16 and more from ln n = {least} on", with_conditions=True
    )


def _rate_of_gap() -> Evidence:
    exact = all(
        value("zhou2024.lower", "printed", log_n=x, query_constant=2).lo == Fraction(1, 16 * x**3) for x in (62, 1000)
    )
    return confirmed_if(exact, "gamma/16 with gamma = 1/ln^3 n is 1/(16 ln^3 n); any constant gives the rate")


_OK, _IF, _NO = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS, Verdict.REFUTED
_L, _E = ("zhou2024.lower",), ("zhou2024.error-to-risk", "zhou2024.lower")
_P = "zhou2024"

CLAIMS = (
    Claim("zhou2024.B5.error", _P, "Claim B.5", "A risk within gamma/8 of the least one means an error of at most 1/4.",
          _OK, Method.SYMBOLIC, _error_at_most, "The error is at most 2/9, without the quoted Claim 3 of "
          "dagan2020.", _E),
    Claim("zhou2024.B.gap", _P, "Equation (4)", "Corollary B.4 and Claim B.5 give a gap of at least gamma/8.", _OK,
          Method.BALL, _gap, "It is at least 5 gamma/32.", _E),
    Claim("zhou2024.B.range-below", _P, "Appendix B before equation (5)", "The loss is at least 0.", _OK, Method.EXACT,
          _nonnegative, "", ("zhou2024.phi-gamma",)),
    Claim("zhou2024.B.range-above", _P, "Appendix B before equation (5)", "The loss is at most 1.", _NO, Method.EXACT,
          _above_one, "Its largest value is 2 + 3 gamma/2; it is above 1 on [-1, -1/2]. The exponent of the deviation "
          "bound is a quarter of what range 1 gives, and stays large enough.", ("zhou2024.phi-gamma",),
          again=_above_one_from_half),
    Claim("zhou2024.B.deviations", _P, "Equation (7)", "With all but negligible probability both deviations are at "
    "most "
          "gamma/20.", _IF, Method.EXACT, _hoeffding, "Where n/ln^2 n >= 800/gamma^2, n >= 1.8706e15, and with the "
          "true "
          "range: each fails with probability at most n^(-ln n/(1 + 3 gamma/4)^2).", _L),
    Claim("zhou2024.B.sixteenth", _P, "Equation (8)", "Equations (4) and (7) give a gap of gamma/16 on the data.", _NO,
          Method.EXACT, _fortieth, "They give gamma/40. A gap of gamma/16 holds all the same, by the error 1/2 - eta "
          "in "
          "place of 1/4, see zhou2024.B.sixteenth-holds; the rate is not affected.", _L, again=_fortieth_by_assignment),
    Claim("zhou2024.B.sixteenth-holds", _P, "Equation (8)", "The expected excess risk on the data is at least "
    "gamma/16.",
          _IF, Method.BALL, _sixteenth_holds, "Under the repaired conditions, which include ln n >= 61.87; by another "
          "argument than the printed one.", _L),
    Claim("zhou2024.B.rate", _P, "Appendix B, last display", "Substituting gamma = 1/ln^3 n in (8) gives "
          "Omega(1/ln^3 n).", _OK, Method.EXACT, _rate_of_gap, "", _L),
)  # fmt: skip
