"""RAP++ and RAP on whole tables, and one step of relaxed rows compared with the same step in JAX.

Tables are those of verify.regression_tables, split 80 to 20 per cent or as by their authors; replace-one, dp_delta
1/n^2, noise is simulated. CPU seconds are those of run and rows together, in one process with one thread; MB are the
peak of that process. `auc` and `macro_f1` (at 1/2) are those of logistic regression trained on the rows and scored on
real test records, `threshold_error` is the mean error of the answers of 2,000 thresholds to which nothing was fitted;
means over seeds, and the deviation of the AUC. A step has 1,000 rows of 94 columns, 7 tables of two columns and a label
of two values, and a number of thresholds; CPU ms are the least of several times, since other processes can only add to
them. SYNTHBOUNDS_JAX names a Python interpreter that has jax; without it that row says so. Both programs do the same
arithmetic, and their losses are compared.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import ONE_THREAD, in_a_process, main, peak_mb
from bounds.privacy.adjacency import Adjacency
from mechanisms.evaluate.learners import logistic_chances
from mechanisms.mechanism import Public
from mechanisms.rap.fit import Stage, fit
from mechanisms.rap.plan import plan_rap
from mechanisms.rap.relaxed import Layout, Projection
from mechanisms.rap.rows import rows_of_rap
from mechanisms.rap.run import run_rap
from mechanisms.rap.table_twin import TableTwin, TargetTable
from mechanisms.rap.threshold_twin import TargetPlanes, ThresholdTwin
from mechanisms.rap.twin import Twin
from mechanisms.select.settings import RAP, RAP_PP
from release.noise.randomness import read_randomness
from release.statistics.thresholds import Thresholds
from verify import real_tables
from verify.random_splits import metrics
from verify.regression_tables import is_here, regression_table

JAX = "SYNTHBOUNDS_JAX"
NOT_RUN = "not run: no interpreter with jax is known"
HERE = Path(__file__).parent
NUMBERS = {
    "adult": ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"),
    "acs_employment": ("AGEP", "SCHL"),
}
SMALL: dict[str, Any] = {"rounds": 15, "points": 600, "thresholds": 5000}
PAPER: dict[str, Any] = {"rounds": 50, "top": 10, "points": 1000, "thresholds": 20_000}
RUNS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "adult_small": ("adult", RAP_PP, "1", SMALL),
    "adult": ("adult", RAP_PP, "1", PAPER),
    "adult_tenth": ("adult", RAP_PP, "1/10", {}),
    "adult_rap": ("adult", RAP, "1", {}),
    "acs_employment": ("acs_employment", RAP_PP, "1", {}),
    "acs_employment_tenth": ("acs_employment", RAP_PP, "1/10", {}),
}
QUICK, SEEDS = ("adult_small", "adult_tenth"), 5
SIZES, STEPS, REPEATS, TURNS, RATE, SHARPNESS = (50, 500, 2000), 40, 5, 3, 0.02, 8.0
BLOCKS, COUNT, LABEL = (9, 7, 15, 6, 5, 2, 42, 2), 1000, 7
TABLES = ((0, 5), (1, 5), (2, 4), (3, 5), (4, 5), (6, 5), (2, 3))


def run(*, quick: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"step": _steps(1 if quick else TURNS)}
    for name in QUICK if quick else RUNS:
        if not is_here(RUNS[name][0]):
            return found | {"tables": real_tables.MISSING}
        found[name] = in_a_process("rap", f"whole({name!r}, {1 if quick else SEEDS})")
    return found


# -------------------------------------------------------------------------------------------------------- whole tables


def whole(name: str, seeds: int) -> dict[str, Any]:
    """Means over runs with different noise."""
    runs = [_one(*RUNS[name], seed=seed) for seed in range(seeds)]
    means = {key: round(statistics.mean(each[key] for each in runs), 5) for key in runs[0]}
    spread = round(statistics.stdev(each["auc"] for each in runs), 5) if seeds > 1 else None
    return means | {"auc_deviation": spread, "seeds": seeds, "mb": round(peak_mb())}


def _one(table: str, method: str, epsilon: str, settings: dict[str, Any], *, seed: int) -> dict[str, float]:
    real = regression_table(table)
    schema, n = real.features.schema, len(real.train)
    numbers = NUMBERS[table] if method == RAP_PP else None
    begin = time.process_time()
    plan = plan_rap(
        Public(schema=schema, adjacency=Adjacency.REPLACE_ONE, size=n),
        method=method,
        labels=(schema.names[-1],),
        numbers=numbers,
        epsilon=Fraction(epsilon),
        dp_delta=Fraction(1, n * n),
        mode="simulate",
        **settings,
    )
    log = run_rap(real.train, plan, read_randomness("simulate", seed=seed))
    made = rows_of_rap(log, n).codes
    seconds = time.process_time() - begin
    places = tuple(schema.names.index(name) for name in NUMBERS[table])
    fresh = Thresholds(schema, places, (len(schema.names) - 1,), 2000, seed=1_000_003)
    error = np.abs(fresh.sums(made) - fresh.sums(real.train)).mean() / n
    return {"cpu_s": seconds, "threshold_error": float(error), **_scores(made, real)}


def _scores(made: Any, real: Any) -> dict[str, float]:
    """Scores of logistic regression with the paper's features, trained on synthetic rows and tested on real records."""
    features = real.features
    known, asked = (features.features(codes) / features.one for codes in (made, real.test))
    labels = (features.labels(real.test) > 0).astype(int)
    chances = logistic_chances(known, (features.labels(made) > 0).astype(int), asked)
    _, area, _ = metrics(np.log(chances) - np.log1p(-chances), labels)
    found = []
    for value in (0, 1):
        met, said = labels == value, (chances > 0.5) == bool(value)
        found.append(2 * float((met & said).sum()) / max(1, int(met.sum() + said.sum())))
    return {"auc": area, "macro_f1": statistics.mean(found)}


