"""What every plan is made of: noise, rows, the sizes of a theorem, and a promise."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from flint import arb

from bounds.errors import NotApplicable, UsageError
from bounds.exact import show_rational
from bounds.pieces.promises import EXACT_NOISE
from bounds.privacy.adjacency import Adjacency
from bounds.registry import find_theorem
from bounds.sizes.evaluate import evaluate
from bounds.sizes.requirement import Requirement
from bounds.sizes.setting import Setting
from bounds.solve import ceiling, enclose
from lp.synthesis.question import GAP, MOST_ROWS, ROUNDING, Promise, Question
from release.noise.choice import choose_noise
from release.noise.kinds import NoisePlan

_FINEST = Fraction(1, 1000)
"""Rows are not made finer than this share of a query's range, however little noise there is."""


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
    )


def rows_for(question: Question, quantile: Fraction, accuracy: Fraction | None) -> tuple[int, Fraction]:
    """How many rows, and the error that they add; by default a quarter of the accuracy, as in the theorem."""
    if question.k is not None:
        return question.k, _row_error(question, question.k)
    if accuracy is None:
        most = Fraction(question.family.facts.trivial_accuracy)
        wanted = max(2 * quantile / 3, _FINEST * question.family.facts.range_width)
        left = (most - 2 * quantile) / 2  # half of what is left below an accuracy that says nothing
    else:
        wanted = accuracy / 4
        left = accuracy - 2 * quantile - GAP
    if 0 < left < wanted:
        wanted = left
    k = min(MOST_ROWS, max(1, _row_count(question, wanted)))
    return k, _row_error(question, k)


def _row_error(question: Question, k: int) -> Fraction:
    """What k rows add to the error of the density, without fail (docs/proofs/synthbounds.rows.md)."""
    facts = question.family.facts
    width = Fraction(facts.range_width)
    if question.rows == ROUNDING:
        return width * (facts.dimension + 1) / (4 * k)
    return width * enclose(lambda: (arb(4 * facts.varying).log() / (2 * k)).sqrt()).hi


def _row_count(question: Question, error: Fraction) -> int:
    """Rows that add at most this error."""
    facts = question.family.facts
    width = Fraction(facts.range_width)
    if question.rows == ROUNDING:
        return ceiling(width * (facts.dimension + 1) / (4 * error))
    return ceiling(width**2 * enclose(lambda: arb(4 * facts.varying).log()).hi / (2 * error**2))


def requirement_for(question: Question, theorem_id: str, route: str = "") -> Requirement | None:
    """The theorem's sizes for what was asked; None where nothing was asked or it does not apply."""
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
    broken = ""
    if question.accuracy is not None and accuracy > question.accuracy:
        broken = f"accuracy {shown} is promised, not {show_rational(question.accuracy)}{_asks(required)}"
    elif accuracy >= trivial:
        broken = f"accuracy {shown} is no promise: a table chosen without data is within {show_rational(trivial)}"
    return Promise(
        theorem="bojkovic2024.uniform" if required is None else required.theorem,
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
    """What is supposed of the data; that noise is drawn exactly is seen to here."""
    found = () if required is None else required.hypotheses
    texts = tuple(h.text for h in found if h.holds is None and h.text != EXACT_NOISE.text)
    if question.adjacency is Adjacency.ADD_REMOVE:
        texts += (f"the table has at least {question.size} records",)
    return texts


def _asks(required: Requirement | None) -> str:
    return "" if required is None else f"; {required.theorem} asks for {required.n:,} records"
