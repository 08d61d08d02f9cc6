"""The excess loss of one public model over the best of a finite set of public models, over all records."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bounds.certify.loss_ranges import steepest
from bounds.errors import DataError, ParameterError
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

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXCESS_OVER = "excess-over"
MOST_OTHERS = 1000


@dataclass(frozen=True)
class ExcessOver(Question):
    """The largest sum of differences of losses, model minus other; negative if the model is better than all."""

    KIND: ClassVar[str] = EXCESS_OVER

    feature_map: FeatureMap
    coefficients: tuple[Fraction, ...]
    others: tuple[tuple[Fraction, ...], ...]
    loss: str = "logistic"

    def __post_init__(self) -> None:
        require_loss(self.loss)
        if not 1 <= len(self.others) <= MOST_OTHERS:
            raise ParameterError("others", f"{len(self.others)} models", f"from 1 to {MOST_OTHERS}")
        _ = self._each  # refused here if scores are too large

    @cached_property
    def own(self) -> FixedLosses:
        return FixedLosses(FixedMargins(self.feature_map, self.coefficients), self.loss)

    @cached_property
    def _each(self) -> tuple[_Difference, ...]:
        return tuple(_difference(self.own, other) for other in self.others)

    @property
    def error(self) -> Fraction:
        """How far a rounded difference of a record is from the true one, at most; in losses, not steps."""
        return self.own.error + max(one.other.error for one in self._each)

    @property
    def count(self) -> int:
        return 1

    @property
    def text(self) -> str:
        return f"sum of the {self.loss} losses of a model minus that of the best of {len(self.others)} models"

    @property
    def unit(self) -> Fraction:
        return STEP

    def moved(self, adjacency: Adjacency) -> Fraction:
        if adjacency is Adjacency.ADD_REMOVE:
            return Fraction(max(1, *(max(one.most, -one.least) for one in self._each)))
        return Fraction(max(1, *(one.most - one.least for one in self._each)))

    def of(self, asked: Asked) -> tuple[int, ...]:
        own = self.own.of(asked.codes)
        return (max(one.total(own, one.other.of(asked.codes)) for one in self._each),)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.KIND,
            "feature_map": self.feature_map.to_json(),
            "coefficients": coefficients_json(self.coefficients),
            "others": [coefficients_json(other) for other in self.others],
            "loss": self.loss,
        }

    @classmethod
    def from_json(cls, body: object, schema: Schema, where: str) -> Self:
        fields = require_object(body, where, {"kind", "feature_map", "coefficients", "others", "loss"})
        feature_map = read_feature_map(fields, schema, where)
        own = read_coefficients(fields["coefficients"], feature_map, f"{where}: coefficients")
        if not isinstance(fields["others"], list):
            raise DataError(f"{where}: others: must be a list of models")
        others = tuple(
            read_coefficients(other, feature_map, f"{where}: others[{i}]") for i, other in enumerate(fields["others"])
        )
        return within(lambda: cls(feature_map, own, others, read_loss(fields, where)), where)


@dataclass(frozen=True)
class _Difference:
    """The loss of the model minus that of another one, in steps from least to most for every record."""

    other: FixedLosses
    least: int
    most: int

    def total(self, own: NDArray[np.int64], other: NDArray[np.int64]) -> int:
        return exact_sum(np.clip(own - other, self.least, self.most))


def _difference(own: FixedLosses, coefficients: tuple[Fraction, ...]) -> _Difference:
    """Both losses have a range; and they differ by no more than the scores do, times the steepest slope."""
    margins = own.margins
    other = FixedLosses(FixedMargins(margins.feature_map, coefficients), own.loss)
    apart = margins.feature_map.margin_range(
        tuple(a - b for a, b in zip(margins.coefficients, coefficients, strict=True))
    )
    steep = steepest(own.loss, max(own.reach, other.reach))
    most = -(-max(abs(score) for score in apart) * steep // STEP)
    return _Difference(other, max(own.least - other.most, -most), min(own.most - other.least, most))
