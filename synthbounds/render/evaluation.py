"""A synthetic table next to the real one, as a document and as JSON; both say first that none of it is private."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bounds.exact import show_rational
from mechanisms.evaluate.evaluation import NEVER_PRIVATE, Evaluation, ScoreReport
from mechanisms.evaluate.learners import Scores
from mechanisms.evaluate.relations import KINDS
from mechanisms.evaluate.summary import Errors
from mechanisms.evaluate.tables import MOST_CELLS, Sets
from release.data.tables import printable
from synthbounds.render.document import Answer, Block, Document, Facts, Stamp, Table, Title
from synthbounds.render.numbers import integer_text

CONVENTION = "half the sum of the absolute differences of shares (total variation distance): 0 is alike, 1 disjoint"
_SCORES = ("accuracy", "auc", "log_loss")


def evaluation_document(found: Evaluation) -> Document:
    """Stamp and answer first, then errors, then scores, then what they are of."""
    blocks: list[Block] = [
        Title("Evaluation", "a synthetic table compared with the real one"),
        Stamp(NEVER_PRIVATE),
        Answer(tuple(_answer(found))),
        _tables(found),
        _relations(found),
    ]
    if found.scores is not None:
        blocks.append(_scores(found.scores))
    return (*blocks, Facts(tuple(_facts(found))))


def evaluation_payload(found: Evaluation) -> dict[str, Any]:
    """The same as JSON."""
    names = found.schema.names
    return {
        "stamp": NEVER_PRIVATE,
        "n": found.n,
        "k": found.k,
        "errors": {
            "convention": CONVENTION,
            "tables": [
                {
                    "ways": table.sets.ways,
                    "sets": table.sets.there_are,
                    "counted": len(table.sets.chosen),
                    "too_large": table.sets.too_large,
                    "mean": table.errors.mean,
                    "largest": table.errors.largest,
                    "worst": [{"columns": [names[u] for u in one], "error": error} for one, error in table.worst],
                }
                for table in found.tables
            ],
            "columns": [{"name": n, "error": error} for n, error in zip(names, found.by_column, strict=True)],
            **{_key(kind): _errors_payload(errors) for kind, errors in found.relations.items()},
        },
        "scores": None if found.scores is None else _scores_payload(found.scores),
    }


def _key(kind: str) -> str:
    return kind.lower().replace("'", "").replace(" ", "_")


RELATIONS = tuple(_key(kind) for kind in KINDS)
"""Their names in JSON."""


def _errors_payload(errors: Errors) -> dict[str, Any]:
    return {
        "count": errors.count,
        "mean": errors.mean,
        "largest": errors.largest,
        "where": errors.where,
        "undefined": errors.undefined,
    }


def _scores_payload(report: ScoreReport) -> dict[str, Any]:
    test = report.test
    return {
        "label": report.label,
        "positive": report.positive,
        "protocol": test.protocol,
        "protocol_is_stated": test.is_stated,
        "test_rows": len(test.codes),
        "held_out": None if test.share is None else show_rational(test.share),
        "seed": test.seed,
        "without_label": report.without_label,
        "learners": [
            {
                "name": row.learner,
                "settings": row.settings,
                "real": _one_payload(row.real),
                "synthetic": _one_payload(row.synthetic),
            }
            for row in report.rows
        ],
    }


def _one_payload(scores: Scores) -> dict[str, Any]:
    return {**{name: getattr(scores, name) for name in _SCORES}, "reason": scores.reason}


def _answer(found: Evaluation) -> Iterator[tuple[str, str, str]]:
    for table in found.tables:
        ways = table.sets.ways
        what = "one column" if ways == 1 else f"{ways} columns"
        if table.errors.largest is not None:
            largest = f"the largest, {_number(table.errors.largest)}, is for {printable(table.errors.where)}"
            yield f"{ways}-way", _number(table.errors.mean), f"is the mean error of tables of {what}; {largest}"
    for row in found.scores.rows if found.scores is not None else ():
        said = f"is the accuracy of {row.learner} trained on synthetic rows; on real rows {_number(row.real.accuracy)}"
        yield "accuracy", _number(row.synthetic.accuracy), said


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _tables(found: Evaluation) -> Table:
    rows: list[tuple[str, ...]] = []
    for table in found.tables:
        sets = table.sets
        head = (str(sets.ways), f"{len(sets.chosen):,} of {sets.there_are:,}", _number(table.errors.mean))
        for one, error in table.worst:
            rows.append((*head, _number(error), " x ".join(printable(found.schema.names[u]) for u in one)))
            head = ("", "", "")
    return Table(
        "Tables of counts: total variation distance",
        ("columns", "tables", "mean", "largest", "of"),
        tuple(rows),
        right=frozenset({0, 1, 2, 3}),
    )


def _relations(found: Evaluation) -> Table:
    rows = tuple(
        (
            kind,
            f"{errors.count:,}",
            _number(errors.mean),
            _number(errors.largest),
            printable(errors.where) + (f" ({errors.undefined} undefined)" if errors.undefined else ""),
        )
        for kind, errors in found.relations.items()
        if errors.count or errors.undefined
    )
    return Table(
        "Other errors: absolute differences",
        ("of", "number", "mean", "largest", "where"),
        rows,
        right=frozenset({1, 2, 3}),
    )


def _scores(report: ScoreReport) -> Table:
    rows = tuple(
        (row.learner, trained, *(_number(getattr(scores, name)) for name in _SCORES), scores.reason)
        for row in report.rows
        for trained, scores in (("real", row.real), ("synthetic", row.synthetic))
    )
    reasons = any(row[-1] for row in rows)
    return Table(
        f"Scores on test rows, {report.test.protocol.replace('-', ' ')}",
        ("learner", "trained on", "accuracy", "AUC", "log loss", *(["because"] if reasons else [])),
        tuple(row if reasons else row[:-1] for row in rows),
        right=frozenset({2, 3, 4}),
    )


def _facts(found: Evaluation) -> Iterator[tuple[str, str]]:
    not_test = "" if found.scores is None else ", not counting test rows"
    yield "Rows", f"{integer_text(found.n)} real{not_test}, {integer_text(found.k)} synthetic"
    yield "Tables", CONVENTION
    for sets in (table.sets for table in found.tables):
        said = _left_out(sets)
        if said:
            yield f"{sets.ways}-way", said
    for kind, errors in found.relations.items():
        if errors.count:
            yield kind, KINDS[kind]
    if found.scores is not None:
        yield from _protocol(found.scores)


def _left_out(sets: Sets) -> str:
    counted, fitting = len(sets.chosen), sets.there_are - (sets.too_large or 0)
    parts = []
    if sets.too_large:
        parts.append(f"{sets.too_large:,} tables of more than {MOST_CELLS:,} cells are left out")
    if counted < fitting or sets.too_large is None:
        parts.append(f"a random sample of {counted:,} tables, the same for every table of this schema")
    return "; ".join(parts)


def _protocol(report: ScoreReport) -> Iterator[tuple[str, str]]:
    test = report.test
    if test.share is None:
        where = f"{len(test.codes):,} rows of a table of their own"
    else:
        where = f"{len(test.codes):,} rows, {show_rational(test.share)} of REAL drawn with seed {test.seed}"
    yield "Test rows", f"{where}; neither errors nor learners have used them"
    by = "as you say" if test.is_stated else "as is assumed unless you say otherwise (--protocol)"
    if report.is_in_sample:
        yield (
            "Protocol",
            (
                f"in sample, {by}: the synthetic table was also made from the test rows, so its scores may flatter; "
                "those of learners trained on real rows are out of sample"
            ),
        )
    else:
        yield "Protocol", f"out of sample, {by}: the synthetic table was not made from the test rows"
    yield (
        "Label",
        f"{printable(report.label)}: the chance of {printable(report.positive)} is predicted"
        + (f"; {report.without_label:,} rows without a label are left out" if report.without_label else ""),
    )
    for row in report.rows:
        yield row.learner.capitalize(), row.settings
