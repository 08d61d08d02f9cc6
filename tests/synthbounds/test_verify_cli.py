"""The verify command: verdicts, exit codes, and a ledger that others can read."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

from bounds.papers import find_paper
from synthbounds.cli import main
from tests.paths import ROOT
from tests.verify.invented_claims import SMALL
from verify.claim import Claim, Evidence, Method, Verdict
from verify.counts import headline
from verify.ledger import all_claims
from verify.run import ClaimResult, run_claims
from verify.spread.workers import Workers

COVERAGE = ROOT / "verify" / "coverage"


def test_one_claim_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--id", "bojkovic2024.A5"]) == 0
    said = capsys.readouterr().out
    assert "inconsistent" in said
    assert "0.1172571162" in said
    assert "Again" in said


def test_one_claim_says_where_it_stands(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("verify.run.all_claims", lambda: SMALL)
    assert main(["verify", "--id", "zhou2024.lemma-again"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    version = find_paper("zhou2024").version
    for words in ("Quotation in words", f"Version read {version}", "Severity proof falls", "Repeats zhou2024.lemma"):
        assert words in said
    assert main(["verify", "--id", "zhou2024.theorem", "--format", "json"]) == 0
    (claim,) = json.loads(capsys.readouterr().out)["claims"]
    assert claim["depends_on"] == ["zhou2024.lemma", "zhou2024.step"]
    assert (claim["quote"], claim["version"], claim["root"]) == ("in words", version, None)


def test_findings_are_counted_not_verdicts(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("verify.run.all_claims", lambda: SMALL)
    assert main(["verify", "--workers", "1"]) == 0
    assert headline(SMALL) in " ".join(capsys.readouterr().out.split())
    assert main(["verify", "--workers", "1", "--format", "json"]) == 0
    counts = json.loads(capsys.readouterr().out)["counts"]
    assert (counts["findings"], counts["of_substance"], counts["slips"], counts["repeats"]) == (5, 3, 1, 1)


def test_what_falls(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("verify.graph.all_claims", lambda: SMALL)
    assert main(["verify", "--falls", "zhou2024.lemma"]) == 0
    said = capsys.readouterr().out
    assert "What falls with zhou2024.lemma" in said
    assert said.index("zhou2024.theorem") < said.index("zhou2024.corollary")
    assert main(["verify", "--falls", "zhou2024.lemma", "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in answer["falls"]] == ["zhou2024.theorem", "zhou2024.remark", "zhou2024.corollary"]
    assert (answer["repeats"], answer["theorems"]) == (["zhou2024.lemma-again"], ["zhou2024.lipschitz"])


def test_an_export_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "claims.json"
    target.write_text("kept", encoding="utf-8")
    assert main(["verify", "--export", str(target)]) == 6
    assert target.read_text(encoding="utf-8") == "kept"
    assert "--force" in capsys.readouterr().err


def test_a_second_route_that_could_not_be_run_is_no_disagreement() -> None:
    claim, other = all_claims()[0], next(v for v in Verdict if v is not all_claims()[0].expected)
    first = Evidence(claim.expected, "computed")
    missing = Evidence(None, "not run: the tables are not here")
    assert ClaimResult(claim, first, missing, 0.0).agrees
    assert ClaimResult(claim, first, Evidence(other, "computed"), 0.0).agrees is False
    assert ClaimResult(claim, missing, None, 0.0).agrees is None


@pytest.mark.slow
def test_claims_by_the_beginning_of_their_id(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--id", "bojkovic2024.A1", "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert {claim["id"] for claim in answer["claims"]} >= {"bojkovic2024.A1.harmonic", "bojkovic2024.A1.expectation"}
    assert all(claim["agrees"] for claim in answer["claims"])
    assert sum(answer["totals"].values()) == len(answer["claims"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--id", "nothing"], "the id of a claim"),
        (["--paper", "nobody1999"], "papers with claims"),
        (["--workers", "0"], "workers = 0"),
        (["--workers", "many"], "workers"),
        (["--falls", "nothing"], "the id of a claim"),
        (["--falls", "zhou2024.LA2.first", "--id", "zhou2024"], "leave it out with --falls"),
        (["--export", "claims.json", "--paper", "zhou2024"], "leave it out with --export"),
        (["--export", "claims.json", "--falls", "zhou2024.LA2.first"], "leave it out with --export"),
    ],
)
def test_unknown_names(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", *arguments]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert words in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("CLAIMS = 1\n", "must be a tuple"),
        ("import nothing_here\n", "ModuleNotFoundError"),
        ("CLAIMS = (\n", "SyntaxError"),
        ("from verify.claims.bojkovic2024_lemmas import CLAIMS\n", "is also in another file"),
    ],
)
def test_a_ledger_file_with_an_error(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import verify.claims

    (tmp_path / "zzz_broken.py").write_text(text)
    monkeypatch.setattr(verify.claims, "__path__", [*verify.claims.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "verify.claims.zzz_broken", raising=False)
    all_claims.cache_clear()
    try:
        assert main(["verify"]) == 3
    finally:
        all_claims.cache_clear()
        sys.modules.pop("verify.claims.zzz_broken", None)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "zzz_broken" in said
    assert words in said


def _wrong() -> Evidence:
    return Evidence(Verdict.UNDECIDABLE, "nothing was found")


def test_a_verdict_that_is_not_the_expected_one_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    claim = Claim("zhou2024.x", "zhou2024", "nowhere", "It is so.", Verdict.CONFIRMED, Method.EXACT, _wrong)
    monkeypatch.setattr("verify.run.all_claims", lambda: (claim,))
    assert main(["verify"]) == 1
    assert "expected confirmed, found undecidable" in " ".join(capsys.readouterr().out.split())
    assert main(["verify", "--id", "zhou2024.x"]) == 1


@pytest.mark.slow
def test_workers_change_nothing() -> None:
    claims = [claim for claim in all_claims() if claim.id.startswith("bojkovic2024.A")]
    alone, together = run_claims(claims), run_claims(claims, workers=Workers(2))
    assert [(r.claim.id, r.evidence, r.again) for r in alone] == [(r.claim.id, r.evidence, r.again) for r in together]


@pytest.mark.parametrize("path", sorted(COVERAGE.glob("*.csv")), ids=lambda p: p.stem)
def test_coverage_names_claims_or_reasons(path: Path) -> None:
    known = {claim.id for claim in all_claims()}
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert rows
    assert set(rows[0]) == {"locator", "statement", "claim", "reason"}
    for row in rows:
        assert row["locator"]
        assert row["statement"]
        assert bool(row["claim"]) != bool(row["reason"]), row
        assert all(name in known for name in row["claim"].split()), row
