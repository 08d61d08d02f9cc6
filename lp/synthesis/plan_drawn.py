"""Plans with reference points drawn from a measure: the conditions of the theorems, checked for whole counts and codes.

The theorems are about continuous noise and cubes. Here counts are lifted by whole numbers and cells are runs of codes,
so their conditions are checked again for these. If one fails nothing is promised, and the certificate after the fact
remains.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

from flint import arb

from bounds.enclosure import as_fmpq
from bounds.privacy.adjacency import Adjacency
from bounds.sizes.requirement import Requirement
from bounds.solve import ceiling, enclose
from lp.measures.cells import MOST_CELLS
from lp.measures.draws import MOST_POINTS
from lp.measures.histogram import COVERING_ETA
from lp.measures.uniform import count_text
from lp.synthesis.plan_parts import noise_for, promise_for, requirement_for, rows_for
from lp.synthesis.question import (
    BERNSTEIN,
    FREE,
    GAP,
    GRID,
    HISTOGRAM,
    TREE,
    UNIFORM,
    Plan,
    Promise,
    Question,
    most_taken_whole,
)

_DEFAULT_POINTS = 100_000
_DEFAULT_CELLS = 4
_SAMPLED_THEOREM = {
    UNIFORM: ("synthbounds.lipschitz-uniform", "uniform, rejection"),
    HISTOGRAM: ("synthbounds.shifted-histogram", "shifted histogram"),
    GRID: ("synthbounds.lipschitz-grid", "grid, any infimum"),
    BERNSTEIN: ("bojkovic2024.kde", ""),
}
_RATIO = Fraction(9, 5)
"""Density ratio for which the shifted histogram's points are counted."""
_MOST_LIFTED = Fraction(21, 16)
"""Sum of the lifted counts over n for which the covering grid's points are counted."""
EQUAL_BINS = "every attribute is a number in equal bins (schema: range and bins), scaled to [0, 1]"


AFTER_THE_FACT = (
    "points are drawn from a tree of the noisy answers, which no theorem covers; the certificate after the fact holds"
)


def plan_drawn_points(question: Question) -> Plan:
    """The sizes of the theorem if it covers the question, else the user's, without a promise."""
    if question.measure == TREE:
        return _without_promise(question, None, AFTER_THE_FACT)
    required = requirement_for(question, *_SAMPLED_THEOREM[question.measure])
    reason = _why_not(question, required)
    if reason:
        return _without_promise(question, required, reason)
    assert required is not None
    assert required.m is not None
    assert question.accuracy is not None
    derived = {d.name: d.enclosure.hi for d in required.derived}
    gamma = question.failure / 4
    measure_gamma = gamma / 2 if question.measure == GRID else gamma  # a grid spends it on noise and on counts
    spent, cells = Fraction(0), None
    if question.measure != UNIFORM:
        cells = _cells(question, derived)
        needed = _measure_epsilon(question, prod(cells), measure_gamma)
        if needed is None or needed >= question.epsilon:
            few = f"n = {question.size}: too few records for a private histogram of {count_text(prod(cells))} cells"
            return _without_promise(question, required, few)
        spent = needed
    noise_failure = gamma if question.measure == GRID else 2 * gamma
    noise = noise_for(question, question.epsilon - spent, noise_failure)
    # Reference points are counted for an error of range * delta.
    points = question.family.facts.range_width * question.accuracy / 8
    records = Fraction(0) if required.guarantee.any_data else _record_error(question, gamma)
    m = max(question.m or 0, required.m)
    made = rows_for(question, noise.quantile, points=m, distance=points + records)
    accuracy = points + records + 2 * noise.quantile + made.slack + made.error + GAP
    more = () if required.guarantee.any_data else (EQUAL_BINS,)
    return Plan(
        question=question,
        measure_epsilon=spent,
        noise=noise,
        m=m,
        k=made.k,
        rows=made.rows,
        rows_reason=made.reason,
        row_error=made.error,
        gamma=measure_gamma,
        cells_per_axis=cells if question.measure == GRID else None,
        promise=promise_for(
            question, required, accuracy, route=required.route, any_data=required.guarantee.any_data, more=more
        ),
    )


