"""The conditions of Appendix B of zhou2024 as rules about x = ln n, in three editions.

printed: gamma = 1/ln^3 n and m = 2 ln^5 n, from the exponent 10 - 2r. corrected: m = 2 ln^7 n, from 10 + 2r. sharp:
gamma^(-1/3) = max(ln n/c, 9), so that n <= exp(c gamma^(-1/3)). Proofs: docs/proofs/zhou2024.lower.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import arb

from bounds.arithmetic.ball import BALL
from bounds.enclosure import BallNumber, as_fmpq
from bounds.pieces.statistical_queries import (
    deviation_margin,
    is_nonnegative,
    order_margin,
    query_margin,
    separator_share,
    wide_root,
)
from bounds.risk.crossings import Margin, Region, Shape, exact_root, positive_region

LOWER, UPPER, REMARK = "lower half", "upper half", "remark"
"""The purpose of a condition."""
ORDERS = (1, 2, 4)
LEAST_RATIO = Fraction(8)
"""c/c' is at least this, whatever c is."""
_ONE = Fraction(1)


@dataclass(frozen=True)
class Rule:
    """A condition: its statement, where it is true, and whether it is true at a given ln n."""

    name: str
    statement: str
    edition: str
    role: str
    region: Region
    at: Callable[[Fraction], bool]
    known: bool = True
    """False: it depends on the constant c, which is left open."""


def paper_rules(edition: str, c: Fraction | None, c_share: Fraction) -> Iterator[Rule]:
    """The conditions of the paper, with m as printed or as Theorem B.3 needs it."""
    printed = edition == "printed"
    power = 5 if printed else 7
    cells = 4 if printed else 5  # (2m)^d as printed; the label and a whole number m make it (5 ln^7 n)^d
    count = "(2m)^d" if printed else "(5 ln^7 n)^d"
    ratio = as_fmpq(LEAST_RATIO if c is None else c / c_share)

    def grows(name: str, statement: str, role: str, margin: Margin) -> Rule:
        return _of_margin(name, statement, edition, role, margin, Shape(_ONE))

    def turns(name: str, statement: str, role: str, margin: Margin, *turn: Fraction) -> Rule:
        return _of_margin(name, statement, edition, role, margin, Shape(_ONE, (turn[0], turn[-1])))

    yield _always("features", "m >= 2 gamma^(-2-2r/5)", edition, LOWER, _ONE, holds=power >= 7)
    yield grows("size", "m > 2e", LOWER, lambda x: power * BALL.log(x) - 1)
    yield _from("margin", "gamma < 2^-6", edition, Fraction(4), _ONE, strict=True)
    yield _from("eta", "eta = gamma^(1/6) <= 1/4", edition, Fraction(16), _ONE, strict=False)
    tolerated = None if c is None else c >= 1
    yield _always("tolerance", "1/n >= exp(-c gamma^(-1/3))", edition, LOWER, _ONE, holds=tolerated)
    yield grows(
        "queries",
        f"{count} < exp(c gamma^(-1/3))",
        LOWER,
        lambda x: (3 * ratio - power) * BALL.log(x) - BALL.log(BALL.ratio(cells)),
    )
    yield turns("deviations", "n/ln^2 n >= 800/gamma^2", LOWER, lambda x: deviation_margin(x, BALL), Fraction(8))
    for least in ORDERS:
        role = {1: LOWER, 2: UPPER}.get(least, REMARK)
        yield turns(f"d >= {least}", f"d >= {least}", role, _order_at_least(least, c_share), 3 * least / c_share)
    statement = f"(ln^{power} n)^d 12^d <= n^(1/4)"
    slope = Fraction(3, 4) / c_share - power
    if slope > 0:
        factor, twelve = as_fmpq(slope), BALL.ratio(12)
        rule = grows("quarter", statement, UPPER, lambda x: factor * BALL.log(x) - BALL.log(twelve))
        # Both sides can be equal, as for c = 1 at ln n = 12: a quotient of logarithms that is rational is exact.
        yield replace(rule, at=lambda x: is_nonnegative(lambda: factor * BALL.log_ratio(as_fmpq(x), twelve) - 1))
    else:
        yield _always("quarter", statement, edition, UPPER, _ONE, holds=False)
    if not printed:
        yield turns("records", "m <= n", REMARK, _records, Fraction(7))
        statement = "n/ln^2 n >= 2048 (1 + 3 gamma/4)^2/gamma^2"
        yield turns("small deviations", statement, REMARK, _small_deviations, Fraction(7), Fraction(8))


