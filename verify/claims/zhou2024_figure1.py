"""Figure 1(a) of zhou2024: the polynomial of degree 4 that is called minimax, coefficient by coefficient.

The logistic loss is -x/2 plus the even function g(x) = log(2 cosh(x/2)), so it is enough to look at [0, 5]. Whatever is
said against a printed coefficient is true of every number that rounds to it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial

from flint import arb

from bounds.approximation.approximate import approximate
from bounds.approximation.cells import sup_norm
from bounds.approximation.functions import find_function
from bounds.approximation.result import Approximation, Question, error_pieces
from bounds.enclosure import Enclosure, as_fmpq, decimal_text, precision
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, refuted_if

RADIUS = Fraction(5)
PRINTED = {0: Fraction("0.71"), 1: Fraction("-0.5"), 2: Fraction("0.1096"), 4: Fraction("-0.0015")}
HALF_UNITS = {0: Fraction("0.005"), 2: Fraction("0.00005"), 4: Fraction("0.00005")}
"""How far a number may be from the printed one and still round to it."""
PRINTED_ERROR, HALF_UNIT_OF_ERROR = Fraction("0.061"), Fraction("0.0005")
WITNESS = {0: Fraction("0.7134"), 2: Fraction("0.1038"), 4: Fraction("-0.001314")}
"""A polynomial with short coefficients that is closer than the printed one; the linear coefficient is -1/2."""


@cache
def logistic_on_figure() -> Question:
    return Question.of(find_function("logistic"), -RADIUS, RADIUS)


@cache
def true_minimax() -> Approximation:
    return approximate("logistic", interval="-5,5", degree=4)


def least_error_certified() -> Enclosure:
    """The smallest error of any polynomial of degree 4 on [-5, 5]."""
    found = true_minimax().minimax_error
    assert found is not None
    return found


def error_of(even: dict[int, Fraction]) -> Enclosure:
    """Largest error of c0 - x/2 + c2 x^2 + c4 x^4 on [-5, 5]."""
    question = logistic_on_figure()
    polynomial = (even[0], Fraction(-1, 2), even[2], Fraction(0), even[4])
    with precision(128):
        norm = sup_norm(error_pieces(question, polynomial), relative=Fraction(1, 10**12), negligible=Fraction(0))
    return Enclosure(norm.lo, norm.hi)


def even_part(x: Fraction) -> arb:
    """g(x) = log(2 cosh(x/2))."""
    half = arb(as_fmpq(x)) / 2
    return (2 * half.cosh()).log()


def mean_error_given(power: int, coefficient: Fraction, points: tuple[str, str, str]) -> Enclosure:
    """A weighted mean of the error, the same for all even polynomials of degree 4 with this coefficient of x^power.

    Weights at three points cancel the two free powers, so the mean of the error does not depend on them.
    """
    xs = [Fraction(x) for x in points]
    a, b = ([x**q for x in xs] for q in (0, 2, 4) if q != power)
    weights = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    with precision(128):
        total = sum(
            (as_fmpq(w) * (even_part(x) - as_fmpq(coefficient * x**power)) for w, x in zip(weights, xs, strict=True)),
            arb(0),
        )
        return Enclosure.of(total / as_fmpq(sum((abs(w) for w in weights), Fraction(0))))


def size(mean: Enclosure) -> Fraction:
    """If the mean is at least this far from zero, the error has at least this size somewhere."""
    return max(mean.lo, -mean.hi)


def error_of_witness_mpmath() -> Fraction:
    """At least the error of the witness: 30 digits at 501 points, and the slope of the error between them."""
    from mpmath import cosh, log, mp, mpf

    steps = 500
    with mp.workdps(30):
        worst = mpf(0)
        for i in range(steps + 1):
            x = mpf(5 * i) / steps
            value = sum(mpf(c.numerator) / c.denominator * x**k for k, c in WITNESS.items())
            worst = max(worst, abs(value - log(2 * cosh(x / 2))))
        rounded = Fraction(int(worst * 10**20) + 1, 10**20)
    slope = Fraction(1, 2) + sum((abs(c) * k * RADIUS ** (k - 1) for k, c in WITNESS.items() if k), Fraction(0))
    return rounded + slope * RADIUS / (2 * steps)


def error_at_four(*, nearest: bool) -> Fraction:
    """Error at x = 4 of the printed polynomial, or the smallest among all polynomials that round to it."""
    least = {k: PRINTED[k] - (half if nearest else 0) for k, half in HALF_UNITS.items()}
    value = sum((c * 4**k for k, c in least.items()), Fraction(0))
    with precision(128):
        return Enclosure.of(as_fmpq(value) - even_part(Fraction(4))).lo


def _sign() -> Evidence:
    printed = error_of(PRINTED).hi
    with precision(128):
        apart = Enclosure.of(as_fmpq(PRINTED[0]) + arb(2).log()).lo
    text = (
        f"the printed polynomial is within {decimal_text(printed, 6, up=True)} of log(1 + e^-x) = -log(sigmoid(x)), "
        f"but {decimal_text(apart, 6, up=False)} above log(sigmoid(x)) at 0"
    )
    return refuted_if(printed < Fraction(1, 10) and apart > 1, text)


def _sign_again() -> Evidence:
    """log(sigmoid(x)) is negative everywhere, as sigmoid(x) < 1; so no value above 0 is close to it."""
    from verify.claims.zhou2024_figure1_iterated import PRINTED as ITERATED

    at_zero = [PRINTED[0], *(Fraction(numbers["c0"]) for numbers in ITERATED.values())]
    at_minus_five = sum((c * (-RADIUS) ** k for k, c in PRINTED.items()), Fraction(0))
    text = (
        f"the four printed polynomials are {', '.join(f'{float(c):g}' for c in at_zero)} at 0, where log(sigmoid(0)) = "
        f"-ln 2; the first is {at_minus_five} at -5, where log(sigmoid(-5)) is below -5"
    )
    return refuted_if(min(at_zero) > 0 and at_minus_five > 5, text)


def _not_minimax() -> Evidence:
    nearest, least = error_at_four(nearest=True), least_error_certified()
    text = (
        "every polynomial whose even coefficients round to the printed ones has an error of at least "
        f"{decimal_text(nearest, 5, up=False)} at 4 or -4; the smallest error of degree 4 is {least.decimal(9)[1]}, "
        f"the error of the printed polynomial is {error_of(PRINTED).decimal(7)[0]}"
    )
    return refuted_if(nearest > least.hi, text)


def _not_minimax_again() -> Evidence:
    nearest, witness = error_at_four(nearest=True), error_of_witness_mpmath()
    text = (
        f"0.7134 - x/2 + 0.1038 x^2 - 0.001314 x^4 has an error of at most {decimal_text(witness, 5, up=True)} "
        "(mpmath), every polynomial that rounds to the printed one an error of at least "
        f"{decimal_text(nearest, 5, up=False)}"
    )
    return refuted_if(witness < nearest, text)


def _least_error() -> Evidence:
    least = least_error_certified()
    text = f"the smallest error of degree 4 on [-5, 5] lies between {least.decimal(12)[0]} and {least.decimal(12)[1]}"
    return refuted_if(least.hi < PRINTED_ERROR - HALF_UNIT_OF_ERROR, text)


def _least_error_again() -> Evidence:
    witness = error_of_witness_mpmath()
    text = (
        f"0.7134 - x/2 + 0.1038 x^2 - 0.001314 x^4 has an error of at most {decimal_text(witness, 5, up=True)} (mpmath)"
    )
    return refuted_if(witness < PRINTED_ERROR - HALF_UNIT_OF_ERROR, text)


def _error_of_printed() -> Evidence:
    printed, other = error_of(PRINTED), error_of({**PRINTED, 4: Fraction("-0.001504")})
    reached = abs(other.lo - PRINTED_ERROR) < HALF_UNIT_OF_ERROR and abs(other.hi - PRINTED_ERROR) < HALF_UNIT_OF_ERROR
    text = (
        f"with the printed coefficients the error is {printed.decimal(7)[0]}; with -0.001504 for -0.0015, which rounds "
        f"to the printed one, it is {other.decimal(7)[0]}"
    )
    return confirmed_if(reached, text, with_conditions=True)


def _c0() -> Evidence:
    below = size(mean_error_given(0, Fraction("0.705"), ("2.0825", "4.1375", "5")))
    above = size(mean_error_given(0, Fraction("0.715"), ("0", "2.2325", "4.2575")))
    least = least_error_certified()
    text = (
        f"with 0.705 or 0.715 the error is at least {decimal_text(min(below, above), 6, up=False)}, more than the "
        f"smallest possible, {least.decimal(7)[1]}; the error is convex in the coefficient, so the minimax one lies "
        f"between, near {true_minimax().coefficients[0].decimal(6)[0]}"
    )
    return confirmed_if(min(below, above) > least.hi, text)


def _odd() -> Evidence:
    import sympy

    x = sympy.Symbol("x", real=True)
    difference = sympy.log(1 + sympy.exp(-x)) - sympy.log(1 + sympy.exp(x)) + x
    slope = sympy.simplify(sympy.diff(difference, x))
    text = "log(1+e^-x) + x/2 is even, so by uniqueness the best polynomial is -x/2 plus an even one: -0.5 and no x^3"
    return confirmed_if(slope == 0 and difference.subs(x, 0) == 0, text)


COEFFICIENT_POINTS = {2: ("1.77", "4.0725", "5"), 4: ("1.8", "4.08", "5")}


def _coefficient(power: int) -> Evidence:
    half, least = HALF_UNITS[power], least_error_certified()
    ends = [mean_error_given(power, PRINTED[power] + s * half, COEFFICIENT_POINTS[power]) for s in (-1, 1)]
    one_sign = ends[0].lo * ends[1].lo > 0  # the mean is linear in the coefficient, so it is no smaller in between
    reached = min(size(end) for end in ends)
    text = (
        f"every polynomial of degree 4 whose coefficient of x^{power} rounds to the printed one has an error of at "
        f"least {decimal_text(reached, 5, up=False)}, the minimax one has {least.decimal(6)[1]}; its coefficient is "
        f"near {float(true_minimax().coefficients[power].midpoint):.6g}"
    )
    return refuted_if(one_sign and reached > least.hi, text)


def _coefficient_again(power: int) -> Evidence:
    """A linear programme in floats shows that the witness is closer than any polynomial with the coefficient can be."""
    import numpy as np
    from scipy.optimize import linprog

    x = np.linspace(0, 5, 801)
    columns = np.stack([x**q for q in (0, 2, 4)] + [np.ones_like(x)], axis=1)
    errors = np.vstack([columns * [1, 1, 1, -1], columns * [-1, -1, -1, -1]])
    g = np.log(2 * np.cosh(x / 2))
    bounds: list[tuple[float | None, float | None]] = [(None, None)] * 4
    limits = (float(PRINTED[power] - HALF_UNITS[power]), float(PRINTED[power] + HALF_UNITS[power]))
    free = linprog([0, 0, 0, 1], A_ub=errors, b_ub=np.concatenate([g, -g]), bounds=bounds).fun
    bounds[power // 2] = limits
    bound = linprog([0, 0, 0, 1], A_ub=errors, b_ub=np.concatenate([g, -g]), bounds=bounds).fun
    text = f"least error on 801 points (scipy): {bound:.6f} with the printed coefficient, {free:.6f} without"
    return refuted_if(bool(bound > free + 1e-3), text)


BEST = "The minimax polynomial is 0.713378 - 0.5 x + 0.103771 x^2 - 0.00131389 x^4, with error 0.0202313. "
ONE_POLYNOMIAL = "This is a consequence of one wrong polynomial (zhou2024.F1a.minimax), not a separate error."
PLACE, PAPER, ROOT = "Figure 1(a)", "zhou2024", "zhou2024.F1a.minimax"
PRINTED_QUOTE = (
    "(a) shows Minimax approximation for [...] within interval [-5,5] in 4-degree polynomial: [...] "
    "0.71 - 0.5x + 0.1096x^2 - 0.0015x^4"
)
ERROR_QUOTE = "0.71 - 0.5x + 0.1096x^2 - 0.0015x^4, with an error of 0.061"
_OK, _NO, _FALLS = Verdict.CONFIRMED, Verdict.REFUTED, Severity.RESULT_FALLS

CLAIMS = (
    Claim("zhou2024.F1a.sign", PAPER, "Figure 1", "The printed polynomials approximate log(sigmoid(x)) on [-5, 5].",
          _NO, Method.BALL, _sign,
          "They approximate -log(sigmoid(x)), the loss of Section 2.2; the minus sign is missing from the caption.",
          again=_sign_again, severity=Severity.SLIP,
          quote=r"Minimax approximation for $\log(\text{sigmoid}(\mathbf{x}))$ function within interval [-5,5] in "
          "4-degree polynomial"),
    Claim("zhou2024.F1a.minimax", PAPER, PLACE,
          "0.71 - 0.5 x + 0.1096 x^2 - 0.0015 x^4 is, rounded, the minimax polynomial of degree 4 on [-5, 5].",
          _NO, Method.BALL, _not_minimax,
          BEST + "The printed one is a valid approximation with about three times that error.",
          again=_not_minimax_again, severity=_FALLS, quote=PRINTED_QUOTE,
          lemma="zhou2024_approximation.printed_polynomial_is_not_minimax"),
    Claim("zhou2024.F1a.least-error", PAPER, PLACE,
          "The minimax approximation of degree 4 on [-5, 5] has error 0.061.",
          _NO, Method.BALL, _least_error, BEST + ONE_POLYNOMIAL, again=_least_error_again, severity=_FALLS, root=ROOT,
          quote=ERROR_QUOTE, depends_on=(ROOT,), lemma="zhou2024_approximation.error_below_a_third"),
    Claim("zhou2024.F1a.error-of-printed", PAPER, PLACE, "The printed polynomial has error 0.061.",
          Verdict.CONFIRMED_WITH_CONDITIONS, Method.BALL, _error_of_printed,
          "With the coefficients as printed the error is 0.0621; rounding of the coefficients can explain the "
          "difference.",
          severity=Severity.READING, quote=ERROR_QUOTE),
    Claim("zhou2024.F1a.c0", PAPER, PLACE, "The constant coefficient of the minimax polynomial is 0.71.",
          _OK, Method.BALL, _c0, quote="(a) shows Minimax approximation for [...] 0.71 - 0.5x"),
    Claim("zhou2024.F1a.odd-coefficients", PAPER, PLACE,
          "The linear coefficient of the minimax polynomial is -0.5 and there is no cubic term.",
          _OK, Method.SYMBOLIC, _odd, quote=PRINTED_QUOTE),
    *(
        Claim(f"zhou2024.F1a.c{power}", PAPER, PLACE, statement, _NO, Method.BALL, partial(_coefficient, power),
              value + ONE_POLYNOMIAL, again=partial(_coefficient_again, power), severity=_FALLS, root=ROOT,
              quote=PRINTED_QUOTE, depends_on=(ROOT,), scope=Scope.ALL_CASES)
        for power, statement, value in (
            (2, "The quadratic coefficient of the minimax polynomial is 0.1096.", "The quadratic coefficient is "
                                                                                  "0.103771. "),
            (4, "The coefficient of x^4 of the minimax polynomial is -0.0015.",
             "The coefficient is -0.00131389, which rounds to -0.0013. "),
        )
    ),
)  # fmt: skip
