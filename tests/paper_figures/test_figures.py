"""Figures: found by name, drawn the same each time, made by the command; and what those of zhou2024 say is so."""

from __future__ import annotations

import json
import re
import struct
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from paper_figures import make as make_module
from paper_figures import (
    methods_compared,
    style,
    times_faster,
    zhou2024_certified_actual,
    zhou2024_figure1a,
    zhou2024_figure1b,
    zhou2024_optimal_certificate,
    zhou2024_risk_over_n,
    zhou2024_table1,
    zhou2024_table2,
    zhou2024_upper_lower,
)
from paper_figures import registry as registry_module
from paper_figures.figure import Figure, NotRun
from paper_figures.make import computed, data_text, make, pictures
from paper_figures.registry import all_figures
from synthbounds.cli import main
from tests.paths import ROOT
from verify import real_tables

SHOWN = ROOT / "docs" / "figures"
NEEDS_TABLES = pytest.mark.skipif(not real_tables.all_here(), reason=real_tables.MISSING)


def _tiny(name: str = "tiny", **changes: Any) -> Figure:
    def draw(data: dict[str, Any], figure: Any) -> None:
        axes = figure.subplots()
        axes.plot(data["x"], data["y"], **style.series(0), label="ours")
        axes.plot(data["x"], data["y"], **style.paper(), label="printed")
        axes.set(xlabel="records", ylabel="risk")
        axes.legend()

    parts: dict[str, Any] = {
        "name": name, "title": "A title", "source": "a paper", "caption": "A caption.",
        "compute": lambda: {"x": [1, 2], "y": [0.5, 0.25]}, "draw": draw,
    }  # fmt: skip
    return Figure(**(parts | changes))


def _texts(svg: bytes) -> str:
    """Text of the picture; a formula is split into pieces, which are joined."""
    return " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg.decode()))


@pytest.fixture
def only_tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = {"missing": _tiny("missing", compute=_missing), "tiny": _tiny()}
    for module in (registry_module, make_module):
        monkeypatch.setattr(module, "all_figures", lambda: figures)


def _missing() -> dict[str, Any]:
    raise NotRun("the tables are not here")


def test_figures_are_found_and_complete() -> None:
    figures = all_figures()
    assert {"zhou2024-figure1a", "zhou2024-figure1b", "zhou2024-table1", "zhou2024-table2"} <= figures.keys()
    assert list(figures) == sorted(figures)
    for name, figure in figures.items():
        assert figure.name == name
        assert figure.title
        assert figure.caption.endswith(".")
        assert figure.source
        assert len(figure.title) <= 11 * figure.size[0], "the title is wider than the picture"


