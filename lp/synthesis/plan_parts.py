"""The parts of every plan: noise, rows, the sizes of a theorem, and a promise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from bounds.errors import NotApplicable, UsageError
from bounds.exact import show_rational
from bounds.pieces.promises import EXACT_NOISE
from bounds.privacy.adjacency import Adjacency
from bounds.registry import find_theorem
from bounds.sizes.evaluate import evaluate
from bounds.sizes.requirement import Requirement
from bounds.sizes.setting import Setting
from bounds.solve import ceiling
from lp.measures.uniform import count_text
from lp.programme.forecast import MOST_SECONDS, Cost, density_seconds, programme_cost
from lp.programme.solve import FITTING, is_fitted
from lp.synthesis.question import (
    DENSITY_SLACK,
    GAP,
    LEAST_SLACK,
    MOST_ROWS,
    ROUNDING,
    SAMPLING,
    ProgrammeSizes,
    Promise,
    Question,
)
from release.noise.choice import choose_noise
from release.noise.kinds import NoisePlan
from release.statistics.contrasts import ways_through


def noise_for(question: Question, epsilon: Fraction, beta: Fraction) -> NoisePlan:
    return choose_noise(
        question.family.facts,
        question.family.denominator,
        epsilon=epsilon,
        dp_delta=question.dp_delta,
        n=question.size,
        adjacency=question.adjacency,
        beta=beta,
        mode=question.mode,
        mechanism=question.mechanism,
        through=ways_through(question.family),
    )


@dataclass(frozen=True)
class RowPlan:
    """How many rows, how they are made, and what they add to the error of the optimal density."""

    k: int
    rows: str
    reason: str
    """Why they are not made as asked; empty if they are."""
    error: Fraction
    """Between the rows and the density that they are made from (docs/proofs/synthbounds.rows.md)."""
    slack: Fraction
    """Between that density and the optimal one, in the promise."""


def rows_for(question: Question, quantile: Fraction, *, points: int | None, distance: Fraction) -> RowPlan:
    """As many rows as there are records, or as are stated; more if the requested accuracy needs more.

    `points` will be drawn, or None for the whole domain; `distance` bounds the optimum apart from the noise.
    """
    rows, reason = _way(question, quantile, points)
    slack = Fraction(0) if rows == ROUNDING else DENSITY_SLACK * (distance + 2 * quantile + GAP)
    k = question.k
    if k is None:
        k = question.size
        left = Fraction(0) if question.accuracy is None else question.accuracy - distance - 2 * quantile - GAP - slack
        if left > 0:
            k = max(k, ceiling(row_error(question, 1) / left))
        k = max(1, min(MOST_ROWS, k))
    return RowPlan(k, rows, reason, row_error(question, k), slack)


def row_error(question: Question, k: int) -> Fraction:
    """What k rows add to the error of their density, without fail."""
    facts = question.family.facts
    return Fraction(facts.range_width) * (facts.dimension + 1) / (4 * k)


def is_fitted_to(question: Question, points: int | None) -> bool:
    """Whether the programme is fitted: its density is near the optimum, and rows are made from it."""
    count = question.domain.size if points is None else points
    by_size = question.solver == "auto" and is_fitted(ProgrammeSizes(question.family, count))
    return by_size or question.solver in FITTING


def cost_of(question: Question, points: int | None) -> Cost:
    """The expected cost of the programme, from public numbers alone."""
    count = question.domain.size if points is None else points
    return programme_cost(question.family, count, fitted=is_fitted_to(question, points))


def _way(question: Question, quantile: Fraction, points: int | None) -> tuple[str, str]:
    """How rows are made, and why not as asked; from public numbers alone."""
    if is_fitted_to(question, points):
        reason = "a vertex for this many queries is not computed" if question.rows == ROUNDING else ""
        return SAMPLING, reason
    return way_of_optimum(question, quantile, points)


def way_of_optimum(question: Question, quantile: Fraction, points: int | None) -> tuple[str, str]:
    """The same if the programme is solved to its optimum, which few points attain."""
    if question.rows == ROUNDING:
        return ROUNDING, ""
    if DENSITY_SLACK * quantile < LEAST_SLACK:
        return ROUNDING, "there is too little noise to choose among densities"
    count = question.domain.size if points is None else points
    seconds = density_seconds(question.family, count, whole=points is None)
    if seconds > MOST_SECONDS:
        sizes = f"{question.family.count:,} queries at {count_text(count)} points"
        return ROUNDING, f"a density on all points should take {seconds:,.0f} CPU seconds for {sizes}"
    return question.rows, ""


def requirement_for(question: Question, theorem_id: str, route: str = "") -> Requirement | None:
    """The theorem's sizes for the request; None if nothing was requested or it does not apply."""
    if question.accuracy is None:
        return None
    theorem = find_theorem(theorem_id)
    if route:
        sharp = theorem.edition("sharp")
        assert sharp is not None
        only = replace(sharp, routes=tuple(r for r in sharp.routes if r.name == route))
        theorem = replace(theorem, editions=(only,))
    numbers = {
        "epsilon": question.epsilon,
        "delta": question.accuracy / 8,
        "gamma": question.failure / 4,
        "degree": None if question.degree is None else Fraction(question.degree),
        "dp_delta": question.dp_delta,
        "k": None if question.k is None else Fraction(question.k),
        "lipschitz": question.lipschitz,
    }
    setting = Setting(
        p=question.domain.p,
        t=max(question.domain.sizes),
        family=question.family.facts,
        continuous=theorem.measure == "kde",
        adjacency=question.adjacency,
        numbers={name: value for name, value in numbers.items() if value is not None},
        points=question.domain.size,
    )
    try:
        return evaluate(theorem, "sharp", setting)
    except (NotApplicable, UsageError):
        return None


def promise_for(
    question: Question,
    required: Requirement | None,
    accuracy: Fraction,
    *,
    route: str,
    any_data: bool,
    more: tuple[str, ...] = (),
) -> Promise:
    trivial = question.family.facts.trivial_accuracy
    shown = show_rational(accuracy) if accuracy.denominator < 10**6 else f"{float(accuracy):.6g}"
    theorem = "bojkovic2024.uniform" if required is None else required.theorem
    broken = ""
    if question.accuracy is not None and accuracy > question.accuracy:
        asks = "" if required is None else f"; it asks for {required.n:,} records"
        broken = f"accuracy {shown} is promised, not {show_rational(question.accuracy)}, by {theorem}, {route}{asks}"
    elif accuracy >= trivial:
        broken = f"accuracy {shown} is no promise: a table chosen without data is within {show_rational(trivial)}"
    return Promise(
        theorem=theorem,
        route=route,
        accuracy=accuracy,
        failure=question.failure,
        any_data=any_data,
        asked=question.accuracy,
        required_size=None if required is None else required.n,
        broken=broken,
        hypotheses=(*_left_to_the_user(question, required), *more),
    )


def _left_to_the_user(question: Question, required: Requirement | None) -> tuple[str, ...]:
    """The assumptions about the data; exact noise is ensured here."""
    found = () if required is None else required.hypotheses
    texts = tuple(h.text for h in found if h.holds is None and h.text != EXACT_NOISE.text)
    if question.adjacency is Adjacency.ADD_REMOVE:
        texts += (f"the table has at least {question.size} records",)
    return texts
