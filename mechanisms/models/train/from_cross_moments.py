"""A model from a release of cross moments: records of the distribution that it determines, and training on them.

`synth` draws its table from the same distribution; it keeps one-way tables and all cross moments within their noise,
whichever column is the label. Only the release and public parameters enter, so nothing more is spent.
"""

from __future__ import annotations

from dataclasses import dataclass

from bounds.shown import Shown
from mechanisms.models.cross_event import LabelledMoments
from mechanisms.models.model import Model
from mechanisms.models.parameters import TRAINING_PARAMETERS, read_training_numbers
from mechanisms.models.train.newton import Trained
from mechanisms.models.train.objective import Objective
from mechanisms.models.train.over_tau import SyntheticRecords, TauChoice
from mechanisms.tilt.rows import DrawnRows, draw_rows


@dataclass(frozen=True, eq=False)
class CrossTraining(Shown):
    """A model with the records that it was trained on and how well the training went."""

    moments: LabelledMoments
    model: Model
    trained: Trained
    rows: DrawnRows
    constant_risk_est: float
    """Mean loss of the zero model on the same records."""
    choice: TauChoice | None = None
    """If the norm was chosen from the release, the figures behind the choice."""

    @property
    def records(self) -> SyntheticRecords:
        return SyntheticRecords.drawn(self.moments.feature_map, self.rows.codes)


def train_from_cross_moments(
    moments: LabelledMoments,
    *,
    tau: object = None,
    ridge: object = None,
    loss: str | None = None,
    intercept: str | None = None,
    points: object = None,
) -> CrossTraining:
    """Train within norm tau (default 5) or with a ridge; numbers are exact or decimal text, None is the default."""
    numbers = read_training_numbers({"tau": tau, "ridge": ridge, "points": points})
    objective = Objective.of(numbers, loss=loss, intercept=intercept)
    count = int(numbers.get("points", TRAINING_PARAMETERS["points"].number()))
    rows = draw_rows(moments.release, count)
    feature_map = moments.feature_map
    drawn = SyntheticRecords.drawn(feature_map, rows.codes)
    records = (drawn.features, drawn.labels, drawn.weights)
    trained = objective.fit(feature_map, *records)
    made = f"trained by synthbounds on {count} synthetic records of a release of cross moments"
    model = objective.model(feature_map, trained, made=made, release=moments.release.digest)
    return CrossTraining(moments, model, trained, rows, objective.zero_risk(*records))
