"""A query for the excess of a model, from beginning to end: planned from public facts, asked once, proved.

It asks for the sum of the model's losses and the least sum of its class, with the budget divided so that their
difference has the noise that the excess alone would have; for a finite set of models it asks for the difference itself.
A hundredth goes to counts of labels, so that the answer also says whether the model is better than any constant. Class,
model and confidence are in the file of the answer: anyone who has it computes the same certificate with `prove_excess`.
Proof: docs/proofs/synthbounds.excess-query.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.certify.classes import FREE, ModelClass
from bounds.errors import NotApplicable, ParameterError, UsageError
from bounds.exact import show_rational
from bounds.shown import Shown
from mechanisms.models.confirm.prove_excess import (
    RELEASE_SHARE,
    ProvedExcess,
    enough_intercept,
    expected_excess,
    prove_excess,
)
from mechanisms.models.model import Model
from mechanisms.models.query_parameters import EXCESS
from mechanisms.models.train.least_risk import least_risk
from release.data.source import as_source
from release.gradient.planned import model_digest
from release.query.file import Query
from release.query.make import Payer
from release.query.planned import plan_payment
from release.reserving import ReservingRelease
from release.scores.file import ScoreQuery
from release.scores.make import ScoreBooking, ask_scores
from release.scores.planned import ScorePlan, all_codes
from release.spending import spending
from release.statistics.excess_over import ExcessOver
from release.statistics.features import FeatureMap
from release.statistics.label_counts import LABEL_SHARE, LabelCounts
from release.statistics.least_loss import LeastLoss
from release.statistics.linear_class import LinearClass
from release.statistics.model_loss import ModelLoss
from release.statistics.prediction_choices import FROM_RELEASE
from release.statistics.question import Asked, Question, Questions

if TYPE_CHECKING:
    from release.data.source import Records

OWN_SHARE = Fraction(1, 10)
"""Part of the query's budget for the model's own loss, if the excess over a finite set is asked for directly."""


@dataclass(frozen=True, kw_only=True)
class ConfirmedExcess(Shown):
    """A query that has been asked: what it proves, and the files that replace the old ones."""

    model: Model
    compared_with: ModelClass | None
    """None if the model is compared with a finite set of models."""
    beta: Fraction
    expected: Fraction
    """The bound to expect for a model that is the best one: an estimate made before the answer."""
    booking: ScoreBooking
    proved: ProvedExcess

    @property
    def bound(self) -> Fraction:
        return self.proved.bound

    @property
    def query(self) -> ScoreQuery:
        return self.booking.query

    @property
    def release(self) -> ReservingRelease:
        return self.booking.payer.release

    @property
    def previous(self) -> Query | None:
        return self.booking.payer.previous


@dataclass(frozen=True, kw_only=True)
class PlannedExcess:
    """A query whose every choice has been made; make it with `plan_excess`."""

    release: ReservingRelease
    model: Model
    compared_with: ModelClass | None
    beta: Fraction
    part: Fraction
    previous: Query | None
    plan: ScorePlan
    expected: Fraction

    def ask(self, records: Records, *, book: Callable[[Payer], None] | None = None) -> ConfirmedExcess:
        """Draw the noise, once; the budget is then spent. Before that, `book` saves the release, marked as spent."""
        with spending(is_private=not self.release.is_simulated):
            codes = all_codes(as_source(records, self.plan.schema.domain))
            asked = Asked(codes, minimise=least_risk)
            booking = ask_scores(self.plan, asked, self.release, previous=self.previous, book=book)
            proved = prove_excess(booking.query, booking.payer.release)
        return ConfirmedExcess(
            model=self.model,
            compared_with=self.compared_with,
            beta=self.beta,
            expected=self.expected,
            booking=booking,
            proved=proved,
        )


def plan_excess(
    release: ReservingRelease,
    model: Model,
    compared_with: ModelClass | None,
    *,
    beta: Fraction,
    against: Sequence[Model] = (),
    largest_intercept: Fraction | None = None,
    part: Fraction = Fraction(1),
    previous: Query | None = None,
    seed: int | None = None,
    run: int = 0,
    model_from: str | None = None,
) -> PlannedExcess:
    """Every check and every choice, without data; `against` names a finite set of models instead of a class.

    Free intercepts are compared up to a public size: `largest_intercept`, or a size that the moments of the release
    show to be enough for the best model.
    """
    if not 0 < beta < 1:
        raise ParameterError("beta", show_rational(beta), "greater than 0 and less than 1", "a failure probability")
    payment = plan_payment(release, part=part, previous=previous, seed=seed, run=run)
    features = model.feature_map
    require_same_table(release, features)
    positive = features.require_two_values("queries are about losses of +1 and -1")
    loss = model.loss if compared_with is None else compared_with.loss
    own = ModelLoss(features, model.coefficients, loss)
    labels = LabelCounts(features.schema, features.label, positive)
    adjacency = release.adjacency
    asked: tuple[Question, ...]
    if compared_with is None:
        asked = (_difference(model, against, loss), own, labels)
        shares: tuple[Fraction, ...] = (1 - OWN_SHARE - LABEL_SHARE, OWN_SHARE, LABEL_SHARE)
    else:
        least = LeastLoss(
            linear_class(release, features, compared_with, beta=beta, largest_intercept=largest_intercept)
        )
        least.require_size(release.stated_size)
        asked = (own, least, labels)
        moved = own.moved(adjacency), least.moved(adjacency)
        first = _short_share((1 - LABEL_SHARE) * moved[0] / sum(moved))
        shares = (first, 1 - LABEL_SHARE - first, LABEL_SHARE)
    said = model_from or (FROM_RELEASE if release.is_named(model.release) else None)
    plan = ScorePlan(
        table_schema=release.schema,
        questions=Questions(asked, shares),
        about={
            "ask": EXCESS,
            "beta": str(beta),
            "model": model_digest(features, model.coefficients, loss),
            "model_from": said,
        },
        **payment,
    )
    return PlannedExcess(
        release=release,
        model=model,
        compared_with=compared_with,
        beta=beta,
        part=part,
        previous=previous,
        plan=plan,
        expected=expected_excess(plan, release),
    )


def linear_class(
    release: ReservingRelease,
    features: FeatureMap,
    compared_with: ModelClass,
    *,
    beta: Fraction,
    largest_intercept: Fraction | None = None,
) -> LinearClass:
    """The class in the form of a question: with a public bound on a free intercept."""
    if compared_with.intercept != FREE:
        if largest_intercept is not None:
            raise UsageError("largest-intercept is for a free intercept: this one counts in the norm")
        size = None
    else:
        size = largest_intercept or enough_intercept(release, compared_with, beta * RELEASE_SHARE)
        if size is None:
            raise UsageError(
                "largest-intercept is missing: the release has no moments that bound the best intercept; give the "
                "largest intercept to compare with (--largest-intercept)"
            )
    return LinearClass(
        feature_map=features,
        loss=compared_with.loss,
        tau=compared_with.tau,
        ridge=compared_with.ridge,
        intercept=size,
    )


def _short_share(value: Fraction) -> Fraction:
    """A share near the best one, in thousandths: files state it, and the noise hardly depends on it."""
    return Fraction(min(max(round(value * 1000), 1), 989), 1000)


def require_same_table(release: ReservingRelease, features: FeatureMap) -> None:
    """A model may have features of its own; schema and label are those of the release."""
    own: FeatureMap = release.feature_map  # type: ignore[attr-defined]
    if features.schema.to_json() != release.schema.to_json():
        raise UsageError("model: its features are of another schema than the release")
    if (features.label, features.positive) != (own.label, own.positive):
        raise UsageError(f"model: predicts {features.label_text}, and the release has another label")


def _difference(model: Model, against: Sequence[Model], loss: str) -> ExcessOver:
    if not against:
        raise UsageError("against is missing: name the models to compare with")
    for other in against:
        if other.feature_map.digest != model.feature_map.digest:
            raise NotApplicable("against: a model has other features; all models of a set must have the same")
        if other.coefficients == model.coefficients:
            raise UsageError("against: names the very model that is asked about")
        if other.loss != loss:
            raise UsageError(f"against: a model of the {other.loss} loss, and the question is about the {loss} loss")
    return ExcessOver(model.feature_map, model.coefficients, tuple(other.coefficients for other in against), loss)
