"""The experiments of vietri2022, run by run: RAP++ and other methods for synthetic tables, all in our implementation.

Each run is a line of runs/vietri2022.jsonl. Noise is simulated, replace-one, n public, dp_delta 1/n^2. Every method is
planned as by `synth` with the label given, except that AIM has tables of pairs and ordered columns of more than 32
codes in 32 public parts, like RAP, GEM and DP-MERF. With the paper's rounds, `rap-printed` chooses one table fewer than
there are columns, and `rap++-printed` 50 times 10 thresholds and one table fewer than there are categories. At epsilon
1 the plan from public facts for RAP and RAP++ is the same on all of these tables, so these are run only at 0.1.

A line has the mean and the largest error of shares over 2,000 mixed marginals of two numbers and 2,000 linear
thresholds, each for every value of the label, which no method has measured: their seed differs from that of the queries
RAP++ chooses from; the L1 distance of shares, mean over tables of two categories and the label; macro F1 and the area
under the curve, on the test records, of a logistic regression trained on the synthetic rows; and the CPU seconds of the
log, the fit and the rows, for graphical models with a certificate of the fit. `real` is the training rows themselves.

    python -m verify.experiments.vietri2022 --tables adult --epsilons 1 --methods rap++ aim --sets 1
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from bounds.privacy.adjacency import Adjacency
from mechanisms.evaluate.learners import logistic
from mechanisms.log_rows import rows_of
from mechanisms.mechanism import Public
from mechanisms.synth.make import TableRequest
from mechanisms.synth.make_by_log import plan_method
from release.data.counting import counts
from release.noise.randomness import read_randomness
from release.statistics.conditional_counts import ConditionalCounts
from release.statistics.mixed_marginals import MixedMarginals
from release.statistics.thresholds import Thresholds
from verify.experiments.mixed_tables import NAMES, TABLE_FILES, MixedTable, is_here, mixed_table
from verify.experiments.recorded import RecordedRuns
from verify.experiments.study import Study

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

RUNS = RecordedRuns.of("vietri2022", "method", "table", "epsilon", "set")
REAL = "real"
RAP_PRINTED, RAP_PP_PRINTED = PRINTED = ("rap-printed", "rap++-printed")
SETTINGS: dict[str, dict[str, int]] = {
    "rap++": {},
    "rap": {},
    "aim": {"degree": 2, "most_codes": 32},
    "mst": {},
    "gem": {},
    "merf": {},
    RAP_PP_PRINTED: {"rounds": 50, "top": 10},
    RAP_PRINTED: {},
}
METHODS = (REAL, *SETTINGS)
EPSILONS = ("0.1", "1")
PRINTED_AT = ("0.1",)
SETS = dict.fromkeys(METHODS, 3) | {RAP_PP_PRINTED: 1}
SEED = 2022
QUERIES, QUERY_SEED = 2000, 2022
"""Seed of the queries for the scores; RAP++ chooses among those of seed 0."""
KINDS: dict[str, type[ConditionalCounts]] = {"mixed": MixedMarginals, "thresholds": Thresholds}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m verify.experiments.vietri2022", description=__doc__)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--tables", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--epsilons", nargs="+", choices=EPSILONS, default=EPSILONS)
    parser.add_argument("--sets", type=int, default=max(SETS.values()), help="at most this many of each")
    options = parser.parse_args()
    with threadpool_limits(limits=1):  # CPU seconds are compared, and threads that wait for others use them up
        RUNS.make((asked for asked in _asked(options) if is_here(asked["table"])), lambda asked: [_run(asked)])
    return 0


def _asked(options: Any) -> Iterator[dict[str, Any]]:
    """All runs of one set, then of the next."""
    for number, method, name in itertools.product(range(options.sets), options.methods, options.tables):
        for epsilon in (None,) if method == REAL else options.epsilons:
            if number < SETS[method] and (method not in PRINTED or epsilon in PRINTED_AT):
                yield {"method": method, "table": name, "epsilon": epsilon, "set": number}


def _run(asked: dict[str, Any]) -> dict[str, Any]:
    table = mixed_table(asked["table"], asked["set"])
    if asked["method"] == REAL:
        return {"n": len(table.train), "columns": len(table.schema.names)} | _scores(table, table.train)
    start = time.process_time()
    rows = _made(asked, table)
    seconds = time.process_time() - start
    return {"cpu_s": round(seconds, 2)} | _errors(asked, rows) | _scores(table, rows)


def _made(asked: dict[str, Any], table: MixedTable) -> Codes:
    """Rows of a synthetic table, as many as training records."""
    n = len(table.train)
    settings = SETTINGS[asked["method"]]
    if asked["method"] == RAP_PP_PRINTED:
        settings = settings | {"table_rounds": len(table.categories)}
    if asked["method"] == RAP_PRINTED:
        settings = settings | {"rounds": len(table.schema.names) - 1}
    request = TableRequest(
        adjacency=Adjacency.REPLACE_ONE,
        least_size=None,
        epsilon=Fraction(asked["epsilon"]),
        dp_delta=Fraction(1, n * n),
        failure=Fraction(1, 20),
        randomness=read_randomness("simulate", seed=SEED, run=_number(asked)),
        label=table.label,
        settings=settings,
    )
    public = Public(schema=table.schema, adjacency=request.adjacency, size=n)
    plan, run = plan_method(asked["method"].removesuffix("-printed"), public, request, ())
    return rows_of(run(table.train, plan, request.randomness), n)[0]


def _number(asked: dict[str, Any]) -> int:
    """Key of the noise stream: one for each run."""
    number: int = asked["set"]
    for value, values in ((asked["epsilon"], EPSILONS), (asked["table"], NAMES), (asked["method"], METHODS)):
        number = 16 * number + values.index(value)
    return number


# ------------------------------------------------------------------------------------------------------------- judging


def _errors(asked: dict[str, Any], rows: Codes) -> dict[str, float]:
    """Errors of the rows, against the training records."""
    where = asked["table"], asked["set"]
    found: dict[str, float] = {}
    for name in KINDS:
        queries, real = _real_answers(*where, name)
        errors = np.abs(queries.sums(rows) / len(rows) - real)
        found |= {f"{name}_mean": _short(errors.mean()), f"{name}_max": _short(errors.max())}
    made, learned = _tables(mixed_table(*where), rows), _real_tables(*where)
    return found | {"tables_l1": _short(np.mean([np.abs(made[u] - learned[u]).sum() for u in made]))}


@cache
def _real_answers(name: str, number: int, kind: str) -> tuple[ConditionalCounts, NDArray[np.float64]]:
    table = mixed_table(name, number)
    label = len(table.schema.names) - 1
    queries = KINDS[kind](table.schema, table.numbers, (label,), QUERIES, QUERY_SEED)
    return queries, queries.sums(table.train) / len(table.train)


@cache
def _real_tables(name: str, number: int) -> dict[tuple[int, ...], NDArray[np.float64]]:
    table = mixed_table(name, number)
    return _tables(table, table.train)


def _tables(table: MixedTable, rows: Codes) -> dict[tuple[int, ...], NDArray[np.float64]]:
    """Shares of two categories and the label, for every pair."""
    label = len(table.schema.names) - 1
    sets = [(*pair, label) for pair in itertools.combinations(table.categories, 2)]
    return {places: found / len(rows) for places, found in counts(rows, table.schema.domain.sizes, sets).items()}


def _scores(table: MixedTable, rows: Codes) -> dict[str, float]:
    """Scores on test records; rows of only one class always predict it."""
    from sklearn.metrics import f1_score, roc_auc_score

    labels = table.test[:, -1]
    if rows[:, -1].min() == rows[:, -1].max():
        chances = np.full(len(labels), float(rows[0, -1]))
    else:
        chances = logistic(rows, table.test, table.schema.columns[:-1])
    macro = f1_score(labels, chances > 0.5, average="macro", zero_division=0)
    return {"macro_f1": _short(macro), "auc": _short(roc_auc_score(labels, chances))}


def _short(value: Any) -> float:
    return float(f"{float(value):.4g}")


def _one_thread(asked: dict[str, Any]) -> list[dict[str, Any]]:
    with threadpool_limits(limits=1):
        return [_run(asked)]


STUDY = Study(
    runs=RUNS,
    make=_one_thread,
    is_here=lambda asked: is_here(asked["table"]),
    run_of=RUNS.asked_of,
    seeds="split by Philox, key 2024 and the number of the set as counter; noise by key 2022 and a number of "
    "method, table, epsilon and set; queries for the scores by seed 2022",
    setting="replace-one, n public, dp_delta 1/n^2, simulated noise; 80 % for training, 20 % for testing; our "
    "implementations as synth plans them; AIM (pairs, 32 parts) stands in for MWEM+PGM",
    modules=("verify/experiments/vietri2022.py", "verify/experiments/mixed_tables.py", "verify/random_splits.py"),
    tables=TABLE_FILES,
)

if __name__ == "__main__":
    sys.exit(main())
