"""Reports as they are opened: without a script or a request, readable by everybody, on a phone and on paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from synthbounds.cli import main
from tests.browser.calculator import unfold
from tests.browser.conftest import Visit
from tests.browser.looks import assert_everywhere, sheets
from tests.paths import ROOT

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "docs" / "examples"
TABLE, SCHEMA = str(EXAMPLES / "survey.csv"), str(EXAMPLES / "survey.schema.json")
PRIVATE = ["--mode", "simulate", "--seed", "1", "--dp-delta", "1e-6", "--epsilon", "1"]


def synth(place: Path) -> list[list[str]]:
    return [["synth", TABLE, "--schema", SCHEMA, *PRIVATE, "--synthetic", str(place / "table.csv")]]


def certificate(place: Path) -> list[list[str]]:
    release, model = str(place / "release.json"), str(place / "model.json")
    return [
        ["release", "moments", TABLE, "--schema", SCHEMA, "--label", "insured", *PRIVATE, "--output", release],
        ["train", release, "--tau", "2", "--output", model],
        ["certify", release, model],
    ]


def plan(_: Path) -> list[list[str]]:
    return [["plan", "--schema", SCHEMA, "--n", "20000"]]


@pytest.mark.parametrize("commands", [synth, certificate, plan])
def test_a_report_is_for_everybody(commands, tmp_path: Path, visit: Visit) -> None:  # type: ignore[no-untyped-def]
    report = tmp_path / "report.html"
    *before, last = commands(tmp_path)
    for command in [*before, [*last, "--report", str(report)]]:
        assert main(command) == 0
    page = visit(report.as_uri(), java_script_enabled=True)
    assert page.locator("script").count() == 0
    assert page.locator("h1").count() == 1
    unfold(page.locator("details"))
    assert_everywhere(page)
    assert sheets(page) >= 1
