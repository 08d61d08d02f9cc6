"""The column "Real data" of Table 2 of zhou2024: logistic regression on many random splits of each table.

Each split is a line of runs/zhou2024_real.jsonl, with accuracy, area under the curve and mean loss on the test records.

    python -m verify.experiments.zhou2024_real --tables heart
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from verify import real_tables
from verify.experiments.recorded import RecordedRuns
from verify.experiments.study import Study
from verify.random_splits import METRICS, scored

RUNS = RecordedRuns.of("zhou2024_real", "table", "set")
SPLITS = {"adult": 50, "dutch": 50, "law": 100, "churn": 400, "compas": 400, "heart": 600}
"""More splits if a split says less."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m verify.experiments.zhou2024_real", description=__doc__)
    parser.add_argument("--tables", nargs="+", choices=real_tables.NAMES, default=real_tables.NAMES)
    options = parser.parse_args()
    RUNS.make((asked for asked in _asked(options) if real_tables.is_here(asked["table"])), _run)
    return 0


def _asked(options: Any) -> Iterator[dict[str, Any]]:
    for name in options.tables:
        for number in range(SPLITS[name]):
            yield {"table": name, "set": number}


def _run(asked: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(METRICS, scored(asked["table"], asked["set"]), strict=True))]


STUDY = Study(
    runs=RUNS,
    make=_run,
    is_here=lambda asked: real_tables.is_here(asked["table"]),
    run_of=RUNS.asked_of,
    of_this_code=({},),
    seeds="Philox: split by key 2024 and the number of the set as counter",
    setting="logistic regression, penalty C = 1, at convergence, on integer codes; 80 % for training, 20 % for testing",
    modules=("verify/experiments/zhou2024_real.py", "verify/random_splits.py"),
    tables=real_tables.NAMES,
)

if __name__ == "__main__":
    sys.exit(main())
