"""The answer around a bound: what it rests on, what else applies, and how far it can be from the truth."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from bounds.enclosure import Enclosure, integer_text
from bounds.errors import NotApplicable, NotCertified
from bounds.model import Theorem
from bounds.risk.answer import Noise, Required, RiskAnswer, RouteValue, SolvedEpsilon
from bounds.risk.closed_form import checked_hypotheses
from bounds.risk.floor import Floor, floor_of
from bounds.risk.moments import MOMENTS_ID, moments_choice, moments_noise, moments_target
from bounds.risk.private_marginals import marginal_release
from bounds.risk.question import RiskQuestion
from bounds.risk.search import Found, distance_at
from bounds.risk.sharp import RiskBound
from bounds.sizes.requirement import HypothesisResult

_MINIMISER = "the synthetic data have n records and minimise the largest L1 distance to the noisy marginals"

_IF_MOMENTS = "if every feature is -1 or 1 and |w|_2 <= R/sqrt m (--release moments)"


def report(
    question: RiskQuestion,
    theorem: Theorem,
    found: Found,
    *,
    n: int | None,
    epsilon: Fraction | None,
    required: Required | None = None,
    solved: SolvedEpsilon | None = None,
) -> RiskAnswer:
    """Everything there is to say about the bound that was found."""
    best, tables = found.bounds[0], found.tables
    moments = question.release == "moments"
    distance = None if moments else distance_at(question, tables, n=n, epsilon=epsilon)
    trivial = question.loss.oscillation
    vacuous = best.value.hi >= trivial.lo and trivial.hi > 0
    edition = theorem.edition(question.edition)
    assert edition is not None
    return RiskAnswer(
        question=question,
        theorem=theorem.id,
        title=theorem.title,
        locator=theorem.citation.locator,
        paper=theorem.citation.paper,
        edition=question.edition,
        route=best.route,
        tables=tables,
        n=n,
        marginal_error=distance,
        bound=best.value,
        parts=best.parts,
        polynomial=best.polynomial,
        tilt=best.tilt,
        trivial=trivial,
        vacuous=vacuous,
        reason=_vacuous_reason(best, trivial) if vacuous else "",
        noise=_noise(question, found, n, epsilon),
        required=required,
        solved=solved,
        floor=_floor(question, found, distance),
        find_others=partial(_others, question, found, n, epsilon, required),
        hypotheses=_hypotheses(question, theorem, found, epsilon),
        notes=edition.changes,
        proof=best.proof if question.edition == "sharp" else edition.proof,
    )


def _vacuous_reason(best: RiskBound, trivial: Enclosure) -> str:
    most = trivial.decimal(6)[1]
    if best.route == "no data":
        return f"no bound is below {most}, which any two models differ by at most"
    return f"any two models differ by at most {most}"


def _noise(question: RiskQuestion, found: Found, n: int | None, epsilon: Fraction | None) -> Noise | None:
    if not question.private:
        return None
    assert n is not None
    assert epsilon is not None
    if question.release == "moments":
        return moments_noise(question, moments_choice(question, n=n, epsilon=epsilon))
    return marginal_release(question, found.tables, epsilon)


def _floor(question: RiskQuestion, found: Found, distance: Enclosure | None) -> Floor | None:
    """The constructions have no intercept; with two levels a record that moves no model needs an even m."""
    if question.intercept:
        return None
    two_levels = question.private and question.levels == 2
    return floor_of(
        question.loss,
        degree=found.tables.degree,
        features=question.features,
        distance=None if two_levels and question.features % 2 else distance,
        knows_everything=question.release == "marginals" and found.tables.hold_all_features,
    )


def _hypotheses(
    question: RiskQuestion, theorem: Theorem, found: Found, epsilon: Fraction | None
) -> tuple[HypothesisResult, ...]:
    """What was checked, and what the user must know about data and models."""
    texts = ["features lie in [-1, 1] and labels are -1 or 1"]
    if question.release == "moments":
        texts = ["every feature is -1 or 1", "every model has |w|_2 at most tau = R/sqrt m"]
        texts.append("the synthetic data have n records and minimise the largest distance of the polynomial risk")
    else:
        bias = " with the size of its intercept" if question.intercept else ""
        texts.append(f"every model has |w|_1{bias} at most R, as |w|_2 <= tau implies for R = tau sqrt m")
        if question.private:
            domain = "from a domain that does not depend on the data"
            texts.append(f"every feature has at most {question.levels} values, {domain}")
            texts.append(_MINIMISER)
    if found.bounds[0].route == "quadratic bias":
        texts.append("the set of models is convex, as a ball is")
    if question.gap == 0:
        texts.append("the model is an exact minimiser on the synthetic data: its optimisation gap is 0")
    asserted = tuple(HypothesisResult(text, "asserted", None) for text in texts)
    if question.edition == "sharp":
        return asserted
    checked = checked_hypotheses(question, theorem, found.tables.order, epsilon=epsilon)
    return (*(h for h in checked if h.kind == "checked"), *asserted)


def _others(
    question: RiskQuestion, found: Found, n: int | None, epsilon: Fraction | None, required: Required | None
) -> tuple[RouteValue, ...]:
    beside = (RouteValue(bound.route, bound.value) for bound in found.bounds[1:])
    return (*beside, *_moments_instead(question, n, epsilon, required))


def _moments_instead(
    question: RiskQuestion, n: int | None, epsilon: Fraction | None, required: Required | None
) -> tuple[RouteValue, ...]:
    """What moments would give instead of private marginals, if features can be -1 and 1."""
    applies = question.private and question.release == "marginals" and question.levels == 2 and not question.intercept
    if not applies or question.edition != "sharp" or n is None or epsilon is None or question.approximation is not None:
        return ()
    try:
        if required is not None:
            records = moments_target(question, epsilon).certificate.value
            return (RouteValue(MOMENTS_ID, None, f"n = {integer_text(records)} {_IF_MOMENTS}"),)
        value = moments_choice(question, n=n, epsilon=epsilon).bound.value
        return (RouteValue(MOMENTS_ID, value, _IF_MOMENTS),)
    except (NotApplicable, NotCertified) as error:
        return (RouteValue(MOMENTS_ID, None, str(error)),)
