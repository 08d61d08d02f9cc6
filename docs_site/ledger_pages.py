"""The claims ledger, one page a paper, from the claims as they are declared; running them is `synthbounds verify`."""

from __future__ import annotations

from collections import Counter

from bounds.papers import find_paper
from docs_site.text import plain, table
from verify.claim import AGAINST, Claim, Verdict
from verify.review import HEAD, NOTE, cells


def ledger_index(claims: tuple[Claim, ...]) -> str:
    """What the ledger holds, and what an independent reading of it found."""
    counts = Counter(claim.paper for claim in claims)
    head = ("paper", "claims", *HEAD)
    rows = [(f"[{paper}]({paper}.md)", str(counts[paper]), *cells(paper)) for paper in papers(claims)]
    return "\n\n".join(
        (
            "# The claims ledger",
            "A claim is a checkable sentence of a paper in our words, with a verdict that anyone can reach again: "
            "`synthbounds verify --id ID` runs its check. What is wrong in print, with counterexamples and what holds "
            "instead, is told on the page [what holds and what does not](../errata.md).",
            NOTE,
            table(head, rows, frozenset(range(1, len(head)))),
            "A verdict against a paper is reached by two independent routes. [How to add a claim](../adding.md).",
        )
    )


def papers(claims: tuple[Claim, ...]) -> list[str]:
    return sorted({claim.paper for claim in claims})


def ledger_page(paper: str, claims: tuple[Claim, ...], theorems: frozenset[str]) -> str:
    """All claims of a paper, in the order of their verdicts."""
    ours = [claim for claim in claims if claim.paper == paper]
    parts = [f"# Claims of {paper}", f"{plain(find_paper(paper).reference)}."]
    for verdict in (*AGAINST, *(v for v in Verdict if v not in AGAINST)):
        chosen = [claim for claim in ours if claim.expected is verdict]
        if chosen:
            parts.append(f"## {verdict.value.capitalize().replace('-', ' ')}")
            parts += [_entry(claim, theorems) for claim in chosen]
    return "\n\n".join(parts) + "\n"


def _entry(claim: Claim, theorems: frozenset[str]) -> str:
    lines = [f'<a id="{claim.id}"></a>**{plain(claim.locator)}** (`{claim.id}`, {claim.method.value})', ""]
    lines.append(f"- Claim: {plain(claim.statement)}")
    if claim.formula:
        lines.append(f"- In symbols: {plain(claim.formula)}")
    if claim.hypotheses:
        lines.append(f"- Under: {plain('; '.join(claim.hypotheses))}")
    if claim.corrected:
        lines.append(f"- {'But' if claim.expected is Verdict.CONFIRMED_WITH_CONDITIONS else 'Instead'}: ")
        lines[-1] += plain(claim.corrected)
    known = [name for name in claim.theorems if name in theorems]
    if known:
        lines.append("- Theorems: " + ", ".join(f"[{name}](../theorems/{name}.md)" for name in known))
    return "\n".join(lines)
