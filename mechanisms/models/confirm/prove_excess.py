"""What the answer to a query for an excess proves: the excess, the model's risk, the floor of its class, a verdict.

Everything comes from the file of the answer and, for a free intercept, from the moments of the release. Beta is divided
by a fixed rule: nine tenths for the excess, the rest for what is said beside it; with a free intercept a twentieth goes
to the release first. Proof: docs/proofs/synthbounds.excess-query.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.certify.loss_ranges import infimum, supremum
from flint import fmpq
from release.statistics.excess_over import ExcessOver
from release.statistics.least_loss import LeastLoss
from release.statistics.linear_class import LinearClass
from release.statistics.model_loss import ModelLoss

from bounds.arithmetic.ball import BALL
from bounds.certify.classes import FREE, INSIDE, ModelClass, loss_at_zero, rarer_label
from bounds.certify.verdict import Verdict, constant_risk, verdict
from bounds.enclosure import as_fmpq, decimal_text
from bounds.errors import DataError, NotApplicable
from bounds.exact import parse_rational, root_at_least
from bounds.privacy.adjacency import Adjacency
from bounds.solve import enclose
from mechanisms.models.event import known_moments
from release.moments.file import MomentRelease
from release.reserving import ReservingPlan, ReservingRelease
from release.scores.file import ScoreQuery
from release.scores.planned import ScorePlan
from release.statistics.label_counts import LabelCounts

EXCESS_PART = Fraction(9, 10)
"""Of beta, for the excess; the rest is for the model's risk, the floor and the best constant, in equal parts."""
RELEASE_SHARE = Fraction(1, 20)
"""Of beta, for the moments that bound a free intercept."""
_BESIDE = 3
_DIGITS = 12


@dataclass(frozen=True, kw_only=True)
class ProvedExcess:
    """All ends hold at once, except with probability beta."""

    beta: Fraction
    bound: Fraction
    """No model that is compared with has a smaller objective by more."""
    risk_hi: Fraction
    """The model's mean loss is at most this."""
    floor_lo: Fraction | None
    """No model of the class has a smaller objective than this; None for a finite set of models."""
    constant_lo: Fraction | None
    """No constant score has a smaller mean loss."""
    penalty: Fraction
    """What a ridge adds to the model's mean loss."""
    compared: LinearClass | None
    any_intercept: bool
    """Whether the class has every intercept: the release shows that those that were asked for are enough."""
    verdict: Verdict
    release_failure: Fraction
    """The part of beta that the moments of the release have."""

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

    @property
    def spread(self) -> Fraction:
        """Standard deviation of the noise on the excess, in steps."""
        if self.over is not None:
            return self.deviations[ExcessOver.KIND]
        return root_at_least(self.deviations[ModelLoss.KIND] ** 2 + self.deviations[LeastLoss.KIND] ** 2)

    @property
    def slack(self) -> Fraction:
        """What the excess may be above its answer without noise, in steps: the gap, and the rounding of the noise."""
        return Fraction(1, 2) if self.least is None else Fraction(self.least.gap + 1)

    @property
    def error(self) -> Fraction:
        """Of a record's loss, or difference of losses."""
        return self.own.error if self.over is None else self.over.error


def prove_excess(query: ScoreQuery, release: ReservingRelease) -> ProvedExcess:
    """The certificate from an answer; class, model and beta are those that the file says were fixed before."""
    parts, beta = _Parts.of(query), stated_beta(query)
    release.require_plausible_size()
    size, unit = query.stated_size, parts.own.unit
    answers = dict(zip((q.KIND for q in query.questions.questions), query.answers, strict=True))
    compared = None if parts.least is None else parts.least.compared
    release_failure = _release_failure(parts, release, beta)
    left = beta - release_failure
    beside = left * (1 - EXCESS_PART) / _BESIDE
    penalty = Fraction(0)
    if compared is not None and query.size_is_exact:
        penalty = compared.penalty(parts.own.coefficients, 1)
    own = answers[ModelLoss.KIND][0]
    over = answers[ExcessOver.KIND][0] if compared is None else own - answers[LeastLoss.KIND][0]
    noisy = (over + parts.slack + _quantile(left * EXCESS_PART) * parts.spread) * unit
    bound = max(_over_size(noisy, size, query) + parts.error + penalty, Fraction(0))
    risk = (own + Fraction(1, 2) + _quantile(beside) * parts.deviations[ModelLoss.KIND]) * unit
    risk_hi = _over_size(risk, size, query) + parts.own.error
    floor = None
    if parts.least is not None and query.size_is_exact:
        least = answers[LeastLoss.KIND][0] - parts.least.gap - Fraction(1, 2)
        floor = (least - _quantile(beside) * parts.deviations[LeastLoss.KIND]) * unit / size
    first, second = answers[LabelCounts.KIND]
    apart = root_at_least(2 * parts.deviations[LabelCounts.KIND] ** 2)
    mean = (abs(first - second) + 1 + _quantile(beside / 2) * apart) / size
    constant = constant_risk(parts.own.loss, min(mean, Fraction(1)))
    return ProvedExcess(
        beta=beta,
        bound=bound,
        risk_hi=risk_hi,
        floor_lo=floor,
        constant_lo=constant,
        penalty=penalty,
        compared=compared,
        any_intercept=_has_any_intercept(compared, release, release_failure),
        verdict=verdict(bound, model_risk=risk_hi + penalty, constant_risk=constant, without_data=_without_data(parts)),
        release_failure=release_failure,
    )


