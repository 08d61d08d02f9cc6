"""The experiments of zhou2024, run by run: AIM, logistic regression on real tables, noisy gradient descent, DP-SGD.

Each run is a line of runs/zhou2024.jsonl, written when it is done; existing runs are not repeated, so the script can be
stopped at any time. Every run has its own streams of random numbers. Noise is simulated, add-remove, dp_delta 1/n^2.
Two protocols:

- paper: as in its published program. AIM sees the whole table; a set is judged by ten models, each trained on 80 % of
  the synthetic rows and tested on 20 % of the real records, which AIM has seen.
- held-out: the real table is split first; AIM, noisy descent and the rest see only the 80 %, with dp_delta for their
  number; models are tested on the others.

AIM has the paper's settings: workload of all 4-way tables of at most 10^6 cells, 100 MB, 16 rounds per column; it is
not given the number of records. Models are logistic regressions with C = 1 on raw codes. The error is half the L1
distance of shares, mean over the workload. Where Figure 5 has other labels, accuracies for them come from the same
tables; for a label of more than two values the model is multinomial.

    python -m verify.experiments.zhou2024 --tables compas heart --epsilons 1 --sets 10 --protocols paper held-out
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import log, prod, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.privacy.adjacency import Adjacency
from mechanisms.baselines.noisy_gradient import DescentPlan, descend
from mechanisms.mechanism import Public
from mechanisms.pgm.from_log import estimate_log, rows_of_log
from mechanisms.select.aim import run_aim
from mechanisms.select.aim_plan import plan_aim
from release.data.domain import Domain
from release.data.schema import Schema, schema_of_domain
from release.noise.randomness import read_randomness
from release.statistics.features import build_feature_map
from verify import real_tables
from verify.experiments.recorded import RecordedRuns
from verify.experiments.study import Study
from verify.random_splits import METRICS, metrics, split, stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

RUNS = RecordedRuns.of("zhou2024", "method", "table", "epsilon", "protocol", "set")
PAPER, HELD_OUT = "paper", "held-out"
DEGREE, MOST_CELLS, MODEL_MB = 4, 10**6, 100
EPSILONS = ("1", "0.5", "0.25", "2", "0.75", "1.25", "1.5", "1.75")
SPLITS = 10
"""Models for each synthetic table in the paper's protocol."""
LABEL_TESTS = 2
"""How many of these models for each of the other labels of Figure 5."""
SEED = 24
LABELS = {
    "adult": ("sex", "relationship"),
    "dutch": ("prev_residence_place", "sex"),
    "law": ("race", "fulltime"),
}
"""Labels of Figure 5, besides the label of each table."""
LABELS_AT = "1"
ALGORITHM_6 = {
    "adult": (500, 5, 0.1, 1000),
    "churn": (500, 1, 0.5, 100),
    "compas": (500, 5, 0.1, 200),
    "dutch": (500, 5, 0.1, 3000),
    "law": (300, 1, 0.1, 500),
    "heart": (1000, 5, 0.1, 20),
}
"""Steps, rate, decay and minibatch size in the published program."""
METHODS = ("real", "descent", "algorithm-6", "aim")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m verify.experiments.zhou2024", description=__doc__)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--tables", nargs="+", choices=real_tables.NAMES, default=real_tables.NAMES)
    parser.add_argument("--epsilons", nargs="+", choices=EPSILONS, default=EPSILONS)
    parser.add_argument("--protocols", nargs="+", choices=(PAPER, HELD_OUT), default=(PAPER, HELD_OUT))
    parser.add_argument("--sets", type=int, default=10)
    options = parser.parse_args()
    asked = (asked for asked in _asked(options) if real_tables.is_here(asked["table"]))
    RUNS.make(asked, lambda asked: [_RUN[asked["method"]](asked)])
    return 0


def _asked(options: Any) -> Iterator[dict[str, Any]]:
    """Runs without noise have no epsilon, and DP-SGD was run only at 1; all but AIM use only training records."""
    for method in options.methods:
        budgets = {"aim": options.epsilons, "real": (None,)}.get(method, ("1",))
        protocols = options.protocols if method == "aim" else (HELD_OUT,)
        for epsilon in budgets:
            for protocol in protocols:
                for name in options.tables:
                    for number in range(options.sets):
                        yield {
                            "method": method,
                            "table": name,
                            "epsilon": epsilon,
                            "protocol": protocol,
                            "set": number,
                        }


