"""Tables with nasty cells in every kind of column, their codes by plain arithmetic, and the places they are put."""

from __future__ import annotations

import csv
import json
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from release.data.columns import Column, LevelColumn, NumberColumn
from release.data.dates import DateColumn
from release.data.decimals import parse_decimal
from release.data.schema import STRIP, Schema, parse_schema

TEXTS = (
    "a", "A", "a ", " a", "\u00e4", "a\u0308", "\u00c4", "\u00df", "SS", "ss", "\u0430", "\uff41", "\u0131", "i", "I",
    "\u0130", "\u03a3", "\u03c2", "\u00e9", "e\u0301", "'", "''", '"', "\\", "\\x41", "%", "_", "a'; DROP TABLE t; --",
    '"; DROP TABLE t', "$1", "{0}", "\t", "a\tb", "a\nb", "\n", "0", "00", "-0", "NULL", "null", "NaN", "true", "false",
    "\U0001f600", "\u200b", "a\u200b", "\ufeff", "\u2028", "\U0001d4b3", "\u00a0a",
)  # fmt: skip
NUMBERS = (
    "0", "-0", "+1", "1.", ".5", "-.5", "007", "1e2", "1E-3", "12345678901234567890", "0.1", "0.3",
    "0.30000000000000004", "0.333333333333333333", "0.333333333333333334",
    "0.3333333333333333333333", "1.000000000000000000000000000000000001",
    "99999999999999999999999999999999999999", "-99999999999999999999.999999999999999999", "2.50", "3", "-3", "1e400",
)  # fmt: skip
BAD_NUMBERS = ("", "NaN", "Infinity", "-inf", "1,5", "1_0", "0x10", "١", "five", "1 ", "--1", "1e", ".", "5\n")
FLOATS = (0.0, -0.0, 0.1, 0.3, 0.1 + 0.2, 1 / 3, 2 / 3, 5e-324, -5e-324, 1.0, 2.5, 3.0, -3.0, 1e16)
BAD_FLOATS = (math.nan, math.inf, -math.inf)
NAMES = ("x", "X y", 'q"uote', "it's", "select", "a.b", "ü", "$c", "c0", "t0", "n;--", "%s")


@dataclass(frozen=True)
class Cells:
    """A column: its declaration, its type in engines, and its cells as Python has them."""

    declared: dict[str, Any]
    kind: str
    cells: list[Any]
    types: dict[str, str]
    """How DuckDB, PostgreSQL and Spark call the type."""


@dataclass(frozen=True)
class Example:
    """A table and its schema."""

    columns: list[Cells]
    schema: Schema

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return list(zip(*(column.cells for column in self.columns), strict=True))

    @property
    def codes(self) -> np.ndarray | None:
        """The codes of all cells; None where some cell has none."""
        pairs = zip(self.schema.columns, self.columns, strict=True)
        found = [[code_of(c, cells.kind, x, self.schema.spaces == STRIP) for x in cells.cells] for c, cells in pairs]
        return None if any(code is None for column in found for code in column) else np.array(found).T


def code_of(column: Column, kind: str, cell: Any, strips: bool) -> int | None:
    """The code of a cell, by the words of docs/schema.md and nothing that reads tables."""
    if cell is None:
        return column.missing_code
    if kind == "float" and math.isnan(cell):
        return column.missing_code if any(text.lower() == "nan" for text in column.missing) else None
    if kind == "float" and any(parse_decimal(t) is not None and float(t) == cell for t in column.missing):
        return column.missing_code
    if kind in ("text", "int", "bool"):
        text = str(cell).lower() if kind == "bool" else str(cell)
        text = text.strip(" \t") if strips and kind == "text" else text
        if text in column.missing and kind != "bool":
            return column.missing_code
        if isinstance(column, LevelColumn):
            return column.levels.index(text) if text in column.levels else None
        if isinstance(column, DateColumn):
            read = column.format.read(text)
            return None if read is None else column.code_of(*read)
        number = parse_decimal(text)
    elif isinstance(column, DateColumn):
        return column.code_of(cell.toordinal(), cell.hour if isinstance(cell, datetime) else 0)
    else:
        number = None if kind == "float" and math.isinf(cell) else Fraction(cell)
    assert isinstance(column, NumberColumn)
    if number is None or (column.whole and number.denominator != 1):
        return None
    return column.code_of(number)


