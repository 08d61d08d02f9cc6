"""The n from which on Theorem 4.1 of zhou2024 says something: the conditions of its Appendix B, one by one and jointly.

Everything is a statement about x = ln n, because n has many digits. The constant c of Theorem B.3 (Theorem 5 of
dagan2020, quoted and not proved here) is not known: it is a parameter, or left open.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from bounds.arithmetic.ball import BALL
from bounds.enclosure import BallNumber, Enclosure, as_fmpq, as_fraction, decimal_text
from bounds.exact import parse_rational, require_range, show_rational
from bounds.parameters import LEAST_POSITIVE
from bounds.pieces.statistical_queries import log_queries, share, wide_root
from bounds.registry import find_theorem
from bounds.risk.crossings import Region, Root
from bounds.risk.query_conditions import LOWER, Rule, paper_rules, sharp_rules
from bounds.shown import Shown
from bounds.solve import IntegerCertificate, enclose, smallest_integer_at_least
from bounds.values import ValueResult, evaluate_value

_LARGEST = 10**100
_LARGEST_WRITTEN = 8700
"""Largest ln n for which the smallest n is written out, with almost 3800 digits."""
_BITS = 100
_MOST_DIGITS_IN_TEXT = 15


@dataclass(frozen=True)
class Condition:
    """One condition of Appendix B in one edition, as a statement about ln n."""

    name: str
    statement: str
    edition: str
    role: str
    start: Fraction
    """Required only for larger ln n; below that, gamma is too large for it to make sense."""
    threshold: Enclosure | None
    """It holds for all n from here on; None: for no n, or not known."""
    earlier: Enclosure | None
    """It also holds between `start` and here."""
    smallest: IntegerCertificate | None
    """The smallest n from which on it always holds, if it can be written down."""
    known: bool
    """False: it depends on the constant c, which is left open."""
    holds: bool | None
    """At the given ln n; None: not given, not required there, or not known."""


@dataclass(frozen=True)
class Joint:
    """All conditions of the lower half together."""

    edition: str
    feasible: bool | None
    """For some n; None: that depends on c, which is left open."""
    threshold: Enclosure | None
    smallest: IntegerCertificate | None
    binding: str
    """The condition that holds last, or never."""
    sentence: str
    holds: bool | None
    """At the given ln n; None: not given, or not known."""


@dataclass(frozen=True)
class QueryLowerBound(Shown):
    """Where Theorem 4.1 is empty, and where it is not."""

    log_n: Fraction | None
    query_constant: Fraction | None
    share: Fraction
    """c' of Definition B.1; its largest value if c is left open."""
    conditions: tuple[Condition, ...]
    joint: tuple[Joint, ...]
    order: Enclosure | None
    """d of Definition B.1 at the given ln n."""
    largest_order: int | None
    """The largest order of marginals that the sharp edition covers at the given ln n and c."""
    lower: tuple[ValueResult, ...]
    """zhou2024.lower at the given ln n and c."""
    upper: tuple[ValueResult, ...]
    """zhou2024.upper-half at the given ln n and the d of Definition B.1."""

    @property
    def empty(self) -> str:
        """Where the theorem, with its errors repaired, says nothing."""
        return next(j.sentence for j in self.joint if j.edition == "corrected")


def query_lower_bound(*, log_n: object = None, query_constant: object = None) -> QueryLowerBound:
    """The conditions of Theorem 4.1, at ln n and for the constant c, if they are given."""
    x, c = None, None
    if query_constant is not None:
        c = parse_rational(query_constant, "query_constant")
        require_range(
            "query_constant", c, query_constant, least=LEAST_POSITIVE, most=_LARGEST, reason="c of Theorem B.3"
        )
    if log_n is not None:
        x = parse_rational(log_n, "log_n")
        require_range("log_n", x, log_n, above=1, most=_LARGEST, reason="gamma = 1/ln^3 n must be less than 1")
    c_share = as_fraction(share(as_fmpq(Fraction(_LARGEST) if c is None else c), BALL))
    rules = [r for edition in ("printed", "corrected") for r in paper_rules(edition, c, c_share)]
    if c is not None:
        rules += sharp_rules(c)
    conditions = tuple(_condition(rule, x) for rule in rules)
    editions = dict.fromkeys(rule.edition for rule in rules)
    return QueryLowerBound(
        log_n=x,
        query_constant=c,
        share=c_share,
        conditions=conditions,
        joint=tuple(_joint(e, [k for k in conditions if k.edition == e], x, c) for e in editions),
        order=None if x is None else enclose(lambda: _order(x, c_share)),
        largest_order=None if x is None or c is None else _largest_order(x, c),
        lower=() if x is None or c is None else _values("zhou2024.lower", log_n=x, query_constant=c),
        upper=() if x is None else _upper(x, c_share),
    )


def _values(theorem: str, **numbers: Fraction) -> tuple[ValueResult, ...]:
    return evaluate_value(find_theorem(theorem), numbers)


