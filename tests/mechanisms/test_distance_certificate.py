"""Certificates from the distance of a finished table: they hold for models from anywhere, in every loss."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bounds.errors import NotCertified, UsageError
from mechanisms.models.certify.from_distance import certify_from_distance, moments_of_distance
from mechanisms.models.certify.from_moments import class_for
from mechanisms.models.model import Model
from mechanisms.models.train.newton import train_on_table
from release.distance.file import DistanceRelease
from release.distance.make import release_distance
from release.statistics.features import FeatureMap
from tests.moment_examples import feature_map, table

FEATURES = feature_map()
REAL, SYNTHETIC = table(3000, seed=1), table(2000, seed=2)
TAU = Fraction(3)


def released(synthetic: np.ndarray = SYNTHETIC, **changes: Any) -> DistanceRelease:
    asked: dict[str, Any] = {"epsilon": 1, "adjacency": "replace-one", "mode": "simulate", "seed": 1}
    return release_distance(REAL, synthetic, FEATURES, **(asked | changes))


def trained(codes: np.ndarray, loss: str = "logistic", features: FeatureMap = FEATURES) -> Model:
    found = train_on_table(codes, features, tau=TAU, loss=loss)
    return Model(feature_map=features, coefficients=found.coefficients, tau=TAU, loss=loss)


def risk(model: Model, codes: np.ndarray) -> float:
    margins = FEATURES.labels(codes) * (FEATURES.features(codes) / FEATURES.one @ np.array(model.coefficients, float))
    losses = {"logistic": np.logaddexp(0, -margins), "squared": (1 - margins) ** 2 / 2}
    return float(losses[model.loss].mean())


@pytest.mark.parametrize("loss", ["logistic", pytest.param("squared", marks=pytest.mark.slow)])
def test_the_bound_holds_for_the_model_of_the_synthetic_table(loss: str) -> None:
    model, best = trained(SYNTHETIC, loss), trained(REAL, loss)
    actual = risk(model, REAL) - risk(best, REAL)
    found = certify_from_distance(released(), model, class_for(model))
    assert 0 <= actual <= float(found.bound)
    assert found.uniform_over_models
    assert risk(model, REAL) <= float(found.baselines.model_risk)
    assert loss == "squared" or found.verdict == "weak"  # so few records do not show more than a constant gives


def test_a_nearer_table_has_smaller_radii_and_a_bad_one_larger() -> None:
    flipped = SYNTHETIC.copy()
    flipped[:, 2] = 1 - flipped[:, 2]
    own, near, far = (moments_of_distance(released(rows), Fraction(1, 20)) for rows in (REAL, SYNTHETIC, flipped))
    assert own.first_radius < near.first_radius < far.first_radius
    assert own.second_radius < near.second_radius == far.second_radius  # the label is not in the second moments


@pytest.mark.parametrize("least_size", [2990, pytest.param(3200, marks=pytest.mark.slow)])
def test_a_private_number_of_records_may_be_stated_too_low_or_too_high(least_size: int) -> None:
    """The number that sums are divided by is public and need not be right: the mean of 1 is bounded like the rest."""
    model, best = trained(SYNTHETIC), trained(REAL)
    release = released(adjacency="add-remove", least_size=least_size)
    found = certify_from_distance(release, model, class_for(model))
    assert risk(model, REAL) - risk(best, REAL) <= float(found.bound)
    lo, hi = moments_of_distance(release, Fraction(1, 20)).mass()
    assert lo <= Fraction(len(REAL), least_size) <= hi


def test_a_size_that_is_far_off_certifies_nothing() -> None:
    model = trained(SYNTHETIC)
    with pytest.raises(NotCertified, match="number of records"):
        certify_from_distance(released(adjacency="add-remove", least_size=9 * len(REAL)), model, class_for(model))


def test_the_event_is_around_the_synthetic_moments() -> None:
    release = released()
    known = moments_of_distance(release, Fraction(1, 20))
    f, y = FEATURES.features(SYNTHETIC) / FEATURES.one, FEATURES.labels(SYNTHETIC)
    assert np.allclose(np.array(known.first, float), y @ f / len(f))
    assert np.allclose(np.array(known.second, float), f.T @ f / len(f))
    g, z = FEATURES.features(REAL) / FEATURES.one, FEATURES.labels(REAL)
    assert np.linalg.norm(z @ g / len(g) - y @ f / len(f)) <= float(known.first_radius)
    assert np.linalg.norm(g.T @ g / len(g) - f.T @ f / len(f), 2) <= float(known.second_radius)


def test_a_model_of_other_features_is_refused() -> None:
    model = trained(SYNTHETIC, features=feature_map(one_hot=False))
    with pytest.raises(UsageError, match="its feature map is not that of the release"):
        certify_from_distance(released(), model, class_for(model))
