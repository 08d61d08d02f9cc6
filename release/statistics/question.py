"""One question about records: some integers, how far one record moves them, and how they are counted.

A query or a release asks several questions at once. Each gets a share of the budget; its noise follows from that share
and from the sensitivity. A question must be public: its description is part of the file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from bounds.errors import ParameterError
from bounds.exact import root_at_least
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.sensitivity import Sensitivity, l2_sensitivity
from bounds.privacy.statements import GaussianDP
from release.noise.kinds import Mode, Noise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.data.schema import Schema
    from release.statistics.predictions import Predictions

    Minimiser = Callable[..., NDArray[np.float64]]
    """Finds a model of small loss, in floating point; nothing relies on it; see release.statistics.least_loss."""


@dataclass(frozen=True, eq=False)
class Asked:
    """The input of questions: all records as codes, and what belongs to them row by row."""

    codes: Codes
    predictions: Predictions | None = None
    """Of a model, one for each record: each depends only on its record and the model."""
    minimise: Minimiser | None = None


class Question(ABC):
    """Integers over records; one step of them is `unit`."""

    KIND: ClassVar[str]
    IS_SUM: ClassVar[bool] = True
    """Over records, so that it is read next to their number."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many integers."""

    @property
    @abstractmethod
    def text(self) -> str:
        """What they are, in words."""

    @property
    @abstractmethod
    def unit(self) -> Fraction:
        """What one step stands for."""

    @abstractmethod
    def moved(self, adjacency: Adjacency) -> Fraction:
        """How far one record moves the integers in L2, at most, whatever the table; in steps."""

    @abstractmethod
    def of(self, asked: Asked) -> tuple[int, ...]:
        """The integers, for the steward only."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The public description, `kind` first."""

    @classmethod
    @abstractmethod
    def from_json(cls, body: object, schema: Schema, where: str) -> Self:
        """The question that an object of a file describes, for that schema; checked strictly."""


@dataclass(frozen=True)
class Questions:
    """Several questions that are asked at once, each with its share of the total cost."""

    questions: tuple[Question, ...]
    shares: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if len(self.shares) != len(self.questions) or min(self.shares) <= 0 or sum(self.shares) != 1:
            raise ParameterError("shares", "these", "one for each question, positive, and 1 together")

    @property
    def count(self) -> int:
        return sum(question.count for question in self.questions)

    @property
    def text(self) -> str:
        return "; ".join(question.text for question in self.questions) + "; each with noise"

    def deviations(self, cost: GaussianDP) -> tuple[Fraction, ...]:
        """Standard deviation of the noise on the integers of each question, in steps, rounded up."""
        return tuple(
            root_at_least(question.moved(cost.adjacency) ** 2 / (share * cost.mu_squared))
            for question, share in zip(self.questions, self.shares, strict=True)
        )

    def mean_deviations(self, cost: GaussianDP, size: int) -> tuple[Fraction, ...]:
        """The same in units instead of steps; that of a sum is divided by the number of records."""
        return tuple(
            deviation * question.unit / (size if question.IS_SUM else 1)
            for question, deviation in zip(self.questions, self.deviations(cost), strict=True)
        )

    def sensitivity(self, adjacency: Adjacency) -> Sensitivity:
        """The sensitivity when every question's integers are divided by theirs and multiplied by roots of shares."""
        return l2_sensitivity(
            squared=Fraction(1),
            adjacency=adjacency,
            n_is_public=adjacency is Adjacency.REPLACE_ONE,
            text="every question's numbers over what one record moves, times the root of its share",
        )

    def noise(self, cost: GaussianDP, mode: Mode) -> Noise:
        """On all integers, question by question; it costs no more than that."""
        scales: list[Fraction] = []
        for question, deviation in zip(self.questions, self.deviations(cost), strict=True):
            scales += [deviation] * question.count
        return Noise(
            kind="rounded-gaussian",
            scales=tuple(scales),
            count=len(scales),
            sensitivity=self.sensitivity(cost.adjacency),
            cost=cost,
            mode=mode,
        )

    def of(self, asked: Asked) -> tuple[int, ...]:
        return tuple(value for question in self.questions for value in question.of(asked))

    def split(self, values: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """The integers of every question."""
        found, start = [], 0
        for question in self.questions:
            found.append(tuple(values[start : start + question.count]))
            start += question.count
        return tuple(found)

    def to_json(self, cost: GaussianDP, values: Sequence[int] | None = None) -> list[dict[str, Any]]:
        """What was asked, the noise of each, and the answers."""
        from release.files.fields import integer_json

        rows = []
        answers = None if values is None else self.split(values)
        deviations = self.deviations(cost)
        for i, question in enumerate(self.questions):
            row: dict[str, Any] = {
                "question": question.to_json(),
                "share": str(self.shares[i]),
                "unit": str(question.unit),
                "moved": str(question.moved(cost.adjacency)),
                "deviation": str(deviations[i]),
            }
            if answers is not None:
                row["answer"] = [integer_json(value) for value in answers[i]]
            rows.append(row)
        return rows
