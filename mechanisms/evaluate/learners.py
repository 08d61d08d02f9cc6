"""Two learners with fixed settings, and their scores on test rows; scikit-learn does the learning.

Records are codes with the label in the last column. Logistic regression sees indicators of nominal values and ordered
codes from 0 to 1; boosted trees see codes. A score that cannot be computed has a reason instead of a number.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.errors import NotApplicable, UsageError, how_to_install

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.columns import Column
    from release.data.domain import Codes

    Chances = NDArray[np.float64]
    Learner = Callable[[Codes, Codes, Sequence[Column]], Chances]
    """Takes training rows, test rows and the feature columns; gives the probability that each label is 1."""

LOGISTIC, TREES = "logistic regression", "boosted trees"
SETTINGS = {
    LOGISTIC: "L2 penalty with C = 1; features are an indicator for each value of a nominal column, and ordered codes "
    "from 0 to 1 with an indicator of missing cells",
    TREES: "HistGradientBoostingClassifier of scikit-learn, defaults, random_state 0; nominal columns are categories",
}
_MOST_CATEGORIES = 255
"""Most categories of boosted trees; a column with more codes is treated as a number."""
_LEAST_CHANCE = 1e-15
"""Probabilities are kept this far from 0 and 1 in the log loss, as usual."""
_MOST_FEATURES, _MOST_NUMBERS = 2000, 10**8
"""Limits of logistic regression: a few seconds and 800 MB."""


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Scores of one learner on the test rows; None if `reason` says why."""

    accuracy: float | None = None
    auc: float | None = None
    log_loss: float | None = None
    reason: str = ""


def require_learners() -> None:
    """Refuse to go on if scikit-learn is not installed."""
    if find_spec("sklearn") is None:
        raise UsageError(f"label: scores need scikit-learn, which is not installed: {how_to_install('evaluate')}")


def score(learner: Learner, train: Codes, test: Codes, columns: Sequence[Column]) -> Scores:
    """The learner fitted on one table and scored on another; `columns` are those of the features."""
    labels = test[:, -1]
    for rows, name in ((train, "training rows"), (test, "test rows")):
        if len(rows) == 0:
            return Scores(reason=f"no {name} have a label")
    if not columns:
        return Scores(reason="there is no column besides the label")
    if train[:, -1].min() == train[:, -1].max():
        return Scores(reason="the label has only one value in the training rows")
    try:
        chances = learner(train, test, columns)
    except NotApplicable as refused:
        return Scores(reason=str(refused))
    kept = np.clip(chances, _LEAST_CHANCE, 1 - _LEAST_CHANCE)
    constant = labels.min() == labels.max()
    return Scores(
        accuracy=float(np.mean((chances > 0.5) == labels)),
        auc=None if constant else _auc(chances, labels),
        log_loss=float(-np.mean(np.log(np.where(labels == 1, kept, 1 - kept)))),
        reason="the label has only one value in the test rows: there is no AUC" if constant else "",
    )


def logistic(train: Codes, test: Codes, columns: Sequence[Column]) -> Chances:
    """Logistic regression on indicators and ordered codes."""
    return logistic_chances(features_of(train[:, :-1], columns), train[:, -1], features_of(test[:, :-1], columns))


def logistic_on_codes(train: Codes, test: Codes, _: Sequence[Column]) -> Chances:
    """Logistic regression on the codes themselves, as papers do it."""
    return logistic_chances(train[:, :-1].astype(float), train[:, -1], test[:, :-1].astype(float))


def trees(train: Codes, test: Codes, columns: Sequence[Column]) -> Chances:
    """Boosted trees on codes."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    nominal = [is_nominal(column) and column.size <= _MOST_CATEGORIES for column in columns]
    model = HistGradientBoostingClassifier(categorical_features=nominal, random_state=0)
    return _chances(model.fit(train[:, :-1], train[:, -1]), test[:, :-1])


LEARNERS: dict[str, Learner] = {LOGISTIC: logistic, TREES: trees}


def logistic_chances(rows: Any, labels: Any, test: Any) -> Chances:
    """The probabilities that logistic regression with C = 1 gives for the test rows."""
    from sklearn.linear_model import LogisticRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about steps that no longer improve
        model = LogisticRegression(C=1.0, max_iter=10_000, solver="newton-cholesky").fit(rows, labels)
    return _chances(model, test)


def _chances(model: Any, rows: Any) -> Chances:
    found: Chances = model.predict_proba(rows)[:, 1]
    return found


def _auc(chances: Chances, labels: NDArray[np.integer[Any]]) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(labels, chances))


def is_nominal(column: Column) -> bool:
    """Whether codes have no order: two codes always have one."""
    return not column.is_ordered and column.size > 2


def features_of(rows: Codes, columns: Sequence[Column]) -> NDArray[np.float64]:
    """Indicators of nominal codes; ordered codes from 0 to 1, with an indicator of missing ones."""
    count = sum(column.size if is_nominal(column) else 1 + bool(column.missing) for column in columns)
    if count > _MOST_FEATURES or count * len(rows) > _MOST_NUMBERS:
        raise NotApplicable(
            f"{count:,} features of {len(rows):,} rows are too many: at most {_MOST_FEATURES:,}, and {_MOST_NUMBERS:,} "
            "numbers"
        )
    found = []
    for u, column in enumerate(columns):
        codes = rows[:, u].astype(np.int64)
        if is_nominal(column):
            found.append(np.eye(column.size)[codes])
            continue
        missing = codes == column.missing_code
        found.append(np.where(missing, 0, codes / max(column.value_count - 1, 1))[:, None])
        if column.missing_code is not None:
            found.append(missing[:, None].astype(float))
    return np.hstack(found)
