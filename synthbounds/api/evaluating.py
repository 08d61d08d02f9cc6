"""A finished synthetic table compared with the real one, without noise: only for the steward of the real table."""

from __future__ import annotations

from fractions import Fraction
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.errors import DataError, UsageError
from bounds.exact import Exact
from release.lake.address import Address
from synthbounds.api.tables import Say, rows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mechanisms.evaluate.evaluation import Compared, Evaluation, ScoredRows
    from release.data.domain import Codes
    from release.data.schema import Schema

__all__ = ["evaluate_table", "held_out_rows"]


def evaluate_table(
    real: str | Path | Address | Codes,
    synthetic: str | Path | Codes,
    schema: str | Path | Schema,
    *,
    degree: Exact | None = None,
    label: str | None = None,
    test: str | Path | Codes | None = None,
    held_out: Exact | None = None,
    seed: Exact | None = None,
    protocol: str | None = None,
    ignore_extra: bool = False,
    workers: Exact | None = None,
    scheduler: str | None = None,
    certificates: str | Path | None = None,
    progress: Say | None = None,
) -> Evaluation:
    """Errors of tables of few columns, thresholds, moments and correlations; with a label, scores of two learners.

    Never private: the answer is about the real table, without noise, and must not be published. Learners are trained
    on the synthetic rows and, for comparison, on the real ones, and scored on rows used for nothing else here: a `test`
    table, or the `held_out` share of the real rows. Only the caller knows whether the synthetic table was also made
    from these rows: `protocol` is in-sample or out-of-sample. Workers, here or of a scheduler, read the files
    themselves. No record is sent, but answers, file names and digests are: a scheduler on another machine must be at
    tls://.

    >>> import numpy as np
    >>> from synthbounds.data import parse_schema
    >>> schema = parse_schema('{"synthbounds_schema": 1, "source": "public", "columns": ['
    ...     '{"name": "sex", "levels": ["F", "M"]}, {"name": "ill", "levels": ["no", "yes"]}]}')
    >>> found = evaluate_table(np.array([[0, 0], [0, 1], [1, 1]]), np.array([[0, 0], [1, 1]]), schema)
    >>> found.tables[1].errors.largest == 1 / 3
    True
    """
    from mechanisms.evaluate.evaluation import evaluate
    from mechanisms.evaluate.parameters import EVALUATE_PARAMETERS
    from verify.spread.workers import Workers

    by = Workers.asked(workers, scheduler, certificates)
    by.require_secrecy("evaluate, whose answers are about the real table,")
    EVALUATE_PARAMETERS["schema"].require(schema)
    ways = int(EVALUATE_PARAMETERS["degree"].number(degree))
    _require_consistent(label, test, held_out, seed, protocol)
    if isinstance(test, str | Path) and isinstance(real, str | Path) and _same(test, real):
        raise UsageError("test: is the real table itself; give other rows, or --held-out SHARE")
    share = None if held_out is None else EVALUATE_PARAMETERS["held_out"].number(held_out)
    more = (ways, label, share, int(EVALUATE_PARAMETERS["seed"].number(seed)), protocol, ignore_extra)
    tables = _compared(real, synthetic, schema, test, *more)
    tables.require()
    answers = None
    if not by.is_here:
        files = [None if file is None else _named(file) for file in (real, synthetic, schema, test)]
        answers = by.answers("synthbounds.api.evaluating:answer_of", [(files, more, piece) for piece in tables.pieces])
    return evaluate(tables, answers, say=progress)


def answer_of(item: tuple[list[tuple[str, str] | None], tuple[Any, ...], tuple[str, int]]) -> Any:
    """For a worker: the answer to one piece of an evaluation, from the same files."""
    from mechanisms.evaluate.evaluation import answer_to

    files, more, piece = item
    for file in files:
        if file is not None and _named(file[0]) != file:
            raise DataError(f"{Path(file[0]).name}: is a different file on the worker")
    return answer_to(_compared(*(None if file is None else file[0] for file in files), *more), piece)  # type: ignore[arg-type]


