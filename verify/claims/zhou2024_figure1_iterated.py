"""Figure 1(b) of zhou2024, every printed coefficient and error, and the three observations that follow the figure.

B^(h) = I - (I - B)^h is read as "iterated h times"; all printed numbers of the figure agree with this reading.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise

from bounds.approximation.approximate import approximate
from bounds.approximation.bernstein import iterated
from bounds.approximation.result import Approximation
from bounds.enclosure import Enclosure, decimal_text
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, Withdrawn, confirmed_if, refuted_if
from verify.claims.zhou2024_figure1 import error_of_witness_mpmath, least_error_certified, logistic_on_figure

PRINTED: dict[int, dict[str, str]] = {
    1: {"c0": "1.2377", "c2": "0.0544", "c4": "-0.0001", "error": "0.545"},
    4: {"c0": "0.7934", "c2": "0.0812", "c4": "-0.0005", "error": "0.100"},
    9: {"c0": "0.7504", "c2": "0.0931", "c4": "-0.0009", "error": "0.057"},
}
QUOTES = {
    1: "1.2377 - 0.5x + 0.0544x^2 - 0.0001x^4, with an error of 0.545",
    4: "0.7934 - 0.5x + 0.0812x^2 - 0.0005x^4, with an error of 0.100",
    9: "0.7504 - 0.5x + 0.0931x^2 - 0.0009x^4, with an error of 0.057",
}
WHAT = {"c0": "constant coefficient", "c2": "coefficient of x^2", "c4": "coefficient of x^4", "error": "largest error"}


@cache
def iterate(iterations: int, degree: int = 4) -> Approximation:
    return iterated(logistic_on_figure(), degree, iterations)


def _printed_number(iterations: int, name: str) -> Callable[[], Evidence]:
    def check() -> Evidence:
        found = iterate(iterations)
        value = found.error if name == "error" else found.coefficients[int(name[1])]
        printed = PRINTED[iterations][name]
        half = Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))
        within = abs(value.lo - Fraction(printed)) <= half and abs(value.hi - Fraction(printed)) <= half
        return confirmed_if(within, f"it is {value.decimal(9)[0]}...; printed {printed}")

    return check


def _odd_coefficients() -> Evidence:
    found = [iterate(h).coefficients for h in PRINTED]
    right = all(c[1].contains(Fraction(-1, 2)) and c[1].is_exact and c[3] == Enclosure.of(0) for c in found)
    return confirmed_if(right, "the operators keep linear functions and evenness: -1/2 and 0 for 1, 4 and 9 iterations")


def _best_of_all() -> Evidence:
    nine, best, least = iterate(9).error, iterate(16).error, least_error_certified()
    text = (
        f"9 iterations have error {nine.decimal(8)[0]}, {decimal_text(nine.lo / least.hi, 3, up=False)} times the "
        f"smallest possible error {least.decimal(8)[1]}; even 16 iterations have error {best.decimal(8)[0]}"
    )
    return refuted_if(nine.lo > least.hi and best.lo > least.hi, text)


def _best_of_all_again() -> Evidence:
    """At 0 the iterate is a rational combination of the five samples; no sup norm is needed."""
    from mpmath import cosh, log, mp, mpf

    weights = iterate_weights_at_centre(9)
    with mp.workdps(30):
        samples = [log(2 * cosh(mpf(5 * (k - 2)) / 4)) for k in range(5)]
        value = sum(mpf(w.numerator) / w.denominator * s for w, s in zip(weights, samples, strict=True))
        at_zero = Fraction(int(abs(value - log(2)) * 10**20), 10**20)
    witness = error_of_witness_mpmath()
    text = (
        f"already at 0, 9 iterations have error {decimal_text(at_zero, 8, up=False)}; 0.7134 - x/2 + 0.1038 x^2 - "
        f"0.001314 x^4 has an error of at most {decimal_text(witness, 5, up=True)} anywhere (mpmath)"
    )
    return refuted_if(at_zero > witness, text)


def iterate_weights_at_centre(iterations: int) -> list[Fraction]:
    """Weights of the five samples in B^(h) at the centre of the interval, by the binomial sum, exactly."""
    from math import comb

    rows = [[Fraction(comb(4, j) * k**j * (4 - k) ** (4 - j), 4**4) for j in range(5)] for k in range(5)]
    centre, total = [Fraction(comb(4, j), 16) for j in range(5)], [Fraction(0)] * 5
    for i in range(1, iterations + 1):
        total = [t + (-1) ** (i - 1) * comb(iterations, i) * c for t, c in zip(total, centre, strict=True)]
        centre = [sum((centre[k] * rows[k][j] for k in range(5)), Fraction(0)) for j in range(5)]
    return total


def _falls_where_observed() -> Evidence:
    """The figure has degree 4 and 1, 4, 9 iterations; other cases are computed as well."""
    errors = {h: iterate(h).error for h in range(1, 18)}
    four, nine = error_of_degree_two_mpmath(4), error_of_degree_two_mpmath(9)
    falls = all(errors[h + 1].hi < errors[h].lo for h in range(1, 16))
    rises = errors[17].lo > errors[16].hi and nine[0] > four[1]
    text = (
        "degree 4 on [-5, 5]: the error falls at every step from 1 to 16 iterations, "
        + ", ".join(f"{errors[h].decimal(6)[0]} (h = {h})" for h in (*PRINTED, 16, 17))
        + f"; degree 2: at most {decimal_text(four[1], 5, up=True)} for 4 iterations, at least "
        f"{decimal_text(nine[0], 5, up=False)} for 9"
    )
    return confirmed_if(falls, text, with_conditions=rises)


def error_of_degree_two_mpmath(iterations: int) -> tuple[Fraction, Fraction]:
    """Bounds on the error for degree 2, where B^(h) g = g(5) + (g(0) - g(5)) (1 - z^2) (1 - 2^-h), z = x/5."""
    from mpmath import cosh, log, mp, mpf

    steps = 1000
    with mp.workdps(30):
        end, bend = log(2 * cosh(mpf(5) / 2)), log(2) - log(2 * cosh(mpf(5) / 2))
        share = 1 - mpf(2) ** -iterations
        worst = mpf(0)
        for i in range(steps + 1):
            z = mpf(i) / steps
            worst = max(worst, abs(end + bend * (1 - z * z) * share - log(2 * cosh(5 * z / 2))))
        lower = Fraction(int(worst * 10**20), 10**20)
    return lower, lower + Fraction(1, 10**20) + Fraction(13, 2) / (2 * steps)  # |slope| <= 2 |bend| + 5/2 < 13/2


def _minimax_by_degree() -> Evidence:
    errors = []
    for d in range(1, 9):
        found = approximate("logistic", interval="-5,5", degree=d).minimax_error
        assert found is not None
        errors.append(found)
    even = errors[1::2]
    falls = all(after.hi < before.lo for before, after in pairwise(even))
    same = all(errors[d - 1].lo <= errors[d - 2].hi and errors[d - 2].lo <= errors[d - 1].hi for d in (3, 5, 7))
    text = "smallest errors of degree 2, 4, 6, 8: " + ", ".join(e.decimal(6)[0] for e in even)
    text += (
        "; degrees 3, 5, 7 add nothing. The smallest error never rises, because a polynomial of one degree is also one "
        "of every higher degree; odd degrees add nothing, because the loss is -x/2 plus an even function"
    )
    return confirmed_if(falls and same, text, with_conditions=True)


def _plain_by_degree() -> Evidence:
    errors = [iterate(1, d).error for d in range(1, 13)]
    falls = all(after.hi < before.lo for before, after in pairwise(errors))
    text = (
        f"degrees 1 to 12: from {errors[0].decimal(6)[0]} to {errors[-1].decimal(6)[0]}, falling at every step. In "
        "general P_d, written at degree d + 1, has the coefficients (k/(d+1)) f(x_(k-1)) + (1 - k/(d+1)) f(x_k): "
        "means of values at points whose mean is the node k/(d+1), so they are above f there if f is strictly convex. "
        "Hence P_d > P_(d+1) > f inside, and the ends are exact"
    )
    return confirmed_if(falls and _elevated_node_is_the_mean(), text)


def _elevated_node_is_the_mean() -> bool:
    import sympy

    k, d = sympy.symbols("k d", positive=True)
    mean = k / (d + 1) * (k - 1) / d + (1 - k / (d + 1)) * k / d
    return bool(sympy.simplify(mean - k / (d + 1)) == 0)


def _iterated_by_degree() -> Evidence:
    """The iterations of the figure, degrees 3 to 12, and the one step below them at which the error rises."""
    falls = all(
        after.hi < before.lo
        for h in PRINTED
        for before, after in pairwise(iterate(h, degree).error for degree in range(3, 13))
    )
    two, three = iterate(4, 2).error, iterate(4, 3).error
    text = (
        f"1, 4 and 9 iterations: the error falls at every step from degree 3 to 12; 4 iterations: {two.decimal(8)[0]} "
        f"for degree 2, {three.decimal(8)[0]} for degree 3"
    )
    return confirmed_if(falls, text, with_conditions=three.lo > two.hi)


_PAPER, _PLACE = "zhou2024", "Section 3.1, observations after Figure 1"
_OK, _IF, _READING = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS, Severity.READING
_DEGREES = "the approximation error reduces while the polynomial degree increases for both approximation methods"

CLAIMS = (
    *(
        Claim(f"zhou2024.F1b.bern{h}-{name}", _PAPER, "Figure 1(b)", f"The {WHAT[name]} of the Bernstein polynomial of "
              f"degree 4 on [-5, 5], iterated {h} times, is {printed}.", _OK, Method.BALL, _printed_number(h, name),
              quote=QUOTES[h])
        for h, numbers in PRINTED.items()
        for name, printed in numbers.items()
    ),
    Claim("zhou2024.F1b.odd-coefficients", _PAPER, "Figure 1(b)",
          "The linear coefficient is -0.5 in all three iterated polynomials and there is no cubic term.",
          _OK, Method.BALL, _odd_coefficients, scope=Scope.ALL_CASES,
          quote="1.2377 - 0.5x + 0.0544x^2 - 0.0001x^4, [...] 0.7934 - 0.5x + 0.0812x^2 [...] 0.7504 - 0.5x + "
          "0.0931x^2"),
    Claim("zhou2024.F1.ninth-beats-minimax", _PAPER, _PLACE,
          "In the paper's experimental results the Bernstein polynomial, iterated 9 times, slightly outperforms the "
          "minimax polynomial of degree 4.", Verdict.REFUTED, Method.BALL, _best_of_all,
          "No polynomial outperforms the minimax one. The comparison is with the printed polynomial of Figure 1(a), "
          "which is not minimax; 0.057 is less than its 0.061.", again=_best_of_all_again,
          severity=Severity.RESULT_FALLS, root="zhou2024.F1a.minimax",
          depends_on=("zhou2024.F1a.least-error", "zhou2024.F1b.bern9-error"),
          quote="the 9th-iterated Bernstein polynomial approximation slightly outperforms the minimax polynomial "
          "approximation in our experimental results"),
    Claim("zhou2024.F1.falls-with-every-iteration", _PAPER, _PLACE,
          "The error falls with each successive iteration of the Bernstein approximation.",
          _IF, Method.BALL, _falls_where_observed,
          "The paper reports an observation for degree 4 and 1, 4 and 9 iterations, and it reproduces; for degree 4 it "
          "is true up to 16 iterations. Beyond that it fails: with 17 iterations the error is larger than with 16, and "
          "for degree 2 it is larger with 9 than with 4.", severity=_READING, scope=Scope.INSTANCES,
          quote="the error reduces with each successive iteration of the Bernstein approximation"),
    Claim("zhou2024.F1.minimax-falls-with-degree", _PAPER, _PLACE,
          "The error of the minimax polynomial falls as the degree rises.", _IF, Method.BALL, _minimax_by_degree,
          "The error never rises. For the logistic loss on a symmetric interval, odd degrees from 3 on bring no "
          "improvement.",
          severity=_READING, scope=Scope.REASONED, quote=_DEGREES),
    Claim("zhou2024.F1.bernstein-falls-with-degree", _PAPER, _PLACE,
          "The error of the Bernstein polynomial falls as the degree rises.", _OK, Method.BALL, _plain_by_degree,
          scope=Scope.REASONED, quote=_DEGREES),
    Claim("zhou2024.F1.iterated-falls-with-degree", _PAPER, _PLACE,
          "The error of the iterated Bernstein polynomial falls as the degree rises.", _IF, Method.BALL,
          _iterated_by_degree,
          "The paper reports an observation; the figure has degree 4 and 1, 4 and 9 iterations, and the paper does not "
          "say which other degrees were observed. From degree 3 to 12 it reproduces. Outside this range it fails: with "
          "4 iterations the error rises from degree 2 to degree 3.",
          severity=_READING, scope=Scope.INSTANCES, quote=_DEGREES),
)  # fmt: skip

WITHDRAWN = (
    Withdrawn(
        "zhou2024.F1.falls-up-to-16",
        "One sentence of the paper was in two entries. The other covers what it says about the iterations shown.",
        "zhou2024.F1.falls-with-every-iteration",
    ),
)
