"""Privacy audits of the commands as users call them, under both adjacencies, on worst-case neighbours of two records.

Each command runs in release mode on a table, while its draws of noise are recorded; with the same outputs it runs on
all other tables of two records, and the neighbours that the noise distinguishes best are kept. For these, `loss` is the
privacy loss of the requested noise, exactly or an upper bound. `lower` is the loss refuted by `samples` draws for each
table, with the likelihood ratio and Clopper-Pearson bounds at confidence 0.99; `lower_half_noise` is the same with all
noise halved, and must be above the claim. `command_runs` is the number of whole runs of the command on each table, with
the operating system's randomness; `command_lower` is what these refute, if they are enough, and `same_law` is the
p-value of the Kolmogorov-Smirnov test that their log-ratios are distributed like the samples (the lesser of both
tables). Objective perturbation publishes no noisy number: its model is compared in the direction in which it depends on
the records. `bugs` counts the mistakes of verify/audit/bugs.py that are found with this many samples. CPU seconds are
those of a case, or of the whole part.
"""

from __future__ import annotations

import gc
import json
import re
import sys
import tempfile
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import ks_2samp

from benchmarks.command_cases import EPSILON, CommandCase, all_cases, objective_case
from benchmarks.measure import main
from bounds.privacy.adjacency import Adjacency
from verify.audit.bugs import BUGS
from verify.audit.doors import Drawn, watched
from verify.audit.history import History, mechanism_of
from verify.audit.mechanism import stream
from verify.audit.ratio import ratio_audit
from verify.audit.scoreboard import find_bugs
from verify.audit.small_tables import all_neighbours, all_tables
from verify.audit.statistics import LEAST_SAMPLES
from verify.audit.subject import DELTA as SMALL_DELTA
from verify.audit.subjects import find_subject

if TYPE_CHECKING:
    from release.data.domain import Codes
    from verify.audit.mechanism import Outputs

SAMPLES = 1_000_000
MOST_NUMBERS = 60_000_000
"""Samples times noisy numbers that change: fewer samples if there are very many numbers."""
AT_ONCE = 50_000
HALF = Fraction(1, 2)


def worst(case: CommandCase, folder: Path, *, seed: int | None = None) -> tuple[Codes, Codes, History]:
    """Of all neighbours compared, those that a history distinguishes best, with that history."""
    tables = all_tables(case.adjacency)
    if case.is_slow:  # two records that differ in everything
        tables = [table for table in tables if (table == table[:, :1]).all()]
    outputs = [drawn.output for drawn in watched(lambda: case.run(tables[-1], folder, seed=seed))]
    draws = [watched(lambda t=table: case.run(t, folder, seed=seed), outputs) for table in tables]  # type: ignore[misc]
    histories = {(i, j): History(draws[i], draws[j]) for i, j in all_neighbours(tables, case.adjacency)}
    one, other = max(histories, key=lambda pair: histories[pair].size)
    return tables[one], tables[other], histories[one, other]


def sampled(history: History, side: int, samples: int, *, audit: int) -> Outputs:
    """Log-ratios of the history's noise, part by part."""
    g = stream(0, audit, side)
    return np.concatenate([history.log_ratios(side, min(AT_ONCE, samples - k), g) for k in range(0, samples, AT_ONCE)])


def through_the_command(
    case: CommandCase, pair: tuple[Codes, Codes], history: History, folder: Path, *, runs: int, seed: int | None = None
) -> list[Outputs]:
    """Log-ratios of whole runs on both tables; an adaptive command is run again along the same outputs."""
    found: list[list[float]] = [[], []]
    for side in (0, 1):
        for run in range(runs):
            here = None if seed is None else seed + 2 * run + side
            drawn = watched(lambda s=side, h=here: case.run(pair[s], folder, seed=h))  # type: ignore[misc]
            sides = [_with_outputs(known, drawn) for known in (history.first, history.second)]
            if case.is_adaptive:
                outputs = [one.output for one in drawn]
                again = watched(lambda s=side, h=here: case.run(pair[1 - s], folder, seed=h), outputs)  # type: ignore[misc]
                sides = [drawn, again] if side == 0 else [again, drawn]
            found[side].append(History(*sides).log_ratio())
    return [np.array(ratios) for ratios in found]


def _with_outputs(known: tuple[Drawn, ...], drawn: tuple[Drawn, ...]) -> tuple[Drawn, ...]:
    return tuple(replace(one, output=other.output) for one, other in zip(known, drawn, strict=False))


