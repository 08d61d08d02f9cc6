"""What is decided about a query for scores before the data are used: which questions, which shares, which model."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from bounds.parameter import Range
from bounds.privacy.statements import GaussianDP
from release.data.schema import Schema
from release.files.fields import read_exact
from release.noise.kinds import Noise
from release.query.planned import QueryPlan, public_fields
from release.statistics.question import Asked, Questions
from release.statistics.statistic import Counted, Statistic

SCORES = "scores"
CHOICE_SHARE = "choice_share"
"""Of what was fixed: the part of the price that paid for choosing one of several models before the questions."""
SHARE_OF_CHOICE = Range(above=0, below=1, reason="a part of what the query costs")


@dataclass(frozen=True, kw_only=True)
class ScorePlan(QueryPlan):
    """Planned questions about one model, or about classes of models."""

    KIND: ClassVar[str] = SCORES

    table_schema: Schema
    questions: Questions
    about: dict[str, Any]
    """What was fixed before the answer: `ask`, `beta`, the model's digest and where it comes from. Never anything made
    from the records."""

    @property
    def schema(self) -> Schema:
        return self.table_schema

    @property
    def beta(self) -> Fraction:
        """The probability with which anything that the answer proves may be wrong."""
        return self._between_0_and_1("beta")

    @property
    def choice_share(self) -> Fraction:
        return Fraction(0) if self.about.get(CHOICE_SHARE) is None else self._between_0_and_1(CHOICE_SHARE)

    def _between_0_and_1(self, name: str) -> Fraction:
        """A number that was fixed before the answer; a file may say anything."""
        return read_exact(self.about.get(name), name, "query: about", allowed=Range(above=0, below=1))

    @property
    def price(self) -> GaussianDP:
        """What the questions cost; a choice before them has its own part."""
        return GaussianDP(mu_squared=self.mu_squared * (1 - self.choice_share), adjacency=self.adjacency)

    @property
    def noise(self) -> Noise:
        return self.questions.noise(self.price, self.mode)

    @property
    def statistic(self) -> Statistic:
        return Statistic(
            text=self.questions.text,
            count=self.questions.count,
            sensitivity=self.questions.sensitivity(self.adjacency),
            of=lambda source: counted(self.questions, Asked(all_codes(source))),
        )

    def header(self) -> dict[str, Any]:
        return {**self.public_header(), "about": self.about, "questions": self.questions.to_json(self.price)}

    def public(self) -> dict[str, Any]:
        """All fields, for the answer to this plan."""
        return public_fields(self, ScorePlan)


def counted(questions: Questions, asked: Asked) -> Counted:
    return Counted(n=len(asked.codes), values=questions.of(asked))


def all_codes(source: Any) -> Any:
    """All records at once: classes of models are searched on the whole table."""
    import numpy as np

    batches = list(source.batches())
    return np.concatenate(batches) if batches else np.empty((0, len(source.domain.sizes)), dtype=np.uint8)
