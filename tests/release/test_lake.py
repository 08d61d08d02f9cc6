"""Tables that are not files: addresses, the two queries, one snapshot, and the errors when something is wrong."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from fractions import Fraction
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlglot

from bounds.errors import DataError, SynthboundsError, UsageError
from release.data.columns import NumberColumn
from release.data.counting import counts
from release.data.schema import Schema, parse_schema
from release.data.source import TableSource
from release.lake.address import Address
from release.lake.source import LakeSource, number_of_rows
from tests.lake_examples import quoted
from tests.paths import ROOT, SHARED
from tests.postgres_server import PASSWORD, running_server

CANARY = "canary-4711"
SCHEMA = parse_schema(
    json.dumps(
        {
            "synthbounds_schema": 1,
            "source": "public",
            "columns": [
                {"name": "sex", "levels": ["F", "M'\"; DROP TABLE people; --"]},
                {"name": 'a"ge', "range": ["0", "100"], "bins": 4},
                {"name": "day", "date": "%Y-%m-%d", "first": "2020-01-01", "last": "2020-12-31", "by": "month"},
            ],
        }
    )
)
ROWS = [("F", "12.5", "2020-02-29"), (SCHEMA.columns[0].texts[1], "99", "2020-12-31"), ("F", "0", "2020-01-01")]


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with running_server() as address:
        yield address


def duckdb_file(
    path: Path, rows: list[tuple[Any, ...]], names: tuple[str, ...] = SCHEMA.names, table: str = "people"
) -> str:
    import duckdb

    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE {quoted(table)} ({', '.join(f'{quoted(n)} VARCHAR' for n in names)})")
        marks = ", ".join("?" * len(names))
        connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({marks})", rows)  # noqa: S608
    return f"duckdb:{path}"


@pytest.mark.parametrize(
    ("text", "table", "said"),
    [
        ("postgres://me:hunter2@host/db", "t", "contains a password"),
        ("postgres://host/db?password=hunter2", "t", "contains a password"),
        ("snowflake://me:hunter2@host", "t", "contains a password"),
        ("bigquery://p/d?credentials=hunter2", "t", "contains a password"),
        ("hunter2", "t", "must be parquet:FOLDER"),
        ("duckdb:", "t", "must be parquet:FOLDER"),
        ("duckdb:hunter2", None, "name it, too"),
        ("parquet:hunter2", "t", "is the table itself"),
        ("duckdb:x", 'a"b', "must be NAME"),
        ("duckdb:x", "a..b", "must be NAME"),
        ("duckdb:x", "a.b.c.d", "must be NAME"),
        ("duckdb:x", "", "must be NAME"),
    ],
)
def test_a_wrong_address_is_refused_and_never_repeated(text: str, table: str | None, said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        Address(text, table)
    assert "hunter2" not in str(refused.value)


def test_names_of_tables_have_parts() -> None:
    assert Address("duckdb:x", "t").parts == ("t",)
    assert Address("duckdb:x", 's."a.b""c"').parts == ("s", 'a.b"c')
    assert Address("postgresql://h/d", "t").kind == "postgres"


def test_names_and_levels_are_data_and_never_sql(tmp_path: Path) -> None:
    table = 'people"; DROP TABLE x; --'
    address = duckdb_file(tmp_path / "t.duckdb", ROWS, table=table)
    with closing(LakeSource(Address(address, quoted(table)), SCHEMA, private=True)) as source:
        assert source._codings is not None
        assert source.counts([(0, 1)])[0, 1].tolist() == [[2, 0, 0, 0], [0, 0, 0, 1]]
        assert source.n == len(source) == 3
        assert [batch[:, 2].tolist() for batch in source.batches()] == [[1, 11, 0]]
    assert number_of_rows(Address(address, quoted(table))) == 3


@pytest.mark.share(3)
@pytest.mark.parametrize("place", ["folder", "duckdb", "postgres"])
@pytest.mark.parametrize(
    "row",
    [(CANARY, "1", "2020-01-01"), ("F", CANARY, "2020-01-01"), ("F", "1", CANARY), ("F", "4711e2", "2020-01-01"),
     (None, "1", "2020-01-01"), ("F", "1" * 30 + CANARY[-4:], "2020-01-01")],
)  # fmt: skip
def test_no_cell_is_ever_said(place: str, row: tuple[Any, ...], tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """A release names columns alone, a simulation kinds and counts as well; neither shows a value."""
    address = elsewhere(place, [*ROWS, row], tmp_path, request)
    for private in (True, False):
        with pytest.raises(DataError) as refused, closing(LakeSource(address, SCHEMA, private=private)) as source:
            source.counts([(0,)])
        said = str(refused.value)
        assert "column" in said
        if place != "folder":
            assert ("times)" in said) is not private
        assert "4711" not in said or (place == "folder" and not private)


def elsewhere(place: str, rows: list[tuple[Any, ...]], folder: Path, request: pytest.FixtureRequest) -> Address:
    if place == "duckdb":
        return Address(duckdb_file(folder / "t.duckdb", rows), "people")
    if place == "folder":
        import pyarrow as pa
        from pyarrow import parquet

        for i, part in enumerate((rows[:2], rows[2:])):
            columns = {name: [row[j] for row in part] for j, name in enumerate(SCHEMA.names)}
            parquet.write_table(
                pa.table(columns, schema=pa.schema(dict.fromkeys(SCHEMA.names, pa.string()))), folder / f"{i}.parquet"
            )
        return Address(f"parquet:{folder}")
    import psycopg

    server = request.getfixturevalue("postgres")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS people")
        connection.execute(f"CREATE TABLE people ({', '.join(f'{quoted(n)} TEXT' for n in SCHEMA.names)})")
        for row in rows:
            connection.execute("INSERT INTO people VALUES (%s, %s, %s)", row)
    return Address(server, "people")


def test_an_engine_speaks_in_no_words_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = duckdb_file(tmp_path / "t.duckdb", ROWS)
    with closing(LakeSource(Address(address, "people"), SCHEMA, private=True)) as source:
        monkeypatch.setattr(type(source._rows), "_answer", raise_words)
        with pytest.raises(DataError, match=r"a query failed \(RuntimeError; ") as refused:
            source.counts([(0,)])
    assert CANARY not in str(refused.value)
    assert refused.value.__cause__ is None
    for wrong in (
        Address(address, CANARY),
        Address(f"duckdb:{tmp_path}/{CANARY}", "t"),
        Address(f"postgres://127.0.0.1:1/{CANARY}", "t"),
    ):
        with pytest.raises(SynthboundsError, match=r"cannot be opened|there is no") as refused:
            LakeSource(wrong, SCHEMA, private=True)
        assert wrong.text not in str(refused.value)


def raise_words(*_: object) -> Iterator[tuple[Any, ...]]:
    raise RuntimeError(CANARY)


def test_a_snapshot_is_one_table(postgres: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """What others write meanwhile is not seen, neither by queries nor by batches."""
    import psycopg

    address = elsewhere("postgres", ROWS, tmp_path, request)
    with closing(LakeSource(address, SCHEMA, private=True)) as source:
        assert source.n == 3
        with psycopg.connect(postgres, autocommit=True) as other:
            other.execute("UPDATE people SET sex = 'F'")
            other.execute("INSERT INTO people SELECT * FROM people")
        assert source.counts([(0,)])[0,].tolist() == [2, 1]
        assert sum(map(len, source.batches())) == 3


def test_a_change_between_queries_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an engine without snapshots: a row more, a row that became another, and a cell that lost its code."""
    for i, change in enumerate(
        (
            "INSERT INTO people SELECT * FROM people LIMIT 1",
            "UPDATE people SET sex = 'F'",
            "UPDATE people SET sex = 'x'",
        )
    ):
        import duckdb
        import ibis

        path = tmp_path / f"{i}.duckdb"
        address = Address(duckdb_file(path, ROWS), "people")
        monkeypatch.setattr(
            ibis.duckdb, "connect", lambda place, **_: ibis.duckdb.from_connection(duckdb.connect(place))
        )
        source = LakeSource(address, SCHEMA, private=True)
        source.counts([(0, 1)])
        source._rows._connection.con.execute(change)  # type: ignore[attr-defined]
        with pytest.raises(DataError, match="has changed while it was read"):
            source.counts([(0, 2)])
        source.close()
        monkeypatch.undo()


