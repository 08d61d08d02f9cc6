"""The page of one paper: what does not hold, by severity with slips apart, then what holds, and what was withdrawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bounds.papers import Paper, find_paper
from verify.claim import OF_RUNS, Claim, Kind, Severity, Verdict, Withdrawn
from verify.counts import HEAD, OURS, counts_of
from verify.errata.entry import NOT_YET, entry, found, short
from verify.errata.markdown import plain, sentence, table
from verify.errata.order import by_place, by_severity
from verify.errata.picture import LEGEND
from verify.graph import Graph
from verify.run import ClaimResult

_IN_FULL = {
    Severity.RESULT_FALLS: "The result falls",
    Severity.PROOF_FALLS: "The proof falls",
    Severity.CONDITION: "Another constant or condition",
    Severity.READING: "Depends on how it is read",
    Severity.NONE: "Not graded yet",
}
_UNPUBLISHED = (
    "**The text that was read is not a publication: {version}. The published version must be compared first. Until "
    "then nothing here applies to it, and its authors should not be written to.**"
)


def paper_page(
    paper: str, results: Sequence[ClaimResult], withdrawn: Sequence[Withdrawn], graph: Graph, *, has_picture: bool
) -> str:
    """The page as Markdown, from the results and tombstones of this paper."""
    source = find_paper(paper)
    by_id = {result.claim.id: result for result in results}
    claims = [result.claim for result in results]
    parts = [*_head(source, claims), *_picture(paper, has_picture)]
    findings = by_severity(claim for claim in claims if claim.is_finding)
    for severity, title in _IN_FULL.items():
        chosen = [claim for claim in findings if claim.severity is severity]
        if chosen:
            parts += [f"## {title}", *(entry(by_id[claim.id], graph) for claim in chosen)]
    slips = [claim for claim in findings if claim.severity is Severity.SLIP]
    if slips:
        parts += ["## Appendix: slips of the print", "No result depends on these."]
        parts.append("\n".join(short(by_id[claim.id], graph) for claim in slips))
    parts += _repeats(by_place(claim for claim in claims if claim.is_against and claim.root))
    parts += _lists(by_place(claims), lambda claim: found(by_id[claim.id]))
    if withdrawn:
        parts.append("## Withdrawn")
        parts.append("Claims that were once in the ledger and no longer are. Their ids are never used again.")
        parts.append("\n".join(_tombstone(stone) for stone in withdrawn))
    return "\n\n".join(parts) + "\n"


def _head(source: Paper, claims: Sequence[Claim]) -> list[str]:
    parts = [f"# {source.key}: what holds and what does not"]
    if source.read_as_submission:
        parts.append(_UNPUBLISHED.format(version=plain(source.version)))
    about = [f"{plain(source.reference)}.", "", f"- Version read: {plain(source.version)}"]
    if source.text_digest:
        about.append(f"- SHA-256 of that text: `{source.text_digest}`")
    if source.key != OURS:
        about.append(f"- Authors: {NOT_YET} ([letter](letters/{source.key}.md))")
    about.append("- How to read this page: [errata](index.md)")
    counts = counts_of(claims)
    return [*parts, "\n".join(about), table(HEAD, [counts.cells()])]


def _picture(paper: str, has_picture: bool) -> list[str]:
    if not has_picture:
        return []
    return [f"[![What rests on what in {paper}]({paper}.svg)]({paper}.svg)", f"*{LEGEND}* [In full size]({paper}.svg)."]


def _repeats(claims: Sequence[Claim]) -> list[str]:
    if not claims:
        return []
    rows = [f"- {_line(claim)} Counted as `{claim.root}`." for claim in claims]
    return ["## Repeated in other places", "\n".join(rows)]


def _lists(claims: Sequence[Claim], evidence: Callable[[Claim], str]) -> list[str]:
    """Entries that are not against the paper, in short."""
    parts: list[str] = []
    sections: tuple[tuple[str, tuple[Verdict, ...], Callable[[Claim], str]], ...] = (
        (
            "Experiments repeated",
            OF_RUNS,
            lambda claim: f" {_said(claim.expected)}: {evidence(claim)}",
        ),
        ("Holds with conditions", (Verdict.CONFIRMED_WITH_CONDITIONS,), _but),
        ("Open", (Verdict.OPEN, Verdict.UNDECIDABLE), _but),
        ("Not checkable from the text", (Verdict.NOT_CHECKABLE,), _but),
        ("Holds", (Verdict.CONFIRMED,), lambda claim: ""),
    )
    for title, verdicts, more in sections:
        chosen = [claim for claim in claims if claim.expected in verdicts]
        if chosen:
            rows = [f"- {_line(claim)}{more(claim)}" for claim in chosen]
            parts += [f"## {title}", "\n".join(rows)]
    return parts


def _said(verdict: Verdict) -> str:
    return verdict.value.capitalize().replace("-", " ")


def _line(claim: Claim) -> str:
    mark = ", measured" if claim.kind is Kind.EMPIRICAL else ""
    mark += ", depends on the reading" if not claim.is_against and claim.severity is Severity.READING else ""
    return f"{plain(claim.locator)}: {sentence(plain(claim.statement))} (`{claim.id}`{mark})"


def _but(claim: Claim) -> str:
    return f" *Note:* {sentence(plain(claim.corrected))}" if claim.corrected else ""


def _tombstone(stone: Withdrawn) -> str:
    see = f" See `{stone.see}`." if stone.see else ""
    return f'- <a id="{stone.id}"></a>`{stone.id}`: {sentence(plain(stone.reason))}{see}'
