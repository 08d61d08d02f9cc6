"""Figure 1 of vietri2022: how close relaxed rows come to mixed marginals, by annealing and at fixed temperatures.

Each run is a line of runs/vietri2022_annealing.jsonl. A set draws 500 pairs of numbers with two thresholds, each
counted for both values of the label: 1,000 queries. 1,000 relaxed rows, uniform at first, are moved towards the exact
answers, without any noise, by 440 steps of one rate. `once` goes through all sharpnesses, each twice the one before, as
in Algorithm 1; `passes` goes through them four times; and the others stay at one. Algorithm 1 continues until a
gradient is small; here every schedule has the same number of steps. Errors are of shares, with the original conditions,
on the grid of the codes.

    python -m verify.experiments.vietri2022_annealing --tables adult --sets 1
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from mechanisms.rap.fit import Stage, fit
from mechanisms.rap.mixed_twin import TargetCorners
from mechanisms.rap.roles import Roles
from mechanisms.rap.scores import query_shares
from mechanisms.rap.start import start
from release.data.schema import Schema
from release.log.steps import Shape
from release.statistics.mixed_marginals import MixedMarginals
from verify.experiments.mixed_tables import TABLE_FILES, is_here, mixed_table
from verify.experiments.recorded import RecordedRuns
from verify.experiments.study import Study

if TYPE_CHECKING:
    from release.data.domain import Codes

RUNS = RecordedRuns.of("vietri2022_annealing", "table", "schedule", "set")
TABLES = ("adult", "acs_mobility")
ONCE, PASSES = "once", "passes"
SHARPNESSES = tuple(2**power for power in range(1, 12))
SCHEDULES = (ONCE, PASSES, *map(str, SHARPNESSES))
MANY = 4
"""Passes; in each of them the steps of a sharpness are this many times fewer."""
STEPS, RATE = 440, 0.02
SETS, CONDITIONS, POINTS = 5, 500, 1000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m verify.experiments.vietri2022_annealing", description=__doc__)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES)
    parser.add_argument("--schedules", nargs="+", choices=SCHEDULES, default=SCHEDULES)
    parser.add_argument("--sets", type=int, default=SETS)
    options = parser.parse_args()
    with threadpool_limits(limits=1):
        RUNS.make((asked for asked in _asked(options) if is_here(asked["table"])), lambda asked: [_run(asked)])
    return 0


def _asked(options: Any) -> Iterator[dict[str, Any]]:
    for number, name, schedule in itertools.product(range(options.sets), options.tables, options.schedules):
        yield {"table": name, "schedule": schedule, "set": number}


def stages_of(schedule: str) -> tuple[Stage, ...]:
    """Schedules; all have the same number of steps and the same rate."""
    if schedule not in (ONCE, PASSES):
        return (Stage(STEPS, float(schedule), RATE),)
    passes = MANY if schedule == PASSES else 1
    steps = STEPS // (passes * len(SHARPNESSES))
    return tuple(Stage(steps, float(sharpness), RATE) for sharpness in SHARPNESSES * passes)


def _run(asked: dict[str, Any]) -> dict[str, Any]:
    schema, records = _numbers_and_label(asked["table"])
    label = len(schema.columns) - 1
    queries = MixedMarginals(schema, tuple(range(label)), (label,), CONDITIONS, asked["set"])
    roles, exact = Roles(Shape(schema.domain.sizes), queries.numbers), queries.sums(records)
    shares = exact.reshape(CONDITIONS, -1) / len(records)
    target = TargetCorners(0, queries.pairs, queries.unit_most, shares, np.ones(CONDITIONS))
    points = start(roles, {u: np.full(size, 1 / size) for u, size in enumerate(schema.domain.sizes)}, POINTS)
    began, stages = time.process_time(), stages_of(asked["schedule"])
    fit(roles.layout, points, [target.twin(roles.layout)], stages)
    seconds = time.process_time() - began
    errors = np.abs(query_shares(roles, queries, points) - shares.ravel())
    found = {"mean": float(f"{errors.mean():.4g}"), "max": float(f"{errors.max():.4g}"), "queries": len(errors)}
    return found | {"steps": sum(stage.steps for stage in stages), "cpu_s": round(seconds, 2)}


def _one_thread(asked: dict[str, Any]) -> list[dict[str, Any]]:
    with threadpool_limits(limits=1):
        return [_run(asked)]


def _numbers_and_label(name: str) -> tuple[Schema, Codes]:
    """All records, in the columns that the queries are about."""
    table = mixed_table(name, 0)
    places = [*table.numbers, len(table.schema.columns) - 1]
    schema = replace(table.schema, columns=tuple(table.schema.columns[place] for place in places))
    return schema, np.concatenate([table.train, table.test])[:, places]


STUDY = Study(
    runs=RUNS,
    make=_one_thread,
    is_here=lambda asked: is_here(asked["table"]),
    run_of=RUNS.asked_of,
    close=0.3,
    seeds="queries by the number of the set; the start is fixed",
    setting="1,000 queries on two numbers and the label, 1,000 relaxed rows, 440 steps of one rate, exact answers",
    modules=("verify/experiments/vietri2022_annealing.py", "verify/experiments/mixed_tables.py"),
    tables=TABLE_FILES,
)

if __name__ == "__main__":
    sys.exit(main())
