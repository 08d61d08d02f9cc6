"""What the answer to a query about predictions proves, from published numbers alone.

All statements about one answer hold together with probability at least 1 - beta. A tenth of beta is for the counts of
labels, and a tenth for all floors of the release at once if the model is compared with them, so that the model may
depend on those published numbers; the rest is for the answer. Proof: docs/proofs/synthbounds.any-model.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.certify.noisy_scores import (
    MARGIN_LOSS,
    LabelSizes,
    area_of,
    difference,
    label_sizes,
    mean_of,
    noise_reach,
    share_of_positives,
    sum_of,
)
from bounds.certify.verdict import INFORMATIVE, VACUOUS, WEAK, Verdict
from bounds.enclosure import Enclosure
from bounds.errors import DataError
from bounds.privacy.statements import GaussianDP
from bounds.shown import Shown
from release.floors.file import FloorRelease
from release.floors.intervals import LABEL_PART, floor_sums, least_mean
from release.floors.planned import FloorPlan
from release.reserving import ReservingPlan, ReservingRelease
from release.scores.file import ScoreQuery
from release.scores.planned import ScorePlan
from release.statistics.area_under_curve import AreaUnderCurve
from release.statistics.calibration import Calibration
from release.statistics.label_counts import LabelCounts
from release.statistics.of_predictions import OfPredictions
from release.statistics.predicted_loss import PredictedLoss
from release.statistics.prediction_choices import ZERO_ONE
from release.statistics.question import Questions

AREA_LABEL_SHARE = Fraction(1, 10)
"""Part of a query's budget for counts of labels, if an area is asked for: its upper end rests on class sizes."""
FLOOR_PART = Fraction(1, 10)
"""Part of beta for all floors of the release at once."""
_HALF = Fraction(1, 2)


@dataclass(frozen=True, kw_only=True)
class Failures:
    """How the failure probability is divided."""

    answer: Fraction
    labels: Fraction
    floors: Fraction


@dataclass(frozen=True, kw_only=True)
class AgainstFloor:
    """The model against all linear models up to a norm: its loss minus theirs, at best; negative if it is better."""

    tau: Fraction
    floor: Enclosure
    difference: Enclosure


@dataclass(frozen=True, kw_only=True)
class Bin:
    """Predictions from `lo` to `hi`: the share of positives among their records."""

    lo: Fraction
    hi: Fraction
    noisy_size: int
    share: Enclosure

    @property
    def may_be_calibrated(self) -> bool:
        """Whether some prediction of the bin lies in the interval of its share."""
        return self.share.lo <= self.hi and self.share.hi >= self.lo


@dataclass(frozen=True, kw_only=True)
class Scored(Shown):
    """Certified intervals, which all hold together except with probability beta."""

    query: ScoreQuery
    failures: Failures
    value: Enclosure | None
    """The mean loss, or the area under the curve; None for bins."""
    sizes: LabelSizes | None
    constant: Fraction | None
    """No constant prediction has a mean loss below this."""
    floors: tuple[AgainstFloor, ...]
    bins: tuple[Bin, ...]
    verdict: Verdict | None

    @property
    def beta(self) -> Fraction:
        return self.query.beta

    @property
    def question(self) -> OfPredictions:
        return predicted(self.query)

    @property
    def gain(self) -> Fraction | None:
        """The model is better than every constant prediction by at least this; may be negative."""
        return None if self.constant is None or self.value is None else self.constant - self.value.hi


def predicted(query: ScorePlan) -> OfPredictions:
    """The question about the predictions, which is the first one."""
    question = query.questions.questions[0]
    if not isinstance(question, OfPredictions):
        raise DataError("query: is not about predictions")
    return question


def release_labels(release: ReservingPlan) -> tuple[tuple[int, ...], Fraction] | None:
    """Noisy counts of labels that the release has published, and their deviation."""
    return _labels_of(release, release.questions, release.own_cost) if isinstance(release, FloorPlan) else None


def failures(query: ScorePlan, release: ReservingPlan) -> Failures:
    """How beta, which was fixed with the query, is divided, by public facts."""
    beta, question = query.beta, predicted(query)
    labels = Fraction(0) if isinstance(question, Calibration) else beta * LABEL_PART
    floors = beta * FLOOR_PART if _comparable(question, release) else Fraction(0)
    return Failures(answer=beta - labels - floors, labels=labels, floors=floors)


