"""Expressions on balls, power series of balls and complex balls: values, Taylor coefficients, integrands."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import acb, arb, arb_series, ctx, fmpq

from bounds.approximation.expression import Expression, compile_expression
from bounds.enclosure import Undecided, as_fmpq


def _lifted(u: Any) -> Any:
    return arb(u) if isinstance(u, fmpq) else u


def _value(u: Any) -> arb:
    """The constant term: what decides which branch of a switch is taken."""
    if isinstance(u, arb_series):
        return u[0]
    return arb(u)


class BallOperations:
    """Calls on balls and on power series of balls.

    A switch whose branch is not decided becomes the hull of both, coefficient by coefficient. That encloses the value
    and the slope, but no higher coefficient: `taylor` reports it, and cells then use order 1.
    """

    def __init__(self) -> None:
        self.undecided = False
        self.taken: list[bool] = []
        """For every switch in turn, whether the first argument was taken."""
        self.follow: list[bool] = []
        """The branches to take without checking, from an evaluation on a larger ball."""

    @staticmethod
    def constant(value: Fraction) -> Callable[[Any], fmpq]:
        number = as_fmpq(value)
        return lambda _: number

    @staticmethod
    def exp(u: Any) -> Any:
        return _lifted(u).exp()

    @staticmethod
    def log(u: Any) -> Any:
        return _lifted(u).log()

    @staticmethod
    def sqrt(u: Any) -> Any:
        return _lifted(u).sqrt()

    def abs(self, u: Any) -> Any:
        return self.max(u, -u)

    def min(self, u: Any, v: Any) -> Any:
        return -self.max(-u, -v)

    def max(self, u: Any, v: Any) -> Any:
        first, second = _value(u), _value(v)
        if self.follow:
            return u if self.follow.pop(0) else v
        if first >= second or second >= first:
            self.taken.append(bool(first >= second))
            return u if self.taken[-1] else v
        self.undecided = True
        if isinstance(u, arb_series) or isinstance(v, arb_series):
            length = int(ctx.cap)
            one, other = arb_series(u, length), arb_series(v, length)
            hull = [one[k].union(other[k]) for k in range(length)]
            hull[0] = first.max(second)
            return arb_series(hull, length)
        return first.max(second)


class BallFunction:
    """An expression ready to be evaluated on balls."""

    def __init__(self, tree: Expression) -> None:
        self._operations = BallOperations()
        self._compiled = compile_expression(tree, self._operations)

    def __call__(self, x: arb) -> arb:
        """A ball that contains the values on the ball x; not finite where the function may be singular."""
        return arb(self._compiled(x))

    def taylor(self, at: arb, order: int, *, same_branches: bool = False) -> tuple[list[arb], bool]:
        """Coefficients 0 to `order` of the expansion at every point of the ball, and whether all branches were decided.

        With `same_branches` the branches of the last expansion are taken again: at a point where two branches meet, the
        one that was taken on the ball around it counts.
        Power series of python-flint are cut at the global ctx.cap; a cut here would make a remainder vanish, so the
        length that comes back is checked.
        """
        operations = self._operations
        operations.follow = list(operations.taken) if same_branches else []
        operations.undecided, operations.taken = False, []
        length = order + 1
        cap = ctx.cap
        ctx.cap = length
        try:
            series = self._compiled(arb_series([at, 1], length))
            if not isinstance(series, arb_series):
                series = arb_series([arb(series)], length)
            if series.prec < length:
                raise AssertionError(f"a power series was cut at {series.prec} instead of {length}")
            return [series[k] for k in range(length)], not self._operations.undecided
        except ValueError:  # a quotient whose denominator may vanish
            return [arb.nan()] * length, True
        finally:
            operations.follow = []
            ctx.cap = cap


class _ComplexOperations:
    """Calls on complex balls that refuse a ball where the call is not analytic, as acb.integral demands."""

    analytic = False
    constant = staticmethod(BallOperations.constant)

    @staticmethod
    def exp(u: Any) -> acb:
        return acb(u).exp()

    def log(self, u: Any) -> acb:
        return acb(u).log(analytic=self.analytic)

    def sqrt(self, u: Any) -> acb:
        return acb(u).sqrt(analytic=self.analytic)

    def abs(self, u: Any) -> acb:
        raise Undecided

    def max(self, u: Any, v: Any) -> acb:
        raise Undecided

    def min(self, u: Any, v: Any) -> acb:
        raise Undecided


class ComplexFunction:
    """A smooth expression as an integrand for acb.integral."""

    def __init__(self, tree: Expression) -> None:
        self._operations = _ComplexOperations()
        self._compiled = compile_expression(tree, self._operations)

    def __call__(self, z: acb, analytic: bool) -> acb:
        self._operations.analytic = analytic
        return acb(self._compiled(z))
