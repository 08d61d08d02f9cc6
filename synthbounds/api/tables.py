"""Tables: a draft of their public schema, reading them for a release, and the synthetic table, by any method."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from bounds.errors import UsageError
from bounds.exact import Exact
from release.lake.address import Address

if TYPE_CHECKING:
    from bounds.privacy.adjacency import Adjacency
    from lp.synthesis.run import Synthesis
    from mechanisms.synth.private_table import PrivateTable
    from release.data.domain import Domain
    from release.data.rows import Rows
    from release.data.schema import Schema
    from release.data.source import Records, Source
    from release.data.template import Draft
    from release.log.file import MarginalLog
    from release.noise.kinds import Mode
    from release.statistics.families import Family

__all__ = ["describe_table", "draft_schema", "redraw", "synthesize"]

Say: TypeAlias = Callable[[str], None]
NOT_READ = (
    "table",
    "schema",
    "family",
    "ignore_extra",
    "anyway",
    "exact",
    "with_certificate",
    "with_release",
    "with_log",
    "progress",
    "account",
)
"""What a synthesis takes in addition to the values that it reads and checks."""


def draft_schema(table: str | Path | Address, *, bins: Exact = 10, most_levels: Exact = 20) -> Schema:
    """A draft of the schema of a table; it shows values of the data, and a release refuses it until it is public."""
    return describe_table(table, bins=bins, most_levels=most_levels).schema


def describe_table(table: str | Path | Address, *, bins: Exact = 10, most_levels: Exact = 20) -> Draft:
    """A draft of the schema with a line for every column: what is proposed, why, and how many cells are missing."""
    from release.data.template import draft_of_table

    return draft_of_table(rows_of(table), bins=bins, most_levels=most_levels)


def synthesize(
    table: str | Path | Address | Records,
    schema: str | Path | Schema | Domain,
    *,
    mode: str,
    epsilon: Exact,
    dp_delta: Exact | None = None,
    method: str | None = None,
    label: str | None = None,
    labels: Iterable[str] | None = None,
    distance: Exact | None = None,
    most_cells: Exact | None = None,
    model_mb: Exact | None = None,
    rounds: Exact | None = None,
    top: Exact | None = None,
    thresholds: Exact | None = None,
    mixed: Exact | None = None,
    points: Exact | None = None,
    numbers: Iterable[str] | None = None,
    impossible: str | Path | None = None,
    adjacency: Adjacency | str | None = None,
    least_size: Exact | None = None,
    accuracy: Exact | None = None,
    failure: Exact | None = None,
    family: Family | str | None = None,
    degree: Exact | None = None,
    measure: str | None = None,
    m: Exact | None = None,
    k: Exact | None = None,
    rows: str | None = None,
    mechanism: str | None = None,
    solver: str | None = None,
    seed: Exact | None = None,
    variant: str | None = None,
    lipschitz: Exact | None = None,
    cells_per_axis: Exact | None = None,
    bernstein_degree: Exact | None = None,
    bernstein_order: Exact | None = None,
    bandwidth: Exact | None = None,
    account: str | Path | None = None,
    ignore_extra: bool = False,
    anyway: bool = False,
    exact: bool = False,
    with_certificate: bool = False,
    with_release: bool = False,
    with_log: bool = False,
    progress: Say | None = None,
) -> Synthesis | PrivateTable:
    """A private synthetic table with what is certified about it, by any `method`; auto, the default, chooses one.

    A table is a file, an `Address`, or its records as codes: an array, batches or a source; codes may come with only a
    Domain. In release mode the result may be published, once; each further call spends epsilon again. Spending is
    recorded in `account`. `with_certificate` refuses, before that, what the checker of its proof does not take;
    `with_release` and `with_log` refuse a method that keeps none.

    >>> import numpy as np
    >>> from synthbounds.data import Domain
    >>> records = np.array([[0, 0], [0, 1], [1, 1]] * 300)
    >>> found = synthesize(records, Domain((2, 2)), mode="simulate", epsilon=1, dp_delta="1e-6", k=12)
    >>> found.method, found.rows.shape
    ('moments', (12, 2))
    """
    said = {name: value for name, value in locals().items() if name not in NOT_READ}
    from mechanisms.synth.ask import read_request
    from release.data.domain import Domain
    from release.data.schema import schema_of_domain
    from release.data.source import as_source
    from release.spending import spending
    from release.statistics.families import Family
    from synthbounds.certificates import require_checkable

    own = family if isinstance(family, Family) else None
    kept = {"certificate": with_certificate, "release": with_release, "log": with_log}
    asked = read_request(
        {**said, **kept, "anyway": anyway, "exact": exact, "family": family if own is None else own.facts.name}
    )
    if isinstance(schema, Domain):
        known = schema_of_domain(schema)
        source: Source = as_source(own_records(table), schema)
    else:
        known = open_schema(schema, mode=asked.mode)
        source = open_table(table, known, asked.mode, asked.adjacency, ignore_extra=ignore_extra)
    approve = require_checkable if with_certificate else None
    with spending(is_private=asked.mode == "release", account=account):
        return asked.run(source, known, own_family=own, anyway=anyway, exact=exact, approve=approve, progress=progress)


def redraw(
    log: str | Path | MarginalLog,
    *,
    k: Exact | None = None,
    seed: Exact | None = None,
    progress: Say | None = None,
) -> PrivateTable:
    """Rows of a log: the ones that were made with it or, with a `seed`, others. Nothing is spent.

    A log is a file, or the `release` of a table that `synthesize` made by a method that keeps one.

    >>> import numpy as np
    >>> from synthbounds.data import Domain
    >>> records = np.array([[0, 0], [0, 1], [1, 1]] * 300)
    >>> found = synthesize(records, Domain((2, 2)), mode="simulate", epsilon=1, dp_delta="1e-6", method="mst", k=12)
    >>> bool((redraw(found.release, k=12).rows == found.rows).all())
    True
    """
    from mechanisms.density_lp import PROGRAMME_PARAMETERS
    from mechanisms.synth.make_by_log import redraw as rows_again
    from release.log.read import read_log

    said = {name: value for name, value in (("k", k), ("seed", seed)) if value is not None}
    numbers = {name: int(PROGRAMME_PARAMETERS[name].number(value)) for name, value in said.items()}
    found = read_log(log) if isinstance(log, str | Path) else log
    return rows_again(found, beta=PROGRAMME_PARAMETERS["failure"].number(), say=progress, **numbers)


def open_schema(schema: str | Path | Schema, *, mode: Mode) -> Schema:
    """The schema; for a release it must come from public knowledge."""
    from release.data.schema import read_schema

    found = read_schema(schema) if isinstance(schema, str | Path) else schema
    if mode == "release":
        found.require_releasable()
    return found


def open_table(
    table: str | Path | Address | Records, schema: Schema, mode: Mode, adjacency: Adjacency, *, ignore_extra: bool
) -> Source:
    """The records, checked and counted as they are read; messages of a release show nothing of them.

    When an interrupted release is finished, stand-ins take their place: the table is not opened unless the release
    continues.
    """
    from bounds.privacy.adjacency import Adjacency
    from release.data.source import TableSource, as_source
    from release.spending import current_replay, records_are_public

    replay = current_replay()
    if replay is not None and not replay.goes_on:
        return replay.stand_in(schema.domain)
    public, is_private = adjacency is Adjacency.REPLACE_ONE, mode == "release"
    found: Source
    if isinstance(table, Address):
        from release.lake.source import LakeSource

        found = LakeSource(table, schema, ignore_extra=ignore_extra, private=is_private, size_is_public=public)
    elif isinstance(table, str | Path):
        found = TableSource(table, schema, ignore_extra=ignore_extra, private=is_private, size_is_public=public)
    else:
        return as_source(table, schema.domain)
    if public:
        records_are_public(found)
    return found if replay is None else replay.same(found)


def rows_of(table: str | Path | Address) -> str | Path | Rows:
    """A file as it is, or the rows that an address leads to."""
    if not isinstance(table, Address):
        return table
    from release.lake.source import rows_at

    return rows_at(table)


def size_of(table: Address, adjacency: Adjacency | str | None) -> int:
    """How many records the table has, if that is a public number."""
    from bounds.parameters import PARAMETERS
    from bounds.privacy.adjacency import Adjacency, read_adjacency
    from release.lake.source import number_of_rows

    if read_adjacency(adjacency or PARAMETERS["adjacency"].default) is not Adjacency.REPLACE_ONE:
        raise UsageError("from: the number of records is not public under add-remove: give --least-size")
    return number_of_rows(table)


def own_records(table: str | Path | Address | Records) -> Records:
    """Records that need no schema to be read."""
    if isinstance(table, str | Path | Address):
        raise UsageError("schema: a file needs a schema; a domain is for records as codes")
    return table
