"""Answers to queries for scores read from files, together with the release that paid: every field is checked.

What follows from other fields (sensitivities, deviations, texts) is recomputed. What the numbers prove depends on the
questions and is decided elsewhere.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from bounds.errors import DataError
from release.data.schema import Schema
from release.files.fields import read_exact, read_integers, within
from release.files.strict_json import read_json_file, require_object
from release.query.read import parse_answer
from release.reserving import ReservingRelease
from release.scores.about import read_about
from release.scores.file import ScoreQuery
from release.scores.planned import SCORES
from release.scores.questions import question_of
from release.statistics.question import Question, Questions

_CONTENT = {"about", "noise", "questions"}
_ROW = {"question", "share", "unit", "moved", "deviation", "answer"}
_MOST_QUESTIONS = 100


def read_scores(path: str | Path, release: ReservingRelease) -> ScoreQuery:
    """The answer in a file, for that release."""
    text, where = read_json_file(path, "query")
    return parse_scores(text, release, where=where)


def parse_scores(text: str, release: ReservingRelease, *, where: str = "query") -> ScoreQuery:
    """The answer in JSON text, for that release; `where` begins every error message."""

    def read(fields: dict[str, Any], shared: dict[str, Any], where: str) -> ScoreQuery:
        questions, values = read_answers(fields["questions"], release.schema, f"{where}: questions")
        about = read_about(fields["about"], questions, f"{where}: about")
        return ScoreQuery(table_schema=release.schema, questions=questions, about=about, values=values, **shared)

    return parse_answer(text, release, read, kind=SCORES, content=_CONTENT, where=where)


def read_answers(body: object, schema: Schema, where: str) -> tuple[Questions, tuple[int, ...]]:
    """What was asked, with which shares, and all integers that were answered."""
    if not isinstance(body, list) or not 1 <= len(body) <= _MOST_QUESTIONS:
        raise DataError(f"{where}: must be a list of 1 to {_MOST_QUESTIONS} questions")
    questions: list[Question] = []
    shares: list[Fraction] = []
    values: list[int] = []
    for i, item in enumerate(body):
        row, here = require_object(item, f"{where}[{i}]", _ROW), f"{where}[{i}]"
        questions.append(question_of(row["question"], schema, f"{here}: question"))
        shares.append(read_exact(row["share"], "share", here))
        values += read_integers(row["answer"], questions[-1].count, f"{here}: answer")
    return within(lambda: Questions(tuple(questions), tuple(shares)), where), tuple(values)
