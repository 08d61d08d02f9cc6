"""Certificates of models from the log of a mechanism: from its tables, and from the distance of its finished table.

If a log has both for the features of the model, each gets half of the failure probability, and the smaller bound is
certified. Pairs of columns that no table shows have moments with a wide radius; the certificate names them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from bounds.certify.baselines import Baselines, baselines
from bounds.certify.classes import ModelClass
from bounds.certify.routes import Route, all_routes, least
from bounds.errors import UsageError
from mechanisms.models.certify.from_distance import certify_from_distance
from mechanisms.models.certify.from_moments import Answer
from mechanisms.models.certify.log_tables import moments_of_log
from mechanisms.models.certify.marginal_moments import MarginalMoments
from mechanisms.models.confirm.ask import QueryRoute
from mechanisms.models.model import Model
from release.log.file import MarginalLog
from release.parameters import DEFAULT_BETA


@dataclass(frozen=True)
class LogCertificate(Answer):
    """The certified answer from a log, with the routes and baselines of the source that gives the least bound."""

    log: MarginalLog
    moments: MarginalMoments
    """The moments that the tables give."""
    model: Model
    compared_with: ModelClass
    beta: Fraction
    by: Literal["tables", "distance"]
    tables_bound: Fraction
    distance_bound: Fraction | None
    """None if there is no distance for the features of the model."""
    routes: tuple[Route, ...]
    baselines: Baselines
    query: QueryRoute | None = None

    @property
    def moments_beta(self) -> Fraction:
        """The part of beta for the event of the bound."""
        return self.moments.beta


def certify_from_log(
    log: MarginalLog,
    model: Model,
    compared_with: ModelClass,
    *,
    beta: Fraction = DEFAULT_BETA,
    progress: Callable[[str], None] | None = None,
) -> LogCertificate:
    """Every route that applies, and the least; the model's feature map must be one of the log's schema."""
    features = model.feature_map
    if features.schema != log.schema:
        raise UsageError("model: its features are not those of the schema of the release")
    say = progress or (lambda _: None)
    distance = log.distance
    if distance is not None and distance.feature_map.digest != features.digest:
        distance = None
    part = beta if distance is None else beta / 2
    say("moments of the tables")
    moments = moments_of_log(log, features, part)
    known = moments.known
    scores = features.margin_range(model.coefficients)
    routes = all_routes(known, model.coefficients, compared_with, scores, say=say)
    by_tables = least(routes).value
    assert by_tables is not None
    found = None
    if distance is not None:
        found = certify_from_distance(distance, model, compared_with, beta=part, progress=progress)
    if found is not None and found.bound <= by_tables:
        by: Literal["tables", "distance"] = "distance"
        routes, lines = found.routes, found.baselines
    else:
        say("what the bound is measured against")
        by, lines = "tables", baselines(known, model.coefficients, compared_with, scores, routes)
    return LogCertificate(
        log=log,
        moments=moments,
        model=model,
        compared_with=compared_with,
        beta=beta,
        by=by,
        tables_bound=max(by_tables, Fraction(0)),
        distance_bound=None if found is None else found.bound,
        routes=routes,
        baselines=lines,
    )
