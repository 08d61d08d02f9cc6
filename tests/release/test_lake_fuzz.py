"""Nasty tables in every place where a table may be stored: the same integers, or a refusal that shows no cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bounds.errors import DataError
from release.data.counting import counts
from release.data.source import TableSource
from release.lake.address import Address
from release.lake.source import LakeSource
from tests import lake_examples
from tests.lake_examples import Example
from tests.postgres_server import running_server

TABLES = [pytest.param(range(24)), pytest.param(range(24, 200), marks=pytest.mark.slow)]
"""The first of them find what the others find, but for rare cells."""
NAME = 'the "table"'


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with running_server() as address:
        yield address


class FileSource(TableSource):
    def close(self) -> None:
        """Nothing is open."""


def sets_of(table: Example) -> list[tuple[int, ...]]:
    places = range(len(table.columns))
    return [*((u,) for u in places), *combinations(places, 2), tuple(places)]


def said_of(source: Any, table: Example, wanted: np.ndarray | None) -> str:
    """Whether a source counts as plain arithmetic does, or refuses; nothing else may happen."""
    try:
        with closing(source()) as opened:
            found = opened.counts(sets_of(table))
    except DataError as error:
        require_silence(str(error), table)
        return "refused"
    assert wanted is not None, "a table with a cell that has no code was counted"
    right = counts(wanted, table.schema.domain.sizes, sets_of(table))
    assert all(np.array_equal(found[columns], right[columns]) for columns in right)
    return "counted"


def require_silence(message: str, table: Example) -> None:
    """No cell that is long enough to be told from words, in what a release would say."""
    for column in table.columns:
        for cell in column.cells:
            text = lake_examples.as_text(column.kind, cell)
            assert len(text) < 5 or text in " ".join(table.schema.names) or text not in message


def engine_source(address: str, table: Example) -> LakeSource:
    return LakeSource(Address(address, '"the ""table"""'), table.schema, private=True)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", TABLES)
def test_duckdb_and_files_count_the_same_or_refuse(seeds: range, tmp_path: Path) -> None:
    import duckdb

    seen: dict[str, Counter[str]] = {name: Counter() for name in ("csv", "parquet", "duckdb")}
    streamed = 0
    for seed in seeds:
        table = lake_examples.example(seed)
        wanted = table.codes
        (tmp_path / "lake").mkdir(exist_ok=True)
        lake_examples.write_parquet(tmp_path / "lake" / "part.parquet", table)
        if not any("\0" in str(cell) for row in table.rows for cell in row):
            lake_examples.write_csv(tmp_path / "t.csv", table)
            found = said_of(lambda t=table: FileSource(tmp_path / "t.csv", t.schema, private=True), table, wanted)
            seen["csv"][found] += 1
        place = f"parquet:{tmp_path / 'lake'}"
        found = said_of(lambda p=place, t=table: LakeSource(Address(p), t.schema, private=True), table, wanted)
        assert (found == "counted") is (wanted is not None), seed
        seen["parquet"][found] += 1
        file = tmp_path / "t.duckdb"
        with duckdb.connect(str(file)) as connection:
            lake_examples.insert(table, "duckdb", NAME, connection.execute, "?")
        with closing(engine_source(f"duckdb:{file}", table)) as source:
            streamed += source._codings is None
        seen["duckdb"][said_of(lambda f=file, t=table: engine_source(f"duckdb:{f}", t), table, wanted)] += 1
    assert all(min(found["counted"], found["refused"]) >= len(seeds) // 8 for found in seen.values()), seen
    assert seen["duckdb"]["counted"] >= 0.8 * seen["parquet"]["counted"]
    assert 0 < streamed < len(seeds) / 4


@pytest.mark.slow
@pytest.mark.parametrize("seeds", TABLES)
def test_postgres_counts_the_same_or_refuses(seeds: range, postgres: str) -> None:
    import psycopg

    seen: Counter[str] = Counter()
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(
            "CREATE COLLATION IF NOT EXISTS case_blind "
            "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
        )
        for table in map(lake_examples.example, seeds):
            if any("\0" in str(cell) for row in table.rows for cell in row):
                continue  # which no text of PostgreSQL holds
            lake_examples.insert(table, "postgres", NAME, connection.execute, "%s")
            seen[said_of(lambda t=table: engine_source(postgres, t), table, table.codes)] += 1
    assert min(seen["counted"], seen["refused"]) >= len(seeds) // 8
