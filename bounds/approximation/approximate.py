"""Ask for an approximation by name: function, interval, degree and method, each checked before anything is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import arb

from bounds.approximation import bernstein, chebyshev, minimax, optimal
from bounds.approximation.balls import BallFunction
from bounds.approximation.functions import find_function
from bounds.approximation.rationals import dyadic_between
from bounds.approximation.result import Approximation, Question
from bounds.enclosure import Undecided, as_fmpq, precision
from bounds.errors import NotApplicable, NotCertified, ParameterError, SynthboundsError, UsageError
from bounds.exact import Exact, parse_integer, parse_rational, require_range, show_rational

_COMPARED_UP_TO = 60
"""Up to this degree every answer is compared with the least error, which then takes a fraction of a second."""
_DEPTH, _MOST_LOOKS = 60, 4000
LARGEST_END = 10**6
NARROWEST = Fraction(1, 10**6)


@dataclass(frozen=True)
class Method:
    """What a method is, and how it is computed if it needs no parameter."""

    title: str
    highest_degree: int
    compute: Callable[[Question, int], Approximation] | None = None


METHODS: dict[str, Method] = {
    "bernstein": Method("Bernstein polynomial", bernstein.HIGHEST_DEGREE, bernstein.bernstein),
    "iterated": Method("Iterated Bernstein polynomial", bernstein.HIGHEST_ITERATED_DEGREE),
    "chebyshev": Method("Chebyshev series, cut off", chebyshev.HIGHEST_DEGREE, chebyshev.truncated_series),
    "interpolation": Method("Interpolation at Chebyshev points", chebyshev.HIGHEST_DEGREE, chebyshev.interpolant),
    "minimax": Method("Minimax polynomial", minimax.HIGHEST_DEGREE, minimax.minimax),
    "optimal": Method("Optimal polynomial", optimal.HIGHEST_DEGREE),
}


def approximate(
    function: str,
    *,
    interval: object,
    degree: Exact,
    method: str = "minimax",
    marginal_error: Exact | None = None,
) -> Approximation:
    """The polynomial of a method, with its error, coefficients and coefficient sum enclosed.

    >>> answer = approximate("logistic", interval="-5,5", degree=4)
    >>> answer.error.decimal(10)
    ('0.02023130793', '0.02023130794')
    """
    name, _ = read_method(method)
    left, right = _interval(interval)
    d = parse_integer(degree, "degree")
    require_range("degree", d, degree, least=1, most=METHODS[name].highest_degree, reason=f"method {name}")
    s = _marginal_error(name, marginal_error)
    question = Question.of(find_function(function), left, right)
    require_finite(question)
    answer = approximate_question(question, d, method, s)
    return answer if s is not None or d > _COMPARED_UP_TO else _compared(answer)


def read_method(method: object, parameter_name: str = "method") -> tuple[str, Callable[[Question, int], Approximation]]:
    """The name of a method, and how it is computed; iterated carries its parameter."""
    name, colon, parameter = method.strip().partition(":") if isinstance(method, str) else ("", "", "")
    if name not in METHODS or (colon and name != "iterated"):
        raise ParameterError(parameter_name, method, f"one of {', '.join(METHODS)} (iterated as iterated:H)")
    compute = _iterated(parameter, str(method)) if name == "iterated" else METHODS[name].compute
    return name, compute or _needs_marginal_error


def _needs_marginal_error(question: Question, degree: int) -> Approximation:
    raise AssertionError("the optimal polynomial depends on the distance of the marginals")


def approximate_question(
    question: Question, degree: int, method: str, marginal_error: Fraction | None
) -> Approximation:
    """The polynomial of a method for a question that has been checked."""
    name, compute = read_method(method)
    try:
        if name == "optimal":
            assert marginal_error is not None
            return optimal.optimal(question, degree, marginal_error)
        return compute(question, degree)
    except (Undecided, NotCertified):
        raise _why_not(question) from None


def _compared(answer: Approximation) -> Approximation:
    """With the least error that any polynomial of the degree has, if it can be computed."""
    if answer.minimax_error is not None:
        return answer
    try:
        return replace(answer, minimax_error=minimax.minimax(answer.question, answer.degree).minimax_error)
    except (NotCertified, NotApplicable, Undecided):
        return answer


def require_finite(question: Question) -> None:
    """Refuse a function that is singular at an end, at a kink or at a few points between, before work begins."""
    with precision(64):
        for piece in question.pieces:
            function, left, right = BallFunction(piece.expression), as_fmpq(piece.left), as_fmpq(piece.right)
            for share in (0, 1, 3, 4, 6, 8, 9, 12):
                if not function(arb(left + (right - left) * share / 12)).is_finite():
                    x = piece.left + (piece.right - piece.left) * share / 12
                    place = show_rational(x) if x.denominator < 10**6 else f"about {float(x)}"
                    raise NotApplicable(
                        f"function = {question.function.name[:60]}: has no finite value at x = {place} in the interval"
                    )


def _why_not(question: Question) -> SynthboundsError:
    """What to say if no certificate was found: a singularity, if one is visible."""
    name = f"function = {question.function.name[:60]}"
    place = _singularity(question)
    if place is not None:
        return NotApplicable(f"{name}: is singular or has no derivative near x = {place:.10g}, inside the interval")
    return NotCertified(
        f"{name}: no polynomial could be certified here; it may itself be a polynomial, or be too steep"
    )


def _singularity(question: Question) -> float | None:
    """A place around which neither the function nor its slope is bounded on ever smaller cells."""
    with precision(128):
        for piece in question.pieces:
            function = BallFunction(piece.expression)
            waiting = [(as_fmpq(piece.left), as_fmpq(piece.right), 0)]
            for _ in range(_MOST_LOOKS):
                if not waiting:
                    break
                low, high, depth = waiting.pop()
                slope, _ = function.taylor(arb(low).union(arb(high)), 1)
                if all(c.is_finite() for c in slope):
                    continue
                if depth >= _DEPTH:
                    return float(low)
                middle = dyadic_between(low, high)
                waiting += [(low, middle, depth + 1), (middle, high, depth + 1)]
    return None


def _iterated(parameter: str, given: str) -> Callable[[Question, int], Approximation]:
    """The text after `iterated:`: a number of iterations, inf for their limit, or best."""
    if parameter == "inf":
        return bernstein.equispaced_limit
    if parameter == "best":
        return bernstein.best_iteration
    if not parameter:
        raise ParameterError("method", given, "iterated:H with H a number of iterations, inf or best")
    h = parse_integer(parameter, "method iterated")
    require_range("method iterated", h, parameter, least=1, most=bernstein.MOST_ITERATIONS)
    return lambda question, degree: bernstein.iterated(question, degree, h)


def _interval(given: object) -> tuple[Fraction, Fraction]:
    parts = given.split(",") if isinstance(given, str) else list(given) if isinstance(given, tuple | list) else []
    if len(parts) != 2:
        raise ParameterError("interval", given, "two numbers A,B with A < B, such as -5,5")
    try:
        left, right = (parse_rational(part, "interval") for part in parts)
    except ParameterError as error:
        raise ParameterError("interval", given, f"two numbers A,B; {error.value} must be {error.allowed}") from None
    for end in (left, right):
        require_range("interval", abs(end), given, most=LARGEST_END, reason="size of its ends")
    if right - left < NARROWEST:
        raise ParameterError(
            "interval", given, "A,B with B at least 1e-6 above A", "it is empty, reversed or too narrow"
        )
    return left, right


def _marginal_error(name: str, given: Exact | None) -> Fraction | None:
    if name != "optimal":
        if given is not None:
            raise UsageError("marginal_error is only for the method optimal")
        return None
    if given is None:
        raise UsageError("marginal_error is missing: the method optimal needs s = nu/n, such as 0.01")
    s = parse_rational(given, "marginal_error")
    require_range("marginal_error", s, given, least=0, most=10**6)
    if 0 < s < Fraction(1, 10**30):
        raise ParameterError("marginal_error", given, "0 or at least 1e-30")
    return s
