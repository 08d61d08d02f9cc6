"""Rows of the LP method on coarsened Adult: distinct rows, what boosted trees learn from them, and CPU seconds.

Every column is cut at quantiles of its codes to at most two or three levels, for study: a release would need public
cuts. Replace-one, epsilon 1, pure or with dp_delta 1e-9. Trees are trained on synthetic rows made from four fifths of
the table and tested on the real other fifth, which differs for every seed. CPU seconds are those of the whole synthesis
from codes to rows; over several seeds the worst figure is kept.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import synthbounds.data as sd
from benchmarks.measure import main
from verify import real_tables

EPSILON, DP_DELTA = "1", "1e-9"
SEEDS = 5
WORST = {"distinct": min, "trees": min, "cpu_s": max, "promise": max, "certified": max, "in_truth": max}


def run(*, quick: bool) -> dict[str, Any]:
    if not real_tables.is_here("adult"):
        return {"adult": real_tables.MISSING}
    seeds = range(1 if quick else SEEDS)
    found: dict[str, Any] = {"epsilon": int(EPSILON), "dp_delta": DP_DELTA, "seeds": len(seeds)}
    for levels in (2, 3):
        table = coarsened(real_tables.codes("adult"), levels)
        sizes = tuple(int(size) for size in table.max(axis=0) + 1)
        halves = [_halves(table, seed) for seed in seeds]
        found[f"{levels} levels"] = {
            "n": len(halves[0][0]),
            "points": int(np.prod(sizes)),
            "distinct_real": min(len(np.unique(train, axis=0)) for train, _ in halves),
            "trees_real": min(_trees(*half) for half in halves),
            "majority": min(float(max(test[:, -1].mean(), 1 - test[:, -1].mean())) for _, test in halves),
        }
        for rows in ("sampling", "rounding"):
            for noise, more in (("pure", {}), ("gaussian", {"dp_delta": DP_DELTA})):
                each = [
                    _measured(*half, sizes, rows=rows, seed=seed, **more)
                    for seed, half in zip(seeds, halves, strict=True)
                ]
                key = f"{levels} levels, {rows}, {noise}"
                found[key] = {name: worst(one[name] for one in each) for name, worst in WORST.items()}
    return found


def coarsened(table: Any, levels: int) -> Any:
    """Every column cut at quantiles of its codes, to at most this many levels."""
    columns = []
    for codes in table.T:
        if len(np.unique(codes)) > levels:
            shares = np.arange(1, levels) / levels
            codes = np.searchsorted(np.unique(np.quantile(codes, shares, method="inverted_cdf")), codes)
        columns.append(np.unique(codes, return_inverse=True)[1])
    return np.stack(columns, axis=1).astype(np.uint8)


def _halves(table: Any, seed: int) -> tuple[Any, Any]:
    """Four fifths for training, and one for testing."""
    order = np.random.Generator(np.random.Philox(seed)).permutation(len(table))
    first = len(table) * 4 // 5
    return table[order[:first]], table[order[first:]]


def _trees(rows: Any, test: Any) -> float:
    """Accuracy on the real records of boosted trees trained on these rows."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(random_state=0).fit(rows[:, :-1], rows[:, -1])
    return round(float(model.score(test[:, :-1], test[:, -1])), 4)


def _measured(train: Any, test: Any, sizes: tuple[int, ...], **asked: Any) -> dict[str, Any]:
    started = time.process_time()
    found = sd.synthesize(train, sd.Domain(sizes), mode="simulate", epsilon=EPSILON, **asked)
    seconds = time.process_time() - started
    family = found.plan.question.family
    means = [np.array(sd.family_sums(family, rows)) / len(rows) for rows in (train, found.rows)]
    return {
        "distinct": found.support,
        "trees": _trees(found.rows, test),
        "cpu_s": round(seconds, 1),
        "promise": round(float(found.plan.promise.accuracy or 0), 5),
        "certified": round(float(found.accuracy), 5),
        "in_truth": round(float(np.abs(means[0] - means[1]).max()) / family.denominator, 5),
    }


if __name__ == "__main__":
    sys.exit(main("rows", __doc__ or "", run))