def schema_of(name: str) -> Schema:
    """One column per name, all of them ordered; the label comes last."""
    names, sizes = real_tables.columns(name), real_tables.domain(name)
    return schema_of_domain(Domain(tuple(sizes[column] for column in names), names))


def _codes(name: str) -> Codes:
    found: Codes = real_tables.codes(name).astype(schema_of(name).domain.code_type)
    return found


def _seed(asked: dict[str, Any]) -> int:
    """One stream for each cell of the tables of results; sets are counted within it."""
    cell = real_tables.NAMES.index(asked["table"]) + 8 * METHODS.index(asked["method"])
    budget = 0 if asked["epsilon"] is None else int(Fraction(asked["epsilon"]) * 4)
    number: int = SEED + 100 * (cell + 64 * (budget + 16 * (asked["protocol"] == HELD_OUT)))
    return number


def _held_out(asked: dict[str, Any]) -> tuple[Codes, Codes]:
    """Training and test records of a set: the same for every method."""
    return split(_codes(asked["table"]), stream(asked["set"]))


# ------------------------------------------------------------------------------------------------------------- methods


def _aim(asked: dict[str, Any]) -> dict[str, Any]:
    if asked["protocol"] == PAPER:
        seen, test = _codes(asked["table"]), None
    else:
        seen, test = _held_out(asked)
    schema, n = schema_of(asked["table"]), len(seen)
    start = time.process_time()
    plan = plan_aim(
        Public(schema=schema, adjacency=Adjacency.ADD_REMOVE, size=1),  # it is only told that there are records
        epsilon=Fraction(asked["epsilon"]),
        dp_delta=Fraction(1, n * n),
        mode="simulate",
        degree=DEGREE,
        most_cells=MOST_CELLS,
        model_mb=MODEL_MB,
    )
    log_file = run_aim(seen, plan, read_randomness("simulate", seed=_seed(asked), run=asked["set"]))
    model = estimate_log(log_file)
    rows = rows_of_log(log_file, model, round(log_file.total_est))
    seconds = time.process_time() - start
    found: dict[str, Any] = {"cpu_s": round(seconds, 2), "rows": len(rows), "steps": len(log_file.steps)}
    found["error"] = _error(seen, rows, schema.domain.sizes, plan.workload.tables)
    numbers = np.random.Generator(np.random.Philox(key=_seed(asked) + 1, counter=[0, 0, 0, asked["set"]]))
    if test is not None:
        pairs = [(rows, test)]
    else:
        pairs = [(split(rows, numbers)[0], split(seen, numbers)[1]) for _ in range(SPLITS)]
    return found | _judged(asked, pairs)


def _real(asked: dict[str, Any]) -> dict[str, Any]:
    return _judged(asked, [_held_out(asked)])


def _descent(asked: dict[str, Any]) -> dict[str, Any]:
    train, test = _held_out(asked)
    features = build_feature_map(schema_of(asked["table"]), label=real_tables.columns(asked["table"])[-1])
    n = len(train)
    plan = DescentPlan(
        features=features,
        adjacency=Adjacency.ADD_REMOVE,
        size=n,
        epsilon=asked["epsilon"],
        dp_delta=Fraction(1, n * n),
    )
    start = time.process_time()
    made = descend(train, plan, read_randomness("simulate", seed=_seed(asked), run=asked["set"]))
    seconds = time.process_time() - start
    scores = features.features(test) / features.one @ np.array([float(c) for c in made.coefficients])
    found = {"cpu_s": round(seconds, 2), "steps": plan.steps}
    return found | dict(zip(METRICS, metrics(scores, test[:, -1]), strict=True))