# ------------------------------------------------------------------------------------------------------------ one step


def _steps(turns: int) -> dict[str, Any]:
    """Our step and, if available, JAX's, for every number of thresholds."""
    with tempfile.TemporaryDirectory() as folder:
        problem, setting, answer = (Path(folder) / name for name in ("problem.npz", "setting.json", "found.json"))
        np.savez(problem, **_problem())
        told = {"blocks": BLOCKS, "label": LABEL, "tables": TABLES, "sizes": SIZES}
        told |= {"steps": STEPS, "repeats": REPEATS, "rate": RATE, "sharpness": SHARPNESS}
        setting.write_text(json.dumps(told), encoding="utf-8")
        ours, theirs = _steps_in_turn(turns, problem, [str(problem), str(setting), str(answer)], answer)
    found: dict[str, Any] = {f"{key}_{size}": ours[key][str(size)] for size in SIZES for key in ("cpu_ms", "loss")}
    if isinstance(theirs, str):
        return found | {"jax": theirs}
    for size in map(str, SIZES):
        found[f"jax_cpu_ms_{size}"] = round(theirs["step_cpu_ms"][size], 3)
        found[f"jax_first_call_cpu_s_{size}"] = round(theirs["first_call_cpu_s"][size], 2)
        found[f"ratio_vs_jax_{size}"] = round(theirs["step_cpu_ms"][size] / ours["cpu_ms"][size], 1)
        found[f"jax_loss_{size}"] = theirs["value"][size]
    return found | {"mb": ours["mb"], "jax_mb": round(theirs["process_mb"]), "jax_version": theirs["version"]}


def _steps_in_turn(
    turns: int, problem: Path, files: list[str], answer: Path
) -> tuple[dict[str, Any], dict[str, Any] | str]:
    """Both programs in turn, several times: the least time of each, on a shared machine."""
    pairs = [(in_a_process("rap", f"steps({str(problem)!r})"), _jax(files, answer)) for _ in range(turns)]
    ours = pairs[0][0]
    ours["cpu_ms"] = {size: min(one["cpu_ms"][size] for one, _ in pairs) for size in ours["cpu_ms"]}
    found = [other for _, other in pairs if not isinstance(other, str)]
    if len(found) < turns:
        return ours, next(other for _, other in pairs if isinstance(other, str))
    for key in ("step_cpu_ms", "first_call_cpu_s"):
        found[0][key] = {size: min(other[key][size] for other in found) for size in found[0][key]}
    return ours, found[0]


def _problem() -> dict[str, Any]:
    """Random points and answers, since only the cost of a step matters."""
    numbers = np.random.default_rng(0)
    layout = Layout(BLOCKS, 6)
    points = numbers.random((layout.height, COUNT), dtype=np.float32)
    Projection(layout, points)(points)
    found: dict[str, Any] = {"points": points}
    for place, (i, j) in enumerate(TABLES):
        shares = numbers.random((BLOCKS[i], BLOCKS[j] * BLOCKS[LABEL]), dtype=np.float32)
        found[f"table{place}"] = shares / shares.sum()
    for size in SIZES:
        found[f"planes{size}"] = numbers.standard_normal((size, 6), dtype=np.float32)
        found[f"levels{size}"] = numbers.standard_normal(size, dtype=np.float32)
        found[f"shares{size}"] = numbers.random((size, BLOCKS[LABEL]), dtype=np.float32) / 2
    return found


def steps(problem_file: str) -> dict[str, Any]:
    """Our step: the least of several times, and the loss at the first points."""
    problem, layout = np.load(problem_file), Layout(BLOCKS, 6)
    tables = [
        TargetTable((i, j, LABEL), problem[f"table{place}"].reshape(BLOCKS[i], BLOCKS[j], -1), 1.0)
        for place, (i, j) in enumerate(TABLES)
    ]
    found: dict[str, Any] = {"cpu_ms": {}, "loss": {}}
    for size in SIZES:
        planes, levels, shares = (problem[f"{name}{size}"] for name in ("planes", "levels", "shares"))
        thresholds = TargetPlanes(LABEL, planes, levels, shares, np.ones(size))
        twins: list[Twin] = [TableTwin(layout, tables), ThresholdTwin(layout, thresholds)]
        points = problem["points"]
        found["loss"][size] = sum(twin.add_gradient(points, np.zeros_like(points), SHARPNESS) for twin in twins)
        times = []
        for _ in range(REPEATS + 1):
            begin = time.process_time()
            fit(layout, points, twins, [Stage(STEPS, SHARPNESS, RATE)])
            times.append((time.process_time() - begin) / STEPS * 1000)
        found["cpu_ms"][size] = round(min(times[1:]), 3)
    return found | {"mb": round(peak_mb())}


def _jax(files: list[str], answer: Path) -> dict[str, Any] | str:
    """The result of its process, or why there is none."""
    interpreter = os.environ.get(JAX) or (sys.executable if find_spec("jax") is not None else None)
    if interpreter is None:
        return NOT_RUN
    try:
        subprocess.run([interpreter, str(HERE / "jax_steps.py"), *files], env=os.environ | ONE_THREAD, check=True)
    except subprocess.CalledProcessError as ended:  # some versions do not survive their own compiler
        return f"not run: the process with jax ended with {ended.returncode}"
    found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    sys.exit(main("rap", "RAP++ on whole tables, and one step compared with JAX", run))