def example(seed: int, *, rows: int = 25) -> Example:
    """A table of two to four columns; in about one of three some cell has no code, or perhaps none."""
    draw = random.Random(seed)
    makers = [_levels, _levels, _number_texts, _floats, _decimals, _integers, _days, _moments, _day_texts, _booleans]
    is_bad, names = draw.random() < 0.3, draw.sample(NAMES, 4)
    made = [draw.choice(makers)(draw, rows, is_bad) for _ in range(draw.randint(2, 4))]
    body = [{"name": name, **column.declared} for name, column in zip(names, made, strict=False)]
    spaces = "strip" if draw.random() < 0.3 and not any(map(_has_blanks, made)) else "count"
    text = json.dumps({"synthbounds_schema": 1, "source": "public", "spaces": spaces, "columns": body})
    return Example(made, parse_schema(text))


def _has_blanks(column: Cells) -> bool:
    said = [*column.declared.get("levels", ()), *(column.declared.get("missing") or ())]
    return any(text != text.strip(" \t") for text in said)


def _with_gaps(draw: random.Random, cells: list[Any], declared: dict[str, Any], spellings: Sequence[str]) -> None:
    """Some missing cells, in a column that allows them."""
    if draw.random() < 0.4:
        declared["missing"] = list(spellings)
        for _ in range(3):
            cells[draw.randrange(len(cells))] = None


def _text_types(draw: random.Random) -> dict[str, str]:
    return {
        "duckdb": draw.choice(("VARCHAR", "VARCHAR COLLATE NOCASE", "VARCHAR COLLATE NOACCENT.NOCASE")),
        "postgres": draw.choice(("TEXT", "VARCHAR(60)", "TEXT COLLATE case_blind")),
        "spark": "STRING",
    }


def _levels(draw: random.Random, rows: int, is_bad: bool) -> Cells:
    texts = draw.sample(TEXTS, 12)
    levels, others = texts[:8], texts[8:]
    cells: list[Any] = draw.choices(levels, k=rows)
    if is_bad:
        cells[draw.randrange(rows)] = draw.choice((*others, "", "a\0b"))
    declared: dict[str, Any] = {"levels": levels}
    _with_gaps(draw, cells, declared, ("", "gone"))
    if "missing" in declared and draw.random() < 0.5:
        cells[0] = draw.choice(("", "gone"))
    return Cells(declared, "text", cells, _text_types(draw))


def _range(draw: random.Random) -> dict[str, Any]:
    declared = draw.choice(
        (
            {"range": ["0", "1"], "bins": 3},
            {"range": ["-3", "3"], "bins": 7},
            {"edges": ["-1", "0", "0.1", "0.3", "2.5", "1000"]},
            {"range": ["0", "1"], "grid": 4},
            {"range": ["-99999999999999999999.5", "99999999999999999999999999999999999999"], "bins": 5},
        )
    )
    return {**declared, **({"outside": "clip"} if draw.random() < 0.7 else {})}


def _number_texts(draw: random.Random, rows: int, is_bad: bool) -> Cells:
    declared = _range(draw)
    plain = [t for t in NUMBERS if len(t) < 21 and "e" not in t.lower() and abs(float(t)) <= 3 and len(t) < 15]
    cells: list[Any] = draw.choices(plain if draw.random() < 0.7 else NUMBERS, k=rows)
    if is_bad:
        cells[draw.randrange(rows)] = draw.choice(BAD_NUMBERS)
    _with_gaps(draw, cells, declared, ("", "-999"))
    return Cells(declared, "text", cells, _text_types(draw))


