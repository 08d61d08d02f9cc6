"""The functions that can be approximated: the losses of the papers by name, and any other as text.

A name may carry a parameter, as in `huber:1/2`. Every function is an expression, so that one evaluation, one cutting
at kinks and one independent checker serve them all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from bounds.approximation.expression import Expression, expression_text
from bounds.approximation.grammar import read_expression, read_our_own
from bounds.approximation.pieces import Piece, cut
from bounds.errors import ParameterError, UsageError
from bounds.exact import parse_rational, require_range


@dataclass(frozen=True)
class Function:
    """A function of x: its name, its expression, and what is known about it beforehand."""

    name: str
    expression: Expression
    meaning: str = ""
    even_with_slope: Fraction | None = None
    """f(x) - slope*x is an even function; known for the logistic loss and others, None if unknown."""
    lipschitz: Fraction | None = None
    """Lipschitz constant on the whole line, if it is known and finite."""

    @cached_property
    def text(self) -> str:
        """The function in core functions only, as certificates state it."""
        return expression_text(self.expression)

    def pieces(self, left: Fraction, right: Fraction) -> tuple[Piece, ...]:
        return cut(self.expression, left, right)


@dataclass(frozen=True)
class _Entry:
    text: Callable[[Fraction], str]
    meaning: str
    slope: Fraction | None = None
    parameter: str = ""
    largest: int = 0
    default: Fraction | None = None
    lipschitz: Callable[[Fraction], Fraction] | None = None


def _phi_gamma(g: Fraction, factor: str = "") -> str:
    return f"{factor}((1-x)^2/8+(max(({g})-x,0)^2-max(-x,0)^2)/({g})^2)"


_HALF = Fraction(1, 2)
_SMALLEST = Fraction(1, 10**12)


def _one(_: Fraction) -> Fraction:
    return Fraction(1)


CATALOGUE: dict[str, _Entry] = {
    "logistic": _Entry(lambda _: "log(1+exp(-x))", "logistic loss log(1+e^-x)", -_HALF, lipschitz=_one),
    "softplus": _Entry(lambda _: "log(1+exp(x))", "log(1+e^x), the logistic loss of -x", _HALF, lipschitz=_one),
    "log-sigmoid": _Entry(lambda _: "-log(1+exp(-x))", "log of the sigmoid, minus the logistic loss", _HALF),
    "log-sigmoid-minus": _Entry(lambda _: "-log(1+exp(x))", "log of the sigmoid of -x", -_HALF),
    "exp": _Entry(lambda _: "exp(x)", "exponential function e^x"),
    "exponential": _Entry(lambda _: "exp(-x)", "exponential loss e^-x"),
    "hinge": _Entry(lambda _: "max(0,1-x)", "hinge loss", lipschitz=_one),
    "squared-hinge": _Entry(lambda _: "max(0,1-x)^2", "squared hinge loss"),
    "huber": _Entry(
        lambda c: f"(x^2-max(abs(x)-({c}),0)^2)/2",
        "Huber's loss: x^2/2 up to the knee, then linear",
        Fraction(0),
        "knee",
        10**6,
        Fraction(1),
        lambda knee: knee,
    ),
    "abs": _Entry(lambda _: "abs(x)", "absolute value", Fraction(0), lipschitz=_one),
    "phi-gamma": _Entry(_phi_gamma, "phi_gamma of zhou2024, equation (3)", None, "gamma", 1),
    "gamma-phi-gamma": _Entry(
        lambda g: _phi_gamma(g, f"({g})*"), "gamma times phi_gamma, the loss of zhou2024, Theorem 4.1", None, "gamma", 1
    ),
}


def find_function(text: object, parameter_name: str = "function") -> Function:
    """A function by name, by name and parameter, or as text.

    >>> find_function("hinge").text
    'max(0,1-x)'
    >>> find_function("huber:1/2").pieces(Fraction(-1), Fraction(1))[0].right
    Fraction(-1, 2)
    """
    if not isinstance(text, str) or not text.strip():
        names = ", ".join(CATALOGUE)
        raise UsageError(f"{parameter_name} is missing: give one of {names}, or text such as 'log(1+exp(-x))'")
    name, colon, given = text.strip().partition(":")
    entry = CATALOGUE.get(name)
    if entry is None:
        return Function(text.strip(), read_expression(text.strip()))
    if colon and not entry.parameter:
        raise ParameterError(parameter_name, text, f"{name} without a parameter")
    if entry.parameter and not colon and entry.default is None:
        raise ParameterError(parameter_name, text, f"{name}:{entry.parameter.upper()}, such as {name}:0.1")
    what = f"{parameter_name} {name}: {entry.parameter}"
    parameter = parse_rational(given, what) if colon else entry.default or Fraction(0)
    if entry.parameter:
        require_range(what, parameter, given, least=_SMALLEST, most=entry.largest)
    lipschitz = None if entry.lipschitz is None else entry.lipschitz(parameter)
    return Function(text.strip(), read_our_own(entry.text(parameter)), entry.meaning, entry.slope, lipschitz)