def expected_excess(plan: ScorePlan, release: ReservingPlan) -> Fraction:
    """The bound to expect for a model that is as good as the best: a formula. Its true excess comes on top."""
    parts = _Parts.of(plan)
    beta = stated_beta(plan)
    left = beta - _release_failure(parts, release, beta)
    steps = parts.slack / 2 + _quantile(left * EXCESS_PART) * parts.spread
    return steps * parts.own.unit / plan.stated_size + parts.error


def stated_beta(plan: ScorePlan) -> Fraction:
    """The failure probability that was fixed before the answer."""
    beta = parse_rational(plan.about.get("beta"), "beta")
    if not 0 < beta < 1:
        raise DataError(f"query: about: beta = {beta}: must be greater than 0 and less than 1")
    return beta


def enough_intercept(release: ReservingPlan, compared_with: ModelClass, failure: Fraction) -> Fraction | None:
    """No best model of the class has a larger intercept, except with that probability; None where nothing is known."""
    if not isinstance(release, MomentRelease):
        return None
    bounded = LinearClass(
        feature_map=release.feature_map, loss=compared_with.loss, tau=compared_with.tau, ridge=compared_with.ridge
    )
    share = rarer_label(known_moments(release, failure))
    found = bounded.radius + loss_at_zero(compared_with.loss) / share
    return Fraction(-(-found * 1000 // 1), 1000)  # short, as part of a public question


def _release_failure(parts: _Parts, release: ReservingPlan, beta: Fraction) -> Fraction:
    """A free intercept is bounded by the moments of the release, where it has some: their event has its part."""
    free = parts.least is not None and parts.least.compared.intercept is not None
    return beta * RELEASE_SHARE if free and isinstance(release, MomentRelease) else Fraction(0)


def _has_any_intercept(compared: LinearClass | None, release: ReservingRelease, failure: Fraction) -> bool:
    if compared is None or compared.intercept is None or not failure:
        return False
    wanted = ModelClass(loss=compared.loss, tau=compared.tau, ridge=compared.ridge, intercept=FREE)
    try:
        enough = enough_intercept(release, wanted, failure)
    except NotApplicable:  # the moments do not show both labels
        return False
    return enough is not None and compared.intercept >= enough


def _over_size(total: Fraction, size: int, query: ScorePlan) -> Fraction:
    """A mean from an upper bound on a sum; under add-remove there are at least so many records."""
    return (total if query.size_is_exact else max(total, Fraction(0))) / size


def _without_data(parts: _Parts) -> Fraction:
    """What holds for any table: of the zero model, and of this one."""
    loss, reach = parts.own.loss, parts.own.reach
    if parts.least is None:
        assert parts.over is not None
        return parts.over.moved(Adjacency.ADD_REMOVE) * parts.over.unit
    others = parts.least.compared.reach
    return min(loss_at_zero(loss), supremum(loss, reach)) - infimum(loss, others)


def _quantile(failure: Fraction) -> Fraction:
    """A standard normal variable is larger with at most that probability."""
    found = enclose(lambda: BALL.normal_max_quantile(fmpq(1), as_fmpq(2 * failure))).hi
    return Fraction(decimal_text(found, _DIGITS, up=True))
