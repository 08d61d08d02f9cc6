"""Certificates of models from a release of marginals: the marginals' moments in place of released ones.

Whoever certifies chooses the feature map, since a release of marginals has none. Pairs of columns that no table shows
have moments with a wide radius; the certificate names them, because they are what makes a bound useless.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from bounds.certify.baselines import Baselines, baselines
from bounds.certify.classes import ModelClass
from bounds.certify.routes import Route, all_routes
from bounds.errors import UsageError
from mechanisms.models.certify.from_moments import Answer
from mechanisms.models.certify.marginal_moments import MarginalMoments, moments_of_marginals
from mechanisms.models.confirm.ask import QueryRoute
from mechanisms.models.model import Model
from release.marginals.file import Marginals
from release.parameters import DEFAULT_BETA


@dataclass(frozen=True)
class MarginalCertificate(Answer):
    """The certified answer from marginals, with all routes that were tried."""

    marginals: Marginals
    moments: MarginalMoments
    model: Model
    compared_with: ModelClass
    beta: Fraction
    routes: tuple[Route, ...]
    baselines: Baselines
    query: QueryRoute | None = None


def certify_from_marginals(
    marginals: Marginals,
    model: Model,
    compared_with: ModelClass,
    *,
    beta: Fraction = DEFAULT_BETA,
    progress: Callable[[str], None] | None = None,
) -> MarginalCertificate:
    """Every route that applies, and the least; the model's feature map must be one of the marginals' schema."""
    features = model.feature_map
    if features.schema != marginals.schema:
        raise UsageError("model: its features are not those of the schema of the release")
    say = progress or (lambda _: None)
    say("moments of the marginals")
    moments = moments_of_marginals(marginals, features, beta)
    known = moments.known
    scores = features.margin_range(model.coefficients)
    routes = all_routes(known, model.coefficients, compared_with, scores, say=say)
    say("what the bound is measured against")
    lines = baselines(known, model.coefficients, compared_with, scores, routes)
    return MarginalCertificate(marginals, moments, model, compared_with, beta, routes, lines)
