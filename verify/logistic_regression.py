"""Logistic regression on a real table, trained and tested on random splits, in floating point.

The objective is that of scikit-learn's defaults: the sum of the losses and half the squared norm of the weights, not of
the intercept. It is minimised by Newton's method, so to convergence. Nothing here is certified, and nothing is private.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from verify.real_tables import codes

SEED = 2024
METRICS = ("accuracy", "auc", "loss")
_MOST_STEPS = 50
_ENOUGH = 1e-10


@dataclass(frozen=True)
class Repeated:
    """Means and standard deviations of accuracy, area under the curve and loss over random splits."""

    splits: int
    mean: tuple[float, ...]
    deviation: tuple[float, ...]


@cache
def repeated(name: str, splits: int) -> Repeated:
    """Train on 80 per cent and test on the others, that many times; a split depends on its number only."""
    import numpy as np

    table = codes(name)
    tested = -(-len(table) // 5)
    found = []
    for run in range(splits):
        order = np.random.Generator(np.random.Philox(key=SEED, counter=[0, 0, 0, run])).permutation(len(table))
        test, train = table[order[:tested]], table[order[tested:]]
        found.append(_metrics(_scores(train, test), test[:, -1]))
    values = np.array(found)
    return Repeated(splits, tuple(values.mean(axis=0).tolist()), tuple(values.std(axis=0, ddof=1).tolist()))


def _scores(train: Any, test: Any) -> Any:
    """Log-odds on the test records of the model trained on the others. Columns are scaled, the penalty with them."""
    import numpy as np

    scale = np.maximum(train[:, :-1].max(axis=0), 1).astype(float)
    features = np.column_stack([train[:, :-1] / scale, np.ones(len(train))])
    penalty = np.append(1 / scale**2, 0.0)
    labels = train[:, -1].astype(float)

    def objective(weights: Any) -> float:
        scores = features @ weights
        return float(np.logaddexp(0, scores).sum() - scores @ labels + (penalty * weights**2).sum() / 2)

    weights = np.zeros(features.shape[1])
    value = objective(weights)
    for _ in range(_MOST_STEPS):
        chance = 1 / (1 + np.exp(-(features @ weights)))
        gradient = features.T @ (chance - labels) + penalty * weights
        curvature = (features * (chance * (1 - chance))[:, None]).T @ features + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        while objective(weights - step) > value and np.abs(step).max() > _ENOUGH:
            step = step / 2
        before, weights = value, weights - step
        value = objective(weights)
        if abs(before - value) < _ENOUGH * abs(before):
            break
    return test[:, :-1] / scale @ weights[:-1] + weights[-1]


def _metrics(scores: Any, labels: Any) -> tuple[float, float, float]:
    import numpy as np

    accuracy = float(np.mean((scores > 0) == (labels == 1)))
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]  # ties share their mean rank
    positive = int(labels.sum())
    above = float(rank[labels == 1].sum()) - positive * (positive + 1) / 2
    auc = above / (positive * (len(labels) - positive))
    return accuracy, auc, float(np.mean(np.logaddexp(0, scores) - scores * labels))
