"""The derivative of a smooth expression, as an expression."""

from __future__ import annotations

from fractions import Fraction

from bounds.approximation.expression import (
    Call,
    Expression,
    Number,
    Operation,
    Power,
    Variable,
    combine,
    number,
    raised,
)

_ZERO, _ONE = number(0), number(1)


def derivative(tree: Expression) -> Expression:
    """d/dx of an expression without switches of branches.

    >>> from bounds.approximation.expression import expression_text
    >>> from bounds.approximation.grammar import read_expression
    >>> expression_text(derivative(read_expression("log(1+exp(-x))")))
    '(-exp(-x))/(1+exp(-x))'
    """
    match tree:
        case Number():
            return _ZERO
        case Variable():
            return _ONE
        case Power(base, exponent):
            return _times(number(exponent), _times(raised(base, exponent - 1), derivative(base)))
        case Operation("+", left, right):
            return _plus(derivative(left), derivative(right))
        case Operation("-", left, right):
            return _minus(derivative(left), derivative(right))
        case Operation("*", left, right):
            return _plus(_times(derivative(left), right), _times(left, derivative(right)))
        case Operation("/", left, right):
            top = _minus(_times(derivative(left), right), _times(left, derivative(right)))
            if derivative(right) == _ZERO:
                return _over(derivative(left), right)
            return _over(top, raised(right, 2))
        case Call("exp", (u,)):
            return _times(derivative(u), tree)
        case Call("log", (u,)):
            return _over(derivative(u), u)
        case Call("sqrt", (u,)):
            return _over(derivative(u), _times(number(2), tree))
    raise AssertionError(f"{tree} is not smooth")


def _plus(left: Expression, right: Expression) -> Expression:
    if left == _ZERO:
        return right
    return left if right == _ZERO else combine("+", left, right)


def _minus(left: Expression, right: Expression) -> Expression:
    if right == _ZERO:
        return left
    return combine("-", left, right)


def _times(left: Expression, right: Expression) -> Expression:
    if _ZERO in (left, right):
        return _ZERO
    if left == _ONE:
        return right
    if right == _ONE:
        return left
    if left == Number(Fraction(-1)):
        return combine("-", _ZERO, right)
    return combine("*", left, right)


def _over(top: Expression, bottom: Expression) -> Expression:
    return _ZERO if top == _ZERO else combine("/", top, bottom)
