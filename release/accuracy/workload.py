"""The queries over which a table's errors are taken: cells of tables, a family of width 1, public queries of numbers.

A workload is public: the user states it, and how far one record moves its answers follows from it alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.errors import DataError, ParameterError, UsageError
from bounds.exact import parse_integer
from bounds.privacy.adjacency import Adjacency
from release.data.counting import MOST_MARGINALS
from release.data.schema import Schema
from release.files.fields import require_version, within
from release.files.strict_json import is_text, parse_json, read_json_file, require_object, shown
from release.statistics.families import FAMILIES, Family, build_family
from release.statistics.family_sums import family_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.accuracy.query_workload import QueryWorkload
    from release.data.source import Source

PAIRS, DEGREE, TABLES, CUSTOM = "pairs", "degree", "tables", "custom"
VERSION = 1
MOST_CELLS = 2**24


class Workload(ABC):
    """Queries q with values in an interval of length 1 inside [-1, 1], as integers over a denominator."""

    schema: Schema
    denominator: int

    @property
    @abstractmethod
    def count(self) -> int:
        """How many queries."""

    @property
    @abstractmethod
    def text(self) -> str:
        """In words."""

    @abstractmethod
    def sums(self, source: Source) -> list[NDArray[Any]]:
        """The sum of every query's integers over the records, exactly, in some groups; in one pass."""

    @abstractmethod
    def mean_moved(self, adjacency: Adjacency) -> Fraction:
        """How far one record moves the mean over all queries of their sums, at most, in absolute changes."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The object that `workload_of` reads back."""


@dataclass(frozen=True)
class TableWorkload(Workload):
    """The cells of tables of counts, each over a set of columns, named by their places in the schema."""

    schema: Schema
    tables: tuple[tuple[int, ...], ...]
    degree: int | None = None
    """All sets of this many columns, if that is what was asked for."""

    @property
    def denominator(self) -> int:  # type: ignore[override]
        return 1

    @property
    def count(self) -> int:
        return _cells(self.schema, self.tables)

    @property
    def text(self) -> str:
        tables = f"{len(self.tables):,} tables" if len(self.tables) > 1 else "one table"
        return f"{self.count:,} cells of {tables}" + ("" if self.degree is None else f" of {self.degree} columns each")

    def sums(self, source: Source) -> list[NDArray[Any]]:
        counted = source.counts(self.tables)
        return [counted[places].ravel() for places in self.tables]

    def mean_moved(self, adjacency: Adjacency) -> Fraction:
        """A record is in one cell of every table; one that is replaced leaves a cell and enters another."""
        changed = 2 if adjacency is Adjacency.REPLACE_ONE else 1
        return min(Fraction(1), Fraction(changed * len(self.tables), self.count))

    def to_json(self) -> dict[str, Any]:
        if self.degree is not None:
            return {"kind": DEGREE, "degree": self.degree}
        return {"kind": TABLES, "tables": [[self.schema.names[place] for place in places] for places in self.tables]}


@dataclass(frozen=True)
class FamilyWorkload(Workload):
    """A family of queries of the schema's domain; a custom one is known by the names of its queries."""

    schema: Schema
    family: Family
    degree: int | None = None

    @property
    def denominator(self) -> int:  # type: ignore[override]
        return self.family.denominator

    @property
    def count(self) -> int:
        return self.family.count

    @property
    def text(self) -> str:
        degree = "" if self.degree is None else f" of degree at most {self.degree}"
        return f"{self.count:,} {self.family.name}{degree}"

    def sums(self, source: Source) -> list[NDArray[Any]]:
        import numpy as np

        return [np.array(family_sums(self.family, source), dtype=object)]

    def mean_moved(self, adjacency: Adjacency) -> Fraction:
        # What a record adds to all queries together is not among the facts, and a custom family is not read back.
        if adjacency is Adjacency.ADD_REMOVE or self.degree is None:
            return Fraction(1)
        return min(Fraction(1), Fraction(self.family.facts.l1_sensitivity) / self.count)

    def to_json(self) -> dict[str, Any]:
        if self.degree is None:
            return {"kind": CUSTOM, "queries": [self.family.label(i) for i in range(self.count)]}
        return {"kind": self.family.name, "degree": self.degree}


@dataclass(frozen=True)
class NamedWorkload(Workload):
    """A custom family, as read from its file: by the names of its queries, which cannot be asked again."""

    schema: Schema
    queries: tuple[str, ...]

    @property
    def denominator(self) -> int:  # type: ignore[override]
        raise UsageError("workload: a file identifies a custom family only by its name")

    @property
    def count(self) -> int:
        return len(self.queries)

    @property
    def text(self) -> str:
        return f"{self.count:,} {CUSTOM}"

    def sums(self, source: Source) -> list[NDArray[Any]]:
        raise UsageError("workload: a file identifies a custom family only by its name")

    def mean_moved(self, adjacency: Adjacency) -> Fraction:
        return Fraction(1)

    def to_json(self) -> dict[str, Any]:
        return {"kind": CUSTOM, "queries": list(self.queries)}