def scored(query: ScoreQuery, release: ReservingRelease) -> Scored:
    """All that the answer proves, together with what its release has published."""
    question, parts = predicted(query), failures(query, release)
    answer, deviation = query.answers[0], query.questions.deviations(query.price)[0]
    if isinstance(question, Calibration):
        bins = _bins(question, answer, noise_reach(deviation, parts.answer, question.bins))
        return Scored(
            query=query, failures=parts, value=None, sizes=None, constant=None, floors=(), bins=bins, verdict=None
        )
    labels = _labels_of(query, query.questions, query.price) or release_labels(release)
    if labels is None:
        raise DataError("query: neither it nor its release counts labels")
    sizes = label_sizes(
        labels[0],
        deviation=labels[1],
        failure=parts.labels,
        adjacency=query.adjacency,
        stated_size=query.stated_size,
    )
    reach = noise_reach(deviation, parts.answer) + _HALF
    if isinstance(question, AreaUnderCurve):
        least = question.least_positive, question.least_other
        area = area_of(answer[0], reach=reach, unit=question.unit, least=least, sizes=sizes)
        return Scored(
            query=query,
            failures=parts,
            value=area,
            sizes=sizes,
            constant=None,
            floors=(),
            bins=(),
            verdict=_area_verdict(area),
        )
    assert isinstance(question, PredictedLoss)
    below = question.rounding * sizes.size.hi
    total = sum_of(answer[0], reach=reach, below=below, unit=question.unit)
    largest = (question.range[1] + question.rounding) * question.unit
    value, constant = mean_of(total, sizes.size, largest), sizes.constant_lb(question.loss)
    return Scored(
        query=query,
        failures=parts,
        value=value,
        sizes=sizes,
        constant=constant,
        floors=_against(total, question, release, sizes, parts.floors),
        bins=(),
        verdict=_loss_verdict(value, constant, largest),
    )


def _labels_of(
    holder: FloorPlan | ScorePlan, questions: Questions, cost: GaussianDP
) -> tuple[tuple[int, ...], Fraction] | None:
    """Counts of labels and their deviation; a plan has no counts yet."""
    answers = holder.answers if isinstance(holder, FloorRelease | ScoreQuery) else ((),) * len(questions.questions)
    rows = zip(questions.questions, answers, questions.deviations(cost), strict=True)
    return next(((answer, sd) for asked, answer, sd in rows if isinstance(asked, LabelCounts)), None)


def _comparable(question: OfPredictions, release: ReservingPlan) -> bool:
    """Whether the release has floors of the same loss: of probabilities, log and squares; errors have none."""
    if not isinstance(release, FloorPlan) or not isinstance(question, PredictedLoss) or question.loss == ZERO_ONE:
        return False
    return release.loss == MARGIN_LOSS[question.loss][0]


def _against(
    total: Enclosure, question: PredictedLoss, release: ReservingRelease, sizes: LabelSizes, failure: Fraction
) -> tuple[AgainstFloor, ...]:
    """Comparisons with all floors of the release at once."""
    if not isinstance(release, FloorRelease) or not _comparable(question, release):
        return ()
    part, found = MARGIN_LOSS[question.loss][1], []
    for tau, margins in floor_sums(release, failure):
        least = Enclosure(margins.lo * part, margins.hi * part)
        apart = difference(total, least, sizes.size)
        found.append(AgainstFloor(tau=tau, floor=least_mean(least, sizes), difference=apart))
    return tuple(found)


def _bins(question: Calibration, answer: tuple[int, ...], reach: Fraction) -> tuple[Bin, ...]:
    count = question.bins
    return tuple(
        Bin(
            lo=Fraction(j, count),
            hi=Fraction(j + 1, count),
            noisy_size=answer[2 * j] + answer[2 * j + 1],
            share=share_of_positives(answer[2 * j], answer[2 * j + 1], reach=reach),
        )
        for j in range(count)
    )


def _loss_verdict(value: Enclosure, constant: Fraction, largest: Fraction) -> Verdict:
    if value.lo <= 0 and value.hi >= largest:
        return Verdict(VACUOUS, "the interval holds for any model without any data")
    if value.hi < constant:
        return Verdict(INFORMATIVE, "the model is better than every constant prediction")
    return Verdict(WEAK, "the model is not shown to be better than a constant prediction")


def _area_verdict(area: Enclosure) -> Verdict:
    if area.lo <= 0 and area.hi >= 1:
        return Verdict(VACUOUS, "the interval holds for any model without any data")
    if area.lo > _HALF:
        return Verdict(INFORMATIVE, "the scores order records better than chance")
    return Verdict(WEAK, "the scores are not shown to order records better than chance")
