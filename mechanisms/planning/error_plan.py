"""The plan of a release: errors by method over epsilon, with and without delta, and what a required error needs.

Nothing is spent and no table is read: only a schema, the number of records and the options enter.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.errors import NotApplicable, ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.shown import Shown
from mechanisms.mechanism import Public
from mechanisms.planning.certificates import CertificateForecast, plan_certificates
from mechanisms.planning.forecast import Budget, Forecast, Planned
from mechanisms.planning.methods import forecast
from mechanisms.planning.parameters import LOGGED, METHODS, ONE_WAY
from mechanisms.planning.solve import Solution, delta_of, solve_epsilon, solve_records
from release.data.schema import Schema

EPSILONS = tuple(Fraction(text) for text in ("0.1", "0.2", "0.5", "1", "2", "5", "10"))
SPOKEN_EPSILON = Fraction(1)
"""The epsilon that the answer in words is about, if none is given."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """An error to be reached, of which numbers and by which method; None means whichever needs least."""

    error: Fraction
    kind: str = ONE_WAY
    method: str | None = None


@dataclass(frozen=True, kw_only=True)
class ErrorQuestion:
    """All public facts and options. One of size and epsilon is None if it is to be solved for."""

    schema: Schema
    adjacency: Adjacency
    size: int | None
    """n under replace-one; a public lower bound on n under add-remove."""
    beta: Fraction
    epsilon: Fraction | None = None
    dp_delta: Fraction | None = None
    """None means 1/n^2."""
    label: str | None = None
    wanted: Wanted | None = None

    def __post_init__(self) -> None:
        if self.wanted is not None and (self.size is None) == (self.epsilon is None):
            raise UsageError("error: give n to have epsilon solved for, or epsilon to have n solved for, not both")
        if self.wanted is None and self.size is None:
            raise UsageError("n is missing: say how many records the table has (--n; under add-remove --least-size)")
        if self.size is not None and self.size < 2 and self.dp_delta is None:
            raise ParameterError("n", self.size, "at least 2", "delta is 1/n^2 if none is given")
        if self.label is not None and self.label not in self.schema.names:
            raise ParameterError("label", self.label, "a column of the schema")

    def planned(self) -> Planned:
        """The starting point of forecasts; if n is solved for, other sizes are substituted."""
        public = Public(schema=self.schema, adjacency=self.adjacency, size=self.size or 1)
        return Planned(public=public, beta=self.beta, label=self.label)


@dataclass(frozen=True, kw_only=True)
class ErrorPlan(Shown):
    """Forecasts for every method, epsilon and kind of privacy; if n is solved for, only what the error needs.

    Methods with a log appear only with a delta, since their noise is Gaussian.
    """

    question: ErrorQuestion
    forecasts: tuple[Forecast, ...]
    certificates: tuple[CertificateForecast, ...]
    without_certificates: str
    """Why there are no certificates."""
    solutions: tuple[Solution, ...]

    @property
    def epsilon(self) -> Fraction:
        """The epsilon that the answer in words is about."""
        return SPOKEN_EPSILON if self.question.epsilon is None else self.question.epsilon

    @property
    def dp_delta(self) -> Fraction | None:
        """Delta of the forecasts that are not pure; None without forecasts."""
        size = self.question.size
        return None if size is None else delta_of(size, self.question.dp_delta)

    @property
    def epsilons(self) -> tuple[Fraction, ...]:
        return tuple(dict.fromkeys(found.budget.epsilon for found in self.forecasts))

    def at(self, method: str, epsilon: Fraction, *, pure: bool) -> Forecast:
        """The promise of a method for one budget."""
        budget = Budget(epsilon=epsilon, dp_delta=None if pure else self.dp_delta)
        return next(found for found in self.forecasts if (found.method, found.budget) == (method, budget))

    def best(self, kind: str, *, pure: bool) -> Forecast | None:
        """The smallest error of a kind at the epsilon of the answer in words; None if no method promises one."""
        budget = Budget(epsilon=self.epsilon, dp_delta=None if pure else self.dp_delta)
        errors = ((one.error(kind), one.method) for one in self.forecasts if one.budget == budget)
        promising = [(error, method) for error, method in errors if error is not None]
        return self.at(min(promising)[1], self.epsilon, pure=pure) if promising else None

    def least(self, *, pure: bool) -> Solution | None:
        """The solution that needs least; None if no method reaches the error."""
        found = [(s.value, s.error, place) for place, s in enumerate(self.solutions) if s.pure == pure and s.value]
        return self.solutions[min(found)[2]] if found else None


def plan_errors(question: ErrorQuestion) -> ErrorPlan:
    """The plan; NotApplicable if no method reaches the required error."""
    solutions = () if question.wanted is None else _solutions(question, question.wanted)
    if question.size is None:
        reason = "they need a number of records, and that is what is solved for"
        return ErrorPlan(
            question=question, forecasts=(), certificates=(), without_certificates=reason, solutions=solutions
        )
    planned, delta = question.planned(), delta_of(question.size, question.dp_delta)
    epsilons = tuple(sorted({*EPSILONS, *([] if question.epsilon is None else [question.epsilon])}))
    certificates: tuple[CertificateForecast, ...] = ()
    reason = ""
    try:
        certificates = plan_certificates(planned, epsilons, delta)
    except NotApplicable as refusal:
        reason = str(refusal)
    return ErrorPlan(
        question=question,
        forecasts=tuple(
            forecast(method, planned, Budget(epsilon=epsilon, dp_delta=given))
            for method in METHODS
            for epsilon in epsilons
            for given in (None, delta)
            if given is not None or method not in LOGGED
        ),
        certificates=certificates,
        without_certificates=reason,
        solutions=solutions,
    )


def _solutions(question: ErrorQuestion, wanted: Wanted) -> tuple[Solution, ...]:
    planned, given = question.planned(), question.dp_delta
    found: list[Solution] = []
    for method in METHODS if wanted.method is None else (wanted.method,):
        for pure in (False,) if method in LOGGED else (False, True):
            if question.epsilon is None:
                solved = solve_epsilon(planned, method, wanted.kind, wanted.error, dp_delta=given, pure=pure)
            else:
                budget = Budget(epsilon=question.epsilon, dp_delta=given)
                solved = solve_records(planned, method, wanted.kind, wanted.error, budget, pure=pure)
            found.append(solved)
    if all(solution.value is None for solution in found):
        reasons = "; ".join(dict.fromkeys(f"{solution.method}: {solution.reason}" for solution in found))
        raise NotApplicable(f"error = {float(wanted.error):.4g} of {wanted.kind}: no method reaches it: {reasons}")
    return tuple(found)