def _order(x: Fraction, c_share: Fraction) -> BallNumber:
    """d of Definition B.1, a real number."""
    return as_fmpq(c_share * x) / (3 * BALL.log(as_fmpq(x)))


def _upper(x: Fraction, c_share: Fraction) -> tuple[ValueResult, ...]:
    """The upper half at the whole part of d; nothing where that is 0."""
    orders = smallest_integer_at_least(lambda: _order(x, c_share))[0].value - 1  # d is no whole number
    return _values("zhou2024.upper-half", log_n=x, order=Fraction(orders)) if orders else ()


def _largest_order(x: Fraction, c: Fraction) -> int:
    """The largest d with (5 y^7)^d < n; the quotient is never a whole number."""
    y = wide_root(as_fmpq(x), as_fmpq(c), BALL)
    return smallest_integer_at_least(lambda: as_fmpq(x) / log_queries(y, BALL))[0].value - 1


def _condition(rule: Rule, x: Fraction | None) -> Condition:
    region = rule.region
    threshold = _enclosed(region.threshold)
    asked = x is not None and x > region.start and rule.known
    return Condition(
        name=rule.name,
        statement=rule.statement,
        edition=rule.edition,
        role=rule.role,
        start=region.start,
        threshold=threshold,
        earlier=_enclosed(region.earlier),
        smallest=_smallest(region, threshold),
        known=rule.known,
        holds=rule.at(x) if asked and x is not None else None,
    )


def _enclosed(root: Root | None) -> Enclosure | None:
    return None if root is None else enclose(root, relative_bits=_BITS)


def _smallest(region: Region, threshold: Enclosure | None) -> IntegerCertificate | None:
    """The smallest n with ln n at least the root. Unless said so, e to the root is no whole number."""
    root = region.threshold
    if region.whole is not None:
        return IntegerCertificate(region.whole, Enclosure.of(0), Enclosure.of(-1), 0)
    if root is None or threshold is None or threshold.hi > _LARGEST_WRITTEN:
        return None

    def number() -> BallNumber:
        return arb(root()).exp()

    return smallest_integer_at_least(number)[0]


def _joint(edition: str, conditions: list[Condition], x: Fraction | None, c: Fraction | None) -> Joint:
    """The conditions of the lower half together.

    Each holds from its threshold on. Earlier ranges end where gamma is still above 2^-6, so they do not matter.
    """
    needed = [k for k in conditions if k.role == LOWER]
    never = next((k for k in needed if k.known and k.threshold is None), None)
    reached = [(k.threshold, k) for k in needed if k.threshold is not None]
    threshold, last = max(reached, key=lambda pair: pair[0].hi)
    feasible = False if never else None if not all(k.known for k in needed) else True
    holds: bool | None = None
    if x is not None:
        known = [k.holds is True for k in needed if k.known]
        holds = False if not all(known) else feasible
    if never:
        return Joint(edition, False, None, None, never.name, _never_sentence(never, c), holds)
    sentence = _sentence(edition, last, threshold, feasible)
    return Joint(edition, feasible, threshold, last.smallest, last.name, sentence, holds)


def _never_sentence(never: Condition, c: Fraction | None) -> str:
    if never.name == "tolerance" and c is not None:
        short = f"c = {show_rational(c)} is less than 1, so Theorem B.3 does not allow the tolerance 1/n"
        return f"Empty for every n: {short}."
    start = "The proof as printed covers no n" if never.edition == "printed" else "Empty for every n"
    return f"{start}: {never.statement} fails for every n above e."


def _sentence(edition: str, last: Condition, threshold: Enclosure, feasible: bool | None) -> str:
    below, since = _number(last, threshold, up=False), _number(last, threshold, up=True)
    open_end = "" if feasible else ", if c >= 1"
    if last.name == "d >= 1":
        most = " even for c' = 1/5, the largest possible" if feasible is None else ""
        return (
            f"Empty for every n below {below}: d = c' ln n/(3 ln ln n) is less than 1{most}, so there is no marginal. "
            f"All conditions hold from {since} on{open_end}."
        )
    return f"Empty for every n below {below}, where {last.statement} fails. All conditions hold from {since} on."


def _number(last: Condition, threshold: Enclosure, *, up: bool) -> str:
    """The number of records e^x in words: exactly where it is short, else as a power of ten rounded to that side."""
    if last.smallest is not None and last.smallest.value < 10**_MOST_DIGITS_IN_TEXT:
        return f"n = {last.smallest.value:,}" if up else f"{last.smallest.value:,}"
    exponent = enclose(lambda: arb(as_fmpq(threshold.hi if up else threshold.lo)) / arb(10).log())
    value = exponent.hi if up else exponent.lo
    if value > 10**_MOST_DIGITS_IN_TEXT:
        text = decimal_text(value, 6, up=up)
    else:
        hundredths = -(-value * 100).__floor__() if up else (value * 100).__floor__()
        text = f"{hundredths // 100}.{hundredths % 100:02d}"
    return f"n = 10^{text}" if up else f"10^{text}"