def test_the_page_lists_every_figure() -> None:
    page = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([a-z0-9-]+)` \|", page, re.MULTILINE)) == set(all_figures())


def test_the_same_data_give_the_same_pictures() -> None:
    figure = _tiny()
    first, again = (pictures(figure, figure.compute()) for _ in range(2))
    assert first == again
    assert b"<dc:date>" not in first["svg"]
    for text in ("A title", "A caption. (a paper)", "ours", "printed", "records", "risk"):
        assert text in _texts(first["svg"])
    assert first["png"].startswith(b"\x89PNG")
    assert struct.unpack(">II", first["png"][16:24]) == tuple(round(side * style.DPI) for side in figure.size)


def test_series_differ_in_colour_line_and_marker() -> None:
    looks = [style.series(i) for i in range(6)]
    for key in ("color", "linestyle", "marker"):
        assert len({str(look[key]) for look in looks} | {str(style.paper(line=True)[key])}) == 7


def test_a_figure_becomes_three_files(tmp_path: Path) -> None:
    made = make(_tiny(), computed(_tiny()), tmp_path / "new" / "folder")
    assert [Path(file).suffix for file in made.files] == [".json", ".png", ".svg"]
    assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == [
        "tiny.json",
        "tiny.png",
        "tiny.svg",
    ]
    assert json.loads(Path(made.files[0]).read_text())["data"] == {"x": [1, 2], "y": [0.5, 0.25]}
    assert make(_tiny(), computed(_tiny()), tmp_path / "new" / "folder") == made  # replaced


def test_nothing_is_written_where_something_fails(tmp_path: Path) -> None:
    assert make(_tiny(), computed(_tiny(compute=_missing)), tmp_path / "out").not_run == "the tables are not here"
    with pytest.raises(ValueError, match="JSON"):
        data_text(_tiny(), {"y": [float("nan")]})
    with pytest.raises(ZeroDivisionError):
        make(_tiny(draw=lambda data, figure: 1 / 0), computed(_tiny()), tmp_path / "out")
    assert not list(tmp_path.rglob("*.*"))


def test_the_command(only_tiny: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["figures", "--output", str(tmp_path / "out"), "--format", "json"]) == 0
    said = capsys.readouterr()
    rows = json.loads(said.out)["figures"]
    assert [(row["name"], len(row["files"]), row["not_run"]) for row in rows] == [
        ("missing", 0, "the tables are not here"),
        ("tiny", 3, ""),
    ]
    assert "not run: missing" in said.err
    assert main(["figures", "tiny", "tiny", "--output", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.count("A title") == 1


def test_the_command_lists_and_refuses(only_tiny: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["figures", "--list"]) == 0
    assert "tiny" in capsys.readouterr().out
    assert main(["figures", "tinny"]) == 2
    assert "did you mean tiny?" in capsys.readouterr().err
    assert main(["figures", "nothing-like-it"]) == 2
    assert "synthbounds figures --list" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert main(["figures", "tiny", "--output", str(tmp_path / "file")]) == 6
    assert "is not a folder" in capsys.readouterr().err


def test_without_matplotlib_the_command_says_what_is_missing(
    only_tiny: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["figures", "tiny"]) == 2
    assert "synthbounds[figures]" in capsys.readouterr().err


def test_figure_1a_of_zhou2024() -> None:
    data = zhou2024_figure1a.compute()
    assert data["printed"]["error"] == 0.061
    assert data["printed"]["largest_difference_est"] == pytest.approx(0.0620862, abs=2e-6)
    assert data["minimax"]["error"] == pytest.approx(0.0202313079384)
    assert data["minimax"]["error"] / data["printed"]["error"] == pytest.approx(1 / 3, abs=0.01)
    largest = max(abs(v - f) for v, f in zip(data["minimax"]["values"], data["loss"], strict=True))
    assert largest <= data["minimax"]["error"] + 1e-15
    texts = _texts(pictures(zhou2024_figure1a.FIGURE, data, ("svg",))["svg"])
    assert "printed: 0.0621 (stated 0.061)" in texts
    assert "minimax: 0.020231" in texts


def test_figure_1b_of_zhou2024() -> None:
    data = zhou2024_figure1b.compute(most=18)
    for iterations, row in data["printed"].items():
        entry = data["iterated"][iterations]
        assert entry["error"] == pytest.approx(row["error"], abs=0.0005)
        assert entry["coefficients"][0] == pytest.approx(row["c0"], abs=0.00005)
    assert min(data["errors"]) == data["errors"][15] == pytest.approx(0.0287591465274)
    assert data["limit"] == pytest.approx(0.060388406706)
    assert all(error > data["minimax"]["error"] for error in data["errors"])
    texts = _texts(pictures(zhou2024_figure1b.FIGURE, data, ("svg",))["svg"])
    assert "after 16 iterations" in texts


def test_upper_and_lower_bounds_stay_apart() -> None:
    data = zhou2024_upper_lower.compute(steps=7)
    assert data["thresholds"]["printed"] is None
    assert data["thresholds"]["corrected"] == pytest.approx(113.5802, abs=1e-4)
    assert data["upper"]["printed"] == data["upper"]["corrected"]
    pairs = zip(data["upper"]["sharp"], data["lower"]["sharp"], strict=True)
    apart = [up / low for up, low in pairs if up is not None and low is not None]
    assert len(apart) >= 4
    assert min(apart) > 10**6
    place = data["log_n"].index(1000)
    assert data["lower"]["printed"][place] == pytest.approx(1e-9 / 16)
    assert data["lower"]["corrected"][place] == pytest.approx(1e-9 / 40)
    assert "upper half, printed and corrected" in _texts(pictures(zhou2024_upper_lower.FIGURE, data, ("svg",))["svg"])


def test_bounds_over_n() -> None:
    data = zhou2024_risk_over_n.compute((10, 100), (4, 5, 12))
    few = data["bounds"]["10"]
    assert few["printed"][1] == pytest.approx(4.654125, abs=1e-6)
    assert few["sharp"][1] == pytest.approx(0.01384463, abs=1e-8)
    assert few["moments"][1] == pytest.approx(0.0036573, abs=1e-7)
    for curves in data["bounds"].values():
        assert min(curves["corrected"]) > data["trivial"]
        assert min(curves["sharp"]) < 1e-5
    texts = _texts(pictures(zhou2024_risk_over_n.FIGURE, data, ("svg",))["svg"])
    for text in ("10 features", "100 features", "zhou2024, as printed", "trivial bound"):
        assert text in texts


def test_the_optimal_certificate_is_the_least() -> None:
    data = zhou2024_optimal_certificate.compute((5,), (4, 8, 12), ("1", "5"))
    curves = data["over_degree"]["5"]
    assert curves["optimal"][1] == pytest.approx(0.168712, abs=1e-6)
    assert curves["minimax"][1] == pytest.approx(0.212545, abs=1e-6)
    assert curves["bernstein"][1] == pytest.approx(0.714068, abs=1e-6)
    assert curves["minimax"][0] < curves["minimax"][1] < curves["minimax"][2]
    for values in (*curves.values(), *data["over_radius"].values()):
        best = curves["optimal"] if len(values) == 3 else data["over_radius"]["optimal"]
        assert all(b <= v * (1 + 1e-9) for b, v in zip(best, values, strict=True))
    assert curves["optimal"][2] <= curves["optimal"][1] * (1 + 1e-6)
    assert "trivial bound R" in _texts(pictures(zhou2024_optimal_certificate.FIGURE, data, ("svg",))["svg"])


@NEEDS_TABLES
def test_table_1_of_zhou2024() -> None:
    data = zhou2024_table1.compute()
    wrong = [row for row in data["rows"] if row["records"] != row["printed_records"]]
    assert [(row["table"], row["records"], row["training_records"]) for row in wrong] == [("Churn", 4824, 3859)]
    assert all(row["dimensions"] == row["printed_dimensions"] for row in data["rows"])
    assert "48,842" in _texts(pictures(zhou2024_table1.FIGURE, data, ("svg",))["svg"])


def test_table_2_of_zhou2024() -> None:
    data = zhou2024_table2.compute()
    assert len(data["rows"]) == 18
    assert max(abs(row["standard_errors_away"]) for row in data["rows"]) <= 3
    assert "0.766 / 0.768" in _texts(pictures(zhou2024_table2.FIGURE, data, ("svg",))["svg"])


@pytest.mark.slow
@NEEDS_TABLES
def test_certified_is_above_actual() -> None:
    data = zhou2024_certified_actual.compute(("compas", "law"), zhou2024_certified_actual.EPSILONS[:2])
    for name, curves in data["tables"].items():
        assert all(a < c for a, c in zip(curves["actual_est"], curves["certified"], strict=True))
        assert curves["certified"][1] < curves["certified"][0] < 0.2
        for key in ("certified", "actual_est"):  # solvers stop in the last digits of the machine's linear algebra
            assert curves[key] == pytest.approx(_shown()["tables"][name][key][:2], rel=0.02)
    assert data["tables"]["compas"]["printed"][7] == pytest.approx(0.622 - 0.617)
    assert "Law, n = 20,798" in _texts(pictures(zhou2024_certified_actual.FIGURE, data, ("svg",))["svg"])


def _shown() -> Any:
    """The data of the picture that the README shows."""
    return json.loads((SHOWN / "zhou2024-certified-actual.json").read_text(encoding="utf-8"))["data"]


@pytest.mark.parametrize("name", ["zhou2024-certified-actual", "methods-compared", "times-faster"])
def test_pictures_that_pages_show_are_what_their_data_draw(name: str) -> None:
    data = json.loads((SHOWN / f"{name}.json").read_text(encoding="utf-8"))["data"]
    drawn = pictures(all_figures()[name], data, ("svg",))["svg"].decode()
    kept = (SHOWN / f"{name}.svg").read_text(encoding="utf-8")
    drawn, kept = (re.sub(r"\b[pm][0-9a-f]{10}\b", "name", text) for text in (drawn, kept))  # depends on last digits
    number = re.compile(r"(?<![\w#])-?\d+(?:\.\d+)?")
    assert number.sub("0", drawn) == number.sub("0", kept)
    ours, theirs = ([float(x) for x in number.findall(text)] for text in (drawn, kept))
    assert ours == pytest.approx(theirs, abs=0.05)  # of a point


@pytest.mark.parametrize("shown", [methods_compared, times_faster])
def test_pictures_of_benchmarks_have_the_recorded_runs(shown: ModuleType) -> None:
    kept = json.loads((SHOWN / f"{shown.FIGURE.name}.json").read_text(encoding="utf-8"))["data"]
    assert shown.compute() == kept


def test_figures_without_their_tables_are_not_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(real_tables, "FOLDER", tmp_path)
    for module in (zhou2024_table1, zhou2024_certified_actual):
        assert make(module.FIGURE, computed(module.FIGURE), tmp_path / "out").not_run == real_tables.MISSING
    assert not (tmp_path / "out").exists()
