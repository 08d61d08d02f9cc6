"""The pages of the errata are what the ledger says now, and have every claim in its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest

from bounds.errors import DataError
from bounds.papers import PAPERS, find_paper
from tests.paths import ROOT
from tests.verify.invented_claims import PAPER, SMALL, results
from verify.claim import Claim, Evidence, Lost, Severity, Verdict, Withdrawn
from verify.counts import OURS, headline, papers_of
from verify.errata.entry import NOT_RUN, NOT_YET
from verify.errata.letter import DAYS, MOST_FINDINGS, gravest, letter
from verify.errata.order import by_severity, place
from verify.errata.pages import FOLDER, POINTER, pages
from verify.graph import graph_of
from verify.ledger import all_claims, all_withdrawn
from verify.run import ClaimResult, run_claims

STONE = Withdrawn(f"{PAPER}.gone", "the paper does not say it", f"{PAPER}.lemma")
MADE = f"{FOLDER}/{PAPER}.md"


def page_of(claims: Sequence[Claim], stones: Sequence[Withdrawn] = ()) -> str:
    return pages(results(tuple(claims)), stones)[MADE]


@cache
def stored() -> dict[str, str]:
    files = [ROOT / POINTER, *(path for path in (ROOT / FOLDER).rglob("*") if path.is_file())]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}


@pytest.mark.slow
def test_the_pages_are_current() -> None:
    """Where a table is not here, the lines that need it say so, and all others are the same."""
    made = pages(run_claims(all_claims()), all_withdrawn())
    assert made.keys() == stored().keys()
    for name, text in made.items():
        for ours, theirs in zip(text.splitlines(), stored()[name].splitlines(), strict=True):
            assert ours == theirs or has_not_run(ours, theirs), name


def has_not_run(ours: str, theirs: str) -> bool:
    """Whether the lines differ but for evidence that one of them has not."""
    return any(
        other.startswith(before) and (other.endswith(after) or not after)
        for one, other in ((ours, theirs), (theirs, ours))
        if NOT_RUN in one
        for before, after in [one.split(NOT_RUN, 1)]
    )


def test_pages_without_tables_differ_in_what_was_not_run_alone() -> None:
    found = results(SMALL)
    missing = tuple(replace(r, evidence=Evidence(None, "not run: the table is not here")) for r in found)
    with_tables, without = pages(found, ()), pages(missing, ())
    assert with_tables.keys() == without.keys()
    assert NOT_RUN not in with_tables[MADE].replace(f'"{NOT_RUN}"', "")
    differ = 0
    for name, text in with_tables.items():
        for one, other in zip(text.splitlines(), without[name].splitlines(), strict=True):
            assert one == other or has_not_run(one, other)
            differ += one != other
    assert differ >= len([claim for claim in SMALL if claim.is_finding])
    assert not has_not_run("- **Found:** 3.", "- **Found:** 4.")


def test_every_claim_is_on_its_page() -> None:
    for claim in all_claims():
        assert f"`{claim.id}`" in stored()[f"{FOLDER}/{claim.paper}.md"]
    for stone in all_withdrawn():
        assert stone.id in stored()[f"{FOLDER}/{stone.id.partition('.')[0]}.md"]


def test_the_index_has_the_counts_and_leads_to_every_page() -> None:
    index, pointer = stored()[f"{FOLDER}/index.md"], stored()[POINTER]
    assert headline(all_claims()) in index
    for paper in papers_of(all_claims()):
        assert f"({paper}.md)" in index
        assert f"(errata/{paper}.md)" in pointer
        assert f"\n## {paper}\n" in pointer  # addresses of old lead here
        assert paper == OURS or f"(letters/{paper}.md)" in index


@pytest.mark.parametrize("name", sorted(name for name in stored() if name.endswith(".md")))
def test_links_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", stored()[name]):
        assert (ROOT / name).parent.joinpath(target).resolve().exists(), target


def test_what_was_no_publication_says_so_first() -> None:
    for paper in papers_of(all_claims()):
        first = stored()[f"{FOLDER}/{paper}.md"].split("\n\n")[1]
        assert ("published version must be compared first" in first) == PAPERS[paper].read_as_submission
        if PAPERS[paper].read_as_submission:
            assert "Not to be sent as it is" in stored()[f"{FOLDER}/letters/{paper}.md"]


def test_the_order_is_severity_then_place() -> None:
    order = [claim.id.removeprefix(f"{PAPER}.") for claim in by_severity(c for c in SMALL if c.is_finding)]
    assert order == ["headline", "lemma", "constant", "index", "sign"]
    page = page_of(SMALL, [STONE])
    titles = re.findall(r"^## (.+)$", page, flags=re.MULTILINE)
    assert titles == [
        "The result falls",
        "The proof falls",
        "Another constant or condition",
        "Depends on how it is read",
        "Appendix: slips of the print",
        "Repeated in other places",
        "Holds with conditions",
        "Open",
        "Holds",
        "Withdrawn",
    ]
    places = ["Title and abstract", "Abstract", "Section I", "Section 2.3", "Theorem 2.10", "Corollary IV.1", "Table 2"]
    places += ["Appendix A.1", "Lemma B.2"]
    assert sorted(places[1:] + places[:1], key=place) == ["Abstract", "Title and abstract", *places[2:]]


def test_an_entry_has_everything() -> None:
    page = page_of(SMALL, [STONE])
    entry = page.split(f'<a id="{PAPER}.lemma"></a>')[1].split("<a id")[0]
    assert "> in words" in entry
    assert find_paper(PAPER).version in entry
    assert "**Found:** computed for lemma." in entry
    assert "**What survives:** Half of it holds." in entry
    assert f"**The same in other places:** `{PAPER}.lemma-again` (Section 3)" in entry
    falls = re.search(r"\*\*Falls with it, as argued in the paper:\*\* (.+)", entry)
    assert falls
    assert re.findall(r"`zhou2024\.([\w-]+)`", falls.group(1)) == ["theorem", "remark", "corollary"]
    assert f"**Authors:** {NOT_YET}" in entry
    constant = page.split(f'<a id="{PAPER}.constant"></a>')[1].split("## ")[1]
    assert "**In symbols:** `a |b| <= 1`" in constant
    assert "**Provided:** b \\> 0" in constant
    assert f'<a id="{STONE.id}"></a>`{STONE.id}`: the paper does not say it. See `{STONE.see}`.' in page
    assert page.count(f"Counted as `{PAPER}.lemma`.") == 1


def test_proofs_of_what_holds_instead_are_linked() -> None:
    claim = replace(SMALL[0], theorems=("zhou2024.logistic",), quote=Lost("the line is torn"), lemma="half")
    page = page_of([claim])
    assert "**Proved here:** [zhou2024.logistic](../proofs/zhou2024.logistic.md)" in page
    assert "(no quotation: the line is torn)" in page
    assert "lemma `half` of `verify/formal`, checked by Coq" in page


def test_a_check_that_finds_something_else_stops_the_page() -> None:
    wrong = ClaimResult(SMALL[0], Evidence(Verdict.UNDECIDABLE, "nothing"), None, 0.0)
    with pytest.raises(DataError, match="found something else"):
        pages([wrong], ())


def test_a_letter_is_of_one_page() -> None:
    said = letter(find_paper(PAPER), results(SMALL))
    assert f"{DAYS} days" in said
    assert "version of record" in said
    assert [claim.severity for claim in gravest(SMALL)][:2] == [Severity.RESULT_FALLS, Severity.PROOF_FALLS]
    assert all(claim.severity is not Severity.SLIP for claim in gravest(SMALL))
    for name, text in stored().items():
        if "/letters/" in name:
            assert len(re.findall(r"^\d+\. ", text, flags=re.MULTILINE)) <= MOST_FINDINGS
            assert len(text.split()) <= 900, name


def test_pictures_and_data_are_those_of_the_graph() -> None:
    for paper in papers_of(all_claims()):
        connected = graph_of(claim for claim in all_claims() if claim.paper == paper).connected
        assert (f"{FOLDER}/{paper}.svg" in stored()) == bool(connected)
        assert (f"({paper}.svg)" in stored()[f"{FOLDER}/{paper}.md"]) == bool(connected)
