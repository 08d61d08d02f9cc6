"""Figure 1 of bojkovic2024: CPU seconds of the paper's programme, with uniform and with histogram reference points.

Each line of runs/bojkovic2024_times.jsonl is one draw for one p, at the printed sizes: PuLP with CBC, one variable for
every sampled point. From p = 7 on, uniform sampling has so many points that a run takes 15 seconds or more.

    python -m verify.experiments.bojkovic2024_times --sets 5
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from typing import Any

from verify.experiments.bojkovic2024 import MEASURES, cpu_seconds, draw, experiment
from verify.experiments.recorded import RecordedRuns
from verify.experiments.study import Study

RUNS = RecordedRuns.of("bojkovic2024_times", "p", "set")
DIMENSIONS, SETS = (2, 3, 4, 5, 6), 5


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m verify.experiments.bojkovic2024_times", description=__doc__)
    parser.add_argument("--sets", type=int, default=SETS)
    options = parser.parse_args()
    _run({"p": 2, "set": 0})  # imports are not measured
    RUNS.make(_asked(options), _run)
    return 0


def _asked(options: Any) -> Iterator[dict[str, Any]]:
    for number, p in itertools.product(range(options.sets), DIMENSIONS):
        yield {"p": p, "set": number}


def _run(asked: dict[str, Any]) -> list[dict[str, Any]]:
    found: dict[str, Any] = {}
    for measure in MEASURES:
        chosen = experiment(asked["p"], measure)
        seconds = cpu_seconds(chosen, draw(chosen, run=asked["set"]), with_paper=True)
        found[measure] = {"m": chosen.m, "cpu_s": seconds["paper"]}
    return [found]


STUDY = Study(
    runs=RUNS,
    make=_run,
    is_here=lambda asked: True,
    run_of=RUNS.asked_of,
    of_this_code=({},),
    seeds="Philox: key p, and the number of the set as counter",
    setting="as in bojkovic2024; the paper's programme by PuLP and CBC, from reference points to a density",
    modules=("verify/experiments/bojkovic2024_times.py", "lp/study/reference.py"),
    tables=(),
)

if __name__ == "__main__":
    sys.exit(main())
