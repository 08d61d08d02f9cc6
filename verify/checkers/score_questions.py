"""What each kind of question asks, how far one record moves its integers, and their precision.

`moved` bounds how far one replaced record, or one added if n is private, can move all integers of a
question in L2, for any table; it is in losses, shares or records, not in steps. Proofs:
docs/proofs/synthbounds.excess-query.md and docs/proofs/synthbounds.any-model.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flint import arb, fmpq

from verify.checkers import Rejected, Work, entries, fields, require, text, whole
from verify.checkers.domination import score_boxes
from verify.checkers.model_file import MOST_SIZE, Vector, fraction, numbers, optional
from verify.checkers.score_file import Features
from verify.checkers.score_losses import (
    BY_NAME,
    PREDICTED,
    largest_loss,
    oscillation,
    predicted_range,
    smallest_loss,
    steepest,
)

Label = tuple[str, str]
MOST_BINS = 100
MOST_MODELS = 1000


@dataclass(frozen=True)
class Question:
    """What is common to all kinds."""

    label: Label
    """The column, and its value that is the positive one."""

    @property
    def count(self) -> int:
        return 1

    def moved(self, private: bool) -> arb | fmpq:
        raise NotImplementedError

    @property
    def rounding(self) -> fmpq:
        """The smallest error that must be allowed for the loss of a record, in steps."""
        return fmpq(0)

    @property
    def clipped(self) -> bool:
        """Whether a record's integer is kept within a range that ends within its error."""
        return False

    @property
    def more_steps(self) -> int:
        """How much further the whole integer moves, since it is rounded at the end."""
        return 0


@dataclass(frozen=True)
class LabelCounts(Question):
    """Records with the positive label, and with the other one."""

    @property
    def count(self) -> int:
        return 2

    def moved(self, private: bool) -> arb:
        return arb(1) if private else arb(2).sqrt()


@dataclass(frozen=True)
class OfModels(Question):
    """The loss of a linear model, in a feature map."""

    loss: str
    features: Features
    coefficients: Vector
    work: Work

    @property
    def rounding(self) -> fmpq:
        return fmpq(1, 2)

    @property
    def clipped(self) -> bool:
        return True

    def reach(self, coefficients: Vector) -> fmpq:
        """The largest absolute score of a model, over all codes of all columns, exactly."""
        (box,) = score_boxes(self.features.blocks, coefficients, None, self.work)
        return max(abs(box.low), abs(box.high))


@dataclass(frozen=True)
class ModelLoss(OfModels):
    """The sum of the losses of the model."""

    def moved(self, private: bool) -> arb:
        reach = arb(self.reach(self.coefficients))
        return largest_loss(self.loss, reach) if private else oscillation(self.loss, reach)


@dataclass(frozen=True)
class ExcessOver(OfModels):
    """The largest sum of differences of losses: the model's minus that of one of some others."""

    others: list[Vector]

    @property
    def rounding(self) -> fmpq:
        return fmpq(1)

    def moved(self, private: bool) -> arb:
        found = arb(0)
        for other in self.others:
            up, down = self.ends(other)
            found = found.max(up.max(down) if private else up + down)
        return found

    def ends(self, other: Vector) -> tuple[arb, arb]:
        """How far the difference of two losses can be above and below 0.

        Both losses have a range, and they differ by at most the steepest slope times the scores.
        """
        a, b = self.reach(self.coefficients), self.reach(other)
        apart = [x - y for x, y in zip(self.coefficients, other, strict=True)]
        near = arb(self.reach(apart) * steepest(self.loss, max(a, b)))
        up = largest_loss(self.loss, arb(a)) - smallest_loss(self.loss, arb(b))
        down = largest_loss(self.loss, arb(b)) - smallest_loss(self.loss, arb(a))
        return up.min(near), down.min(near)


