"""The experiments of ddssp2024, run by run: private regression by every method on the four available tables.

Each run is a line of runs/ddssp2024.jsonl, written when it is done; existing runs are not repeated, so the script can
be stopped at any time. Every run has its own streams of random numbers. Noise is simulated, add-remove, dp_delta 1e-5;
methods are given the number of records in thousands. A line has the score on the test rows (area under the curve, or
mean squared error), the true excess over the best model of the same norm on the training rows, which is an estimate,
and, for a method that has a release, the excess certified from it with 95 % confidence. Excesses are for the first sets
only. AIM measures pairs of columns, as in the paper, with a model of at most 25 MB; one log serves DD-SSP, its ablation
with a mixture, and the model trained on rows.

    python -m verify.experiments.ddssp2024 --tables adult --epsilons 1 --methods ssp-edge objpert --sets 5
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.errors import SynthboundsError
from bounds.privacy.adjacency import Adjacency
from mechanisms.models.losses import find_training_loss
from mechanisms.models.train.newton import Problem
from mechanisms.regression.excess import certified_excess
from mechanisms.regression.from_release import regress_release
from mechanisms.regression.from_table import read_table_request
from mechanisms.regression.least_squares import least_squares
from mechanisms.regression.regression import Regression
from mechanisms.regression.sums import sums_of_records
from release.data.source import as_source
from verify.experiments.recorded import RecordedRuns
from verify.experiments.study import Study
from verify.random_splits import metrics
from verify.regression_tables import NAMES, RegressionTable, is_here, regression_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RUNS = RecordedRuns.of("ddssp2024", "method", "table", "epsilon", "set")
EPSILONS = ("0.05", "0.1", "0.5", "1", "2", "10")
DP_DELTA = "1e-5"
SPLITS = 5
"""Splits of Adult, which the sets use in turn."""
SEED = 4711
REAL = "real"
CHEAP = ("ssp-edge", "ssp", "adassp", "adassp-printed", "objpert", "objpert-printed", "dp-sgd")
BY_LOG = {"aim": ("dd-ssp", "aim-synth", "dd-ssp-mixture"), "mst": ("dd-ssp-mst", "mst-synth")}
METHODS = (REAL, *CHEAP, *BY_LOG)
SETS = dict.fromkeys(CHEAP, 20) | {REAL: SPLITS, "aim": 5, "mst": 5}
JUDGED = 5
"""Sets for which the true excess is computed."""
CERTIFIED = {"ssp-edge": 3}
"""Sets that are certified; of other methods one set, of logs at epsilon 1 only: these certify little, and slowly."""
MODEL_MB = 25
RIDGES = tuple(10 ** (-exponent / 4) for exponent in range(4, 26))
"""Ridges of best models, from strong to almost none: their norms are those at which the smallest risk is known."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m verify.experiments.ddssp2024", description=__doc__)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--tables", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--epsilons", nargs="+", choices=EPSILONS, default=EPSILONS)
    parser.add_argument("--sets", type=int, help="at most this many of each")
    options = parser.parse_args()
    asked = (asked for asked in _asked(options) if is_here(asked["table"]))
    RUNS.make(
        asked,
        _run,
        makes=lambda asked: [asked | {"method": name} for name in _names(asked["method"])],
    )
    return 0


