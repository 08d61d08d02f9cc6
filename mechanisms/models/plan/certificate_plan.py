"""Before any budget is spent: how large a certificate will be, how many records or what epsilon a target needs, and
whether to keep budget for a query.

Noise and radii follow from public numbers and are certified. Moments are guessed (mechanisms.models.plan.reference), so
every size of a certificate here is an estimate. docs/certify-planning.md measures how good these estimates are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, inf, log2

from bounds.certify.classes import INSIDE, ModelClass, loss_at_zero, near_model, within_norm
from bounds.certify.planning import Estimator
from bounds.certify.problem import Compared, KnownMoments, Problem, Split
from bounds.certify.verdict import INFORMATIVE, VACUOUS, WEAK
from bounds.errors import NotApplicable, NotCertified, ParameterError, UsageError
from bounds.exact import show_rational
from bounds.privacy.adjacency import Adjacency
from mechanisms.models.event import FOURTH_SHARE, moment_radii, weighted_radius
from mechanisms.models.plan.query_forecast import SHARES, QueryForecast, forecasts
from mechanisms.models.plan.reference import Guess, GuessedModel, guessed_model
from mechanisms.models.plan.solve_for import EPSILONS, SIZES, falls_to
from release.moments.planned import MomentPlan
from release.parameters import DEFAULT_BETA, DEFAULT_WEIGHT
from release.reserving import plan_ledger
from release.statistics.moments import require_fourth

WORTH_IT = 0.9
"""A query is worth it if it is expected to reduce the bound to below this part of that of the release alone."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """All public facts about a planned release and the models to be compared."""

    n: int
    """Number of records; under add-remove also the public least size."""
    epsilon: Fraction
    dp_delta: Fraction | None = None
    """None means 1/n^2."""
    adjacency: Adjacency = Adjacency.REPLACE_ONE
    reserve: Fraction = Fraction(0)
    fourth: bool = False
    weight: Fraction = DEFAULT_WEIGHT
    fourth_weight: Fraction = Fraction(1)
    compared_with: ModelClass
    beta: Fraction = DEFAULT_BETA

    def __post_init__(self) -> None:
        if self.n < 2:
            raise ParameterError("n", self.n, "at least 2", "number of records")
        if not 0 < self.beta < 1:
            raise ParameterError("beta", show_rational(self.beta), "greater than 0 and less than 1", "a probability")

    @property
    def delta(self) -> Fraction:
        return Fraction(1, self.n**2) if self.dp_delta is None else self.dp_delta


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The forecast for a question; names that end in _est are estimates, radii are certified."""

    question: Question
    source: str
    """The source of the guessed moments."""
    first_radius: Fraction
    second_radius: Fraction
    weighted_radius: Fraction | None
    """Radii on the scale of f, as in bounds.certify.problem.KnownMoments; the weighted one for the guessed model."""
    degree2_est: float
    degree4_est: float | None
    unreserved_est: float
    """The certificate of a release that keeps nothing for a query."""
    query: QueryForecast | None
    """The query paid by the question's reserve or, if that is 0, by the better of SHARES; None if none is possible."""
    queries: tuple[QueryForecast, ...]
    """All queries considered: gradient and excess, at every share."""
    zero_risk: Fraction
    model_risk_est: float
    constant_risk_est: float

    @property
    def bound_est(self) -> float:
        """Bound from the release alone: the lesser of both degrees."""
        return min(self.degree2_est, inf if self.degree4_est is None else self.degree4_est)

    @property
    def degree(self) -> int:
        return 2 if self.bound_est == self.degree2_est else 4

    @property
    def best_est(self) -> float:
        """Bound including the query, if the question keeps budget for one."""
        if self.query is None or not self.question.reserve:
            return self.bound_est
        return min(self.bound_est, self.query.bound_est)

    @property
    def query_pays(self) -> bool:
        """Whether keeping budget for a query is expected to give a clearly smaller certificate."""
        return self.query is not None and self.query.bound_est < WORTH_IT * self.unreserved_est

    @property
    def verdict_est(self) -> str:
        if self.best_est >= self.zero_risk:
            return VACUOUS
        return INFORMATIVE if self.best_est < self.constant_risk_est - self.model_risk_est else WEAK


