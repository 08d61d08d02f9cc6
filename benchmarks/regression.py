"""Private regression on Adult: what a fit costs, how it ranks, and DP-SGD beside opacus on the same data and settings.

`sgd_ratio_vs_opacus` is the CPU time of opacus over ours for the same passes, batches, clip and noise, in one run;
accounting is apart, since both can ask the same accountant. SYNTHBOUNDS_OPACUS names a Python interpreter that has
opacus; without it that row says so. Areas under the curve are means over noise, on one split, add-remove.
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
from typing import Any

import numpy as np

from benchmarks.measure import ONE_THREAD, main
from mechanisms.regression.adassp import run_adassp, solve_with_ridge
from mechanisms.regression.least_squares import least_squares, spectral_edge
from mechanisms.regression.sampled_noise import noise_multiplier_est
from mechanisms.regression.stochastic_gradient import plan_stochastic, run_stochastic, single_precision
from mechanisms.regression.sums import sums_of_release
from release.data.columns import LevelColumn
from release.data.schema import Schema
from release.moments.make import make_release
from release.noise.randomness import read_randomness
from release.statistics.features import FeatureMap, build_feature_map
from release.statistics.least_eigenvalue import least_eigenvalue
from release.statistics.moments import moment_sums
from verify import random_splits, real_tables

OPACUS = "SYNTHBOUNDS_OPACUS"
HERE = Path(__file__).parent
REDUCED = ("workclass", "marital-status", "occupation", "relationship", "race", "sex", "native-country")
EPSILONS, DELTA = ("0.1", "1"), "1e-5"
LEAST_SIZE = 30_000
"""Public, for releases of sums; DP-SGD is told the size of the training rows."""
FIXED: dict[str, Any] = {"batch": 1024, "epochs": 10, "clip": 1.0, "rate": 1.0}
"""Both programs run these."""


def run(*, quick: bool) -> dict[str, Any]:
    if not real_tables.is_here("adult"):
        return {"not_run": real_tables.MISSING}
    study = _Study()
    return {"table": "adult", "features": study.features.size, **study.times(quick), **study.areas(3 if quick else 20)}


class _Study:
    def __init__(self) -> None:
        self.features = adult_features()
        rows = real_tables.codes("adult").astype(np.uint8)
        self.train, self.test = random_splits.split(rows, random_splits.stream(0))
        self.tested = self.features.features(self.test) / self.features.one

    def times(self, quick: bool) -> dict[str, Any]:
        repeats = 3 if quick else 9
        plan = plan_stochastic(self.features, size=len(self.train), epsilon=1, dp_delta=DELTA, **FIXED)
        noise_multiplier_est(((0.5, 2),), epsilon=plan.epsilon, dp_delta=plan.dp_delta)  # imports the accountant
        start = time.process_time()
        sigma = noise_multiplier_est(plan.uses, epsilon=plan.epsilon, dp_delta=plan.dp_delta)
        accounting = time.process_time() - start
        ours = _seconds(lambda: run_stochastic(self.train, plan, read_randomness("simulate", seed=0)), repeats)
        sums = moment_sums(self.train, self.features)
        noisy = sums_of_release(self._release("1", 0))
        found: dict[str, Any] = {
            "sgd_cpu_s": ours,
            "sgd_accounting_cpu_s": round(accounting, 3),
            "sgd_noise_multiplier": round(sigma, 4),
            "ssp_solve_cpu_s": _seconds(lambda: least_squares(noisy, ridge=spectral_edge(noisy)), repeats),
            "adassp_solve_cpu_s": _seconds(lambda: solve_with_ridge(noisy, spectral_edge(noisy)), repeats),
            "least_eigenvalue_cpu_s": _seconds(lambda: least_eigenvalue(sums, self.features), repeats),
            "sums_cpu_s": _seconds(lambda: moment_sums(self.train, self.features), repeats),
        }
        theirs = self._opacus(sigma)
        if theirs is None:
            return {**found, "opacus": f"not run: {OPACUS} names no interpreter that has it"}
        return {
            "sgd_ratio_vs_opacus": round(theirs["fit_cpu_s"] / ours, 1),
            **found,
            "opacus_cpu_s": round(theirs["fit_cpu_s"], 3),
            "opacus_version": theirs["version"],
            "opacus_auc": round(self._area(np.array(theirs["coefficients"])), 4),
        }

    def areas(self, draws: int) -> dict[str, Any]:
        """Means over noise, the settings fixed in advance."""
        found: dict[str, Any] = {"draws": draws}
        for epsilon in EPSILONS:
            plan = plan_stochastic(self.features, size=len(self.train), epsilon=epsilon, dp_delta=DELTA)
            models: dict[str, Callable[[int], Any]] = {
                "sgd": lambda seed, plan=plan: (
                    run_stochastic(self.train, plan, read_randomness("simulate", seed=seed)).coefficients
                ),
                "ssp": lambda seed, e=epsilon: self._edge(e, seed),
                "adassp": lambda seed, e=epsilon: self._adassp(e, seed),
            }
            for name, model in models.items():
                scores = [self._area(model(seed)) for seed in range(draws)]
                found[f"{name}_auc_at_{epsilon}"] = round(statistics.mean(scores), 4)
                found[f"{name}_auc_sd_at_{epsilon}"] = round(statistics.stdev(scores), 4)
        return found

    def _edge(self, epsilon: str, seed: int) -> Any:
        sums = sums_of_release(self._release(epsilon, seed))
        return least_squares(sums, ridge=spectral_edge(sums))

    def _adassp(self, epsilon: str, seed: int) -> Any:
        return run_adassp(self.train, self.features, **self._asked(epsilon, seed)).coefficients

    def _release(self, epsilon: str, seed: int) -> Any:
        return make_release(self.train, self.features, weight=1, **self._asked(epsilon, seed))

    @staticmethod
    def _asked(epsilon: str, seed: int) -> dict[str, Any]:
        budget = {"epsilon": epsilon, "dp_delta": DELTA, "adjacency": "add-remove", "n0": LEAST_SIZE}
        return {**budget, "mode": "simulate", "seed": seed}

    def _area(self, coefficients: Any) -> float:
        return random_splits.metrics(self.tested @ coefficients, self.test[:, -1])[1]

    def _opacus(self, noise: float) -> dict[str, Any] | None:
        interpreter = os.environ.get(OPACUS)
        if not interpreter:
            return None
        values, labels = single_precision(self.train, self.features)
        with tempfile.TemporaryDirectory() as folder:
            table, setting, found = (Path(folder) / name for name in ("table.npz", "setting.json", "found.json"))
            np.savez(table, features=values, labels=labels)
            setting.write_text(json.dumps({**FIXED, "noise": noise, "seed": 0}), encoding="utf-8")
            command = [interpreter, "-W", "ignore", str(HERE / "opacus_fit.py"), str(table), str(setting), str(found)]
            subprocess.run(command, check=True, env=os.environ | ONE_THREAD, stdout=subprocess.DEVNULL)
            answer: dict[str, Any] = json.loads(found.read_text(encoding="utf-8"))
            return answer


def adult_features() -> FeatureMap:
    """Seven columns have an indicator for each value but the first, six are linear."""
    names, sizes = real_tables.columns("adult"), real_tables.domain("adult")
    columns = tuple(LevelColumn(name, tuple(map(str, range(sizes[name])))) for name in names)
    return build_feature_map(Schema(columns, "public"), label=names[-1], one_hot=(), reduced=REDUCED)


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
