"""The command infer, end to end: every question in every form, what its JSON promises, its pages, and its plans."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import synthbounds as sb
from mechanisms.infer.parameters import QUESTIONS
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.cli import main
from synthbounds.render.inferred import interval_payload
from synthbounds.schemas import json_schema
from tests.synthbounds.inferred_tables import CODES, PLAN, asked, inferred_folder, made  # noqa: F401 - fixtures

SIMULATED = ["--simulate", "199", "--seed", "7"]
LINES = {
    "share": ["tables.json", "--proportion", "ill=yes"],
    "two columns": ["tables.json", "--proportion", "ill=yes & sex=F"],
    "group": ["tables.json", "--proportion", "ill=yes", "--given", "sex=F"],
    "difference": ["tables.json", "--proportion", "ill=yes", "--difference", "sex", "--odds-ratio"],
    "rows": ["distance.json", "--proportion", "ill=yes", "--synthetic", "finished.csv"],
    "independence": ["tables.json", "--chi2", "sex:ill", *SIMULATED],
    "fit": ["tables.json", "--fit", "shares.csv", *SIMULATED],
    "components": ["moments.json", "--pca", "2"],
    "covariance": ["moments.json", "--pca", "1", "--centred"],
    "coefficients": ["moments.json", "--ols", "ill ~ sex + old"],
    "ridge": ["moments.json", "--ols", "ill ~ .", "--ridge", "1/10"],
    "lasso": ["moments.json", "--ols", "ill ~ .", "--lasso", "1/20"],
    "any formula": ["moments.json", "--ols", "ill ~ sex", "--any-formula"],
    "any lasso": ["moments.json", "--ols", "ill ~ .", "--lasso", "1/20", "--any-formula"],
    "no bounds": ["twins.json", "--ols", "ill ~ sex + copy"],
    "edges": ["moments.json", "--edges", "--least", "1/5"],
    "some edges": ["moments.json", "--edges", "--columns", "sex", "ill"],
    "signs": ["moments.json", "--signs", "model.json"],
    "ends": ["moments.json", "--signs", "model.json", "--intervals", "--coefficient", "old"],
}
PLANS = {
    "share": [*PLAN, "--proportion", "ill=yes", "--share", "1/10"],
    "group": [*PLAN, "--proportion", "ill=yes", "--given", "sex=F", "--pairs", "sex:ill"],
    "power": [*PLAN, "--chi2", "sex:ill", "--effect", "1/20"],
    "components": [*PLAN, "--pca", "1", "--label", "ill"],
    "coefficients": [*PLAN, "--ols", "ill ~ sex + old"],
}
SHARE = Fraction(int(CODES[:, 2].sum()), len(CODES))


def valid_by(body: dict[str, Any]) -> list[str]:
    names = ("output-infer", "output-infer-plan", "output-certify", "output-plan")
    return [name for name in names if Draft202012Validator(json_schema(name)).is_valid(body)]


def ends(body: dict[str, Any]) -> list[tuple[Fraction | None, Fraction | None]]:
    found = (one["interval"] for one in body["conclusions"])
    return [tuple(None if end is None else Fraction(end) for end in (e["lo"], e["hi"])) for e in found]  # type: ignore[misc]


@pytest.mark.share(3)
@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("name", LINES)
def test_every_answer_is_valid_json_of_one_form(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    body = asked([*LINES[name], "--format", "json", "--report", "page.html"], capsys)
    assert valid_by(body) == ["output-infer"]
    assert body["question"] in QUESTIONS
    assert body["stamp"] == NOT_A_RELEASE
    first = body["conclusions"][0]
    assert {key: body[key] for key in ("about", "kind", "level", "estimate", "interval")} == {
        key: first[key] for key in ("about", "kind", "level", "estimate", "interval")
    }
    assert all(lo is None or hi is None or lo <= hi for lo, hi in ends(body))
    page = Path("page.html").read_text(encoding="utf-8")
    tree = ElementTree.fromstring(page.split("\n", 1)[1] if page.startswith("<!") else page)  # noqa: S314 - our own
    drawn = [e for e in tree.iter() if e.tag.endswith("svg") and e.get("role") == "img"]
    assert len(drawn) >= (1 if name == "no bounds" else 2)  # guesses, and intervals, eigenvalues or edges
    assert NOT_A_RELEASE in page


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("name", ["difference", "independence", "coefficients", "edges"])
@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_people_read_the_same_sentence_in_every_form(name: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["infer", *LINES[name], "--format", form]) == 0
    told = capsys.readouterr()
    said = " ".join(told.out.replace("\\", "").replace("*", "").split())
    sentence = {
        "difference": "in the population it was drawn from",
        "independence": "is rejected at significance 0.05",
        "coefficients": "Least squares of ill with 3 coefficients: with 95",
        "edges": "pairs of columns certainly go together or apart",
    }[name]
    assert sentence in said
    assert "nothing: you may ask a release as often as you like" in said
    assert told.err == f"synthbounds: warning: {NOT_A_RELEASE}\n"


@pytest.mark.usefixtures("made")
def test_what_is_true_is_not_excluded(capsys: pytest.CaptureFixture[str]) -> None:
    """Of this seed; how often it holds is measured elsewhere."""
    found = ends(asked([*LINES["share"], "--format", "json"], capsys))
    assert found[0][0] is not None
    assert found[0][1] is not None
    assert found[0][0] <= SHARE <= found[0][1]
    women = CODES[CODES[:, 0] == 0, 2]
    lo, hi = ends(asked([*LINES["group"], "--format", "json"], capsys))[0]
    assert lo is not None
    assert hi is not None
    assert lo <= Fraction(int(women.sum()), len(women)) <= hi
    x = np.column_stack([2 * CODES[:, 0] - 1, 2 * CODES[:, 1] / 3 - 1, np.ones(len(CODES))]).astype(float)
    exact, *_ = np.linalg.lstsq(x, 2.0 * CODES[:, 2] - 1, rcond=None)
    body = asked([*LINES["coefficients"], "--format", "json"], capsys)
    joint = [one for one in body["conclusions"] if one["simultaneous"]]
    assert [one["name"].split(",")[0] for one in joint] == ["sex", "old", "intercept"]
    for one, value in zip(joint, exact, strict=True):
        assert one["certified"]
        assert float(one["interval"]["lo"]) <= value <= float(one["interval"]["hi"])
    values = np.linalg.eigvalsh(np.column_stack([x[:, :2], x[:, 2]]).T @ x / len(CODES) / 3)[::-1]
    body = asked([*LINES["components"], "--format", "json"], capsys)
    together = [one for one in body["conclusions"] if one["simultaneous"]]
    for one, value in zip(together, values, strict=True):
        assert float(one["interval"]["lo"]) <= value <= float(one["interval"]["hi"])


@pytest.mark.usefixtures("made")
def test_python_answers_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    def same(name: str, conclusions: Any) -> None:
        body = asked([*LINES[name], "--format", "json"], capsys)
        assert body["conclusions"] == json.loads(json.dumps([interval_payload(one) for one in conclusions]))

    tables = sb.open_release("tables.json")
    moments: Any = sb.open_release("moments.json")
    same("difference", sb.infer_proportion(tables, "ill=yes", difference="sex", odds_ratio=True).conclusions)
    test = sb.infer_independence(tables, "sex:ill", simulate=199, seed=7)
    real = sb.would_real_table_reject(tables, "sex:ill")
    same("independence", (*test.conclusions, *real.conclusions))
    same("fit", sb.infer_fit(tables, "shares.csv", simulate=199, seed=7).conclusions)
    same("covariance", sb.infer_components(moments, 1, centred=True).conclusions)
    same("ridge", sb.infer_coefficients(moments, "ill ~ .", ridge="1/10").conclusions)
    same("some edges", sb.infer_edges(moments, columns=["sex", "ill"]).conclusions)
    same("ends", sb.infer_signs(moments, "model.json", intervals=True, coefficient="old").conclusions)


@pytest.mark.usefixtures("made")
def test_a_set_without_bounds_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    body = asked([*LINES["no bounds"], "--format", "json"], capsys)
    assert not body["details"]["bounded"]
    assert all(one["interval"] == {"lo": None, "hi": None} for one in body["conclusions"] if one["simultaneous"])
    assert set(body["details"]["weakness"]["drop"]) <= {"sex", "copy"}
    assert main(["infer", *LINES["no bounds"]]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "the noise is too large to bound all of them" in said
    assert "or give a ridge" in said


@pytest.mark.usefixtures("made")
def test_a_group_that_may_be_empty_excludes_nothing_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody is of the last value of old."""
    line = ["tables.json", "--proportion", "ill=yes", "--given", "old=105"]
    body = asked([*line, "--format", "json"], capsys)
    assert body["details"]["group_may_be_empty"]
    assert body["interval"] == {"lo": "0", "hi": "1"}
    assert main(["infer", *line]) == 0
    assert "!!" in capsys.readouterr().out.replace(NOT_A_RELEASE, "")


