"""Tables 1 and 3 of wang2023 from recorded runs: what is recorded, and what the pictures say."""

from __future__ import annotations

from typing import Any

import pytest

from paper_figures import wang2023_table1, wang2023_table3
from paper_figures._wang2023_runs import NAMES, WAYS, improvements, runs
from paper_figures.make import pictures
from verify.experiments import wang2023 as study

MODULES = (wang2023_table1, wang2023_table3)


def test_every_run_is_recorded() -> None:
    assert set(study.TABLES) == set(NAMES)
    assert set(study.PRICES) == set(WAYS)
    for generator, tables in study.CHEAP.items():
        for table in tables:
            for epsilon in study.EPSILONS:
                found = [line["set"] for line in runs(generator, table, epsilon)]
                assert found == list(range(study.SETS[generator])), (generator, table, epsilon)


@pytest.mark.parametrize("table", NAMES)
def test_the_soft_price_improves_nearly_every_table_of_mst(table: str) -> None:
    for epsilon in study.EPSILONS:
        values = improvements(runs("mst", table, epsilon), "soft")
        assert sum(value > 0 for value in values) >= 0.9 * len(values)


@pytest.mark.parametrize("module", MODULES)
def test_pictures_show_what_was_recorded(module: Any) -> None:
    data = module.FIGURE.compute()
    row = next(row for row in data["rows"] if row["table"] == "adult" and row["generator"] == "mst")
    drawn = pictures(module.FIGURE, data, ("svg",))["svg"].decode()
    assert f"{row['soft']['improvement_est']:.2f} ± {row['soft']['deviation_est']:.2f}" in drawn
    assert f"{row['real_f1_est']:.3f}" in drawn
    assert all(0 <= row[way]["kept"] <= row["runs"] for row in data["rows"] for way in WAYS)
