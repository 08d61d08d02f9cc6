"""The confirm command: an answer and its price written together, its certificate recomputed by anyone, refusals."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from bounds.certify.classes import ModelClass
from mechanisms.models.confirm import ask as confirming
from mechanisms.models.model import read_model
from mechanisms.models.train.newton import mean_loss, train_on_table
from release.data.schema import read_schema
from release.data.tables import read_codes
from release.gradient import make as query
from release.gradient.make import Booking
from release.gradient.read import read_query
from release.moments.read import read_release
from synthbounds.cli import main
from tests.moment_examples import SCHEMA, table
from tests.synthbounds.folders import copied, quietly_in

ROWS = 4137
RELEASE = ["release", "moments", "table.csv", "--schema", "schema.json", "--label", "pays", "--one-hot", "town"]
BUDGET = ["--epsilon", "4", "--dp-delta", "1e-6", "--reserve", "1/4"]
REAL = ["--mode", "release", "--adjacency", "replace-one"]
IF_IT_PAYS = ["confirm", "table.csv", "release.json", "model.json", "--ask", "gradient", "--output", "query.json"]
CONFIRM = [*IF_IT_PAYS[:6], "--anyway", *IF_IT_PAYS[6:]]  # the certificate of the release alone takes most of the time
CERTIFY = ["certify", "release.json", "model.json", "--query", "query.json"]


def write_table(path: Path, rows: np.ndarray) -> None:
    texts = [column.texts for column in SCHEMA.columns]
    lines = [",".join(SCHEMA.names), *(",".join(t[c] for t, c in zip(texts, row, strict=True)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with releases of one table, and models of each; every test works on a copy."""
    folder = tmp_path_factory.mktemp("confirm")
    write_table(folder / "table.csv", table(ROWS))
    (folder / "schema.json").write_text(SCHEMA.to_text())
    with quietly_in(folder):
        for name, asked in {
            "real": REAL,
            "simulated": ["--mode", "simulate", "--seed", "3"],
            "other": ["--mode", "simulate", "--seed", "4"],
            "private": [*REAL[:3], "add-remove", "--least-size", "3000"],
        }.items():
            assert main([*RELEASE, *BUDGET, *asked, "--output", f"{name}.json"]) == 0
            train = ["train", f"{name}.json", "--tau", "2", "--points", "2000"]
            assert main([*train, "--output", f"{name}.model.json"]) == 0
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = copied(made, tmp_path, monkeypatch)
    use("real")
    return folder


def use(name: str) -> None:
    """Take that release and its model."""
    shutil.copy(f"{name}.json", "release.json")
    shutil.copy(f"{name}.model.json", "model.json")


