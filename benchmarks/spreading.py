"""The cost of spreading work: runs of guarantees by one process, by two, and by a cluster of two.

Each part is a separate tree of processes, whose CPU seconds are all counted, scheduler included. A start is the time of
two runs of each guarantee, with imports; spreading is worth it, say, if a job is ten times as long.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks.measure import ONE_THREAD, main
from verify.run_guarantees import CHUNK
from verify.spread.workers import HERE, Workers

WAYS = ("one_process", "two_processes", "cluster_of_two")
GUARANTEES = ("bojkovic2024.uniform", "bojkovic2024.uniform.printed", "bojkovic2024.kde-grid.corrected")
TEN = 10


def run(*, quick: bool) -> dict[str, Any]:
    runs = 20 if quick else 1000
    found: dict[str, Any] = {"runs": runs, "guarantees": len(GUARANTEES)}
    digests = set()
    for way in WAYS:
        start, _ = _in_a_tree(f"digest_of({way!r}, 2, 1)")
        work, digest = _in_a_tree(f"digest_of({way!r}, {runs}, {CHUNK})")
        digests.add(digest)
        found[way] = {"start_cpu_s": round(start, 2), "runs_cpu_s": round(work, 2)}
    found["same_answers"] = len(digests) == 1
    for way in WAYS[1:]:
        extra = found[way]["start_cpu_s"] - found["one_process"]["start_cpu_s"]
        found[way] |= {"extra_start_cpu_s": round(extra, 2), "pays_from_cpu_s": round(TEN * extra)}
    return found


def _in_a_tree(call: str) -> tuple[float, str]:
    """CPU seconds of a process with all that it starts, and its answer."""
    command = [sys.executable, "-c", f"import benchmarks.spreading as b; print(b.{call})"]
    folder, quiet = Path(__file__).resolve().parent.parent, subprocess.DEVNULL
    environment = os.environ | ONE_THREAD | {"MKL_NUM_THREADS": "1"}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=quiet, text=True
    ) as process:
        assert process.stdout is not None
        answer = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return used.ru_utime + used.ru_stime, answer


def digest_of(way: str, runs: int, size: int) -> str:
    """The results of runs of the guarantees, this many items at a time."""
    items = [(name, run) for name in GUARANTEES for run in range(runs)]

    def made(workers: Workers) -> str:
        answers = chain.from_iterable(workers.chunks("verify.run_guarantees:fails", items, size=size))
        return sha256(json.dumps(list(answers)).encode()).hexdigest()

    if way != "cluster_of_two":
        return made(HERE if way == "one_process" else Workers(2))
    from distributed import LocalCluster

    with LocalCluster(2, threads_per_worker=1, scheduler_port=0, dashboard_address="127.0.0.1:0") as cluster:
        return made(Workers(1, cluster.scheduler_address))


if __name__ == "__main__":
    sys.exit(main("spreading", __doc__ or "", run))
