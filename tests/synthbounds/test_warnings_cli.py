"""What releasing commands warn of, from public facts: a delta too large for the number of records, lost relations."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from bounds.errors import OutputError
from release.large_delta import large_delta
from synthbounds.cli import main

COLUMNS = [f"c{i}" for i in range(20)]
RECORDS = 400
ADD_REMOVE = ["--adjacency", "add-remove", "--least-size", "50"]
COMMANDS = {
    "synth": ["synth", "table.csv", "--synthetic", "o.csv", "--method", "independent"],
    "aim": ["synth", "table.csv", "--synthetic", "o.csv", "--method", "mst"],
    "lp": ["synth", "table.csv", "--synthetic", "o.csv", "--method", "lp", "--schema", "small.json", "--ignore-extra"],
    "marginals": ["release", "marginals", "table.csv", "--output", "o.json", "--one-way"],
    "moments": ["release", "moments", "table.csv", "--output", "o.json", "--label", "c0"],
    "floors": ["release", "floors", "table.csv", "--output", "o.json", "--label", "c0"],
    "distance": ["release", "distance", "table.csv", "table.csv", "--output", "o.json", "--label", "c0"],
    "accuracy": ["release", "accuracy", "table.csv", "table.csv", "--output", "o.json", "--workload", "pairs"],
    "regress": ["regress", "table.csv", "--output", "o.json", "--label", "c0", "--method", "ssp"],
}


def _write_schema(name: str, columns: list[str]) -> None:
    listed = [{"name": column, "levels": ["0", "1"]} for column in columns]
    Path(name).write_text(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": listed}))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(1).integers(0, 2, (RECORDS, len(COLUMNS)))
    Path("table.csv").write_text("\n".join([",".join(COLUMNS), *(",".join(map(str, row)) for row in rows)]) + "\n")
    _write_schema("schema.json", COLUMNS)
    _write_schema("small.json", COLUMNS[:4])
    return tmp_path


def _said(asked: list[str], *more: str, capsys: pytest.CaptureFixture[str]) -> str:
    schema = [] if "--schema" in asked else ["--schema", "schema.json"]
    assert main([*asked, *schema, "--epsilon", "1", *more, "--force"]) == 0
    return capsys.readouterr().err


@pytest.mark.parametrize("asked", COMMANDS.values(), ids=COMMANDS)
def test_a_delta_of_one_over_n_is_warned_of(asked: list[str], place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    simulate = ["--mode", "simulate"]
    said = _said(asked, "--dp-delta", "1/400", *simulate, capsys=capsys)
    assert "dp-delta = 0.0025: is too large for n = 400: from 1/n = 0.0025" in said
    assert "such as 1/n^2 = 0.0000062\n" in said
    assert "too large" not in _said(asked, "--dp-delta", "1/401", *simulate, capsys=capsys)


@pytest.mark.parametrize("name", ["marginals", "regress", "synth"])
def test_under_add_remove_only_the_least_size_counts(
    name: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for mode in ("simulate", "release"):
        asked = [*ADD_REMOVE, "--mode", mode]
        said = _said(COMMANDS[name], "--dp-delta", "0.1", *asked, capsys=capsys)
        assert "is too large for least-size = 50: from 1/least-size = 0.02" in said
        assert "400" not in said
        assert "too large" not in _said(COMMANDS[name], "--dp-delta", "1/399", *asked, capsys=capsys)


def test_a_release_warns_as_a_simulation_does(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--dp-delta", "0.1", "--mode", "release", "--adjacency", "replace-one"]
    said = _said(COMMANDS["marginals"], *asked, capsys=capsys)
    assert said.startswith("synthbounds: warning: dp-delta = 0.1: is too large for n = 400")
    assert said.count("\n") == 1


@pytest.mark.parametrize("asked", COMMANDS.values(), ids=COMMANDS)
def test_a_release_warns_before_its_noise(
    asked: list[str], place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warning after the noise would be about a budget that is gone."""

    def spend() -> None:
        assert "dp-delta = 0.1: is too large" in capsys.readouterr().err
        raise OutputError("stopped before the noise")

    monkeypatch.setattr("release.spending.require_memory", lambda *_: spend())
    arguments = [*asked, "--schema", "schema.json", "--epsilon", "1", "--dp-delta", "0.1", "--mode", "release"]
    assert main([*arguments, "--adjacency", "replace-one", "--force"]) == OutputError.exit_code
    assert "stopped before the noise" in capsys.readouterr().err


@pytest.mark.parametrize("size", [2, 3, 400, 48_842, 10**12])
def test_what_is_suggested_is_small_enough(size: int) -> None:
    said = large_delta(Fraction(1, size), size=size, is_least=False)
    assert said is not None
    assert Fraction(said.rpartition(" ")[2]) <= Fraction(1, size**2)
    assert large_delta(Fraction(1, size + 1), size=size, is_least=False) is None


def test_columns_that_became_independent_are_warned_of(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["synth", "table.csv", "--synthetic", "o.csv", "--mode", "simulate"]
    lost = "relations between columns are lost, because without a delta each is made on its own: add --dp-delta"
    assert lost in _said(asked, capsys=capsys)
    assert lost not in _said(asked, "--method", "independent", capsys=capsys)
    assert lost not in _said(asked, "--dp-delta", "1e-6", capsys=capsys)


@pytest.mark.parametrize(
    ("terminals", "times"), [(("out", "err"), 1), (("out",), 2), (("err",), 2), ((), 2)], ids=lambda found: str(found)
)
def test_a_terminal_shows_the_stamp_once_and_pipes_have_it_each(
    terminals: tuple[str, ...],
    times: int,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("out", "err"):
        monkeypatch.setattr(getattr(sys, f"std{name}"), "isatty", lambda name=name: name in terminals)
    for more in ([], ["--dp-delta", "0.1"]):  # other warnings are shown in any case
        asked = [*COMMANDS["marginals"], "--schema", "schema.json", "--epsilon", "1", "--mode", "simulate", *more]
        assert main([*asked, "--force"]) == 0
        said = capsys.readouterr()
        assert "NOT A RELEASE" in said.out
        assert (said.out + said.err).count("NOT A RELEASE") == times
        assert ("too large" in said.err) is bool(more)
    asked = ["synth", "table.csv", "--schema", "schema.json", "--epsilon", "1", "--mode", "simulate"]
    assert main([*asked, "--synthetic", "o.csv", "--output", "report.txt"]) == 0
    assert "NOT A RELEASE" in Path("report.txt").read_text()
    assert "NOT A RELEASE" in capsys.readouterr().err  # the terminal has not shown it