def _floats(draw: random.Random, rows: int, is_bad: bool) -> Cells:
    declared = _range(draw)
    cells: list[Any] = [x * draw.choice((1, 1, -1)) for x in draw.choices(FLOATS, k=rows)]
    if is_bad:
        cells[draw.randrange(rows)] = draw.choice(BAD_FLOATS)
    _with_gaps(draw, cells, declared, draw.choice((("",), ("NaN", ""), ("", "2.5"))))
    return Cells(declared, "float", cells, {"duckdb": "DOUBLE", "postgres": "DOUBLE PRECISION", "spark": "DOUBLE"})


def _decimals(draw: random.Random, rows: int, is_bad: bool) -> Cells:
    declared, places = _range(draw), draw.choice((0, 2, 18, 37))
    most = 10 ** (38 - places) - 1
    wide = [Decimal(most), Decimal(-most), Decimal(1).scaleb(-places), Decimal(0)]
    step, exact = Decimal(1).scaleb(-places), Context(prec=60)
    near = [Decimal(t).quantize(step, context=exact) for t in ("0.1", "0.3", "0.33", "0.34", "1", "-1", "2.5")]
    cells: list[Any] = draw.choices(wide + near if is_bad or declared.get("outside") else near, k=rows)
    _with_gaps(draw, cells, declared, ("",))
    kind = f"DECIMAL(38, {places})"
    postgres = draw.choice((kind, "NUMERIC"))
    return Cells(declared, "decimal", cells, {"duckdb": kind, "postgres": postgres, "spark": kind})


def _integers(draw: random.Random, rows: int, is_bad: bool) -> Cells:
    types = {"duckdb": "BIGINT", "postgres": "BIGINT", "spark": "BIGINT"}
    if draw.random() < 0.5:
        levels = draw.choice((["0", "1", "2"], ["-2", "-1", "0", "1", "2"], ["7", "-5", "3", "03"], ["5", "4", "3"]))
        cells: list[Any] = draw.choices([int(t) for t in levels if str(int(t)) == t], k=rows)
        declared: dict[str, Any] = {"levels": levels}
        if is_bad:
            cells[0] = 2**40
        _with_gaps(draw, cells, declared, ("", "-9"))
        return Cells(declared, "int", cells, types)
    declared = _range(draw)
    cells = draw.choices((0, 1, -1, 2, 3, 2**63 - 1, -(2**63)) if declared.get("outside") else (0, 1), k=rows)
    _with_gaps(draw, cells, declared, ("", "2"))
    return Cells(declared, "int", cells, types)


def _span(draw: random.Random, form: str) -> dict[str, Any]:
    by = draw.choice(
        ("year", "quarter", "month", "week", "weekday", "hour")
        if "%H" in form
        else ("year", "month", "weekday", "week")
    )
    first = "2019-12-30" if by == "week" else "2019-01-01"
    clip = {"outside": "clip"} if draw.random() < 0.5 else {}
    return {"date": form, "first": first, "last": "2021-12-31", "by": by, **clip}


def _moments_of(draw: random.Random, rows: int, *, wide: bool) -> list[datetime]:
    start, days = datetime(2020, 1, 1), 700
    found = [start + timedelta(days=draw.randrange(days), seconds=draw.randrange(86400)) for _ in range(rows)]
    if wide:
        found[0], found[-1] = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59)
    return found


def _days(draw: random.Random, rows: int, is_bad: bool) -> Cells:
    declared = _span(draw, "%Y-%m-%d")
    cells: list[Any] = [d.date() for d in _moments_of(draw, rows, wide=is_bad)]
    _with_gaps(draw, cells, declared, ("",))
    return Cells(declared, "date", cells, dict.fromkeys(("duckdb", "postgres", "spark"), "DATE"))


