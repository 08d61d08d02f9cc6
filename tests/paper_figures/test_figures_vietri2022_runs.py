"""Figure 1 of vietri2022 and what its other figures compare, from recorded runs: what is recorded, and what it says."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import Any

import pytest

from bounds.privacy.adjacency import Adjacency
from mechanisms.mechanism import Public
from mechanisms.rap.plan import plan_rap
from paper_figures import vietri2022_comparison, vietri2022_figure1
from paper_figures._vietri2022_runs import EPSILONS, SHOWN, TITLES, best, better_on, mean, runs
from paper_figures.make import pictures
from paper_figures.vietri2022_figure1 import ANNEALED, best_fixed, errors, fixed
from verify.experiments import vietri2022 as study
from verify.experiments import vietri2022_annealing as annealing
from verify.experiments.mixed_tables import is_here, mixed_table
from verify.experiments.recorded import RecordedRuns


def _all(benchmark: Any, **options: Any) -> list[dict[str, Any]]:
    return list(benchmark._asked(argparse.Namespace(sets=annealing.SETS, **options)))


@pytest.mark.parametrize(
    ("kept", "asked"),
    [
        (study.RUNS, _all(study, methods=study.METHODS, tables=study.NAMES, epsilons=study.EPSILONS)),
        (annealing.RUNS, _all(annealing, tables=annealing.TABLES, schedules=annealing.SCHEDULES)),
    ],
)
def test_every_run_is_recorded_once(kept: RecordedRuns, asked: list[dict[str, Any]]) -> None:
    assert sorted(kept.key(line) for line in kept.lines()) == sorted(kept.key(one) for one in asked)


def test_noise_of_every_run_is_its_own() -> None:
    noisy = [line for line in study.RUNS.lines() if line["method"] != study.REAL]
    assert len({study._number(line) for line in noisy}) == len(noisy)


@pytest.mark.parametrize("schedule", annealing.SCHEDULES)
def test_schedules_have_as_many_steps_of_one_rate(schedule: str) -> None:
    stages = annealing.stages_of(schedule)
    assert sum(stage.steps for stage in stages) == annealing.STEPS
    assert {stage.rate for stage in stages} == {annealing.RATE}


def test_annealing_is_nearer_than_every_fixed_temperature_on_one_table_of_two() -> None:
    """What the caption says; Algorithm 1 is meant to go on for longer."""
    for error in vietri2022_figure1.ERRORS:
        found = errors("acs_mobility", error)
        assert all(found[name][0] < least for name in ANNEALED for least, _ in fixed("acs_mobility", error).values())
    assert best_fixed("adult", "mean") == 256
    assert errors("adult", "mean")["256"][0] < errors("adult", "mean")["once"][0] < errors("adult", "mean")["512"][0]


@pytest.mark.skipif(not is_here("acs_mobility"), reason="not run: the table is not here")
def test_a_recorded_run_of_annealing_is_made_again() -> None:
    line = next(line for line in annealing.RUNS.lines() if line["table"] == "acs_mobility")
    again = annealing._run(line)
    assert (again["queries"], again["steps"]) == (1000, annealing.STEPS)
    assert again["mean"] == pytest.approx(line["mean"], rel=0.3)  # single precision, and hundreds of steps


@pytest.mark.parametrize("name", study.NAMES)
def test_at_epsilon_1_public_facts_say_the_rounds_of_the_paper(name: str) -> None:
    if not is_here(name):
        pytest.skip("not run: the table is not here")
    table, rounds = mixed_table(name, 0), {}
    public = Public(schema=table.schema, adjacency=Adjacency.REPLACE_ONE, size=len(table.train))
    for method in ("rap", "rap++"):
        delta = Fraction(1, public.size**2)
        plan = plan_rap(
            public, method=method, labels=(table.label,), epsilon=Fraction(1), dp_delta=delta, mode="simulate"
        )
        rounds[method] = [plan.log.settings.get(key) for key in ("rounds", "top", "table_rounds")]
    assert rounds == {"rap": [len(table.schema.names) - 1, 1, None], "rap++": [50, 10, len(table.categories)]}


def test_methods_are_compared_on_the_same_sets() -> None:
    for method in SHOWN:
        for epsilon in study.PRINTED_AT if method in study.PRINTED else EPSILONS:
            assert {len(runs(method, table, epsilon)) for table in TITLES} == {study.SETS[method]}
    better, worse = better_on("rap++", "mst", "1", "thresholds_mean")
    assert 0 <= better <= better + worse <= len(TITLES)
    assert better_on("mst", "rap++", "1", "thresholds_mean") == (worse, better)
    assert better_on("rap++", "rap++", "1", "auc") == (0, 0)
    found = {name: mean(name, "adult", "1", "auc") for name in SHOWN if runs(name, "adult", "1")}
    assert found[best("1", "adult", "auc")] == max(found.values())
    found = {name: mean(name, "adult", "1", "mixed_mean") for name in found}
    assert found[best("1", "adult", "mixed_mean")] == min(found.values())


@pytest.mark.share(2)
@pytest.mark.parametrize("module", [vietri2022_comparison, vietri2022_figure1])
def test_figures_are_drawn_of_plain_data(module: Any) -> None:
    assert set(pictures(module.FIGURE, module.compute())) == {"png", "svg"}
