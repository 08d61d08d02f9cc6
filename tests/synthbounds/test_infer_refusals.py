"""What the command infer refuses: one line with the reason, the exit code of its kind, and nothing written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mechanisms.infer.parameters import INFER_PARAMETERS, NOT_PLANNED, PLANNED, QUESTIONS, TAKEN_BY
from synthbounds.cli import main
from tests.paths import ROOT
from tests.synthbounds.inferred_tables import PLAN, inferred_folder, made, said_of  # noqa: F401 - fixtures

ASKS = {
    "proportion": "ill=yes",
    "chi2": "sex:ill",
    "fit": "shares.csv",
    "pca": "1",
    "ols": "ill ~ sex",
    "edges": None,
    "signs": "model.json",
}
GIVEN = {
    "seed": "1",
    "simulate": "99",
    "adjacency": "replace-one",
    "synthetic": "finished.csv",
    "certificate": "c.json",
}
"""Values that are right where an option is in place; 1/2 is one for every number."""


def asking(question: str) -> list[str]:
    value = ASKS[question]
    return [INFER_PARAMETERS[question].option, *([] if value is None else [value])]


def giving(name: str) -> list[str]:
    parameter = INFER_PARAMETERS[name]
    return [parameter.option, *([] if parameter.kind == "flag" else [GIVEN.get(name, "1/2")])]


def refused(arguments: list[str], code: int, *said: str) -> None:
    """With one line that says why, and no file more than before."""
    before = sorted(Path().iterdir())
    found, out, err = said_of(arguments)
    assert (found, out) == (code, ""), (arguments, err, out)
    (line,) = err.splitlines()
    assert line.startswith("synthbounds: error: "), arguments
    assert "a bug of ours" not in line
    for part in said:
        assert part in line, line
    assert sorted(Path().iterdir()) == before


def test_every_option_is_refused_with_a_question_of_another_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before any file is opened: none of those that are named here exists."""
    monkeypatch.chdir(tmp_path)
    assert set(TAKEN_BY) <= set(INFER_PARAMETERS)
    for name, questions in TAKEN_BY.items():
        option = INFER_PARAMETERS[name].option
        for question in set(QUESTIONS) - set(questions):
            known = " and ".join(INFER_PARAMETERS[other].option for other in questions)
            why = f"{option} is for {known}, not for {INFER_PARAMETERS[question].option}"
            refused(["r.json", *asking(question), *giving(name)], 2, why)


def test_what_is_for_plans_needs_one_and_a_plan_takes_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in PLANNED:
        question = TAKEN_BY.get(name, QUESTIONS)[0]
        refused(["r.json", *asking(question), *giving(name)], 2, "is for a plan: add --plan")
    for name in NOT_PLANNED:
        question = TAKEN_BY.get(name, QUESTIONS)[0]
        given, said = (["r.json"], name) if name == "release" else (giving(name), INFER_PARAMETERS[name].option)
        refused(["--plan", *given, *asking(question)], 2, f"error: {said} is not for a plan")
    for question in ("fit", "edges", "signs"):
        refused(["--plan", *asking(question)], 2, "cannot be planned without a table")


def test_there_is_one_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused(["r.json"], 2, "the question is missing", "--proportion, --chi2")
    refused(["r.json", *asking("chi2"), *asking("edges")], 2, "--chi2 and --edges are 2 questions")
    for question in QUESTIONS:
        refused(asking(question), 2, "release is missing")
    refused(["r.json", "--proportion=--"], 2, "--proportion has no value")


@pytest.mark.usefixtures("made")
def test_releases_of_other_kinds() -> None:
    for name in ("proportion", "chi2", "fit"):
        refused(["moments.json", *asking(name)], 3, 'kind = "moments": must be "marginals"')
    for name in ("pca", "ols", "edges", "signs"):
        refused(["tables.json", *asking(name)], 3, 'kind = "marginals": must be "moments"')
    rows = ["--synthetic", "finished.csv"]
    refused(["tables.json", *asking("proportion"), *rows], 3, 'must be "accuracy" or "distance"')
    refused(["table.csv", *asking("pca")], 3, "is a table")
    refused(["model.json", *asking("pca")], 3, "is the file of a model")
    refused([".", *asking("pca")], 3, "is not a regular file")
    refused(["none.json", *asking("pca")], 3, "cannot be read")
    Path("none.json").write_bytes(bytes(range(256)))
    refused(["none.json", *asking("pca")], 3, "is not UTF-8")


