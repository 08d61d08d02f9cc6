"""Files that demand far more work than their size are refused at once: a reader's work is proportional to the size."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from bounds.errors import DataError
from bounds.exact import common_denominator
from lp.study.distributions import distribution
from mechanisms.infer.chi_square.share_file import parse_shares
from release.accuracy.workload import read_workload
from release.data import table_parquet
from release.data.number_lines import number_lines
from release.data.schema import MOST_ALL_CODES, parse_schema
from release.data.tables import read_codes
from release.data.weights import read_weights
from release.files.strict_json import parse_json
from release.statistics.predictions import predictions_of
from tests.release.test_tables import schema_of


def seconds_of(work: Callable[[], object]) -> float:
    """Of the processor, not of the clock."""
    start = time.process_time()
    work()
    return time.process_time() - start


def refused(work: Callable[[], object], words: str) -> None:
    """With these words, in the time of some 400,000 fractions."""

    def whole() -> None:
        with pytest.raises(DataError, match=words):
            work()

    assert seconds_of(whole) < 20 * seconds_of(lambda: [Fraction(k, k + 1) for k in range(200_000)])


def long_fractions(count: int) -> list[str]:
    return [f"1/{10**500 + 2 * i * i + 7 * i + 1}" for i in range(count)]


def numbers(count: int, **more: Any) -> list[dict[str, Any]]:
    return [{"name": f"c{i}", "range": ["0", "70000"], "bins": 65_535, **more} for i in range(count)]


def schema_text(columns: list[dict[str, Any]]) -> str:
    return json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns})


def test_a_key_twice_among_many_is_found_at_once() -> None:
    text = "{" + ",".join(f'"k{i}":1' for i in range(200_000)) + ',"k199999":2}'
    refused(lambda: parse_json(text, "file"), "k199999.*twice")


@pytest.mark.share(2)
@pytest.mark.parametrize("wrap", ['{"a": ', "["])
def test_what_is_nested_in_many_levels_is_refused(wrap: str) -> None:
    end = "]" if wrap == "[" else "}"
    for depth in (100, 900, 100_000):
        refused(lambda depth=depth: parse_json(wrap * depth + "1" + end * depth, "file"), "nested too deeply")
    parse_json(wrap * 50 + "1" + end * 50, "file")


def test_numbers_of_few_digits_take_little_room() -> None:
    text = "[" + "1," * 500_000 + "1]"
    tracemalloc.start()
    found = parse_json(text, "file")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(found, list)
    assert str(found[0]) == "1"
    assert peak < 20 * len(text)


@pytest.mark.parametrize(
    "more", [{}, *(pytest.param(one, marks=pytest.mark.slow) for one in ({"whole": True}, {"missing": ["9"]}))]
)
def test_all_codes_of_a_schema_are_bounded(more: dict[str, Any]) -> None:
    most = MOST_ALL_CODES // 65_536
    if not more:
        assert len(parse_schema(schema_text(numbers(most))).columns) == most
    with pytest.raises(DataError, match=rf"columns\[{most}\]: with this column there are more than 1,048,576 codes"):
        parse_schema(schema_text(numbers(1000, **more)))


@pytest.mark.parametrize(("text", "clashes"), [("35000", True), ("34999", False), ("1e9", False), ("x", False)])
def test_a_missing_value_may_not_be_what_a_bin_is_written_as(text: str, clashes: bool) -> None:
    column = {"name": "a", "range": ["0", "70000"], "bins": 65_535, "missing": [text]}
    work = lambda: parse_schema(schema_text([column]))  # noqa: E731
    if clashes:
        refused(work, "is also how a bin is written")
    else:
        assert work().columns[0].size == 65_536


def test_names_of_thousands_of_columns_are_found_at_once(tmp_path: Path) -> None:
    names = [f"column number {i}" for i in range(3000)]
    schema = parse_schema(schema_text([{"name": name, "levels": ["a", "b"]} for name in names]))
    tables = [[names[2999 - i % 7], names[i % 2990]] for i in range(50_000)]
    (tmp_path / "w.json").write_text(json.dumps({"synthbounds_workload": 1, "tables": tables}))
    refused(lambda: read_workload(str(tmp_path / "w.json"), schema), "given twice")


def test_fractions_without_a_common_denominator_are_not_added_up(tmp_path: Path) -> None:
    assert common_denominator([Fraction(1, 6), Fraction(3, 4)], 10) == 12
    assert common_denominator([Fraction(1, 3**k) for k in range(20)], 10) is None
    (tmp_path / "p.csv").write_text("\n".join(["weight", *long_fractions(5000), ""]))
    refused(lambda: distribution(str(tmp_path / "p.csv"), "nu"), "no common denominator")
    levels = [f"v{i}" for i in range(5000)]
    schema = schema_of({"name": "a", "levels": levels})
    text = "\n".join(["a,share", *(f"{level},{x}" for level, x in zip(levels, long_fractions(5000), strict=True)), ""])
    refused(lambda: parse_shares(text, schema), "no common denominator")


def test_rows_that_are_too_many_are_not_read_first(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("weight\n" + "1\n" * 1_000_000)
    refused(lambda: distribution(str(tmp_path / "p.csv"), "nu"), "more than the 100000 rows")
    refused(lambda: parse_shares("a,share\n" + "x,1\n" * 500_000, schema_of({"name": "a", "levels": ["x", "y"]})),
            "more than 262,144 lines")  # fmt: skip


def test_predictions_take_room_by_what_is_different_among_them() -> None:
    texts = ["0." + "0" * 398 + "1", *["1", "0.5"] * 200_000]
    tracemalloc.start()
    found = predictions_of(texts)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.numerators[:3] == (1, 10**399, 5 * 10**398)
    assert peak < 40 * 1024**2
    with pytest.raises(DataError, match="row 3"):
        predictions_of([1, "1", True])


@pytest.mark.parametrize("text", ["1_0", "١", "nan", "infinity", "0x10", "1 0", ""])
def test_weights_are_decimal_numbers(text: str, tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text(f"weight\n1\n{text}\n")
    with pytest.raises(DataError, match="row 2 is not a decimal number"):
        read_weights(path, 2)


def test_devices_are_not_read() -> None:
    with pytest.raises(DataError, match="is not a regular file"):
        number_lines("/dev/zero", "predictions zero")


LEVELS = schema_of({"name": "a", "levels": ["x", "y"]}, {"name": "b", "range": ["0", "1"], "bins": 2})


def write(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    parquet.write_table(pa.table(columns), path, store_schema=False, **options)
    return path


def test_a_long_text_in_every_row_of_a_parquet_file_stays_one_text(tmp_path: Path) -> None:
    rows = 60_000
    text = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["1" * 10**6]))
    path = write(tmp_path / "t.parquet", {"a": ["x"] * rows, "b": text}, compression="zstd")
    assert path.stat().st_size < 2000
    before = pa.total_allocated_bytes()
    with pytest.raises(DataError, match="row 1, column 'b'"):
        read_codes(path, LEVELS)
    assert pa.default_memory_pool().max_memory() - before < 2**28


def test_a_parquet_file_may_not_say_that_it_holds_far_more_than_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "t.parquet", {"a": ["x"] * 10**6, "b": [0.5] * 10**6}, compression="zstd")
    assert len(read_codes(path, LEVELS)) == 10**6
    monkeypatch.setattr(table_parquet, "ROWS", 1000)
    with pytest.raises(DataError, match="more rows than a Parquet file of its size may have") as caught:
        read_codes(path, LEVELS)
    assert "1000000" not in str(caught.value)
    plain = write(tmp_path / "p.parquet", {"a": ["x" * 10**6] * 10, "b": [0.5] * 10},
                  compression="zstd", use_dictionary=False)  # fmt: skip
    monkeypatch.setattr(table_parquet, "BYTES", 1000)
    with pytest.raises(DataError, match="more than 100 times as large unpacked"):
        read_codes(plain, LEVELS)


def test_many_columns_are_read_in_short_batches(tmp_path: Path) -> None:
    rows, names = 3000, [f"c{i}" for i in range(3000)]
    path = write(tmp_path / "w.parquet", dict.fromkeys(names, [True] * rows))
    sizes = [len(arrays[0]) for arrays in table_parquet.ParquetRows(path, "t").batches(names)]
    assert sum(sizes) == rows
    assert max(sizes) * len(names) <= 2**22 + len(names)
