"""The answer to a query for scores: the noisy numbers of every question, and its file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from release.moments.file import NOISE_LAW
from release.query.file import Query
from release.scores.planned import ScorePlan


@dataclass(frozen=True, kw_only=True)
class ScoreQuery(ScorePlan, Query):
    """Noisy numbers about models, with everything needed to use them; see `ask_scores`."""

    ROWS: ClassVar[tuple[str, ...]] = ("questions",)

    values: tuple[int, ...]

    @property
    def answers(self) -> tuple[tuple[int, ...], ...]:
        """The noisy integers of every question."""
        return self.questions.split(self.values)

    def content(self) -> dict[str, Any]:
        return {
            "about": self.about,
            "noise": {"law": NOISE_LAW},
            "questions": self.questions.to_json(self.price, self.values),
        }