@dataclass(frozen=True)
class LeastLoss(Question):
    """The smallest sum of losses of a class of models, penalties included, up to a gap above it."""

    loss: str
    features: Features
    tau: fmpq | None
    ridge: fmpq | None
    intercept: fmpq | None
    """How large the intercept may be if it does not count in the norm."""
    gap: fmpq
    """How far above the smallest sum the integer asked for may be, as a sum of losses."""

    def moved(self, private: bool) -> arb:
        require(not (private and self.ridge is not None), "ridge: is not for a private size")
        reach = self.reach()
        found = largest_loss(self.loss, reach) if private else oscillation(self.loss, reach)
        return found + self.gap

    def reach(self) -> arb:
        """No score of the best model is larger: records have norm at most 1 if norms count."""
        radius = self.radius()
        if self.intercept is None:
            return radius
        norm = self.features.squared_norm
        return radius * arb(fmpq(norm - 1, norm)).sqrt() + self.intercept

    def penalty(self, model: ModelLoss) -> fmpq:
        """What the ridge adds to the mean loss of a model; norms are sqrt(P) times coefficients."""
        if self.ridge is None:
            return fmpq(0)
        counted = model.coefficients[: None if self.intercept is None else -1]
        return self.ridge / 2 * self.features.squared_norm * sum((c * c for c in counted), fmpq(0))

    def radius(self) -> arb:
        """No norm of the best model is larger.

        With a penalty, zero would be better beyond sqrt(2 phi(0)/ridge); and at the best model the
        penalty's slope, ridge times the norm, is at most the steepest of the loss.
        """
        found = arb("+inf") if self.tau is None else arb(self.tau)
        if self.ridge is not None:
            exact = {"hinge": 2 / self.ridge, "squared": 1 / self.ridge}
            twice = exact.get(self.loss, 2 / self.ridge * arb(2).log())
            found = found.min(arb(twice).sqrt())
            if self.loss != "squared":
                found = found.min(arb(1 / self.ridge))
        return found


@dataclass(frozen=True)
class PredictedLoss(Question):
    """The sum of losses of predicted probabilities, each rounded down to a step."""

    loss: str
    clip: fmpq | None

    def moved(self, private: bool) -> arb:
        least, most = predicted_range(self.clip)
        return most if private else most - least

    @property
    def rounding(self) -> fmpq:
        return fmpq(0) if self.loss == "zero-one" else fmpq(1)

    @property
    def clipped(self) -> bool:
        return self.loss == "log"


@dataclass(frozen=True)
class Area(Question):
    """The area under the ROC curve, with classes no smaller than declared; rounded down."""

    least_positive: int
    least_other: int

    def moved(self, private: bool) -> fmpq:
        parts = fmpq(1, self.least_positive), fmpq(1, self.least_other)
        return max(parts) if private else parts[0] + parts[1]

    @property
    def rounding(self) -> fmpq:
        return fmpq(1)

    @property
    def more_steps(self) -> int:
        return 1


@dataclass(frozen=True)
class Calibration(Question):
    """In every bin of the prediction, the records with the positive label and the others."""

    bins: int

    @property
    def count(self) -> int:
        return 2 * self.bins

    def moved(self, private: bool) -> arb:
        return arb(1) if private else arb(2).sqrt()


# from the fields of a file


def read_question(
    body: dict[str, Any], unit: fmpq, features: Features | None, work: Work
) -> Question:
    """The question that a row describes; all fields of its kind, and no others."""
    kind = body["kind"]
    require(kind in KINDS, "question: kind: is not one that is known here")
    names, read = KINDS[kind]
    said = fields(body, f"question {kind}", ("kind", *names))
    if "feature_map" not in names:
        return read(label_of(said), said, unit)
    require(said["loss"] in BY_NAME, "loss: is not one that is known here")
    label = require_features(said["feature_map"], features)
    return read(label, said, unit, features, work)


def label_of(said: dict[str, Any]) -> Label:
    return text(said["label"], "label"), text(said["positive"], "positive")


