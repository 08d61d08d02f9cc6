"""The steps of a log: what was measured, tables or answers of queries, and choices of what to measure next.

Everything in it is published.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from bounds.errors import ParameterError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.sensitivity import l2_sensitivity
from bounds.privacy.statements import ZCDP
from release.choose import ExponentialPlan
from release.noise.priced import discrete_gaussian

if TYPE_CHECKING:
    from collections.abc import Sequence

    from release.noise.kinds import Mode, Noise
    from release.statistics.public_queries import PublicQueries

Columns: TypeAlias = tuple[int, ...]
"""Places in the schema, increasing."""
Groups: TypeAlias = tuple[tuple[int, ...], ...]
"""For each column the merged code of every code."""


@dataclass(frozen=True, kw_only=True)
class TableStep:
    """A noisy table of counts; `rho` is its own part of what was charged for all tables measured together."""

    columns: Columns
    sd: Fraction
    rho: Fraction
    counts: tuple[int, ...]
    """Whole numbers, the last column fastest; of merged codes if there are two or more columns."""


@dataclass(frozen=True, kw_only=True)
class ChoiceStep:
    """One of several sets of columns, chosen by the exponential mechanism."""

    candidates: tuple[Columns, ...]
    """In the order of `order_of`."""
    moved: int
    """How far one added or removed record moves a score, at most."""
    rho: Fraction
    chosen: Columns


@dataclass(frozen=True, kw_only=True)
class AnswersStep:
    """Noisy answers of some queries of a workload; `rho` is what they cost together."""

    workload: int
    """The place of the workload among those of the log."""
    queries: tuple[int, ...]
    sd: Fraction
    rho: Fraction
    sums: tuple[int, ...]
    """Whole numbers, one query after the other."""


@dataclass(frozen=True, kw_only=True)
class QueriesChoiceStep:
    """Some queries of a workload, chosen one after the other by the exponential mechanism, none twice in a log."""

    workload: int
    moved: int
    """How far one added or removed record moves a score, at most."""
    rho: Fraction
    """Of all of them together."""
    chosen: tuple[int, ...]
    """In the order in which they were chosen, among all that had not been chosen before."""


Step: TypeAlias = TableStep | ChoiceStep | AnswersStep | QueriesChoiceStep


def records_moved(adjacency: Adjacency) -> int:
    """How many records come or go between neighbours: a replaced one does both."""
    return 2 if adjacency is Adjacency.REPLACE_ONE else 1


def tables_noise(count: int, tables: int, rho: Fraction, adjacency: Adjacency, mode: Mode) -> Noise:
    """On all cells of this many tables together. One record more or less moves one cell of each by 1, a replaced one
    two.

    So the square of the L2 sensitivity is the number of tables, or twice that, and the deviation depends on the part
    of rho that each table has, and on nothing else.
    """
    squared = tables * records_moved(adjacency)
    return _gaussian(count, squared, rho, adjacency, mode, text="counts of all cells")


def answers_noise(
    queries: PublicQueries, asked: Sequence[int], rho: Fraction, adjacency: Adjacency, mode: Mode
) -> Noise:
    """On all answers of these queries of a workload together."""
    count, squared = len(queries.places(asked)), queries.squared_moved(asked, adjacency)
    return _gaussian(count, squared, rho, adjacency, mode, text=f"answers of {queries.text}")


def _gaussian(count: int, squared: int, rho: Fraction, adjacency: Adjacency, mode: Mode, *, text: str) -> Noise:
    public = adjacency is Adjacency.REPLACE_ONE
    moved = l2_sensitivity(squared=squared, adjacency=adjacency, n_is_public=public, text=text)
    return discrete_gaussian(count, sensitivity=moved, rho=rho, mode=mode)


def table_deviation(rho: Fraction, adjacency: Adjacency) -> Fraction:
    """The deviation of every cell of a table whose part is rho."""
    found = tables_noise(1, 1, rho, adjacency, "release").scales
    assert isinstance(found, Fraction)
    return found


def choice_plan(count: int, *, moved: int, rho: Fraction, adjacency: Adjacency, winners: int = 1) -> ExponentialPlan:
    """The exponential mechanism for scores that one added or removed record moves by this; a replaced one, twice."""
    most = moved * records_moved(adjacency)
    cost = ZCDP(rho=rho, adjacency=adjacency)  # type: ignore[arg-type]
    return ExponentialPlan(count=count, moved=most, cost=cost, winners=winners)


def order_of(columns: Columns) -> tuple[int, Columns]:
    """Small sets first, then by columns: one order for candidates, whatever order they were found in."""
    return len(columns), columns


@dataclass(frozen=True)
class Shape:
    """The number of codes of the columns of a table: those of the schema, or merged ones in wider tables."""

    sizes: tuple[int, ...]
    groups: Groups | None = None

    def __post_init__(self) -> None:
        if self.groups is None:
            return
        fits = len(self.groups) == len(self.sizes) and all(
            len(group) == size and list(dict.fromkeys(group)) == list(range(max(group) + 1))
            for group, size in zip(self.groups, self.sizes, strict=True)
        )
        if not fits:
            allowed = "for every column the merged code of every code, from 0 on, numbered by first codes"
            raise ParameterError("groups", "other codes", allowed)

    @cached_property
    def merged(self) -> tuple[int, ...]:
        return self.sizes if self.groups is None else tuple(max(group) + 1 for group in self.groups)

    def of(self, columns: Sequence[int]) -> tuple[int, ...]:
        """The lengths of the axes of a table of these columns."""
        sizes = self.sizes if len(columns) == 1 else self.merged
        return tuple(sizes[place] for place in columns)

    def cells(self, columns: Sequence[int]) -> int:
        return prod(self.of(columns))
