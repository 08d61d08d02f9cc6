"""Before any budget is spent: how epsilon is divided, which noise, how many points and rows, and what is promised.

The promise in advance comes from the theorems of `bounds`, evaluated for the noise that will really be drawn. Nothing
here looks at the data beyond their number, and under add-remove not even at that.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from flint import arb

from bounds.enclosure import as_fmpq
from bounds.errors import NotApplicable, ParameterError, UsageError
from bounds.evaluate import evaluate
from bounds.exact import show_rational
from bounds.pieces.promises import EXACT_NOISE
from bounds.privacy.adjacency import Adjacency
from bounds.registry import find_theorem
from bounds.requirement import Requirement
from bounds.setting import Setting
from bounds.solve import ceiling, enclose
from lp.measures.uniform import count_text
from lp.noise.choice import choose_noise
from lp.noise.plan import NoisePlan
from lp.question import (
    BERNSTEIN,
    ENTROPY_SLACK,
    GAP,
    GRID,
    HISTOGRAM,
    MEASURES,
    MOST_ROWS,
    ROUNDING,
    ROWS,
    SAMPLING,
    UNIFORM,
    Plan,
    Promise,
    Question,
)

_DEFAULT_POINTS = 100_000


def plan_synthesis(question: Question) -> Plan:
    """Divide the budget, choose noise and sizes, and say what they promise."""
    if question.measure not in MEASURES:
        raise ParameterError("measure", question.measure, "one of " + ", ".join(MEASURES))
    if question.rows not in ROWS:
        raise ParameterError("rows", question.rows, "one of " + ", ".join(ROWS))
    if question.takes_every_point:
        return _every_point(question)
    return _drawn_points(question)


def _every_point(question: Question) -> Plan:
    noise = _noise(question, question.epsilon, question.failure)
    k, row_error = _rows(question, noise.quantile, question.accuracy)
    slack = 2 * ENTROPY_SLACK * noise.quantile if question.rows == SAMPLING else Fraction(0)
    accuracy = 2 * noise.quantile + slack + row_error + GAP
    required = _requirement(question, "bojkovic2024.uniform")
    return Plan(
        question=question,
        measure_epsilon=Fraction(0),
        noise=noise,
        m=None,
        k=k,
        row_error=row_error,
        gamma=Fraction(0),
        cells_per_axis=None,
        promise=_promise(question, required, accuracy, route="every point of the domain", any_data=True),
    )


def _drawn_points(question: Question) -> Plan:
    """Points from a measure: the sizes of the theorem if it covers the question, else the user's, without a promise."""
    required = _requirement(question, *_SAMPLED_THEOREM[question.measure])
    covered = required is not None and required.n <= question.size and _is_as_proved(question)
    if not covered:
        return _without_promise(question, required)
    assert required is not None
    assert question.accuracy is not None
    derived = {d.name: d.enclosure.hi for d in required.derived}
    gamma = question.failure / 4
    share = _measure_share(question, derived)
    noise_failure = {UNIFORM: 2 * gamma, HISTOGRAM: 2 * gamma, GRID: gamma}[question.measure]
    noise = _noise(question, question.epsilon * (1 - share), noise_failure)
    k, row_error = _rows(question, noise.quantile, question.accuracy)
    # Reference points are counted for an error of range * delta; the records' own sampling error is what the
    # theorem's n leaves of the budget.
    delta = question.accuracy / 8
    points = question.family.facts.range_width * delta
    records = Fraction(0) if required.guarantee.any_data else _record_error(question, gamma)
    accuracy = points + records + 2 * noise.quantile + row_error + GAP
    return Plan(
        question=question,
        measure_epsilon=question.epsilon * share,
        noise=noise,
        m=max(question.m or 0, required.m or 0),
        k=k,
        row_error=row_error,
        gamma=gamma,
        cells_per_axis=ceiling(derived["cells_per_axis"]) if "cells_per_axis" in derived else None,
        promise=_promise(question, required, accuracy, route=required.route, any_data=required.guarantee.any_data),
    )


def _without_promise(question: Question, required: Requirement | None) -> Plan:
    private_measure = question.measure != UNIFORM
    share = Fraction(1, 2) if private_measure else Fraction(0)
    noise = _noise(question, question.epsilon * (1 - share), question.failure)
    k, row_error = _rows(question, noise.quantile, question.accuracy)
    return Plan(
        question=question,
        measure_epsilon=question.epsilon * share,
        noise=noise,
        m=question.m or _DEFAULT_POINTS,
        k=k,
        row_error=row_error,
        gamma=question.failure / 4,
        cells_per_axis=None,
        promise=Promise(
            theorem=None if required is None else required.theorem,
            route="points drawn from the measure",
            accuracy=None,
            failure=question.failure,
            any_data=False,
            asked=question.accuracy,
            required_size=None if required is None else required.n,
            broken=_why_not(question, required),
        ),
    )