def _algorithm_6(asked: dict[str, Any]) -> dict[str, Any]:
    """As published: raw codes, gradients clipped at 1, minibatches without replacement, the printed noise."""
    train, test = _held_out(asked)
    steps, rate, decay, batch = ALGORITHM_6[asked["table"]]
    n = len(train)
    sigma = sqrt(16 * steps * log(n**2)) / (n * float(asked["epsilon"]))
    numbers = np.random.Generator(np.random.Philox(key=_seed(asked), counter=[0, 0, 0, asked["set"]]))
    x = np.column_stack([np.ones(n), train[:, :-1]])
    y, weights = train[:, -1].astype(float), np.zeros(x.shape[1])
    start = time.process_time()
    for step in range(steps):
        chosen = numbers.choice(n, size=batch, replace=False)
        scores = np.clip(x[chosen] @ weights, -700, 700)
        gradients = x[chosen] * (1 / (1 + np.exp(-scores)) - y[chosen])[:, None]
        gradients /= np.maximum(1, np.linalg.norm(gradients, axis=1))[:, None]
        noisy = gradients.mean(axis=0) + numbers.normal(scale=sigma, size=weights.size)
        weights -= rate / (1 + decay * step) * noisy
    seconds = time.process_time() - start
    scores = weights[0] + test[:, :-1] @ weights[1:]
    return {"cpu_s": round(seconds, 2)} | dict(zip(METRICS, metrics(scores, test[:, -1]), strict=True))


_RUN: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "real": _real,
    "descent": _descent,
    "algorithm-6": _algorithm_6,
    "aim": _aim,
}


# ------------------------------------------------------------------------------------------------------------- judging


def _judged(asked: dict[str, Any], pairs: list[tuple[Codes, Codes]]) -> dict[str, Any]:
    """Means over pairs of training and test rows; the label comes last. A single class trains nothing."""
    values = []
    for train, test in pairs:
        if len(np.unique(train[:, -1])) == 2:
            model = _logistic(train[:, :-1], train[:, -1])
            values.append(metrics(model.decision_function(test[:, :-1].astype(float)), test[:, -1]))
    found: dict[str, Any] = {"tests": len(values)}
    found |= {name: statistics.fmean(v[place] for v in values) for place, name in enumerate(METRICS)}
    if asked["epsilon"] in (None, LABELS_AT) and asked["table"] in LABELS:
        names = real_tables.columns(asked["table"])
        found["labels"] = {
            label: _accuracy(pairs[:LABEL_TESTS], names.index(label)) for label in LABELS[asked["table"]]
        }
    return found


def _accuracy(pairs: list[tuple[Codes, Codes]], place: int) -> float:
    """With another column as the label, and the first label among the features."""
    right = []
    for train, test in pairs:
        model = _logistic(np.delete(train, place, axis=1), train[:, place])
        predicted = model.predict(np.delete(test, place, axis=1).astype(float))
        right.append(float(np.mean(predicted == test[:, place])))
    return statistics.fmean(right)


def _logistic(rows: Codes, labels: NDArray[np.integer]) -> Any:
    """scikit-learn's defaults, at convergence; the objective is the paper's, the solver is not."""
    from sklearn.linear_model import LogisticRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LogisticRegression(max_iter=10_000, solver="newton-cholesky").fit(rows.astype(float), labels)


def _error(real: Codes, made: Codes, sizes: tuple[int, ...], tables: tuple[tuple[int, ...], ...]) -> float:
    """Half the L1 distance of shares, averaged over the tables."""
    both = np.concatenate([real, made]).astype(np.int64)
    columns = [np.ascontiguousarray(column) for column in both.T]
    weights = np.concatenate([np.full(len(real), 1 / len(real)), np.full(len(made), -1 / len(made))])
    total = 0.0
    for table in tables:
        place = columns[table[0]]
        for j in table[1:]:
            place = place * sizes[j] + columns[j]
        total += float(np.abs(np.bincount(place, weights, minlength=prod(sizes[j] for j in table))).sum())
    return total / (2 * len(tables))


STUDY = Study(
    runs=RUNS,
    make=lambda asked: [_RUN[asked["method"]](asked)],
    is_here=lambda asked: real_tables.is_here(asked["table"]),
    run_of=RUNS.asked_of,
    of_this_code=({},),
    seeds="Philox: split by key 2024 and the number of the set as counter; noise and choices by a key of method, "
    "table, epsilon and protocol, and the number of the set",
    setting="six tables as published, integer codes; add-remove, dp_delta 1/n^2, simulated noise; AIM with all 4-way "
    "tables of at most 10^6 cells, 100 MB, 16 rounds per column; 80 % for training, 20 % for testing; paper: AIM sees "
    "the whole table and a set has ten models; held-out: it sees only the 80 %",
    modules=("verify/experiments/zhou2024.py", "verify/random_splits.py"),
    tables=real_tables.NAMES,
)

if __name__ == "__main__":
    sys.exit(main())
