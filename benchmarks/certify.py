"""Certificates of models: how small they are on real tables, whether they are true, and how near adversaries come.

Sizes are means over draws at epsilon 1, confidence 0.95, dp_delta = 1/n^2, replace-one. Pipelines run from a table to
the least certificate of degree 2 and compare it with the true excess risk; attacks choose tables, noise and models to
defeat one; events say how often the radii fail. CPU seconds are those of one certificate, after release and model are
read.
`--store FILE` keeps finished runs, so that the study can be made in pieces.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from fractions import Fraction
from functools import cache, partial
from typing import Any

from benchmarks.measure import child_cpu_seconds, main, synthbounds_command
from bounds import clopper_pearson
from mechanisms.models.certify.from_moments import ModelCertificate, certify_model, class_for
from mechanisms.models.train.from_release import train_from_release
from mechanisms.models.train.newton import train_on_table
from release.parameters import DEFAULT_BETA
from verify import real_tables
from verify.certificate_runs import BETA, real_table, simulated_release
from verify.guarantee import CONFIDENCE
from verify.run_certificates import (
    ATTACKS,
    EVENTS,
    GROUP_ATTACKS,
    PIPELINES,
    VERSION,
    Row,
    Rows,
    ratios,
    run_certificates,
)
from verify.spread.store import Store, run_studies
from verify.spread.workers import HERE, Workers, told

SIZES = {
    f"{name}_tau{tau}_degree{degree}": (name, tau, degree, before)
    for name, tau, degree, before in (
        ("adult", 5, 2, 0.0138),
        ("dutch", 5, 2, 0.0104),
        ("compas", 5, 2, 0.0549),
        ("adult", 2, 2, 0.0020),
        ("dutch", 2, 2, 0.0004),
        ("adult", 5, 4, 0.0061),
        ("dutch", 5, 4, 0.0029),
    )
}
"""Table, norm, degree, and the least that two simpler polynomials gave in one draw, to compare with."""

UNIFORM, ONE_QUADRATIC = "uniform approximation", "best polynomial"
"""Names in certificates: the route of worst-case theorems, and one polynomial of degree 2 for all records."""

PLANS = {
    "plan_process_cpu_s": ("--n", "48842", "--epsilon", "1"),
    "plan_target_process_cpu_s": ("--epsilon", "1", "--target", "0.02"),
}
"""Whole processes of the command, including start-up."""


def run(*, quick: bool, store: Store | None = None, workers: Workers = HERE) -> dict[str, Any]:
    draws, runs, trials, releases = (2, 16, 10, 200) if quick else (10, 1152, 1100, 4000)
    here = [key for key, (name, *_) in SIZES.items() if real_tables.is_here(name)]
    drawn = run_studies(
        "benchmarks.certify:drawn", {key: range(draws) for key in here}, size=1, store=store, workers=workers
    )
    found: dict[str, Any] = {"draws": draws, "epsilon": 1, "beta": float(DEFAULT_BETA)}
    for key, (*_, before) in SIZES.items():
        found[key] = _sizes(drawn[key]) | {"before": before} if key in drawn else real_tables.MISSING
    if real_tables.is_here("adult"):
        found["certificate_cpu_s"] = found["adult_tau5_degree2"]["cpu_s"]
    for key, options in PLANS.items():
        command = synthbounds_command("certify", "--plan", "--features", "14", "--tau", "5", *options)
        found[key] = round(child_cpu_seconds(command, 1 if quick else 3), 2)
    counts = {PIPELINES: runs, ATTACKS: trials, GROUP_ATTACKS: trials // 2, EVENTS: releases}
    rows = run_certificates(counts, store=store, workers=workers, progress=_say)
    found["pipelines"] = _pipelines(rows[PIPELINES])
    found["attacks"] = _attacks(rows[ATTACKS])
    found["group_attacks"] = _attacks(rows[GROUP_ATTACKS])
    found["events"] = _events(rows[EVENTS])
    return found


def _sizes(runs: Rows) -> dict[str, Any]:
    rows = runs.values()
    return {
        "mean": round(statistics.mean(row["bound"] for row in rows), 6),
        "largest": round(max(row["bound"] for row in rows), 6),
        "one_quadratic_mean": round(statistics.mean(row["one_quadratic"] for row in rows), 6),
        "uniform_mean": round(statistics.mean(row["uniform"] for row in rows), 4),
        "actual_mean": round(statistics.mean(row["excess"] for row in rows), 6),
        "largest_ratio": round(max(row["excess"] / row["bound"] for row in rows), 4),
        "verdicts": sorted({row["verdict"] for row in rows}),
        "cpu_s": round(statistics.median(row["cpu_s"] for row in rows), 2),
    }


def drawn(item: tuple[str, int]) -> Row:
    """Bound and true excess of the model that was trained from one release of the table."""
    name, tau, degree, _ = SIZES[item[0]]
    draw = item[1]
    truth = real_table(name, fourth=degree == 4)
    release = simulated_release(truth, draw, epsilon=Fraction(1), fourth=degree == 4)
    model = train_from_release(release, tau=tau).model
    start = time.process_time()
    certificate = certify_model(release, model, class_for(model))
    seconds = time.process_time() - start
    return {
        "bound": float(certificate.bound),
        "one_quadratic": _least(certificate, ONE_QUADRATIC),
        "uniform": _least(certificate, UNIFORM),
        "excess": truth.risk(model.coefficients, model.loss) - _least_risk(name, tau),
        "verdict": certificate.verdict,
        "cpu_s": seconds,
    }


def _least(certificate: ModelCertificate, name: str) -> float:
    return min(float(route.value) for route in certificate.routes if route.name == name and route.value is not None)


@cache
def _least_risk(name: str, tau: int) -> float:
    truth = real_table(name)
    return train_on_table(truth.codes, truth.feature_map, tau=tau).risk_est


def _pipelines(rows: Rows) -> dict[str, Any]:
    found = ratios(rows)
    return {
        "runs": len(found),
        "violations": sum(ratio > 1 for ratio in found),
        "largest_ratio": round(max(found), 4),
        "median_ratio": round(statistics.median(found), 4),
        "largest_gap_of_training": max(row["gap"] for row in rows.values()),
        "largest_ratio_by_table": _largest(rows, found, "table"),
        "largest_ratio_by_loss": _largest(rows, found, "loss"),
        "largest_ratio_by_tau": _largest(rows, found, "tau"),
        "largest_ratio_by_epsilon": _largest(rows, found, "epsilon"),
        "runs_by_loss": {loss: sum(row["loss"] == loss for row in rows.values()) for loss in _values(rows, "loss")},
    }


def _attacks(rows: Rows) -> dict[str, Any]:
    found = ratios(rows)
    return {
        "trials": len(found),
        "violations": sum(ratio > 1 for ratio in found),
        "largest_ratio": round(max(found), 12),
        "median_ratio": round(statistics.median(found), 4),
        "share_above_0.9": round(sum(ratio > 0.9 for ratio in found) / len(found), 3),
        "largest_by_table": round(max(row["by_table"] for row in rows.values()), 12),
        "largest_by_noise": round(max(row["by_noise"] for row in rows.values()), 12),
        "largest_ratio_by_loss": _largest(rows, found, "loss", 12),
        "largest_ratio_by_tau": _largest(rows, found, "tau", 12),
    }


def _events(rows: Rows) -> dict[str, Any]:
    """How often the real moments are outside the radii, with its confidence interval."""
    failures = sum(not row["holds"] for row in rows.values())
    low, high = clopper_pearson.interval(failures, len(rows), CONFIDENCE)
    return {
        "releases": len(rows),
        "outside": failures,
        "promised": float(BETA),
        "interval": [round(low, 4), round(high, 4)],
        "kept": low <= BETA,
    }


def _values(rows: Rows, key: str) -> list[str]:
    return sorted({row[key] for row in rows.values()})


def _largest(rows: Rows, found: list[float], key: str, digits: int = 4) -> dict[str, float]:
    pairs = list(zip(rows.values(), found, strict=True))
    return {v: round(max(ratio for row, ratio in pairs if row[key] == v), digits) for v in _values(rows, key)}


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    options = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    options.add_argument("--store")
    chosen, sys.argv[1:] = options.parse_known_args()
    with told(options):
        kept = None if chosen.store is None else Store(chosen.store, VERSION)
    sys.exit(main("certify", __doc__ or "", partial(run, store=kept)))
