"""From a release of moments to a model: a weighted synthetic table, a model trained on it, and rows if they are wanted.

Nothing but the release, the public parameters and a seed enters, so nothing more is spent. The model is trained on the
weighted points themselves, which keep closer to the moments than any rows rounded from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.errors import ParameterError, UsageError
from bounds.exact import show_rational
from mechanisms.models.model import FREE, INSIDE, Model
from mechanisms.models.parameters import DEFAULT_TAU, TRAINING_PARAMETERS, read_training_numbers
from mechanisms.models.train.newton import Trained, mean_loss, train
from mechanisms.models.train.synthetic import SyntheticRows, TiltedPoints, synthetic_rows, tilted_points
from mechanisms.models.train.targets import release_targets
from release.moments.file import MomentRelease

MOST_DEFAULT_ROWS = 10**6


@dataclass(frozen=True, eq=False)
class ReleaseTraining:
    """A model with everything that it was trained on and how well the training went."""

    release: MomentRelease
    model: Model
    trained: Trained
    points: TiltedPoints
    constant_risk_est: float
    """Mean loss on the same points of the model that is zero."""
    rows: SyntheticRows | None


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
    given = {"tau": tau, "ridge": ridge, "points": points, "seed": seed, "k": k}
    numbers = read_training_numbers(given)
    if "tau" in numbers and "ridge" in numbers:
        raise UsageError("tau and ridge are both given: say which one holds the model back")
    if "k" in numbers and not with_rows:
        raise UsageError("k is for the synthetic table: say where it goes (--synthetic FILE.csv or .parquet)")
    chosen_loss = TRAINING_PARAMETERS["loss"].choice(loss)
    chosen_intercept = str(TRAINING_PARAMETERS["intercept"].default if intercept is None else intercept)
    if chosen_intercept not in (INSIDE, FREE):
        raise ParameterError("intercept", chosen_intercept, f"{INSIDE} or {FREE}")
    bound = numbers.get("tau", None if "ridge" in numbers else DEFAULT_TAU)
    drawn = int(numbers.get("points", TRAINING_PARAMETERS["points"].number()))
    seeded = int(numbers.get("seed", TRAINING_PARAMETERS["seed"].number()))
    tilted = tilted_points(release_targets(release), points=drawn, seed=seeded)
    trained = train(
        tilted.features,
        tilted.labels,
        tilted.weights,
        squared_norm=release.feature_map.squared_norm,
        loss=chosen_loss,
        tau=bound,
        ridge=numbers.get("ridge"),
        penalise_intercept=chosen_intercept == INSIDE,
    )
    model = Model(
        feature_map=release.feature_map,
        coefficients=trained.coefficients,
        loss=chosen_loss,
        tau=bound,
        ridge=numbers.get("ridge"),
        intercept=chosen_intercept,
        made=f"trained by synthbounds on {drawn} weighted synthetic records, seed {tilted.seed}",
        release=release.digest,
    )
    zero = (Fraction(0),) * release.feature_map.size
    constant = mean_loss(zero, tilted.features, tilted.labels, tilted.weights, loss=chosen_loss)
    rows = None
    if with_rows:
        rows = synthetic_rows(tilted, int(numbers.get("k", min(release.size, MOST_DEFAULT_ROWS))))
    return ReleaseTraining(release, model, trained, tilted, constant, rows)


def constraint_text(model: Model) -> str:
    """What held the model back, in words."""
    parts = []
    if model.tau is not None:
        parts.append(f"norm at most {show_rational(model.tau)}")
    if model.ridge is not None:
        parts.append(f"ridge {show_rational(model.ridge)}")
    seen = "the intercept counts" if model.intercept == INSIDE else "the intercept is free"
    return f"{', '.join(parts) or 'no bound'}; {seen}"