def _without_promise(question: Question, required: Requirement | None, reason: str) -> Plan:
    share = Fraction(0) if question.measure in FREE else Fraction(1, 2)
    noise = noise_for(question, question.epsilon * (1 - share), question.failure)
    m = question.m or _DEFAULT_POINTS
    made = rows_for(question, noise.quantile, points=m, distance=Fraction(0))
    per_axis = None
    if question.measure == GRID:
        per_axis = tuple(min(question.cells_per_axis or _DEFAULT_CELLS, size) for size in question.domain.sizes)
    return Plan(
        question=question,
        measure_epsilon=question.epsilon * share,
        noise=noise,
        m=m,
        k=made.k,
        rows=made.rows,
        rows_reason=made.reason,
        row_error=made.error,
        gamma=question.failure / 4,
        cells_per_axis=per_axis,
        promise=Promise(
            theorem=None if required is None else required.theorem,
            route="points drawn from the measure",
            accuracy=None,
            failure=question.failure,
            any_data=False,
            asked=question.accuracy,
            required_size=None if required is None else required.n,
            broken=reason,
        ),
    )


def _cells(question: Question, derived: dict[str, Fraction]) -> tuple[int, ...]:
    """Cells on each axis: the points, or on a grid at least as many as the theorem requires, all equally wide.

    If an attribute has fewer codes than that, its codes are the cells, and nothing varies inside a cell.
    """
    sizes = question.domain.sizes
    if question.measure == HISTOGRAM:
        return sizes
    least = ceiling(derived["cells_per_axis"])
    return tuple(next(q for q in range(min(least, size), size + 1) if size % q == 0) for size in sizes)


def _measure_epsilon(question: Question, cells: int, gamma: Fraction) -> Fraction | None:
    """The least epsilon with which whole counts, lifted enough, keep the theorem's bound on the measure.

    The lift is ceil(scale log(cells/gamma)); it may be at most what the bound on the density ratio, or on the sum of
    the lifted counts, leaves for it.
    """
    if cells > MOST_CELLS:
        return None
    log = enclose(lambda: arb(as_fmpq(cells / gamma)).log()).hi
    if question.measure == HISTOGRAM:
        most = (_RATIO - 1) * question.size / (2 * cells)
    else:
        most = ((_MOST_LIFTED - 1) * question.size / cells - ceiling(log / (2 * COVERING_ETA))) / 2
    lift = most.numerator // most.denominator
    if lift < 1:
        return None
    moved = 2 if question.adjacency is Adjacency.REPLACE_ONE else 1
    return Fraction(ceiling(10**9 * moved * log / lift), 10**9)


def _record_error(question: Question, gamma: Fraction) -> Fraction:
    """Hoeffding's bound on the difference of the records and their distribution."""
    facts, n = question.family.facts, question.size
    log = enclose(lambda: (arb(as_fmpq(2 * facts.varying / gamma)).log() / (2 * n)).sqrt()).hi
    return Fraction(facts.range_width) * log


def _why_not(question: Question, required: Requirement | None) -> str:
    """Why points drawn from the measure carry no promise; empty if the theorem covers them."""
    if question.measure == BERNSTEIN:
        return "no theorem bounds the Bernstein measure with these settings; the certificate after the fact holds"
    if question.measure == UNIFORM and question.lipschitz is None:
        if question.m is not None:
            return (
                f"m = {question.m}: no theorem covers points drawn uniformly from part of a domain without --lipschitz"
            )
        most = most_taken_whole(question.domain)
        return (
            f"the domain has {count_text(question.domain.size)} points, above the {most} that are taken whole, and no "
            "theorem covers points drawn from it uniformly without --lipschitz"
        )
    if question.accuracy is None:
        return "points are drawn from a measure: give --accuracy, so that the theorem can say how many"
    if required is None:
        needs = " without --lipschitz" if question.measure == GRID and question.lipschitz is None else ""
        return f"no theorem covers points drawn from the {question.measure} measure here{needs}"
    if not _is_as_proved(question):
        return f"{required.theorem} is about another variant or grid of the measure"
    if required.n > question.size:
        return f"n = {question.size}: {required.theorem} asks for {required.n:,} records"
    if question.m is not None and question.m < (required.m or 0):
        return f"m = {question.m}: {required.theorem} asks for {required.m:,} points"
    if (required.m or 0) > MOST_POINTS:
        return f"{required.theorem} asks for m = {required.m:,} points, above the {MOST_POINTS} that are drawn at most"
    return ""


def _is_as_proved(question: Question) -> bool:
    """Whether the measure is the one of the theorem; other variants are for study."""
    proved = {UNIFORM: None, HISTOGRAM: "shifted", GRID: "covering"}[question.measure]
    return question.variant in (None, proved) and question.cells_per_axis is None
