"""One estimate of the same noisy log by this project and by mbi, and whole runs of AIM from the command line.

Logs are AIM's, with the settings of zhou2024: workload of all 4-way tables of at most 10^6 cells, 100 MB, 16 rounds a
column, epsilon 1, dp_delta 1/n^2, add-remove, n unknown. CPU seconds and MB are those of whole processes, which read
the table and write rows and log, on one thread; `fit` is only the estimate, from an uninformed start. A loss is the sum
of |N M p - y|^2 / (2 sd^2) over the log, in nats, computed here from the tables of either model. mbi runs 1,000 steps
of mirror descent in double precision, as it recommends. SYNTHBOUNDS_MBI names a Python interpreter that has mbi,
SYNTHBOUNDS_OPENDP one that has opendp[mbi]; if it is not set, its part is `not installed`.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import ONE_THREAD, child, main, synthbounds_command
from bounds.privacy.ledger import Ledger
from release.log.read import read_log
from verify import real_tables

MBI, OPENDP = "SYNTHBOUNDS_MBI", "SYNTHBOUNDS_OPENDP"
MISSING = "not installed"
COMPARED = ("adult", "compas")
DEGREE, LONGEST_S = 4, 3600
REPEATS = 3
HERE = Path(__file__).parent


def run(*, quick: bool) -> dict[str, Any]:
    names = [name for name in ("compas", "heart") if quick] or ["adult", "compas", "heart", "law", "churn", "dutch"]
    if not all(real_tables.is_here(name) for name in names):
        return {"tables": real_tables.MISSING}
    with tempfile.TemporaryDirectory() as folder:
        aim = {name: _aim(name, Path(folder), repeats=1 if quick else REPEATS) for name in names}
        fits = {
            name: _fits(Path(folder) / f"{name}.log.json", 1 if quick else REPEATS)
            for name in COMPARED
            if name in names
        }
        opendp = MISSING if quick else _opendp("compas", Path(folder))
    found: dict[str, Any] = {}
    for name, fit in fits.items():
        found |= {f"{name}_{key}": value for key, value in fit.items() if not isinstance(value, dict)}
    found |= {f"{name}_aim_cpu_s": used["simulate_cpu_s"] for name, used in aim.items()}
    return found | {"aim": aim, "opendp_aim_compas": opendp}


# ------------------------------------------------------------------------------------------------------- one estimate


def _fits(log_file: Path, repeats: int) -> dict[str, Any]:
    """Both estimates of one log; CPU seconds are medians over this many processes."""
    log, folder = read_log(log_file), log_file.parent
    plain, found = folder / "plain.json", folder / "found.json"
    told = [{"columns": list(t.columns), "sd": float(t.sd), "counts": list(t.counts)} for t in log.tables]
    asked = {"sizes": list(log.schema.domain.sizes), "total": log.total_est, "tables": told}
    plain.write_text(json.dumps(asked), encoding="utf-8")
    ours = _medians([sys.executable, "-m", "benchmarks.log_fit", str(log_file), str(found)], found, repeats)
    kept = {key: ours[key] for key in ("fit_cpu_s", "certificate_cpu_s", "process_cpu_s", "gap", "l1", "evaluations")}
    result = {"loss": _loss(told, ours["tables"]), **kept, "measured": len(told)}
    interpreter = os.environ.get(MBI)
    if interpreter is None:
        return result | {"mbi": MISSING}
    command = [interpreter, "-W", "ignore", str(HERE / "mbi_fit.py"), str(plain), str(found)]
    theirs = _medians(command, found, repeats)
    ratios = {
        f"ratio_vs_mbi_{part}": round(theirs[f"{part}_cpu_s"] / ours[f"{part}_cpu_s"], 1) for part in ("process", "fit")
    }
    shown = {f"mbi_{key}": theirs[key] for key in ("fit_cpu_s", "process_cpu_s", "process_mb", "version")}
    return ratios | result | {"mbi_loss": _loss(told, theirs["tables"])} | shown


def _medians(command: list[str], found_file: Path, repeats: int) -> dict[str, Any]:
    """The result of the last process, with CPU seconds as medians."""
    runs = []
    for _ in range(repeats):
        used = child(command, ONE_THREAD)
        found = json.loads(found_file.read_text(encoding="utf-8"))
        runs.append(found | {"process_cpu_s": used.cpu_s, "process_mb": round(used.mb)})
    times = [key for key in runs[-1] if key.endswith("cpu_s")]
    return runs[-1] | {key: round(statistics.median(run[key] for run in runs), 3) for key in times}


def _loss(measured: list[dict[str, Any]], tables: list[list[float]]) -> float:
    parts = (
        np.sum((np.array(table) - np.array(asked["counts"], float)) ** 2) / (2 * asked["sd"] ** 2)
        for asked, table in zip(measured, tables, strict=True)
    )
    return round(float(sum(parts)), 1)


# ----------------------------------------------------------------------------------------------------------- all of AIM


@dataclass(frozen=True)
class _Asked:
    table: Path
    n: int
    sizes: dict[str, int]

    @property
    def rho(self) -> float:
        found = Ledger.in_rho(epsilon=Fraction(1), dp_delta=Fraction(1, self.n**2), adjacency="add-remove")
        return float(found.total)

    def schema(self) -> str:
        columns = [{"name": name, "levels": [str(i) for i in range(size)]} for name, size in self.sizes.items()]
        return json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns})


def _asked(name: str) -> _Asked:
    sizes = real_tables.domain(name)
    return _Asked(
        table=real_tables.FOLDER / f"{name}.csv",
        n=real_tables.line_count(name),
        sizes={column: sizes[column] for column in real_tables.columns(name)},
    )


def _aim(name: str, folder: Path, repeats: int) -> dict[str, Any]:
    """Medians over simulations with different noise, and over releases; the log of the last simulation is kept."""
    asked, schema = _asked(name), folder / f"{name}.schema.json"
    schema.write_text(asked.schema(), encoding="utf-8")
    found: dict[str, Any] = {}
    for mode in ("release", "simulate"):
        runs = []
        for seed in range(repeats):
            log = folder / f"{name}.log.json"
            options = {
                "schema": schema,
                "method": "aim",
                "degree": DEGREE,
                "epsilon": 1,
                "dp-delta": f"1/{asked.n**2}",
                "adjacency": "add-remove",
                "least-size": 1,
                "k": asked.n,
                "mode": mode,
                "synthetic": folder / f"{name}.synthetic.csv",
                "log": log,
                "format": "json",
            } | ({"seed": seed} if mode == "simulate" else {})
            said = [part for option, value in options.items() for part in (f"--{option}", str(value))]
            runs.append(child(synthbounds_command("synth", str(asked.table), *said, "--force"), ONE_THREAD))
        found[f"{mode}_cpu_s"] = round(statistics.median(used.cpu_s for used in runs), 2)
        found[f"{mode}_mb"] = round(max(used.mb for used in runs))
    made = read_log(folder / f"{name}.log.json")
    return found | {"rounds": len(made.choices), "cells": sum(len(table.counts) for table in made.tables)}


def _opendp(name: str, folder: Path) -> dict[str, Any] | str:
    """The same task for the AIM of opendp, up to its model, once."""
    interpreter = os.environ.get(OPENDP)
    if interpreter is None:
        return MISSING
    asked, plain, found = _asked(name), folder / "asked.json", folder / "opendp.json"
    plain.write_text(json.dumps({"sizes": asked.sizes, "rho": asked.rho, "degree": DEGREE}), encoding="utf-8")
    command = [interpreter, "-W", "ignore", str(HERE / "opendp_aim.py"), str(asked.table), str(plain), str(found)]
    try:
        used = child(command, ONE_THREAD, most_cpu_s=LONGEST_S)
    except subprocess.CalledProcessError:
        return f"not finished within {LONGEST_S:,} CPU s"
    said = json.loads(found.read_text(encoding="utf-8"))
    return {
        "cpu_s": round(used.cpu_s, 1),
        "mb": round(used.mb),
        "measured": said["measured"],
        "version": said["version"],
    }


if __name__ == "__main__":
    raise SystemExit(main("pgm", __doc__ or "", run))
