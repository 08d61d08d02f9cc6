"""The server of the guided way, killed at random moments of a release: what is left, what was booked, what is told."""

from __future__ import annotations

import random
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.measure import main
from tests.synthbounds.web.killing import after, killed_while, names_of, outcome
from tests.synthbounds.web.working import Person

QUICK, ALL = 4, 100
SEED = 1
BEYOND = 1.1
"""Moments lie between the start of an upload and a little after the end of its release."""


def run(*, quick: bool) -> dict[str, Any]:
    """Every other time the processes of its jobs are killed with it. `outcome` fails where something is wrong."""
    rounds, draws = QUICK if quick else ALL, random.Random(SEED)  # noqa: S311 - moments, not secrets
    found: Counter[str] = Counter()
    whole: list[float] = []

    def until_over(_: Person, over: threading.Event) -> None:
        start = time.monotonic()
        over.wait()
        whole.append(time.monotonic() - start)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        killed_while(folder, until_over)
        print(outcome(folder, set()), flush=True)
        for count in range(rounds):
            before = names_of(folder)
            moment = draws.random() * BEYOND * whole[0]
            killed_while(folder, after(moment), with_jobs=bool(count % 2))
            kind = outcome(folder, before)
            found[kind] += 1
            print(f"{count + 1}: {moment / whole[0]:.3f} of the way: {kind}", flush=True)
        releases = len(names_of(folder))
    return {"kills": rounds, "seed": SEED, "found": dict(found), "releases": releases, "within_target": True}


if __name__ == "__main__":
    sys.exit(main("guided_kills", __doc__ or "", run))