def _run(asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return _RUN.get(asked["method"], _cheap)(asked)


def _run_of(line: dict[str, Any]) -> dict[str, Any]:
    """A log serves several methods."""
    mechanism = next((name for name, methods in BY_LOG.items() if line["method"] in methods), line["method"])
    return RUNS.asked_of(line) | {"method": mechanism}


def _names(method: str) -> tuple[str, ...]:
    return BY_LOG.get(method, (method,))


def _asked(options: Any) -> Iterator[dict[str, Any]]:
    for method in options.methods:
        for name in options.tables:
            if method.startswith("objpert") and name == "acs_income":
                continue  # it has no squared loss
            for epsilon in (None,) if method == REAL else options.epsilons:
                for number in range(min(SETS[method], options.sets or SETS[method])):
                    yield {"method": method, "table": name, "epsilon": epsilon, "set": number}


# ------------------------------------------------------------------------------------------------------------- methods


def _cheap(asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A method that reads the table itself."""
    table = _table(asked)
    method, _, edition = asked["method"].partition("-printed")
    edition = "printed" if asked["method"].endswith("-printed") else ""
    start = time.process_time()
    found = _regress(asked, table, method, {"edition": edition} if edition else {})
    yield _judged(asked, table, found, time.process_time() - start)


def _by_log(asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """AIM or MST once, and every model made from its log."""
    table, mechanism = _table(asked), asked["method"]
    start = time.process_time()
    first = _regress(asked, table, "dd-ssp", {"marginals": mechanism, "model_mb": MODEL_MB})
    seconds, certify = time.process_time() - start, asked["epsilon"] == "1"
    yield {"method": BY_LOG[mechanism][0]} | _judged(asked, table, first, seconds, certify=certify)
    log = first.release
    assert log is not None
    features = {"label": table.features.label, "reduced": _reduced(table), "linear": ("all",)}
    for name in BY_LOG[mechanism][1:]:
        more = {"method": "dd-ssp", "estimate": "mixture"} if name.endswith("mixture") else {"method": name}
        start = time.process_time()
        found = regress_release(log, {**features, **more})
        assert found.model.feature_map.digest == table.features.digest
        yield {"method": name} | _judged(asked, table, found, time.process_time() - start, certify=False)


def _real(asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Without noise: least squares, and for the logistic loss the best model with almost no ridge."""
    table = _table(asked)
    sums = sums_of_records(table.train, table.features)
    squares = least_squares(sums, ridge=1e-9 * sums.count)
    found = {"score": _score(table, squares), "table_digest": _digest(asked["table"], _split(asked))}
    if table.loss == "logistic":
        found["likelihood_score"] = _score(table, _path(asked["table"], _split(asked))[2])
    yield found


_RUN: dict[str, Callable[[dict[str, Any]], Iterator[dict[str, Any]]]] = {
    REAL: _real,
    "aim": _by_log,
    "mst": _by_log,
}


def _regress(asked: dict[str, Any], table: RegressionTable, method: str, more: dict[str, Any]) -> Regression:
    request = read_table_request(
        table.features.schema,
        {
            "method": method,
            "loss": table.loss,
            "label": table.features.label,
            "reduced": _reduced(table),
            "linear": ("all",),
            "mode": "simulate",
            "epsilon": asked["epsilon"],
            "dp_delta": DP_DELTA,
            "adjacency": Adjacency.ADD_REMOVE,
            "least_size": len(table.train) // 1000 * 1000,
            "seed": _seed(asked),
            **more,
        },
    )
    assert request.features.digest == table.features.digest
    return request.run(as_source(table.train, table.features.schema.domain))


def _reduced(table: RegressionTable) -> tuple[str, ...]:
    encodings = zip(table.features.columns, table.features.encodings, strict=True)
    return tuple(name for name, encoding in encodings if encoding == "reduced")


def _seed(asked: dict[str, Any]) -> int:
    """One stream for each run."""
    cell = NAMES.index(asked["table"]) + 8 * METHODS.index(asked["method"])
    number: int = SEED + 1000 * (cell + 128 * EPSILONS.index(asked["epsilon"])) + asked["set"]
    return number


def _split(asked: dict[str, Any]) -> int:
    return asked["set"] % SPLITS if asked["table"] == "adult" else 0


def _table(asked: dict[str, Any]) -> RegressionTable:
    return regression_table(asked["table"], _split(asked))


# ------------------------------------------------------------------------------------------------------------- judging


def _judged(
    asked: dict[str, Any], table: RegressionTable, found: Regression, seconds: float, *, certify: bool = True
) -> dict[str, Any]:
    values = np.array([float(c) for c in found.model.coefficients])
    line: dict[str, Any] = {
        "score": _score(table, values),
        "cpu_s": round(seconds, 3),
        "table_digest": _digest(asked["table"], _split(asked)),
    }
    if asked["set"] < JUDGED:
        line["norm"] = float(found.model.norm_hi)
        line["excess"] = _risk(asked["table"], _split(asked), values) - _least_risk(asked, line["norm"])
    if certify and asked["set"] < CERTIFIED.get(asked["method"], 1) and found.release is not None:
        try:
            upper = certified_excess(found, Fraction(1, 20)).upper
        except SynthboundsError:
            upper = None
        line["certified"] = None if upper is None else float(upper)
    return line


def _score(table: RegressionTable, values: Floats) -> float:
    features = table.features
    scores = features.features(table.test) / features.one @ values
    labels = features.labels(table.test)
    if features.label_is_number:
        return float(np.mean((labels / features.label_one - scores) ** 2))
    return metrics(scores, (labels > 0).astype(int))[1]


@cache
def _digest(name: str, number: int) -> str:
    """Digest of the training and test records."""
    table = regression_table(name, number)
    whole = hashlib.sha256()
    for rows in (table.train, table.test):
        whole.update(np.ascontiguousarray(rows, dtype="<i8").tobytes())
    return whole.hexdigest()[:16]


@cache
def _records(name: str, number: int) -> tuple[Floats, Floats, Floats]:
    """Distinct training records: features, labels, shares."""
    table = regression_table(name, number)
    distinct, counts = np.unique(table.train, axis=0, return_counts=True)
    features = table.features
    return (
        features.features(distinct) / float(features.one),
        features.labels(distinct) / float(features.label_one),
        counts / counts.sum(),
    )


def _risk(name: str, number: int, values: Floats) -> float:
    features, labels, shares = _records(name, number)
    scores = features @ values
    if regression_table(name, number).loss == "squared":
        return float(shares @ (labels - scores) ** 2 / 2)
    return float(shares @ np.logaddexp(0, -labels * scores))


@cache
def _path(name: str, number: int) -> tuple[Floats, Floats, Floats]:
    """Norms, smallest risk for each, and the model of the largest norm: best models with smaller and smaller ridges."""
    table = regression_table(name, number)
    features, labels, shares = _records(name, number)
    root = table.features.squared_norm**0.5
    signed, place = features * (labels / root)[:, None], np.zeros(features.shape[1])
    norms, risks = [0.0], [float(np.log(2))]
    for ridge in RIDGES:
        problem = Problem(signed, shares, find_training_loss("logistic"), None, float(ridge), penalise_intercept=True)
        place, _ = problem.minimise(problem.loss.stages[-1], place)
        norms.append(float(np.linalg.norm(place)))
        risks.append(problem.risk(place))
    return np.array(norms), np.array(risks), place / root


def _least_risk(asked: dict[str, Any], norm: float) -> float:
    """The smallest risk for that norm; for the logistic loss by linear interpolation, which is slightly too large."""
    name, number = asked["table"], _split(asked)
    if regression_table(name, number).loss == "squared":
        table = regression_table(name, number)
        return _risk(name, number, least_squares(sums_of_records(table.train, table.features), ridge=0, tau=norm))
    norms, risks, _ = _path(name, number)
    return float(np.interp(norm, norms, risks))


STUDY = Study(
    runs=RUNS,
    make=_run,
    is_here=lambda asked: is_here(asked["table"]),
    run_of=_run_of,
    seeds="one number for each method, table, epsilon and set; Adult is split by Philox, key 2024 and the number of "
    "the set modulo 5 as counter, the ACS tables as their authors did",
    setting="add-remove, dp_delta 1e-5, simulated noise; methods are told thousands of records; AIM measures pairs "
    "of columns, 25 MB; numbers in one feature from -1 to 1, nominal columns in indicators",
    modules=("verify/experiments/ddssp2024.py", "verify/random_splits.py", "verify/regression_tables.py"),
    tables=("adult", *(f"{name}_{part}" for name in NAMES if name != "adult" for part in ("train", "test"))),
)

if __name__ == "__main__":
    sys.exit(main())
