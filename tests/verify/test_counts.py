"""Findings are counted once, slips separately, and our own statements not at all."""

from __future__ import annotations

from dataclasses import replace

from tests.verify.invented_claims import SMALL, against, invented
from verify.claim import Severity, Verdict
from verify.counts import HEAD, OURS, by_paper, counts_of, headline, of_papers, papers_of, summary
from verify.ledger import all_claims


def test_roots_are_counted_and_repetitions_are_not() -> None:
    counts = counts_of(SMALL)
    assert (counts.claims, counts.findings, counts.substance) == (11, 5, 3)
    assert (counts.slips, counts.readings, counts.repeats, counts.open) == (1, 1, 1, 1)
    assert len(counts.cells()) == len(HEAD)
    assert counts_of((*SMALL, against("other", Severity.SLIP, root="index"))).findings == counts.findings


def test_the_sentence() -> None:
    assert headline(SMALL) == "three findings of substance in one paper, and one slip"
    assert "one entry against a paper depends on how a sentence is read" in summary(SMALL)
    assert "one entry repeats a finding" in summary(SMALL)
    assert "One statement is open." in summary(SMALL)
    ours = replace(invented("x", Verdict.OPEN), paper=OURS, id=f"{OURS}.x")
    assert headline((*SMALL, ours)) == headline(SMALL)
    assert papers_of((ours, *SMALL)) == ("zhou2024", OURS)


def test_every_finding_has_one_place() -> None:
    """What is graded is of substance, a slip or a reading; all of them together are the findings."""
    for counts in by_paper(all_claims()).values():
        graded = counts.substance + counts.slips + counts.readings
        assert graded <= counts.findings
    ungraded = [claim.id for claim in all_claims() if claim.is_finding and claim.severity is Severity.NONE]
    total = counts_of(of_papers(all_claims()))
    assert total.findings == total.substance + total.slips + total.readings + len(ungraded)