def sharp_rules(c: Fraction) -> Iterator[Rule]:
    """The conditions of the sharp edition, from n = e^2 on, where its sampling error falls."""
    start = Fraction(2)
    for name, statement in (
        ("features", "m >= 2 gamma^(-2-2r/5)"),
        ("margin", "gamma < 2^-6"),
        ("tolerance", "1/n >= exp(-c gamma^(-1/3))"),
    ):
        yield _always(name, statement, "sharp", LOWER, start, holds=True)
    statement = "9 (1/2 - eta - ln n/sqrt(2n)) > (1 - gamma)^2"
    yield _of_margin("positive", statement, "sharp", LOWER, _positive_share(c), Shape(start))
    for orders in ORDERS:
        statement = "5 gamma^(-7/3) <= n" if orders == 1 else f"(5 gamma^(-7/3))^{orders} <= n"
        role = LOWER if orders == 1 else REMARK
        margin = _few_queries(orders, c)
        region = _few_queries_region(orders, c, margin, start)
        yield Rule(f"d = {orders}", statement, "sharp", role, region, _decided_at(margin))


def _few_queries_region(orders: int, c: Fraction, margin: Margin, start: Fraction) -> Region:
    """Up to the knee, where ln n/c is 9, gamma does not change and the number of queries is a whole number.

    There the margin grows. If it is negative at the knee, then up to it, and a turn beyond it is as usual.
    """
    knee, turn = 9 * c, Fraction(7 * orders)
    fixed = (5 * 9**7) ** orders
    if is_nonnegative(lambda: as_fmpq(knee) - arb(fixed).log()):
        return Region(start, lambda: arb(fixed).log(), whole=fixed)
    return replace(positive_region(margin, Shape(max(knee, start), (turn, turn))), start=start)


def _positive_share(c: Fraction) -> Margin:
    return lambda x: separator_share(x, wide_root(x, as_fmpq(c), BALL), BALL)


def _order_at_least(least: int, c_share: Fraction) -> Margin:
    return lambda x: order_margin(x, as_fmpq(c_share), BALL.ratio(least), BALL)


def _few_queries(orders: int, c: Fraction) -> Margin:
    return lambda x: query_margin(x, wide_root(x, as_fmpq(c), BALL), BALL.ratio(orders), BALL)


def _records(x: BallNumber) -> BallNumber:
    return x - 7 * BALL.log(x) - BALL.log(BALL.ratio(2))


def _small_deviations(x: BallNumber) -> BallNumber:
    """It turns between 7 and 8: x times its derivative is x - 8 + 18/(4 x^3 + 3)."""
    return x - 8 * BALL.log(x) - BALL.log(BALL.ratio(2048)) - 2 * BALL.log(1 + 3 / (4 * x**3))


def _of_margin(name: str, statement: str, edition: str, role: str, margin: Margin, shape: Shape) -> Rule:
    return Rule(name, statement, edition, role, positive_region(margin, shape), _decided_at(margin))


def _decided_at(margin: Margin) -> Callable[[Fraction], bool]:
    return lambda x: is_nonnegative(lambda: margin(as_fmpq(x)))


def _from(name: str, statement: str, edition: str, least: Fraction, start: Fraction, *, strict: bool) -> Rule:
    region = Region(start, exact_root(least))
    return Rule(name, statement, edition, LOWER, region, lambda x: x > least if strict else x >= least)


def _always(name: str, statement: str, edition: str, role: str, start: Fraction, *, holds: bool | None) -> Rule:
    """A condition that does not depend on n."""
    region = Region(start, exact_root(start) if holds else None)
    return Rule(name, statement, edition, role, region, lambda _: bool(holds), known=holds is not None)
