"""A small public schema with its feature map, a table of it, and noisy moments: shared by the tests of training."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mechanisms.models.train.targets import MomentTargets
from release.data.columns import BINS, LevelColumn, NumberColumn
from release.data.schema import Schema
from release.statistics.features import FeatureMap, build_feature_map

SCHEMA = Schema(
    (
        NumberColumn("age", BINS, 7, (Fraction(0), Fraction(70))),
        LevelColumn("town", ("north", "south", "west")),
        LevelColumn("pays", ("no", "yes")),
        LevelColumn("owns", ("no", "yes")),
        NumberColumn("size", BINS, 4, (Fraction(0), Fraction(8))),
    ),
    "public",
)


def feature_map(*, one_hot: bool = True) -> FeatureMap:
    """The label stands in the middle of the columns."""
    return build_feature_map(SCHEMA, label="pays", one_hot=("town",) if one_hot else ())


def table(n: int, seed: int = 0) -> np.ndarray:
    """Records with dependent columns and a label that depends on them."""
    generator = np.random.default_rng(seed)
    age = generator.binomial(6, 0.4, n)
    town = np.where(generator.random(n) < 0.6, 0, generator.integers(0, 3, n))
    owns = (generator.random(n) < 0.2 + 0.1 * age).astype(int)
    size = np.minimum(3, generator.poisson(0.5 + owns))
    score = 0.6 * (age - 2.4) + 1.2 * owns - (town == 2) - 0.3 * size
    pays = (generator.random(n) < 1 / (1 + np.exp(-score))).astype(int)
    return np.column_stack([age, town, pays, owns, size]).astype(np.uint8)


def targets(features: FeatureMap, codes: np.ndarray, sd: float, seed: int = 0) -> MomentTargets:
    """Moments of a table with Gaussian noise: that deviation off the diagonal, sqrt(2) times it on it."""
    generator = np.random.default_rng(seed)
    f, y = features.features(codes) / features.one, features.labels(codes).astype(float)
    p = features.size
    second_sd = np.full((p, p), sd)
    np.fill_diagonal(second_sd, sd * np.sqrt(2))
    upper = np.triu(f.T @ f / len(f) + second_sd * generator.standard_normal((p, p)))
    first = y @ f / len(f) + sd * generator.standard_normal(p)
    return MomentTargets(features, first, upper + np.triu(upper, 1).T, np.full(p, sd), second_sd)
