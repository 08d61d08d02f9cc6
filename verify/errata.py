"""The errata page, generated from the ledger: `python -m verify.errata > docs/errata.md`.

One section a paper: what holds, what holds with conditions, what does not hold and what is proved instead. Every
sentence is that of a claim and every number that of a check that was run just now.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from textwrap import fill

from bounds.errors import DataError
from bounds.papers import find_paper
from verify.claim import AGAINST, Verdict
from verify.ledger import all_claims
from verify.review import HEAD, NOTE, cells
from verify.run import ClaimResult, run_claims

_HEAD = """# What holds and what does not: a ledger of five papers and our own

This page is generated from the [claims ledger](../verify/claims) by `python -m verify.errata`. Each entry is a sentence
of a paper in our words, with the place where it stands and what our check found; `synthbounds verify --id ID` runs the
check again and shows both routes to a verdict against a paper. A slip of the print is called one. Where a proof fails
and the result stands, that is said, too. Formulas were read from extracted text, where signs can be lost; if a version
of a paper differs from what we read, we would like to know. The section synthbounds holds statements of our own
[proof pages](proofs/README.md) to the same checks.
"""
_PLACES = {
    Verdict.CONFIRMED_WITH_CONDITIONS: "Holds with conditions",
    Verdict.UNDECIDABLE: "Open",
    Verdict.NOT_CHECKABLE: "Not checkable from the text",
}


def errata(results: Sequence[ClaimResult]) -> str:
    """The page as Markdown."""
    for result in results:
        if result.not_run:
            raise DataError(f"claim {result.claim.id}: {result.evidence.text}; the page needs every verdict")
    parts = [_HEAD, _summary(results)]
    for paper in sorted({r.claim.paper for r in results}):
        parts.append(_section(paper, [r for r in results if r.claim.paper == paper]))
    return "\n".join(parts)


def _summary(results: Sequence[ClaimResult]) -> str:
    head = ("paper", "claims", *HEAD)
    rows = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for paper, claims in sorted(Counter(r.claim.paper for r in results).items()):
        rows.append(f"| [{paper}](#{paper}) | {claims} | {' | '.join(cells(paper))} |")
    return "\n".join((fill(NOTE, 120), "", *rows)) + "\n"


def _section(paper: str, results: Sequence[ClaimResult]) -> str:
    lines = [f"## {paper}", "", f"{find_paper(paper).reference}.", ""]
    against = [r for r in results if r.claim.expected in AGAINST]
    if against:
        lines += ["### Does not hold as printed", ""]
        lines += [_entry(r, evidence=True) for r in against]
    for verdict, title in _PLACES.items():
        chosen = [r for r in results if r.claim.expected is verdict]
        if chosen:
            lines += ["", f"### {title}", ""]
            lines += [_entry(r, evidence=False) for r in chosen]
    confirmed = [r for r in results if r.claim.expected is Verdict.CONFIRMED]
    if confirmed:
        lines += ["", "### Holds", ""]
        lines += [f"- {_plain(r.claim.locator)}: {_plain(r.claim.statement)} (`{r.claim.id}`)" for r in confirmed]
    return "\n".join(lines) + "\n"


def _entry(result: ClaimResult, *, evidence: bool) -> str:
    claim = result.claim
    lines = [f"- **{_plain(claim.locator)}** (`{claim.id}`, {claim.expected.value}, {claim.method.value})"]
    lines.append(f"  - Claim: {_plain(claim.statement)}")
    if evidence:
        lines.append(f"  - Found: {_sentence(_plain(result.evidence.text))}")
    if claim.corrected:
        lines.append(f"  - {'Instead' if evidence else 'But'}: {_plain(claim.corrected)}")
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>|#" else c for c in text)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


if __name__ == "__main__":
    sys.stdout.write(errata(run_claims(all_claims())))
