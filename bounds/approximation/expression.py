"""Functions of one variable as trees: their parts, their text and their evaluation.

A function is a tree of exact rational constants, the variable x, + - * /, integer powers and the calls of CORE.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

CORE = {"exp": 1, "log": 1, "sqrt": 1, "abs": 1, "max": 2, "min": 2}
"""Functions of the tree, with their number of arguments."""


@dataclass(frozen=True)
class Number:
    value: Fraction


@dataclass(frozen=True)
class Variable:
    pass


@dataclass(frozen=True)
class Operation:
    """left symbol right, with symbol one of + - * /."""

    symbol: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Power:
    base: Expression
    exponent: int


@dataclass(frozen=True)
class Call:
    name: str
    arguments: tuple[Expression, ...]


Expression: TypeAlias = Number | Variable | Operation | Power | Call
X = Variable()


def number(value: Fraction | int) -> Number:
    return Number(Fraction(value))


def combine(symbol: str, left: Expression, right: Expression) -> Expression:
    """left symbol right; two constants become one."""
    if isinstance(left, Number) and isinstance(right, Number):
        if symbol == "/":
            if right.value == 0:
                raise ZeroDivisionError
            return Number(left.value / right.value)
        a, b = left.value, right.value
        return Number(a + b if symbol == "+" else a - b if symbol == "-" else a * b)
    return Operation(symbol, left, right)


def raised(base: Expression, exponent: int) -> Expression:
    if exponent < 0:
        return combine("/", number(1), raised(base, -exponent))
    if exponent == 0:
        return number(1)
    return Number(base.value**exponent) if isinstance(base, Number) else Power(base, exponent)


def call(name: str, *arguments: Expression) -> Expression:
    return Call(name, arguments)


def size(tree: Expression, most: int) -> int:
    """Nodes of the tree as `expression_text` writes it, counted only until there are more than `most`.

    Parts that are used twice are counted twice: they share memory here, but neither text nor evaluation shares them.
    """
    match tree:
        case Number() | Variable():
            return 1
        case Power(base, _):
            return 1 + size(base, most)
        case Operation(_, left, right):
            first = size(left, most)
            return 1 + first + (size(right, most - first) if first <= most else 0)
        case Call("abs", (u,)):
            return 2 + 2 * size(u, most)
        case Call(_, arguments):
            total = 2
            for argument in arguments:
                total += size(argument, most - total) if total <= most else 0
            return total
    raise AssertionError(tree)


_RANK = {"+": 1, "-": 1, "*": 2, "/": 2}


def expression_text(tree: Expression, context: int = 0) -> str:
    """The function in numbers, x, + - * / ^, exp, log and max only; it reads back as the same function."""
    match tree:
        case Number(value):
            text = str(value)
            return f"({text})" if (value.denominator != 1 and context > 1) or (value < 0 and context) else text
        case Variable():
            return "x"
        case Power(base, exponent):
            return (
                f"{expression_text(base, 4)}^{exponent}" if context < 4 else f"({expression_text(base, 4)}^{exponent})"
            )
        case Call("abs", (u,)):
            return expression_text(Call("max", (u, combine("-", number(0), u))))
        case Call("min", (u, v)):
            negated = [combine("-", number(0), w) for w in (u, v)]
            return expression_text(combine("-", number(0), Call("max", (negated[0], negated[1]))), context)
        case Call("sqrt", (u,)):
            return expression_text(Call("exp", (combine("/", call("log", u), number(2)),)))
        case Call(name, arguments):
            return f"{name}({','.join(expression_text(a) for a in arguments)})"
        case Operation("-", Number(Fraction(numerator=0)), right):
            text = f"-{expression_text(right, 3)}"
            return f"({text})" if context else text
        case Operation(symbol, left, right):
            rank = _RANK[symbol]
            text = expression_text(left, rank) + symbol + expression_text(right, rank + (symbol in "-/"))
            return f"({text})" if context > rank else text
    raise AssertionError(tree)


def compile_expression(tree: Expression, operations: Any) -> Callable[[Any], Any]:
    """A function of one argument; `operations` supplies constants and calls for the kind of number in use."""
    match tree:
        case Number(value):
            return operations.constant(value)  # type: ignore[no-any-return]
        case Variable():
            return lambda x: x
        case Power(base, exponent):
            inner = compile_expression(base, operations)
            return lambda x: _power(inner(x), exponent)
        case Call(name, arguments):
            function = getattr(operations, name)
            inners = [compile_expression(a, operations) for a in arguments]
            if len(inners) == 1:
                only = inners[0]
                return lambda x: function(only(x))
            first, second = inners
            return lambda x: function(first(x), second(x))
        case Operation(symbol, left, right):
            return _binary(symbol, compile_expression(left, operations), compile_expression(right, operations))
    raise AssertionError(tree)


def _power(base: Any, exponent: int) -> Any:
    """By multiplication: the power of a ball around zero is not a number in python-flint."""
    result: Any = 1
    while exponent:
        if exponent & 1:
            result = result * base
        exponent >>= 1
        if exponent:
            base = base * base
    return result


def _binary(symbol: str, left: Callable[[Any], Any], right: Callable[[Any], Any]) -> Callable[[Any], Any]:
    if symbol == "+":
        return lambda x: left(x) + right(x)
    if symbol == "-":
        return lambda x: left(x) - right(x)
    if symbol == "*":
        return lambda x: left(x) * right(x)
    return lambda x: left(x) / right(x)
