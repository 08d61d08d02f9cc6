"""Answers in one to three plain sentences, for people who will not read a table. Nothing is computed here.

Numbers are rounded to the side on which the sentence stays true; a guarantee that says nothing is called that first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bounds.certify.verdict import VACUOUS
from bounds.exact import show_rational
from synthbounds.render.numbers import down, enclosure_text, integer_text, up
from synthbounds.render.shared import NOTHING_EXPECTED, fewest_possible, privacy_text

if TYPE_CHECKING:
    from bounds.approximation.result import Approximation
    from bounds.enclosure import Enclosure
    from bounds.model import Theorem
    from bounds.papers import Paper
    from bounds.risk.answer import RiskAnswer
    from bounds.risk.compare import RiskRow
    from bounds.risk.query_lower_bound import QueryLowerBound
    from bounds.sizes.require import ComparisonRow
    from bounds.sizes.requirement import Requirement
    from bounds.sizes.solve_for import Inversion
    from synthbounds.api.planning import PlannedCertificate
    from synthbounds.api.statements import Explained

NO_PROMISE = "This promises nothing"
PLAN_IS_AN_ESTIMATE = "This is an estimate from a guessed table; planning spends nothing."


def sentence(command: str, answer: Any) -> str:
    """What the answer of a command says; nothing for commands whose answer is a text itself."""
    says = _SENTENCES.get(command)
    return "" if says is None or answer is None else says(answer)


def requirement_sentence(answer: Requirement) -> str:
    if answer.direction == "necessary":
        return f"No mechanism can do with fewer than {_records(answer.n)} if {_promise(answer)}."
    guarantee = answer.guarantee
    if guarantee.vacuous:
        return f"{NO_PROMISE}: {guarantee.reason}. The theorem needs {_records(answer.n)} all the same."
    said = f"{_records(answer.n)} {'is' if answer.n == 1 else 'are'} enough: {_promise(answer)}."
    return f"{said}{_limit(answer)}"


def inversion_sentence(answer: Inversion) -> str:
    value, best = show_rational(answer.value), "large" if answer.parameter == "degree" else "small"
    reached = f"With {_records(answer.n)}, {answer.parameter} can be as {best} as {value}"
    if answer.requirement.guarantee.vacuous:
        return f"{NO_PROMISE}: {answer.requirement.guarantee.reason}. {reached}."
    said = f"{reached}: {_promise(answer.requirement)}."
    if answer.neighbour is None:
        return f"{said} Nothing beyond is tried."
    asks = "no number of records" if answer.neighbour_n is None else _records(answer.neighbour_n)
    return f"{said} For {show_rational(answer.neighbour)}, {asks} would be needed."


def comparison_sentence(rows: tuple[ComparisonRow, ...]) -> str:
    applied = [(row, row.requirement) for row in rows if row.requirement is not None]
    sound = [(row, found) for row, found in applied if not row.misses and not found.guarantee.vacuous]
    if not sound:
        return (
            f"{NO_PROMISE}: each of the {len(applied)} statements that apply is vacuous or falls short of the question."
        )
    row, best = min(sound, key=lambda one: one[1].n)
    return (
        f"{_records(best.n)} are enough by {row.theorem}, {row.edition} edition, the fewest of {len(sound)} statements "
        f"that keep the promise.{_limit(best)}"
    )


def risk_sentence(answer: RiskAnswer) -> str:
    noise = answer.noise
    private = "" if noise is None else f", at {privacy_text(noise.privacy)}"
    fails = "" if noise is None else f", except with probability {up(noise.failure)}"
    if answer.vacuous:
        return f"{NO_PROMISE}: {answer.reason}."
    worse = f"the model has at most {_most(answer.bound)} more mean loss than the best of its class{fails}{private}"
    enough = ""
    if answer.solved is not None:
        enough = f"With {_records(answer.n)}, epsilon = {show_rational(answer.solved.value)} is enough: "
    elif answer.required is not None:
        least = ", the fewest that these bounds allow" if answer.required.proved_smallest else ""
        enough = f"{_records(answer.required.certificate.value)} are enough{least}: "
    elif answer.n is not None:
        enough = f"With {_records(answer.n)}, "
    said = _capital(f"{enough}{worse}.")
    if noise is not None and not noise.is_private:
        return f"{said} The noise does not give the privacy claimed for it."
    if answer.violated:
        return f"{said} An assumption does not hold here: {answer.violated[0]}."
    if noise is None and answer.floor is not None:
        return f"{said} For some data it is {down(answer.floor.value.lo)} or more."
    return said


def risk_comparison_sentence(rows: tuple[RiskRow, ...]) -> str:
    applied = [(row, row.answer) for row in rows if row.answer is not None]
    sound = [(row, found) for row, found in applied if not found.vacuous and not found.violated]
    if not sound:
        return f"{NO_PROMISE}: each of the {len(applied)} bounds that apply is vacuous or has a false assumption."
    row, best = min(sound, key=lambda one: (one[1].n or 0, one[1].bound.hi))
    sized = "" if best.n is None else f" with {_records(best.n)}"
    return (
        f"The best of {len(sound)} bounds that say something is {_most(best.bound)}{sized}, by {row.theorem}, "
        f"{row.edition} edition."
    )


def lower_sentence(report: QueryLowerBound) -> str:
    corrected = next(joint for joint in report.joint if joint.edition == "corrected")
    return f"Theorem 4.1 of zhou2024, corrected edition: {corrected.sentence.rstrip('.')}."


def plan_sentence(answer: PlannedCertificate) -> str:
    plan, question = answer.plan, answer.plan.question
    budget = f"epsilon = {show_rational(question.epsilon)}, dp-delta = {up(question.delta)}"
    given = f"with {_records(question.n)} and {budget} ({question.adjacency.value})"
    expected = f"the expected certificate is about {plan.best_est:.3g} in mean loss, which is {plan.verdict_est}"
    if plan.verdict_est == VACUOUS:
        return f"{NO_PROMISE}: {given}, {NOTHING_EXPECTED}. {PLAN_IS_AN_ESTIMATE}"
    if answer.solved is None or answer.target is None:
        return f"{_capital(given)}, {expected}. {PLAN_IS_AN_ESTIMATE}"
    what = _records(question.n) if answer.solved == "n" else f"epsilon = {show_rational(question.epsilon)}"
    aim = f"{_capital(what)} should be enough for a certificate of {show_rational(answer.target)}"
    return f"{aim}: {given}, {expected}. {PLAN_IS_AN_ESTIMATE}"


def approximation_sentence(answer: Approximation) -> str:
    question = answer.question
    ends = f"[{show_rational(question.left)}, {show_rational(question.right)}]"
    return (
        f"A polynomial of degree {answer.degree} is within {up(answer.error.hi, 6)} of {question.function.name} "
        f"everywhere on {ends}."
    )


def explained_sentence(answer: Explained) -> str:
    theorem = answer.theorem
    editions = ", ".join(edition.name for edition in theorem.editions)
    return f"{theorem.title}: {theorem.citation.locator} of {theorem.citation.paper}; editions: {editions}."


def list_sentence(found: tuple[Theorem, ...]) -> str:
    return f"{len(found):,} statements, each with its editions."


def cite_sentence(papers: tuple[Paper, ...]) -> str:
    return f"Cite {' and '.join(paper.key for paper in papers)}."


def _promise(answer: Requirement) -> str:
    guarantee = answer.guarantee
    must = "must" if answer.direction == "necessary" else "will"
    who = "" if guarantee.any_data else ", for records drawn independently from one distribution"
    return (
        f"{_queries(answer)} {must} be within {enclosure_text(guarantee.accuracy, 6)} of the truth, except with "
        f"probability {enclosure_text(guarantee.failure_probability, 6)}, at {privacy_text(guarantee.privacy)}{who}"
    )


def _queries(answer: Requirement) -> str:
    """What is asked of the table; if the queries are arbitrary, only their number is given."""
    count = f"{integer_text(answer.queries)} {'query' if answer.queries == 1 else 'queries'}"
    if answer.family == "bounded":
        return f"the answers to {count} with values in [-1, 1]"
    words = answer.queries_in_words.partition(";")[0].replace("each of one attribute", "one attribute")
    return f"{words} ({count})"


def _most(bound: Enclosure) -> str:
    """Rounded up, without zeros that carry nothing."""
    text = up(bound.hi)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def _records(n: int | None) -> str:
    return f"{integer_text(n)} record{'' if n == 1 else 's'}"


def _limit(answer: Requirement) -> str:
    return "" if answer.lower_bound is None else f" {_capital(fewest_possible(answer.lower_bound))}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sizes(answer: Requirement | Inversion) -> str:
    from bounds.sizes.solve_for import Inversion

    return inversion_sentence(answer) if isinstance(answer, Inversion) else requirement_sentence(answer)


def _compared(rows: tuple[Any, ...]) -> str:
    from bounds.sizes.require import ComparisonRow

    return comparison_sentence(rows) if isinstance(rows[0], ComparisonRow) else risk_comparison_sentence(rows)


def _risk(answer: RiskAnswer | QueryLowerBound) -> str:
    from bounds.risk.answer import RiskAnswer

    return risk_sentence(answer) if isinstance(answer, RiskAnswer) else lower_sentence(answer)


_SENTENCES: dict[str, Callable[[Any], str]] = {
    "require": _sizes,
    "compare": _compared,
    "risk": _risk,
    "certify": plan_sentence,
    "approx": approximation_sentence,
    "explain": explained_sentence,
    "list": list_sentence,
    "cite": cite_sentence,
}
