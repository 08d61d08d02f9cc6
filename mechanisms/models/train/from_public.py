"""A model from published data: a finished synthetic table, whoever made it, or a release of marginals.

Records of the table count equally. Marginals determine moments, and points are tilted to these as to released ones.
Moments that no table shows are left out, so they come out as the others make them. Nothing more is spent, and nothing
is certified.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bounds.shown import Shown
from mechanisms.models.model import Model
from mechanisms.models.parameters import TRAINED_LABELS, TRAINING_PARAMETERS, read_training_numbers
from mechanisms.models.train.newton import Trained
from mechanisms.models.train.objective import Objective
from mechanisms.models.train.synthetic import tilted_points
from mechanisms.models.train.targets import MomentTargets
from release.data.source import Source
from release.marginals.file import Marginals
from release.statistics.features import FeatureMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FINISHED = "table"
_LEFT_OUT = 1e6
"""The deviation used for a moment that no table shows, which gives it no weight that matters."""
_RADIUS_SDS = 4
"""Radii hold for all moments at once and are about this many standard deviations."""


class MarginalMoments(Protocol):
    """Moments with a radius for each, and those that no table shows, as mechanisms.models.certify finds them."""

    @property
    def feature_map(self) -> FeatureMap: ...
    @property
    def first(self) -> tuple[Fraction, ...]: ...
    @property
    def second(self) -> tuple[tuple[Fraction, ...], ...]: ...
    @property
    def radii_first(self) -> tuple[Fraction, ...]: ...
    @property
    def radii_second(self) -> tuple[tuple[Fraction, ...], ...]: ...
    @property
    def missing_pairs(self) -> tuple[tuple[str, str], ...]: ...
    @property
    def missing_columns(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, eq=False)
class PublicTraining(Shown):
    """A model, its training data and how well the training went."""

    kind: str
    """A finished `table`, or the kind of the release."""
    model: Model
    trained: Trained
    records: int
    constant_risk_est: float
    """Mean loss of the zero model on the same records."""
    release: Marginals | None = None
    missing_pairs: tuple[tuple[str, str], ...] = ()


def train_from_table(
    table: Source,
    feature_map: FeatureMap,
    *,
    tau: object = None,
    ridge: object = None,
    loss: str | None = None,
    intercept: str | None = None,
) -> PublicTraining:
    """Train on the records of a public table within norm tau (default 5) or with a ridge."""
    feature_map.require_two_values(TRAINED_LABELS)
    objective = Objective.of(read_training_numbers({"tau": tau, "ridge": ridge}), loss=loss, intercept=intercept)
    codes = np.concatenate(list(table.batches()))
    distinct, counts = np.unique(codes, axis=0, return_counts=True)
    features = feature_map.features(distinct) / float(feature_map.one)
    records = (features, feature_map.labels(distinct).astype(float), counts / counts.sum())
    trained = objective.fit(feature_map, *records)
    made = f"trained by synthbounds on the {len(codes)} records of a finished table"
    model = objective.model(feature_map, trained, made=made, release=None)
    return PublicTraining(FINISHED, model, trained, len(codes), objective.zero_risk(*records))


def train_from_marginals(
    marginals: Marginals,
    moments: MarginalMoments,
    *,
    tau: object = None,
    ridge: object = None,
    loss: str | None = None,
    intercept: str | None = None,
    points: object = None,
    seed: object = None,
) -> PublicTraining:
    """Train on points tilted to the moments that those marginals determine."""
    numbers = read_training_numbers({"tau": tau, "ridge": ridge, "points": points, "seed": seed})
    objective = Objective.of(numbers, loss=loss, intercept=intercept)
    drawn, seeded = (int(numbers.get(name, TRAINING_PARAMETERS[name].number())) for name in ("points", "seed"))
    tilted = tilted_points(marginal_targets(moments), points=drawn, seed=seeded)
    records = (tilted.features, tilted.labels, tilted.weights)
    trained = objective.fit(moments.feature_map, *records)
    made = f"trained by synthbounds on {drawn} weighted synthetic records of marginals, seed {seeded}"
    model = objective.model(moments.feature_map, trained, made=made, release=marginals.digest)
    constant = objective.zero_risk(*records)
    return PublicTraining(marginals.KIND, model, trained, drawn, constant, marginals, moments.missing_pairs)


def marginal_targets(moments: MarginalMoments) -> MomentTargets:
    """Moments with a deviation for each, leaving out pairs and columns that no table shows."""
    features = moments.feature_map
    owners = [name for name, block in zip(features.columns, features.blocks, strict=True) for _ in range(len(block[0]))]
    absent = {frozenset(pair) for pair in moments.missing_pairs}
    alone = set(moments.missing_columns)

    def hidden(a: str | None, b: str | None) -> bool:
        return frozenset((a, b)) in absent or a in alone or b in alone

    columns: list[str | None] = [*owners, None]
    first_sd = _deviations(moments.radii_first)
    second_sd = np.array([_deviations(row) for row in moments.radii_second])
    for i, a in enumerate(columns):
        if hidden(a, features.label):
            first_sd[i] = _LEFT_OUT
        for j, b in enumerate(columns):
            if hidden(a, b):
                second_sd[i, j] = _LEFT_OUT
    first = np.array([float(value) for value in moments.first])
    second = np.array([[float(value) for value in row] for row in moments.second])
    return MomentTargets(features, first, second, first_sd, second_sd)


def _deviations(radii: tuple[Fraction, ...]) -> Floats:
    least = np.finfo(float).tiny  # exactly known moments get the least deviation that floats allow
    return np.array([max(float(radius) / _RADIUS_SDS, least) for radius in radii])