def test_a_file_that_changes_is_noticed(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    address = elsewhere("folder", ROWS, tmp_path, request)
    source = LakeSource(address, SCHEMA, private=True)
    assert source.n == 3
    elsewhere("folder", [*ROWS, *ROWS], tmp_path, request)
    with pytest.raises(DataError, match="has changed while it was read"):
        list(source.batches())


def test_a_folder_is_read_without_unfinished_files(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    elsewhere("folder", ROWS, tmp_path, request)
    (tmp_path / "_temporary").mkdir()
    (tmp_path / "_temporary" / "x.parquet").write_bytes(b"PAR1")
    assert LakeSource(Address(f"parquet:{tmp_path}"), SCHEMA, private=True).n == 3
    assert LakeSource(Address(f"parquet:{tmp_path}/[0].parquet"), SCHEMA, private=True).n == 2
    with pytest.raises(DataError, match="there is no Parquet file"):
        LakeSource(Address(f"parquet:{tmp_path}/none"), SCHEMA, private=True)


def test_an_empty_table_is_refused_where_n_is_public(tmp_path: Path) -> None:
    address = Address(duckdb_file(tmp_path / "t.duckdb", [ROWS[0]]), "people")
    import duckdb

    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("DELETE FROM people")
    with closing(LakeSource(address, SCHEMA, private=True, size_is_public=False)) as source:
        assert source.counts([(0, 1)])[0, 1].sum() == 0
    with closing(LakeSource(address, SCHEMA, private=True)) as source, pytest.raises(DataError, match="has no rows"):
        source.counts([(0,)])


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "spark"])
def test_queries_are_written_for_every_engine(dialect: str) -> None:
    """And are what the engine's own grammar reads; no text of a level stands in them."""
    import pyarrow as pa
    from sqlglot import exp

    from release.lake.dialects import dialect_of
    from release.lake.expressions import Coder
    from release.lake.queries import check_query, count_query

    words = dialect_of(dialect)
    assert words is not None
    coder = Coder(words, strips=False)
    codings = [
        coder.coding(c, exp.column(c.name, quoted=True), pa.string(), prefix=f"v{c.name[0]}_") for c in SCHEMA.columns
    ]
    assert all(coding is not None for coding in codings)
    for query in (
        check_query(exp.to_table("t"), codings, words),  # type: ignore[arg-type]
        count_query(exp.to_table("t"), codings, [(0, 1), (1, 2)], SCHEMA.domain.sizes, [0, 8], words),  # type: ignore[arg-type]
    ):
        text = query.sql(words.name)
        assert sqlglot.parse_one(text, read=words.name).sql(words.name) == text
        assert "DROP" not in text