def _named(file: object) -> tuple[str, str]:
    """Where a file is, with its digest."""
    if not isinstance(file, str | Path):
        raise UsageError("workers: read the tables themselves, which must be files")
    try:
        with Path(file).open("rb") as stream:
            return str(Path(file).resolve()), file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{Path(file).name}: cannot be read ({error.strerror})") from None


def _compared(
    real: str | Path | Address | Codes,
    synthetic: str | Path | Codes,
    schema: str | Path | Schema,
    test: str | Path | Codes | None,
    degree: int,
    label: str | None,
    share: Fraction | None,
    seed: int,
    protocol: str | None,
    ignore_extra: bool,
) -> Compared:
    """The tables as codes, with the test rows separate."""
    from mechanisms.evaluate.evaluation import Compared
    from release.data.schema import read_schema

    known = read_schema(schema) if isinstance(schema, str | Path) else schema
    rows, others = (_codes(table, known, ignore_extra=ignore_extra) for table in (real, synthetic))
    rows_of_test = None if test is None else _codes(test, known, ignore_extra=ignore_extra)
    scored = None
    if label is not None:
        rows, scored = _split(rows, rows_of_test, share, seed, protocol)
    return Compared(real=rows, synthetic=others, schema=known, degree=degree, label=label, test=scored)


def held_out_rows(n: int, held_out: Exact, seed: Exact = 0) -> NDArray[np.bool_]:
    """Which of n real rows `evaluate_table` scores on; out of sample, the table is made only from the others."""
    from mechanisms.evaluate.evaluation import held_out_rows as draw
    from mechanisms.evaluate.parameters import EVALUATE_PARAMETERS

    share, key = EVALUATE_PARAMETERS["held_out"].number(held_out), EVALUATE_PARAMETERS["seed"].number(seed)
    return draw(n, share, int(key))


def _require_consistent(label: object, test: object, held_out: object, seed: object, protocol: object) -> None:
    """Refuse what does not go together."""
    if label is None:
        for name, said in (("test", test), ("held-out", held_out), ("protocol", protocol)):
            if said is not None:
                raise UsageError(f"{name} is for scores: also name the column that learners predict (--label)")
    elif (test is None) == (held_out is None):
        both = "not both" if test is not None else "one of them"
        raise UsageError(
            f"label: scores need test rows that are used for nothing else: --test FILE or --held-out SHARE, {both}"
        )
    if seed is not None and held_out is None:
        raise UsageError("seed is for --held-out: nothing else is drawn")


def _same(one: str | Path, other: str | Path) -> bool:
    return Path(one).resolve() == Path(other).resolve()


def _codes(table: str | Path | Address | Codes, schema: Schema, *, ignore_extra: bool) -> Codes:
    from release.data.domain import require_records
    from release.data.tables import IGNORE, REFUSE, read_codes

    if isinstance(table, str | Path | Address):
        return read_codes(rows_of(table), schema, extra=IGNORE if ignore_extra else REFUSE)
    require_records(table, schema.domain)
    return table


def _split(
    rows: Codes, test: Codes | None, share: Fraction | None, seed: int, protocol: str | None
) -> tuple[Codes, ScoredRows]:
    """The real rows without the test rows, and the test rows with their origin."""
    from mechanisms.evaluate.evaluation import ScoredRows, held_out_rows
    from mechanisms.evaluate.parameters import EVALUATE_PARAMETERS, IN_SAMPLE, OUT_OF_SAMPLE

    if protocol is None:
        named = OUT_OF_SAMPLE if share is None else IN_SAMPLE
    else:
        named = EVALUATE_PARAMETERS["protocol"].choice(protocol)
    drawn = None
    if share is not None:
        chosen = held_out_rows(len(rows), share, seed)
        rows, test, drawn = rows[~chosen], rows[chosen], seed
    assert test is not None
    return rows, ScoredRows(codes=test, protocol=named, is_stated=protocol is not None, share=share, seed=drawn)
