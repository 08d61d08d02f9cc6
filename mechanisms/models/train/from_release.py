"""A model from a release of moments: a weighted synthetic table, a model trained on it, and rows on request.

Only the release, the public parameters and a seed enter, so nothing more is spent. The model is trained on the weighted
points themselves, which stay closer to the moments than any rows rounded from them.
"""

from __future__ import annotations

from dataclasses import dataclass

from bounds.errors import UsageError
from bounds.shown import Shown
from mechanisms.models.model import Model
from mechanisms.models.parameters import TRAINED_LABELS, TRAINING_PARAMETERS, read_training_numbers
from mechanisms.models.train.newton import Trained
from mechanisms.models.train.objective import Objective
from mechanisms.models.train.over_tau import SyntheticRecords, TauChoice
from mechanisms.models.train.synthetic import SyntheticRows, TiltedPoints, synthetic_rows, tilted_points
from mechanisms.models.train.targets import release_targets
from release.moments.file import MomentRelease

MOST_DEFAULT_ROWS = 10**6


@dataclass(frozen=True, eq=False)
class ReleaseTraining(Shown):
    """A model, its training data and how well the training went."""

    release: MomentRelease
    model: Model
    trained: Trained
    points: TiltedPoints
    constant_risk_est: float
    """Mean loss of the zero model on the same points."""
    rows: SyntheticRows | None
    choice: TauChoice | None = None
    """If the norm was chosen from the release, the figures behind the choice."""

    @property
    def records(self) -> SyntheticRecords:
        points = self.points
        return SyntheticRecords(self.release.feature_map, points.features, points.labels, points.weights)


def train_from_release(
    release: MomentRelease,
    *,
    tau: object = None,
    ridge: object = None,
    loss: str | None = None,
    intercept: str | None = None,
    points: object = None,
    seed: object = None,
    k: object = None,
    with_rows: bool = False,
) -> ReleaseTraining:
    """Train within norm tau (default 5) or with a ridge; numbers are exact or decimal text, None is the default."""
    release.feature_map.require_two_values(TRAINED_LABELS)
    numbers = read_training_numbers({"tau": tau, "ridge": ridge, "points": points, "seed": seed, "k": k})
    objective = Objective.of(numbers, loss=loss, intercept=intercept)
    if "k" in numbers and not with_rows:
        raise UsageError("k is for the synthetic table: say where it goes (--synthetic FILE.csv or .parquet)")
    drawn = int(numbers.get("points", TRAINING_PARAMETERS["points"].number()))
    seeded = int(numbers.get("seed", TRAINING_PARAMETERS["seed"].number()))
    tilted = tilted_points(release_targets(release), points=drawn, seed=seeded)
    records = (tilted.features, tilted.labels, tilted.weights)
    trained = objective.fit(release.feature_map, *records)
    made = f"trained by synthbounds on {drawn} weighted synthetic records, seed {tilted.seed}"
    model = objective.model(release.feature_map, trained, made=made, release=release.digest)
    constant = objective.zero_risk(*records)
    rows = None
    if with_rows:
        rows = synthetic_rows(tilted, int(numbers.get("k", min(release.size, MOST_DEFAULT_ROWS))))
    return ReleaseTraining(release, model, trained, tilted, constant, rows)
