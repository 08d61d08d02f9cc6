"""What would make a certificate smaller: more records, a larger epsilon, a smaller norm, fourth moments, one query.

Every answer is an estimate from the moments of the release itself, for the certificate's own model and class and by the
route that gave it, including groups except with fourth moments; only a smaller norm needs another model, which is
trained on synthetic records for the estimate. Nothing is spent or proved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from bounds.certify.classes import INSIDE, ModelClass
from bounds.certify.excess import estimate
from bounds.certify.planning import Estimator
from bounds.certify.problem import KnownMoments, Matrix
from bounds.certify.routes import whole_problem
from bounds.errors import SynthboundsError
from bounds.exact import show_rational
from bounds.privacy.ledger import Ledger
from bounds.shown import Shown
from mechanisms.models.certify.from_moments import ModelCertificate
from mechanisms.models.event import FOURTH_SHARE, known_moments, moment_radii, weighted_radius
from mechanisms.models.losses import LOSSES
from mechanisms.models.model import Model
from mechanisms.models.plan.query_forecast import SHARES, gradient_forecast
from mechanisms.models.plan.reference import Guess, guessed_model, like
from mechanisms.models.splits import SPLITS, splits
from release.moments.file import MomentRelease
from release.moments.planned import MomentPlan
from release.reserving import OPEN, plan_ledger

SHRUNK = Fraction(4, 5)
_POINTS = 2000


@dataclass(frozen=True, kw_only=True)
class Improvement(Shown):
    """One change and the bound to expect after it."""

    name: str
    """n, epsilon, tau, fourth or query."""
    change: str
    """The change in words."""
    bound_est: float


def improvements(certificate: ModelCertificate) -> tuple[Improvement, ...]:
    """All changes that are expected to make the bound smaller; those that cannot be estimated are left out."""
    return tuple(change for change in _Changes(certificate).all() if change.bound_est < certificate.bound)


def without_proof(release: MomentRelease, model: Model, compared_with: ModelClass, *, beta: Fraction) -> float:
    """The certificate of degree 2 as found by the search; its proof adds about a thousandth. For studies."""
    known = known_moments(release, beta)
    scores = release.feature_map.margin_range(model.coefficients)
    whole = whole_problem(known, model.coefficients, compared_with, scores)
    told_apart = splits(release.feature_map, model.coefficients)[:SPLITS]
    by_groups = [replace(whole, direction=split.direction, groups=split.groups) for split in told_apart]
    return min(estimate(problem) for problem in (whole, *by_groups))


class _Changes:
    def __init__(self, certificate: ModelCertificate) -> None:
        self.certificate, self.release = certificate, certificate.release
        self.compared_with, self.problem = certificate.compared_with, certificate.problem
        self.estimator = Estimator()
        if certificate.best.found is not None:
            self.estimator.remember(certificate.best.found)
        self._guess: Guess | None = None

    def all(self) -> list[Improvement]:
        release = self.release
        doubled = 2 * release.epsilon
        kept = release.reservation_state == OPEN
        found = [
            self._tried("n", "twice as many records", lambda: self._with(release.plan(stated_size=2 * release.size))),
            self._tried(
                "epsilon",
                f"epsilon = {show_rational(doubled)} in place of {show_rational(release.epsilon)}",
                lambda: self._with(release.plan(stated_size=release.size, ledger=_ledger(release, epsilon=doubled))),
            ),
        ]
        if release.fourth_weight is None:
            found.append(self._tried("fourth", "fourth moments, at the same privacy", self._with_fourth_moments))
        if self.compared_with.tau is not None and self.compared_with.ridge is None:
            tau = self.compared_with.tau * SHRUNK
            found.append(
                self._tried("tau", f"a model and a class of norm {show_rational(tau)}", lambda: self._with_norm(tau))
            )
        said = (
            "one gradient query, paid from the reserved budget"
            if kept
            else f"one gradient query, had {show_rational(SHARES[0])} of the budget been reserved for it"
        )
        if self.release.reservation_state is None or kept:
            found.append(self._tried("query", said, self._with_query))
        return [improvement for improvement in found if improvement is not None]

    def _tried(self, name: str, change: str, find: Callable[[], float | None]) -> Improvement | None:
        try:
            value = find()
        except SynthboundsError:
            return None
        return None if value is None else Improvement(name=name, change=change, bound_est=max(value, 0.0))

    def _with(self, release: MomentPlan) -> float:
        """The bound for the same moments and model, with the noise of another release."""
        return self.estimator.estimate(replace(self.problem, known=self._known(release, self.problem.known)))

    def _known(self, release: MomentPlan, known: KnownMoments) -> KnownMoments:
        """Moments with the radii of another release."""
        beta, weighted = self.certificate.moments_beta, known.weighted is not None
        first, second = moment_radii(release, beta * (1 - FOURTH_SHARE) if weighted else beta)
        third = weighted_radius(release, beta * FOURTH_SHARE, self.problem.model) if weighted else Fraction(0)
        return replace(known, first_radius=first, second_radius=second, weighted_radius=third)

    @property
    def guess(self) -> Guess:
        if self._guess is None:
            self._guess = like(self.release, points=_POINTS)
        return self._guess

    def _with_fourth_moments(self) -> float:
        guess, model = self.guess, np.array([float(x) for x in self.problem.model])
        weights = guess.weights * (guess.features @ model) ** 2
        found = (guess.features * weights[:, None]).T @ guess.features
        weighted: Matrix = tuple(tuple(Fraction(x) for x in row) for row in ((found + found.T) / 2).tolist())
        release = self.release.plan(stated_size=self.release.size, fourth_weight=Fraction(1))
        known = self._known(release, replace(self.problem.known, weighted=weighted))
        # with fourth moments, groups would gain a few hundredths and double the time
        whole = replace(self.problem, known=known, direction=None, directions=None, groups=(), linear_in_other=False)
        return Estimator().estimate(whole)

    def _with_norm(self, tau: Fraction) -> float | None:
        if self.compared_with.loss not in LOSSES:
            return None
        smaller = replace(self.compared_with, tau=tau)
        model = guessed_model(
            self.guess,
            loss=smaller.loss,
            tau=tau,
            ridge=None,
            penalise_intercept=smaller.intercept == INSIDE,
        )
        known = replace(self.problem.known, weighted=None, weighted_radius=Fraction(0))
        problem = whole_problem(known, model.coefficients, smaller, model.scores)
        for split in splits(self.release.feature_map, model.coefficients):
            if self.problem.groups and split.direction == self.problem.direction:
                problem = replace(problem, direction=split.direction, groups=split.groups)
        return Estimator().estimate(problem)

    def _with_query(self) -> float | None:
        if self.compared_with.loss not in LOSSES:
            return None
        release: MomentPlan = self.release
        model = self.problem.model
        if release.reservation_state is None:
            release = release.plan(ledger=_ledger(release, reserve=SHARES[0]))
        found = gradient_forecast(
            release,
            model,
            self.compared_with,
            beta=self.certificate.beta,
            multiplier_est=self._multiplier(),
        )
        return None if found is None else found.bound_est

    def _multiplier(self) -> float:
        """Minus the slope of the synthetic risk along the model, over its squared norm, without the ridge's part."""
        guess, model = self.guess, np.array([float(x) for x in self.problem.model])
        margins = guess.labels * (guess.features @ model)
        slope = float(guess.weights @ (LOSSES[self.compared_with.loss].slope(margins) * margins))
        size = guess.feature_map.squared_norm * float(model @ model)
        return 0.0 if size == 0 else max(-slope / size - float(self.compared_with.ridge or 0), 0.0)


def _ledger(release: MomentPlan, *, epsilon: Fraction | None = None, reserve: Fraction | None = None) -> Ledger:
    """The budget of a release with another epsilon, or with another share kept for a query."""
    return plan_ledger(
        epsilon=release.epsilon if epsilon is None else epsilon,
        dp_delta=release.dp_delta,
        adjacency=release.adjacency,
        reserve=release.reserve if reserve is None else reserve,
    )
