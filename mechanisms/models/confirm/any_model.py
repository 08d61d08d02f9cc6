"""One query about the predictions of any model, from beginning to end: planned from public facts, then asked once.

The model may be anything, as long as a prediction depends only on its record and the model. One can ask for losses,
errors, the area under the ROC curve or shares of labels in bins; mechanisms.models.confirm.scored says what the answer
proves. The query protects the records given the model; the user must say where the model comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bounds.certify.noisy_scores import ROOT_HALF, noise_reach
from bounds.errors import ParameterError, UsageError
from bounds.exact import require_range
from bounds.shown import Shown
from mechanisms.models.confirm.scored import AREA_LABEL_SHARE, Scored, failures, release_labels, scored
from mechanisms.models.query_parameters import AUC, CALIBRATED, PREDICTED_ASKS, PREDICTED_LOSS
from release.data.source import as_source
from release.query.file import Query
from release.query.make import Payer
from release.query.planned import plan_payment
from release.reserving import ReservingRelease
from release.scores.best import ask_best, plan_choice
from release.scores.make import ScoreBooking, ask_scores
from release.scores.planned import CHOICE_SHARE, ScorePlan, all_codes
from release.spending import spending
from release.statistics.area_under_curve import AreaUnderCurve
from release.statistics.calibration import Calibration
from release.statistics.label_counts import LABEL_SHARE, LabelCounts
from release.statistics.of_predictions import OfPredictions
from release.statistics.predicted_loss import PredictedLoss
from release.statistics.prediction_choices import DEFAULT_BINS, DEFAULT_CLIP, LOG, MODEL_SOURCES
from release.statistics.predictions import Predictions
from release.statistics.question import Asked, Question, Questions

if TYPE_CHECKING:
    from release.data.source import Records

CHOICE_PART = Fraction(1, 4)
"""Part of the query's budget for choosing the best of several models, if there are several."""
MOST_CHOICES = 10_000


@dataclass(frozen=True, kw_only=True)
class ScoredModel(Shown):
    """A query that has been asked: what it proves, and the files that replace the old ones."""

    scored: Scored
    booking: ScoreBooking
    half_width: Fraction


@dataclass(frozen=True, kw_only=True)
class PlannedScore:
    """A query about predictions whose every choice has been made; make it with `plan_predictions`."""

    release: ReservingRelease
    plan: ScorePlan
    previous: Query | None
    names: tuple[str, ...]

    @property
    def question(self) -> OfPredictions:
        found = self.plan.questions.questions[0]
        assert isinstance(found, OfPredictions)
        return found

    @property
    def half_width(self) -> Fraction:
        """The half-width of the answer's interval, known before anything is spent.

        For bins: that of the share of positives in a bin with its part of the records, half of them positive.
        """
        deviation = self.plan.questions.deviations(self.plan.price)[0]
        parts = failures(self.plan, self.release)
        if isinstance(self.question, Calibration):
            reach = noise_reach(deviation, parts.answer, self.question.bins)
            return reach * self.question.bins * ROOT_HALF / self.plan.stated_size
        reach = noise_reach(deviation, parts.answer) * self.question.unit
        return reach if isinstance(self.question, AreaUnderCurve) else reach / self.plan.stated_size

    def ask(
        self, records: Records, predictions: Sequence[Predictions], *, book: Callable[[Payer], None] | None = None
    ) -> ScoredModel:
        """Draw the noise, once; the budget is then spent. Before that, `book` saves the release, marked as spent."""
        if len(predictions) != len(self.names):
            raise UsageError(f"predictions: {len(predictions)} of them, but the plan is for {len(self.names)}")
        with spending(is_private=not self.release.is_simulated):
            codes = all_codes(as_source(records, self.plan.schema.domain))
            asked = [Asked(codes, predictions=found) for found in predictions]
            for each in asked:
                self.question.read(each)  # all files are checked before one of them is chosen
                if not isinstance(self.question, AreaUnderCurve) and each.predictions is not None:
                    each.predictions.require_probabilities("predictions")
            if len(asked) == 1:
                booking = ask_scores(self.plan, asked[0], self.release, previous=self.previous, book=book)
            else:
                named = list(zip(self.names, asked, strict=True))
                booking = ask_best(self.plan, named, self.release, previous=self.previous, book=book)
            found = scored(booking.query, self.release)
        return ScoredModel(scored=found, booking=booking, half_width=self.half_width)


