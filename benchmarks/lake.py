"""All two-way tables of a large table, counted in place: files streamed into our counter, and queries to an engine.

Whole processes, with imports and reading: CPU seconds and memory of one run on a shared machine. The table is that of
`benchmarks.marginals`, 15 columns of 2 to 20 levels, as integers in Parquet (zstd) and in DuckDB; the larger one is a
folder with ten copies of its file. "By hand" is one query with GROUPING SETS of all pairs of columns, which uses no
schema, does not check for bad cells and fetches its counts.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import synthbounds.data as sd
from benchmarks.marginals import MAIN, SIZES, _table
from benchmarks.measure import ONE_THREAD, Used, child, main

RECORDS, COPIES, REPEATS = 10**7, 10, 1
_SIZES = SIZES[MAIN]
_NAMES = tuple(f"x{j}" for j in range(len(_SIZES)))
_PAIRS = list(combinations(range(len(_SIZES)), 2))


def run(*, quick: bool) -> dict[str, Any]:
    records, copies, repeats = (RECORDS // 10, 2, 1) if quick else (RECORDS, COPIES, REPEATS)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _write(folder, records, copies)
        found = {
            "files": _best(lambda: _called(f"ours('parquet:{folder / 'one'}')"), repeats),
            "folder_of_ten_times_as_many": _best(lambda: _called(f"ours('parquet:{folder / 'ten'}')"), repeats),
            "duckdb": _best(lambda: _called(f"ours('duckdb:{folder / 'one.duckdb'}', 'people')"), repeats),
            "duckdb_by_hand": _best(lambda: _called(f"by_hand('{folder / 'one.duckdb'}')"), repeats),
        }
        bytes_read = (folder / "one" / "0.parquet").stat().st_size
    ratio = found["duckdb"]["cpu_s"] / found["duckdb_by_hand"]["cpu_s"]
    per_row = (found["folder_of_ten_times_as_many"]["cpu_s"] - found["files"]["cpu_s"]) / (records * (copies - 1))
    within = found["files"]["cpu_s"] <= 3 and found["folder_of_ten_times_as_many"]["cpu_s"] <= 15 and ratio <= 3
    return {
        **found,
        "records": records,
        "copies": copies,
        "tables": len(_PAIRS),
        "bytes_per_row": round(bytes_read / records, 3),
        "duckdb_over_by_hand": round(ratio, 2),
        "cpu_s_per_million_more_rows": round(per_row * 10**6, 4),
        "within_target": within and max(f["mb"] for f in found.values()) <= 500,
    }


def ours(address: str, table: str | None = None) -> None:
    """Count with the public schema, wherever the table is."""
    from release.lake.source import LakeSource

    columns = [{"name": name, "levels": list(map(str, range(s)))} for name, s in zip(_NAMES, _SIZES, strict=True)]
    schema = sd.parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))
    source = LakeSource(sd.Address(address, table), schema, private=True)
    assert len(source.counts(_PAIRS)) == len(_PAIRS)


def by_hand(file: str) -> None:
    """The query that someone who knows DuckDB would write."""
    import duckdb

    sets = ", ".join(f"({_NAMES[i]}, {_NAMES[j]})" for i, j in _PAIRS)
    names = ", ".join(_NAMES)
    query = f"SELECT {names}, GROUPING({names}), COUNT(*) FROM people GROUP BY GROUPING SETS ({sets})"  # noqa: S608
    with duckdb.connect(file, read_only=True) as connection:
        assert connection.execute(query).fetchall()


def _write(folder: Path, records: int, copies: int) -> None:
    import duckdb
    import pyarrow as pa
    from pyarrow import parquet

    codes = _table(_SIZES, records)
    for name in ("one", "ten"):
        (folder / name).mkdir()
    first = folder / "one" / "0.parquet"
    table = pa.table({name: codes[:, j] for j, name in enumerate(_NAMES)})
    parquet.write_table(table, first, compression="zstd", row_group_size=10**6)
    for i in range(copies):
        shutil.copyfile(first, folder / "ten" / f"{i}.parquet")
    with duckdb.connect(str(folder / "one.duckdb")) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"CREATE TABLE people AS FROM '{first}'")


def _called(call: str) -> Used:
    return child([sys.executable, "-c", f"import benchmarks.lake as b; b.{call}"], ONE_THREAD)


def _best(measured: Callable[[], Used], repeats: int) -> dict[str, Any]:
    used = [measured() for _ in range(repeats)]
    return {"cpu_s": round(min(u.cpu_s for u in used), 2), "mb": round(max(u.mb for u in used))}


if __name__ == "__main__":
    sys.exit(main("lake", __doc__ or "", run))
