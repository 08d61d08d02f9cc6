"""Logistic regression on a real table, trained and tested on random splits, in floating point.

The objective is that of scikit-learn's defaults: the sum of the losses plus half the squared norm of the weights,
without the intercept. The trainer of models minimises it to convergence. Nothing here is certified, and nothing is
private.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from verify.real_tables import codes

SEED = 2024
METRICS = ("accuracy", "auc", "loss")


def scored(name: str, run: int) -> tuple[float, float, float]:
    """Accuracy, area under the curve and loss on the test records of one split."""
    train, test = split(codes(name), stream(run))
    return metrics(_scores(train, test), test[:, -1])


def stream(run: int) -> Any:
    """The random numbers of one run."""
    import numpy as np

    return np.random.Generator(np.random.Philox(key=SEED, counter=[0, 0, 0, run]))


def split(rows: Any, numbers: Any) -> tuple[Any, Any]:
    """80 per cent for training, the others for testing."""
    order = numbers.permutation(len(rows))
    tested = -(-len(rows) // 5)
    return rows[order[tested:]], rows[order[:tested]]


def _scores(train: Any, test: Any) -> Any:
    """Log-odds on the test records of the model trained on the others."""
    import numpy as np

    from mechanisms.models.train import newton

    features = np.column_stack([train[:, :-1], np.ones(len(train))])
    largest = int((features**2).sum(axis=1).max())
    # the trainer takes the mean of the losses, and its norm is that of the weights times the root of `largest`
    ridge = Fraction(1, largest * len(train))
    labels = 2 * train[:, -1] - 1
    model = newton.train(features, labels, squared_norm=largest, ridge=ridge, penalise_intercept=False)
    weights = np.array([float(c) for c in model.coefficients])
    return test[:, :-1] @ weights[:-1] + weights[-1]


def metrics(scores: Any, labels: Any) -> tuple[float, float, float]:
    """Accuracy, area under the curve and mean loss of log-odds."""
    import numpy as np

    accuracy = float(np.mean((scores > 0) == (labels == 1)))
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]  # ties share their mean rank
    positive = int(labels.sum())
    above = float(rank[labels == 1].sum()) - positive * (positive + 1) / 2
    auc = above / (positive * (len(labels) - positive))
    return accuracy, auc, float(np.mean(np.logaddexp(0, scores) - scores * labels))
