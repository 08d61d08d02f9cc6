"""How many findings the ledger has, counted from the claims: roots, not entries, with slips apart from substance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from verify.claim import Claim, Severity, Verdict

OURS = "synthbounds"
"""The key of our own statements, which are not a paper and are counted separately."""
OPEN = (Verdict.OPEN, Verdict.UNDECIDABLE)
HEAD = ("claims", "findings", "of substance", "slips", "depend on a reading", "repeats", "open")
RULE = (
    "A verdict follows from logic alone. A statement with a counterexample within the hypotheses that the paper "
    "states, and a printed formula or number that is false, are refuted. Two places that say different things are "
    "inconsistent. A statement that is true under a condition which the paper states elsewhere, or which any reader of "
    "the field takes for granted, holds with conditions. The effect on the results is graded separately, as the "
    "severity: the result falls, its proof falls, a constant or condition changes, a slip of the print has no effect, "
    "or it depends on the reading. A mistake that is repeated in other places is counted once, where it first matters. "
    "A place that is damaged only in our text is never held against a paper."
)
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True)
class Counts:
    """The counts of one paper, or of several together."""

    claims: int
    findings: int
    """Entries against a paper that repeat no other; all fields below count some of these, but for `repeats` and `open`.
    """
    substance: int
    slips: int
    readings: int
    """Entries against the paper in one reading of the sentence."""
    repeats: int
    """Entries against a paper that are counted with another one."""
    open: int
    """Neither shown nor refuted here."""

    def cells(self) -> tuple[str, ...]:
        """The row under `HEAD`."""
        return tuple(f"{count:,}" for count in asdict(self).values())


def counts_of(claims: Iterable[Claim]) -> Counts:
    """The counts of these claims, from any papers."""
    chosen = tuple(claims)
    findings = [claim for claim in chosen if claim.is_finding]
    return Counts(
        claims=len(chosen),
        findings=len(findings),
        substance=sum(claim.is_of_substance for claim in findings),
        slips=sum(claim.severity is Severity.SLIP for claim in findings),
        readings=sum(claim.severity is Severity.READING for claim in findings),
        repeats=sum(claim.is_against and bool(claim.root) for claim in chosen),
        open=sum(claim.expected in OPEN for claim in chosen),
    )


def papers_of(claims: Iterable[Claim]) -> tuple[str, ...]:
    """The keys of the papers, our own statements last."""
    return tuple(sorted({claim.paper for claim in claims}, key=lambda key: (key == OURS, key)))


def by_paper(claims: Iterable[Claim]) -> dict[str, Counts]:
    chosen = tuple(claims)
    return {paper: counts_of(c for c in chosen if c.paper == paper) for paper in papers_of(chosen)}


def of_papers(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Without our own statements."""
    return tuple(claim for claim in claims if claim.paper != OURS)


def headline(claims: Iterable[Claim]) -> str:
    """The only figure that pages may quote, in words.

    >>> headline(())
    'no findings of substance in no papers, and no slips'
    """
    theirs = of_papers(claims)
    counts, papers = counts_of(theirs), len(papers_of(theirs))
    substance = counted(counts.substance, "finding")
    return f"{substance} of substance in {counted(papers, 'paper')}, and {counted(counts.slips, 'slip')}"


def summary(claims: Iterable[Claim]) -> str:
    """The counts in a few sentences, with what is not counted."""
    theirs = of_papers(claims)
    counts = counts_of(theirs)
    return (
        f"The ledger has {headline(theirs)} without effect on any result. Apart from these, "
        f"{counted(counts.readings, 'entry')} against a paper {_are('depend', counts.readings)} on how a sentence is "
        f"read, and {counted(counts.repeats, 'entry')} {_are('repeat', counts.repeats)} a finding in another place, "
        f"which is not counted again. {counted(counts.open, 'statement').capitalize()} {_are('are', counts.open)} "
        "open. Our own statements are subject to the same checks and are not included in these figures."
    )


def _are(verb: str, number: int) -> str:
    """The verb that agrees with this number."""
    if number != 1:
        return verb
    return "is" if verb == "are" else f"{verb}s"


def counted(number: int, noun: str) -> str:
    """A number with its noun: in words up to twelve.

    >>> counted(2, "entry"), counted(1, "slip"), counted(1234, "claim")
    ('two entries', 'one slip', '1,234 claims')
    """
    shown = _WORDS[number] if number < len(_WORDS) else f"{number:,}"
    if number == 1:
        return f"{shown} {noun}"
    return f"{shown} {noun[:-1]}ies" if noun.endswith("y") else f"{shown} {noun}s"
