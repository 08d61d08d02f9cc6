"""How many records of each label there are in every bin of a probability: this shows whether it is calibrated.

Positives and others are counted separately, so that a replaced record changes two numbers by one, and an added one a
single number; counts of all records and sums of labels would move by more. Proof: docs/proofs/synthbounds.any-model.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from bounds.errors import ParameterError
from bounds.privacy.adjacency import Adjacency
from release.files.fields import read_whole
from release.statistics.of_predictions import ROOT_2, OfPredictions
from release.statistics.prediction_choices import DEFAULT_BINS, MOST_BINS
from release.statistics.question import Asked

CALIBRATION = "calibration"


@dataclass(frozen=True)
class Calibration(OfPredictions):
    """For each of the bins [j/B, (j+1)/B), the last one closed: records with the positive label, then the others."""

    KIND: ClassVar[str] = CALIBRATION

    bins: int = DEFAULT_BINS

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.bins <= MOST_BINS:
            raise ParameterError("bins", self.bins, f"at least 1 and at most {MOST_BINS}", "bins of equal width")

    @property
    def count(self) -> int:
        return 2 * self.bins

    @property
    def text(self) -> str:
        return (
            f"records with {self.label} = {self.positive} and with the other value, in {self.bins} equal bins of the "
            "predicted probability"
        )

    @property
    def unit(self) -> Fraction:
        return Fraction(1)

    def moved(self, adjacency: Adjacency) -> Fraction:
        return Fraction(1) if adjacency is Adjacency.ADD_REMOVE else ROOT_2

    def of(self, asked: Asked) -> tuple[int, ...]:
        found, positive = self.read(asked)
        found.require_probabilities("predictions")
        counts = [0] * self.count
        last = self.bins - 1
        for value, y in zip(found.numerators, positive.tolist(), strict=True):
            counts[2 * min(value * self.bins // found.denominator, last) + (not y)] += 1
        return tuple(counts)

    def to_json(self) -> dict[str, Any]:
        return self.said(bins=self.bins)

    @classmethod
    def _names(cls) -> set[str]:
        return {"bins"}

    @classmethod
    def _own(cls, fields: dict[str, Any], where: str) -> dict[str, Any]:
        return {"bins": read_whole(fields["bins"], f"{where}: bins")}
