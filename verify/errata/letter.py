"""A one-page letter to the authors of a paper: its gravest findings, and what we ask. It is a draft, never sent."""

from __future__ import annotations

from collections.abc import Sequence

from bounds.papers import Paper
from verify.claim import Claim, Lost, Severity, Verdict
from verify.counts import Counts, counted, counts_of
from verify.errata.entry import found
from verify.errata.markdown import plain, quoted, sentence
from verify.errata.order import by_severity
from verify.run import ClaimResult

MOST_FINDINGS = 10
DAYS = 90
_MOST_LETTERS = 110
"""Most letters of evidence and of what holds instead: ten findings must fit on a page."""


def gravest(claims: Sequence[Claim]) -> list[Claim]:
    """At most ten findings; slips only if there is nothing else."""
    graded = by_severity(claim for claim in claims if claim.is_finding)
    chosen = [claim for claim in graded if claim.severity is not Severity.SLIP] or graded
    return chosen[:MOST_FINDINGS]


def letter(source: Paper, results: Sequence[ClaimResult]) -> str:
    """The letter as Markdown, with brackets for the sender to fill in."""
    claims = [result.claim for result in results]
    chosen, counts = gravest(claims), counts_of(claims)
    title = dict(source.fields)["title"].replace("{", "").replace("}", "")
    by_id = {result.claim.id: result for result in results}
    parts = [
        f"# Letter to the authors of {source.key}",
        f"*A template; not sent. All findings: [{source.key}](../{source.key}.md).*",
        *(_UNPUBLISHED if source.read_as_submission else ()),
        "[place, date]",
        "Dear authors,",
        f"we have checked {counted(counts.claims, 'statement')} of your paper *{plain(title)}* by computation, each "
        f"with a program that anyone can run again. We read {plain(source.version)}. {_balance(claims, counts)}",
    ]
    if chosen:
        said = "In short" if len(chosen) == counts.findings else "The most serious, in short"
        parts.append(f"{said} (where something is cut, the page has the full text):")
        parts.append("\n".join(f"{i}. {_item(by_id[claim.id])}" for i, claim in enumerate(chosen, start=1)))
    parts += [
        "We may be wrong, and the text that we read may have lost signs. Before anything is published we would "
        "therefore like to ask:",
        "\n".join(
            (
                "- Does the version of record say something else at these places? If so, please send it or tell us "
                "where to find it.",
                "- Have we misread you, or missed a hypothesis?",
                "- Is there already a correction, or would you like to make one? We will gladly cite it.",
            )
        ),
        f"We plan to publish the page {DAYS} days after this letter, on [date], with your answer next to each entry if "
        "you wish, and will correct or withdraw whatever you show to be wrong. Withdrawn entries stay visible as "
        "such. If you need more time, please tell us.",
        "With kind regards,",
        "[name, affiliation, address for your answer]",
    ]
    return "\n\n".join(parts) + "\n"


_UNPUBLISHED = (
    "**Not to be sent as it is: the text that was read is not a publication. The published version must be compared "
    "first, and the letter must name that version.**",
)


def _balance(claims: Sequence[Claim], counts: Counts) -> str:
    if not counts.findings:
        return "We found nothing in it that is not correct as printed."
    holds = sum(claim.expected in (Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS) for claim in claims)
    kinds = [counted(counts.substance, "finding") + " of substance", counted(counts.slips, "slip") + " of the print"]
    if counts.readings:
        kinds.append(counted(counts.readings, "place") + " where it is a question of reading")
    return (
        f"We could confirm {holds:,} of them, as printed or under conditions. In {counted(counts.findings, 'place')} "
        f"we found a problem: {', '.join(kinds[:-1])} and {kinds[-1]}."
    )


def _item(result: ClaimResult) -> str:
    """Place, words and counterexample; longer text is cut here and is complete on the page."""
    claim = result.claim
    words = (
        f' "{quoted(claim.quote)}"' if isinstance(claim.quote, str) and claim.quote else f" {_said(claim.statement)}"
    )
    if isinstance(claim.quote, Lost):
        words = f" (our text is damaged: {plain(claim.quote.reason)}) {_said(claim.statement)}"
    evidence = found(result) if result.not_run else _said(result.evidence.text)
    instead = f" Instead: {_said(claim.corrected)}" if claim.corrected else ""
    return f"**{plain(claim.locator)}** ({claim.severity.value}, `{claim.id}`):{words} Found: {evidence}{instead}"


def _said(text: str) -> str:
    """The sentences that fit; if the first does not, it is cut between two of its parts."""
    if len(text) <= _MOST_LETTERS:
        return sentence(plain(text))
    start = text[:_MOST_LETTERS]
    for mark in (". ", "; ", ", ", " "):
        if mark in start:
            return f"{plain(start.rpartition(mark)[0])} ..."
    return f"{plain(start)}..."
