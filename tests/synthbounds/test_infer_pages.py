"""Pages of conclusions: cautions that fit the subject of an answer, and correct levels."""

from __future__ import annotations

from pathlib import Path

import pytest

from synthbounds.cli import main
from synthbounds.report import cautions
from synthbounds.report.inference_sheet import (
    CONFIDENCE_OF_A_TEST,
    CONFIDENCE_OF_BOTH,
    NOT_CAUSES,
    POPULATION,
    TABLE_PART,
)
from tests.synthbounds.inferred_tables import asked, inferred_folder, made  # noqa: F401 - fixtures

SIMULATED = ["--simulate", "99", "--seed", "7"]
LINES = {
    "share": ["tables.json", "--proportion", "ill=yes"],
    "group": ["tables.json", "--proportion", "ill=yes", "--given", "sex=F"],
    "independence": ["tables.json", "--chi2", "sex:ill", *SIMULATED],
    "fit": ["tables.json", "--fit", "shares.csv", *SIMULATED],
    "components": ["moments.json", "--pca", "2"],
    "coefficients": ["moments.json", "--ols", "ill ~ sex + old"],
    "edges": ["moments.json", "--edges"],
}
OF_THE_TABLE = {cautions.NOT_THE_POPULATION, cautions.CONFIDENCE, NOT_CAUSES}
FITTING = {
    "share": {POPULATION, TABLE_PART, CONFIDENCE_OF_BOTH},
    "group": {POPULATION, TABLE_PART, CONFIDENCE_OF_BOTH},
    "independence": {POPULATION, TABLE_PART, CONFIDENCE_OF_A_TEST, NOT_CAUSES},
    "fit": {POPULATION, CONFIDENCE_OF_A_TEST, NOT_CAUSES},
    "components": OF_THE_TABLE,
    "coefficients": {POPULATION, TABLE_PART, CONFIDENCE_OF_BOTH, NOT_CAUSES},
    "edges": OF_THE_TABLE,
}
ALL = set().union(*FITTING.values())


def page(line: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    asked([*line, "--format", "json", "--report", "page.html", "--force"], capsys)
    return " ".join(Path("page.html").read_text(encoding="utf-8").split())


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("name", FITTING)
def test_cautions_fit_what_the_answer_is_about(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = page(LINES[name], capsys)
    assert {one for one in ALL if one in shown} == FITTING[name]


DIFFERENCE = ["tables.json", "--proportion", "ill=yes", "--difference"]


@pytest.mark.usefixtures("made")
def test_an_odds_ratio_is_told_and_drawn_of_the_table_and_the_population(capsys: pytest.CaptureFixture[str]) -> None:
    shown = page([*DIFFERENCE, "sex", "--odds-ratio"], capsys)
    assert "<h2>Odds ratio of ill=yes: " in shown
    assert "ratio; at 1 the odds are the same" in shown
    assert "ratio; at 1" not in page([*DIFFERENCE, "sex"], capsys)
    body = asked([*DIFFERENCE, "sex", "--odds-ratio", "--format", "json"], capsys)
    assert main(["infer", *DIFFERENCE, "sex", "--odds-ratio"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("  odds ratio ")]
    assert [" ".join(row[4:7]).rstrip(";") for row in rows] == ["in the table", "in the population"]
    for row, one in zip(rows, body["conclusions"][2:4], strict=True):
        lo, hi = (float(part.strip("[,]")) for part in row[2:4])
        assert lo <= float(one["interval"]["lo"]) < float(one["interval"]["hi"]) <= hi
        assert hi - lo < 1.02 * float(one["interval"]["hi"]) - float(one["interval"]["lo"])


@pytest.mark.usefixtures("made")
def test_an_odds_ratio_that_may_be_any_goes_from_0(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody is of the last value of old."""
    line = [*DIFFERENCE, "old=105,15", "--odds-ratio"]
    assert main(["infer", *line]) == 0
    assert capsys.readouterr().out.count("[0, no end)") == 2
    assert "ratio; at 1" not in page(line, capsys)


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize(
    ("name", "badge"),
    [
        ("share", "The level is exact"),
        ("group", "Levels of two kinds"),
        ("coefficients", "Levels of two kinds"),
        ("components", "The level is exact"),
    ],
)
def test_a_badge_names_every_kind_of_level(name: str, badge: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = page(LINES[name], capsys)
    assert badge in shown
    said = "in the population asymptotic: the level is a limit of many records."
    assert (said in shown) == (badge == "Levels of two kinds")
