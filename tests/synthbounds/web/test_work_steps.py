"""Every step of the guided way, as a page asks for it: what it gives, how it is refused, how it is stopped."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bounds.errors import UsageError
from bounds.parameter import Parameter
from release.data.schema import DRAFTED
from release.moments.read import read_release
from release.spent import SPENT
from synthbounds.cli import main
from synthbounds.cli.run import all_options
from synthbounds.report.cautions import SIMULATED
from synthbounds.web.work.options import options_of, steps, words
from tests.paths import ROOT
from tests.synthbounds.web.working import RELEASE, SURVEY, SURVEY_SCHEMA, Person, person

MOMENTS = {
    "epsilon": "4", "dp-delta": "1e-6", "adjacency": "replace-one", "label": "insured", "reserve": "1/4",
    "one-hot": ["region"],
}  # fmt: skip
LABELS = {"schema": SURVEY_SCHEMA, "options": {"label": "insured", "held-out": "1/4"}}


@pytest.fixture(scope="module")
def steward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    with person(tmp_path_factory.mktemp("steps"), "--demo") as one:
        one.upload(SURVEY.read_bytes(), "survey.csv")
        yield one


@pytest.mark.parametrize("step", steps())
def test_no_option_names_a_file(step: str) -> None:
    for name, parameter in options_of(step).items():
        assert isinstance(parameter, Parameter)
        assert parameter.role is None, name
        assert parameter.kind != "file", name
        assert not parameter.positional, name


def test_a_draft(steward: Person) -> None:
    last = steward.done("draft", table="t1", options={"bins": "4"})
    body = last["body"]
    assert body["rows"] == 4000
    assert body["data_dependent"]
    assert body["schema"]["source"] != "public"
    assert [column["name"] for column in body["columns"]] == [column["name"] for column in SURVEY_SCHEMA["columns"]]
    assert "not a release" in last["warnings"][0] or "made from the data" in last["warnings"][0]


def test_a_schema_that_fits_and_one_that_does_not(steward: Person) -> None:
    assert steward.done("check-schema", table="t1", schema=SURVEY_SCHEMA)["body"]["records"] == 4000
    wrong = json.loads(json.dumps(SURVEY_SCHEMA))
    wrong["columns"][4]["levels"].remove("west")
    last = steward.do("check-schema", table="t1", schema=wrong)
    assert (last["exit_code"], last["body"]) == (3, None)
    assert "column 'region'" in last["error"]
    assert "'west'" not in last["error"]


def test_a_draft_whose_source_alone_was_changed_is_not_released(steward: Person) -> None:
    drafted = {**SURVEY_SCHEMA, "note": f"{DRAFTED}. It reveals them."}
    assert not steward.done("check-schema", table="t1", schema=drafted)["body"]["is_public"]
    options = {"epsilon": "1", "adjacency": "replace-one"}
    last = steward.do("prepare", table="t1", schema=drafted, kind="table", options=options)
    assert last["exit_code"] == 3
    assert "the note is still that of a draft" in last["error"]


def test_the_page_knows_the_note_of_a_draft() -> None:
    page = (ROOT / "synthbounds" / "web" / "page" / "schema_rows.js").read_text("utf-8")
    assert f'const DRAFTED = "{DRAFTED}";' in page


def test_the_page_knows_the_caution_that_made_up_rows_do_not_need() -> None:
    page = (ROOT / "synthbounds" / "web" / "page" / "made.js").read_text("utf-8")
    (sentence,) = re.findall(r'const REVEALING = "(.+)";', page)
    assert SIMULATED.endswith(f" {sentence}")


def test_a_plan(steward: Person) -> None:
    last = steward.done("plan", schema=SURVEY_SCHEMA, options={"n": "4000", "dp-delta": "1e-6", "label": "insured"})
    assert {"plan.svg", "report.html", "schema.json"} <= {one["name"] for one in last["files"]}
    assert steward.file(job=last["job"], name="plan.svg").startswith(b"<")
    assert last["body"]["rows"]
    assert "n" in steward.do("plan", schema=SURVEY_SCHEMA)["error"]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "independent"])
def test_a_plan_and_a_look_promise_by_the_method_that_will_be_taken(method: str, steward: Person) -> None:
    options = {"epsilon": "1", "dp-delta": "1e-8", "adjacency": "replace-one", "method": method}
    plan = {"n": "4000", "epsilon": "1", "dp-delta": "1e-8"}
    body = steward.done("plan", schema=SURVEY_SCHEMA, options=plan, synth=options)["body"]
    found = body["promised"]
    assert found["method"] == ("moments" if method == "auto" else method)
    assert found["surely"] == "95 % confidence"
    (row,) = [
        row
        for row in body["rows"]
        if (row["method"], row["epsilon"]) == (found["method"], "1")
        and row["dp_delta"]
        and Fraction(row["dp_delta"]) == Fraction("1e-8")
    ]
    promised, planned = Fraction(found["errors"]["one_way"]["error"]), Fraction(row["one_way"]["error"])
    assert planned <= promised <= planned * Fraction(101, 100)
    assert steward.prepared("t1", options=options, again=True)["promised"] == found


def test_an_option_that_is_empty_is_named() -> None:
    with pytest.raises(UsageError, match=r"^epsilon: is empty; enter a value$"):
        words("plan", {"epsilon": ""})


def test_what_will_be_refused_is_told_in_the_plan(steward: Person) -> None:
    options = {"epsilon": "1", "adjacency": "replace-one", "method": "moments"}
    body = steward.done("plan", schema=SURVEY_SCHEMA, options={"n": "4000"}, synth=options)["body"]
    assert "dp-delta" in body["promised"]["refused"] or "dp_delta" in body["promised"]["refused"]
    assert body["rows"]


def test_a_simulation_on_generated_rows(steward: Person) -> None:
    last = steward.done(
        "simulate",
        schema=SURVEY_SCHEMA,
        data="generated",
        records="500",
        options={"epsilon": "1", "method": "tree", "dp-delta": "1e-6", "label": "insured"},
    )
    table = list(csv.reader(io.StringIO(steward.file(job=last["job"], name="synthetic.csv").decode())))
    assert table[0] == [column["name"] for column in SURVEY_SCHEMA["columns"]]
    assert len(table) == 501
    assert "NOT A RELEASE" in last["warnings"][0]
    assert not last["spent"]
    assert steward.file(job=last["job"], name="synthetic.csv", most=9) == b"sex,age,s"
    head = steward.file(job=last["job"], name="report.html", most=15).lower()
    assert head.startswith(b"<!doctype html>")


def test_a_simulation_on_people_must_be_wanted(steward: Person) -> None:
    asked: dict[str, Any] = {"do": "simulate", "table": "t1", "schema": SURVEY_SCHEMA, "options": {"epsilon": "1"}}
    assert "protects nobody" in steward.refused("work", **asked)
    assert "protects nobody" in steward.refused("work", **asked, data="mine")
    assert "whole number" in steward.refused("work", **{**asked, "data": "generated", "records": "-5"})


def test_the_command_that_is_shown_does_the_same(
    steward: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = steward.say("demo", name="clinic")
    last = steward.done("simulate", table=demo["id"], schema=demo["schema"], options={"epsilon": "2"})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clinic.csv").write_bytes((SURVEY.parent / "clinic.csv").read_bytes())
    (tmp_path / "schema.json").write_bytes(steward.file(job=last["job"], name="schema.json"))
    words = shlex.split(last["command"])
    assert words == ["synthbounds", *last["arguments"]]
    assert main(words[1:]) == 0
    assert json.loads(capsys.readouterr().out)["k"] == last["body"]["k"]
    for name in ("synthetic.csv", "report.html"):
        assert (tmp_path / name).read_bytes() == steward.file(job=last["job"], name=name)


def test_a_release_of_moments_and_what_follows(steward: Person) -> None:
    """A certificate of a model, a query that its reservation pays for once, errors of a table: all from the page."""
    steward.done(
        "account",
        name="people",
        action="open",
        options={"name": "the people", "adjacency": "replace-one", "epsilon": "9", "dp-delta": "1e-6"},
    )
    shown = steward.prepared("t1", kind="moments", options=MOMENTS, account="people")
    assert shown["spends"] == {"epsilon": "4", "dp_delta": "1e-6", "adjacency": "replace-one", "n_is_public": True}
    assert shown["account"]["spent"] == "0"
    made = steward.done("release", ticket=shown["ticket"])
    assert all_options(made["arguments"]).account == "../people.account.json"
    model = steward.upload(model_for(steward.releases / made["release"] / "release.json"), "mine.json")["id"]
    last = steward.done("certify", release=made["release"], model=model, options={"tau": "2"})
    assert last["body"]["verdict"]
    assert "report.html" in {one["name"] for one in last["files"]}
    before = steward.done("account", name="people")["body"]
    assert before["reserved"] != "0"
    scores = steward.upload(b"insured\n" + b"0.8\n" * 4000, "scores.csv")["id"]
    query = {
        "kind": "query",
        "release": made["release"],
        "predictions": [scores],
        "schema": None,
        "options": {"model-from": "public", "loss": "log"},
        "account": "people",
    }
    asked = steward.prepared("t1", **query)
    answer = steward.done("release", ticket=asked["ticket"])
    assert "query.json" in {one["name"] for one in answer["files"]}
    assert "scores.csv" not in {one["name"] for one in answer["files"]}
    after = steward.done("account", name="people")["body"]
    assert after["reserved"] == "0"
    assert after["left"] == before["left"]
    assert "is spent" in steward.do("prepare", table="t1", **{**query, "again": True})["error"]


def model_for(release: Path) -> bytes:
    """A model of somebody else's: small coefficients for the features of the release."""
    features = read_release(release).feature_map
    body = {
        "synthbounds_model": 1,
        "feature_map": features.digest,
        "names": list(features.names),
        "coefficients": ["0.1"] * len(features.names),
        "loss": "logistic",
    }
    return json.dumps(body).encode()


