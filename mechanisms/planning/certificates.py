"""Expected certificates of a linear model by its norm, from moments with a label: estimates from a guessed table.

A guess costs nothing and reads nothing: the moments are those of a reference population (mechanisms.models.plan).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from bounds.certify.classes import ModelClass
from bounds.errors import NotApplicable, ParameterError
from mechanisms.models.parameters import TRAINING_PARAMETERS
from mechanisms.models.plan.certificate_plan import Planner, Question
from mechanisms.models.plan.reference import reference
from mechanisms.planning.forecast import Planned
from release.statistics.features import build_feature_map

NORMS = (2, 5, 10)
"""Norms of the models that are compared, with features in the unit ball."""


@dataclass(frozen=True, kw_only=True)
class CertificateForecast:
    """The excess risk to expect in a certificate; None if there is too much noise for one."""

    epsilon: Fraction
    norm: int
    excess_est: float | None


def plan_certificates(
    planned: Planned, epsilons: tuple[Fraction, ...], dp_delta: Fraction
) -> tuple[CertificateForecast, ...]:
    """Forecasts for every norm and epsilon, with that delta. NotApplicable, with a reason, without a usable label."""
    public = planned.public
    if planned.label is None:
        raise NotApplicable("a certificate is about a model that predicts a column with two values: name it (--label)")
    try:
        features = build_feature_map(public.schema, label=planned.label)
        features.require_two_values("certificates are planned for the logistic loss")
    except ParameterError as refusal:
        if planned.label not in public.schema.names:
            raise
        raise NotApplicable(str(refusal)) from None
    guess = reference(features.size)
    found = []
    for norm in NORMS:
        compared = ModelClass(
            loss=str(TRAINING_PARAMETERS["loss"].default),
            tau=Fraction(norm),
            ridge=None,
            intercept=str(TRAINING_PARAMETERS["intercept"].default),
        )
        planner = Planner(guess, compared)
        for epsilon in epsilons:
            question = Question(
                n=public.size,
                epsilon=epsilon,
                dp_delta=dp_delta,
                adjacency=public.adjacency,
                compared_with=compared,
                beta=planned.beta,
            )
            excess = planner.best_est(question)
            found.append(
                CertificateForecast(epsilon=epsilon, norm=norm, excess_est=excess if isfinite(excess) else None)
            )
    return tuple(found)