class Planner:
    """Plans for one guess and one class of models: the model is trained once, whatever n and epsilon are."""

    def __init__(self, guess: Guess, compared_with: ModelClass) -> None:
        self.guess, self.compared_with = guess, compared_with
        self._near = Estimator()
        self._route: tuple[Split | None, Estimator] | None = None

    @cached_property
    def model(self) -> GuessedModel:
        wanted = self.compared_with
        return guessed_model(
            self.guess,
            loss=wanted.loss,
            tau=wanted.tau,
            ridge=wanted.ridge,
            penalise_intercept=wanted.intercept == INSIDE,
        )

    def plan(self, question: Question) -> Plan:
        """The forecast."""
        question = self._checked(question)
        release = planned_release(self.guess, question)
        known = self._known(release, question.beta, fourth=question.fourth)
        degree2, degree4 = self._bounds(known)
        unreserved = min(degree2, inf if degree4 is None else degree4)
        if question.reserve:
            free = planned_release(self.guess, replace(question, reserve=Fraction(0)))
            both = self._bounds(self._known(free, question.beta, fourth=question.fourth))
            unreserved = min(value for value in both if value is not None)
        queries = self.queries(question, (question.reserve,) if question.reserve else SHARES)
        return Plan(
            question=question,
            source=self.guess.source,
            first_radius=known.first_radius,
            second_radius=known.second_radius,
            weighted_radius=known.weighted_radius if question.fourth else None,
            degree2_est=degree2,
            degree4_est=degree4,
            unreserved_est=unreserved,
            query=min(queries, key=lambda query: query.bound_est, default=None),
            queries=queries,
            zero_risk=loss_at_zero(question.compared_with.loss),
            model_risk_est=self.model.trained.risk_est,
            constant_risk_est=self.model.constant_risk_est,
        )

    def with_records(self, question: Question, target: Fraction) -> Plan:
        """The plan with the fewest records whose certificate is expected to be at most the target; n is solved for."""
        found = falls_to(target, lambda size: self.best_est(replace(question, n=ceil(size))), SIZES, "n")
        return self.plan(replace(question, n=ceil(found)))

    def with_epsilon(self, question: Question, target: Fraction) -> Plan:
        """The plan with the least epsilon whose certificate is expected to be at most the target."""
        found = falls_to(target, lambda value: self.best_est(replace(question, epsilon=value)), EPSILONS, "epsilon")
        return self.plan(replace(question, epsilon=found))

    def _checked(self, question: Question) -> Question:
        if question.compared_with != self.compared_with:
            raise UsageError("the question is about another class of models than the planner")
        if question.fourth:
            require_fourth(self.guess.feature_map)
        return question

    def best_est(self, question: Question) -> float:
        """The certificate to expect, including a query if budget is kept for one; infinite if noise is too large."""
        release = planned_release(self.guess, self._checked(question))
        try:
            bounds = self._bounds(self._known(release, question.beta, fourth=question.fourth))
        except (NotCertified, NotApplicable):  # too much noise for the programme, or to see both labels
            bounds = (inf, None)
        found = [value for value in bounds if value is not None]
        if question.reserve:
            query = self._query(question)
            found += [] if query is None else [query.bound_est]
        return min(found)

    def _known(self, release: MomentPlan, beta: Fraction, *, fourth: bool) -> KnownMoments:
        left = beta * (1 - FOURTH_SHARE) if fourth else beta
        first, second = moment_radii(release, left)
        return KnownMoments(
            first=self.model.first,
            second=self.model.second,
            first_radius=first,
            second_radius=second,
            failure=beta,
            squared_norm=release.feature_map.squared_norm,
            size_is_exact=release.size_is_exact,
            weighted=self.model.weighted if fourth else None,
            weighted_radius=(
                weighted_radius(release, beta * FOURTH_SHARE, self.model.coefficients) if fourth else Fraction(0)
            ),
        )

    def _bounds(self, known: KnownMoments) -> tuple[float, float | None]:
        """Estimates for both degrees."""
        second = replace(known, weighted=None, weighted_radius=Fraction(0))
        compared = within_norm(self.compared_with, second)
        split, estimator = self._best_route(second, compared)
        degree2 = estimator.estimate(self._problem(second, compared, split))
        if self.compared_with.ridge is not None and self.compared_with.intercept == INSIDE:
            degree2 = self._near_model(second, degree2)
        degree4 = None if known.weighted is None else estimator.estimate(self._problem(known, compared, split))
        return max(degree2, 0.0), None if degree4 is None else max(degree4, 0.0)

    def _best_route(self, known: KnownMoments, compared: Compared) -> tuple[Split | None, Estimator]:
        """Whether and by which feature to split records into groups: decided once, as noise hardly matters for it."""
        if self._route is None:
            routes = [(split, Estimator()) for split in (None, *self.model.splits)]
            values = [estimator.estimate(self._problem(known, compared, split)) for split, estimator in routes]
            self._route = routes[values.index(min(values))]
        return self._route

    def _near_model(self, known: KnownMoments, bound: float) -> float:
        """The bound from a ball around the model, as in bounds.certify.routes: each bound allows a smaller ball."""
        ridge = self.compared_with.ridge
        assert ridge is not None
        largest = max(abs(end) for end in self.model.scores)
        last = inf
        while bound > 0:
            distance = Fraction(2) ** max(ceil(log2(2 * bound / float(ridge)) / 2), -6)
            if distance >= min(last, 32):
                break
            compared = near_model(self.compared_with, known, distance=distance, largest_score=largest)
            bound, last = min(bound, self._near.estimate(self._problem(known, compared))), float(distance)
        return bound

    def _problem(self, known: KnownMoments, compared: Compared, split: Split | None = None) -> Problem:
        return Problem(
            known=known,
            model=self.model.turned,
            loss=self.compared_with.loss,
            compared=compared,
            scores=self.model.scores,
            direction=None if split is None else split.direction,
            groups=() if split is None else split.groups,
        )

    def queries(self, question: Question, shares: tuple[Fraction, ...]) -> tuple[QueryForecast, ...]:
        """Queries of both kinds, if they are possible, at every share."""
        found: list[QueryForecast] = []
        for share in shares:
            release = planned_release(self.guess, replace(self._checked(question), reserve=share))
            found += forecasts(
                release,
                self._known(release, question.beta, fourth=False),
                self.model.coefficients,
                self.compared_with,
                self.model.scores,
                multiplier_est=self.model.trained.multiplier_est,
                beta=question.beta,
            )
        return tuple(found)

    def _query(self, question: Question) -> QueryForecast | None:
        queries = self.queries(question, (question.reserve,) if question.reserve else SHARES)
        return min(queries, key=lambda query: query.bound_est, default=None)


def planned_release(guess: Guess, question: Question) -> MomentPlan:
    """The public facts about the release of a question."""
    return MomentPlan(
        feature_map=guess.feature_map,
        mode="simulate",
        ledger=plan_ledger(
            epsilon=question.epsilon,
            dp_delta=question.delta,
            adjacency=question.adjacency,
            reserve=question.reserve,
        ),
        stated_size=question.n,
        weight=question.weight,
        fourth_weight=question.fourth_weight if question.fourth else None,
        seed=0,
        run=0,
    )
