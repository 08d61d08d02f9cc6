"""The sum of the losses of one public linear model over all records, in whole steps."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from bounds.privacy.adjacency import Adjacency
from release.data.schema import Schema
from release.files.fields import within
from release.files.strict_json import require_object
from release.statistics.features import FeatureMap
from release.statistics.fixed_losses import STEP, FixedLosses, exact_sum
from release.statistics.fixed_margins import FixedMargins
from release.statistics.model_fields import (
    coefficients_json,
    read_coefficients,
    read_feature_map,
    read_loss,
    require_loss,
)
from release.statistics.question import Asked, Question

MODEL_LOSS = "model-loss"


@dataclass(frozen=True)
class ModelLoss(Question):
    """Every record's loss is rounded and clipped to whole steps before it is added: see `error`."""

    KIND: ClassVar[str] = MODEL_LOSS

    feature_map: FeatureMap
    coefficients: tuple[Fraction, ...]
    loss: str = "logistic"

    def __post_init__(self) -> None:
        require_loss(self.loss)
        _ = self.losses  # refused here if its scores are too large

    @cached_property
    def losses(self) -> FixedLosses:
        return FixedLosses(FixedMargins(self.feature_map, self.coefficients), self.loss)

    @property
    def reach(self) -> Fraction:
        """R_w: the largest absolute score over the whole public domain."""
        return self.losses.reach

    @property
    def error(self) -> Fraction:
        """How far the rounded loss of a record is from the true one, at most; in losses, not steps."""
        return self.losses.error

    @property
    def count(self) -> int:
        return 1

    @property
    def text(self) -> str:
        return f"sum of the {self.loss} losses of a model"

    @property
    def unit(self) -> Fraction:
        return STEP

    def moved(self, adjacency: Adjacency) -> Fraction:
        hidden = adjacency is Adjacency.ADD_REMOVE
        # the zero model loses the same on every record: noise still needs a scale
        return Fraction(max(1, self.losses.most if hidden else self.losses.most - self.losses.least))

    def of(self, asked: Asked) -> tuple[int, ...]:
        return (exact_sum(self.losses.of(asked.codes)),)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.KIND,
            "feature_map": self.feature_map.to_json(),
            "coefficients": coefficients_json(self.coefficients),
            "loss": self.loss,
        }

    @classmethod
    def from_json(cls, body: object, schema: Schema, where: str) -> Self:
        fields = require_object(body, where, {"kind", "feature_map", "coefficients", "loss"})
        feature_map = read_feature_map(fields, schema, where)
        coefficients = read_coefficients(fields["coefficients"], feature_map, f"{where}: coefficients")
        return within(lambda: cls(feature_map, coefficients, read_loss(fields, where)), where)
