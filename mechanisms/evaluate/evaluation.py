"""A synthetic table beside the real one: errors of its tables of few columns, and scores of learners trained on it.

Nothing here is private: every number is of the real table, without noise. Test rows are read by the scores alone; all
errors, and the learners that the synthetic rows are compared with, are of the other rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bounds.errors import DataError, NotApplicable, ParameterError
from bounds.shown import Shown
from mechanisms.evaluate.learners import LEARNERS, SETTINGS, Scores, require_learners, score
from mechanisms.evaluate.parameters import IN_SAMPLE
from mechanisms.evaluate.relations import Relations
from mechanisms.evaluate.summary import Errors
from mechanisms.evaluate.tables import TableErrors, compare

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.data.schema import Schema

    Say: TypeAlias = Callable[[str], None]

NEVER_PRIVATE = (
    "NOT PRIVATE: these numbers are of the real table, without noise; they are for its holder and must not be published"
)


@dataclass(frozen=True, kw_only=True)
class ScoredRows:
    """Rows that learners are scored on, and how they came about."""

    codes: Codes
    protocol: str
    is_stated: bool
    """The user named the protocol."""
    share: Fraction | None
    """Of the real table, where they were split off; None where they are a table of their own."""
    seed: int | None


@dataclass(frozen=True, kw_only=True)
class LearnerScores:
    """One learner, trained on real rows and on synthetic ones."""

    learner: str
    settings: str
    real: Scores
    synthetic: Scores


@dataclass(frozen=True, kw_only=True)
class ScoreReport:
    """Scores on the test rows, under the protocol that holds for the synthetic table."""

    label: str
    positive: str
    test: ScoredRows
    without_label: int
    """Rows of any table that have no label, and are left out."""
    rows: tuple[LearnerScores, ...]

    @property
    def is_in_sample(self) -> bool:
        return self.test.protocol == IN_SAMPLE


@dataclass(frozen=True, kw_only=True)
class Evaluation(Shown):
    """What the two tables have in common, and what not."""

    schema: Schema
    n: int
    """Real rows that errors are of: those that are no test rows."""
    k: int
    tables: tuple[TableErrors, ...]
    """Of one column, of two, and so on."""
    by_column: tuple[float, ...]
    by_pair: dict[tuple[int, ...], float]
    relations: dict[str, Errors]
    scores: ScoreReport | None


def held_out_rows(n: int, share: Fraction, seed: int) -> NDArray[np.bool_]:
    """Which of n rows are test rows: a random share of them, rounded to whole rows, the same for a seed everywhere.

    >>> held_out_rows(5, Fraction(2, 5), 0).tolist()
    [False, True, False, False, True]
    """
    chosen = np.random.Generator(np.random.Philox(key=seed)).permutation(n)[: round(share * n)]
    found = np.zeros(n, dtype=bool)
    found[chosen] = True
    return found


def evaluate(
    real: Codes,
    synthetic: Codes,
    schema: Schema,
    *,
    degree: int,
    label: str | None = None,
    test: ScoredRows | None = None,
    say: Say | None = None,
) -> Evaluation:
    """Errors of the synthetic table, and with a label and test rows the scores; `real` has no test rows any more."""
    for name, rows in (("real", real), ("synthetic", synthetic)):
        if len(rows) == 0:
            raise DataError(f"{name}: there are no rows to compare")
    place = None if label is None else _label_place(schema, label)
    tell = say or (lambda _: None)
    columns, sizes = schema.columns, schema.domain.sizes
    relations = Relations(columns)
    looks = {1: relations.look_at_one, 2: relations.look_at_two}
    tables = []
    by_set: dict[tuple[int, ...], float] = {}
    for ways in range(1, min(max(degree, 2), len(columns)) + 1):
        tell(f"tables of {ways} column{'s' if ways > 1 else ''}")
        found, errors = compare(real, synthetic, sizes, schema.names, ways, look=looks.get(ways))
        tables.append(found)
        if ways <= 2:
            by_set |= errors
    scores = None
    if place is not None and test is not None:
        scores = _scores(real, synthetic, schema, place, test, tell)
    return Evaluation(
        schema=schema,
        n=len(real),
        k=len(synthetic),
        tables=tuple(found for found in tables if found.sets.ways <= degree),
        by_column=tuple(by_set[(u,)] for u in range(len(columns))),
        by_pair={one: error for one, error in by_set.items() if len(one) == 2},
        relations={kind: tally.found for kind, tally in relations.tallies.items()},
        scores=scores,
    )


def _label_place(schema: Schema, label: str) -> int:
    if label not in schema.names:
        raise ParameterError("label", label, "the name of a column of the schema")
    place = schema.names.index(label)
    values = schema.columns[place].value_count
    if values != 2:
        raise NotApplicable(f"label = {label}: has {values} values; learners here predict one of two")
    return place


def _scores(real: Codes, synthetic: Codes, schema: Schema, place: int, test: ScoredRows, tell: Say) -> ScoreReport:
    require_learners()
    column = schema.columns[place]
    order = [u for u in range(len(schema.columns)) if u != place]
    ordered = [rows[:, [*order, place]] for rows in (real, synthetic, test.codes)]
    kept = [rows[rows[:, -1] != column.missing_code] if column.missing else rows for rows in ordered]
    features = [schema.columns[u] for u in order]
    found = []
    for name, learner in LEARNERS.items():
        tell(name)
        ours, theirs = (score(learner, rows, kept[2], features) for rows in kept[:2])
        found.append(LearnerScores(learner=name, settings=SETTINGS[name], real=ours, synthetic=theirs))
    return ScoreReport(
        label=column.name,
        positive=column.value_texts[1],
        test=test,
        without_label=sum(map(len, ordered)) - sum(map(len, kept)),
        rows=tuple(found),
    )
