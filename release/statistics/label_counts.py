"""How many records have each label: this gives the loss of the best constant prediction."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from bounds.errors import DataError, ParameterError
from bounds.privacy.adjacency import Adjacency
from release.data.schema import Schema
from release.files.fields import within
from release.files.strict_json import is_text, require_object, shown
from release.statistics.question import Asked, Question

LABEL_COUNTS = "label-counts"
LABEL_SHARE = Fraction(1, 100)
"""Of a budget, if labels are counted in addition to losses."""


@dataclass(frozen=True)
class LabelCounts(Question):
    """Records with the positive label, and with the other one.

    Replacing a record moves both numbers, in opposite directions; if n is public, the second says nothing new, and the
    mean of the two estimates has half the variance.
    """

    KIND: ClassVar[str] = LABEL_COUNTS

    schema: Schema
    label: str
    positive: str

    def __post_init__(self) -> None:
        column = next((column for column in self.schema.columns if column.name == self.label), None)
        if column is None or column.size != 2:
            raise ParameterError("label", self.label, "a column of the schema with exactly two values")
        if self.positive not in column.texts:
            raise ParameterError("positive", self.positive, f"{column.texts[0]} or {column.texts[1]}")

    @property
    def count(self) -> int:
        return 2

    @property
    def text(self) -> str:
        return f"records with {self.label} = {self.positive}, and records with the other value"

    @property
    def unit(self) -> Fraction:
        return Fraction(1)

    def moved(self, adjacency: Adjacency) -> Fraction:
        # sqrt 2 for a replaced record, rounded up
        return Fraction(1) if adjacency is Adjacency.ADD_REMOVE else Fraction(14143, 10000)

    def of(self, asked: Asked) -> tuple[int, ...]:
        place = self.schema.names.index(self.label)
        code = self.schema.columns[place].texts.index(self.positive)
        positive = int(np.count_nonzero(asked.codes[:, place] == code))
        return positive, len(asked.codes) - positive

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.KIND, "label": self.label, "positive": self.positive}

    @classmethod
    def from_json(cls, body: object, schema: Schema, where: str) -> Self:
        fields = require_object(body, where, {"kind", "label", "positive"})
        for name in ("label", "positive"):
            if not is_text(fields[name]):
                raise DataError(f"{where}: {name} = {shown(fields[name])}: must be text")
        return within(lambda: cls(schema, str(fields["label"]), str(fields["positive"])), where)
