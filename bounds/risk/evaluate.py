"""From a question about excess risk to its answer: the theorem, the bound, the smallest n or epsilon."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from bounds.enclosure import Enclosure
from bounds.errors import NotApplicable, UsageError
from bounds.exact import show_rational
from bounds.model import Theorem
from bounds.registry import find_theorem
from bounds.risk.answer import RiskAnswer, SolvedEpsilon
from bounds.risk.closed_form import closed_form_target
from bounds.risk.moments import MOMENTS_ID, moments_target
from bounds.risk.private_marginals import nu_of, require_replace_one
from bounds.risk.question import RiskQuestion, build_question
from bounds.risk.report import report
from bounds.risk.search import Found, best_found, bounds_at, tables_to_try
from bounds.risk.smallest_epsilon import LEAST, smallest_decimal, unit_below
from bounds.risk.target import largest_distance_lb, sharp_target

FAMILIES = ("zhou2024.lipschitz", "zhou2024.logistic")
_FIRST_LOOKS = 4
"""Orders whose largest allowed distance gives a first epsilon, before all of them are looked at."""


def risk(**parameters: object) -> RiskAnswer:
    """Excess risk of a linear model trained on synthetic data, bounded from above and below."""
    question = build_question(**parameters)
    theorem = theorem_for(question)
    if question.private:
        require_replace_one(question)
    if question.solve_for is not None:
        return _solved(question, theorem)
    if question.target is not None:
        return _targeted(question, theorem)
    found = best_found(question, theorem, n=question.n, epsilon=question.epsilon)
    return report(question, theorem, found, n=question.n, epsilon=question.epsilon)


def theorem_for(question: RiskQuestion) -> Theorem:
    """The statement of the paper that applies: for the logistic loss or any other, for given or private marginals."""
    if question.release == "moments":
        if question.theorem not in (None, MOMENTS_ID):
            raise UsageError(f"theorem = {question.theorem[:60]}: moments are for {MOMENTS_ID}")
        return find_theorem(MOMENTS_ID)
    family = "zhou2024.logistic" if question.loss.is_logistic else "zhou2024.lipschitz"
    if question.theorem is not None:
        known = find_theorem(question.theorem).id
        family = known.removesuffix("-private")
        if family not in FAMILIES:
            allowed = ", ".join(FAMILIES)
            raise UsageError(
                f"theorem = {known}: it does not bound excess risk from above; those that do are {allowed}"
            )
        if known.endswith("-private") and not question.private:
            raise UsageError(f"theorem = {known}: it needs private marginals, --epsilon instead of --marginal-error")
    if family == "zhou2024.logistic" and not question.loss.is_logistic:
        raise NotApplicable(
            f"loss = {question.loss.question.function.name[:60]}: zhou2024.logistic is for the logistic loss"
        )
    return find_theorem(f"{family}-private" if question.private else family)


def _targeted(question: RiskQuestion, theorem: Theorem) -> RiskAnswer:
    assert question.epsilon is not None
    if question.release == "moments":
        required = moments_target(question, question.epsilon)
    elif question.edition == "sharp":
        required = sharp_target(question, question.epsilon)
    else:
        required = closed_form_target(question, theorem, [t.order for t in tables_to_try(question)])
    tables = min(required.orders, key=lambda t: (t.n is None, t.n or 0)).tables
    n = required.certificate.value
    first, *rest = bounds_at(question, theorem, tables, n=n, epsilon=question.epsilon)
    # the certificate proves that the target is reached; the enclosure may be wider by its last digit
    reached = Enclosure(min(first.value.lo, required.target), min(first.value.hi, required.target))
    bounds = (replace(first, value=reached), *rest)
    found = Found(tables, bounds, min(b.least_lb for b in bounds))
    return report(question, theorem, found, n=n, epsilon=question.epsilon, required=required)


def _solved(question: RiskQuestion, theorem: Theorem) -> RiskAnswer:
    assert question.n is not None
    assert question.target is not None
    n, target = question.n, question.target

    def found(epsilon: Fraction) -> Found:
        return best_found(question, theorem, n=n, epsilon=epsilon)

    def reaches(epsilon: Fraction) -> bool:
        return found(epsilon).bounds[0].value.hi <= target

    first = _first_look(question) if question.edition == "sharp" and question.release == "marginals" else reaches
    value = smallest_decimal(first)
    if value is None and first is not reaches:
        value = smallest_decimal(reaches)
    if value is None:
        raise NotApplicable(
            f"target = {show_rational(target)}: {question.n} records do not reach it with any epsilon up to 1000"
        )
    if value > LEAST and reaches(unit_below(value)):  # another order does better than those of the first look
        value = smallest_decimal(reaches)
        assert value is not None
    best = found(value)
    neighbour = unit_below(value) if value > LEAST else None
    beside = None if neighbour is None else found(neighbour).value
    solved = SolvedEpsilon(value, neighbour, beside)
    return report(question, theorem, best, n=n, epsilon=value, solved=solved)


def _first_look(question: RiskQuestion) -> Callable[[Fraction], bool]:
    """Does the noise keep the marginals within what the target allows, for one of the first orders?"""
    assert question.n is not None
    n = question.n
    allowed = [(tables, largest_distance_lb(question, tables)) for tables in tables_to_try(question)[:_FIRST_LOOKS]]
    useful = [(tables, s) for tables, s in allowed if s is not None]
    return lambda epsilon: any(nu_of(question, tables, epsilon).hi <= s * n for tables, s in useful)
