"""The sum of the losses of predictions over records, in whole steps: log loss, errors, or squares.

The loss of one record is rounded down to a step, exactly, and lies between two public whole numbers; so the sensitivity
is exact, and the true sum is less than one step per record above the integer. Logarithms are balls, sharpened until the
step is certain. Proof: docs/proofs/synthbounds.any-model.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from flint import arb, fmpq

from bounds.enclosure import Undecided, as_fmpq, precision, with_growing_precision
from bounds.errors import ParameterError
from bounds.privacy.adjacency import Adjacency
from release.files.fields import read_choice, read_exact
from release.statistics.of_predictions import OfPredictions
from release.statistics.prediction_choices import BRIER, LOG, PREDICTION_LOSSES, ZERO_ONE
from release.statistics.predictions import Predictions
from release.statistics.question import Asked

PREDICTED_LOSS = "predicted-loss"
STEPS = 2**24
"""In a loss of 1: fine compared with any noise, and sums of 10^11 records stay below 2^63."""
_BITS = 64


@dataclass(frozen=True)
class PredictedLoss(OfPredictions):
    """One integer: the sum over all records of the loss of their predictions, each rounded down to a step.

    `log`: minus the logarithm of the probability given to the true label, probabilities clipped to
    [clip, 1 - clip]. `zero-one`: 1 if the label with more than 1/2 is wrong. `brier`: the squared difference of the
    probability and the label.
    """

    KIND: ClassVar[str] = PREDICTED_LOSS

    loss: str
    clip: Fraction | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.loss not in PREDICTION_LOSSES:
            raise ParameterError("loss", self.loss, f"one of {', '.join(PREDICTION_LOSSES)}")
        if (self.clip is not None) != (self.loss == LOG):
            raise ParameterError("clip", self.clip, "given for log loss, and for no other", "only it has no bound")
        if self.clip is not None and not Fraction(1, 10**6) <= self.clip < Fraction(1, 2):
            raise ParameterError("clip", self.clip, "at least 1/1000000 and less than 1/2", "probabilities are clipped")

    @property
    def count(self) -> int:
        return 1

    @property
    def text(self) -> str:
        said = {LOG: f"log losses, probabilities clipped at {self.clip},", ZERO_ONE: "errors", BRIER: "squared losses"}
        return f"sum of the {said[self.loss]} of predictions of {self.label} = {self.positive}"

    @property
    def unit(self) -> Fraction:
        return Fraction(1) if self.loss == ZERO_ONE else Fraction(1, STEPS)

    @property
    def rounding(self) -> int:
        """Steps by which the loss of one record may be rounded down; 0 if it is whole."""
        return int(self.loss != ZERO_ONE)

    @cached_property
    def range(self) -> tuple[int, int]:
        """The least and the largest loss of a record, in steps, whatever the prediction."""
        if self.clip is None:
            return 0, int(1 / self.unit)
        return _log_steps(as_fmpq(1 - self.clip)), _log_steps(as_fmpq(self.clip))

    def moved(self, adjacency: Adjacency) -> Fraction:
        lo, hi = self.range
        return Fraction(hi if adjacency is Adjacency.ADD_REMOVE else hi - lo)

    def of(self, asked: Asked) -> tuple[int, ...]:
        found, positive = self.read(asked)
        found.require_probabilities("predictions")
        return (self._sum(found, positive),)

    def _sum(self, found: Predictions, positive: np.ndarray[Any, Any]) -> int:
        whole = found.denominator
        if self.loss == ZERO_ONE:
            wrong = ((2 * value > whole) != bool(y) for value, y in zip(found.numerators, positive, strict=True))
            return sum(wrong)
        right = (value if y else whole - value for value, y in zip(found.numerators, positive, strict=True))
        if self.loss == BRIER:
            square = whole * whole
            return sum((whole - value) ** 2 * STEPS // square for value in right)
        assert self.clip is not None
        lo, hi = self.range
        least, most = self.clip * whole, (1 - self.clip) * whole
        cache: dict[int, int] = {}
        total = 0
        with precision(_BITS):
            for value in right:
                if value not in cache:
                    cache[value] = hi if value <= least else lo if value >= most else _log_steps(fmpq(value, whole))
                total += cache[value]
        return total

    def to_json(self) -> dict[str, Any]:
        return self.said(loss=self.loss, clip=None if self.clip is None else str(self.clip))

    @classmethod
    def _names(cls) -> set[str]:
        return {"loss", "clip"}

    @classmethod
    def _own(cls, fields: dict[str, Any], where: str) -> dict[str, Any]:
        clip = None if fields["clip"] is None else read_exact(fields["clip"], "clip", where)
        return {"loss": read_choice(fields["loss"], PREDICTION_LOSSES, f"{where}: loss"), "clip": clip}


def _log_steps(probability: fmpq) -> int:
    """floor(-log(probability) STEPS), exactly: a logarithm of a rational between 0 and 1 is never a whole step."""
    found = (-STEPS * arb(probability).log()).floor().unique_fmpz()
    return int(found) if found is not None else with_growing_precision(lambda: _certain(probability))[0]


def _certain(probability: fmpq) -> int:
    found = (-STEPS * arb(probability).log()).floor().unique_fmpz()
    if found is None:
        raise Undecided
    return int(found)
