"""Models trained on rows of a log with the loss itself: what ddssp2024 calls AIM-Synth and MST-Synth, for any log.

The rows are a function of the log, and the model is a function of the rows, so nothing more is spent. Training uses the
loss itself instead of a polynomial, and the model is as good as the rows are.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError
from mechanisms.log_rows import rows_of
from mechanisms.models.train.newton import train_on_table
from mechanisms.pgm.from_log import HasRows, rows_of_log
from mechanisms.regression.least_squares import least_squares, public_ridge
from mechanisms.regression.parameters import LOGISTIC, SQUARED
from mechanisms.regression.sums import sums_of_records
from mechanisms.regression.table_sources import require_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.log.file import MarginalLog
    from release.statistics.features import FeatureMap

    Floats = NDArray[np.float64]

LOSSES = (SQUARED, LOGISTIC)
MOST_ROWS = 10**6
"""Most rows, whatever number of records a log states: memory must not run out after it is paid for."""
SMALL = Fraction(1, 10**5)
"""Half of it times the squared norm of a model is added to the mean logistic loss if no tau is given."""


def train_on_log(
    log: MarginalLog,
    features: FeatureMap,
    *,
    loss: str = LOGISTIC,
    tau: Fraction | None = None,
    law: HasRows | None = None,
    rows: int | None = None,
    seed: int | None = None,
) -> Floats:
    """The coefficients from as many rows of the log as it has records; `law` replaces its usual distribution."""
    require_columns(features, log)
    require_loss(loss, features)
    count = min(max(1, round(log.total_est)), MOST_ROWS) if rows is None else rows
    return train_on_rows(_rows(log, law, count, seed), features, loss=loss, tau=tau)


def train_on_rows(rows: Codes, features: FeatureMap, *, loss: str = LOGISTIC, tau: Fraction | None = None) -> Floats:
    """The best model of these rows, of norm at most tau or with next to no ridge."""
    require_loss(loss, features)
    if loss == SQUARED:
        bound = None if tau is None else float(tau)
        sums = sums_of_records(rows, features)
        return least_squares(sums, ridge=public_ridge(sums), tau=bound)
    trained = train_on_table(rows, features, loss=loss, tau=tau, ridge=SMALL if tau is None else None)
    return np.array([float(value) for value in trained.coefficients])


def require_loss(loss: str, features: FeatureMap) -> None:
    """Refuse, before anything is spent, a loss that is not trained here or a label that it does not take."""
    if loss not in LOSSES:
        raise ParameterError("loss", loss, f"one of {', '.join(LOSSES)}", "of models that are trained on rows")
    if loss == LOGISTIC:
        features.require_two_values("the logistic loss")


def _rows(log: MarginalLog, law: HasRows | None, count: int, seed: int | None) -> Codes:
    return rows_of(log, count, seed=seed)[0] if law is None else rows_of_log(log, law, count, seed=seed)
