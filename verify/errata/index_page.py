"""The first page of the errata: the counts, the rule by which entries are graded, and how to read an entry."""

from __future__ import annotations

from collections.abc import Sequence

from bounds.papers import PAPERS
from verify.claim import Claim
from verify.counts import HEAD, OURS, RULE, by_paper, counts_of, of_papers, papers_of, summary
from verify.errata.entry import NOT_YET
from verify.errata.markdown import plain, table
from verify.quotes import MOST_WORDS

_HEAD = (
    "These pages are generated from the [claims ledger](../../verify/claims) by `python -m verify.errata`, one page "
    f"per paper. An entry is a sentence of a paper in our words, next to at most {MOST_WORDS} words of the paper "
    "itself, with its place, what our check found, and what survives. `synthbounds verify --id ID` runs the check "
    "again and shows both routes to a verdict against a paper; `synthbounds verify --falls ID` says what rests on it; "
    "`synthbounds verify --export FILE` writes the whole ledger to a file. The pages have a drawing of what rests on "
    "what; the same data are in [graph.json](graph.json)."
)
_READING = (
    "**Verdict** and **severity** are different things: a refuted sentence may be a slip without effect, and a proof "
    "may fall while its theorem stands.",
    '**Found** is a counterexample, or the numbers that decide; "not run" means that a table was not available.',
    "**What survives** is the repaired statement; **proved here** leads to its proof.",
    "**The same in other places** lists entries that repeat the mistake. They are not counted again.",
    "**Falls with it** is computed from what the paper's arguments use. A claim that falls this way may still be "
    "true by another proof.",
    "**Authors** says whether the authors were asked, and what they answered.",
)
_PRINT = (
    "Formulas were read from extracted text, in which signs can be lost. If a version of a paper differs from what was "
    "read, the version of record counts."
)


def index_page(claims: Sequence[Claim]) -> str:
    """The page as Markdown."""
    counts = by_paper(claims)
    rows = [(f"[{paper}]({paper}.md)", *found.cells()) for paper, found in counts.items() if paper != OURS]
    rows.append(("**all papers**", *counts_of(of_papers(claims)).cells()))
    if OURS in counts:
        rows.append((f"[{OURS}]({OURS}.md), our own", *counts[OURS].cells()))
    letters = ", ".join(f"[{paper}](letters/{paper}.md)" for paper in papers_of(claims) if paper != OURS)
    parts = [
        "# Errata: what holds and what does not",
        _HEAD,
        "## Counts",
        summary(claims),
        table(("paper", *HEAD), rows),
        "## The rule",
        RULE,
        "## How to read an entry",
        "\n".join(f"- {said}" for said in _READING),
        _PRINT,
        "## Authors",
        f"Status with the authors of all papers: {NOT_YET}. Templates of letters: {letters}.",
    ]
    return "\n\n".join(parts) + "\n"


def pointer_page(claims: Sequence[Claim]) -> str:
    """The page at the address where everything once was: the same headings, with links to the new pages."""
    parts = [
        "# Errata",
        "There is [one page per paper](errata/index.md), and a first page with the counts and the rule.",
    ]
    for paper in papers_of(claims):
        parts += [
            f"## {paper}",
            f"[What holds and what does not](errata/{paper}.md) in {plain(PAPERS[paper].reference)}.",
        ]
    return "\n\n".join(parts) + "\n"
