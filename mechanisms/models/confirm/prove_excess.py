"""What the answer to a query for an excess proves: the excess, the model's risk, the floor of its class, a verdict.

Everything comes from the file of the answer and, for a free intercept, from the moments of the release. Beta is divided
by a fixed rule: nine tenths for the excess, the rest for the other statements; with a free intercept, a twentieth goes
to the release first. Proof: docs/proofs/synthbounds.excess-query.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.certify.classes import FREE, INSIDE, ModelClass, loss_at_zero, rarer_label
from bounds.certify.excess_query import NoisySum, Size, constant_lo, excess_hi, floor_lo, risk_hi
from bounds.certify.loss_ranges import infimum, supremum
from bounds.certify.verdict import VACUOUS, Verdict, verdict
from bounds.errors import DataError, NotApplicable
from bounds.privacy.adjacency import Adjacency
from bounds.shown import Shown
from mechanisms.models.event import known_moments
from release.moments.file import MomentRelease
from release.reserving import ReservingPlan, ReservingRelease, size_contradiction
from release.scores.file import ScoreQuery
from release.scores.planned import ScorePlan
from release.statistics.excess_over import ExcessOver
from release.statistics.label_counts import LabelCounts
from release.statistics.least_loss import LeastLoss
from release.statistics.linear_class import LinearClass
from release.statistics.model_loss import ModelLoss

EXCESS_PART = Fraction(9, 10)
"""Part of beta for the excess; the rest is for the model's risk, the floor and the best constant, in equal parts."""
RELEASE_SHARE = Fraction(1, 20)
"""Part of beta for the moments that bound a free intercept."""
_BESIDE = 3


@dataclass(frozen=True, kw_only=True)
class ExcessFailures:
    """How beta is divided."""

    excess: Fraction
    beside: Fraction
    """The part for each of the model's risk, the floor and the best constant."""
    release: Fraction
    """The part for the moments of the release, if they bound a free intercept."""


@dataclass(frozen=True, kw_only=True)
class ProvedExcess(Shown):
    """All ends hold at once, except with probability beta."""

    beta: Fraction
    loss: str
    bound: Fraction
    """No competing model's objective is smaller by more than this; at most what risk, penalty and floor leave."""
    risk_hi: Fraction
    """The model's mean loss is at most this."""
    floor_lo: Fraction | None
    """No model of the class has an objective below this; None for a finite set of models."""
    constant_lo: Fraction | None
    """No constant score has a mean loss below this."""
    penalty: Fraction
    """What a ridge adds to the model's mean loss."""
    compared: LinearClass | None
    any_intercept: bool
    """Whether the class includes every intercept: the release shows that those asked for are enough."""
    verdict: Verdict
    contradiction: str | None
    """Why the answer's own counts refute the stated least size; then every end is one that holds without data."""
    failures: ExcessFailures

    @property
    def compared_with(self) -> ModelClass | None:
        """The class in the words of certificates."""
        found = self.compared
        if found is None:
            return None
        return ModelClass(
            loss=found.loss,
            tau=found.tau,
            ridge=found.ridge,
            intercept=INSIDE if found.intercept is None else FREE,
        )


@dataclass(frozen=True)
class _Parts:
    """The questions of a query for an excess, and the deviation of each."""

    own: ModelLoss
    least: LeastLoss | None
    over: ExcessOver | None
    labels: LabelCounts
    deviations: dict[str, Fraction]

    @classmethod
    def of(cls, plan: ScorePlan) -> _Parts:
        asked = plan.questions.questions
        by_kind = {question.KIND: question for question in asked}
        own, labels = by_kind.get(ModelLoss.KIND), by_kind.get(LabelCounts.KIND)
        least, over = by_kind.get(LeastLoss.KIND), by_kind.get(ExcessOver.KIND)
        if not isinstance(own, ModelLoss) or not isinstance(labels, LabelCounts) or len(asked) != 3:
            raise DataError("query: these questions are not those of an excess")
        if isinstance(least, LeastLoss):
            if (least.feature_map.digest, least.loss) != (own.feature_map.digest, own.loss):
                raise DataError("query: the model and its class have other features or another loss")
        elif not isinstance(over, ExcessOver):
            raise DataError("query: these questions are not those of an excess")
        elif (over.feature_map.digest, over.coefficients, over.loss) != (
            own.feature_map.digest,
            own.coefficients,
            own.loss,
        ):
            raise DataError("query: asks for the losses of two models")
        if (labels.label, labels.positive) != (own.feature_map.label, own.feature_map.positive):
            raise DataError("query: counts another label than that of the model")
        kinds = (question.KIND for question in asked)
        return cls(
            own,
            least if isinstance(least, LeastLoss) else None,
            over if isinstance(over, ExcessOver) else None,
            labels,
            dict(zip(kinds, plan.questions.deviations(plan.price), strict=True)),
        )

    def noisy(self, kind: str, answer: tuple[int, ...]) -> NoisySum:
        """The answer to the question of that kind, with its distance from the intended quantity."""
        deviation = self.deviations[kind]
        if kind == LabelCounts.KIND:
            return NoisySum(answer=answer[0], unit=self.labels.unit, deviation=deviation)
        if kind == LeastLoss.KIND:
            assert self.least is not None
            return NoisySum(answer=answer[0], unit=self.least.unit, deviation=deviation, gap=self.least.gap)
        question = self.own if kind == ModelLoss.KIND else self.over
        assert question is not None
        return NoisySum(answer=answer[0], unit=question.unit, deviation=deviation, error=question.error)