WRONG: tuple[tuple[str, list[str], int, str], ...] = (
    ("tables.json", ["--proportion", "tall=yes"], 2, "tall is not a column"),
    ("tables.json", ["--proportion", "ill"], 2, "must be COLUMN=VALUE"),
    ("tables.json", ["--proportion", "ill=maybe"], 2, "maybe is not a value of it"),
    ("tables.json", ["--proportion", "ill=yes|no"], 2, "the share of all is 1"),
    ("tables.json", ["--proportion", "ill=yes", "--given", "ill=no"], 2, "a group needs another column"),
    ("tables.json", ["--proportion", "ill=yes", "--given", "sex=F", "--difference", "sex"], 2, "given"),
    ("tables.json", ["--proportion", "ill=yes", "--odds-ratio"], 2, "compares two groups"),
    ("tables.json", ["--proportion", "ill=yes", "--difference", "old"], 2, "a column of two values"),
    ("tables.json", ["--proportion", "ill=yes", "--level", "95"], 2, "level = 95: must be at least 0.5"),
    ("tables.json", ["--proportion", "ill=yes", "--level", "nan"], 2, "level = nan: must be a finite number"),
    ("tables.json", ["--proportion", "ill=yes", "--ignore-extra"], 2, "is for --synthetic"),
    ("distance.json", ["--proportion", "ill=yes", "--synthetic", "table.csv"], 3, "its digest is different"),
    (
        "distance.json",
        ["--proportion", "ill=yes", "--synthetic", "finished.csv", "--given", "sex=F"],
        2,
        "given is for",
    ),
    ("tables.json", ["--chi2", "sex"], 2, "must be two columns, A:B"),
    ("tables.json", ["--chi2", "sex:\u202e"], 2, "is not a column of the release"),
    ("tables.json", ["--chi2", "sex:sex"], 2, "given twice"),
    ("few.json", ["--chi2", "sex:ill"], 4, "no table of the release shows sex with ill"),
    ("tables.json", ["--chi2", "sex:ill", "--simulate", "9"], 2, "simulate = 9: must be at least 99"),
    ("tables.json", ["--chi2", "sex:ill", "--seed", "-1"], 2, "seed = -1"),
    ("tables.json", ["--fit", "table.csv"], 3, "the first line must name the columns and, last, share"),
    ("tables.json", ["--fit", "."], 3, "is not a regular file"),
    ("moments.json", ["--pca", "0"], 2, "pca = 0: must be at least 1"),
    ("moments.json", ["--pca", "1e400"], 2, "pca = 1e400"),
    ("moments.json", ["--pca", "9"], 2, "pca = 9: must be at least 1 and at most 2 (fewer than columns)"),
    ("moments.json", ["--ols", "ill ~"], 2, "a name is missing at the end"),
    ("moments.json", ["--ols", "ill ~ tall"], 2, "tall is not a column or feature"),
    ("moments.json", ["--ols", "ill ~ sex * old"], 2, "interactions"),
    ("moments.json", ["--ols", "ill ~ ill"], 2, "is on both sides"),
    ("moments.json", ["--ols", "ill ~ sex", "--ridge", "0"], 2, "ridge = 0"),
    ("moments.json", ["--ols", "ill ~ sex", "--ridge", "1", "--lasso", "1"], 2, "two penalties"),
    ("moments.json", ["--edges", "--columns", "sex"], 4, "at least two columns"),
    ("moments.json", ["--edges", "--least", "1"], 2, "least = 1"),
    ("moments.json", ["--signs", "tables.json"], 3, "is the file of a release"),
    ("moments.json", ["--signs", "model.json", "--tau", "1/1000"], 2, "at least the norm of the model"),
    ("moments.json", ["--signs", "model.json", "--coefficient", "tall"], 2, "coefficient = tall: must be one of sex"),
    ("moments.json", ["--signs", "model.json", "--certificate", "c.json"], 2, "name it (--coefficient)"),
    ("twins.json", ["--signs", "model.json"], 3, "names"),
)


@pytest.mark.usefixtures("made")
def test_bad_input_is_one_line() -> None:
    for release, arguments, code, said in WRONG:
        refused([release, *arguments], code, said)


@pytest.mark.usefixtures("made")
def test_what_is_not_certain_has_no_certificate() -> None:
    line = ["moments.json", "--signs", "model.json", "--tau", "20", "--coefficient", "sex"]
    refused([*line, "--certificate", "c.json"], 5, "the sign of sex is not certain")


@pytest.mark.usefixtures("made")
def test_plans_need_public_facts() -> None:
    refused([*PLAN, *asking("proportion"), "--group-share", "1/3"], 2, "group-share is the share of a group: give")
    refused([*PLAN, *asking("proportion"), "--difference", "sex"], 2, "plan the share in either group (--given)")
    pca, schema = asking("pca"), ["--schema", "table.schema.json"]
    refused(["--plan", *pca], 2, "schema is missing")
    refused(["--plan", *schema, *pca], 2, "epsilon is missing")
    refused(["--plan", *schema, *pca, "--epsilon", "1"], 2, "n is missing")
    refused(["--plan", *schema, *pca, "--epsilon", "1", "--n", "100"], 2, "dp-delta is missing")
    hidden = ["--adjacency", "add-remove"]
    refused([*PLAN, *pca, *hidden], 2, "least-size")
    refused([*PLAN, "--pca", "90"], 2, "pca = 90: must be at least 1 and at most 50 (components)")
    refused([*PLAN, *asking("chi2"), "--effect", "2"], 2, "effect = 2")
    refused([*PLAN, *asking("chi2"), "--pairs", "sex:old"], 4, "sex:ill is not among the planned tables")
    refused([*PLAN, *asking("proportion"), "--share", "0"], 2, "share = 0")
    refused([*PLAN, "--ols", "ill ~ tall"], 2, "tall is not a column")


def test_a_column_may_begin_with_a_minus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    columns = [{"name": name, "levels": ["0", "1"]} for name in ("-x", "y")]
    Path("s.json").write_text(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))
    Path("t.csv").write_text("-x,y\n" + "1,0\n0,1\n" * 500)
    asked = ["--schema", "s.json", "--epsilon", "1", "--dp-delta", "1e-6", "--mode", "simulate", "--output", "r.json"]
    assert main(["release", "marginals", "t.csv", *asked]) == 0
    assert main(["infer", "r.json", "--proportion", "-x=1", "--given", "y=0"]) == 0
    assert main(["infer", "r.json", "--chi2", "-x:y", "--simulate", "99"]) == 0


def test_a_plan_of_a_group_names_the_option_that_it_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    schema = ROOT / "docs" / "examples" / "survey.schema.json"
    asked = ["--plan", "--proportion", "insured=yes", "--given", "smoker=yes", "--n", "4000", "--epsilon", "1"]
    assert main(["infer", *asked, "--schema", str(schema)]) == 4
    said = capsys.readouterr().err
    assert "--dp-delta" in said
    assert "release:" not in said
