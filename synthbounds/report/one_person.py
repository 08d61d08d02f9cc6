"""What the privacy of a release means for one person: the part of a report that needs no other knowledge."""

from __future__ import annotations

from fractions import Fraction

from bounds.enclosure import Enclosure
from bounds.exact import show_rational
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.meaning import MOST_EPSILON, meaning
from bounds.privacy.statements import DP, ZCDP, GaussianDP
from synthbounds.render.meaning import factor_words, meaning_words, suspicion_words
from synthbounds.render.numbers import up
from synthbounds.report.sheet import OnePerson

NOT_PROTECTED = (
    "This is about one record. Facts about everybody, such as that smokers fall ill more often, can be learned from "
    "the release whether or not this person is in it; and someone with several records, or in several releases, is "
    "protected less, as the numbers add up."
)
_SIMULATED = "A simulation protects nobody; this is what a release would mean. "
_WORST_CASE = " This is the worst case for any noise with this epsilon; the release states its own limit"
_OFTEN_LOWER = ", which is usually much lower with Gaussian noise"
_NO_LIMIT = "Epsilon is so large that it protects nobody: treat the records as published."


def one_person(cost: Ledger | DP, *, is_simulated: bool = False) -> OnePerson | None:
    """By the ledger of a release, at its total: what is reserved is counted as if it were spent.

    None for a ledger that counts mu^2 or rho without saying for which epsilon and delta.
    """
    privacy = cost if isinstance(cost, DP) else stated_privacy(cost)
    if privacy is None:
        return None
    basis = f"{privacy.text()}, {_public(privacy)}"
    if privacy.epsilon.hi > MOST_EPSILON:
        return OnePerson((_NO_LIMIT,), 1, basis)
    found = meaning(privacy, _also(cost) if isinstance(cost, Ledger) else None)
    first = f"{_SIMULATED if is_simulated else ''}{meaning_words(found)}"
    if isinstance(cost, DP):  # a plan, which does not know the noise
        first += f"{_WORST_CASE}{'' if privacy.is_pure else _OFTEN_LOWER}."
    sentences = (first, suspicion_words(found), factor_words(found), NOT_PROTECTED)
    return OnePerson(tuple(said for said in sentences if said), found.best_guess.hi, basis)


def stated_privacy(ledger: Ledger) -> DP | None:
    """The (epsilon, delta) that the whole ledger is for."""
    if ledger.target is not None:
        return ledger.target
    total = ledger.statement(ledger.total, ledger.dp_delta)
    return total if isinstance(total, DP) else None


def stated(epsilon: Fraction, dp_delta: Fraction | None, adjacency: Adjacency) -> DP:
    """Exact numbers as a statement; None is no delta at all."""
    delta = Enclosure.of(Fraction(0) if dp_delta is None else dp_delta)
    return DP(epsilon=Enclosure.of(epsilon), delta=delta, adjacency=adjacency)


def epsilon_text(privacy: DP) -> str:
    """The part of the budget that people are told; delta is for experts."""
    return show_rational(privacy.epsilon.hi)


def budget_text(privacy: DP) -> str:
    """The budget by the names that the command line has for it."""
    epsilon = f"epsilon = {epsilon_text(privacy)}"
    return epsilon if privacy.is_pure else f"{epsilon}, delta = {up(privacy.delta.hi, 6)}"  # as the guarantee has it


def _also(ledger: Ledger) -> GaussianDP | ZCDP | None:
    total = ledger.statement(ledger.total, ledger.dp_delta)
    return None if isinstance(total, DP) else total


def _public(privacy: DP) -> str:
    if privacy.adjacency.value == "replace-one":
        return "which compares tables that differ in one record; the number of records is public"
    return "which compares tables with and without one record; the number of records is protected, too"