_SAMPLED_THEOREM = {
    UNIFORM: ("synthbounds.lipschitz-uniform", "uniform, rejection"),
    HISTOGRAM: ("synthbounds.shifted-histogram", "shifted histogram"),
    GRID: ("synthbounds.lipschitz-grid", "grid, any infimum"),
    BERNSTEIN: ("bojkovic2024.kde", ""),
}


def _is_as_proved(question: Question) -> bool:
    """Whether the measure is the one of the theorem; other variants are for study."""
    proved = {UNIFORM: None, HISTOGRAM: "shifted", GRID: "covering", BERNSTEIN: "-"}[question.measure]
    return question.rows == ROUNDING and question.variant in (None, proved) and question.measure != BERNSTEIN


def _measure_share(question: Question, derived: dict[str, Fraction]) -> Fraction:
    """The share of epsilon that the measure gets, in the theorem's proportion, as a number of few digits."""
    if question.measure == UNIFORM:
        return Fraction(0)
    if question.measure == HISTOGRAM:
        measure, answers = derived["c_histogram"], derived["c_noise"]
    else:
        moved = 2 if question.adjacency is Adjacency.REPLACE_ONE else 1
        measure = 8 * moved * derived["occupied_cells"] * derived["log_cells"]
        answers = 2 * derived["Q"] / derived["budget"]
    return max(Fraction(1, 100), (measure / (measure + answers)).limit_denominator(100))


def _record_error(question: Question, gamma: Fraction) -> Fraction:
    """Hoeffding's bound on the difference of the records and their distribution."""
    facts, n = question.family.facts, question.size
    log = enclose(lambda: (arb(as_fmpq(2 * facts.varying / gamma)).log() / (2 * n)).sqrt()).hi
    return Fraction(facts.range_width) * log


def _noise(question: Question, epsilon: Fraction, beta: Fraction) -> NoisePlan:
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


def _rows(question: Question, quantile: Fraction, accuracy: Fraction | None) -> tuple[int, Fraction]:
    """How many rows, and the error that they add; by default a quarter of the accuracy, as in the theorem."""
    if question.k is not None:
        return question.k, _row_error(question, question.k)
    wanted = 2 * quantile / 3
    if accuracy is not None:
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


def _requirement(question: Question, theorem_id: str, route: str = "") -> Requirement | None:
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


def _promise(
    question: Question, required: Requirement | None, accuracy: Fraction, *, route: str, any_data: bool
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
        hypotheses=_left_to_the_user(required),
    )


def _left_to_the_user(required: Requirement | None) -> tuple[str, ...]:
    """What the theorem supposes of the data; that noise is drawn exactly is seen to here."""
    if required is None:
        return ()
    return tuple(h.text for h in required.hypotheses if h.holds is None and h.text != EXACT_NOISE.text)


def _asks(required: Requirement | None) -> str:
    return "" if required is None else f"; {required.theorem} asks for {required.n:,} records"


def _why_not(question: Question, required: Requirement | None) -> str:
    """Why points drawn from the measure carry no promise."""
    if question.measure == BERNSTEIN:
        return "no theorem bounds the Bernstein measure with these settings; the certificate after the fact holds"
    if question.measure == UNIFORM and question.lipschitz is None:
        if question.m is not None:
            return (
                f"m = {question.m}: no theorem covers points drawn uniformly from part of a domain without --lipschitz"
            )
        return (
            f"the domain has {count_text(question.domain.size)} points, above the {question.most_taken_whole} that are "
            "taken whole, and no theorem covers points drawn from it uniformly without --lipschitz"
        )
    if question.accuracy is None:
        return "points are drawn from a measure: give --accuracy, so that the theorem can say how many"
    if required is None:
        needs = " without --lipschitz" if question.measure == GRID and question.lipschitz is None else ""
        return f"no theorem covers points drawn from the {question.measure} measure here{needs}"
    if not _is_as_proved(question):
        return f"{required.theorem} is about another variant of the measure, or rows by rounding"
    return f"n = {question.size}: {required.theorem} asks for {required.n:,} records"