def state(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def flat(text: str) -> str:
    return " ".join(text.split())


# --- what it does ------------------------------------------------------------------------------------------------


def test_answer_and_price_are_written_together(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.chmod("release.json", 0o640)
    before = read_release("release.json")
    assert main(IF_IT_PAYS) == 0
    said = capsys.readouterr()
    assert said.err == ""
    release = read_release("release.json")
    assert (before.reservation_state, release.reservation_state) == ("open", "spent")
    assert release.reservation_id == before.reservation_id
    assert release.first_sums == before.first_sums
    assert os.stat("release.json").st_mode & 0o777 == 0o640
    answer = read_query("query.json", release)
    assert answer.mu_squared == release.mu_squared_reserved
    assert answer.coefficients == read_model("model.json", release.feature_map).coefficients
    shown = flat(said.out)
    assert shown.startswith(
        "Certificate by a planned query With confidence 95 %, no linear model of norm at most 2 has"
    )
    for text in (
        "gradient along the model",
        "gradient across the model",
        "its lower end along the model",
        "epsilon = 4, dp-delta = 0.000001 for the release and all its queries",
        "adjacency replace-one; n = 4,137 is public",
        "one record moves the sum of slopes times features by at most",
        "nothing: a further query is refused",
        "synthbounds certify release.json model.json --query query.json",
        answer.digest,
    ):
        assert text in shown
    assert not any(name.startswith(".synthbounds") for name in os.listdir(place))


def test_the_json_report(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CONFIRM, "--format", "json", "--beta", "0.1", "--tau", "3"]) == 0
    report = json.loads(capsys.readouterr().out)
    release = read_release("release.json")
    answer = read_query("query.json", release)
    found = confirming.query_route(
        answer,
        release,
        read_model("model.json", release.feature_map),
        ModelClass(loss="logistic", tau=Fraction(3)),
        failure=Fraction(1, 10),
    )
    assert Fraction(report["excess_upper"]) == found.bound == Fraction(report["query"]["bound"])
    assert report["class"] == {"tau": "3", "ridge": None, "intercept": "inside", "loss": "logistic"}
    assert (report["beta"], report["mode"], report["stamp"], report["seed"]) == ("0.1", "release", None, None)
    assert sum(Fraction(text) for text in report["query"]["failure"].values()) == Fraction(1, 10)
    assert (report["query"]["digest"], report["query"]["round"]) == (answer.digest, 1)
    assert (report["privacy"]["n"], report["privacy"]["n_is_public"]) == (ROWS, True)
    assert 3.9 < float(report["privacy"]["epsilon_spent"]) <= 4
    assert report["release"] == {"file": "release.json", "digest": release.digest, "reservation_state": "spent"}
    assert report["replaced"] == "release.json"
    parts = report["query"]["breakdown"]
    assert Fraction(parts["along"]["lo"]) < Fraction(parts["along"]["observed"]["lo"]) < Fraction(parts["along"]["hi"])
    assert "table" not in report["inputs"]


def test_a_small_reserve_is_helped_by_the_release(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [*RELEASE, *BUDGET[:-1], "1/400", *REAL, "--output", "release.json", "--force"]
    assert main(asked) == 0
    assert main(["train", "release.json", "--tau", "2", "--points", "2000", "--output", "model.json", "--force"]) == 0
    capsys.readouterr()
    assert main(CONFIRM) == 0
    shown = flat(capsys.readouterr().out)
    answer = read_query("query.json", read_release("release.json"))
    assert answer.offset > 0
    assert "which the release adds back" in shown
    assert "the release's own noise 0.0025" in shown


def test_a_query_that_does_not_pay_is_refused_before_anything_is_spent(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [*RELEASE, *BUDGET[:-1], "1/400", *REAL, "--output", "release.json", "--force"]
    assert main(asked) == 0
    assert main(["train", "release.json", "--tau", "2", "--points", "2000", "--output", "model.json", "--force"]) == 0
    capsys.readouterr()
    before = state(place)
    assert main(IF_IT_PAYS) == 4
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    expected, alone = (float(found) for found in re.findall(r"(?:be|is) ([\d.e-]+)[ ;]", said))
    assert expected >= alone > 0
    assert "nothing was spent (give --anyway" in said
    assert state(place) == before
    assert main([*IF_IT_PAYS, "--part", "1/2"]) == 0  # it moves the model, and is not asked for its certificate


def test_a_second_query_is_refused_before_the_table_is_read(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(CONFIRM) == 0
    Path("table.csv").unlink()
    before = state(place)
    capsys.readouterr()
    assert main([*CONFIRM[:-1], "again.json"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "reservation: is spent" in said.err
    assert said.err.count("\n") == 1
    assert "as spent)" not in said.err
    assert state(place) == before


@pytest.mark.parametrize(
    "form", ["text", *(pytest.param(form, marks=pytest.mark.slow) for form in ("markdown", "latex", "json"))]
)
def test_a_simulation_is_stamped_and_repeated_by_its_seed(
    place: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for seed in ("5", "5", "6") if form == "text" else ("5",):
        use("simulated")
        assert main([*CONFIRM, "--seed", seed, "--format", form, "--force"]) == 0
        said = capsys.readouterr()
        assert "NOT A RELEASE" in said.out
        assert "NOT A RELEASE" in said.err
        found.append(Path("query.json").read_text())
    if form == "text":
        assert found[0] == found[1] != found[2]
    assert json.loads(found[0])["stamp"].startswith("NOT A RELEASE")


def test_the_certificate_is_true_of_the_table(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not a promise for other seeds: it may fail once in twenty."""
    use("simulated")
    assert main([*CONFIRM, "--format", "json"]) == 0
    bound = float(json.loads(capsys.readouterr().out)["excess_upper"])
    features = read_release("release.json").feature_map
    codes = read_codes("table.csv", read_schema("schema.json"))
    f, y = features.features(codes) / features.one, features.labels(codes)
    model = read_model("model.json", features)
    ours = mean_loss(model.coefficients, f, y, np.full(len(codes), 1 / len(codes)), loss="logistic")
    assert 0 <= ours - train_on_table(codes, features, tau=2).risk_est <= bound < 0.02


@pytest.mark.slow
def test_two_rounds(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CONFIRM, "--part", "1/2"]) == 0
    assert "--tau 2 --output model2.json" in " ".join(capsys.readouterr().out.replace("\\\n", " ").split())
    release = read_release("release.json")
    first = read_query("query.json", release)
    assert (first.left_state, first.mu_squared, first.mu_squared_left) == (
        "open",
        release.mu_squared_reserved / 2,
        release.mu_squared_reserved / 2,
    )
    assert not first.offset + first.slope  # a gradient that moves a model carries no noise of the release
    assert main(["train", "release.json", "--query", "query.json", "--tau", "2", "--output", "model2.json"]) == 0
    said = flat(capsys.readouterr().out)
    assert "corrected by the answer to a query" in said
    assert "nothing more is spent" in said
    moved = read_model("model2.json", release.feature_map)
    assert moved.norm_squared <= 4
    assert moved.coefficients != first.coefficients
    kept = Path("release.json").read_bytes()
    again = ["confirm", "table.csv", "release.json", "model2.json", "--previous", "query.json", "--anyway"]
    assert main([*again, "--output", "query2.json", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["replaced"] == "query.json"
    assert Path("release.json").read_bytes() == kept
    spent = read_query("query.json", release)
    assert (spent.left_state, spent.identity, spent.sums) == ("spent", first.identity, first.sums)
    second = read_query("query2.json", release)
    assert (second.round, second.previous, second.left_state) == (2, first.identity, None)
    before = state(place)
    for extra in (["--previous", "query.json"], ["--previous", "query2.json"], []):
        assert main([*again[:4], *extra, "--output", "query3.json"]) == 2
        assert "reservation: " in capsys.readouterr().err
    assert state(place) == before
    assert main(["certify", "release.json", "model2.json", "--query", "query2.json"]) == 0


def test_correcting_says_what_it_did_in_json(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    use("simulated")
    assert main([*CONFIRM, "--part", "1/2"]) == 0
    capsys.readouterr()
    train = ["train", "release.json", "--query", "query.json", "--points", "2000", "--output", "model2.json"]
    assert main([*train, "--ridge", "0.01", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["stamp"].startswith("NOT A RELEASE")
    assert (report["tau"], report["ridge"], report["points"]) == (None, "0.01", 2000)
    assert 0 <= report["kept_est"] <= 1
    for asked, words in (
        (["--synthetic", "out.csv"], "leave --query out"),
        (["--loss", "squared"], "the loss of the query"),
        (["--intercept", "free"], "counts the intercept"),
        (["--tau", "1", "--ridge", "1"], "both given"),
    ):
        assert main([*train[:-1], "model3.json", *asked]) in (2, 4)
        assert words in capsys.readouterr().err
        assert not Path("model3.json").exists()


def test_the_number_of_records_stays_hidden_under_add_remove(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    use("private")
    assert main(CONFIRM) == 0
    said = capsys.readouterr()
    assert "n is private, at least 3,000" in flat(said.out)
    text = Path("query.json").read_text()
    assert "n" not in json.loads(text)
    assert not re.search(r"(?<![\d.])4,?137(?!\d)", said.out + said.err + text)  # as a number of its own
    assert main([*CERTIFY, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["query"]["beta"] == "0.04"


# --- what anyone can do with the answer --------------------------------------------------------------------------


def test_anyone_certifies_with_the_answer(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(CONFIRM) == 0
    capsys.readouterr()
    assert main([*CERTIFY, "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["beta"], report["event"]["beta"], report["query"]["beta"]) == ("0.05", "0.01", "0.04")
    bounds = [Fraction(route["bound"]) for route in report["routes"] if route["bound"] is not None]
    least = min(*bounds, Fraction(report["query"]["bound"]))
    assert Fraction(report["excess_upper"]) == least
    assert report["by_query"] == (least == Fraction(report["query"]["bound"]))
    assert report["by_query"]
    assert not report["uniform_over_models"]
    assert main(CERTIFY) == 0
    said = flat(capsys.readouterr().out)
    assert "must have been fixed before the answer was seen" in said
    assert "planned query" in said


def test_without_the_answer_nothing_changes(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CERTIFY[:3], "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["query"], report["by_query"], report["event"]["beta"]) == (None, False, "0.05")


@pytest.mark.slow
def test_fourth_moments_still_count_after_the_reservation_is_spent(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [*RELEASE, *BUDGET, *REAL, "--fourth", "--output", "release.json", "--force"]
    assert main(asked) == 0
    assert main(["train", "release.json", "--points", "2000", "--output", "model.json", "--force"]) == 0
    assert main(CONFIRM) == 0
    capsys.readouterr()
    assert main([*CERTIFY, "--format", "json"]) == 0
    assert 4 in [route["degree"] for route in json.loads(capsys.readouterr().out)["routes"]]


@pytest.mark.slow
def test_fourth_moments_are_not_used_for_a_corrected_model_unasked(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The query may have been asked at any model, also at one that depends on the noise of the fourth moments."""
    assert main([*RELEASE, *BUDGET, *REAL, "--fourth", "--output", "release.json", "--force"]) == 0
    assert main(["train", "release.json", "--points", "2000", "--output", "model.json", "--force"]) == 0
    assert main([*CONFIRM, "--part", "1/2"]) == 0
    train = ["train", "release.json", "--query", "query.json", "--points", "2000", "--output", "model2.json"]
    assert main(train) == 0
    capsys.readouterr()
    for held_out in ([], ["--held-out"]):
        assert main(["certify", "release.json", "model2.json", "--format", "json", *held_out]) == 0
        said = capsys.readouterr()
        assert (4 in [route["degree"] for route in json.loads(said.out)["routes"]]) == bool(held_out)
        assert ("fourth moments were not used" in said.err) == (not held_out)


def test_an_answer_certifies_its_own_model_alone(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    use("simulated")
    assert main(CONFIRM) == 0
    shutil.copy("query.json", "kept.json")
    capsys.readouterr()

    def refused(arguments: list[str], code: int, words: str) -> None:
        assert main(arguments) == code
        said = capsys.readouterr()
        assert said.out == ""
        assert words in said.err

    refused([*CERTIFY, "--loss", "squared"], 2, "the query is about the logistic loss")
    refused([*CERTIFY, "--intercept", "free"], 4, "intercept = free")
    refused([*CERTIFY, "--certificate", "proof.json"], 2, "leave --query out")
    text = Path("query.json").read_text()
    Path("query.json").write_text(text.replace('"round": 1', '"round": 2'))
    refused(CERTIFY, 3, "the file has been changed")
    body = json.loads(Path("model.json").read_text())
    body["coefficients"][0] = "0.1"
    del body["norm"]
    Path("model.json").write_text(json.dumps(body))
    refused([*CERTIFY[:-1], "kept.json"], 3, "was asked about another model")
    shutil.copy("other.json", "release.json")
    refused([*CERTIFY[:-1], "kept.json"], 3, "belongs to another release")


# --- what is refused, and failures -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (CONFIRM[:-2], 2, "output is missing"),
        ([*CONFIRM, "--beta", "0"], 2, "beta = 0: must be greater than 0"),
        ([*CONFIRM, "--beta", "1"], 2, "beta = 1: must be"),
        ([*CONFIRM, "--tau", "1"], 2, "at least the norm of the model"),
        ([*CONFIRM, "--tau", "nan"], 2, "tau = nan"),
        ([*CONFIRM, "--ridge", "0"], 2, "ridge = 0"),
        ([*CONFIRM, "--part", "0"], 2, "part = 0: must be greater than 0"),
        ([*CONFIRM, "--part", "3/2"], 2, "part = 3/2: must be"),
        ([*CONFIRM, "--seed", "1"], 2, "operating system"),
        ([*CONFIRM, "--previous", "nowhere.json"], 3, "nowhere.json"),
        ([*CONFIRM, "--previous", "model.json"], 3, "model.json"),
        ([*CONFIRM[:3], "nowhere.json", *CONFIRM[4:]], 3, "nowhere.json"),
        (["confirm", "nowhere.csv", *CONFIRM[2:]], 3, "nowhere.csv"),
        (["confirm", "table.csv", "nowhere.json", *CONFIRM[3:]], 3, "nowhere.json"),
        (["confirm", "table.csv", "schema.json", *CONFIRM[3:]], 3, "schema.json"),
        (["confirm", "short.csv", *CONFIRM[2:]], 3, "does not have the 4137 rows of the release"),
        ([*CONFIRM[:-1], "release.json"], 6, "exists"),
        ([*CONFIRM[:-1], "release.json", "--force"], 6, "is the release that is read"),
        ([*CONFIRM[:-1], "model.json", "--force"], 6, "is the model that is read"),
        ([*CONFIRM[:-1], "table.csv", "--force"], 6, "is the table that is read"),
        ([*CONFIRM[:-1], "nowhere/query.json"], 6, "does not exist"),
    ],
)
def test_refusals(place: Path, arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    write_table(Path("short.csv"), table(ROWS - 1))
    before = state(place)
    assert main(arguments) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("synthbounds: error: ")
    assert words in said.err
    assert said.err.count("\n") == 1
    assert "count epsilon as spent" not in said.err
    assert state(place) == before


def test_files_that_do_not_belong_together_are_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(arguments: list[str], code: int, words: str) -> None:
        before = state(place)
        assert main(arguments) == code
        assert words in capsys.readouterr().err
        assert state(place) == before

    release = Path("release.json").read_text()
    Path("release.json").write_text(release.replace('"state": "open"', '"state": "spent"'))
    refused(CONFIRM, 3, "the file has been changed")
    Path("release.json").write_text(release)
    body = json.loads(Path("model.json").read_text())
    Path("model.json").write_text(json.dumps(body | {"intercept": "free"}))
    refused(CONFIRM, 4, "intercept = free")
    Path("model.json").write_text(json.dumps(body | {"feature_map": "0" * 64}))
    refused(CONFIRM, 3, "feature_map")
    use("other")
    assert main([*CONFIRM, "--part", "1/2"]) == 0
    use("simulated")
    capsys.readouterr()
    refused([*CONFIRM[:-1], "query2.json", "--previous", "query.json"], 3, "belongs to another release")
    shutil.copy("other.json", "release.json")  # an old copy, in which the reservation is open
    refused([*CONFIRM[:-1], "query2.json", "--previous", "query.json"], 2, "use the release file")
    use("private")
    refused([*CONFIRM[:-1], "query2.json", "--ridge", "0.1"], 4, "under add-remove")
    assert main([*RELEASE, *BUDGET[:4], *REAL, "--output", "release.json", "--force"]) == 0
    capsys.readouterr()
    refused([*CONFIRM[:-1], "query2.json"], 2, "nothing is reserved")


def test_errors_of_a_release_show_no_data(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Path("table.csv").read_text().splitlines()
    lines[2] = lines[2].replace(lines[2].split(",")[1], "SECRET")
    Path("table.csv").write_text("\n".join(lines) + "\n")
    assert main(CONFIRM) == 3
    said = capsys.readouterr().err
    assert "row 2, column 'town'" in said
    assert "SECRET" not in said
    use("simulated")
    assert main(CONFIRM) == 3
    assert "SECRET" in capsys.readouterr().err


def full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("name", ["real", "simulated"])
@pytest.mark.parametrize("call", ["fsync", "link", "replace"])
def test_a_failed_write_leaves_everything_as_it_was(
    place: Path, name: str, call: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(name)
    before = state(place)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        assert main(CONFIRM) == 6
    said = capsys.readouterr().err
    assert "No space left" in said
    assert "count epsilon as spent" not in said  # writing is tried before the noise
    assert state(place) == before


def test_an_answer_that_gets_no_place_is_kept_beside_it(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    link = os.link

    def refuse(source: str, target: str) -> None:
        if str(target).endswith("query.json"):
            assert read_release("release.json").reservation_state == "spent"  # it is marked before the answer appears
            full()
        link(source, target)

    monkeypatch.setattr(os, "link", refuse)
    assert main(CONFIRM) == 6
    assert "count epsilon as spent; the noisy numbers are kept in query.json.recovery.json" in capsys.readouterr().err
    assert Path("query.json.recovery.json").exists()
    assert not Path("query.json").exists()
    assert read_release("release.json").reservation_state == "spent"


def test_a_report_that_cannot_be_printed_says_that_the_budget_is_spent(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            full()
            return 0

    before = state(place)
    with contextlib.redirect_stdout(Full()):
        assert main(CONFIRM) == 6
    said = capsys.readouterr().err
    assert "the files are complete" in said
    assert "count epsilon as spent" in said
    assert state(place) != before  # the answer is there, and what paid for it is marked
    assert Path("query.json").exists()


def test_an_interruption_says_that_the_budget_is_spent(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    before = state(place)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupt)
        assert main(CONFIRM) == 130
    said = capsys.readouterr().err
    assert said == "synthbounds: error: interrupted\n"  # before the noise
    assert state(place) == before
    monkeypatch.setattr(confirming, "query_route", interrupt)
    assert main(CONFIRM) == 130
    said = capsys.readouterr().err
    assert "count epsilon as spent" in said
    assert said.count("\n") == 1
    assert read_release("release.json").reservation_state == "spent"


def test_two_queries_at_once_do_not_both_succeed(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = query.ask_gradient

    def another_was_faster(*given: object, **named: object) -> Booking:
        monkeypatch.setattr(confirming, "ask_gradient", ask)
        assert main([*CONFIRM[:-1], "first.json"]) == 0
        return ask(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(confirming, "ask_gradient", another_was_faster)
    assert main(CONFIRM) == 6
    said = capsys.readouterr().err
    assert "release.json: has been changed since it was read" in said
    assert "count epsilon as spent" in said
    assert not Path("query.json").exists()
    read_query("first.json", read_release("release.json"))


def test_a_certificate_that_fails_after_the_noise_says_so(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bounds.errors import NotCertified

    def fails(*_: object, **__: object) -> None:
        raise NotCertified("no precision was enough")

    monkeypatch.setattr(confirming, "query_route", fails)
    assert main(CONFIRM) == 5
    assert "count epsilon as spent" in capsys.readouterr().err
    assert read_release("release.json").reservation_state == "spent"
    assert not Path("query.json").exists()


def test_a_simulation_that_is_looked_at_says_how_to_write_its_query(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*RELEASE, *BUDGET, "--mode", "simulate", "--output", "looked-at.json"]) == 0
    bare = ["confirm", "table.csv", "looked-at.json", "model.json", "--ask", "gradient", "--anyway"]
    for _ in range(2):  # as it says, a further query is accepted
        assert main(bare) == 0
        shown = flat(capsys.readouterr().out)
    assert "this one was not recorded" in shown
    assert "synthbounds confirm table.csv looked-at.json model.json" in shown
    assert shown.index("--output query.json") < shown.index("--query query.json")
