"""Figures 3, 5 and 6 of ddssp2024 and what they do not show, from recorded runs: what is recorded, and what it says."""

from __future__ import annotations

import statistics
from typing import Any

import pytest

from paper_figures import ddssp2024_excess, ddssp2024_figure3, ddssp2024_figure5, ddssp2024_figure6
from paper_figures._ddssp2024_runs import EPSILONS, curve, real_score, runs
from paper_figures.make import pictures
from verify.experiments import ddssp2024 as study
from verify.regression_tables import NAMES

MODULES = (ddssp2024_figure3, ddssp2024_figure5, ddssp2024_figure6, ddssp2024_excess)


def test_every_run_is_recorded_once_on_one_table() -> None:
    lines = study.RUNS.lines()
    assert len({study.RUNS.key(line) for line in lines}) == len(lines)
    by_split: dict[tuple[str, int], set[str]] = {}
    for line in lines:
        split = line["set"] % study.SPLITS if line["table"] == "adult" else 0
        by_split.setdefault((line["table"], split), set()).add(line["table_digest"])
    assert all(len(digests) == 1 for digests in by_split.values())


@pytest.mark.parametrize(
    ("method", "table", "at", "most"),
    [
        ("ssp-edge", "adult", "0.1", 0.876),
        ("ssp-edge", "adult", "1", 0.895),
        ("objpert", "adult", "0.1", 0.80),
        ("objpert", "adult", "1", 0.89),
        ("adassp", "adult", "0.1", 0.872),
        ("adassp", "adult", "1", 0.888),
        ("dd-ssp", "adult", "0.1", 0.87),
        ("dd-ssp", "adult", "1", 0.895),
    ],
)
def test_areas_on_adult(method: str, table: str, at: str, most: float) -> None:
    found = [run["score"] for run in runs(method, table, at)]
    assert len(found) == (20 if method in study.CHEAP else 5)
    assert statistics.fmean(found) >= most


def test_least_squares_on_acs_income() -> None:
    assert statistics.fmean(run["score"] for run in runs("ssp-edge", "acs_income", "0.1")) <= 0.233
    assert statistics.fmean(run["score"] for run in runs("ssp-edge", "acs_income", "1")) <= 0.207
    assert real_score("acs_income") < 0.202


def test_certified_excess_is_above_the_true_one_in_every_recorded_run() -> None:
    """Each may fail with probability 0.05; in so many runs none did."""
    lines = study.RUNS.lines()
    both = [line for line in lines if line.get("certified") is not None]
    assert len(both) > 100
    assert all(line["excess"] <= line["certified"] for line in both)
    assert all(
        line["excess"] >= -1e-3 for line in study.RUNS.lines() if "excess" in line
    )  # but for the lines of a path


@pytest.mark.share(2)
@pytest.mark.parametrize("module", MODULES)
def test_figures_are_drawn_of_plain_data(module: Any) -> None:
    data = module.compute()
    assert set(data["tables"]) == set(NAMES)
    assert set(pictures(module.FIGURE, data))


def test_curves_have_every_epsilon_of_cheap_methods() -> None:
    for name in NAMES:
        assert curve("ssp-edge", name)["epsilon"] == [float(e) for e in EPSILONS]
        assert set(curve("ssp-edge", name)["sets"]) == {20}
