"""Guesses about a table that has not been measured: weighted records of a reference population, or of an earlier
release.

The reference population is a fixed, documented table; nothing in it comes from the table that is planned for. Records
are reduced to the few directions that decide a certificate: intercept and first moments, and their images under a few
multiplications by the second moments. Everything here is a guess in floating point.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.certify.problem import Matrix, Split, Vector
from bounds.certify.verdict import constant_risk
from bounds.errors import NotApplicable
from bounds.exact import require_range
from mechanisms.models.losses import LOSSES
from mechanisms.models.splits import SPLITS, splits
from mechanisms.models.train.newton import Trained, train
from mechanisms.models.train.synthetic import tilted_points
from mechanisms.models.train.targets import release_targets
from release.data.columns import LevelColumn
from release.data.schema import PUBLIC, Schema
from release.moments.file import MomentRelease
from release.noise.simulated import standard_gaussian
from release.statistics.features import FeatureMap, build_feature_map

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

REFERENCE = "the reference population"
LIKE = "the moments of an earlier release"
RECORDS = 4096
LIKE_POINTS = 4000
LOADING = 0.65
"""The correlation, up to sign, of every feature with one hidden cause, before values are clipped."""
MEAN = 0.7
WIDEST, NARROWEST = 0.7, 0.04
"""Standard deviations of the features before they are clipped to [-1, 1]: they fall geometrically."""
STEEPNESS = 0.75
"""Log odds of the label: a constant + steepness times a score of variance 1, to which all features contribute alike."""
SHARE = Fraction(1, 3)
"""Default share of the rarer label."""
_SEED = 20
_POWERS = 6
_INDEPENDENT = 1e-9


@dataclass(frozen=True, eq=False)
class Guess:
    """Weighted records on the scale of f, the intercept last; `source` says in words where they come from."""

    feature_map: FeatureMap
    features: Floats
    labels: Floats
    weights: Floats
    source: str

    @property
    def size(self) -> int:
        return self.feature_map.size


@dataclass(frozen=True, eq=False)
class GuessedModel:
    """A model trained on the guess, and all that an estimate needs, rotated to few directions.

    The intercept stays the last coordinate; norms and scores are unchanged. One direction without second moments stands
    for all those left out.
    """

    trained: Trained
    coefficients: Vector
    """Coefficients on the features of the map."""
    turned: Vector
    first: Vector
    second: Matrix
    weighted: Matrix
    """E[(w.f)^2 f f'] of the model w."""
    scores: tuple[Fraction, Fraction]
    constant_risk_est: float
    """Risk of the best constant score on the guess."""
    splits: tuple[Split, ...] = ()
    """Features by which a certificate may split records, rotated like the model."""


def reference(features: int, share: Fraction = SHARE) -> Guess:
    """The reference population with that many features, intercept included, each linear in its column.

    `share` is that of the rarer label.
    """
    require_range("share", share, share, above=0, most=Fraction(1, 2), reason="of the rarer label")
    columns = tuple(LevelColumn(f"x{k + 1}", ("low", "high")) for k in range(features - 1))
    schema = Schema((*columns, LevelColumn("label", ("no", "yes"))), PUBLIC)
    count = features - 1
    drawn = standard_gaussian(RECORDS // 2 * (count + 1), seed=_SEED)
    half = np.array(drawn).reshape(RECORDS // 2, count + 1)
    normal = np.concatenate([half, -half])
    sign = np.where(np.arange(count) % 2 == 0, 1.0, -1.0)
    causes = LOADING * normal[:, [-1]] * sign + (1 - LOADING**2) ** 0.5 * normal[:, :-1]
    mean = np.where(np.arange(count) % 4 < 2, MEAN, -MEAN)
    spread = WIDEST * (NARROWEST / WIDEST) ** ((np.arange(count) + 0.5) / count)
    values = np.append(np.clip(mean + spread * causes, -1, 1), np.ones((RECORDS, 1)), axis=1)
    score = causes @ sign
    positive = _probabilities(STEEPNESS * score / np.sqrt((score**2).mean()), float(share))
    # every record occurs once with each label, weighted by its probability
    return Guess(
        build_feature_map(schema, label="label"),
        np.concatenate([values, values]),
        np.repeat([1.0, -1.0], RECORDS),
        np.concatenate([positive, 1 - positive]) / RECORDS,
        REFERENCE,
    )


def _probabilities(odds: Floats, share: float) -> Floats:
    """Probabilities of the label given its log odds up to a constant, chosen so that their mean is the share."""
    low, high = -40.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        found: Floats = 1 / (1 + np.exp(-(odds + middle)))
        low, high = (middle, high) if found.mean() < share else (low, middle)
    return found


def like(release: MomentRelease, *, points: int = LIKE_POINTS) -> Guess:
    """Weighted synthetic records with the moments of an earlier release."""
    tilted = tilted_points(release_targets(release), points=points)
    weights = tilted.weights / tilted.weights.sum()
    return Guess(release.feature_map, tilted.features, tilted.labels, weights, LIKE)


def guessed_model(
    guess: Guess, *, loss: str, tau: Fraction | None, ridge: Fraction | None, penalise_intercept: bool
) -> GuessedModel:
    """The best model of the class on the guess."""
    if loss not in LOSSES:
        raise NotApplicable(f"loss = {loss[:60]}: plans are made for {', '.join(LOSSES)}")
    turn = _directions(guess)
    features = guess.features @ turn
    trained = train(
        features,
        guess.labels,
        guess.weights,
        squared_norm=guess.feature_map.squared_norm,
        loss=loss,
        tau=tau,
        ridge=ridge,
        penalise_intercept=penalise_intercept,
    )
    coefficients = _vector(turn @ np.array([float(c) for c in trained.coefficients]))
    # records of the reference population have no values of a column, so nothing tells them apart
    told_apart = () if guess.source == REFERENCE else splits(guess.feature_map, coefficients)[:SPLITS]
    turn = _extended(turn, [np.array([float(x) for x in split.direction]) for split in told_apart])
    features = guess.features @ turn

    def turn_back(vector: Vector) -> Floats:
        found: Floats = np.array([float(x) for x in vector]) @ turn
        return found

    turned = turn_back(coefficients)
    squared_scores = (features @ turned) ** 2
    return GuessedModel(
        trained=trained,
        coefficients=coefficients,
        turned=_vector(_with_gap(turned)),
        first=_vector(_with_gap((guess.weights * guess.labels) @ features)),
        second=_moments(features, guess.weights),
        weighted=_moments(features, guess.weights * squared_scores),
        scores=guess.feature_map.margin_range(coefficients),
        constant_risk_est=_constant_risk(guess, loss),
        splits=tuple(replace(s, direction=_vector(_with_gap(turn_back(s.direction)))) for s in told_apart),
    )


def _directions(guess: Guess) -> Floats:
    """Orthonormal columns, the intercept last."""
    features, weights = guess.features, guess.weights
    one = np.zeros(guess.size)
    one[-1] = 1.0
    block: list[Floats] = [one, (weights * guess.labels) @ features]
    basis: list[Floats] = []
    for _ in range(_POWERS):
        fresh = []
        for vector in block:
            for _ in range(2):  # twice, to remove what rounding left
                for other in basis:
                    vector = vector - (other @ vector) * other
            size = float(np.linalg.norm(vector))
            if size > _INDEPENDENT:
                basis.append(vector / size)
                fresh.append(basis[-1])
        block = [(weights * (features @ vector)) @ features for vector in fresh]
    return np.stack([*basis[1:], basis[0]], axis=1)


def _extended(turn: Floats, vectors: list[Floats]) -> Floats:
    """The orthonormal columns extended so that the vectors are in their span; the intercept stays the last."""
    for vector in vectors:
        for _ in range(2):
            vector = vector - turn @ (vector @ turn)
        size = float(np.linalg.norm(vector))
        if size > _INDEPENDENT:
            turn = np.insert(turn, 0, vector / size, axis=1)
    return turn


def _constant_risk(guess: Guess, loss: str) -> float:
    found = constant_risk(loss, Fraction(float(guess.weights @ guess.labels / guess.weights.sum())))
    assert found is not None
    return float(found)


def _with_gap(values: Floats) -> Floats:
    """Vectors with a zero inserted before the intercept."""
    found: Floats = np.insert(values, len(values) - 1, 0.0)
    return found


def _moments(features: Floats, weights: Floats) -> Matrix:
    wide = np.insert(features, features.shape[1] - 1, 0.0, axis=1)
    found = (wide * weights[:, None]).T @ wide
    return tuple(_vector(row) for row in (found + found.T) / 2)


def _vector(values: Floats) -> Vector:
    return tuple(Fraction(x) for x in values.tolist())