@pytest.mark.slow
def test_errors_of_a_table(steward: Person) -> None:
    last = steward.done(
        "simulate",
        schema=SURVEY_SCHEMA,
        data="generated",
        records="300",
        options={"epsilon": "4", "dp-delta": "1e-6", "method": "moments", "label": "insured"},
    )
    made = {"job": last["job"], "name": "synthetic.csv"}
    found = steward.done("evaluate", real="t1", synthetic=made, **LABELS)
    assert {"errors.svg", "report.html"} <= {one["name"] for one in found["files"]}
    assert found["body"]["errors"]
    twin = steward.upload(SURVEY.read_bytes(), "survey.csv")["id"]
    assert steward.done("evaluate", real="t1", synthetic=twin, schema=SURVEY_SCHEMA)["arguments"][1:3] == [
        "survey.csv",
        "other-survey.csv",
    ]


def test_stopped_after_the_noise_and_recovered(steward: Person) -> None:
    """It says that it is spent, and keeps what was paid for, from which the release is finished."""
    options = {**RELEASE, "method": "aim", "dp-delta": "1e-9"}
    job = steward.say("work", do="release", ticket=steward.prepared("t1", options=options)["ticket"])["job"]
    while not (drawn := noisy(steward)):
        time.sleep(0.01)
    steward.say("stop", job=job)
    last = steward.end_of(job)
    assert (last["state"], last["exit_code"], last["spent"]) == ("stopped", 130, True)
    assert SPENT in last["error"]
    assert drawn.name in last["error"]
    (told,) = [one for one in steward.say("state")["releases"] if one["name"] == last["release"]]
    assert (told["state"], told["recovery"]) == ("interrupted", drawn.name)
    assert SPENT in told["told"]
    finished = steward.done("recover", release=last["release"])
    assert {"synthetic.csv", "synthetic.log.json"} <= {one["name"] for one in finished["files"]}
    assert "nothing that could be recovered" in steward.refused("work", do="recover", release=last["release"])


