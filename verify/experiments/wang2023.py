"""The experiment of wang2023 on the available tables: a private table at the whole budget, or at a part plus moments.

Each run is a line of runs/wang2023.jsonl, written when it is done; existing runs are not repeated, so the script can be
stopped at any time. The implementation is ours throughout: MST and AIM of this project, moments of this project,
logistic regression by our trainer. Noise is simulated. Everything is private under replace-one, n is public, dp_delta
is 1/n^2 for each of the two releases. A table at epsilon - 1 is improved by moments at 1 of five columns: the label and
the four that correlate most with it in the table at epsilon - 1. It is compared with a table at epsilon, by

- corr: the sum of absolute errors of the correlation matrix of the five columns;
- f1: of the label on test records, logistic regression on all other columns, trained on rows;
- js, ikl: means over all columns of the Jensen-Shannon distance (base 2) and of 1/(1 + KL(real || synthetic)).

    python -m verify.experiments.wang2023 --tables adult --generators mst --epsilons 2 --sets 3
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.privacy.adjacency import Adjacency
from mechanisms.improve.ask import read_wish
from mechanisms.improve.cost import cost_of
from mechanisms.improve.improve import improve_table
from mechanisms.models.train.newton import train
from mechanisms.synth.ask import read_request
from release.data.domain import Domain
from release.data.schema import Schema, schema_of_domain
from release.data.source import as_source
from release.moments.make import MomentRequest
from release.statistics.features import choose_features
from verify import real_tables
from verify.experiments.recorded import RecordedRuns
from verify.experiments.study import Study
from verify.random_splits import split, stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.improve.improvement import Improvement
    from release.data.domain import Codes

    Floats = NDArray[np.float64]

RUNS = RecordedRuns.of("wang2023", "generator", "table", "epsilon", "set")
TABLES = ("adult", "compas", "law", "dutch", "churn")
GENERATORS = ("mst", "aim")
EPSILONS = (2, 4)
SETS = {"mst": 10, "aim": 5}
CHEAP = {"mst": TABLES, "aim": TABLES}
SETTINGS: dict[str, dict[str, Any]] = {"mst": {}, "aim": {"degree": 2, "model_mb": 10}}
PRICES: dict[str, dict[str, Any]] = {
    "box": {"price": "box"},
    "box-denoised": {"price": "box", "denoise": True},
    "soft": {},
}
"""The paper's constraint without and with its denoising, at its gamma of 1e-5; ours."""
COLUMNS = 5
SEED = 2311
_BINS = 10
_SMALL = 1e-9


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m verify.experiments.wang2023", description=__doc__)
    parser.add_argument("--generators", nargs="+", choices=GENERATORS, default=GENERATORS)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES)
    parser.add_argument("--epsilons", nargs="+", type=int, choices=EPSILONS, default=EPSILONS)
    parser.add_argument("--sets", type=int, help="at most this many of each")
    options = parser.parse_args()
    asked = (asked for asked in _asked(options) if real_tables.is_here(asked["table"]))
    RUNS.make(asked, _run)
    return 0


def _run(asked: dict[str, Any]) -> list[dict[str, Any]]:
    return [run_of(asked["generator"], asked["table"], asked["epsilon"], asked["set"])]


def _asked(options: Any) -> Iterator[dict[str, Any]]:
    for generator in options.generators:
        for table in options.tables:
            for epsilon in options.epsilons if table in CHEAP[generator] else ():
                for number in range(min(SETS[generator], options.sets or SETS[generator])):
                    yield {"generator": generator, "table": table, "epsilon": epsilon, "set": number}


# ----------------------------------------------------------------------------------------------------------------- runs


def run_of(generator: str, table: str, epsilon: int, number: int) -> dict[str, Any]:
    """A table at epsilon, a table at epsilon - 1, and the latter improved in each way, all judged in the same way."""
    schema, rows, test = data(table)
    whole = synthetic(table, generator, epsilon, number)
    part = synthetic(table, generator, epsilon - 1, number)
    columns = chosen_columns(schema, part)
    small = Schema(tuple(schema.columns[u] for u in columns), "public")
    features = choose_features(small, label=schema.names[-1], linear=("all",))
    moments = MomentRequest(features, **budget(table, 1, number, "moments"))
    release = moments.release(as_source(np.ascontiguousarray(rows[:, columns]), small.domain))
    found: dict[str, Any] = {
        "columns": [schema.names[u] for u in columns],
        "real_f1": _f1(rows, test, schema),
        "whole": judged(table, whole, columns),
        "part": judged(table, part, columns),
    }
    for name, asked in PRICES.items():
        start = time.process_time()
        improved = improve_table(
            np.ascontiguousarray(part[:, columns]), release, read_wish(**asked), cost_of(release, None, None)
        )
        seconds = time.process_time() - start
        found[name] = judged(table, part[improved.chosen], columns) | _facts(improved, seconds)
    return found


def _facts(found: Improvement, seconds: float) -> dict[str, Any]:
    residual = None if found.after is None else found.after.deviations
    return {
        "cpu_s": round(seconds, 3),
        "price": found.fitted.price,
        "effective_size": found.effective_size,
        "largest_residual": residual,
    }