def prove_excess(query: ScoreQuery, release: ReservingRelease) -> ProvedExcess:
    """The certificate from an answer; class, model and beta are those that the file states as fixed beforehand."""
    parts = _Parts.of(query)
    release.require_plausible_size()
    size = Size(stated=query.stated_size, is_exact=query.size_is_exact)
    compared = None if parts.least is None else parts.least.compared
    failures = _failures(parts, release, query.beta)
    penalty = Fraction(0) if compared is None else compared.penalty(parts.own.coefficients, 1)
    answers = dict(zip((question.KIND for question in query.questions.questions), query.answers, strict=True))
    sums = {kind: parts.noisy(kind, answer) for kind, answer in answers.items() if kind != LabelCounts.KIND}
    own = sums[ModelLoss.KIND]
    risk, floor = risk_hi(own, size=size, failure=failures.beside), None
    if parts.least is None:
        bound = risk_hi(sums[ExcessOver.KIND], size=size, failure=failures.excess)
    else:
        least = sums[LeastLoss.KIND]
        bound = excess_hi(own, least, size=size, failure=failures.excess, penalty=penalty)
        floor = floor_lo(least, size=size, failure=failures.beside)
    # all ends hold together, and no loss is negative
    bound = max(min(bound, risk + penalty - (floor or Fraction(0))), Fraction(0))
    counts = (parts.noisy(LabelCounts.KIND, (count,)) for count in answers[LabelCounts.KIND])
    constant = constant_lo(parts.own.loss, *counts, size=size, failure=failures.beside)
    said = verdict(bound, model_risk=risk + penalty, constant_risk=constant, without_data=_without_data(parts))
    refuted = None
    if not size.is_exact:
        deviation = parts.deviations[LabelCounts.KIND]
        refuted = size_contradiction(answers[LabelCounts.KIND], deviation=deviation, least_size=size.stated)
    if refuted is not None:  # the remaining ends hold for any table
        bound = risk = supremum(parts.own.loss, parts.own.reach)
        constant, said = Fraction(0), Verdict(VACUOUS, refuted)
    return ProvedExcess(
        beta=query.beta,
        loss=parts.own.loss,
        bound=bound,
        risk_hi=risk,
        floor_lo=floor,
        constant_lo=constant,
        penalty=penalty,
        compared=compared,
        any_intercept=_has_any_intercept(compared, release, failures.release),
        verdict=said,
        contradiction=refuted,
        failures=failures,
    )


def expected_excess(plan: ScorePlan, release: ReservingPlan) -> Fraction:
    """The bound to expect for a model that is as good as the best: a formula. Its true excess comes on top.

    It uses only the difference: if risk and floor say more, the bound is smaller.
    """
    parts = _Parts.of(plan)
    failure = _failures(parts, release, plan.beta).excess
    size = Size(stated=plan.stated_size, is_exact=plan.size_is_exact)
    if parts.least is None:
        return risk_hi(parts.noisy(ExcessOver.KIND, (0,)), size=size, failure=failure)
    own, least = (parts.noisy(kind, (0,)) for kind in (ModelLoss.KIND, LeastLoss.KIND))
    return excess_hi(own, least, size=size, failure=failure)


def known_without_data(plan: ScorePlan) -> Fraction:
    """A bound that holds for any table: a bound that is no smaller says nothing."""
    return _without_data(_Parts.of(plan))


def enough_intercept(release: ReservingPlan, compared_with: ModelClass, failure: Fraction) -> Fraction | None:
    """No best model of the class has a larger intercept, except with that probability; None if nothing is known."""
    if not isinstance(release, MomentRelease):
        return None
    bounded = LinearClass(
        feature_map=release.feature_map, loss=compared_with.loss, tau=compared_with.tau, ridge=compared_with.ridge
    )
    share = rarer_label(known_moments(release, failure))
    found = bounded.radius + loss_at_zero(compared_with.loss) / share
    return Fraction(-(-found * 1000 // 1), 1000)  # short, as part of a public question


def _failures(parts: _Parts, release: ReservingPlan, beta: Fraction) -> ExcessFailures:
    """The moments of the release, if it has some, bound a free intercept; their event has its part of beta."""
    free = parts.least is not None and parts.least.compared.intercept is not None
    of_release = beta * RELEASE_SHARE if free and isinstance(release, MomentRelease) else Fraction(0)
    left = beta - of_release
    return ExcessFailures(excess=left * EXCESS_PART, beside=left * (1 - EXCESS_PART) / _BESIDE, release=of_release)


def _has_any_intercept(compared: LinearClass | None, release: ReservingRelease, failure: Fraction) -> bool:
    if compared is None or compared.intercept is None or not failure:
        return False
    wanted = ModelClass(loss=compared.loss, tau=compared.tau, ridge=compared.ridge, intercept=FREE)
    try:
        enough = enough_intercept(release, wanted, failure)
    except NotApplicable:  # the moments do not show both labels
        return False
    return enough is not None and compared.intercept >= enough


def _without_data(parts: _Parts) -> Fraction:
    """Bounds that hold for any table, for the zero model and for this one."""
    loss, reach = parts.own.loss, parts.own.reach
    if parts.least is None:
        assert parts.over is not None
        return parts.over.moved(Adjacency.ADD_REMOVE) * parts.over.unit
    others = parts.least.compared.reach
    return min(loss_at_zero(loss), supremum(loss, reach)) - infimum(loss, others)
