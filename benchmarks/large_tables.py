"""`synth --method lp` on unmodified tables, and which density rows should be made from.

Whole commands: Adult with all levels of its 14 columns (two-way cells, 100,000 points), and with the public schema of
docs/examples. CPU seconds and memory are those of the command, errors are relative to the real table. Then two
densities for the same noisy cells, on programmes that can be solved: the one of maximum entropy with a pull towards the
answers (`lp.programme.entropy`), and least squares within walls (`lp.programme.proportional`); true errors are in
standard deviations of the noise. Nothing was chosen by these seeds.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

import synthbounds.data as sd
from benchmarks.large_programmes import Instance, Setting
from benchmarks.measure import ONE_THREAD, child, main, synthbounds_command
from lp.programme.entropy import maximum_entropy
from lp.programme.proportional import proportional
from lp.programme.solve import solve
from lp.synthesis.question import DENSITY_PULL, DENSITY_SLACK
from verify import real_tables

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "docs" / "examples" / "adult_raw.schema.json"
POINTS = 100_000
MODES = {
    "simulate": ["--mode", "simulate", "--seed"],
    "release": ["--mode", "release", "--adjacency", "replace-one"],
}
TIES = (("adult", 3, "gaussian"), ("adult", 3, "laplace"), ("compas", 5, "gaussian"))


def run(*, quick: bool) -> dict[str, Any]:
    if not real_tables.is_here("adult"):
        return {"not run": real_tables.MISSING}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        levels = real_tables.domain("adult")
        columns = [{"name": name, "range": ["0", str(size)], "bins": size} for name, size in levels.items()]
        every = place / "adult.schema.json"
        every.write_text(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))
        found: dict[str, Any] = {
            "all_levels": commands(place, real_tables.FOLDER / "adult.csv", every, quick=quick),
            "public_schema": commands(place, real_tables.FOLDER / "raw" / "adult_raw.csv", EXAMPLE, quick=quick),
        }
    found["densities"] = {f"{name}_{most}_{noise}": densities(name, most, noise, quick) for name, most, noise in TIES}
    return found


def commands(place: Path, table: Path, schema: Path, *, quick: bool) -> dict[str, Any]:
    """Several commands on a table: the worst of each figure."""
    read = sd.read_schema(schema)
    real = sd.read_codes(table, read)
    found = []
    for mode, seed in [("release", 0), ("simulate", 1), ("simulate", 2)][: 2 if quick else 3]:
        made, report = place / "made.csv", place / "report.json"
        asked = [str(table), "--schema", str(schema), "--method", "lp", "--m", str(POINTS), "--epsilon", "1"]
        asked += ["--dp-delta", "1e-9", *MODES[mode], *([str(seed)] if seed else [])]
        asked += ["--synthetic", str(made), "--output", str(report), "--format", "json", "--force"]
        used = child(synthbounds_command("synth", *asked), ONE_THREAD)
        said = json.loads(report.read_text(encoding="utf-8"))
        family = sd.build_family("cells", read.domain, 2)
        rows = sd.read_codes(made, read)
        truth, ours = (np.array(sd.family_sums(family, codes)) / len(codes) for codes in (real, rows))
        found.append(
            {
                "cpu_s": used.cpu_s,
                "mb": used.mb,
                "within": float(said["within"]),
                "certified": float(said["certificate"]["accuracy"]),
                "true_error": float(np.abs(ours - truth).max()),
                "rows_over_density": float(said["certificate"]["observed"]) / float(said["optimum"]["hi"]) - 1,
                "foreseen_cpu_s": float(said["foreseen"]["cpu_seconds_est"]),
                "foreseen_mb": said["foreseen"]["megabytes_est"],
            }
        )
    worst = {key: round(max(one[key] for one in found), 6) for key in found[0]}
    return {"queries": said["queries"], "commands": len(found), **worst}


def densities(name: str, most: int, noise: str, quick: bool) -> dict[str, Any]:
    """Mean true errors of the two densities over some seeds."""
    errors: dict[str, list[tuple[float, float]]] = {"entropy": [], "squares": []}
    for seed in range(8001, 8002 if quick else 8004):
        drawn = Instance.drawn(Setting(name, most, 10_000, 0, 0, 0), noise, seed)
        optimum, slack = solve(drawn.matrix, drawn.target, exact=True), float(DENSITY_SLACK)
        smooth = maximum_entropy(
            drawn.matrix,
            drawn.target,
            value=optimum.value_est,
            relative_slack=slack,
            absolute_slack=5 * slack * drawn.deviation,  # about as large as the largest noise
            pull=DENSITY_PULL,
        )
        every = replace(optimum, numbers=np.arange(drawn.matrix.columns), weights=smooth.weights)
        errors["entropy"].append(drawn.errors(every))
        errors["squares"].append(drawn.errors(proportional(drawn.matrix, drawn.target)))
    return {
        kind: {"sup": round(mean(sup for sup, _ in pairs), 3), "rms": round(mean(rms for _, rms in pairs), 3)}
        for kind, pairs in errors.items()
    }


if __name__ == "__main__":
    sys.exit(main("large_tables", __doc__ or "", run))
