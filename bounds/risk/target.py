"""The smallest n of the sharp edition for a target, proved at n and at n - 1.

The bound grows with the distance s of the marginals, and s falls with n. First the largest s is found that the target
allows: the best value over polynomials is concave in s, so Newton's method from s = 0 climbs to it. Then n is decided.
"""

from __future__ import annotations

from fractions import Fraction

from bounds.enclosure import Enclosure, Undecided
from bounds.errors import NotApplicable, NotCertified
from bounds.exact import show_rational
from bounds.risk.answer import ANY_MODEL, OrderTried, Required
from bounds.risk.loss import Loss
from bounds.risk.polynomials import HIGHEST_DEGREE, RiskPolynomial, loss_itself, of_method, optimal_at
from bounds.risk.private_marginals import nu_of
from bounds.risk.question import RiskQuestion
from bounds.risk.search import cost_lb, tables_to_try
from bounds.risk.sharp import all_features, best_bounds, by_optimality, short_above
from bounds.risk.tables import Tables
from bounds.solve import IntegerCertificate, ceiling

_NEWTON_STEPS = 16
_BISECTIONS = 200
_MOST_RETRIES = 64
_CLOSE = Fraction(1, 10**16)
_SMALLEST_DISTANCE = Fraction(1, 10**60)
_NEARLY_ONE = Fraction(999, 1000)


def sharp_target(question: RiskQuestion, epsilon: Fraction) -> Required:
    """The smallest n over the orders, routes and polynomials."""
    assert question.target is not None
    target, loss = question.target, question.loss
    choices = tables_to_try(question)
    if target >= loss.oscillation.hi:
        nothing = IntegerCertificate(1, Enclosure.of(target - loss.oscillation.hi), None, 0)
        return Required(target, nothing, (OrderTried(choices[0], 1, "no data"),), ANY_MODEL)
    tried: list[OrderTried] = []
    best: IntegerCertificate | None = None
    proved = True
    for tables in choices:
        nu = nu_of(question, tables, epsilon)
        if best is not None and cost_lb(loss, nu.lo / best.value) >= target:
            continue  # not even this many records would do
        certificate, route = _at(question, tables, nu)
        tried.append(OrderTried(tables, None if certificate is None else certificate.value, route))
        proved = proved and (certificate is None or certificate.is_valid)
        if certificate is not None and (best is None or certificate.value < best.value):
            best = certificate
    if best is None:
        highest = max(tables.degree for tables in choices)  # what carries more has no larger bias
        bias = min(_bias(question, t) for t in choices if t.degree == highest or t.hold_all_features)
        raise NotApplicable(
            f"target = {show_rational(target)}: no number of records is enough; with exact marginals"
            f"{_of_these(question, choices)} the bound is still {Enclosure.of(bias).decimal(6)[1]}"
        )
    return Required(target, best, tuple(tried), _scope(question, choices) if proved else "")


def _scope(question: RiskQuestion, choices: tuple[Tables, ...]) -> str:
    return f"no bound of the edition{_of_these(question, choices)} reaches it with one fewer"


def _of_these(question: RiskQuestion, choices: tuple[Tables, ...]) -> str:
    """If not all orders were tried, up to which."""
    if question.order is not None or any(t.order == question.highest_order for t in choices):
        return ""
    return f" up to order {max(t.order for t in choices)}"


def _bias(question: RiskQuestion, tables: Tables) -> Fraction:
    exact = Enclosure.of(Fraction(0))
    return best_bounds(question.loss, tables, exact, gap=question.gap, approximation=question.approximation)[0].value.hi


def _at(question: RiskQuestion, tables: Tables, nu: Enclosure) -> tuple[IntegerCertificate | None, str]:
    """The smallest n for these marginals, with the route that reaches the target there."""
    assert question.target is not None
    target = question.target
    largest = largest_distance_lb(question, tables)
    if largest is None:
        return None, ""

    def bound(records: int) -> tuple[Enclosure, str]:
        distance = Enclosure(nu.lo / records, nu.hi / records)
        best = best_bounds(question.loss, tables, distance, gap=question.gap, approximation=question.approximation)
        return Enclosure(min(b.least_lb for b in best), best[0].value.hi), best[0].route

    n = max(1, ceiling(nu.hi / largest))
    at, route = bound(n)
    for _ in range(_MOST_RETRIES):  # the polynomial that allowed it may have been found for a slightly different s
        if at.hi <= target:
            break
        n += max(1, n >> 40)
        at, route = bound(n)
    else:
        raise NotCertified(f"target = {show_rational(target)}: the number of records could not be decided")
    below: Enclosure | None = None
    too_few, stride = 0, 1
    while n > 1 and n - too_few > 1:  # down in growing strides until there are too few, then by halves
        records = max(1, n - stride) if too_few == 0 else (n + too_few) // 2
        found, its_route = bound(records)
        if found.hi <= target:
            n, at, route, stride = records, found, its_route, 2 * stride
        else:
            too_few, below = records, found
    margin = Enclosure(target - at.hi, target - at.lo)
    margin_below = None if below is None else Enclosure(target - below.hi, target - below.lo)
    return IntegerCertificate(n, margin, margin_below, 0), route


def largest_distance_lb(question: RiskQuestion, tables: Tables) -> Fraction | None:
    """A distance of the marginals at which the bound reaches the target, as large as could be found."""
    assert question.target is not None
    loss, room = question.loss, question.target - question.gap
    if room <= 0:
        return None
    found: list[Fraction] = []
    if tables.hold_everything and loss.oscillation.hi > 0:
        found.append(room / loss.oscillation.hi)
    if tables.hold_all_features:
        per_distance = all_features(loss, Enclosure.of(Fraction(1)), Fraction(0))
        found += [room / b.value.hi for b in per_distance if b.value.hi > 0]
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
        s = min(step[0], _NEARLY_ONE)
    return [s] if s else []


def _by_optimality(question: RiskQuestion, degree: int, low: Fraction) -> list[Fraction]:
    """Bisection: the bound with quadratic bias grows with s; `low` is what another bound reaches."""
    assert question.target is not None
    target = question.target

    def enough(s: Fraction) -> bool:
        return any(b.value.hi <= target for b in by_optimality(question.loss, degree, Enclosure.of(s), question.gap))

    low, high = max(low, _SMALLEST_DISTANCE), Fraction(1)
    if not enough(low):
        return []
    for _ in range(_BISECTIONS):
        # halve the exponents while they are far apart
        middle = short_above((low + high) / 2 if high <= 4 * low else _geometric(low, high))
        if enough(middle):
            low = middle
        else:
            high = middle
        if high - low <= high / 2**60:
            break
    return [low]


def _geometric(low: Fraction, high: Fraction) -> Fraction:
    """A power of two about half-way between the logarithms of two positive numbers."""
    bits = [x.numerator.bit_length() - x.denominator.bit_length() for x in (low, high)]
    middle = sum(bits) // 2
    return Fraction(1 << middle) if middle >= 0 else Fraction(1, 1 << -middle)
