"""Certificates of models from a release of moments: how much better any model of the class can be on the real table.

Only the release is used. Certificates from first and second moments hold on one event for all models at once; those
from fourth moments hold for one model that was fixed before these were looked at. The answer to a planned query, if
there is one, certifies only its model, on a separate event with a fixed share of beta.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from bounds.certify.baselines import Baselines, baselines
from bounds.certify.classes import ModelClass
from bounds.certify.problem import Problem
from bounds.certify.routes import Route, all_routes, fenchel_young, least
from bounds.errors import NotApplicable, ParameterError, UsageError
from bounds.exact import root_at_least, show_rational
from bounds.shown import Shown
from mechanisms.models.confirm.ask import QueryRoute, query_route
from mechanisms.models.event import known_moments
from mechanisms.models.model import Model
from mechanisms.models.splits import SPLITS, THOROUGH_SPLITS, splits
from release.gradient.file import GradientQuery
from release.moments.file import MomentRelease
from release.parameters import DEFAULT_BETA

QUERY_SHARE = Fraction(4, 5)
"""Part of beta for the noise of a query and what it needs from the release; the release's own routes have the rest."""


class Answer(Shown):
    """The contents of every certificate for a model, wherever its moments come from."""

    model: Model
    compared_with: ModelClass
    beta: Fraction
    routes: tuple[Route, ...]
    baselines: Baselines
    query: QueryRoute | None

    @property
    def best(self) -> Route:
        return least(self.routes)

    @property
    def problem(self) -> Problem:
        """The problem of the best route."""
        found = self.best.found
        assert found is not None
        return found.problem

    @property
    def bound(self) -> Fraction:
        """No model of the class improves the real objective by more than this, except with probability beta."""
        value = self.best.value
        assert value is not None
        smaller = value if self.query is None else min(value, self.query.bound)
        return max(smaller, Fraction(0))

    @property
    def by_query(self) -> bool:
        """Whether the query gives the bound."""
        return self.query is not None and self.query.bound == self.bound

    @property
    def moments_beta(self) -> Fraction:
        """The part of beta that the event of the release's moments has."""
        return self.beta if self.query is None else self.beta - self.query.failure

    @property
    def degree(self) -> int:
        return self.best.degree

    @property
    def uniform_over_models(self) -> bool:
        """Whether the same event serves any number of models."""
        return self.degree == 2 and not self.by_query

    @property
    def verdict(self) -> str:
        """informative, weak or vacuous: see bounds.certify.verdict."""
        return self.baselines.verdict(self.bound).word

    @property
    def verdict_reason(self) -> str:
        """What the verdict says about the model."""
        return self.baselines.verdict(self.bound).reason


@dataclass(frozen=True)
class ModelCertificate(Answer):
    """The certified answer from a release of moments, with all routes that were tried."""

    release: MomentRelease
    model: Model
    compared_with: ModelClass
    beta: Fraction
    routes: tuple[Route, ...]
    baselines: Baselines
    query: QueryRoute | None = None
    """The proof from the answer to a planned query, with QUERY_SHARE of beta."""


def class_for(
    model: Model,
    *,
    tau: Fraction | None = None,
    ridge: Fraction | None = None,
    loss: str | None = None,
    intercept: str | None = None,
) -> ModelClass:
    """The class: as given, else as the model was trained, else all models of at most the model's (counted) norm."""
    if tau is None and ridge is None:
        tau, ridge = model.tau, model.ridge
    chosen = model.intercept if intercept is None else intercept
    counted = replace(model, intercept=chosen, tau=None)
    if tau is None and ridge is None:
        if not counted.counted_norm_squared:
            raise UsageError("tau is missing: the norm of the model is 0; give the largest norm to compare with")
        tau = root_at_least(counted.counted_norm_squared)
    if tau is not None and counted.counted_norm_squared > tau**2:
        raise ParameterError(
            "tau",
            show_rational(tau),
            "at least the norm of the model",
            f"which is about {float(counted.counted_norm_squared) ** 0.5:.6g}: it must be one of the class",
        )
    chosen_loss = model.loss if loss is None else loss
    if chosen_loss == "poisson":
        raise NotApplicable("loss = poisson: no certificate is known for the loss of counts")
    return ModelClass(loss=chosen_loss, tau=tau, ridge=ridge, intercept=chosen)


def certify_model(
    release: MomentRelease,
    model: Model,
    compared_with: ModelClass,
    *,
    beta: Fraction = DEFAULT_BETA,
    held_out: bool | None = None,
    query: GradientQuery | None = None,
    thorough: bool = False,
    progress: Callable[[str], None] | None = None,
) -> ModelCertificate:
    """Every route that applies, and the least.

    `held_out` says that the model does not depend on the noise of the fourth moments; None decides by the model's
    record of whether it was trained here from this release. With the answer to a `query` about this model, beta is
    divided, and the smaller bound is certified. Class and beta must have been fixed before that answer was seen.
    `thorough` adds the route of the Fenchel-Young theorem, which takes longer and has never been seen to win.
    """
    if not 0 < beta < 1:
        raise ParameterError("beta", show_rational(beta), "greater than 0 and less than 1", "a failure probability")
    if release.feature_map.digest != model.feature_map.digest:
        raise UsageError("model: its feature map is not that of the release")
    say = progress or (lambda _: None)
    asked = None
    if query is not None:
        asked = query_route(query, release, model, compared_with, failure=beta * QUERY_SHARE)
    apart = release.is_named(model.release) if held_out is None else held_out
    moments_beta = beta if query is None else beta * (1 - QUERY_SHARE)
    known = known_moments(release, moments_beta, model.coefficients if apart and release.fourth is not None else None)
    scores = release.feature_map.margin_range(model.coefficients)
    told_apart = splits(release.feature_map, model.coefficients)[: THOROUGH_SPLITS if thorough else SPLITS]
    routes = all_routes(known, model.coefficients, compared_with, scores, splits=told_apart, say=say)
    if thorough:
        say("the Fenchel-Young theorem")
        features = release.feature_map
        routes += (fenchel_young(known, model.coefficients, compared_with, features.margin_range),)
    say("what the bound is measured against")
    lines = baselines(known, model.coefficients, compared_with, scores, routes)
    return ModelCertificate(release, model, compared_with, beta, routes, lines, asked)
