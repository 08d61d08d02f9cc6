"""A planned query from beginning to end: everything is decided from public numbers, then the data are asked once.

The plan fixes model, class and confidence before a record is seen. The line to be taken out of the slopes is chosen by
estimates from the release alone. The answer comes with its certificate and with the release that paid for it, marked as
spent. Anyone who has the answer can later compute the same certificate with `query_route`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.certify.classes import INSIDE, ModelClass
from bounds.errors import DataError, NotApplicable, UsageError
from bounds.shown import Shown
from mechanisms.models.confirm.line import LINES, MISSED, PlannedLine, rank_lines
from mechanisms.models.confirm.prove import Confirmation, confirm, expected_bound
from mechanisms.models.model import Model
from release.gradient.file import GradientQuery
from release.gradient.make import Booking, ask_gradient
from release.gradient.planned import GradientPlan, model_digest, plan_gradient
from release.moments.file import MomentRelease
from release.query.file import Query
from release.query.make import Payer
from release.spending import spending

if TYPE_CHECKING:
    from release.data.source import Records

_POINTS = 4000
"""Number of synthetic points for guessing the gradient along the model; a guess needs no more."""


@dataclass(frozen=True)
class QueryRoute:
    """The answer to a planned query, and what it proves about its model."""

    query: GradientQuery
    confirmation: Confirmation

    @property
    def bound(self) -> Fraction:
        return self.confirmation.bound

    @property
    def failure(self) -> Fraction:
        """The part of the failure probability that this certificate uses."""
        return self.confirmation.query_failure + self.confirmation.release_failure


@dataclass(frozen=True, kw_only=True)
class Confirmed(Shown):
    """A query that has been asked: its certificate, and the files that replace the old ones."""

    model: Model
    compared_with: ModelClass
    beta: Fraction
    line: PlannedLine
    booking: Booking
    route: QueryRoute

    @property
    def bound(self) -> Fraction:
        return self.route.bound

    @property
    def query(self) -> GradientQuery:
        return self.route.query

    @property
    def release(self) -> MomentRelease:
        return self.booking.release

    @property
    def previous(self) -> Query | None:
        return self.booking.previous

    @property
    def expected(self) -> Fraction:
        return self.line.expected


@dataclass(frozen=True, kw_only=True)
class PlannedConfirmation:
    """A query whose every choice has been made; make it with `plan_confirmation`."""

    release: MomentRelease
    model: Model
    compared_with: ModelClass
    beta: Fraction
    part: Fraction
    previous: Query | None
    seed: int | None
    along: Fraction
    """Minus the gradient in the direction of the model, guessed on synthetic records."""
    line: PlannedLine

    @property
    def expected(self) -> Fraction:
        """The bound to expect, an estimate that is mostly too small."""
        return self.line.expected

    def with_missed(self) -> Fraction:
        """The same if synthetic records miss as much of the gradient as they did on the tables measured in studies."""
        missed = MISSED[self.compared_with.loss] * float(self.model.norm_squared)
        return _ranked(self, lines=((self.line.offset, self.line.slope),), missed=missed)[0].expected

    def ask(self, records: Records, *, book: Callable[[Payer], None] | None = None) -> Confirmed:
        """Draw the noise, once; the budget is then spent. Before that, `book` saves the release, marked as spent."""
        with spending(is_private=not self.release.is_simulated):
            booking = ask_gradient(
                records,
                self.release,
                self.model.coefficients,
                loss=self.compared_with.loss,
                offset=self.line.offset,
                slope=self.line.slope,
                part=self.part,
                previous=self.previous,
                seed=self.seed,
                book=book,
            )
            route = query_route(booking.query, booking.release, self.model, self.compared_with, failure=self.beta)
        return Confirmed(
            model=self.model,
            compared_with=self.compared_with,
            beta=self.beta,
            line=self.line,
            booking=booking,
            route=route,
        )


def plan_confirmation(
    release: MomentRelease,
    model: Model,
    compared_with: ModelClass,
    *,
    beta: Fraction,
    part: Fraction = Fraction(1),
    previous: Query | None = None,
    seed: int | None = None,
) -> PlannedConfirmation:
    """Every check and the choice of the line, without data. A reservation that is already spent is refused here."""
    plain = plan_gradient(release, model.coefficients, loss=compared_with.loss, part=part, previous=previous, seed=seed)
    # A query that cannot be certified is refused before noise is drawn.
    _require_fitting(plain, model, compared_with)
    tau, ridge = compared_with.tau, compared_with.ridge or Fraction(0)
    expected_bound(plain, release, failure=beta, along=Fraction(0), tau=tau, ridge=ridge)
    planned = PlannedConfirmation(
        release=release,
        model=model,
        compared_with=compared_with,
        beta=beta,
        part=part,
        previous=previous,
        seed=seed,
        along=_along(release, model, compared_with.loss),
        line=PlannedLine(Fraction(0), Fraction(0), Fraction(0)),
    )
    return replace(planned, line=_line(planned))


def query_route(
    query: GradientQuery, release: MomentRelease, model: Model, compared_with: ModelClass, *, failure: Fraction
) -> QueryRoute:
    """The certificate of the model from the answer to a query about it, for a class and a confidence fixed before."""
    _require_fitting(query, model, compared_with)
    found = confirm(query, release, failure=failure, tau=compared_with.tau, ridge=compared_with.ridge or Fraction(0))
    return QueryRoute(query, found)


def _require_fitting(query: GradientPlan, model: Model, compared_with: ModelClass) -> None:
    """Refuse a query that is not about this model and class."""
    if compared_with.intercept != INSIDE:
        raise NotApplicable(
            "intercept = free: no gradient bounds what an unbounded intercept gains; train with --intercept inside"
        )
    if query.loss != compared_with.loss:
        raise UsageError(f"loss = {compared_with.loss[:60]}: the query is about the {query.loss} loss")
    if query.model_digest != model_digest(model.feature_map, model.coefficients, query.loss):
        raise DataError("query: was asked about another model")


def _line(planned: PlannedConfirmation) -> PlannedLine:
    """The line with the least expected bound; none if budget is left to certify the model that this answer moves.

    With a line the answer would carry the release's noise, which the model has already been fitted to.
    """
    ranked = _ranked(planned)
    return ranked[0] if planned.part == 1 else next(line for line in ranked if not (line.offset or line.slope))


def _ranked(
    planned: PlannedConfirmation, *, lines: Sequence[tuple[Fraction, Fraction]] = LINES, missed: float = 0.0
) -> tuple[PlannedLine, ...]:
    compared_with = planned.compared_with
    return rank_lines(
        planned.release,
        planned.model.coefficients,
        failure=planned.beta,
        along=planned.along,
        loss=compared_with.loss,
        part=planned.part,
        previous=planned.previous,
        tau=compared_with.tau,
        ridge=compared_with.ridge or Fraction(0),
        lines=lines,
        missed=missed,
    )


def _along(release: MomentRelease, model: Model, loss: str) -> Fraction:
    """Minus the gradient in the direction of the model on the scale of x, on synthetic points: a guess, in floats."""
    import numpy as np

    from mechanisms.models.losses import find_training_loss
    from mechanisms.models.train.synthetic import tilted_points
    from mechanisms.models.train.targets import release_targets

    if not model.norm_squared:
        return Fraction(0)
    try:
        points = tilted_points(release_targets(release), points=_POINTS)
    except NotApplicable:  # too many features for synthetic points
        return Fraction(0)
    margins = points.labels * (points.features @ np.array([float(c) for c in model.coefficients]))
    slope = float(points.weights @ (find_training_loss(loss).slope(margins) * margins))
    return Fraction(-slope / float(model.norm_hi))
