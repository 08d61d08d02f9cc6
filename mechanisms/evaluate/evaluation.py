"""A synthetic table compared with the real one: errors of its small tables, and scores of learners trained on it.

Nothing here is private: every number comes from the real table, without noise. Only the scores read the test rows; all
errors, and the learners that the synthetic rows are compared with, use the other rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

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
    Piece: TypeAlias = tuple[str, int]
    """Errors and a number of columns, or a learner and the table that it learns from."""

ERRORS = "errors"
NEVER_PRIVATE = (
    "NOT PRIVATE: these numbers are of the real table, without noise; they are for its holder and must not be published"
)


@dataclass(frozen=True, kw_only=True)
class ScoredRows:
    """Rows that learners are scored on, and where they come from."""

    codes: Codes
    protocol: str
    is_stated: bool
    """Whether the user named the protocol."""
    share: Fraction | None
    """The share of the real table that was split off; None if the test rows are a separate table."""
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
    """Scores on the test rows, under the protocol that applies to the synthetic table."""

    label: str
    positive: str
    test: ScoredRows
    without_label: int
    """Rows without a label, in any of the tables; they are left out."""
    rows: tuple[LearnerScores, ...]

    @property
    def is_in_sample(self) -> bool:
        return self.test.protocol == IN_SAMPLE


@dataclass(frozen=True, kw_only=True)
class Evaluation(Shown):
    """How the two tables agree and differ."""

    schema: Schema
    n: int
    """Real rows that the errors are computed from: those that are not test rows."""
    k: int
    tables: tuple[TableErrors, ...]
    """Errors of tables of one column, of two, and so on."""
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


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The two tables, `real` without its test rows, and what is asked of them."""

    real: Codes
    synthetic: Codes
    schema: Schema
    degree: int
    label: str | None = None
    test: ScoredRows | None = None

    @property
    def pieces(self) -> list[Piece]:
        """Pieces that can be computed separately: errors of one and two columns, of three, ...; learner by table."""
        most = min(max(self.degree, 2), len(self.schema.columns))
        fits = [] if self.label is None or self.test is None else [(name, side) for name in LEARNERS for side in (0, 1)]
        return [(ERRORS, min(2, most)), *((ERRORS, ways) for ways in range(3, most + 1)), *fits]

    def require(self) -> None:
        """Refuse tables that cannot be compared or scored, before anything is computed."""
        for name, rows in (("real", self.real), ("synthetic", self.synthetic)):
            if len(rows) == 0:
                raise DataError(f"{name}: there are no rows to compare")
        if self.label is not None:
            _label_place(self.schema, self.label)
        if self.label is not None and self.test is not None:
            require_learners()


def evaluate(tables: Compared, answers: Iterator[Any] | None = None, *, say: Say | None = None) -> Evaluation:
    """Errors of the synthetic table and, with a label and test rows, the scores.

    `answers` are the results of its pieces, in order, if they were computed elsewhere.
    """
    tables.require()
    found = map(partial(answer_to, tables), tables.pieces) if answers is None else answers
    errors: list[TableErrors] = []
    by_set: dict[tuple[int, ...], float] = {}
    relations: dict[str, Errors] = {}
    fits: list[Scores] = []
    for kind, number in tables.pieces:
        if say is not None:
            say(f"tables of {number} columns" if kind == ERRORS else kind)
        answer = next(found)
        if kind != ERRORS:
            fits.append(answer)
            continue
        more, sets, related = answer
        errors += more
        by_set |= sets
        relations |= related
    return Evaluation(
        schema=tables.schema,
        n=len(tables.real),
        k=len(tables.synthetic),
        tables=tuple(one for one in errors if one.sets.ways <= tables.degree),
        by_column=tuple(by_set[(u,)] for u in range(len(tables.schema.columns))),
        by_pair={one: error for one, error in by_set.items() if len(one) == 2},
        relations=relations,
        scores=None if tables.label is None or tables.test is None else _scores(tables, fits),
    )


def answer_to(tables: Compared, piece: Piece) -> Any:
    """Errors of tables of this many columns (two includes one), or the scores of a learner on one table."""
    kind, number = piece
    if kind != ERRORS:
        train, test = (_with_label(tables)[place] for place in (number, 2))
        columns = [column for column in tables.schema.columns if column.name != tables.label]
        return score(LEARNERS[kind], train, test, columns)
    schema = tables.schema
    relations = Relations(schema.columns)
    looks = {1: relations.look_at_one, 2: relations.look_at_two}
    found, by_set = [], dict[tuple[int, ...], float]()
    for ways in range(1, number + 1) if number <= 2 else (number,):
        one, errors = compare(
            tables.real, tables.synthetic, schema.domain.sizes, schema.names, ways, look=looks.get(ways)
        )
        found.append(one)
        if ways <= 2:
            by_set |= errors
    related = {kind: tally.found for kind, tally in relations.tallies.items()} if number <= 2 else {}
    return found, by_set, related


def _label_place(schema: Schema, label: str) -> int:
    if label not in schema.names:
        raise ParameterError("label", label, "the name of a column of the schema")
    place = schema.names.index(label)
    values = schema.columns[place].value_count
    if values != 2:
        raise NotApplicable(f"label = {label}: has {values} values; these learners predict a label of two values")
    return place


def _with_label(tables: Compared) -> list[Codes]:
    """Rows that have a label, with the label last: real, synthetic and test rows."""
    assert tables.label is not None
    assert tables.test is not None
    place = _label_place(tables.schema, tables.label)
    column = tables.schema.columns[place]
    order = [u for u in range(len(tables.schema.columns)) if u != place]
    ordered = [rows[:, [*order, place]] for rows in (tables.real, tables.synthetic, tables.test.codes)]
    return [rows[rows[:, -1] != column.missing_code] if column.missing else rows for rows in ordered]


def _scores(tables: Compared, fits: list[Scores]) -> ScoreReport:
    assert tables.label is not None
    assert tables.test is not None
    column = tables.schema.columns[_label_place(tables.schema, tables.label)]
    every = (tables.real, tables.synthetic, tables.test.codes)
    return ScoreReport(
        label=column.name,
        positive=column.value_texts[1],
        test=tables.test,
        without_label=sum(map(len, every)) - sum(map(len, _with_label(tables))),
        rows=tuple(
            LearnerScores(learner=name, settings=SETTINGS[name], real=ours, synthetic=theirs)
            for name, ours, theirs in zip(LEARNERS, fits[::2], fits[1::2], strict=True)
        ),
    )
