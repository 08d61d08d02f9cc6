"""From a question about excess risk to its answer: the theorem, the bound, the smallest n or epsilon."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from bounds.enclosure import Enclosure
from bounds.errors import NotApplicable, NotCertified, UsageError
from bounds.exact import show_rational
from bounds.model import Theorem
from bounds.registry import find_theorem
from bounds.requirement import HypothesisResult
from bounds.risk.answer import Noise, Required, RiskAnswer, RouteValue, SolvedEpsilon
from bounds.risk.closed_form import closed_form, closed_form_target
from bounds.risk.floor import floor_of
from bounds.risk.moments import moments_answer, moments_target
from bounds.risk.question import RiskQuestion, build_question
from bounds.risk.release import marginal_release, nu_of, require_replace_one
from bounds.risk.sharp import RiskBound, best_bounds
from bounds.risk.smallest_epsilon import smallest_decimal, unit_below
from bounds.risk.tables import Tables
from bounds.risk.target import largest_distance, sharp_target, tables_to_try

MOMENTS_ID = "synthbounds.noisy-moments"
FAMILIES = ("zhou2024.lipschitz", "zhou2024.logistic")
_MOST_WORSE = 2
"""Higher orders are given up after so many in a row that were worse."""
_ORDERS_FOR_EPSILON = 8


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
    if question.private:
        assert question.epsilon is not None
        return _best_tables(question, theorem, question.epsilon)
    return _answer(question, theorem, Tables(question.features, question.order or 2), question.n)


def theorem_for(question: RiskQuestion) -> Theorem:
    """The statement of the paper that answers: for the logistic loss or any other, for given or private marginals."""
    if question.release == "moments":
        if question.theorem not in ("", MOMENTS_ID):
            raise UsageError(f"theorem = {question.theorem[:60]}: moments are for {MOMENTS_ID}")
        return find_theorem(MOMENTS_ID)
    family = "zhou2024.logistic" if question.loss.is_logistic else "zhou2024.lipschitz"
    if question.theorem:
        known = find_theorem(question.theorem).id
        family = known.removesuffix("-private")
        if family not in FAMILIES:
            allowed = ", ".join((*FAMILIES, "zhou2024.lower"))
            raise UsageError(f"theorem = {known}: it does not bound excess risk here; those that do are {allowed}")
        if known.endswith("-private") and not question.private:
            raise UsageError(f"theorem = {known}: it needs private marginals, --epsilon instead of --marginal-error")
    if family == "zhou2024.logistic" and not question.loss.is_logistic:
        raise NotApplicable(
            f"loss = {question.loss.question.function.name[:60]}: zhou2024.logistic is for the logistic loss"
        )
    return find_theorem(f"{family}-private" if question.private else family)


def _answer(
    question: RiskQuestion,
    theorem: Theorem,
    tables: Tables,
    n: int | None,
    *,
    epsilon: Fraction | None = None,
    required: Required | None = None,
    solved: SolvedEpsilon | None = None,
) -> RiskAnswer:
    """The bound at decided sizes."""
    epsilon = question.epsilon if epsilon is None else epsilon
    noise: Noise | None = None
    distance: Enclosure | None
    if question.release == "moments":
        assert n is not None
        assert epsilon is not None
        best, noise = moments_answer(question, n, epsilon)
        bounds, distance, hypotheses = [best], None, _asserted(theorem)
    else:
        if question.private:
            assert n is not None
            assert epsilon is not None
            noise = marginal_release(question, tables, epsilon)
            nu = nu_of(question, tables, epsilon)
            distance = Enclosure(nu.lo / n, nu.hi / n)
        else:
            assert question.marginal_error is not None
            distance = Enclosure.of(question.marginal_error)
        bounds, hypotheses = _bounds(question, theorem, tables, n, epsilon, distance)
    best = bounds[0]
    trivial = question.loss.oscillation
    vacuous = best.value.hi >= trivial.lo
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
        noise=noise,
        required=required,
        solved=solved,
        floor=floor_of(
            question.loss,
            degree=tables.degree,
            distance=distance,
            knows_everything=question.release == "marginals" and tables.hold_everything,
        ),
        others=(*(RouteValue(b.route, b.value) for b in bounds[1:]), *_moments_instead(question, n, epsilon, required)),
        hypotheses=hypotheses,
        notes=edition.changes,
        proof=best.proof if question.edition == "sharp" else edition.proof,
    )


def _moments_instead(
    question: RiskQuestion, n: int | None, epsilon: Fraction | None, required: Required | None
) -> tuple[RouteValue, ...]:
    """What moments would give in place of private marginals, where features can be -1 and 1."""
    applies = question.private and question.release == "marginals" and question.levels == 2 and not question.intercept
    if not applies or question.edition != "sharp" or n is None or epsilon is None or question.approximation is not None:
        return ()
    try:
        if required is not None:
            records = moments_target(question, epsilon).certificate.value
            return (RouteValue(MOMENTS_ID, None, f"n = {records:,} if every feature is -1 or 1 (--release moments)"),)
        return (RouteValue(MOMENTS_ID, moments_answer(question, n, epsilon)[0].value, "if every feature is -1 or 1"),)
    except (NotApplicable, NotCertified) as error:
        return (RouteValue(MOMENTS_ID, None, str(error)),)


def _vacuous_reason(best: RiskBound, trivial: Enclosure) -> str:
    most = trivial.decimal(6)[1]
    if best.route == "no data":
        return f"no bound is below {most}, which any two models differ by at most"
    return f"any two models differ by at most {most}"


def _bounds(
    question: RiskQuestion,
    theorem: Theorem,
    tables: Tables,
    n: int | None,
    epsilon: Fraction | None,
    distance: Enclosure,
) -> tuple[list[RiskBound], tuple[HypothesisResult, ...]]:
    if question.edition != "sharp":
        return closed_form(question, theorem, tables.order, n, epsilon)
    bounds = best_bounds(question.loss, tables, distance, gap=question.gap, approximation=question.approximation)
    return bounds, _asserted(theorem)


def _asserted(theorem: Theorem) -> tuple[HypothesisResult, ...]:
    """What the user has to know of the data; the engine checks the rest."""
    texts = ["features lie in [-1, 1] and labels are -1 or 1", "every model has |<w, x>| at most R on every record"]
    if theorem.id == MOMENTS_ID:
        texts = [h.text for h in theorem.editions[0].routes[0].hypotheses if h.holds is None]
    elif theorem.id.endswith("-private"):
        texts.append("the synthetic data have n records and minimise the largest L1 distance to the noisy marginals")
    return tuple(HypothesisResult(text, "asserted", None) for text in texts)


def _best_tables(
    question: RiskQuestion, theorem: Theorem, epsilon: Fraction, solved: SolvedEpsilon | None = None
) -> RiskAnswer:
    """The given order, or every even one and all attributes at once, unless the noise alone makes it hopeless."""
    assert question.n is not None
    best: RiskAnswer | None = None
    worse = 0
    for tables in (Tables(question.features, 2),) if question.release == "moments" else tables_to_try(question):
        if best is not None:
            # a bound with s has a marginal term of at least s times the oscillation, in every edition
            least = nu_of(question, tables, epsilon).lo / question.n * question.loss.oscillation.lo
            if least >= best.bound.hi or (worse >= _MOST_WORSE and not tables.hold_everything):
                continue
        answer = _answer(question, theorem, tables, question.n, epsilon=epsilon, solved=solved)
        if best is None or answer.bound.hi < best.bound.hi:
            best, worse = answer, 0
        else:
            worse += 1
    assert best is not None
    return best


def _targeted(question: RiskQuestion, theorem: Theorem) -> RiskAnswer:
    assert question.epsilon is not None
    if question.release == "moments":
        required = moments_target(question, question.epsilon)
    elif question.edition == "sharp":
        required = sharp_target(question, question.epsilon)
    else:
        required = closed_form_target(question, theorem)
    tables = min(required.orders, key=lambda t: (t.n is None, t.n or 0)).tables
    return _answer(question, theorem, tables, required.certificate.value, required=required)


def _solved(question: RiskQuestion, theorem: Theorem) -> RiskAnswer:
    assert question.n is not None
    assert question.target is not None
    target = question.target

    def reaches(epsilon: Fraction) -> bool:
        if question.edition == "sharp":
            return _best_tables(question, theorem, epsilon).bound.hi <= target
        tried = (closed_form(question, theorem, t.order, question.n, epsilon, check=False)[0][0] for t in few)
        return any(bound.value.hi <= target for bound in tried)

    few = tables_to_try(question)[:_ORDERS_FOR_EPSILON]
    quick = _quickly(question) if question.edition == "sharp" and question.release == "marginals" else reaches
    value = smallest_decimal(quick)
    if value is None:
        raise NotApplicable(
            f"target = {show_rational(target)}: {question.n} records do not reach it with any epsilon up to 1000"
        )
    while reaches(unit_below(value)):  # the quick test may miss the last digit
        value = unit_below(value)
    neighbour = unit_below(value)
    beside = _best_tables(question, theorem, neighbour).bound
    return _best_tables(question, theorem, value, SolvedEpsilon(value, neighbour, beside))


def _quickly(question: RiskQuestion) -> Callable[[Fraction], bool]:
    """Does the noise keep the marginals within what the target allows, for some order?"""
    assert question.n is not None
    n = question.n
    allowed = [(tables, largest_distance(question, tables)) for tables in tables_to_try(question)[:_ORDERS_FOR_EPSILON]]
    useful = [(tables, s) for tables, s in allowed if s is not None]
    return lambda epsilon: any(nu_of(question, tables, epsilon).hi <= s * n for tables, s in useful)
