"""The lemmas of verify/formal: every one belongs to a claim, and Coq proves them where it is installed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from bounds.errors import DataError
from tests.paths import ROOT
from verify import formal_proofs
from verify.ledger import all_claims

PAGE = ROOT / "docs" / "formal-proofs.md"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with the smallest file of lemmas and what it uses."""
    for name in ("enclosures.v", "vietri2022.v"):
        shutil.copy(formal_proofs.FOLDER / name, tmp_path)
    return tmp_path


def changed(folder: Path, old: str, new: str) -> None:
    path = folder / "vietri2022.v"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def need_coq() -> None:
    without = formal_proofs.missing()
    if without:
        pytest.skip(f"not run: {without} (Debian packages coq, libcoq-coquelicot, libcoq-interval)")


def test_every_lemma_is_named_by_its_claim_and_every_named_lemma_exists() -> None:
    proved = {lemma.claim: lemma.name for lemma in formal_proofs.all_lemmas()}
    assert proved == {claim.id: claim.lemma for claim in all_claims() if claim.lemma}
    assert len(proved) == len(formal_proofs.all_lemmas()) >= 12


def test_a_lemma_stands_in_a_file_of_its_paper() -> None:
    assert all(x.name.startswith(x.claim.partition(".")[0]) for x in formal_proofs.all_lemmas())


def test_the_page_lists_the_lemmas() -> None:
    rows = re.findall(r"^\| `(\S+)` \| `(\S+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(lemma.claim, lemma.name) for lemma in formal_proofs.all_lemmas()]


@pytest.mark.parametrize("line", ["Axiom easy : False.", "Admitted.", "Parameter p : 1 = 2.", "Unset Guard Checking."])
def test_what_is_assumed_is_refused_unread(copy: Path, line: str) -> None:
    (copy / "wrong.v").write_text(f"(** An Axiom in a comment. *)\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"wrong\.v: .* has no place among proofs"):
        formal_proofs.all_lemmas(copy)


def test_a_lemma_of_no_claim_is_refused(copy: Path) -> None:
    changed(copy, "Lemma sigmoid", "Fact nothing : True. Proof. exact I. Qed.\n\nLemma sigmoid")
    with pytest.raises(DataError, match="no comment names the claim of sigmoid_approximates_the_complement"):
        formal_proofs.all_lemmas(copy)


def test_without_coq_nothing_is_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "")
    assert formal_proofs.main() == 0
    assert capsys.readouterr().out == "not run: coqc is not installed\n"


def test_without_the_lemmas_nothing_is_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wheel has none."""
    assert formal_proofs.main(tmp_path) == 0
    assert capsys.readouterr().out == "not run: the lemmas are not available\n"


@pytest.mark.slow
def test_coq_proves_all_lemmas(capsys: pytest.CaptureFixture[str]) -> None:
    need_coq()
    assert formal_proofs.main() == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{len(formal_proofs.all_lemmas())} lemmas proved by coqc ")


@pytest.mark.slow
def test_a_wrong_lemma_is_not_proved(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    need_coq()
    assert [lemma.claim for lemma in formal_proofs.prove(copy).lemmas] == ["vietri2022.D11.direction"]
    changed(copy, "< 0.00000001", "< 0.000000001")
    assert formal_proofs.main(copy) == 1
    assert capsys.readouterr().err.startswith("vietri2022.v is not proved: ")


@pytest.mark.slow
def test_a_proof_by_machine_floats_is_refused(copy: Path) -> None:
    """It is a right lemma, but it rests on what is said of the processor."""
    need_coq()
    changed(copy, "enclose.", "interval.")
    with pytest.raises(DataError, match=r"vietri2022\.sigmoid_approximates_the_complement rests on .*PrimFloat\.add"):
        formal_proofs.prove(copy)


@pytest.mark.slow
def test_an_assumption_that_is_not_called_one_is_refused(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Coq says the lemmas rest on decides, whatever the words in the file."""
    need_coq()
    changed(copy, "  repeat split; enclose.\nQed.", "Admitted.")
    monkeypatch.setattr(formal_proofs, "_UNPROVED", re.compile("nowhere to be found"))
    with pytest.raises(DataError, match=r"rests on .*sigmoid_approximates_the_complement"):
        formal_proofs.prove(copy)
