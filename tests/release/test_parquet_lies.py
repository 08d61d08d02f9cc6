"""Parquet files that lie in their footers and pages: read or refused, and copied, in little memory."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from bounds.errors import DataError
from release.data import row_copies, table_parquet
from release.data.parquet_pages import footer, pages
from release.data.row_copies import _copy_parquet
from release.data.tables import read_codes
from tests.fuzz import parquet_lies as lies_of
from tests.fuzz.parquet_lies import lying
from tests.release.test_reading_costs import write
from tests.release.test_tables import schema_of

LYING = schema_of(
    {"name": "age", "range": ["0", "100"], "bins": 4},
    {"name": "job", "levels": ["none", "part", "full"]},
    {"name": "share", "range": ["0", "1"], "bins": 3},
    {"name": "owns", "levels": ["false", "true"], "missing": True},
)


def honest(number: int) -> bytes:
    draws = random.Random(number)
    rows = draws.choice((60, 60, 1000))
    columns = {
        "age": [draws.randrange(100) for _ in range(rows)],
        "job": [draws.choice(("none", "part", "full")) for _ in range(rows)],
        "share": [draws.random() for _ in range(rows)],
        "owns": [draws.choice((True, False, None)) for _ in range(rows)],
    }
    stream = io.BytesIO()
    parquet.write_table(
        pa.table(columns),
        stream,
        compression=draws.choice(("snappy", "zstd", "none", "gzip", "lz4", "brotli")),
        row_group_size=draws.choice((10**6, 500)),
        use_dictionary=draws.choice((True, False)),
        data_page_version=draws.choice(("1.0", "2.0")),
        write_page_index=draws.choice((True, False)),
    )
    return stream.getvalue()


@pytest.mark.parametrize("number", range(8))
def test_what_is_read_of_pages_is_what_their_writer_says(number: int, tmp_path: Path) -> None:
    data = honest(number)
    path = tmp_path / "t.parquet"
    path.write_bytes(data)
    assert len(read_codes(path, LYING)) == parquet.read_metadata(path).num_rows
    metadata = parquet.read_metadata(path)
    said = footer(io.BytesIO(data))
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    columns = [(j, group.column(j)) for group in groups for j in range(group.num_columns)]
    assert said.rows == metadata.num_rows
    assert [(j, c.num_values, c.total_compressed_size, c.data_page_offset) for j, c in columns] == [
        (j, of[5], of[7], of[9]) for j, of in said.columns
    ]
    found = list(pages(io.BytesIO(data), said))
    for j in range(4):
        assert sum(page.values for page in found if page.column == j and not page.is_dictionary) == metadata.num_rows
    headers = sum(c.total_compressed_size for _, c in columns) - sum(page.packed for page in found)
    unpacked = sum(c.total_uncompressed_size for _, c in columns) - sum(page.unpacked for page in found)
    assert headers == unpacked > 0


def lies(numbers: range) -> Iterator[tuple[int, bytes]]:
    known = [honest(number) for number in range(40)]
    for number in numbers:
        draws = random.Random(f"a lie {number}")
        yield number, lying(draws.choice(known), draws)


def believe(numbers: range, path: Path) -> tuple[int, list[str]]:
    """How many files were refused, and what else was wrong."""
    refused, wrong, most = 0, [], pa.default_memory_pool().max_memory()
    for number, data in lies(numbers):
        path.write_bytes(data)
        for read in (lambda: read_codes(path, LYING), lambda: _copy_parquet(path, io.BytesIO(), np.arange(50))):
            try:
                read()
            except DataError as error:
                refused += 1
                wrong += [f"{number}: {error}"] if "\n" in str(error) else []
            except Exception as error:
                wrong.append(f"{number}: {error!r}")
        if pa.default_memory_pool().max_memory() - most > 2**27:
            wrong.append(f"{number}: took {pa.default_memory_pool().max_memory() - most} bytes")
        most = max(most, pa.default_memory_pool().max_memory())
    return refused, wrong


def test_a_parquet_file_that_lies_about_itself_is_read_or_refused(tmp_path: Path) -> None:
    refused, wrong = believe(range(150), tmp_path / "t.parquet")
    assert wrong == []
    assert 75 < refused < 225


@pytest.mark.slow
def test_many_parquet_files_that_lie_are_read_or_refused(tmp_path: Path) -> None:
    assert believe(range(150, 1500), tmp_path / "t.parquet")[1] == []


def page_of(path: Path, **said: int) -> bytes:
    """A file of one column whose one page says that about itself."""
    parquet.write_table(pa.table({"a": ["x"] * 10}), path, use_dictionary=False, compression="none")
    data = path.read_bytes()
    place = footer(io.BytesIO(data)).columns[0][1][9]
    stream = io.BytesIO(data)
    stream.seek(place)
    header = lies_of.read(stream, lies_of.STRUCT)
    rest = stream.read()
    for name, value in said.items():
        header.value[{"unpacked": 2, "packed": 3}[name]].value = value
    written = io.BytesIO()
    lies_of.write(written, header)
    return data[:place] + written.getvalue() + rest


@pytest.mark.parametrize(
    ("said", "complaint"),
    [({"unpacked": 2**31 - 1}, "times as large unpacked"), ({"packed": 2**31 - 1}, "is the file damaged")],
)
def test_a_page_may_not_ask_for_room_that_it_cannot_fill(said: dict[str, int], complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(page_of(path, **said))
    before = pa.default_memory_pool().max_memory()
    with pytest.raises(DataError, match=complaint):
        read_codes(path, schema_of({"name": "a", "levels": ["x", "y"]}))
    assert pa.default_memory_pool().max_memory() - before < 2**24


def test_few_bytes_do_not_stand_for_very_many_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"c{i}" for i in range(100)]
    path = write(tmp_path / "w.parquet", dict.fromkeys(names, [True] * 10_000), compression="zstd")
    wide = schema_of(*({"name": name, "levels": ["false", "true"]} for name in names))
    assert read_codes(path, wide).shape == (10_000, 100)
    monkeypatch.setattr(table_parquet, "CELLS", 1000)
    monkeypatch.setattr(table_parquet, "CELLS_A_BYTE", 1)
    with pytest.raises(DataError, match="more rows than a Parquet file of its size may have"):
        read_codes(path, wide)


def test_rows_are_copied_some_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = 3000
    table = pa.table({"text": [f"t{i % 7}" for i in range(rows)], "number": pa.array(range(rows), pa.int16())})
    table = table.append_column("kind", table["text"].combine_chunks().dictionary_encode())
    parquet.write_table(table, tmp_path / "t.parquet")
    places = np.sort(np.random.default_rng(1).integers(0, rows, 5000))
    monkeypatch.setattr(table_parquet, "_BATCH_ROWS", 256)
    monkeypatch.setattr(row_copies, "_AT_ONCE", 100)
    stream = io.BytesIO()
    _copy_parquet(tmp_path / "t.parquet", stream, places)
    found = parquet.read_table(stream)
    assert found.schema.equals(table.schema)
    assert found.equals(table.take(pa.array(places)).cast(table.schema))
    with pytest.raises(DataError, match="has changed while it was read"):
        _copy_parquet(tmp_path / "t.parquet", io.BytesIO(), np.array([rows]))
    monkeypatch.setattr(row_copies, "BYTES", 100)
    monkeypatch.setattr(row_copies, "BYTES_A_BYTE", 0)
    with pytest.raises(DataError, match="times as large as the file"):
        _copy_parquet(tmp_path / "t.parquet", io.BytesIO(), places)
