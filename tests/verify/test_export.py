"""The ledger as a file: read and written again it is the same, and whatever does not fit together is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import synthbounds as sb
from bounds.errors import DataError
from release.files.digest import digest_of
from synthbounds.cli import main
from synthbounds.schemas import json_schema
from tests.verify.invented_claims import SMALL
from verify.claim import Lost, Withdrawn
from verify.export import Export, Source, claim_json, ledger_export, parse_export, read_export
from verify.ledger import all_claims, all_withdrawn

SOURCE = Source("zhou2024", "A paper", "the first version", "0" * 64)
STONE = Withdrawn("zhou2024.gone", "the paper does not say it", "zhou2024.lemma")
INVENTED = Export((SOURCE,), SMALL, (STONE,))


def is_valid(body: dict[str, Any]) -> bool:
    return Draft202012Validator(json_schema("claims")).is_valid(body)


def sealed(body: dict[str, Any]) -> str:
    return json.dumps({**body, "digest": digest_of(body)})


def test_the_ledger_goes_round(tmp_path: Path) -> None:
    assert main(["verify", "--export", str(tmp_path / "ledger.json")]) == 0
    text = (tmp_path / "ledger.json").read_text(encoding="utf-8")
    assert text == sb.export_claims().to_text()
    found = sb.read_claims(tmp_path / "ledger.json")
    assert found.to_text() == text
    assert [claim_json(claim) for claim in found.claims] == [claim_json(claim) for claim in all_claims()]
    assert found.withdrawn == all_withdrawn()
    assert is_valid(json.loads(text))


def test_an_invented_ledger_goes_round() -> None:
    body = INVENTED.to_json()
    found = parse_export(INVENTED.to_text())
    assert found.to_text() == INVENTED.to_text()
    assert is_valid(body)
    assert found.claims[0].check().verdict is None  # a file has no checks
    assert [c.expected for c in found.claims] == [c.expected for c in SMALL]
    lost = claim_json(SMALL[0].__class__(**{**SMALL[0].__dict__, "quote": Lost("torn")}))
    assert (lost["quote"], lost["quote_lost"]) == (None, "torn")


def test_every_field_of_a_claim_is_in_the_file() -> None:
    """But for what computes, of which there is the number of routes."""
    said = set(claim_json(SMALL[0])) - {"routes", "quote_lost"}
    assert said == set(SMALL[0].__dataclass_fields__) - {"check", "again", "rerun"}


WRONG: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a verdict": (lambda body: body["claims"][0].update(expected="wrong"), "expected"),
    "a field too many": (lambda body: body["claims"][0].update(more=1), "is not a field"),
    "a field too few": (lambda body: body["claims"][0].pop("scope"), "scope is missing"),
    "a premise": (lambda body: body["claims"][0].update(depends_on=["zhou2024.none"]), "not among the claims"),
    "a root": (lambda body: body["claims"][0].update(root="zhou2024.none"), "not among the claims"),
    "a paper": (lambda body: body["claims"][0].update(paper="nobody1999"), "not among the papers"),
    "an id twice": (lambda body: body["claims"].append(body["claims"][0]), "two things"),
    "a tombstone": (lambda body: body["withdrawn"][0].update(id="zhou2024.lemma"), "two things"),
    "a name": (lambda body: body["withdrawn"][0].update(id="no name"), "not the name of a claim"),
    "routes": (lambda body: body["claims"][0].update(routes=3), "routes"),
    "a quotation that is lost": (lambda body: body["claims"][0].update(quote_lost="torn"), "lost"),
    "a version": (lambda body: body.update(synthbounds_claims=2), "must be 1"),
    "no list": (lambda body: body.update(papers={}), "must be a list"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_refused(name: str) -> None:
    change, words = WRONG[name]
    body = INVENTED.to_json()
    change(body)
    with pytest.raises(DataError, match=words):
        parse_export(sealed(body))


def test_a_file_that_was_changed_is_refused(tmp_path: Path) -> None:
    text = INVENTED.to_text().replace("Half of it holds.", "All of it holds.")
    with pytest.raises(DataError, match="has been changed"):
        parse_export(text)
    (tmp_path / "a.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match="ends early, line 1"):
        read_export(tmp_path / "a.json")


def test_the_papers_are_those_that_were_read() -> None:
    papers = {source.key: source.version for source in ledger_export().papers}
    assert papers == {claim.paper: claim.version for claim in all_claims()}