def read_workload(said: str | Path | Family | Workload, schema: Schema) -> Workload:
    """pairs, degree:D, FAMILY:D, a custom family, or a JSON file of sets of columns or of public queries."""
    if isinstance(said, Workload):
        if said.schema != schema:
            raise UsageError("workload: belongs to another schema")
        return said
    if isinstance(said, Family):
        if said.domain != schema.domain:
            raise UsageError("workload: the family belongs to another domain")
        return FamilyWorkload(schema, require_width_one(said))
    text = str(said)
    if text == PAIRS:
        return all_tables(schema, 2)
    name, colon, degree = text.partition(":")
    if colon and name in (DEGREE, *FAMILIES):
        return _of_degree(name, parse_integer(degree, "degree"), schema)
    if not text.endswith(".json"):
        known = ", ".join(f"{family}:D" for family in FAMILIES if family != "parities")
        raise ParameterError("workload", shown(text), f"{PAIRS}, {DEGREE}:D, {known}, or a file FILE.json")
    body, where = read_json_file(text, "workload")
    return _of_file(parse_json(body, where), schema, where)


def workload_of(body: object, schema: Schema, where: str) -> Workload:
    """The workload that `to_json` wrote."""
    kind = body.get("kind") if isinstance(body, dict) else None
    if kind == TABLES:
        fields = require_object(body, where, {"kind", "tables"})
        return _tables(fields["tables"], schema, where)
    if kind == CUSTOM:
        fields = require_object(body, where, {"kind", "queries"})
        names = fields["queries"]
        if not isinstance(names, list) or not names or not all(map(is_text, names)):
            raise DataError(f"{where}: queries: must be a list of the names of queries")
        return NamedWorkload(schema, tuple(map(str, names)))
    if isinstance(body, dict) and "numbers" in body:
        return _of_queries(body, schema, where)
    fields = require_object(body, where, {"kind", "degree"})
    if not is_text(kind) or (kind != DEGREE and kind not in FAMILIES):
        raise DataError(f"{where}: kind = {shown(kind)}: must be {DEGREE}, {TABLES}, {CUSTOM} or a family")
    return within(lambda: _of_degree(str(kind), parse_integer(str(fields["degree"]), "degree"), schema), where)


def all_tables(schema: Schema, degree: int) -> TableWorkload:
    """All sets of exactly this many columns."""
    columns = len(schema.names)
    if not 1 <= degree <= columns:
        raise ParameterError("degree", degree, f"between 1 and the number of columns, {columns}")
    if comb(columns, degree) > MOST_MARGINALS:
        raise ParameterError("degree", degree, f"such that there are at most {MOST_MARGINALS:,} tables")
    sets = tuple(combinations(range(columns), degree))
    _cells(schema, sets)
    return TableWorkload(schema, sets, degree)


def require_width_one(family: Family) -> Family:
    """Refuse queries whose values are not in an interval of length 1."""
    if family.facts.range_width > 1 or family.largest > family.denominator:
        raise ParameterError("workload", family.name, "of queries with values in [0, 1]")
    return family


def _of_degree(name: str, degree: int, schema: Schema) -> Workload:
    if name == DEGREE:
        return all_tables(schema, degree)
    return FamilyWorkload(schema, require_width_one(build_family(name, schema.domain, degree)), degree)


def _of_file(body: object, schema: Schema, where: str) -> Workload:
    asked = "workload" if isinstance(body, dict) and "workload" in body else "tables"
    fields = require_object(body, where, {"synthbounds_workload", asked})
    require_version(fields, "synthbounds_workload", VERSION, where)
    if asked == "workload":
        return _of_queries(fields["workload"], schema, f"{where}: workload")
    return _tables(fields["tables"], schema, where)


def _of_queries(body: object, schema: Schema, where: str) -> QueryWorkload:
    from release.accuracy.query_workload import QueryWorkload
    from release.statistics.query_kinds import number_queries_of

    return QueryWorkload(number_queries_of(body, schema, where))


def _tables(listed: object, schema: Schema, where: str) -> TableWorkload:
    if not isinstance(listed, list) or not 1 <= len(listed) <= MOST_MARGINALS:
        raise DataError(f"{where}: tables: must be a list of 1 to {MOST_MARGINALS} lists of columns")
    found: list[tuple[int, ...]] = []
    for i, names in enumerate(listed):
        found.append(_places(names, schema, f"{where}: tables[{i}]"))
    if len(set(found)) < len(found):
        raise DataError(f"{where}: tables: a set of columns is given twice")
    within(lambda: _cells(schema, found), where)
    return TableWorkload(schema, tuple(found))


def _places(names: object, schema: Schema, where: str) -> tuple[int, ...]:
    if not isinstance(names, list) or not names:
        raise DataError(f"{where}: must be a list of columns, at least one")
    for name in names:
        if not is_text(name) or name not in schema.places:
            raise DataError(f"{where}: {shown(name)}: must be a column of the schema")
    places = tuple(sorted(schema.places[name] for name in names))
    if len(set(places)) < len(places):
        raise DataError(f"{where}: a column is given twice")
    return places


def _cells(schema: Schema, sets: Iterable[Sequence[int]]) -> int:
    """The number of cells of all tables, if they can be counted; refused before a record is read."""
    sizes, count = schema.domain.sizes, 0
    for places in sets:
        count += prod(sizes[place] for place in places)
        if count > MOST_CELLS:
            raise ParameterError("workload", "more cells", f"at most {MOST_CELLS:,} cells in all tables together")
    return count