def noisy(steward: Person) -> Path | None:
    for path in steward.releases.glob("release-*/*.recovery.json"):
        try:
            if "measurements" in json.loads(path.read_text("utf-8")):
                return path
        except ValueError:
            continue
    return None


@pytest.mark.slow
def test_stopped_before_and_while_waiting(steward: Person) -> None:
    jobs = [
        steward.say(
            "work",
            do="simulate",
            table="t1",
            schema=SURVEY_SCHEMA,
            data="table-is-public",
            options={"epsilon": "1", "dp-delta": "1e-9", "method": "aim"},
        )["job"]
        for _ in range(4)
    ]
    for job in reversed(jobs):
        steward.say("stop", job=job)
        steward.say("stop", job=job)
    ends = [steward.end_of(job) for job in jobs]
    assert [(end["state"], end["exit_code"], end["spent"]) for end in ends] == [("stopped", 130, False)] * 4
    assert all("interrupted" in end["error"] for end in ends)


@pytest.mark.slow
def test_several_tabs_hear_the_same(steward: Person) -> None:
    job = steward.say("work", do="draft", table="t1")["job"]
    ends = [steward.end_of(job) for _ in range(3)]
    assert ends[0] == ends[1] == ends[2]
    (remembered,) = [one for one in steward.say("state")["jobs"] if one["job"] == job]
    assert remembered == {**ends[0], "body": None}