def audited(case: CommandCase, folder: Path, *, number: int, samples: int, runs: int) -> dict[str, Any]:
    start = time.process_time()
    first, second, history = worst(case, folder)
    claim: dict[str, Any] = {"epsilon": EPSILON, "delta": case.delta, "adjacency": case.adjacency}
    width = max(len(one.inputs) for one in history.first)
    samples = min(samples, MOST_NUMBERS // width)
    lower = {}
    ratios: list[list[Outputs]] = []
    for factor in (Fraction(1), HALF):
        noisy = history if factor == 1 else history.with_noise(factor)
        ratios.append([sampled(noisy, side, samples, audit=number) for side in (0, 1)])
        made = mechanism_of(ratios[-1], **claim)
        lower[factor] = ratio_audit(made, samples=samples, seed=0).epsilon_lower_est
    whole = through_the_command(case, (first, second), history, folder, runs=runs)
    loss = history.loss(delta=case.delta, adjacency=case.adjacency)
    kinds = {one.kind for one in history.first}
    exact = kinds <= {"laplace", "linf"} or kinds == {"rounded-gaussian"}
    found = {
        "claimed": float(EPSILON),
        "delta": float(case.delta),
        "draws": [f"{one.kind} on {len(one.inputs)}" for one in history.first],
        "loss": round(float(loss.hi), 4),
        "loss_is": "exact" if exact else "at most",
        "samples": samples,
        "lower": round(lower[Fraction(1)], 4),
        "lower_half_noise": round(lower[HALF], 4),
        "command_runs": runs,
    }
    if runs >= LEAST_SAMPLES:
        found["command_lower"] = round(_of_runs(whole, claim), 4)
    if not case.is_adaptive:
        found["same_law"] = round(min(float(ks_2samp(whole[s], ratios[0][s]).pvalue) for s in (0, 1)), 4)
    return {**found, "cpu_seconds": round(time.process_time() - start, 1)}


def _of_runs(whole: list[Outputs], claim: dict[str, Any]) -> float:
    return float(ratio_audit(mechanism_of(whole, **claim), samples=len(whole[0]), seed=0).epsilon_lower_est)


def objective(folder: Path, *, samples: int, runs: int) -> dict[str, Any]:
    """`regress --method objpert` on records with the same features, and the distribution of verify/audit's subject."""
    start = time.process_time()
    case, made = objective_case(), find_subject("objective-sharp").make(EPSILON)
    half = find_subject("objective-half-noise").make(EPSILON)
    assert made.exact is not None
    loss = made.exact()
    tables = _tables_of(loss.pair)
    whole = [np.array([_score(case, table, folder) for _ in range(runs)]) for table in tables]
    assert made.log_ratio is not None
    ratios = [made.log_ratio(scores[:, None]) for scores in whole]
    claim: dict[str, Any] = {"epsilon": EPSILON, "delta": SMALL_DELTA, "adjacency": Adjacency.ADD_REMOVE}
    laws = [made.sample(side, 10_000, stream(1, 0, side))[:, 0] for side in (0, 1)]
    assert loss.epsilon is not None
    return {
        "claimed": float(EPSILON),
        "delta": float(SMALL_DELTA),
        "draws": ["secret"],
        "loss": round(float(loss.epsilon.hi), 4),
        "loss_is": "exact",
        "samples": samples,
        "lower": round(ratio_audit(made, samples=samples, seed=0).epsilon_lower_est, 4),
        "lower_half_noise": round(ratio_audit(half, samples=samples, seed=0).epsilon_lower_est, 4),
        "command_runs": runs,
        "command_lower": round(_of_runs(ratios, claim), 4),
        "same_law": round(min(float(ks_2samp(whole[s], laws[s]).pvalue) for s in (0, 1)), 4),
        "cpu_seconds": round(time.process_time() - start, 1),
    }


def _tables_of(pair: str) -> list[Codes]:
    """The numbers in "(2, 0) to (1, 0) records ...": records of label 1 and -1, whose features are all 1."""
    counts = re.findall(r"\((\d+), (\d+)\)", pair)
    rows = [[[1, 1, 1]] * int(ones) + [[1, 1, 0]] * int(others) for ones, others in counts]
    return [np.array(table, dtype=np.uint8).reshape(-1, 3) for table in rows]


def _score(case: CommandCase, table: Codes, folder: Path) -> float:
    """theta.f for the published model."""
    case.run(table, folder)
    model = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    return float(sum(map(Fraction, model["coefficients"])))


def run(*, quick: bool) -> dict[str, Any]:
    samples, runs, few = (20_000, 100, 1) if quick else (SAMPLES, 100, 3)
    found: dict[str, Any] = {"confidence": 0.99}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, case in enumerate(all_cases()):
            made = few if case.is_slow else runs
            found[case.title] = audited(case, folder, number=number, samples=samples, runs=made)
            gc.collect()
        found["regress objpert, add-remove"] = objective(folder, samples=samples, runs=runs)
    start = time.process_time()
    rows = find_bugs(samples=samples // 5, seed=2)
    assert len(rows) == len(BUGS)
    bugs = {"samples": samples // 5, "bugs": len(rows), "found": sum(row.found for row in rows)}
    return {**found, "bugs": {**bugs, "cpu_seconds": round(time.process_time() - start, 1)}}


if __name__ == "__main__":
    sys.exit(main("audit_commands", __doc__ or "", run))
