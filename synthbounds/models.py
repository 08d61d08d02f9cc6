"""Linear models from private releases: release, train, certify, confirm, and the parts that these are made of.

>>> from synthbounds import data, models
>>> schema = data.parse_schema('''{"synthbounds_schema": 1, "source": "public", "columns": [
...     {"name": "age", "range": ["0", "100"], "bins": 10}, {"name": "ill", "levels": ["no", "yes"]}]}''')
>>> features = models.build_feature_map(schema, label="ill")
>>> features.names, features.squared_norm
(('age', 'intercept'), 2)
"""

from __future__ import annotations

from bounds.certify.classes import ModelClass
from bounds.certify.routes import Route
from mechanisms.models.certify.from_cross_moments import CrossCertificate
from mechanisms.models.certify.from_distance import DistanceCertificate
from mechanisms.models.certify.from_marginals import MarginalCertificate
from mechanisms.models.certify.from_moments import ModelCertificate, class_for
from mechanisms.models.confirm.any_model import PlannedScore, ScoredModel, plan_predictions
from mechanisms.models.confirm.ask import Confirmed, PlannedConfirmation, plan_confirmation
from mechanisms.models.confirm.excess import ConfirmedExcess, PlannedExcess, plan_excess
from mechanisms.models.confirm.prove import Confirmation, confirm
from mechanisms.models.confirm.prove_excess import ProvedExcess, prove_excess
from mechanisms.models.confirm.scored import Scored, scored
from mechanisms.models.cross_event import LabelledMoments
from mechanisms.models.model import Model, model_text, read_model, read_model_for
from mechanisms.models.plan.certificate_plan import Planner
from mechanisms.models.plan.certificate_plan import Question as PlanQuestion
from mechanisms.models.plan.reference import reference as reference_population
from mechanisms.models.sklearn_features import features_of_pipeline
from mechanisms.models.sklearn_models import model_from_sklearn
from mechanisms.models.train.from_release import train_from_release
from mechanisms.models.train.newton import train_on_table
from release.accuracy.file import AccuracyRelease
from release.accuracy.read import read_accuracy
from release.cross_moments.file import CrossMoments
from release.cross_moments.read import read_cross_moments
from release.distance.file import DistanceRelease
from release.distance.make import measure_distance
from release.distance.read import read_distance
from release.floors.file import FloorRelease
from release.floors.intervals import floor_intervals
from release.floors.read import read_floors
from release.gradient.file import GradientQuery
from release.gradient.make import ask_gradient
from release.gradient.read import read_query
from release.marginals.file import Marginals
from release.marginals.read import read_marginals
from release.moments.file import MomentRelease, release_text
from release.moments.make import make_release
from release.moments.read import read_release
from release.scores.file import ScoreQuery
from release.scores.read import read_scores
from release.statistics.features import FeatureMap, build_feature_map, choose_features
from synthbounds import (
    certify,
    certify_cross_moments,
    certify_distance,
    certify_excess,
    certify_marginals,
    certify_predictions,
    confirm_predictions,
    correct,
    model_certificate,
    open_release,
    plan,
    release_accuracy,
    release_distance,
    release_floors,
    release_marginals,
    release_moments,
    train,
    train_cross_moments,
    train_marginals,
    train_table,
)

__all__ = [
    "AccuracyRelease",
    "Confirmation",
    "Confirmed",
    "ConfirmedExcess",
    "CrossCertificate",
    "CrossMoments",
    "DistanceCertificate",
    "DistanceRelease",
    "FeatureMap",
    "FloorRelease",
    "GradientQuery",
    "LabelledMoments",
    "MarginalCertificate",
    "Marginals",
    "Model",
    "ModelCertificate",
    "ModelClass",
    "MomentRelease",
    "PlanQuestion",
    "PlannedConfirmation",
    "PlannedExcess",
    "PlannedScore",
    "Planner",
    "ProvedExcess",
    "Route",
    "ScoreQuery",
    "Scored",
    "ScoredModel",
    "ask_gradient",
    "build_feature_map",
    "certify",
    "certify_cross_moments",
    "certify_distance",
    "certify_excess",
    "certify_marginals",
    "certify_predictions",
    "choose_features",
    "class_for",
    "confirm",
    "confirm_predictions",
    "correct",
    "features_of_pipeline",
    "floor_intervals",
    "make_release",
    "measure_distance",
    "model_certificate",
    "model_from_sklearn",
    "model_text",
    "open_release",
    "plan",
    "plan_confirmation",
    "plan_excess",
    "plan_predictions",
    "prove_excess",
    "read_accuracy",
    "read_cross_moments",
    "read_distance",
    "read_floors",
    "read_marginals",
    "read_model",
    "read_model_for",
    "read_query",
    "read_release",
    "read_scores",
    "reference_population",
    "release_accuracy",
    "release_distance",
    "release_floors",
    "release_marginals",
    "release_moments",
    "release_text",
    "scored",
    "train",
    "train_cross_moments",
    "train_from_release",
    "train_marginals",
    "train_on_table",
    "train_table",
]
