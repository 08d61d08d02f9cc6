"""What an account says about epsilon: what it says fits does fit, and little more does."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import synthbounds as sb
from synthbounds.cli import main

COLUMNS = ("a", "b", "c", "d")
DELTA = ["--dp-delta", "1e-9"]
REPLACE, REMOVE = ["--adjacency", "replace-one"], ["--adjacency", "add-remove", "--least-size", "500"]
SYNTH = ["synth", "table.csv", "--synthetic", "o.csv", "--method"]
RELEASES = {
    "moments": [*SYNTH, "moments", *DELTA, *REPLACE],
    "auto": ["synth", "table.csv", "--synthetic", "o.csv", *DELTA, *REPLACE],
    "mst": [*SYNTH, "mst", *DELTA, *REPLACE],
    "aim from the other adjacency": [*SYNTH, "mst", *DELTA, *REMOVE],
    "with a distance": [*SYNTH, "moments", *DELTA, *REPLACE, "--label", "a", "--distance", "0.1"],
    "lp": [*SYNTH, "lp", *DELTA, *REPLACE],
    "lp, pure": [*SYNTH, "lp", *REPLACE],
    "independent, pure": [*SYNTH, "independent", *REPLACE],
    "pure from the other adjacency": [*SYNTH, "independent", *REMOVE],
    "marginals": ["release", "marginals", "table.csv", "--output", "o.json", *DELTA, *REPLACE],
    "reserving": [
        "release",
        "moments",
        "table.csv",
        "--output",
        "o.json",
        "--label",
        "a",
        "--reserve",
        "0.3",
        *DELTA,
        *REPLACE,
    ],
    "floors": ["release", "floors", "table.csv", "--output", "o.json", "--label", "a", *DELTA, *REPLACE],
    "another delta": ["release", "marginals", "table.csv", "--output", "o.json", "--dp-delta", "1e-7", *REPLACE],
    "ssp": ["regress", "table.csv", "--output", "o.json", "--label", "a", "--method", "ssp", *DELTA, *REPLACE],
    "adassp": ["regress", "table.csv", "--output", "o.json", "--label", "a", "--method", "adassp", *DELTA, *REPLACE],
}
REFUSED = re.compile(r"nothing was spent; --epsilon (\S+) fits\n$")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(1).integers(0, 2, (600, 4))
    Path("table.csv").write_text("\n".join([",".join(COLUMNS), *(",".join(map(str, row)) for row in rows)]) + "\n")
    columns = [{"name": name, "levels": ["0", "1"]} for name in COLUMNS]
    Path("s.json").write_text(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))
    return tmp_path


def _release(words: list[str], epsilon: object) -> int:
    more = ["--schema", "s.json", "--mode", "release", "--account", "a.json", "--force"]
    return main([*words, *more, "--epsilon", str(epsilon)])


def _open(*budget: str) -> None:
    assert main(["account", "open", "a.json", "--name", "people", "--adjacency", "replace-one", *budget]) == 0


@pytest.mark.parametrize("words", RELEASES.values(), ids=RELEASES)
def test_the_epsilon_that_is_said_to_fit_is_accepted(
    words: list[str], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _open("--epsilon", "1", *DELTA)
    capsys.readouterr()
    assert _release(words, 4) == 2
    said = capsys.readouterr().err
    assert re.search(r"costs epsilon = \S+, and epsilon = 0\.99999\S* is left, at dp-delta = 1e-9; nothing", said), said
    found = REFUSED.search(said)
    assert found, said
    assert sb.show_account("a.json").ledger.spent == 0
    assert _release(words, found[1]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("name", ["moments", "mst", "marginals", "independent, pure", "ssp"])
def test_hardly_more_fits_than_is_said(name: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _open("--epsilon", "1", *DELTA)
    assert _release(RELEASES[name], 4) == 2
    found = REFUSED.search(capsys.readouterr().err)
    assert found
    assert _release(RELEASES[name], Fraction(found[1]) * Fraction(10_001, 10_000)) == 2


def test_a_pure_account_says_it_in_epsilon_alone(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _open("--epsilon", "1/3")
    capsys.readouterr()
    assert _release(RELEASES["independent, pure"], 2) == 2
    said = capsys.readouterr().err
    assert "as this account counts" not in said
    found = REFUSED.search(said)
    assert found
    assert found[1] == "0.333333"
    assert _release(RELEASES["independent, pure"], found[1]) == 0


def test_open_and_show_say_what_fits(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _open("--epsilon", "1", *DELTA)
    told = " ".join(capsys.readouterr().out.split())
    assert "A release with Gaussian noise of epsilon = 1" in told
    assert "rho = 0.0165575, more than the total" in told
    for _ in range(2):
        assert main(["account", "show", "a.json", "--format", "json"]) == 0
        fits = json.loads(capsys.readouterr().out)["epsilon_fits"]
        assert main(["account", "show", "a.json"]) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert f"Gaussian noise of epsilon = {fits}" in told
        assert _release(RELEASES["moments"], Fraction(fits) / 2) == 0
        capsys.readouterr()
    assert "A release" not in told


def test_once_a_release_is_paid_for_in_full_nothing_fits(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _open("--epsilon", "1")
    assert _release(RELEASES["independent, pure"], 1) == 0
    capsys.readouterr()
    assert _release(RELEASES["independent, pure"], 1) == 2
    assert capsys.readouterr().err.endswith("nothing was spent\n")