def adult() -> tuple[Schema, list[str], list[list[str]]]:
    """Raw Adult with a column of dates and more missing cells."""
    path = SHARED / "raw" / "adult_raw.csv"
    if not path.is_file():
        pytest.skip("not run: the raw table of Adult is not at hand")
    body = json.loads((ROOT / "docs" / "examples" / "adult_raw.schema.json").read_text(encoding="utf-8"))
    body["columns"].append(
        {
            "name": "seen",
            "date": "%Y-%m-%d",
            "first": "1994-01-01",
            "last": "1994-12-31",
            "by": "month",
            "missing": ["?"],
        }
    )
    with path.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    draw = random.Random(1)
    for row in rows:
        day = date(1994, 1, 1) + timedelta(days=draw.randrange(365))
        row.append("?" if draw.random() < 0.1 else day.isoformat())
        if draw.random() < 0.1:
            row[header.index("workclass")] = " ?"
    return parse_schema(json.dumps(body)), [*header, "seen"], rows


@pytest.fixture(scope="module")
def adult_csv(tmp_path_factory: pytest.TempPathFactory) -> tuple[Schema, Path]:
    schema, header, rows = adult()
    path = tmp_path_factory.mktemp("adult") / "adult.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([header, *rows])
    return schema, path


def pairs_of(schema: Schema) -> list[tuple[int, int]]:
    return list(combinations(range(len(schema.columns)), 2))


