"""Table 2 and Figures 2 to 5 of zhou2024, from recorded runs: what is recorded, what it says, and how it is judged."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paper_figures import (
    zhou2024_error_risk,
    zhou2024_figure2,
    zhou2024_figure3,
    zhou2024_figure4,
    zhou2024_figure5,
    zhou2024_table2_aim,
)
from paper_figures._zhou2024_runs import HELD_OUT, PAPER, differences, over_sets, printed, runs, verdict
from paper_figures.figure import NotRun
from paper_figures.make import pictures
from verify.experiments import recorded
from verify.experiments import zhou2024 as study
from verify.real_tables import NAMES

MODULES = (
    zhou2024_table2_aim,
    zhou2024_figure2,
    zhou2024_figure3,
    zhou2024_error_risk,
    zhou2024_figure4,
    zhou2024_figure5,
)


def test_table_2_at_epsilon_1_is_reproduced() -> None:
    """Ten sets on every table, add-remove, the paper's own protocol."""
    rows = differences()
    assert len(rows) == 18
    assert {row["sets"] for row in rows} == {10}
    assert all(run["tests"] == study.SPLITS for name in NAMES for run in runs("aim", name, epsilon="1", protocol=PAPER))
    assert verdict(rows)["holds"], [(row["table"], row["metric"], row["standard_errors_away"]) for row in rows]


def test_differences_are_judged_by_their_standard_errors() -> None:
    def judged(*away: float) -> bool:
        return bool(verdict([{"standard_errors_away": value} for value in away])["holds"])

    assert judged(0, -2.6, 2.4)
    assert not judged(0, -2.6, 2.6)
    assert not judged(0, -3.1)
    heart = next(row for row in differences() if (row["table"], row["metric"]) == ("Heart", "accuracy"))
    values = [run["accuracy"] for run in runs("aim", "heart", epsilon="1", protocol=PAPER)]
    error = float(np.std(values, ddof=1)) * math.sqrt(2 / 10)  # theirs is taken to be ours
    assert heart["standard_errors_away"] == pytest.approx((np.mean(values) - 0.719) / error)


def test_every_run_is_recorded_once_with_its_own_randomness() -> None:
    lines = study.RUNS.lines()
    assert len({study.RUNS.key(line) for line in lines}) == len(lines)
    cells = {study.RUNS.key(line)[:-1]: study._seed(line) for line in lines}
    assert len({seed + more for seed in cells.values() for more in (0, 1)}) == 2 * len(cells)
    for name in NAMES:
        for method, epsilon in (("real", None), ("descent", "1"), ("algorithm-6", "1"), ("aim", "1")):
            assert [run["set"] for run in runs(method, name, epsilon=epsilon)] == list(range(10))


def test_printed_values_are_those_of_the_table() -> None:
    assert printed("adult", "accuracy", "1") == 0.84
    assert printed("heart", "loss", "0.25") == 0.986
    assert printed("law", "auc", None) == 0.869
    assert over_sets([1.0, 2.0, 3.0]).standard_error == pytest.approx(1 / math.sqrt(3))


def test_a_larger_budget_gives_nearer_tables() -> None:
    data = zhou2024_figure2.compute()
    for curves in data["tables"].values():
        for protocol in (PAPER, HELD_OUT):
            means = curves[protocol]["mean_est"]
            assert all(a > b for a, b in itertools.pairwise(means))


def test_noisy_descent_is_no_worse_than_aim() -> None:
    """The page of figures says so: better on four tables, equal within two standard errors on the others."""
    tables = zhou2024_figure4.compute()["tables"]
    away = {name: row["descent_ahead_est"] / row["descent_ahead_error_est"] for name, row in tables.items()}
    assert {name for name, value in away.items() if value > 3} == {"churn", "compas", "heart", "law"}
    assert all(-2 < away[name] < 2 for name in ("adult", "dutch"))
    behind = {name for name, row in tables.items() if row["aim"]["mean_est"] < row["algorithm-6"]["mean_est"]}
    assert behind == {"compas"}
    values = [run["accuracy"] for run in runs("descent", "law", epsilon="1")]
    assert tables["law"]["descent"]["mean_est"] == pytest.approx(np.mean(values))


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_pictures_show_their_numbers(module: Any) -> None:
    data = module.compute()
    svg = pictures(module.FIGURE, data, ("svg",))["svg"].decode()
    texts = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg))
    if module is zhou2024_table2_aim:
        assert all(f"{row['mean_est']:.4f}" in texts for row in data["rows"])
    if module in (zhou2024_figure2, zhou2024_figure3, zhou2024_error_risk, zhou2024_figure4):
        assert all(name.capitalize() in texts for name in NAMES)
    if module is zhou2024_figure5:
        assert f"{data['tables']['law']['race'][PAPER]['mean_est']:.3f}" in texts


def test_without_recorded_runs_nothing_is_drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with monkeypatch.context() as changed:
        changed.setattr(recorded, "FOLDER", tmp_path)
        recorded.runs_by.cache_clear()
        for module in MODULES:
            with pytest.raises(NotRun, match="zhou2024"):
                module.compute()
    recorded.runs_by.cache_clear()
    with pytest.raises(NotRun, match="no run of aim on heart at epsilon 3"):
        runs("aim", "heart", epsilon="3")


def test_the_error_is_half_the_distance_of_shares() -> None:
    real, made = np.array([[0, 0], [1, 1], [1, 1], [0, 2]]), np.array([[0, 0], [1, 2]])
    by_hand = (abs(1 / 4 - 1 / 2) + 1 / 2 + 1 / 4 + 1 / 2) / 2  # cells 00, 11, 02 and 12
    assert study._error(real, made, (2, 3), ((0, 1),)) == pytest.approx(by_hand)
    first = abs(1 / 2 - 1 / 2)
    assert study._error(real, made, (2, 3), ((0, 1), (0,))) == pytest.approx((by_hand + first) / 2)
