"""Private regression on Adult: the cost of a fit, and DP-SGD compared with opacus on the same data and settings.

`sgd_ratio_vs_opacus` is the CPU time of opacus over ours for the same passes, batches, clip and noise, in one run;
accounting is separate, since both can use the same accountant. SYNTHBOUNDS_OPACUS names a Python interpreter that has
opacus; without it that row says so. verify.experiments.ddssp2024 shows how good the models are.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchmarks.measure import ONE_THREAD, main
from bounds.privacy.ledger import Ledger
from mechanisms.regression.adassp import solve_with_ridge
from mechanisms.regression.least_squares import least_squares, public_ridge
from mechanisms.regression.objective_perturbation import plan_objective_perturbation, run_objective_perturbation
from mechanisms.regression.sampled_noise import noise_multiplier_est
from mechanisms.regression.stochastic_gradient import plan_stochastic, run_stochastic, single_precision
from mechanisms.regression.sums import sums_of_release
from release.moments.make import make_release
from release.noise.randomness import read_randomness
from release.statistics.least_eigenvalue import least_eigenvalue
from release.statistics.moments import moment_sums
from verify import real_tables
from verify.random_splits import metrics
from verify.regression_tables import is_here, regression_table

OPACUS = "SYNTHBOUNDS_OPACUS"
HERE = Path(__file__).parent
DELTA, LEAST_SIZE = "1e-5", 30_000
FIXED: dict[str, Any] = {"batch": 1024, "epochs": 10, "clip": 1.0, "rate": 1.0}
"""Both programs run these."""


def run(*, quick: bool) -> dict[str, Any]:
    if not is_here("adult"):
        return {"not_run": real_tables.MISSING}
    table, repeats = regression_table("adult"), 3 if quick else 9
    features, train = table.features, table.train
    plan = plan_stochastic(features, size=len(train), epsilon=1, dp_delta=DELTA, **FIXED)
    noise_multiplier_est(((0.5, 2),), epsilon=plan.epsilon, dp_delta=plan.dp_delta)  # imports the accountant
    start = time.process_time()
    sigma = noise_multiplier_est(plan.uses, epsilon=plan.epsilon, dp_delta=plan.dp_delta)
    accounting = time.process_time() - start
    ours = _seconds(lambda: run_stochastic(train, plan, read_randomness("simulate", seed=0)), repeats)
    sums = moment_sums(train, features)
    asked: dict[str, Any] = {"epsilon": 1, "dp_delta": DELTA, "adjacency": "add-remove"}
    noisy = sums_of_release(make_release(train, features, **asked, mode="simulate", n0=LEAST_SIZE, seed=0))

    def objective(mode: Literal["simulate", "release"]) -> Callable[[], object]:
        drawn = read_randomness(mode, seed=0 if mode == "simulate" else None)
        planned = plan_objective_perturbation(features, **asked)
        return lambda: run_objective_perturbation(planned, train, Ledger.of(planned.cost), randomness=drawn)

    found: dict[str, Any] = {
        "table": "adult",
        "features": features.size,
        "sgd_cpu_s": ours,
        "sgd_accounting_cpu_s": round(accounting, 3),
        "sgd_noise_multiplier": round(sigma, 4),
        "ssp_solve_cpu_s": _seconds(lambda: least_squares(noisy, ridge=public_ridge(noisy)), repeats),
        "adassp_solve_cpu_s": _seconds(lambda: solve_with_ridge(noisy, public_ridge(noisy)), repeats),
        "least_eigenvalue_cpu_s": _seconds(lambda: least_eigenvalue(sums, features), repeats),
        "sums_cpu_s": _seconds(lambda: moment_sums(train, features), repeats),
        "objpert_simulate_cpu_s": _seconds(objective("simulate"), repeats),
        "objpert_release_cpu_s": _seconds(objective("release"), repeats),
    }
    theirs = _opacus(*single_precision(train, features), sigma)
    if theirs is None:
        return {**found, "opacus": f"not run: {OPACUS} names no interpreter that has it"}
    scores = features.features(table.test) / features.one @ np.array(theirs["coefficients"])
    return {
        "sgd_ratio_vs_opacus": round(theirs["fit_cpu_s"] / ours, 1),
        **found,
        "opacus_cpu_s": round(theirs["fit_cpu_s"], 3),
        "opacus_version": theirs["version"],
        "opacus_auc": round(metrics(scores, (features.labels(table.test) > 0).astype(int))[1], 4),
    }


def _opacus(values: Any, labels: Any, noise: float) -> dict[str, Any] | None:
    interpreter = os.environ.get(OPACUS)
    if not interpreter:
        return None
    with tempfile.TemporaryDirectory() as folder:
        table, setting, found = (Path(folder) / name for name in ("table.npz", "setting.json", "found.json"))
        np.savez(table, features=values, labels=labels)
        setting.write_text(json.dumps({**FIXED, "noise": noise, "seed": 0}), encoding="utf-8")
        command = [interpreter, "-W", "ignore", str(HERE / "opacus_fit.py"), str(table), str(setting), str(found)]
        subprocess.run(command, check=True, env=os.environ | ONE_THREAD, stdout=subprocess.DEVNULL)
        answer: dict[str, Any] = json.loads(found.read_text(encoding="utf-8"))
        return answer


def _seconds(call: Callable[[], object], repeats: int) -> float:
    """The median CPU time."""
    found = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return round(statistics.median(found), 4)


if __name__ == "__main__":
    sys.exit(main("regression", __doc__ or "", run))