def _moments(draw: random.Random, rows: int, is_bad: bool) -> Cells:
    declared = _span(draw, "%Y-%m-%d %H:%M:%S")
    cells: list[Any] = _moments_of(draw, rows, wide=is_bad)
    _with_gaps(draw, cells, declared, ("",))
    return Cells(declared, "date", cells, {"duckdb": "TIMESTAMP", "postgres": "TIMESTAMP", "spark": "TIMESTAMP_NTZ"})


def _day_texts(draw: random.Random, rows: int, is_bad: bool) -> Cells:
    form = draw.choice(("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y %H:%M", "%Y/%m/%d %H:%M:%S", "%d %b %Y"))
    declared = _span(draw, form)
    cells: list[Any] = [d.strftime(form) for d in _moments_of(draw, rows, wide=False)]
    if is_bad:
        bad = ("2021-02-29", "2020-13-01", "0000-01-01", "2020-1-1\n", " 2020-01-01", "31.04.2020", "29.2.1900", "")
        cells[draw.randrange(rows)] = draw.choice(bad)
    elif form == "%d.%m.%Y":
        cells[0], cells[1] = "29.2.2020", "1.3.2021"
    _with_gaps(draw, cells, declared, ("", "-"))
    return Cells(declared, "text", cells, _text_types(draw))


def _booleans(draw: random.Random, rows: int, is_bad: bool) -> Cells:
    declared: dict[str, Any] = {
        "levels": ["true", "True"] if is_bad else draw.choice((["true", "false"], ["no", "false", "true"]))
    }
    cells: list[Any] = draw.choices((True, False), k=rows)
    _with_gaps(draw, cells, declared, ("",))
    return Cells(declared, "bool", cells, dict.fromkeys(("duckdb", "postgres", "spark"), "BOOLEAN"))


def as_text(kind: str, cell: Any) -> str:
    """A cell in a CSV file: the very number, and labels as Arrow has them."""
    if cell is None:
        return ""
    if kind == "bool":
        return str(cell).lower()
    if kind == "float" and math.isfinite(cell):
        return f"{Decimal(cell):f}"
    return str(cell)


def write_csv(path: Path, table: Example) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(table.schema.names)
        for row in table.rows:
            writer.writerow([as_text(c.kind, x) for c, x in zip(table.columns, row, strict=True)])


def write_parquet(path: Path, table: Example) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    kinds = {"text": pa.string(), "float": pa.float64(), "int": pa.int64(), "bool": pa.bool_()}

    def array(column: Cells) -> Any:
        kind = kinds.get(column.kind)
        if column.kind == "decimal":
            kind = pa.decimal128(38, int(column.types["duckdb"].rpartition(" ")[2].rstrip(")")))
        elif column.kind == "date":
            kind = pa.date32() if column.types["duckdb"] == "DATE" else pa.timestamp("us")
        return pa.array(column.cells, type=kind)

    parquet.write_table(pa.table([array(c) for c in table.columns], names=list(table.schema.names)), path)


def quoted(name: str, mark: str = '"') -> str:
    return f"{mark}{name.replace(mark, mark * 2)}{mark}"


def insert(table: Example, engine: str, name: str, execute: Callable[..., Any], marks: str) -> None:
    """The table in an engine, by statements with parameters."""
    columns = ", ".join(
        f"{quoted(n)} {column.types[engine]}" for n, column in zip(table.schema.names, table.columns, strict=True)
    )
    execute(f"DROP TABLE IF EXISTS {quoted(name)}")
    execute(f"CREATE TABLE {quoted(name)} ({columns})")
    kinds = [column.types[engine].partition(" COLLATE")[0] for column in table.columns]
    line = ", ".join(f"CAST({marks} AS {kind})" for kind in kinds)
    for row in table.rows:
        execute(f"INSERT INTO {quoted(name)} VALUES ({line})", row)  # noqa: S608
