"""Every mechanism at the number of records that `require` prints for it: how often noise and tables break the promise.

Each run draws new records and new noise, exactly as in releases. The promise may fail with probability 0.05, and so may
the quantile of the noise on which it rests. Counted are runs in which some noisy answer was off by more than the
quantile, and those in which some query of the synthetic table was off by more than the requested accuracy.
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from typing import Any

import numpy as np

import synthbounds as sb
import synthbounds.data as sd
from benchmarks.guarantee import generated
from benchmarks.measure import main
from bounds.privacy.adjacency import Adjacency
from lp.synthesis.answers import answer, count_records
from lp.synthesis.points import MeasureSettings
from lp.synthesis.question import ROUNDING, UNIFORM, Question
from lp.synthesis.run import make
from lp.synthesis.synthesis_plan import plan_synthesis
from release.noise.kinds import Mode
from release.noise.randomness import read_randomness

EPSILON, ACCURACY, FAILURE, DP_DELTA, DEGREE = (*map(Fraction, ("1", "0.2", "0.05", "1e-6")), 2)
CASES = (
    ("cells", (2,) * 6, ("laplace", "linf", "gaussian", "contrast-linf", "contrast-gaussian")),
    ("cells", (3,) * 4, ("linf", "contrast-linf", "contrast-gaussian")),
    ("monomials", (2,) * 6, ("linf", "gaussian", "contrast-gaussian")),
)


def run(*, quick: bool) -> dict[str, Any]:
    runs: dict[Mode, int] = {"simulate": 20, "release": 5} if quick else {"simulate": 400, "release": 200}
    found: dict[str, Any] = {"runs": dict(runs), "accuracy": float(ACCURACY), "failure": float(FAILURE)}
    for family, sizes, mechanisms in CASES:
        for mechanism in mechanisms:
            case = {mode: counted(family, sd.Domain(sizes), mechanism, mode, runs[mode]) for mode in runs}
            found[f"{family}_t{sizes[0]}_p{len(sizes)}_{mechanism}"] = case
    return found


def counted(family: str, domain: sd.Domain, mechanism: str, mode: Mode, runs: int) -> dict[str, Any]:
    """This many runs at the required size, with failures of the noise and of the table."""
    delta = {"dp_delta": DP_DELTA} if mechanism.endswith("gaussian") else {}
    asked: dict[str, Any] = {"epsilon": EPSILON, "accuracy": ACCURACY, "failure": FAILURE, "mechanism": mechanism}
    needed = sb.require(p=domain.p, t=domain.sizes[0], degree=DEGREE, family=family, **asked, **delta)
    queries = sd.build_family(family, domain, DEGREE)
    question = Question(
        family=queries,
        degree=DEGREE,
        measure=UNIFORM,
        mode=mode,
        adjacency=Adjacency.REPLACE_ONE,
        size=needed.n,
        k=needed.k,
        rows=ROUNDING,
        **asked,
        **delta,
    )
    plan = plan_synthesis(question)
    noise, errors = [], []
    started = time.process_time()
    for number in range(runs):
        table = count_records(queries, generated(domain, needed.n, number), keep=False)
        truth = np.array(table.values) / needed.n / queries.denominator
        randomness = read_randomness(mode, seed=number if mode == "simulate" else None)
        answers = answer(table, plan, randomness, MeasureSettings())
        made = make(answers)
        ours = np.array(sd.family_sums(queries, made.rows)) / len(made.rows) / queries.denominator
        noise.append(float(np.abs([float(a) for a in answers.answers] - truth).max()))
        errors.append(float(np.abs(ours - truth).max()))
    return {
        "n": needed.n,
        "k": needed.k,
        "quantile": round(float(plan.noise.quantile), 6),
        "promise": round(float(plan.promise.accuracy or 0), 6),
        "noise_broken": sum(size > plan.noise.quantile for size in noise),
        "accuracy_broken": sum(error > ACCURACY for error in errors),
        "largest_noise": round(max(noise), 6),
        "largest_error": round(max(errors), 6),
        "cpu_s_a_run": round((time.process_time() - started) / runs, 4),
    }


if __name__ == "__main__":
    sys.exit(main("required", __doc__ or "", run))
