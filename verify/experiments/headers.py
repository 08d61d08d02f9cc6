"""What each file of recorded runs rests on: its header, with digests of code and tables, next to it as JSON.

    python -m verify.experiments.headers           # new digests, after a change; no runs are made
    python -m verify.experiments.headers --runs 10 # also repeats this many runs of each study and compares them

The code of runs recorded before headers existed is not known. The study declares which lines the present code has made;
for the others the header says how many of the repeated ones came out the same.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from verify import real_tables
from verify.experiments.recorded import FOLDER, Line
from verify.experiments.study import NAMES, Study, find_study, numbers_of

_HOME = Path(__file__).resolve().parents[2]
MOST_CPU_S = 2.0
"""Runs that took longer are not repeated for a header."""


@cache
def header_of(name: str) -> Mapping[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def is_of_this_code(study: Study, line: Line) -> bool:
    return any(all(line[name] in values for name, values in where.items()) for where in study.of_this_code)


def comes_out_the_same(study: Study, header: Mapping[str, Any], line: Line) -> bool:
    """Whether a line must have the same numbers when it is repeated: same code, same arithmetic."""
    return is_of_this_code(study, line) and dict(header["environment"]) == environment()


def environment() -> dict[str, str]:
    """What floating-point numbers may depend on."""
    return {"machine": platform.machine(), "numpy": version("numpy"), "scipy": version("scipy")}


def digests(study: Study) -> dict[str, Any]:
    """Digests of the runs, the code and the tables; None for a table that is not available."""
    files = [f"{name}.csv" for name in study.tables]
    here = {file: real_tables.FOLDER / file for file in files}
    return {
        "runs": _digest(study.runs.path),
        "code": {path: _digest(_HOME / path) for path in study.modules},
        "tables": {file: _digest(path) if path.is_file() else None for file, path in here.items()},
    }


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def made_again(study: Study, runs: int) -> dict[str, Any]:
    """Cheap lines, far apart, with their own seeds: how many come out the same, and the largest difference."""
    cheap = [line for line in study.runs.lines() if line.get("cpu_s", 0.0) <= MOST_CPU_S]
    every = max(1, len(cheap) // runs)
    chosen, differences = cheap[every // 2 :: every][:runs], []
    for line in chosen:
        found = study.again(line)
        assert found is not None, "the tables are not available"
        old, new = numbers_of(line, study.measured), numbers_of(found, study.measured)
        differences.append(max((abs(old[s] - new[s]) / max(abs(old[s]), 1e-12) for s in old), default=0.0))
    equal = sum(value <= 1e-6 for value in differences)
    return {"runs": len(chosen), "equal": equal, "largest_relative_difference": float(f"{max(differences):.3g}")}


def main(names: Sequence[str] = NAMES) -> int:
    parser = argparse.ArgumentParser(prog="python -m verify.experiments.headers", description=__doc__)
    parser.add_argument("--runs", type=int, help="repeat this many runs")
    parser.add_argument("--studies", nargs="+", choices=NAMES, default=list(names))
    options = parser.parse_args()
    for name in options.studies:
        study, path = find_study(name), FOLDER / f"{name}.json"
        known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        lines = study.runs.lines()
        header = {
            "study": name,
            "lines": len(lines),
            "lines_of_this_code": sum(is_of_this_code(study, line) for line in lines),
            "seeds": study.seeds,
            "setting": study.setting,
            "digests": digests(study),
            "environment": environment(),
            "made_again": made_again(study, options.runs) if options.runs else known.get("made_again"),
        }
        path.write_text(json.dumps(header, indent=2) + "\n", encoding="utf-8")
        sys.stdout.write(f"{name}: {header['made_again']}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