@cache
def data(table: str) -> tuple[Schema, Codes, Codes]:
    """Schema, 80 per cent for making tables, the others for testing."""
    names, sizes = real_tables.columns(table), real_tables.domain(table)
    schema = schema_of_domain(Domain(tuple(sizes[name] for name in names), names))
    rows, test = split(real_tables.codes(table), stream(0))
    kind = schema.domain.code_type
    return schema, rows.astype(kind), test.astype(kind)


def budget(table: str, epsilon: int, number: int, what: str) -> dict[str, Any]:
    """The stream of one release, with its own seed."""
    n = len(data(table)[1])
    place = TABLES.index(table) + 8 * (epsilon + 8 * (*GENERATORS, "moments").index(what))
    return {
        "mode": "simulate",
        "adjacency": Adjacency.REPLACE_ONE,
        "epsilon": epsilon,
        "dp_delta": Fraction(1, n * n),
        "seed": SEED + 1000 * place + number,
    }


@cache
def synthetic(table: str, generator: str, epsilon: int, number: int) -> Codes:
    """A private table with as many rows as the real one."""
    schema, rows, _ = data(table)
    asked = budget(table, epsilon, number, generator)
    request = read_request({"method": generator, "k": len(rows), **asked, **SETTINGS[generator]})
    made: Codes = request.run(as_source(rows, schema.domain), schema).rows
    return made


def chosen_columns(schema: Schema, rows: Codes) -> list[int]:
    """The label, which is last, and the columns that correlate most with it."""
    matrix = np.abs(correlations(scaled(schema, rows))[-1])
    matrix[-1] = np.inf
    return sorted(np.argsort(-matrix, kind="stable")[:COLUMNS].tolist())


# -------------------------------------------------------------------------------------------------------------- judging


def judged(table: str, rows: Codes, columns: list[int]) -> dict[str, float]:
    schema, real, test = data(table)
    wanted, found = (correlations(scaled(schema, part)[:, columns]) for part in (real, rows))
    pairs = [(_shares(real, schema, u), _shares(rows, schema, u)) for u in range(len(schema.names))]
    return {
        "corr": float(np.abs(wanted - found).sum()),
        "f1": _f1(rows, test, schema),
        "js": float(np.mean([_js(*pair) for pair in pairs])),
        "ikl": float(np.mean([1 / (1 + _kl(*pair)) for pair in pairs])),
    }


def scaled(schema: Schema, rows: Codes) -> Floats:
    """Codes as numbers from 0 to 1, as in the paper."""
    most = np.array([column.size - 1 for column in schema.columns], dtype=np.float64)
    found: Floats = rows / most
    return found


def correlations(values: Floats) -> Floats:
    """Correlations of all pairs; 0 with a column that never changes."""
    centred = values - values.mean(axis=0)
    deviations = np.sqrt((centred**2).mean(axis=0))
    unit = np.divide(centred, deviations, out=np.zeros_like(centred), where=deviations > _SMALL)
    found: Floats = unit.T @ unit / len(values)
    return found


def _f1(rows: Codes, test: Codes, schema: Schema) -> float:
    """F1 of the label 1, by logistic regression with the penalty of scikit-learn's defaults."""
    features, tested = (np.column_stack([scaled(schema, part)[:, :-1], np.ones(len(part))]) for part in (rows, test))
    distinct, counts = np.unique(np.column_stack([features, rows[:, -1]]), axis=0, return_counts=True)
    squared = features.shape[1]
    labels = 2 * distinct[:, -1].astype(int) - 1
    if abs(int(labels.sum())) == len(labels):
        return 0.0
    model = train(
        distinct[:, :-1],
        labels,
        counts / counts.sum(),
        squared_norm=squared,
        ridge=Fraction(1, squared * len(rows)),
        penalise_intercept=False,
    )
    said = tested @ np.array([float(c) for c in model.coefficients]) > 0
    real = test[:, -1] == 1
    return float(2 * (said & real).sum() / max(1, said.sum() + real.sum()))


def _shares(rows: Codes, schema: Schema, u: int) -> Floats:
    """Shares of the codes of a column, or of ten equal parts of them."""
    size = schema.columns[u].size
    codes = rows[:, u].astype(np.int64)
    parts = codes if size <= _BINS else codes * _BINS // size
    return np.bincount(parts, minlength=min(size, _BINS)) / len(rows)


def _kl(p: Floats, q: Floats) -> float:
    held = p > 0
    return float(p[held] @ np.log(p[held] / np.maximum(q[held], _SMALL)))


def _js(p: Floats, q: Floats) -> float:
    middle = (p + q) / 2
    return float(np.sqrt(max(0.0, (_kl(p, middle) + _kl(q, middle)) / 2 / np.log(2))))


STUDY = Study(
    runs=RUNS,
    make=_run,
    is_here=lambda asked: real_tables.is_here(asked["table"]),
    run_of=RUNS.asked_of,
    seeds="one number for each table, epsilon, kind of release and set; one split of 80 and 20 %, by Philox, key 2024",
    setting="replace-one, n public, dp_delta 1/n^2 for each of the two releases, simulated noise; a table at epsilon - "
    "1 and moments of five columns at 1 against a table at epsilon; our MST and AIM (pairs)",
    modules=("verify/experiments/wang2023.py", "verify/random_splits.py"),
    tables=TABLES,
)

if __name__ == "__main__":
    sys.exit(main())
