"""Certificates of answers on the command line: written with the answer, checked with its files, never in its way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bounds.errors import NotCertified
from synthbounds.cli import answer_proof, main
from tests.synthbounds.test_excess_cli import CERTIFY, EXCESS, TO_FILE, made, place

__all__ = ["made", "place"]  # fixtures


def test_an_answer_is_written_with_its_proof_and_the_proof_again(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*TO_FILE, "--certificate", "proof.json"]) == 0
    assert main([*CERTIFY, "--certificate", "again.json"]) == 0
    assert Path("proof.json").read_text() == Path("again.json").read_text()
    capsys.readouterr()
    check = ["check", "proof.json", "--release", "release.json", "--query", "query.json", "--model", "model.json"]
    assert main([*check, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["recomputed"]) == 3
    assert found["claims"]["ask"] == "excess"
    assert not any("model " in line[:6] for line in found["given"])
    assert main(["check", "proof.json", "--release", "simulated.json"]) == 1
    assert "release: is not that of the release" in capsys.readouterr().out


def test_gradients_have_no_such_file_and_nothing_is_spent(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = Path("release.json").read_bytes()
    command = [*EXCESS[:4], "--ask", "gradient", "--anyway", "--output", "query.json", "--certificate", "proof.json"]
    assert main(command) == 2
    assert "certificate: goes with --ask excess or --predictions" in capsys.readouterr().err
    assert Path("release.json").read_bytes() == before
    assert not Path("query.json").exists()


@pytest.mark.usefixtures("place")
def test_where_only_an_excess_can_be_asked_it_has_its_proof(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [*EXCESS[:4], "--against", "free.json", "--anyway", "--output", "query.json"]
    assert main([*asked, "--certificate", "proof.json"]) == 0
    assert main(["check", "proof.json", "--query", "query.json"]) == 0
    capsys.readouterr()
    assert main(["train", "release.json", "--query", "query.json", "--tau", "2", "--output", "next.json"]) == 2
    assert "query: must be the answer to a question about a gradient" in capsys.readouterr().err


def test_an_answer_that_was_paid_for_is_kept_where_the_checker_accepts_no_proof(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> str:
        raise NotCertified("certificate: the independent checker rejects it (why)")

    monkeypatch.setattr(answer_proof, "answer_certificate", refuse)
    assert main([*TO_FILE, "--certificate", "proof.json"]) == 0
    assert "the independent checker rejects it (why)" in capsys.readouterr().err
    assert Path("query.json").exists()
    assert not Path("proof.json").exists()