def test_what_the_page_keeps(steward: Person) -> None:
    steward.say("state", keep={"step": 3, "schema": SURVEY_SCHEMA})
    assert steward.say("state")["page"] == {"step": 3, "schema": SURVEY_SCHEMA}
    assert "keep" in steward.refused("state", keep=[1])


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("work", {}),
    ("work", {"do": "serve"}),
    ("work", {"do": ["draft"]}),
    ("work", {"do": "draft", "table": "t999"}),
    ("work", {"do": "draft", "table": "/etc/passwd"}),
    ("work", {"do": "draft", "table": "t1", "output": "x"}),
    ("work", {"do": "draft", "table": "t1", "options": {"output": "x"}}),
    ("work", {"do": "draft", "table": "t1", "options": {"bin": "3"}}),
    ("work", {"do": "draft", "table": "t1", "options": {"bins": 3}}),
    ("work", {"do": "draft", "table": "t1", "options": {"bins": "3\n"}}),
    ("work", {"do": "draft", "table": "t1", "options": ["bins"]}),
    ("work", {"do": "plan", "schema": "x"}),
    ("work", {"do": "plan", "schema": None}),
    ("work", {"do": "prepare", "table": "t1", "schema": SURVEY_SCHEMA, "kind": "confirm"}),
    ("work", {"do": "prepare", "table": "t1", "schema": SURVEY_SCHEMA, "options": {"epsilon": "1"}}),
    ("work", {"do": "prepare", "table": "t1", "schema": SURVEY_SCHEMA, "options": {**RELEASE, "seed": "1"}}),
    ("work", {"do": "prepare", "table": "t1", "schema": SURVEY_SCHEMA, "options": {**RELEASE, "mode": "simulate"}}),
    ("work", {"do": "prepare", "table": "t1", "schema": SURVEY_SCHEMA, "options": RELEASE, "account": "../x"}),
    ("work", {"do": "prepare", "table": "t1", "schema": SURVEY_SCHEMA, "options": RELEASE, "account": "nobody"}),
    ("work", {"do": "prepare", "table": "t1", "schema": SURVEY_SCHEMA, "options": RELEASE, "again": "yes"}),
    ("work", {"do": "prepare", "table": "t1", "kind": "query", "release": "release-99", "options": {}}),
    ("work", {"do": "simulate", "schema": SURVEY_SCHEMA, "data": "generated", "options": {"labels": ["--report"]}}),
    ("work", {"do": "simulate", "schema": SURVEY_SCHEMA, "data": "generated", "options": {"labels": []}}),
    ("work", {"do": "certify", "release": "..", "model": "t1"}),
    ("work", {"do": "recover", "release": "release-0"}),
    ("work", {"do": "account", "name": "../people", "action": "show"}),
    ("work", {"do": "account", "name": "people", "action": "remove"}),
    ("work", {"do": "account", "name": "nobody"}),
    ("job", {"job": "j999"}),
    ("stop", {"job": None}),
    ("file", {"job": "j1", "name": "../../uploads/t1.csv"}),
    ("file", {"job": "j1", "name": "survey.csv"}),
    ("file", {"release": ".claims", "name": "key"}),
    ("file", {"release": "..", "name": "x"}),
    ("file", {}),
    ("state", {"forget": "t999"}),
]


