"""Certificates of models from a release of cross moments: the moments of one label, with their own radii.

The label is the one that the release names, whose products have half the noise, or any other column of two values. All
certificates are of degree 2, so one event serves any number of models.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from bounds.certify.baselines import Baselines, baselines
from bounds.certify.classes import ModelClass
from bounds.certify.problem import KnownMoments
from bounds.certify.routes import Route, all_routes
from bounds.errors import UsageError
from mechanisms.models.certify.cross_radii import cross_radii
from mechanisms.models.certify.from_moments import Answer
from mechanisms.models.confirm.ask import QueryRoute
from mechanisms.models.cross_event import LabelledMoments
from mechanisms.models.model import Model
from mechanisms.models.splits import SPLITS, splits
from release.parameters import DEFAULT_BETA


@dataclass(frozen=True)
class CrossCertificate(Answer):
    """The certified answer from cross moments, with all routes tried."""

    moments: LabelledMoments
    model: Model
    compared_with: ModelClass
    beta: Fraction
    routes: tuple[Route, ...]
    baselines: Baselines
    query: QueryRoute | None = None


def known_cross_moments(moments: LabelledMoments, beta: Fraction) -> KnownMoments:
    """The event of first and second moments: radii of sums, divided like the sums."""
    moments.require_plausible_size()
    release, features = moments.release, moments.feature_map
    radii = cross_radii(release, features, beta)
    return KnownMoments(
        first=moments.first,
        second=moments.second,
        first_radius=radii.first / release.size,
        second_radius=radii.second / release.size,
        failure=beta,
        squared_norm=features.squared_norm,
        size_is_exact=release.size_is_exact,
    )


def certify_from_cross_moments(
    moments: LabelledMoments,
    model: Model,
    compared_with: ModelClass,
    *,
    beta: Fraction = DEFAULT_BETA,
    progress: Callable[[str], None] | None = None,
) -> CrossCertificate:
    """Every route that applies, and the least."""
    features = moments.feature_map
    if features.digest != model.feature_map.digest:
        raise UsageError("model: its features are not those of the release with this label")
    say = progress or (lambda _: None)
    say("moments of the label")
    known = known_cross_moments(moments, beta)
    scores = features.margin_range(model.coefficients)
    told_apart = splits(features, model.coefficients)[:SPLITS]
    routes = all_routes(known, model.coefficients, compared_with, scores, splits=told_apart, say=say)
    say("what the bound is measured against")
    lines = baselines(known, model.coefficients, compared_with, scores, routes)
    return CrossCertificate(moments, model, compared_with, beta, routes, lines)
