"""What every answer by a theorem says in the same words: where it comes from, what it assumes, what changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bounds.papers import find_paper
from bounds.sizes.requirement import HypothesisResult, LowerBound, PrivacyStatement
from synthbounds.render.document import Bullets, Facts
from synthbounds.render.numbers import enclosure_text, integer_text

NOTHING_EXPECTED = "the expected certificate is no smaller than what holds for any model without any data"


class ByTheorem(Protocol):
    """An answer by one edition of one theorem."""

    @property
    def theorem(self) -> str: ...
    @property
    def paper(self) -> str: ...
    @property
    def locator(self) -> str: ...
    @property
    def edition(self) -> str: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def proof(self) -> str: ...


def provenance(answer: ByTheorem, as_printed: str) -> str:
    """One line on who states this; `as_printed` says how a printed edition was read."""
    if answer.paper == "synthbounds":
        return f"{answer.theorem}, proved here"
    if answer.edition == "printed":
        return f"{answer.theorem}: {answer.locator} of {answer.paper}{as_printed}"
    verb = "repairs" if answer.edition == "corrected" else "improves on"
    return f"{answer.theorem}: proved here, {verb} {answer.locator} of {answer.paper}"


def remarks(answer: ByTheorem) -> Bullets:
    printed = answer.edition == "printed"
    heading = "Choices and remarks" if printed else "What changed against the paper"
    return Bullets("Remarks" if answer.paper == "synthbounds" else heading, answer.notes)


def hypotheses(results: Sequence[HypothesisResult]) -> Facts:
    def state(h: HypothesisResult) -> str:
        return "asserted by you" if h.kind == "asserted" else ("holds" if h.holds else "VIOLATED")

    rows = tuple((state(h), h.text + (f" ({h.why})" if h.holds is False and h.why else "")) for h in results)
    return Facts(rows, title="Hypotheses")


def source(answer: ByTheorem, certified: str) -> Facts:
    rows = []
    if answer.paper != "synthbounds":
        reference = find_paper(answer.paper).reference
        rows.append(("Source", reference if answer.edition == "printed" else f"{reference}; this edition is ours"))
    if answer.proof:
        rows.append(("Proof", f"docs/proofs/{answer.proof}.md"))
    rows.append(("Certified", certified))
    return Facts(tuple(rows), title="Where it comes from")


def budget_text(privacy: PrivacyStatement) -> str:
    """The numbers of a privacy statement."""
    epsilon = f"epsilon = {enclosure_text(privacy.epsilon, 8)}"
    return epsilon if privacy.dp_delta is None else f"{epsilon}, dp-delta = {enclosure_text(privacy.dp_delta, 8)}"


def privacy_text(privacy: PrivacyStatement) -> str:
    """The same with the rest that every privacy statement needs."""
    size = "n is public" if privacy.least_public_size is None else "n is private"
    return f"{budget_text(privacy)} ({privacy.adjacency.value}; {size})"


def fewest_possible(bound: LowerBound) -> str:
    return f"no mechanism can do with fewer than {integer_text(bound.n)} records"
