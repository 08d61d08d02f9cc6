"""The smallest n of the sharp edition for a target, proved at n and at n - 1.

The bound grows with the distance s of the marginals, and s falls with n. First the largest s is found that the target
allows: the best value over polynomials is concave in s, so Newton's method from s = 0 climbs to it. Then n is decided.
"""

from __future__ import annotations

from fractions import Fraction

from bounds.enclosure import Enclosure, Undecided
from bounds.errors import NotApplicable, NotCertified
from bounds.exact import show_rational
from bounds.risk.answer import OrderTried, Required
from bounds.risk.loss import Loss
from bounds.risk.polynomials import HIGHEST_DEGREE, RiskPolynomial, loss_itself, of_method, optimal_at
from bounds.risk.question import RiskQuestion
from bounds.risk.release import nu_of
from bounds.risk.sharp import best_bounds, by_optimality, short_above
from bounds.risk.tables import Tables
from bounds.solve import IntegerCertificate

_NEWTON_STEPS = 16
_BISECTIONS = 60
_LAST_STEPS = 12
_CLOSE = Fraction(1, 10**16)


def tables_to_try(question: RiskQuestion) -> tuple[Tables, ...]:
    """For the given order; otherwise for every even one and all attributes: odd orders carry no higher degree.

    Where private marginals may leave the label in pairs, they do; both ways are tried for almost all attributes.
    """
    last = question.highest_order
    orders = (question.order,) if question.order is not None else tuple(range(2, min(last, HIGHEST_DEGREE) + 1, 2))
    if question.order is None and last not in orders and last <= HIGHEST_DEGREE:
        orders = (*orders, last)
    paired = question.private and question.edition == "sharp" and question.loss.is_logistic
    found = [Tables(question.features, order, paired) for order in orders]
    # sets of almost all attributes are so few that pairs with the label cost more than they save
    found += [Tables(question.features, order) for order in orders if paired and order >= question.features]
    return tuple(found)


def sharp_target(question: RiskQuestion, epsilon: Fraction) -> Required:
    """The smallest n over the orders, routes and polynomials."""
    assert question.target is not None
    target, loss = question.target, question.loss
    if target >= loss.oscillation.hi:
        nothing = IntegerCertificate(1, Enclosure.of(target - loss.oscillation.hi), None, 0)
        return Required(target, nothing, (OrderTried(tables_to_try(question)[0], 1, "no data"),), exhaustive=True)
    tried: list[OrderTried] = []
    best: tuple[IntegerCertificate, bool] | None = None
    for tables in tables_to_try(question):
        nu = nu_of(question, tables, epsilon)
        least = nu.lo * loss.oscillation.lo / target  # every bound costs at least s times the oscillation
        if best is not None and least >= best[0].value:
            continue
        found = _at(question, tables, nu)
        tried.append(OrderTried(tables, None if found is None else found[0].value, "" if found is None else found[2]))
        if found is not None and (best is None or found[0].value < best[0].value):
            best = found[:2]
    if best is None:
        least_bias = min(_bias(question, tables) for tables in tables_to_try(question)[-2:])
        raise NotApplicable(
            f"target = {show_rational(target)}: no number of records is enough; with exact marginals the bound is "
            f"still {Enclosure.of(least_bias).decimal(6)[0]} or more"
        )
    return Required(target, best[0], tuple(tried), exhaustive=best[1])


def _bias(question: RiskQuestion, tables: Tables) -> Fraction:
    exact = Enclosure.of(Fraction(0))
    return best_bounds(question.loss, tables, exact, gap=question.gap, approximation=question.approximation)[0].value.hi


def _at(question: RiskQuestion, tables: Tables, nu: Enclosure) -> tuple[IntegerCertificate, bool, str] | None:
    assert question.target is not None
    largest = largest_distance(question, tables)
    if largest is None:
        return None
    n = max(1, _ceiling(nu.hi / largest))

    def bound(records: int) -> tuple[Enclosure, str]:
        distance = Enclosure(nu.lo / records, nu.hi / records)
        best = best_bounds(question.loss, tables, distance, gap=question.gap, approximation=question.approximation)
        return Enclosure(min(b.value.lo for b in best), best[0].value.hi), best[0].route

    at, route = bound(n)
    while at.hi > question.target:  # the polynomial that allowed it was found for a slightly different s
        n += max(1, n >> 40)
        at, route = bound(n)
    below: Enclosure | None = None
    for _ in range(_LAST_STEPS):
        if n == 1:
            break
        below, lower_route = bound(n - 1)
        if below.hi > question.target:
            break
        n, at, route, below = n - 1, below, lower_route, None
    margin = Enclosure(question.target - at.hi, question.target - at.lo)
    margin_below = None if below is None else Enclosure(question.target - below.hi, question.target - below.lo)
    exhaustive = n == 1 or (margin_below is not None and margin_below.hi < 0)
    return IntegerCertificate(n, margin, margin_below, 0), exhaustive, route


def largest_distance(question: RiskQuestion, tables: Tables) -> Fraction | None:
    """The largest distance of the marginals at which the bound is known to reach the target."""
    assert question.target is not None
    loss, room = question.loss, question.target - question.gap
    if room <= 0:
        return None
    found: list[Fraction] = []
    if tables.hold_everything:
        found.append(room / loss.oscillation.hi)
    degree = tables.degree
    if question.approximation not in (None, "optimal"):
        assert question.approximation is not None
        if degree >= 2:
            found += _allowed(of_method(loss, degree, question.approximation), room)
    elif degree >= 2:
        degree = min(degree, HIGHEST_DEGREE)
        itself = loss_itself(loss, degree)
        by_polynomial = _by_newton(loss, degree, room) if itself is None else _allowed(itself, room)
        found += by_polynomial
        if question.approximation is None:
            found += _by_optimality(question, degree, max(by_polynomial, default=Fraction(0)))
    return max((s for s in found if s > 0), default=None)


def _allowed(polynomial: RiskPolynomial, room: Fraction) -> list[Fraction]:
    """The s at which 2 osc + 2 s S meets the target."""
    left = room - 2 * polynomial.oscillation.hi
    if left <= 0:
        return []
    return [min(left / (2 * polynomial.cost), Fraction(1))] if polynomial.cost else [Fraction(1)]


def _by_newton(loss: Loss, degree: int, room: Fraction) -> list[Fraction]:
    s = Fraction(0)
    for _ in range(_NEWTON_STEPS):
        try:
            step = _allowed(optimal_at(loss, degree, short_above(s)), room)
        except (NotCertified, Undecided):
            break
        if not step or step[0] <= s * (1 + _CLOSE):
            break
        s = min(step[0], Fraction(999, 1000))
    return [s] if s else []


def _by_optimality(question: RiskQuestion, degree: int, low: Fraction) -> list[Fraction]:
    """Bisection: the bound with quadratic bias grows with s; `low` is what another bound reaches."""
    assert question.target is not None
    target = question.target

    def enough(s: Fraction) -> bool:
        return any(b.value.hi <= target for b in by_optimality(question.loss, degree, Enclosure.of(s), question.gap))

    if not enough(low):
        return []
    high = Fraction(1)
    for _ in range(_BISECTIONS):
        middle = _short((low + high) / 2)
        if enough(middle):
            low = middle
        else:
            high = middle
        if high - low <= high / 2**52:
            break
    return [low]


def _short(value: Fraction) -> Fraction:
    return Fraction(int(value * 2**80), 2**80)


def _ceiling(value: Fraction) -> int:
    return -((-value.numerator) // value.denominator)