@pytest.mark.usefixtures("made")
def test_a_sign_is_proved_by_the_checker(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["moments.json", "--signs", "model.json", "--coefficient", "old", "--certificate", "old.json"]
    assert asked([*line, "--format", "json"], capsys)["details"]["certain"] == 1
    assert main(["check", "old.json", "--release", "moments.json", "--model", "model.json"]) == 0
    assert "has a coefficient of 'old' (place 1) greater than 0" in " ".join(capsys.readouterr().out.split())
    body = json.loads(Path("old.json").read_text(encoding="utf-8"))
    assert Draft202012Validator(json_schema("certificate-model")).is_valid(body)
    assert body["half"]["name"] == "old"
    assert main(["infer", *line[:-1], "again.json"]) == 0
    assert "again.json: re-prove it by `synthbounds check`" in " ".join(capsys.readouterr().out.split())
    body["half"]["sign"] = -body["half"]["sign"]
    Path("other.json").write_text(json.dumps(body), encoding="utf-8")
    assert main(["check", "other.json"]) == 1


@pytest.mark.usefixtures("made")
def test_a_release_has_no_stamp(capsys: pytest.CaptureFixture[str]) -> None:
    drawn = ["--mode", "release", "--adjacency", "replace-one", "--epsilon", "2", "--dp-delta", "1e-6"]
    assert (
        main(["release", "marginals", "table.csv", "--schema", "table.schema.json", *drawn, "--output", "r.json"]) == 0
    )
    capsys.readouterr()
    body = asked(["r.json", "--proportion", "ill=yes", "--format", "json", "--report", "r.html"], capsys)
    assert (body["mode"], body["stamp"]) == ("release", None)
    assert NOT_A_RELEASE not in Path("r.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("made")
def test_tables_from_elsewhere_are_asked_like_our_own(capsys: pytest.CaptureFixture[str]) -> None:
    ours: Any = sb.open_release("tables.json")
    Path("others.json").write_text(replace(ours, origin="elsewhere", plan=None, seed=None).to_text(), encoding="utf-8")
    body = asked(["others.json", "--proportion", "ill=yes", "--format", "json", "--report", "page.html"], capsys)
    assert valid_by(body) == ["output-infer"]
    assert (body["mode"], body["stamp"]) == ("elsewhere", None)
    assert body["conclusions"] == asked([*LINES["share"], "--format", "json"], capsys)["conclusions"]


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("name", PLANS)
def test_every_plan_is_valid_and_never_an_answer(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    body = asked([*PLANS[name], "--format", "json", "--report", "plan.html"], capsys)
    assert valid_by(body) == ["output-infer-plan"]
    assert "conclusions" not in body
    assert "nothing is released yet" in Path("plan.html").read_text(encoding="utf-8")
    assert main(["infer", *PLANS[name]]) == 0
    assert "nothing" in capsys.readouterr().out


@pytest.mark.usefixtures("made")
def test_plans_get_better_with_records(capsys: pytest.CaptureFixture[str]) -> None:
    def plan(name: str, n: str) -> dict[str, Any]:
        found: dict[str, Any] = asked([*PLANS[name], "--n", n, "--format", "json"], capsys)["plan"]
        return found

    few, many = ("1000", "100000")
    widths = [plan("share", n)["releases"][0]["population_width"] for n in (few, many)]
    assert widths[0] > 5 * widths[1]
    powers = [plan("power", n)["power_est"] for n in (few, many)]
    assert powers[0] < 0.5 < powers[1]
    gaps = [float(plan("components", n)["gap_needed"]) for n in (few, many)]
    assert gaps[0] == pytest.approx(100 * gaps[1], rel=0.05)
    hot, plain = (["--one-hot", "old"], ["--linear", "all"])

    def with_features(name: str, features: list[str]) -> dict[str, Any]:
        found: dict[str, Any] = asked([*PLANS[name], *features, "--format", "json"], capsys)["plan"]
        return found

    assert with_features("components", hot)["columns"] == 1 + 4 + 1  # sex, every value of old, the intercept
    assert with_features("components", plain)["columns"] == 1 + 1 + 1
    names = [[one["name"] for one in with_features("coefficients", one)["coefficients"]] for one in (hot, plain)]
    assert (len(names[0]), names[1]) == (5, ["sex", "old", "intercept"])  # the first value of old is left out
    small, half = (
        asked([*PLANS["group"], *more, "--format", "json"], capsys)["plan"] for more in (["--group-share", "1/10"], [])
    )
    assert (small["group_share"], half["group_share"]) == ("0.1", "0.5")
    assert small["releases"][0]["population_width"] > 2 * half["releases"][0]["population_width"]
    halves = [plan("coefficients", n)["coefficients"][0]["joint_est"] for n in ("10000", many)]
    assert halves[0] > 5 * halves[1]
