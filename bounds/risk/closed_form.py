"""Printed and corrected editions: the formulas of the paper's route at exact numbers, and the n that they require."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bounds.arithmetic.ball import BALL
from bounds.enclosure import BallNumber, Enclosure, Truth, Undecided, as_fmpq, at_most, with_growing_precision
from bounds.errors import NotApplicable
from bounds.exact import show_rational
from bounds.model import Route, Theorem
from bounds.pieces.excess_risk import AT_LEAST_2
from bounds.quantities import Quantities
from bounds.risk.answer import OrderTried, Required
from bounds.risk.private_marginals import release_values
from bounds.risk.question import RiskQuestion
from bounds.risk.sharp import Part, RiskBound
from bounds.risk.tables import Tables
from bounds.sizes.requirement import HypothesisResult
from bounds.sizes.routes import enclose_formula, quantities
from bounds.solve import IntegerCertificate, smallest_integer_at_least


def closed_form(
    question: RiskQuestion, theorem: Theorem, order: int, *, n: int | None, epsilon: Fraction | None
) -> RiskBound:
    """The bound of the edition; its hypotheses are checked by `checked_hypotheses`."""
    route = _route(question, theorem)
    if order < 2:
        raise NotApplicable(f"{theorem.id} ({question.edition}) asks that {AT_LEAST_2.text} ({AT_LEAST_2.why})")
    values = _values(question, order, epsilon, n)
    total, *terms = [(t.name, enclose_formula(t.formula, route.derived, values)) for t in route.terms]
    parts = [Part(name, value) for name, value in terms]
    if question.gap:
        parts.append(Part("optimisation", Enclosure.of(question.gap)))
    return RiskBound(route.name, total[1], tuple(parts))


def checked_hypotheses(
    question: RiskQuestion, theorem: Theorem, order: int, *, epsilon: Fraction | None
) -> tuple[HypothesisResult, ...]:
    """Every hypothesis of the edition and whether it is met; a blocking one that is not is an error."""
    return _check(question, theorem, _route(question, theorem), _values(question, order, epsilon, None))


def _route(question: RiskQuestion, theorem: Theorem) -> Route:
    edition = theorem.edition(question.edition)
    assert edition is not None
    if question.intercept:
        raise NotApplicable(f"intercept: {theorem.id} ({question.edition}) is stated for models without one")
    return edition.routes[0]


def _values(question: RiskQuestion, order: int, epsilon: Fraction | None, n: int | None) -> dict[str, Fraction]:
    loss = question.loss
    known = loss.question.function.lipschitz
    values = {
        "radius": loss.radius,
        "slope": loss.slope.hi if known is None else known,
        "at_zero": loss.at_zero.hi,
        "features": Fraction(question.features),
        "order": Fraction(order),
    }
    if question.gap:
        values["optimisation_gap"] = question.gap
    if question.marginal_error is not None:
        return {**values, "marginal_error": question.marginal_error}
    assert epsilon is not None
    released = release_values(question, Tables(question.features, order), epsilon)
    return {**values, **released, **({} if n is None else {"n": Fraction(n)})}


def _check(
    question: RiskQuestion, theorem: Theorem, route: Route, values: dict[str, Fraction]
) -> tuple[HypothesisResult, ...]:
    q = Quantities(BALL, values)
    results = []
    for h in route.hypotheses:
        holds = None if h.holds is None else h.holds(q)
        if holds is False and h.blocking:
            why = f" ({h.why})" if h.why else ""
            raise NotApplicable(f"{theorem.id} ({question.edition}) asks that {h.text}{why}")
        results.append(HypothesisResult(h.text, "asserted" if holds is None else "checked", holds, h.why))
    return tuple(results)


def closed_form_target(question: RiskQuestion, theorem: Theorem, orders: Sequence[int]) -> Required:
    """approximation + marginals/n <= target, solved for n, at the best order or the given one."""
    assert question.target is not None
    route = _route(question, theorem)
    tried: list[OrderTried] = []
    best: IntegerCertificate | None = None
    cost: Enclosure | None = None
    for order in orders:
        values = _values(question, order, question.epsilon, 1)
        _check(question, theorem, route, values)
        approximation = enclose_formula(route.terms[1].formula, route.derived, values)
        cost = approximation if cost is None or approximation.hi < cost.hi else cost
        certificate = _smallest(question, route, values)
        records = None if certificate is None else certificate.value
        tried.append(OrderTried(Tables(question.features, order), records, route.name))
        if certificate is not None and (best is None or certificate.value < best.value):
            best = certificate
    if best is None:
        assert cost is not None
        raise NotApplicable(
            f"target = {show_rational(question.target)}: no number of records is enough for {theorem.id} "
            f"({question.edition}); its approximation term alone is {cost.decimal(6)[0]} or more"
        )
    scope = "the formula does not reach it with one fewer" + (" at any of these orders" if len(tried) > 1 else "")
    return Required(question.target, best, tuple(tried), scope)


def _smallest(question: RiskQuestion, route: Route, values: dict[str, Fraction]) -> IntegerCertificate | None:
    """The marginal term falls like 1/n: its value at n = 1 over what the target leaves."""
    assert question.target is not None
    room = question.target - question.gap

    def left() -> BallNumber:
        q = quantities(route.derived, values)
        rest: BallNumber = as_fmpq(room) - route.terms[1].formula(q, BALL)
        return rest

    def positive() -> bool:
        answer = at_most(left(), 0)
        if answer is Truth.UNKNOWN:
            raise Undecided
        return answer is Truth.FALSE

    if not with_growing_precision(positive)[0]:
        return None
    certificate, _ = smallest_integer_at_least(
        lambda: route.terms[2].formula(quantities(route.derived, values), BALL) / left()
    )
    return certificate