def require_features(value: Any, features: Features | None) -> Label:
    """The question is about the features of this file; its label."""
    said = fields(value, "feature_map", ("label", "positive", "encodings", "bits", "digest"))
    if features is None:
        raise Rejected("features: are missing")
    require(said["digest"] == features.digest, "features: are not those of the question")
    require(type(said["bits"]) is int, "features: bits: is not a whole number")
    require(said["bits"] == features.bits, "features: bits: are not those of the question")
    require(isinstance(said["encodings"], dict), "features: encodings: is not an object")
    listed = [text(x, "features: encodings") for x in said["encodings"].values()]
    used = len(listed) - listed.count("none")
    require(used == len(features.blocks), "features: there is not a block for every column")
    return label_of(said)


def require_counts(unit: fmpq) -> None:
    require(unit == 1, "unit: is not 1 for counts")


def label_counts(label: Label, said: dict[str, Any], unit: fmpq) -> LabelCounts:
    require_counts(unit)
    return LabelCounts(label)


def model_loss(
    label: Label, said: dict[str, Any], unit: fmpq, features: Features, work: Work
) -> ModelLoss:
    w = numbers(said["coefficients"], "coefficients", features.count)
    return ModelLoss(label, said["loss"], features, w, work)


def excess_over(
    label: Label, said: dict[str, Any], unit: fmpq, features: Features, work: Work
) -> ExcessOver:
    w = numbers(said["coefficients"], "coefficients", features.count)
    listed = entries(said["others"], "others", 1, MOST_MODELS)
    others = [numbers(other, "others", features.count) for other in listed]
    return ExcessOver(label, said["loss"], features, w, work, others)


def least_loss(
    label: Label, said: dict[str, Any], unit: fmpq, features: Features, work: Work
) -> LeastLoss:
    tau, ridge = optional(said["tau"], "tau"), optional(said["ridge"], "ridge")
    require(tau is not None or ridge is not None, "tau and ridge: one must be given")
    intercept = None if said["intercept"] is None else fraction(said["intercept"], "intercept")
    require(intercept is None or intercept >= 0, "intercept: is negative")
    gap = unit * whole(said["gap"], "gap", 0, MOST_SIZE)
    return LeastLoss(label, said["loss"], features, tau, ridge, intercept, gap)


def predicted_loss(label: Label, said: dict[str, Any], unit: fmpq) -> PredictedLoss:
    loss, clip = said["loss"], optional(said["clip"], "clip")
    require(loss in PREDICTED, "loss: is not one that is known here")
    require((clip is not None) == (loss == "log"), "clip: is only for the log loss")
    require(clip is None or clip < fmpq(1, 2), "clip: is not below 1/2")
    if loss == "zero-one":
        require_counts(unit)
    return PredictedLoss(label, loss, clip)


def area(label: Label, said: dict[str, Any], unit: fmpq) -> Area:
    least = [whole(said[name], name, 1, MOST_SIZE) for name in ("least_positive", "least_other")]
    return Area(label, *least)


def calibration(label: Label, said: dict[str, Any], unit: fmpq) -> Calibration:
    require_counts(unit)
    return Calibration(label, whole(said["bins"], "bins", 1, MOST_BINS))


LABEL = ("label", "positive")
KINDS: dict[str, tuple[tuple[str, ...], Callable[..., Question]]] = {
    "label-counts": (LABEL, label_counts),
    "model-loss": (("feature_map", "coefficients", "loss"), model_loss),
    "excess-over": (("feature_map", "coefficients", "others", "loss"), excess_over),
    "least-loss": (("feature_map", "loss", "tau", "ridge", "intercept", "gap"), least_loss),
    "predicted-loss": ((*LABEL, "loss", "clip"), predicted_loss),
    "area-under-curve": ((*LABEL, "least_positive", "least_other"), area),
    "calibration": ((*LABEL, "bins"), calibration),
}
