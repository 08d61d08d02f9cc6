"""Small pieces of SQL from which codes are made: comparisons, cases, and searches by halving."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot.expressions import Expression


def halved(value: Expression, cuts: Sequence[Expression], code: int) -> Expression:
    """The code, and one more for every cut that the value is not below."""
    from sqlglot import exp

    if not cuts:
        return whole(code)
    middle = len(cuts) // 2
    above = exp.GTE(this=value.copy(), expression=cuts[middle])
    return case([(above, halved(value, cuts[middle + 1 :], code + middle + 1))], halved(value, cuts[:middle], code))


def lookup(value: Expression, known: Sequence[tuple[Expression, Expression]], otherwise: Expression) -> Expression:
    """What a value among rising constants stands for."""
    from sqlglot import exp

    if len(known) <= 2:
        return case([(equal(value, constant), found) for constant, found in known], otherwise)
    middle = len(known) // 2
    above = exp.GTE(this=value.copy(), expression=known[middle][0])
    high, low = (lookup(value, part, otherwise) for part in (known[middle:], known[:middle]))
    return case([(above, high)], low)


def case(tests: Sequence[tuple[Expression, Expression]], otherwise: Expression) -> Expression:
    from sqlglot import exp

    if not tests:
        return otherwise
    found = exp.Case(default=otherwise.copy())
    for test, then in tests:
        found.append("ifs", exp.If(this=test.copy(), true=then.copy()))
    return found


def whole(number: int) -> Expression:
    from sqlglot import exp

    found: Expression = exp.Literal.number(abs(number))
    return exp.Neg(this=found) if number < 0 else found


def null() -> Expression:
    from sqlglot import exp

    return exp.Null()


def text_of(text: str) -> Expression:
    from sqlglot import exp

    return exp.Literal.string(text)


def cast(value: Expression, kind: str) -> Expression:
    from sqlglot import exp

    return exp.Cast(this=value.copy(), to=exp.DataType.build(kind))


def integer(value: Expression) -> Expression:
    return cast(value, "INT")


def _compared(name: str) -> Callable[[Expression, Expression], Expression]:
    def compared(value: Expression, other: Expression) -> Expression:
        from sqlglot import exp

        found: Expression = getattr(exp, name)(this=value.copy(), expression=other.copy())
        return found

    return compared


equal, below, above = _compared("EQ"), _compared("LT"), _compared("GT")


def between(value: Expression, first: int, last: int) -> Expression:
    from sqlglot import exp

    return exp.Between(this=value.copy(), low=whole(first), high=whole(last))


def is_null(value: Expression) -> Expression:
    from sqlglot import exp

    return exp.Is(this=value.copy(), expression=exp.Null())


def is_broken(value: Expression) -> Expression:
    """Whether a number is not whole."""
    from sqlglot import exp

    return exp.NEQ(this=value.copy(), expression=exp.Floor(this=value.copy()))


def matches(text: Expression, pattern: str) -> Expression:
    from sqlglot import exp

    return exp.RegexpLike(this=text.copy(), expression=text_of(pattern))


def extract_hour(moment: Expression) -> Expression:
    from sqlglot import exp

    return exp.Extract(this=exp.var("HOUR"), expression=cast(moment, "TIMESTAMP"))
