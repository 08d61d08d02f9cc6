"""confirm --predictions: files and reports, refusals that spend nothing and show nothing, two processes, accounts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import synthbounds as sb
from bounds.errors import DataError, UsageError
from bounds.exact import show_rational
from bounds.privacy.pure import pure_epsilon
from release.moments.read import read_release
from synthbounds.cli import main
from tests.moment_examples import SCHEMA, table
from tests.synthbounds.folders import copied, quietly_in
from tests.synthbounds.test_confirm_cli import BUDGET, REAL, flat, state, write_table

ROWS = 3011
CANARY = "0.7771234"
CONFIRM = ["confirm", "table.csv", "release.json", "--predictions", "p.csv", "--model-from", "table"]
LOSS = [*CONFIRM, "--loss", "log", "--output", "query.json"]


def write_predictions(path: str, values: object) -> None:
    Path(path).write_text("\n".join(["score", *map(str, values)]) + "\n")  # type: ignore[call-overload]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("predictions")
    codes = table(ROWS)
    write_table(folder / "table.csv", codes)
    (folder / "schema.json").write_text(SCHEMA.to_text())
    (folder / "model.pkl").write_bytes(b"\x80\x04not a pickle that anything opens")
    labels = codes[:, SCHEMA.names.index("pays")]
    stream = np.random.default_rng(3)
    with quietly_in(folder):
        write_predictions("p.csv", np.round(0.3 + 0.4 * labels + stream.uniform(-0.2, 0.2, ROWS), 4))
        write_predictions("flat.csv", [CANARY] * ROWS)
        asked = ["table.csv", "--schema", "schema.json", "--label", "pays", *BUDGET]
        for name, more in {"real": REAL, "simulated": ["--mode", "simulate", "--seed", "3"]}.items():
            assert main(["release", "moments", *asked, *more, "--output", f"{name}.json"]) == 0
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return copied(made, tmp_path, monkeypatch)


def test_a_query_is_answered_marked_and_read_again(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LOSS[:3], "model.pkl", *LOSS[3:], "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert read_release("release.json").reservation_state == "spent"
    assert report["model"]["is_private"] is False
    assert "NOT private" in report["model"]["note"]
    assert main(["certify", "release.json", "model.pkl", "--query", "query.json", "--format", "json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["interval"] == report["interval"]
    assert Fraction(report["interval"]["lo"]) < Fraction(report["interval"]["hi"])
    assert main(["certify", "release.json", "--query", "query.json"]) == 0
    assert "NOT private" in flat(capsys.readouterr().out)
    Path("model.pkl").write_bytes(b"changed")
    assert main(["certify", "release.json", "model.pkl", "--query", "query.json"]) == 3
    assert "model: was changed after the query" in capsys.readouterr().err
    assert main(["certify", "release.json", "--query", "query.json", "--beta", "0.1"]) == 2
    assert main(["certify", "release.json", "--query", "query.json", "--tau", "2"]) == 2
    assert "does not apply: this query is about predictions" in capsys.readouterr().err
    before = state(place)
    assert main([*CONFIRM, "--loss", "brier", "--output", "second.json"]) == 2
    assert state(place) == before


def test_an_area_bins_and_the_best_of_two(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy("simulated.json", "release.json")
    before = state(place)
    for asked, said in (
        (["--ask", "auc", "--least-positive", "500", "--least-other", "500"], "area under the ROC curve"),
        (["--ask", "calibration", "--bins", "5"], "in all bins at once"),
    ):
        assert main([*CONFIRM, *asked]) == 0
        assert said in flat(capsys.readouterr().out)
    best = ["confirm", "table.csv", "release.json", "--loss", "zero-one", "--model-from", "public", "--predictions"]
    assert main([*best, "flat.csv", "p.csv"]) == 0
    said = flat(capsys.readouterr().out)
    assert "that of p.csv, chosen from 2" in said
    assert re.search(r"which of 2 models is best 0\.25 1(\.0*1)? .* 0\.7425 .* 0\.0075 ", said)
    spent = read_release("simulated.json").mu_squared_reserved / 4
    epsilon = show_rational(pure_epsilon(spent))
    assert f"of rate epsilon/(2 D); epsilon = {epsilon}, paid with 0.25 of the query's mu^2" in said
    assert state(place) == before  # a simulation that was only looked at


BAD: dict[str, tuple[list[str], int, str]] = {
    "short": ([CANARY] * (ROWS - 1), 3, "the number of rows is 3,011"),
    "long": ([CANARY] * (ROWS + 1), 3, "the number of rows is 3,011"),
    "nan": (["nan", *[CANARY] * (ROWS - 1)], 3, "row 1 is not one finite decimal number"),
    "gap": ([CANARY, "", *[CANARY] * (ROWS - 2)], 3, "row 2 is empty"),
    "infinite": ([*[CANARY] * (ROWS - 1), "-inf"], 3, f"row {ROWS} is not one finite decimal number"),
    "above": ([f"1{CANARY}", *[CANARY] * (ROWS - 1)], 3, "row 1 is not a probability"),
    "digits": (["0" * 200_000 + "1", *[CANARY] * (ROWS - 1)], 3, "row 1 has more than 400 digits"),
    "tiny": (["1e-999999999", *[CANARY] * (ROWS - 1)], 3, "row 1 has more than 400 digits"),
    "words": (["maybe", *[CANARY] * (ROWS - 1)], 3, "row 1 is not one finite decimal number"),
    "columns": ([f"{CANARY},{CANARY}"] * ROWS, 3, "row 1 is not one finite decimal number"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_predictions_spend_nothing_and_are_not_shown(
    kind: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values, code, said = BAD[kind]
    write_predictions("p.csv", values)
    before = state(place)
    assert main(LOSS) == code
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    assert said in told.err
    assert CANARY not in told.err
    assert state(place) == before


@pytest.mark.parametrize(
    ("changes", "code", "said"),
    [
        (["--tau", "2"], 2, "tau is for linear models"),
        (["--ask", "gradient"], 2, "ask = gradient"),
        (["--least-positive", "3"], 2, "least-positive = 3: is not for --ask loss"),
        (["--clip", "0.7"], 2, "clip"),
        (["--part", "2"], 2, "part = 2"),
        (["--predictions", "nowhere.csv"], 6, "nowhere.csv: cannot be read"),
        (["--predictions", "model.pkl"], 3, "model.pkl: is not UTF-8 text"),
        (["--predictions", "p.csv", "p.csv"], 2, "different names"),
        (["--output", "p.csv", "--force"], 6, "output = p.csv: is read as well (--predictions)"),
    ],
)
def test_what_is_refused(
    changes: list[str], code: int, said: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = state(place)
    assert main([*LOSS, *changes]) == code
    told = capsys.readouterr()
    assert said in told.err
    assert len(told.err.splitlines()) == 1
    assert state(place) == before


@pytest.mark.usefixtures("place")
def test_a_header_a_missing_origin_and_a_missing_output(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bare.csv").write_text(f"{CANARY}\n" * ROWS)
    for line, said in (
        ([*LOSS, "--predictions", "bare.csv"], "the first line must name the column"),
        ([*LOSS[:5], *LOSS[7:]], "model-from is missing"),
        ([*CONFIRM, "--loss", "log"], "output is missing"),
        (["confirm", "table.csv", "release.json", "--output", "query.json"], "model is missing"),
        (["confirm", "table.csv", "release.json", "m.json", "--bins", "3", "--output", "q"], "bins is for predictions"),
    ):
        assert main(line) in (2, 3)
        told = capsys.readouterr().err
        assert said in told
        assert CANARY not in told


def test_of_two_processes_one_draws(place: Path) -> None:
    line = [sys.executable, "-m", "synthbounds", *LOSS[:-1]]
    both = [
        subprocess.Popen([*line, f"q{i}.json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=place)
        for i in range(2)
    ]
    ends = sorted(process.communicate() and process.returncode for process in both)
    assert ends[0] == 0
    assert ends[1] != 0
    assert sum((place / f"q{i}.json").exists() for i in range(2)) == 1


def test_an_account_is_charged_for_choice_and_answer(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    opened = ["account", "open", "a.json", "--name", "people", "--adjacency", "replace-one"]
    assert main([*opened, "--epsilon", "9", "--dp-delta", "1e-6"]) == 0
    assert main([*LOSS[:3], "--loss", "log", "--model-from", "public", "--output", "q.json", "--account", "a.json",
                 "--predictions", "flat.csv", "p.csv"]) == 0  # fmt: skip
    capsys.readouterr()
    entries = [entry.what for entry in sb.show_account("a.json").ledger.entries]
    assert [what.partition(":")[0] for what in entries] == ["choice of a model", "scores"]
    assert CANARY not in "".join(path.read_text() for path in place.glob("*.json"))


def test_from_python() -> None:
    codes = table(ROWS)
    features = sb.models.build_feature_map(SCHEMA, label="pays")
    release = sb.models.make_release(
        codes, features, epsilon=4, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=3, reserve="1/4"
    )
    p = np.full(ROWS, 0.25)
    found = sb.confirm_predictions(codes, release, p, model_from="public", loss="brier")
    again = sb.certify_predictions(found.booking.payer.release, found.booking.query)
    assert again == found.scored
    best = sb.confirm_predictions(codes, release, [p, list(p)], model_from="public", loss="brier")
    assert best.booking.query.about["among"] == "2"
    with pytest.raises(UsageError, match="names no model file"):
        sb.certify_predictions(found.booking.payer.release, found.booking.query, model=__file__)
    with pytest.raises(DataError, match=f"{ROWS - 1:,} numbers; the number of rows is {ROWS:,}"):
        sb.confirm_predictions(codes, release, p[1:], model_from="public", loss="brier")
    texts = [CANARY] * ROWS
    found = sb.confirm_predictions(codes, release, texts, model_from="public", loss="brier")
    assert found.booking.query.about["name"] == "1"  # decimals as texts: no files of these names
    for several in (texts[1:], [CANARY, *texts], ["nowhere.csv", *texts[1:]]):
        with pytest.raises(DataError) as refused:
            sb.confirm_predictions(codes, release, several, model_from="public", loss="brier")
        assert CANARY not in str(refused.value)
    for wrong, said in (
        (np.full((ROWS, 2), 0.5), r"one column: predict_proba\(X\)\[:, 1\]"),
        (np.full((ROWS, 1), 0.5), "one column"),
        ([p, np.full((ROWS, 2), 0.5)], "one column"),
        (np.array(0.5), "one column"),
        (None, "predictions is missing"),
        (0.5, "of type float"),
        ({CANARY: 1}, "of type dict"),
    ):
        with pytest.raises(UsageError, match=said):
            sb.confirm_predictions(codes, release, wrong, model_from="public", loss="brier")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="row 1 is not one finite decimal number"):
        sb.confirm_predictions(codes, release, p * (1 + 0j), model_from="public", loss="brier")
    with pytest.raises(UsageError, match="is about predictions"):
        sb.confirm(codes, release, "model.json", ask="auc")


def test_all_that_is_missing_is_said_at_once() -> None:
    from bounds.errors import UsageError
    from synthbounds.api.predictions import require_question

    with pytest.raises(UsageError, match=r"^model-from and loss are missing: .*--model-from.*--loss"):
        require_question(None, model_from=None, loss=None)
    with pytest.raises(UsageError, match=r"^least-positive and least-other are missing: .* positive label"):
        require_question("auc", model_from="public", least_positive=None, least_other=None)
    require_question("calibration", model_from="public")
