"""Certificates of models from a release of distance: the synthetic table's moments, with the distance as radii.

They hold for any linear model on the features, whatever it was trained on, and for a synthetic table from any tool: the
moments at the centre are exact, and two numbers say how far the real ones are from them. Proof:
docs/proofs/synthbounds.table-distance.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from bounds.certify.baselines import Baselines, baselines
from bounds.certify.classes import ModelClass
from bounds.certify.problem import KnownMoments
from bounds.certify.routes import Route, all_routes, fenchel_young
from bounds.errors import UsageError
from mechanisms.models.certify.from_moments import Answer
from mechanisms.models.confirm.ask import QueryRoute
from mechanisms.models.model import Model
from mechanisms.models.splits import SPLITS, THOROUGH_SPLITS, splits
from release.distance.file import DistanceRelease
from release.parameters import DEFAULT_BETA


@dataclass(frozen=True)
class DistanceCertificate(Answer):
    """The certified answer from a distance, with all routes that were tried."""

    release: DistanceRelease
    model: Model
    compared_with: ModelClass
    beta: Fraction
    routes: tuple[Route, ...]
    baselines: Baselines
    query: QueryRoute | None = None


def moments_of_distance(release: DistanceRelease, beta: Fraction) -> KnownMoments:
    """The event on which both distances hold, around the moments of the synthetic table.

    Under add-remove sums are divided by a public number that need not be the number of records; the mean of 1 is then
    known only like any other second moment.
    """
    first_radius, second_radius = release.radii(beta)
    return KnownMoments(
        first=release.first,
        second=release.second,
        first_radius=first_radius,
        second_radius=second_radius,
        failure=beta,
        squared_norm=release.feature_map.squared_norm,
        size_is_exact=release.size_is_exact,
    )


def certify_from_distance(
    release: DistanceRelease,
    model: Model,
    compared_with: ModelClass,
    *,
    beta: Fraction = DEFAULT_BETA,
    thorough: bool = False,
    progress: Callable[[str], None] | None = None,
) -> DistanceCertificate:
    """Every route that applies, and the least; the model's features must be those of the release.

    All hold on one event, for any number of models, including those trained on the synthetic table.
    """
    features = release.feature_map
    if features.digest != model.feature_map.digest:
        raise UsageError("model: its feature map is not that of the release")
    say = progress or (lambda _: None)
    known = moments_of_distance(release, beta)
    scores = features.margin_range(model.coefficients)
    told_apart = splits(features, model.coefficients)[: THOROUGH_SPLITS if thorough else SPLITS]
    routes = all_routes(known, model.coefficients, compared_with, scores, splits=told_apart, say=say)
    if thorough:
        say("the Fenchel-Young theorem")
        routes += (fenchel_young(known, model.coefficients, compared_with, features.margin_range),)
    say("what the bound is measured against")
    lines = baselines(known, model.coefficients, compared_with, scores, routes)
    return DistanceCertificate(release, model, compared_with, beta, routes, lines)