def plan_predictions(
    release: ReservingRelease,
    *,
    model_from: str,
    beta: Fraction,
    ask: str = PREDICTED_LOSS,
    loss: str | None = None,
    clip: Fraction | None = None,
    least_positive: int | None = None,
    least_other: int | None = None,
    bins: int | None = None,
    model: str | None = None,
    names: Sequence[str] = ("predictions",),
    part: Fraction = Fraction(1),
    previous: Query | None = None,
    seed: int | None = None,
    run: int = 0,
) -> PlannedScore:
    """Every check and every choice, without data. `model` is the digest of the model's file, if there is one."""
    if model_from not in MODEL_SOURCES:
        raise ParameterError("model_from", model_from, f"one of {', '.join(MODEL_SOURCES)}", "it must be given")
    require_range("beta", beta, beta, above=0, below=1, reason="a probability")
    if not 1 <= len(names) <= MOST_CHOICES or len(set(names)) < len(names):
        allowed, reason = f"1 to {MOST_CHOICES} with different names", "folders are not part of a name"
        raise ParameterError("predictions", f"{len(names)} files", allowed, reason)
    if len(names) > 1 and model is not None:
        raise UsageError("model: a model file goes with one file of predictions")
    question = _question(release, ask, loss, clip, least_positive, least_other, bins)
    questions: tuple[Question, ...] = (question,)
    shares: tuple[Fraction, ...] = (Fraction(1),)
    if ask != CALIBRATED and release_labels(release) is None:
        questions = (question, LabelCounts(question.schema, question.label, question.positive))
        share = AREA_LABEL_SHARE if ask == AUC else LABEL_SHARE
        shares = (1 - share, share)
    about: dict[str, Any] = {
        "ask": ask,
        "beta": str(beta),
        "model": model,
        "name": names[0] if len(names) == 1 else None,
        "model_from": model_from,
    }
    if len(names) > 1:
        about |= {CHOICE_SHARE: str(CHOICE_PART), "among": str(len(names))}
    plan = ScorePlan(
        table_schema=release.schema,
        questions=Questions(questions, shares),
        about=about,
        **plan_payment(release, part=part, previous=previous, seed=seed, run=run),
    )
    if len(names) > 1:
        plan_choice(plan, len(names))
    return PlannedScore(release=release, plan=plan, previous=previous, names=tuple(names))


def _question(
    release: ReservingRelease,
    ask: str,
    loss: str | None,
    clip: Fraction | None,
    least_positive: int | None,
    least_other: int | None,
    bins: int | None,
) -> OfPredictions:
    features = getattr(release, "feature_map", None)
    if features is None:
        raise UsageError("release: names no label; a query about predictions is paid for by moments or floors")
    label = release.schema, features.label, features.require_two_values("predictions are of two values")
    given = {"loss": loss, "clip": clip, "least_positive": least_positive, "least_other": least_other, "bins": bins}
    takes = {PREDICTED_LOSS: ("loss", "clip"), AUC: ("least_positive", "least_other"), CALIBRATED: ("bins",)}
    if ask not in takes:
        raise ParameterError("ask", ask, f"one of {', '.join(PREDICTED_ASKS)}")
    for name, value in given.items():
        if value is not None and name not in takes[ask]:
            raise UsageError(f"{name.replace('_', '-')} = {value}: is not for --ask {ask}")
    if ask == PREDICTED_LOSS:
        if loss is None:
            raise UsageError("loss is missing: log, zero-one or brier (--loss)")
        return PredictedLoss(*label, loss=loss, clip=DEFAULT_CLIP if clip is None and loss == LOG else clip)
    if ask == AUC:
        if least_positive is None or least_other is None:
            raise UsageError("least-positive and least-other are missing: the area needs least sizes of both classes")
        return AreaUnderCurve(*label, least_positive=least_positive, least_other=least_other)
    return Calibration(*label, bins=DEFAULT_BINS if bins is None else bins)