@pytest.mark.parametrize(("name", "body"), REFUSED)
def test_refused_with_one_sentence(steward: Person, name: str, body: dict[str, Any]) -> None:
    steward.done("draft", table="t1") if body.get("job") == "j1" and not steward.say("state")["jobs"] else None
    before = len(steward.say("state")["jobs"])
    assert len(steward.refused(name, **body)) < 300
    assert len(steward.say("state")["jobs"]) == before


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"{", b'{"do": NaN}', b'{"do": 0.1234567890123456789}', b"\xff", b"[" * 9000]
)
def test_what_is_no_request(steward: Person, text: bytes) -> None:
    status, answer = steward.post("work", text)
    assert status == 400
    assert "one JSON object" in json.loads(answer)["error"]


@pytest.mark.slow
def test_too_many_jobs(steward: Person) -> None:
    """Further ones are told to come again, and nothing of them is kept."""
    asked = {
        "do": "simulate",
        "table": "t1",
        "schema": SURVEY_SCHEMA,
        "data": "table-is-public",
        "options": {"epsilon": "1", "dp-delta": "1e-9", "method": "aim"},
    }
    statuses = [steward.post("work", asked) for _ in range(14)]
    jobs = [json.loads(answer)["job"] for status, answer in statuses if status == 200]
    assert {status for status, _ in statuses} == {200, 503}
    assert 8 <= len(jobs) <= 11
    for job in jobs:
        steward.say("stop", job=job)
    for job in jobs:
        steward.end_of(job)


@pytest.mark.slow
def test_a_trial_comes_with_what_repeats_it(steward: Person) -> None:
    other = {**SURVEY_SCHEMA, "note": "another book"}
    steward.done("plan", schema=SURVEY_SCHEMA, options={"n": "4000", "epsilon": "1"})
    steward.done("plan", schema=other, options={"n": "777", "epsilon": "2"})
    trial = steward.done(
        "simulate", schema=SURVEY_SCHEMA, data="generated", records="50", options={**RELEASE, "seed": "7"}
    )
    assert {"repeat.sh", "repeat.ipynb"} < {one["name"] for one in trial["files"]}
    script = steward.file(job=trial["job"], name="repeat.sh").decode()
    plan, synth = (line for line in script.splitlines() if line.startswith("synthbounds "))
    assert "--n 4000" in plan  # of the same schema, and its report in another place than the table's
    assert "--report plan.html" in plan
    assert shlex.split(synth) == [
        "synthbounds",
        *(word for word in trial["arguments"] if word not in ("--format", "json")),
    ]
    failed = steward.do("simulate", schema=SURVEY_SCHEMA, data="generated", options={**RELEASE, "epsilon": "0"})
    assert failed["exit_code"] == 2
    assert "repeat.sh" not in {one["name"] for one in failed["files"]}