@pytest.mark.share(3)
@pytest.mark.parametrize("place", ["parquet", "duckdb", "duckdb-typed", "postgres", "spark"])
def test_adult_is_counted_the_same_everywhere(
    place: str, adult_csv: tuple[Schema, Path], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    schema, path = adult_csv
    wanted = TableSource(path, schema, private=True).counts(pairs_of(schema))
    with closing(LakeSource(adult_at(place, path, tmp_path, request), schema, private=True)) as source:
        found = source.counts(pairs_of(schema))
        assert (source._codings is not None) is (place != "parquet")
    assert all(np.array_equal(found[pair], wanted[pair]) for pair in wanted)


def adult_at(place: str, path: Path, folder: Path, request: pytest.FixtureRequest) -> Address:
    import duckdb

    read = f"read_csv('{path}', all_varchar = {str(place != 'duckdb-typed').lower()}, nullstr = '')"
    if place in ("parquet", "spark"):
        if place == "spark" and find_spec("pyspark") is None:
            pytest.skip("not run: PySpark is not installed")
        duckdb.sql(f"COPY (FROM {read}) TO '{folder}/adult.parquet' (FORMAT parquet)")
        if place == "parquet":
            return Address(f"parquet:{folder}")
        from pyspark.sql import SparkSession

        session = SparkSession.builder.master("local[*]").appName("synthbounds").getOrCreate()
        session.read.parquet(f"{folder}/adult.parquet").createOrReplaceTempView("adult")
        return Address("spark:local", "adult")
    if place.startswith("duckdb"):
        with duckdb.connect(str(folder / "adult.duckdb")) as connection:
            connection.execute(f"CREATE TABLE adult AS FROM {read}")
        return Address(f"duckdb:{folder / 'adult.duckdb'}", "adult")
    import psycopg

    server = request.getfixturevalue("postgres")
    with path.open(encoding="utf-8") as lines, psycopg.connect(server, autocommit=True) as connection:
        header = next(lines)
        columns = ", ".join(f"{quoted(name)} TEXT" for name in next(csv.reader([header])))
        connection.execute("DROP TABLE IF EXISTS adult")
        connection.execute(f"CREATE TABLE adult ({columns})")
        with connection.cursor().copy("COPY adult FROM STDIN (FORMAT csv)") as copy:
            for line in lines:
                copy.write(line)
    return Address(server, "adult")


def test_a_password_comes_from_the_environment(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert PASSWORD not in postgres
    monkeypatch.delenv("PGPASSWORD")
    with pytest.raises(DataError, match="cannot be opened"):
        LakeSource(Address(postgres, "people"), SCHEMA, private=True)


def test_more_codes_than_a_query_holds_are_streamed(tmp_path: Path) -> None:
    columns = [{"name": "x", "range": ["0", "10000"], "bins": 5000, "outside": "clip"}]
    schema = parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))
    cells = [(str(i / 3),) for i in range(3000)]
    address = Address(duckdb_file(tmp_path / "t.duckdb", cells, ("x",)), "people")
    with closing(LakeSource(address, schema, private=True)) as source:
        assert source._codings is None
        (column,) = schema.columns
        assert isinstance(column, NumberColumn)
        codes = np.array([[column.code_of(Fraction(cell))] for (cell,) in cells])
        assert np.array_equal(source.counts([(0,)])[0,], counts(codes, schema.domain.sizes, [(0,)])[0,])
