"""The errata page is what the ledger says now."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.paths import ROOT
from verify.claim import AGAINST
from verify.errata import errata
from verify.ledger import all_claims
from verify.review import REVIEW
from verify.run import run_claims

PAGE = ROOT / "docs" / "errata.md"


@pytest.mark.slow
def test_the_page_is_current() -> None:
    results = run_claims(all_claims())
    missing = [r.claim.id for r in results if r.not_run]
    if missing:
        pytest.skip(f"not run: {len(missing)} claims need tables that are not here")
    assert PAGE.read_text(encoding="utf-8") == errata(results)


def test_every_claim_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for claim in all_claims():
        assert f"`{claim.id}`" in page


def test_every_entry_against_a_paper_was_read() -> None:
    """The figures of the reading are about the ledger as it is: with another verdict they must be made again."""
    against = Counter(claim.paper for claim in all_claims() if claim.expected in AGAINST)
    assert {paper: found.entries for paper, found in REVIEW.items()} == {paper: against[paper] for paper in REVIEW}
    assert against.keys() <= REVIEW.keys() == {claim.paper for claim in all_claims()} - {"synthbounds"}
