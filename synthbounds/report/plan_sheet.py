"""The sheet of the plan of a release: what errors would be, what epsilon would mean, and curves over it."""

from __future__ import annotations

from fractions import Fraction

from bounds.exact import show_rational
from bounds.privacy.statements import DP
from mechanisms.planning.error_plan import ErrorPlan
from mechanisms.planning.parameters import KINDS, MOMENTS, ONE_WAY, TWO_WAY
from synthbounds.render.document import Document
from synthbounds.render.error_picture import error_curves
from synthbounds.render.error_plan import TITLES
from synthbounds.render.numbers import integer_text, up
from synthbounds.report import cautions
from synthbounds.report.one_person import budget_text, epsilon_text, one_person, stated
from synthbounds.report.plain import confidence, points
from synthbounds.report.sheet import Cautions, Certified, Curve, CurveLine, Details, Part, Sheet

_OF_THE_NUMBERS = (
    "The errors are those of the released numbers. A synthetic table made from them differs a little more; how much "
    "more is certified once it is made."
)


def plan_sheet(plan: ErrorPlan, document: Document) -> Sheet:
    """The smallest errors, or what a wanted error needs; then one person; then every method."""
    question = plan.question
    records = "" if question.size is None else f", {integer_text(question.size)} records"
    subtitle = f"Before anything is spent: {len(question.schema.columns)} columns{records}"
    privacy, certified = _solved(plan) if plan.solutions else _expected(plan)
    person = None if privacy is None else one_person(privacy)
    parts: list[Part] = [certified, *(() if person is None else (person,)), *_curves(plan)]
    said = (
        cautions.ONLY_A_PLAN,
        _OF_THE_NUMBERS,
        cautions.SMALL_GROUPS,
        cautions.may_fail(show_rational(question.beta)),
        cautions.OTHER_RELEASES,
        cautions.NOT_A_LEGAL_OPINION,
    )
    return Sheet("Plan of a release", subtitle, (*parts, Cautions(said), Details(document)))


_PLAIN = {
    ONE_WAY: "percentages of one column",
    TWO_WAY: "percentages of two columns combined",
    MOMENTS: "mean products of two columns, scaled to [-1, 1],",
}


_CURVES = {ONE_WAY: "Single columns", TWO_WAY: "Two columns combined", MOMENTS: TITLES[MOMENTS]}


def _within(kind: str, error: str, in_points: str) -> str:
    """An error of shares in points, which readers know; products have no percentage."""
    return f"{_PLAIN[kind]} within {error if kind == MOMENTS else f'{in_points} points'}"


def _expected(plan: ErrorPlan) -> tuple[DP, Certified]:
    """The smallest error of each kind; the budget has a delta if one of them does."""
    found, methods, deltas = [], [], [Fraction(0)]
    for kind in KINDS:
        bests = [best for pure in (True, False) if (best := plan.best(kind, pure=pure)) is not None]
        errors = [(error, best) for best in bests if (error := best.error(kind)) is not None]
        if errors:
            error, best = min(errors, key=lambda pair: pair[0])
            found.append(_within(kind, up(error, 3), points(error, 3)))
            methods.append(best.method)
            deltas.append(best.budget.dp_delta or Fraction(0))
    privacy = stated(plan.epsilon, max(deltas), plan.question.adjacency)
    if not found:
        said = f"With {budget_text(privacy)} no method promises more than what holds without any data."
        return privacy, Certified(said, "Nothing would be certified", "", False)
    detail = (
        f"This is true of all numbers at once, with {confidence(plan.question.beta)}, for every table that fits the "
        "schema. One point is one record in a hundred."
    )
    exact = (
        f"Budget: {budget_text(privacy)}. Methods: {', '.join(dict.fromkeys(methods))}, each in a release of its own."
    )
    budget = f"a privacy budget (epsilon) of {epsilon_text(privacy)}"
    said = f"With {budget}, the released numbers would be close to the truth: {'; '.join(found)}."
    if len(set(zip(methods, deltas[1:], strict=True))) > 1:
        said += " No single release promises all of this: each is by the method that is best for it."
    return privacy, Certified(said, "A promise in advance", detail, experts=exact)


def _solved(plan: ErrorPlan) -> tuple[DP | None, Certified]:
    """The least epsilon, or the fewest records, for the error that is wanted."""
    wanted = plan.question.wanted
    assert wanted is not None
    goal = f"{_within(wanted.kind, show_rational(wanted.error), show_rational(100 * wanted.error))} of the truth"
    solved = [found for pure in (True, False) if (found := plan.least(pure=pure)) is not None]
    enough = [(found.value, found) for found in solved if found.value is not None]
    if not enough:
        return None, Certified(f"No method promises {goal}.", "Not possible", "", False)
    value, best = min(enough, key=lambda pair: pair[0])
    epsilon = plan.epsilon if best.parameter == "n" else value
    privacy = stated(epsilon, best.dp_delta, plan.question.adjacency)
    needs = f"{integer_text(int(value))} records with " if best.parameter == "n" else ""
    said = f"Knowing {goal} takes {needs}{budget_text(privacy)}, with the method {best.method}."
    return privacy, Certified(said, "A promise in advance", "One step less is not enough for this method.")


def _name(method: str, *, pure: bool) -> str:
    return f"{method}, no delta" if pure else method


def _curves(plan: ErrorPlan) -> list[Curve]:
    return [
        Curve(
            f"{_CURVES[kind]}: largest error over epsilon",
            "epsilon",
            "largest error",
            tuple(
                CurveLine(line["method"] + (", no delta" if line["pure"] else ""), tuple(line["points"]))
                for line in lines
            ),
            "" if kind == MOMENTS else "An error of 0.01 is one point: one record in a hundred.",
            marked=None if plan.solutions else plan.epsilon,
        )
        for kind, lines in (error_curves(plan) if plan.forecasts else {}).items()
    ]
