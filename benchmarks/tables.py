"""Private tables by the method of moments: how near they are to the real one, and what models trained on them lose.

Every draw has a split of its own (80 % to learn from, 20 % to score on) and noise of its own; replace-one, dp_delta =
1/n^2. Shape is the mean total variation distance of one-way and two-way tables to the training rows. A gap is the
score, on the test rows, of a model trained on the training rows minus that of the same model trained on the synthetic
ones. CPU seconds are of the release, the fit and the rows. Tables of whole numbers have all columns ordered.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import synthbounds.data as sd
from benchmarks.measure import main
from mechanisms.evaluate.learners import logistic, logistic_on_codes, score, trees
from synthbounds.api.tables import synthesize
from verify import real_tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.evaluate.learners import Learner
    from release.data.columns import Column
    from release.data.domain import Codes

    Model = Callable[[Codes, Codes, list[Column]], tuple[float, ...]]

EXAMPLES = Path(__file__).parents[1] / "docs" / "examples"
RAW = (("adult", 1), ("compas", 1), ("adult", "0.3"), ("adult", 3))
"""Raw tables, read by the schemas of docs/examples, and epsilon."""
CODED = ("adult", "compas", "law", "churn", "dutch", "heart")
LABELS = {"adult": "income", "compas": "two_year_recid"}
FIRST_SEED = 1000
"""Splits that nothing was chosen by."""


def run(*, quick: bool) -> dict[str, Any]:
    draws = 2 if quick else 20
    found: dict[str, Any] = {"draws": draws}
    for name, epsilon in RAW:
        key = f"{name}_raw_epsilon_{epsilon}"
        found[key] = _study(*_raw(name), epsilon, draws, _ordinary) if _raw_is_here(name) else real_tables.MISSING
    for name in CODED:
        found[f"{name}_coded"] = (
            _study(*_coded(name), 1, draws, _on_codes) if real_tables.is_here(name) else real_tables.MISSING
        )
    return found


def _study(schema: sd.Schema, codes: Codes, label: str, epsilon: object, draws: int, models: Model) -> dict[str, Any]:
    order = [i for i, name in enumerate(schema.names) if name != label] + [schema.names.index(label)]
    rows = [_draw(schema, codes, label, epsilon, seed, models, order) for seed in range(FIRST_SEED, FIRST_SEED + draws)]
    means = {name: round(statistics.fmean(row[name] for row in rows), 4) for name in rows[0]}
    return means | {"largest_cpu_s": round(max(row["cpu_s"] for row in rows), 2), "columns": len(order)}


def _draw(
    schema: sd.Schema, codes: Codes, label: str, epsilon: object, seed: int, models: Model, order: list[int]
) -> dict[str, float]:
    mixed = np.random.default_rng([seed, 5]).permutation(len(codes))
    test, train = np.split(codes[mixed], [len(codes) // 5])
    start = time.process_time()
    made = synthesize(
        train,
        schema,
        mode="simulate",
        method="moments",
        label=label,
        epsilon=str(epsilon),
        dp_delta=f"1/{len(train) ** 2}",
        seed=seed,
    )
    seconds = time.process_time() - start
    found = {"cpu_s": seconds, "effective": made.fit.effective, "distinct": made.distinct / len(made.rows)}
    sizes = schema.domain.sizes
    found |= {"one_way_tv": _tv(made.rows, train, sizes, 1), "pairs_tv": _tv(made.rows, train, sizes, 2)}
    noisy = [np.maximum(np.array(table, float), 0) for table in made.release.one_way]
    real = [np.bincount(train[:, u], minlength=size) / len(train) for u, size in enumerate(sizes)]
    released = (np.abs(table / table.sum() - share).sum() / 2 for table, share in zip(noisy, real, strict=True))
    found["released_one_way_tv"] = statistics.fmean(released)
    columns = [schema.columns[u] for u in order[:-1]]
    scores = [models(rows[:, order], test[:, order], columns) for rows in (train, made.rows)]
    for name, best, ours in zip(_SCORES, *scores, strict=False):
        found |= {f"{name}": ours, f"{name}_gap": best - ours}
    return found


_SCORES = ("logistic_accuracy", "logistic_auc", "trees_accuracy", "trees_auc")


def _tv(made: Codes, real: Codes, sizes: tuple[int, ...], degree: int) -> float:
    def shares(rows: Codes, places: tuple[int, ...]) -> NDArray[np.float64]:
        numbers = np.ravel_multi_index([rows[:, u].astype(np.int64) for u in places], [sizes[u] for u in places])
        counts = np.bincount(numbers, minlength=int(np.prod([sizes[u] for u in places])))
        return counts / len(rows)

    sets = itertools.combinations(range(len(sizes)), degree)
    return statistics.fmean(float(np.abs(shares(made, s) - shares(real, s)).sum() / 2) for s in sets)


def _ordinary(train: Codes, test: Codes, columns: list[Column]) -> tuple[float, ...]:
    """Logistic regression on one-hot nominal columns, and boosted trees on codes; the label comes last."""
    return *_scores(logistic, train, test, columns), *_scores(trees, train, test, columns)


def _on_codes(train: Codes, test: Codes, columns: list[Column]) -> tuple[float, ...]:
    """Logistic regression on the codes; the label comes last."""
    return _scores(logistic_on_codes, train, test, columns)


def _scores(learner: Learner, train: Codes, test: Codes, columns: list[Column]) -> tuple[float, float]:
    """Accuracy and AUC; a label that never changes is predicted as it is."""
    found = score(learner, train, test, columns)
    if found.accuracy is None or found.auc is None:
        return float(np.mean(test[:, -1] == train[0, -1])), 0.5
    return found.accuracy, found.auc


def _raw_is_here(name: str) -> bool:
    return (real_tables.FOLDER / "raw" / f"{name}_raw.csv").is_file()


def _raw(name: str) -> tuple[sd.Schema, Codes, str]:
    schema = sd.read_schema(EXAMPLES / f"{name}_raw.schema.json")
    return schema, sd.read_codes(real_tables.FOLDER / "raw" / f"{name}_raw.csv", schema), LABELS[name]


def _coded(name: str) -> tuple[sd.Schema, Codes, str]:
    """A table of whole numbers; its columns are ordered."""
    from release.data.domain import Domain
    from release.data.schema import schema_of_domain

    names, sizes = real_tables.columns(name), real_tables.domain(name)
    schema = schema_of_domain(Domain(tuple(sizes[column] for column in names), names))
    return schema, real_tables.codes(name), names[-1]


if __name__ == "__main__":
    raise SystemExit(main("tables", __doc__ or "", run))
