"""What every claim of the ledger must be, whatever it says: quoted, graded by one rule, tied to what it rests on."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from graphlib import TopologicalSorter

import pytest

from bounds.papers import PAPERS
from verify.claim import AGAINST, OF_RUNS, Claim, Kind, Lost, Scope, Severity, Verdict
from verify.ledger import all_claims, all_withdrawn
from verify.quotes import MOST_WORDS, is_quoted, text_of, words

CLAIMS = {claim.id: claim for claim in all_claims()}
BY_PAPER = [
    pytest.param([c for c in CLAIMS.values() if c.paper == p], id=p)
    for p in sorted(PAPERS)
    if p in {c.paper for c in CLAIMS.values()}
]


@pytest.mark.parametrize("claims", BY_PAPER)
def test_words_stand_in_the_paper(claims: list[Claim]) -> None:
    wrong = [c.id for c in claims if not c.quote or is_quoted(c) is False]
    assert not wrong
    if text_of(claims[0].paper) is None:
        pytest.skip(f"not run: the text of {claims[0].paper} is not here")


@pytest.mark.parametrize("claims", BY_PAPER)
def test_quotations_are_short(claims: list[Claim]) -> None:
    assert not [c.id for c in claims if isinstance(c.quote, str) and words(c.quote) > MOST_WORDS]


def test_few_quotations_are_lost() -> None:
    lost = [c.id for c in CLAIMS.values() if isinstance(c.quote, Lost)]
    assert len(lost) <= 0.05 * len(CLAIMS), lost
    assert all(c.quote.reason for c in CLAIMS.values() if isinstance(c.quote, Lost))


@pytest.mark.parametrize("claims", BY_PAPER)
def test_severity_goes_with_the_verdict(claims: list[Claim]) -> None:
    for claim in claims:
        if claim.expected in AGAINST:
            assert claim.severity is not Severity.NONE, claim.id
        elif claim.expected is Verdict.CONFIRMED_WITH_CONDITIONS:
            assert claim.severity in (Severity.NONE, Severity.READING), claim.id
        else:
            assert claim.severity is Severity.NONE, claim.id


@pytest.mark.parametrize("claims", BY_PAPER)
def test_what_is_said_to_hold_or_fail_is_more_than_instances(claims: list[Claim]) -> None:
    for claim in claims:
        if claim.expected in (*AGAINST, Verdict.CONFIRMED):
            assert claim.scope is not Scope.INSTANCES, claim.id


@pytest.mark.parametrize("claims", BY_PAPER)
def test_runs_reproduce_and_never_refute(claims: list[Claim]) -> None:
    for claim in claims:
        if claim.kind is Kind.EMPIRICAL:
            assert claim.expected not in AGAINST, claim.id
        if claim.expected in OF_RUNS:
            assert (claim.scope, claim.kind) == (Scope.INSTANCES, Kind.EMPIRICAL), claim.id


@pytest.mark.parametrize("claims", BY_PAPER)
def test_what_a_claim_rests_on_is_there(claims: list[Claim]) -> None:
    for claim in claims:
        assert claim.version, claim.id
        assert set(claim.depends_on) <= CLAIMS.keys() - {claim.id}, claim.id
        if claim.root:
            root = CLAIMS[claim.root]
            assert root.is_finding, claim.id
            assert claim.is_against, claim.id
            assert root.paper == claim.paper, claim.id


def test_nothing_rests_on_itself() -> None:
    tuple(TopologicalSorter({c.id: c.depends_on for c in CLAIMS.values()}).static_order())


def test_withdrawn_claims_say_why() -> None:
    for entry in all_withdrawn():
        assert entry.reason, entry.id
        assert entry.id.split(".")[0] in PAPERS
        assert not entry.see or entry.see in CLAIMS, entry.id


def test_an_invented_sentence_is_refused() -> None:
    claim = next(c for c in CLAIMS.values() if c.paper == "zhou2024")
    if text_of("zhou2024") is None:
        pytest.skip("not run: the text of zhou2024 is not here")
    assert is_quoted(replace(claim, quote="AIM is the best of all methods on every table")) is False
    assert is_quoted(replace(claim, quote="differentially-private [...] the best of all methods")) is False
    assert is_quoted(replace(claim, quote="[...]")) is False


def test_ids_begin_with_their_paper() -> None:
    assert all(c.id.startswith(f"{c.paper}.") for c in CLAIMS.values())
    assert not [name for name, count in Counter(c.id.lower() for c in CLAIMS.values()).items() if count > 1]
