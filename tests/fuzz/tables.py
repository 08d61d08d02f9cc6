"""Damaged tables, CSV and Parquet, with values that must never be printed, given to commands that really spend."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

from tests.fuzz.parquet_lies import lying
from tests.fuzz.templates import OF_TABLES

SECRETS = ("Zzyzx41719", "417.190234")
CELLS = (
    *(*SECRETS, *SECRETS, "", " ", "NaN", "inf", "1e5", "1e-400", "1e999999999", "-0", "+5", "٣", "0x10", "1_0", "50"),
    *("yes", "YES", "yes ", '"', '""', '"yes', "a\nb", "\x00", "é", "x" * 3000, "Zzyzx41719" * 300, "\ufeff"),
)
PUBLIC = (
    "schema people.csv --output o.json",
    "train people.csv --schema s.json --label insured --tau 2 --output o.json",
    "evaluate tree.csv people.csv --schema s.json",
    "infer distance.json --synthetic people.csv --proportion insured=yes",
)
"""They may say what they have read: these tables are public."""
NAMES = ("age", "job", "owns", "insured", "Age", "", " age", *SECRETS, "x" * 2000)


def table_case(draws: random.Random, stock: Path) -> tuple[list[str], dict[str, bytes]]:
    """A command that spends, and other bytes for its table, or for the predictions of a model."""
    if draws.randrange(12) == 0:
        words = "confirm people.csv open-floors.json --predictions predictions.csv --loss log --model-from public"
        return [*words.split(), "--output", "o.json"], {"predictions.csv": _lines(stock, "predictions.csv", draws)}
    words = list(draws.choice(OF_TABLES))
    if draws.randrange(6) == 0:
        words = draws.choice(PUBLIC).split()
    if draws.randrange(8) == 0:
        words.append("--ignore-extra")
    if draws.random() < 0.25:
        words = ["people.parquet" if word == "people.csv" else word for word in words]
        return words, {"people.parquet": _parquet(stock, draws)}
    name = "people.parquet" if "people.parquet" in words else "people.csv"
    return words, {name: _lines(stock, "people.csv", draws)}


def spends(words: list[str]) -> bool:
    """Whether the table is private, so that nothing of it may be said."""
    return "release" in words[1:] or words[0] == "confirm"


def _lines(stock: Path, name: str, draws: random.Random) -> bytes:
    rows = [line.split(",") for line in (stock / name).read_text().splitlines()]
    for _ in range(draws.choice((1, 1, 1, 2, 3))):
        draws.choice(CHANGES)(rows, draws)
    separator, end = draws.choice((",",) * 12 + (";", "\t", ", ")), draws.choice(("\n",) * 9 + ("\r\n", "\r", "\n\n"))
    text = end.join(separator.join(row) for row in rows) + draws.choice((end, end, end, "", ",", '"', "\n\n"))
    data = text.encode(draws.choice(("utf-8",) * 15 + ("utf-16", "latin-1", "utf-8-sig")), "replace")
    return _spoilt(data, draws) if draws.randrange(8) == 0 else data


def _spoilt(data: bytes, draws: random.Random) -> bytes:
    """Some bytes other than they were, or only the first of them."""
    found = bytearray(data)
    for _ in range(draws.choice((1, 1, 3, 20))):
        found[draws.randrange(len(found))] = draws.randrange(256)
    return bytes(found[: draws.randrange(len(found))] if draws.randrange(4) == 0 else found)


def _cell(rows: list[list[str]], draws: random.Random) -> None:
    row = draws.choice(rows[1:] or rows)
    if row:
        row[draws.randrange(len(row))] = draws.choice(CELLS)


def _ragged(rows: list[list[str]], draws: random.Random) -> None:
    row = draws.choice(rows)
    if row and draws.randrange(2):
        del row[draws.randrange(len(row))]
    else:
        row.insert(draws.randrange(len(row) + 1), draws.choice(SECRETS))


def _column(rows: list[list[str]], draws: random.Random) -> None:
    """A column more, or less."""
    place = draws.randrange(5)
    if draws.randrange(3) == 0:
        for row in rows:
            del row[place : place + 1]
        return
    rows[0].insert(place, draws.choice(NAMES))
    for row in rows[1:]:
        row.insert(place, draws.choice(SECRETS))


def _header(rows: list[list[str]], draws: random.Random) -> None:
    if rows[0]:
        rows[0][draws.randrange(len(rows[0]))] = draws.choice(NAMES)


def _rows(rows: list[list[str]], draws: random.Random) -> None:
    """No rows, rows again, an empty row, or rows without a header."""
    way = draws.randrange(5)
    if way == 0:
        del rows[1:]
    elif way == 1:
        rows += [list(row) for row in rows[1:]] * draws.choice((1, 20))
    elif way == 2:
        rows.insert(draws.randrange(1, len(rows) + 1), [""])
    elif way == 3 and len(rows) > 1:
        del rows[0]
    else:
        rows[:] = rows[: draws.choice((2, 3, 6))]


CHANGES = (_cell, _cell, _cell, _cell, _ragged, _column, _header, _rows)


def _parquet(stock: Path, draws: random.Random) -> bytes:
    """Columns of other types, with secrets, or broken bytes."""
    import pyarrow as pa
    from pyarrow import parquet

    table = parquet.read_table(stock / "people.parquet")
    for _ in range(draws.choice((0, 1, 1, 2))):
        place = draws.randrange(table.num_columns)
        name = draws.choice((table.column_names[place],) * 3 + NAMES)
        table = table.set_column(place, name, _array(table.num_rows, draws, pa))
    if draws.randrange(6) == 0:
        table = table.append_column(draws.choice(NAMES), _array(table.num_rows, draws, pa))
    if draws.randrange(10) == 0:
        table = table.slice(0, 0)
    stream = io.BytesIO()
    parquet.write_table(table, stream, compression=draws.choice(("snappy", "zstd", "none", "gzip")))
    if draws.randrange(3) == 0:
        return lying(stream.getvalue(), draws)
    return _spoilt(stream.getvalue(), draws) if draws.randrange(2) else stream.getvalue()


def _array(rows: int, draws: random.Random, pa: Any) -> Any:
    """So many values of one type, some of which may be missing."""
    import datetime
    import decimal

    kinds: list[tuple[Any, list[Any]]] = [
        (pa.string(), ["none", "part", "yes", "no", *CELLS]),
        (pa.large_string(), ["none", *SECRETS]),
        (pa.binary(), [b"yes", b"\xff", SECRETS[0].encode()]),
        (pa.int64(), [0, 50, 2**62]),
        (pa.float64(), [1.5, 417.190234, float("nan"), float("inf")]),
        (pa.bool_(), [True, False]),
        (pa.decimal128(20, 6), [decimal.Decimal("417.190234")]),
        (pa.date32(), [datetime.date(1987, 3, 14)]),
        (pa.timestamp("us", tz="UTC"), [datetime.datetime(1987, 3, 14, 15, 9, tzinfo=datetime.UTC)]),
        (pa.list_(pa.int64()), [[1, 2], []]),
        (pa.struct({"a": pa.string()}), [{"a": SECRETS[0]}]),
        (pa.null(), [None]),
    ]
    kind, values = draws.choice(kinds)
    if draws.randrange(3) == 0:
        values = [*values, None]
    found = pa.array([draws.choice(values) for _ in range(rows)], kind)
    simple = not pa.types.is_nested(kind) and not pa.types.is_null(kind)
    return found.dictionary_encode() if simple and draws.randrange(5) == 0 else found
