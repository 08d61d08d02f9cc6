"""Shared by all benchmarks: CPU time of child processes, machine facts, printing and saving."""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def child_cpu_seconds(command: list[str], repeats: int) -> float:
    """Median user plus system time of a command, over fresh processes."""
    samples = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        samples.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(samples)


def machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
    }


def main(name: str, description: str, run: Any) -> int:
    """Parse the common options, run, print as a table or as JSON, and save on request."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, within a minute")
    parser.add_argument("--save", action="store_true", help="keep the result in benchmarks/results")
    options = parser.parse_args()
    result = {**run(quick=options.quick), "machine": machine()}
    text = json.dumps(result, indent=2)
    if options.save:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    if options.json:
        print(text)
    else:
        for key, value in result.items():
            print(f"{key:32} {value}")
    return 0


def synthbounds_command(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).parent / "synthbounds"), *arguments]
