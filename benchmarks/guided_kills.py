"""The server of the guided way, killed at random moments of a release: what is left, recorded and reported."""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.measure import main
from tests.synthbounds.web.killing import Course, after, cpu_seconds, killed_while, names_of, outcome
from tests.synthbounds.web.working import Person

SEEDS = (1, 2, 3)
QUICK, ALL = 2, 34
"""Kills for each seed, in one folder of releases."""


def run(*, quick: bool) -> dict[str, Any]:
    """All kills; anything wrong raises."""
    parts = [part(seed, QUICK if quick else ALL) for seed in SEEDS]
    found = sum((Counter(one["found"]) for one in parts), Counter[str]())
    return {
        "kills": sum(one["kills"] for one in parts),
        "seeds": len(SEEDS),
        "found": dict(found),
        "releases": sum(one["releases"] for one in parts),
        "within_target": True,
    }


def part(seed: int, rounds: int) -> dict[str, Any]:
    """Moments in CPU seconds: one in three anywhere from the upload to the end, the others during the release.

    Every other time the processes of its jobs are killed with the server. `outcome` fails if something is wrong.
    """
    draws = random.Random(seed)  # noqa: S311 - moments, not secrets
    found: Counter[str] = Counter()
    marks: list[float] = []

    def measure(steward: Person, course: Course) -> None:
        pid = steward.server.process.pid
        marks.append(cpu_seconds(pid))
        course.releases.wait()
        marks.append(cpu_seconds(pid))
        course.is_over.wait()
        marks.append(cpu_seconds(pid))

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        killed_while(folder, measure)
        print(outcome(folder, set()), marks, flush=True)
        for count in range(rounds):
            before, of_release = names_of(folder), count % 3 > 0
            moment = draws.random() * (marks[2] - marks[1 if of_release else 0])
            killed_while(folder, after(moment, of_release=of_release), with_jobs=bool(count % 2))
            kind = outcome(folder, before)
            found[kind] += 1
            print(f"{count + 1}: {moment:.2f} CPU s {'of the release' if of_release else ''}: {kind}", flush=True)
        releases = len(names_of(folder))
    return {"kills": rounds, "found": dict(found), "releases": releases}


if __name__ == "__main__":
    sys.exit(main("guided_kills", __doc__ or "", run))
