"""The common part of questions about predictions: the label that is predicted, and which records have it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bounds.errors import DataError, UsageError
from release.data.schema import Schema
from release.files.fields import within
from release.files.strict_json import is_text, require_object, shown
from release.statistics.label_counts import LabelCounts
from release.statistics.predictions import Predictions
from release.statistics.question import Asked, Question

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROOT_2 = Fraction(14143, 10000)
"""The root of 2, rounded up: how far two entries that change by 1 move in L2."""


@dataclass(frozen=True)
class OfPredictions(Question):
    """A question about predictions of one label, with the positive one in their favour."""

    schema: Schema
    label: str
    positive: str

    def __post_init__(self) -> None:
        LabelCounts(self.schema, self.label, self.positive)  # refuses an unusable label

    @classmethod
    @abstractmethod
    def _own(cls, fields: dict[str, Any], where: str) -> dict[str, Any]:
        """The fields of this kind from those of a file."""

    @classmethod
    @abstractmethod
    def _names(cls) -> set[str]:
        """The fields of this kind only in a file."""

    def said(self, **own: Any) -> dict[str, Any]:
        """The public description."""
        return {"kind": self.KIND, "label": self.label, "positive": self.positive, **own}

    @classmethod
    def from_json(cls, body: object, schema: Schema, where: str) -> Self:
        fields = require_object(body, where, {"kind", "label", "positive"} | cls._names())
        for name in ("label", "positive"):
            if not is_text(fields[name]):
                raise DataError(f"{where}: {name} = {shown(fields[name])}: must be text")
        own = cls._own(fields, where)
        return within(lambda: cls(schema, str(fields["label"]), str(fields["positive"]), **own), where)

    def read(self, asked: Asked) -> tuple[Predictions, NDArray[np.bool_]]:
        """The predictions, and which records have the positive label."""
        found = asked.predictions
        if found is None:
            raise UsageError("predictions are missing")
        if len(found) != len(asked.codes):
            raise DataError("predictions: the number of rows is not that of the table")
        place = self.schema.names.index(self.label)
        code = self.schema.columns[place].texts.index(self.positive)
        return found, asked.codes[:, place] == code
