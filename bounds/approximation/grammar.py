"""Functions of one variable as text: a small grammar, read by hand and never evaluated as code.

Functions that are not in the tree (tanh, softplus, ...) are expanded into those that are while reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bounds.approximation.expression import CORE, Call, Expression, Number, X, call, combine, number, raised, size
from bounds.errors import ParameterError
from bounds.exact import parse_rational

MOST_CHARACTERS = 400
MOST_NODES = 400
MOST_DEPTH = 60
LARGEST_POWER = 64
LARGEST_CONSTANT = 10**320


def _inverse(u: Expression) -> Expression:
    return combine("/", number(1), u)


def _exp_sum(u: Expression, sign: str) -> Expression:
    both = combine(sign, call("exp", u), call("exp", combine("-", number(0), u)))
    return combine("/", both, number(2))


EXPANDED: dict[str, Callable[[Expression], Expression]] = {
    "log1p": lambda u: call("log", combine("+", number(1), u)),
    "expm1": lambda u: combine("-", call("exp", u), number(1)),
    "softplus": lambda u: call("log", combine("+", number(1), call("exp", u))),
    "sigmoid": lambda u: _inverse(combine("+", number(1), call("exp", combine("-", number(0), u)))),
    "relu": lambda u: call("max", u, number(0)),
    "sinh": lambda u: _exp_sum(u, "-"),
    "cosh": lambda u: _exp_sum(u, "+"),
    "tanh": lambda u: combine(
        "-",
        number(1),
        combine("/", number(2), combine("+", call("exp", combine("*", number(2), u)), number(1))),
    ),
}
"""Functions that are written for convenience and stand for a tree of the core ones."""

_TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(\*\*|[-+*/^(),]))", re.ASCII
)


class _Reader:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._split(text)
        self.at = 0
        self.depth = 0

    def fail(self, reason: str) -> ParameterError:
        known = ", ".join(sorted([*CORE, *EXPANDED]))
        return ParameterError("function", self.text, f"a function of x made of numbers, + - * / ^ and {known}", reason)

    def _split(self, text: str) -> list[str]:
        tokens, position = [], 0
        while position < len(text.rstrip()):
            found = _TOKEN.match(text, position)
            if found is None:
                raise self.fail(f"{text[position:].strip()[:12]!r} is not part of the grammar")
            tokens.append(found.group().strip())
            position = found.end()
        return tokens

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def expect(self, token: str) -> None:
        if self.take() != token:
            raise self.fail(f"{token!r} is missing")

    def all(self) -> Expression:
        tree = self.sum()
        if self.peek():
            raise self.fail(f"{self.peek()[:12]!r} is one too many")
        if size(tree, MOST_NODES) > MOST_NODES:
            raise self.fail(f"it has more than {MOST_NODES} parts when written out")
        return tree

    def sum(self) -> Expression:
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise self.fail("it is nested too deeply")
        tree = self.product()
        while self.peek() in {"+", "-"}:
            tree = self.join(self.take(), tree, self.product())
        self.depth -= 1
        return tree

    def product(self) -> Expression:
        tree = self.signed()
        while self.peek() in {"*", "/"}:
            tree = self.join(self.take(), tree, self.signed())
        return tree

    def join(self, symbol: str, left: Expression, right: Expression) -> Expression:
        try:
            return self.moderate(combine(symbol, left, right))
        except ZeroDivisionError:
            raise self.fail("it divides by zero") from None

    def moderate(self, tree: Expression) -> Expression:
        """Constants are computed while reading; none may become too long."""
        if (
            isinstance(tree, Number)
            and max(map(abs, (tree.value.numerator, tree.value.denominator))) > LARGEST_CONSTANT
        ):
            raise self.fail("a constant in it has too many digits")
        return tree

    def signed(self) -> Expression:
        signs = 0
        while self.peek() in {"+", "-"}:
            signs += self.take() == "-"
        tree = self.power()
        return self.join("-", number(0), tree) if signs % 2 else tree

    def power(self) -> Expression:
        base = self.atom()
        if self.peek() not in {"^", "**"}:
            return base
        self.take()
        negative = self.peek() == "-"
        if self.peek() in {"+", "-"}:
            self.take()
        exponent = self.atom()
        if not isinstance(exponent, Number) or exponent.value.denominator != 1 or abs(exponent.value) > LARGEST_POWER:
            raise self.fail(f"an exponent must be a whole number up to {LARGEST_POWER}; write exp(u*log(v)) for v^u")
        try:
            return self.moderate(raised(base, -exponent.value.numerator if negative else exponent.value.numerator))
        except ZeroDivisionError:
            raise self.fail("it divides by zero") from None

    def atom(self) -> Expression:
        token = self.take()
        if token == "(":  # noqa: S105
            tree = self.sum()
            self.expect(")")
            return tree
        if token == "x":  # noqa: S105
            return X
        if token and (token[0].isdigit() or token[0] == "."):
            return Number(parse_rational(token, "function"))
        if token in CORE or token in EXPANDED:
            return self.call(token)
        if token:
            raise self.fail(f"{token[:20]!r} is not known")
        raise self.fail("it ends too early")

    def call(self, name: str) -> Expression:
        self.expect("(")
        arguments = [self.sum()]
        while self.peek() == ",":
            self.take()
            arguments.append(self.sum())
        self.expect(")")
        wanted = CORE.get(name, 1)
        if len(arguments) != wanted:
            raise self.fail(f"{name} takes {wanted} argument{'s' if wanted > 1 else ''}")
        return EXPANDED[name](arguments[0]) if name in EXPANDED else Call(name, tuple(arguments))


def read_expression(text: str) -> Expression:
    """The tree that a text stands for.

    >>> from bounds.approximation.expression import expression_text
    >>> expression_text(read_expression("softplus(-x) + 2*0.25"))
    'log(1+exp(-x))+1/2'
    """
    if len(text) > MOST_CHARACTERS:
        raise ParameterError("function", text, f"text of at most {MOST_CHARACTERS} characters")
    return read_our_own(text)


def read_our_own(text: str) -> Expression:
    """The same for text that we have written, of any length."""
    return _Reader(text).all()
