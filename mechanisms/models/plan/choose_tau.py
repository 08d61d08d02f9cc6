"""A norm for training, chosen from a release alone: the one with the least estimated loss plus expected certificate.

Up to estimates, the sum is the worst that a reader of the certificate would learn about the best possible model. If the
release keeps budget for a query, the certificate is the smaller of those from the release and from one query. The rule
is public and deterministic, and uses only the release: nothing is spent.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

from bounds.certify.classes import ModelClass
from bounds.certify.planning import Estimator
from bounds.certify.problem import KnownMoments
from bounds.certify.routes import whole_problem
from bounds.errors import NotApplicable, SynthboundsError
from mechanisms.models.certify.from_cross_moments import known_cross_moments
from mechanisms.models.cross_event import LabelledMoments
from mechanisms.models.event import known_moments
from mechanisms.models.parameters import TRAINED_LABELS, TRAINING_PARAMETERS
from mechanisms.models.plan.query_forecast import forecasts
from mechanisms.models.train.newton import Trained
from mechanisms.models.train.over_tau import AUTO, GRID, Candidate, SyntheticRecords, TauChoice
from release.moments.file import MomentRelease
from release.parameters import DEFAULT_BETA
from release.reserving import OPEN


def chosen_tau(
    release: MomentRelease | LabelledMoments, tau: object, *, loss: str | None, intercept: str | None
) -> TauChoice | None:
    """The choice if tau is "auto"; None if it is a number or left out."""
    return choose_tau(release, loss=loss, intercept=intercept) if tau == AUTO else None


def choose_tau(
    release: MomentRelease | LabelledMoments, *, loss: str | None = None, intercept: str | None = None
) -> TauChoice:
    """The norm of the grid with the least sum of loss and certificate, and the figures for all norms."""
    release.feature_map.require_two_values(TRAINED_LABELS)
    chosen_loss = TRAINING_PARAMETERS["loss"].choice(loss)
    chosen_intercept = TRAINING_PARAMETERS["intercept"].choice(intercept)
    known = (
        known_moments(release, DEFAULT_BETA)
        if isinstance(release, MomentRelease)
        else known_cross_moments(release, DEFAULT_BETA)
    )
    records = SyntheticRecords.of(release)
    found = []
    for tau in GRID:
        model = records.best(tau, loss=chosen_loss, intercept=chosen_intercept)
        compared_with = ModelClass(loss=chosen_loss, tau=tau, intercept=chosen_intercept)
        scores = records.feature_map.margin_range(model.coefficients)
        certificate = _from_moments(known, model, compared_with, scores)
        if isinstance(release, MomentRelease) and release.reservation_state == OPEN:
            queries = forecasts(
                release,
                known,
                model.coefficients,
                compared_with,
                scores,
                multiplier_est=model.multiplier_est,
                beta=DEFAULT_BETA,
            )
            certificate = min([certificate, *(query.bound_est for query in queries)])
        found.append(Candidate(tau=tau, loss_est=model.risk_est, certificate_est=certificate))
    best = min(found, key=lambda candidate: candidate.sum_est)
    if best.sum_est == inf:
        raise NotApplicable("tau = auto: no certificate can be expected from this release; give a number")
    return TauChoice(best.tau, tuple(found))


def _from_moments(
    known: KnownMoments, model: Trained, compared_with: ModelClass, scores: tuple[Fraction, Fraction]
) -> float:
    try:
        return max(Estimator().estimate(whole_problem(known, model.coefficients, compared_with, scores)), 0.0)
    except SynthboundsError:  # too much noise for the programme, or to see both labels
        return inf
