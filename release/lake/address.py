"""The location of a table that is not a single file: an address and a name, as given; nothing is opened here.

Credentials come only from the environment. An address that contains one is refused, and no message repeats an address.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bounds.errors import DataError, UsageError
from release.data.tables import printable

PARQUET, DUCKDB, POSTGRES, SPARK = "parquet", "duckdb", "postgres", "spark"
_SAME = {"postgresql": POSTGRES}
_SECRETS = ("pass", "pwd", "token", "secret", "credential", "key")
_SCHEME = re.compile(r"[a-z][a-z0-9+_-]*", re.ASCII)
_PART = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')
_KNOWN = (
    "parquet:FOLDER, duckdb:FILE, postgres://HOST/DATABASE, spark:local, spark://HOST:PORT, or a URL that Ibis knows"
)


@dataclass(frozen=True)
class Address:
    """An engine or a folder, and the table in it; both as they were given."""

    text: str
    table: str | None = None

    def __post_init__(self) -> None:
        if not _SCHEME.fullmatch(self.scheme) or not self.place:
            raise UsageError(f"from: must be {_KNOWN}")
        if _holds_secret(self.text):
            raise UsageError(
                "from: contains a password or a key; give it in the environment of the engine, such as PGPASSWORD"
            )
        if (self.table is None) is not (self.kind == PARQUET):
            raise UsageError(
                "table: a folder of files is the table itself" if self.table else "table: name it, too (--table NAME)"
            )
        if self.table is not None:
            self.parts  # noqa: B018

    @property
    def scheme(self) -> str:
        return self.text.partition(":")[0]

    @property
    def kind(self) -> str:
        return _SAME.get(self.scheme, self.scheme)

    @property
    def place(self) -> str:
        """What stands behind the scheme: a folder, a file, or where a server is."""
        return self.text.partition(":")[2]

    @property
    def parts(self) -> tuple[str, ...]:
        """The table and what it is in, the outermost first; a part that contains a dot is in double quotes."""
        said, found, end = self.table or "", [], 0
        for part in _PART.finditer(said):
            if part.start() != end:
                break
            found.append(part[1].replace('""', '"') if part[1] else part[2])
            end = part.end() + 1
            if part.end() < len(said) and said[part.end()] != ".":
                break
        else:
            if found and end == len(said) + 1 and len(found) <= 3 and "\0" not in said:
                return tuple(found)
        raise UsageError('table: must be NAME or SCHEMA.NAME; a name that contains a dot or a quote is "in ""quotes"""')

    @property
    def where(self) -> str:
        """How an error message names the table; never by its address."""
        return f"table {printable(self.table or 'in the folder')}"

    def __str__(self) -> str:
        return self.scheme if self.table is None else f"{self.scheme} {self.table}"


def _holds_secret(text: str) -> bool:
    rest = text.partition("://")[2]
    query = text.partition("?")[2]
    named = [part.partition("=")[0].lower() for part in re.split(r"[&;?#]", query)]
    return ("@" in rest and ":" in rest.rpartition("@")[0]) or any(s in name for name in named for s in _SECRETS)


def failed(where: str, what: str, error: BaseException) -> DataError:
    """What to say of a failure of an engine: its own words may show cells or credentials, so only its type is told."""
    return DataError(
        f"{where}: {what} ({type(error).__name__}; the engine's own words are not shown: they may reveal data)"
    )
