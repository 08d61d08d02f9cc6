"""Connections to engines: the columns of a table, its rows in batches, and answers to queries; all from one snapshot.

Ibis connects and knows the types. A read-only transaction is begun before anything is asked, if the engine has them; it
ends with the connection. An engine's own messages are never repeated.
"""

from __future__ import annotations

import contextlib
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bounds.errors import DataError, SynthboundsError, UsageError, how_to_install
from release.data.rows import Rows
from release.lake.address import DUCKDB, POSTGRES, SPARK, Address, failed

if TYPE_CHECKING:
    from sqlglot.expressions import Expression

_BATCH_ROWS = 2**16
_NO_TABLE = ("CatalogException", "TableNotFound", "UndefinedTable")
"""Types of exceptions of Ibis and of engines."""


class Engine(Rows, ABC):
    """A table in an engine that has been opened through its own connection."""

    are_in_order = False
    dialect = ""
    """The name sqlglot uses; empty if no codes are made in the engine."""

    def __init__(self, address: Address) -> None:
        self.address, self.where = address, address.where
        with self._quiet("cannot be opened"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of libraries about each other
            self._connection = self._connect(address)
            self.columns = self._types()

    def ask(self, query: Expression) -> Iterator[tuple[Any, ...]]:
        """The rows of an answer."""
        with self._quiet("a query failed"):
            yield from self._answer(query.sql(self.dialect))

    def batches(self, names: Sequence[str]) -> Iterator[list[Any]]:
        from sqlglot import exp

        kinds = dict(self.columns)
        with self._quiet("its rows cannot be read"):
            wanted = [self._cell(name, kinds[name]) for name in names]
            yield from self._stream(exp.select(*wanted).from_(self.table).sql(self.dialect), [kinds[n] for n in names])

    def close(self) -> None:
        """End the connection, and its transaction with it."""
        with self._quiet("cannot be closed"):
            self._connection.disconnect()

    @property
    def table(self) -> Expression:
        """The table, by all parts of its name, in quotes."""
        from sqlglot import exp

        name, *around = reversed([exp.to_identifier(part, quoted=True) for part in self.address.parts])
        return exp.Table(this=name, **dict(zip(("db", "catalog"), around, strict=False)))

    def _cell(self, name: str, kind: Any) -> Expression:
        """A column as it is streamed: what Arrow calls text is text, whatever the engine calls it."""
        import pyarrow.types as t
        from sqlglot import exp

        column: Expression = exp.column(name, quoted=True)
        return exp.Cast(this=column, to=exp.DataType.build("TEXT")) if t.is_string(kind) else column

    def _types(self) -> list[tuple[str, Any]]:
        """Names and Arrow types, as Ibis finds them."""
        *around, name = self.address.parts
        try:
            found = self._connection.table(name, database=tuple(around) or None).schema()
        except Exception as error:
            if type(error).__name__ in _NO_TABLE:
                raise DataError(f"{self.where}: there is no table with that name") from None
            raise
        return [(name, _arrow_type(kind)) for name, kind in found.items()]

    @contextlib.contextmanager
    def _quiet(self, what: str) -> Iterator[None]:
        """Any failure is reported only by its type."""
        try:
            yield
        except (SynthboundsError, MemoryError):
            raise
        except Exception as error:
            raise failed(self.where, what, error) from None

    @abstractmethod
    def _connect(self, address: Address) -> Any:
        """A connection of Ibis."""

    def _answer(self, query: str) -> Iterator[tuple[Any, ...]]:
        raise NotImplementedError(type(self).__name__)

    @abstractmethod
    def _stream(self, query: str, kinds: Sequence[Any]) -> Iterator[list[Any]]:
        """The rows of an answer, as arrays of these types."""


class DuckDb(Engine):
    dialect = "duckdb"

    def _connect(self, address: Address) -> Any:
        import ibis

        if not Path(address.place).is_file():
            raise DataError(f"{self.where}: there is no such DuckDB file")
        found = ibis.duckdb.connect(address.place, read_only=True)
        found.con.execute("SET enable_progress_bar = false")
        found.con.execute("BEGIN TRANSACTION")
        return found

    def _types(self) -> list[tuple[str, Any]]:
        from sqlglot import exp

        query = exp.select("*").from_(self.table).limit(0).sql(self.dialect)
        return [(field.name, field.type) for field in self._connection.con.sql(query).to_arrow_reader(1).schema]

    def _answer(self, query: str) -> Iterator[tuple[Any, ...]]:
        yield from self._connection.con.execute(query).fetchall()

    def _stream(self, query: str, kinds: Sequence[Any]) -> Iterator[list[Any]]:
        for batch in self._connection.con.sql(query).to_arrow_reader(_BATCH_ROWS):
            yield batch.columns


class Postgres(Engine):
    dialect = "postgres"

    def _connect(self, address: Address) -> Any:
        import ibis
        import psycopg

        made = psycopg.connect(address.text)
        made.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        made.execute("SET standard_conforming_strings = on")
        made.execute("SET jit = off")  # compiling this many comparisons takes longer than making them
        return ibis.postgres.from_connection(made)

    def _answer(self, query: str) -> Iterator[tuple[Any, ...]]:
        with self._connection.con.cursor() as cursor:
            yield from cursor.execute(query)

    def _stream(self, query: str, kinds: Sequence[Any]) -> Iterator[list[Any]]:
        with self._connection.con.cursor(name="synthbounds") as cursor:
            cursor.execute(query)
            while rows := cursor.fetchmany(_BATCH_ROWS):
                yield _arrays(rows, kinds)


class Spark(Engine):
    dialect = "spark"

    def _connect(self, address: Address) -> Any:
        import ibis
        from pyspark.sql import SparkSession

        master = "local[*]" if address.place == "local" else address.text
        session = SparkSession.builder.master(master).appName("synthbounds").getOrCreate()
        session.conf.set("spark.sql.session.timeZone", "UTC")
        return ibis.pyspark.connect(session)

    def _answer(self, query: str) -> Iterator[tuple[Any, ...]]:
        yield from map(tuple, self._connection._session.sql(query).collect())

    def _stream(self, query: str, kinds: Sequence[Any]) -> Iterator[list[Any]]:
        rows: list[Any] = []
        for row in self._connection._session.sql(query).toLocalIterator():
            rows.append(row)
            if len(rows) == _BATCH_ROWS:
                yield _arrays(rows, kinds)
                rows = []
        if rows:
            yield _arrays(rows, kinds)


class OtherEngine(Engine):
    """Any engine that Ibis connects to by an address: its rows are streamed, and no codes are made there."""

    def _connect(self, address: Address) -> Any:
        import ibis

        return ibis.connect(address.text)

    def batches(self, names: Sequence[str]) -> Iterator[list[Any]]:
        kinds = dict(self.columns)
        import pyarrow.types as t

        *around, name = self.address.parts
        with self._quiet("its rows cannot be read"):
            table = self._connection.table(name, database=tuple(around) or None)
            wanted = [table[n].cast("string").name(n) if t.is_string(kinds[n]) else table[n] for n in names]
            for batch in table.select(wanted).to_pyarrow_batches(chunk_size=_BATCH_ROWS):
                yield batch.columns

    def _stream(self, query: str, kinds: Sequence[Any]) -> Iterator[list[Any]]:
        raise NotImplementedError


_ENGINES: dict[str, tuple[type[Engine], tuple[str, ...]]] = {
    DUCKDB: (DuckDb, ("duckdb",)),
    POSTGRES: (Postgres, ("psycopg",)),
    SPARK: (Spark, ("pyspark",)),
}


def open_engine(address: Address) -> Engine:
    """The table, opened; an engine whose packages are missing is refused with what to install."""
    engine, needed = _ENGINES.get(address.kind, (OtherEngine, ()))
    if find_spec("ibis") is None:
        raise DataError(f"engines need Ibis, which is not installed: {how_to_install('lake')}")
    if engine is OtherEngine and not urlsplit(address.text).scheme:
        raise UsageError("from: is not the address of an engine")
    for package in needed:
        if find_spec(package) is None:
            raise DataError(f"{address.kind}: needs the package {package}, which is not installed")
    return engine(address)


def _arrow_type(kind: Any) -> Any:
    """The Arrow type: decimals of undeclared size as text, what no schema describes as a type that none allows."""
    import pyarrow as pa

    if kind.is_decimal() and (kind.precision is None or kind.scale is None):
        return pa.string()
    if kind.is_unknown() or kind.is_nested():
        return pa.struct([])
    return kind.to_pyarrow()


def _arrays(rows: Sequence[Sequence[Any]], kinds: Sequence[Any]) -> list[Any]:
    import pyarrow as pa

    return [pa.array(cells, type=kind) for cells, kind in zip(zip(*rows, strict=True), kinds, strict=True)]
