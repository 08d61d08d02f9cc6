"""Shared by all benchmarks: CPU time of child processes, machine facts, printing and saving."""

from __future__ import annotations

import argparse
import inspect
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify.spread.workers import add_options, said, told

RESULTS = Path(__file__).parent / "results"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1") | {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"
}
"""For NumPy, scikit-learn, polars and JAX: threads waiting for others would count as CPU time."""


@dataclass(frozen=True)
class Used:
    """Resources used by one process."""

    cpu_s: float
    mb: float


def child(
    command: list[str],
    environment: Mapping[str, str] | None = None,
    *,
    most_cpu_s: int | None = None,
    most_bytes: int | None = None,
) -> Used:
    """User plus system time and peak memory of a command, which is stopped if it exceeds its limit."""

    def limit() -> None:
        for what, most in ((resource.RLIMIT_CPU, most_cpu_s), (resource.RLIMIT_DATA, most_bytes)):
            if most is not None:
                resource.setrlimit(what, (most, most))

    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env={**os.environ, **(environment or {})}, preexec_fn=limit, **quiet) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Used(cpu_s=used.ru_utime + used.ru_stime, mb=used.ru_maxrss / 1024)


def child_cpu_seconds(command: list[str], repeats: int) -> float:
    """Median user plus system time of a command, over fresh processes."""
    return statistics.median(child(command).cpu_s for _ in range(repeats))


def in_a_process(name: str, call: str) -> dict[str, Any]:
    """The result of a function of the benchmark with this name, called in its own process with one thread."""
    program = f"import json, benchmarks.{name} as b; print(json.dumps(b.{call}))"
    environment = os.environ | ONE_THREAD | {"MKL_NUM_THREADS": "1"}
    command, folder = [sys.executable, "-c", program], Path(__file__).resolve().parent.parent
    done = subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def peak_mb() -> float:
    """The peak of only this process; the figure of getrusage may come from the process that started it."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
    }


def main(name: str, description: str, run: Any) -> int:
    """Parse the common options, run, print as a table or as JSON, and save on request; a study may use workers."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, within a minute")
    parser.add_argument("--save", action="store_true", help="keep the result in benchmarks/results")
    spreads = "workers" in inspect.signature(run).parameters
    if spreads:
        add_options(parser)
    options = parser.parse_args()
    with told(parser):
        more = {"workers": said(options)} if spreads else {}
        result = {**run(quick=options.quick, **more), "machine": machine()}
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
