"""The least sum of losses that a model of a class has over all records, to a gap fixed before the data are seen.

The answer is an integer between the least sum and the least sum plus the gap, proved for the table at hand. The
sensitivity is then the same for every table. Every table has an answer: a refusal would reveal something at no cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, ClassVar, Self

from bounds.errors import NotApplicable, SynthboundsError
from bounds.privacy.adjacency import Adjacency
from release.data.schema import Schema
from release.files.fields import integer_json, read_exact, require_same, within
from release.files.strict_json import require_object
from release.statistics.closing_in import closing_in
from release.statistics.enclosed_least import HINGE_WIDTHS, EnclosedLeast, Ends, numbers, record_error
from release.statistics.features import FeatureMap
from release.statistics.fixed_losses import STEP
from release.statistics.linear_class import LinearClass
from release.statistics.model_fields import read_feature_map, read_loss
from release.statistics.question import Asked, Question

LEAST_LOSS = "least-loss"
GAP_SHARES = {"logistic": 256, "squared": 256, "hinge": 32}
"""The gap is this part of how far one record moves the sum, or of 1 if that is less; a kink makes minimising hard."""

MOST_RECORDS = 2**26
"""This many can be summed, or fewer for some classes."""

_TRIES = 3


@dataclass(frozen=True)
class LeastLoss(Question):
    """Of a class of linear models; with a ridge its penalty is added, n times."""

    KIND: ClassVar[str] = LEAST_LOSS

    compared: LinearClass

    @property
    def feature_map(self) -> FeatureMap:
        return self.compared.feature_map

    @property
    def loss(self) -> str:
        return self.compared.loss

    @cached_property
    def gap(self) -> int:
        """In steps; the true least sum is at most this far below an answer without noise, and never above it."""
        return ceil(max(self.compared.moved(Adjacency.REPLACE_ONE), Fraction(1)) / GAP_SHARES[self.loss] / STEP)

    @cached_property
    def most_records(self) -> int:
        """For this many, rounding takes at most a quarter of the gap; of more, only the first ones are summed."""
        return min(MOST_RECORDS, int(self.gap * STEP / 4 / record_error(self.compared)))

    def require_size(self, stated: int) -> None:
        """Refuse by public facts alone, before any record is seen."""
        if stated > self.most_records:
            raise NotApplicable(
                f"least loss: the table has {stated} records or more; for this class at most {self.most_records} are "
                "summed, since rounding would take too much of the gap"
            )

    @property
    def count(self) -> int:
        return 1

    @property
    def text(self) -> str:
        return f"least sum of {self.loss} losses of {self.compared.text}"

    @property
    def unit(self) -> Fraction:
        return STEP

    def moved(self, adjacency: Adjacency) -> Fraction:
        return Fraction(ceil(self.compared.moved(adjacency) / STEP) + self.gap)

    def of(self, asked: Asked) -> tuple[int, ...]:
        if not len(asked.codes):
            return (0,)
        if asked.minimise is None:
            raise NotApplicable("least loss: needs a minimiser, which this call does not have")
        least = EnclosedLeast(self.compared, asked.codes, most=self.most_records)
        close = float(self.gap * STEP) / least.n
        ends = Ends(Fraction(0), Fraction(least.n))  # the zero model loses at most 1 per record
        start = None
        for width in HINGE_WIDTHS if self.loss == "hinge" else (None,) * _TRIES:
            try:
                start = numbers(asked.minimise(least, start=start, width=width, close=close / 4))
            except (ArithmeticError, ValueError, SynthboundsError):  # of floats that diverged
                break
            ends = ends.and_also(least.enclose(start, width=width))
            if (answer := self._answer(ends)) is not None:
                return (answer,)
        # There is no choice but to go on: giving up here, or after some time, would reveal something about the records.
        steps = closing_in(least, start, close=close)
        while (answer := self._answer(ends)) is None:
            model, touching = next(steps)
            ends = ends.and_also(least.enclose(model, touching=touching))
        return (answer,)

    def _answer(self, ends: Ends) -> int | None:
        """If the ends prove one."""
        answer = ceil(ends.upper / STEP)
        return answer if answer - ends.lower / STEP <= self.gap else None

    def to_json(self) -> dict[str, Any]:
        compared = self.compared
        return {
            "kind": self.KIND,
            "feature_map": self.feature_map.to_json(),
            "loss": self.loss,
            "tau": None if compared.tau is None else str(compared.tau),
            "ridge": None if compared.ridge is None else str(compared.ridge),
            "intercept": None if compared.intercept is None else str(compared.intercept),
            "gap": integer_json(self.gap),
        }

    @classmethod
    def from_json(cls, body: object, schema: Schema, where: str) -> Self:
        names = ("tau", "ridge", "intercept")
        fields = require_object(body, where, {"kind", "feature_map", "loss", "gap", *names})
        numbers = {name: None if fields[name] is None else read_exact(fields[name], name, where) for name in names}
        feature_map, loss = read_feature_map(fields, schema, where), read_loss(fields, where)
        found = within(lambda: cls(LinearClass(feature_map=feature_map, loss=loss, **numbers)), where)
        require_same(found.to_json(), fields, where)
        return found
