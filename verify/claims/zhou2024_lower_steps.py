"""The lower half of the proof of Theorem 4.1 of zhou2024, step by step: Claim B.5 and equations (4) to (8)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, refuted_if
from verify.claims.zhou2024_theorem41 import MARGINS, loss

TWENTIETH = Fraction(1, 20)


def least_gap() -> tuple[Any, Any]:
    """The smallest gap in risk over gamma that an error rate e causes, and the symbols e and gamma.

    At -s the loss over gamma exceeds 9/8 by (s^2 + 2s)/8 + 2s/gamma, and a correctly classified record costs at least
    0; the separator costs at most (1 - gamma)^2/8, as (1 - t)^2 falls up to t = 1.
    """
    import sympy

    s, g, e = sympy.symbols("s gamma e", positive=True)
    over = sympy.expand((1 + s) ** 2 / 8 + 1 + 2 * s / g - sympy.Rational(9, 8))
    start = all(loss(m, Fraction(0)) == m * Fraction(9, 8) and loss(m, m) == m * (1 - m) ** 2 / 8 for m in MARGINS)
    assert over.is_positive
    assert start
    return sympy.Rational(9, 8) * e - (1 - g) ** 2 / 8, (e, g)


def _error_at_most() -> Evidence:
    """A gap of at most 1/8 means 9e/8 <= 1/8 + (1 - gamma)^2/8, which is less than 1/4."""
    import sympy

    gap, (e, g) = least_gap()
    error = sympy.solve(sympy.Eq(gap, sympy.Rational(1, 8)), e)[0]
    most = error.subs(g, 0)
    falls = sympy.expand(most - error - g * (2 - g) / 9) == 0  # so it is less than its value at gamma = 0
    text = (
        "an error costs at least 9 gamma/8 and the separator at most gamma (1 - gamma)^2/8: the error is at most (1 + "
        f"(1 - gamma)^2)/9 < {most}"
    )
    return confirmed_if(bool(falls) and most == sympy.Rational(2, 9), text, with_conditions=True)


def _gap() -> Evidence:
    """Contraposition of Claim B.5: a larger error means a larger gap."""
    import sympy

    gap, (e, g) = least_gap()
    left = sympy.expand(gap.subs(e, sympy.Rational(1, 4)) - sympy.Rational(5, 32) - g * (2 - g) / 8)
    text = "error 1/4 costs at least (9/32 - (1 - gamma)^2/8) gamma = (5/32 + gamma (2 - gamma)/8) gamma > gamma/8"
    return confirmed_if(left == 0, text)


def _nonnegative() -> Evidence:
    """A square, and a piece that is at least 1, a square, or 0; 0 is attained at 1."""
    import sympy

    s, g = sympy.symbols("s gamma", positive=True)
    t = sympy.symbols("t", real=True)
    pieces = ((1 - t) ** 2 / 8, 1 + 2 * s / g, (t - g) ** 2 / g**2)
    attained = all(loss(m, Fraction(1)) == 0 for m in MARGINS)
    text = "it is gamma times a square plus 1 - 2t/gamma >= 1 for t <= 0, a square or 0; phi(1) = 0"
    return confirmed_if(all(p.is_nonnegative for p in pieces) and attained, text)


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
    """exp(-2 n (gamma/20)^2/range^2) with n gamma^2 >= 800 ln^2 n; the range grows with gamma < 1."""
    printed = 2 * TWENTIETH**2 * 800
    least = printed / (2 + Fraction(3, 2)) ** 2
    text = (
        f"with range 1 each fails with probability at most n^(-{printed} ln n); with the true range 2 + 3 gamma/2 < "
        f"7/2 each fails with at most n^(-{least} ln n) for every gamma < 1, which is negligible, too"
    )
    return confirmed_if(printed == 4 and least == Fraction(16, 49), text)


def _fortieth() -> Evidence:
    left = Fraction(1, 8) - 2 * TWENTIETH
    return refuted_if(left < Fraction(1, 16), f"1/8 - 2/20 = {left}, less than 1/16")


def _fortieth_by_assignment() -> Evidence:
    """Risks in units of gamma that satisfy (4) and (7) with equality, so no larger gap follows from these."""
    best, reached = Fraction(1, 10), Fraction(1, 10) + Fraction(1, 8)
    on_data_best, on_data_reached = best + TWENTIETH, reached - TWENTIETH
    allowed = (
        reached >= best + Fraction(1, 8) and reached - on_data_reached <= TWENTIETH and on_data_best - best <= TWENTIETH
    )
    gap = on_data_reached - on_data_best
    return refuted_if(
        allowed and gap < Fraction(1, 16),
        f"risks of 9/40 and 1/10 on the distribution, 7/40 and 6/40 on the data: so the gap is only {gap}",
    )


def _sixteenth_holds() -> Evidence:
    """From the error 1/2 - eta: 27/80 - 9 eta/8 >= 1/16 exactly for eta <= 11/45, that is ln n >= (45/11)^2."""
    import sympy

    gap, (e, g) = least_gap()
    eta = sympy.symbols("eta", positive=True)
    left = gap.subs(e, sympy.Rational(1, 2) - eta).subs(g, 0) - 2 * sympy.Rational(1, 20)  # least at gamma = 0
    enough = sympy.solve(sympy.Eq(left, sympy.Rational(1, 16)), eta)[0]
    text = (
        "an expected error above 1/2 - eta, which Theorem B.3 would give, makes the gap on the data at least (27/80 - "
        f"9 eta/8) gamma, which is at least gamma/16 for eta <= {enough}, from ln n = {1 / enough**2} on"
    )
    return Evidence(Verdict.OPEN if enough == sympy.Rational(11, 45) else Verdict.UNDECIDABLE, text)


def _rate_of_gap() -> Evidence:
    import sympy

    x = sympy.symbols("x", positive=True)  # ln n
    ratios = [sympy.simplify((share * x**-3) / x**-3) for share in (sympy.Rational(1, 16), sympy.Rational(1, 40))]
    text = f"gamma/16 with gamma = 1/ln^3 n is {ratios[0]} of 1/ln^3 n for every n; so is gamma/40 with {ratios[1]}"
    return confirmed_if(all(r.is_positive and r.is_number for r in ratios), text)


def _quoted_claim() -> Evidence:
    text = (
        "the source was not read. Nothing here depends on it: the loss is given by equation (3), and Claim B.5 has a "
        "proof of its own"
    )
    return Evidence(Verdict.OPEN, text)


_OK, _IF, _NO = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS, Verdict.REFUTED
_L, _E = ("zhou2024.lower",), ("zhou2024.error-to-risk", "zhou2024.lower")
_P, _SHAPE = "zhou2024", ("zhou2024.phi-gamma",)

CLAIMS = (
    Claim("zhou2024.B5.quoted", _P, "Equation (3), Claim B.5, proof",
          "The loss phi_gamma, and the relation of risk and error, are those of Dagan and Feldman, Claim 3.",
          Verdict.OPEN, Method.READING, _quoted_claim, "Claim B.5 is true without it, see zhou2024.B5.error.", _E,
          scope=Scope.INSTANCES, quote="By Claim 3 in (Dagan & Feldman, 2020), this implies that"),
    Claim("zhou2024.B5.error", _P, "Claim B.5", "A risk within gamma/8 of the smallest means an error of at most 1/4.",
          _IF, Method.SYMBOLIC, _error_at_most,
          "True if some separator has margin gamma, as in Theorem B.3. The error is at most 2/9, without using the "
          "quoted Claim 3 of Dagan and Feldman.",
          _E, scope=Scope.ALL_CASES, depends_on=("zhou2024.B5.quoted", "zhou2024.4.margin"),
          quote="Let A be any algorithm. If [...] + \\frac{\\gamma}{8}$, then [...] \\leq 1/4$."),
    Claim("zhou2024.B.gap", _P, "Equation (4)", "Corollary B.4 and Claim B.5 give a gap of at least gamma/8.", _OK,
          Method.SYMBOLIC, _gap, "The gap is at least 5 gamma/32.", _E, scope=Scope.ALL_CASES,
          depends_on=("zhou2024.B4.error", "zhou2024.B5.error"),
          quote="Taking Corollary B.4 and Claim B.5 together, we have that for every algorithm Syn"),
    Claim("zhou2024.B.range-below", _P, "Appendix B before equation (5)", "The loss is at least 0.", _OK,
          Method.SYMBOLIC, _nonnegative, "", _SHAPE, scope=Scope.ALL_CASES,
          quote="is lower bounded by 0 and upper bounded by 1"),
    Claim("zhou2024.B.range-above", _P, "Appendix B before equation (5)", "The loss is at most 1.", _NO, Method.EXACT,
          _above_one, "Its largest value is 2 + 3 gamma/2, and it is above 1 on [-1, -1/2]. The exponent of the "
          "deviation bound is about a quarter of what range 1 gives, which is still large enough: equation (7) is true "
          "as printed (zhou2024.B.deviations).", _SHAPE, again=_above_one_from_half, severity=Severity.SLIP,
          hypotheses=("|w| <= 1/sqrt m",),
          quote="is lower bounded by 0 and upper bounded by 1", lemma="zhou2024_lower.loss_exceeds_one"),
    Claim("zhou2024.B.deviations", _P, "Equation (7)",
          "With all but negligible probability both deviations are at most gamma/20.", _OK, Method.EXACT, _hoeffding,
          "True: with the true range of the loss each bound fails with probability at most n^(-ln n/(1 + 3 "
          "gamma/4)^2), provided n/ln^2 n >= 800/gamma^2.", _L, scope=Scope.ALL_CASES,
          depends_on=("zhou2024.B.range-below", "zhou2024.B.range-above", "zhou2024.B.deviation-size"),
          quote="by standard Hoeffding bounds that with all but negligible probability over choice of $D_r$"),
    Claim("zhou2024.B.sixteenth", _P, "Equation (8)", "Equations (4) and (7) give a gap of gamma/16 on the data.", _NO,
          Method.EXACT, _fortieth,
          "These equations give gamma/40. A gap of gamma/16 follows from using the error 1/2 - eta of Theorem B.3 "
          "instead of 1/4, see zhou2024.B.sixteenth-holds; the rate is not affected.",
          _L, again=_fortieth_by_assignment,
          severity=Severity.CONDITION, depends_on=("zhou2024.B.gap", "zhou2024.B.deviations"),
          quote="Therefore, combining (4), (7), and by the optimality of $\\mathbf{w}_r$",
          lemma="zhou2024_lower.sixteenth_does_not_follow"),
    Claim("zhou2024.B.sixteenth-holds", _P, "Equation (8)",
          "The expected excess risk on the data is at least gamma/16.", Verdict.OPEN, Method.SYMBOLIC, _sixteenth_holds,
          "It depends on the quoted Theorem B.3, by an argument other than the printed one.", _L, scope=Scope.ALL_CASES,
          depends_on=("zhou2024.B4.error", "zhou2024.B.deviations", "zhou2024.B.sixteenth"),
          quote="\\ge L(\\mathbf{w}_r, D_r) + \\frac{\\gamma}{16}. [...] Substituting"),
    Claim("zhou2024.B.rate", _P, "Appendix B, last display", "Substituting gamma = 1/ln^3 n in (8) gives "
          "Omega(1/ln^3 n).", _OK, Method.SYMBOLIC, _rate_of_gap, "True also with the gamma/40 that (4) and (7) give.",
                                                                  _L,
          scope=Scope.ALL_CASES, depends_on=("zhou2024.B.sixteenth", "zhou2024.B1.margin-of-n"),
          quote="into (8) we obtain [...] which concludes the proof of the theorem"),
)  # fmt: skip
