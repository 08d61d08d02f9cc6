"""From records to a synthetic table by the methods moments and independent: plan, one release, rows, what is known."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import DataError
from bounds.privacy.adjacency import Adjacency
from mechanisms.density_lp import PROGRAMME_PARAMETERS
from mechanisms.mechanism import Public
from mechanisms.synth.choose import Choice
from mechanisms.synth.known import known_from_marginals, known_from_moments
from mechanisms.synth.moments_plan import plan_moments
from mechanisms.synth.private_table import PrivateTable
from release.cross_moments.make import release_cross_moments
from release.distance.planned import DISTANCE
from release.marginals.make import release_marginals
from release.memory import require_memory_for_rows
from release.noise.randomness import Randomness
from release.replay import NothingMore
from release.spending import spending

if TYPE_CHECKING:
    from release.cross_moments.file import CrossMoments
    from release.data.domain import Codes
    from release.data.schema import Schema
    from release.data.source import Source
    from release.distance.file import DistanceRelease
    from release.marginals.file import Marginals
    from release.statistics.features import FeatureMap

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class TableRequest:
    """The checked request, before any record is seen."""

    adjacency: Adjacency
    least_size: int | None
    epsilon: Fraction
    dp_delta: Fraction | None
    failure: Fraction
    randomness: Randomness
    label: str | None = None
    k: int | None = None
    labels: tuple[str, ...] = ()
    """Several labels, if a method takes them."""
    numbers: tuple[str, ...] | None = None
    """Columns to be treated as numbers; None if not given."""
    mechanism: str | None = None
    distance: Fraction = Fraction(0)
    """The share of the budget for how far the finished table is from the real one."""
    settings: Mapping[str, int] = field(default_factory=dict)
    """Integer options of some methods."""
    impossible: Path | None = None
    """The file of combinations that are impossible by public knowledge."""

    def rows_for(self, n: int) -> int:
        """The number of rows: k if given, else the number of records or, if it is private, the public least size."""
        if self.k is not None:
            return self.k
        return n if self.least_size is None else self.least_size

    def require_memory(self, n: int, schema: Schema, *, more: int = 0) -> None:
        """Refuse a release, before noise is drawn, whose rows would not fit into memory."""
        if not self.randomness.is_simulated:
            require_memory_for_rows(self.rows_for(n), schema.domain.p, more=more)

    def require_rows(self) -> None:
        """Refuse, before anything is read, more rows than anyone can have meant."""
        most = PROGRAMME_PARAMETERS["k"].range
        if self.k is None and self.least_size is not None and most is not None:
            most.check("least_size", self.least_size, f"{self.least_size}, as many rows; say how many (--k)")


def read_records(source: Source) -> Codes | Source:
    """All records: the noise is planned for their number, so they are read first, unless they can be reread."""
    return hold_records(source) if source.is_held else source


def hold_records(source: Source) -> Codes:
    """All records in memory, as codes of one or two bytes per cell."""
    none = np.empty((0, source.domain.p), dtype=source.domain.code_type)
    return np.concatenate([none, *source.batches()])


def public_size(records: Codes | Source, adjacency: Adjacency, least_size: int | None) -> int:
    """n if it is public, else the least size; an empty table is refused if n is public, since it protects nothing."""
    if adjacency is Adjacency.REPLACE_ONE and len(records) == 0:
        raise DataError("the table has no rows")
    return len(records) if least_size is None else least_size


def make_by_moments(
    records: Codes | Source, request: TableRequest, schema: Schema, choice: Choice, *, say: Say | None = None
) -> PrivateTable:
    """One-way tables and cross moments, a distribution fitted to them, and rows from it."""
    from mechanisms.tilt.rows import draw_rows

    size = public_size(records, request.adjacency, request.least_size)
    assert request.dp_delta is not None
    plan = plan_moments(
        Public(schema=schema, adjacency=request.adjacency, size=size),
        epsilon=request.epsilon,
        dp_delta=request.dp_delta,
        label=request.label,
        reserve=request.distance,
        mode=request.randomness.mode,
    )
    request.require_memory(len(records), schema)
    features = None
    if request.distance:
        from mechanisms.models.cross_event import labelled_features

        features = labelled_features(plan.encoding)
    with spending(is_private=not request.randomness.is_simulated):
        release = release_cross_moments(records, plan, request.randomness)
        drawn = draw_rows(release, request.rows_for(len(records)), say=say)
        distance = None
        if features is not None:
            with contextlib.suppress(NothingMore):  # interrupted before it was measured
                distance = _distance(records, drawn.codes, features, release, request)
        return PrivateTable(
            choice=choice,
            release=release,
            rows=drawn.codes,
            known=known_from_moments(release, drawn.codes, request.failure),
            epsilon=request.epsilon,
            dp_delta=request.dp_delta,
            fit=drawn,
            distance=distance,
            too_few=request.randomness.is_simulated and len(records) < size,
        )


def _distance(
    records: Codes | Source, rows: Codes, features: FeatureMap, release: CrossMoments, request: TableRequest
) -> DistanceRelease:
    """How far the rows are from the records, paid by what the release kept for it."""
    from release.distance.make import measure_distance

    randomness = request.randomness
    if randomness.is_simulated:
        randomness = Randomness(mode="simulate", seed=randomness.seed, run=randomness.run + 2**62)
    ledger = release.ledger
    cost = ledger.statement(ledger.reservation(DISTANCE).amount)
    # The certificate holds for any number by which means are multiplied; the noisy one is nearest to the real one.
    size = None if release.size_is_exact else release.size
    found, _ = measure_distance(records, rows, features, ledger, cost, randomness, least_size=size, reserve=DISTANCE)
    return found


def make_independent(records: Codes | Source, request: TableRequest, schema: Schema, choice: Choice) -> PrivateTable:
    """One-way tables, and rows whose columns are drawn independently of each other."""
    size = public_size(records, request.adjacency, request.least_size)
    request.require_memory(len(records), schema)
    with spending(is_private=not request.randomness.is_simulated):
        release = release_marginals(
            records,
            schema,
            pairs=(),
            one_way=schema.names,
            epsilon=request.epsilon,
            dp_delta=request.dp_delta,
            adjacency=request.adjacency,
            mode=request.randomness.mode,
            beta=request.failure,
            least_size=request.least_size,
            mechanism=request.mechanism,
            seed=request.randomness.seed,
        )
        rows = independent_rows(release, request.rows_for(len(records)))
        return PrivateTable(
            choice=choice,
            release=release,
            rows=rows,
            known=known_from_marginals(release, rows),
            epsilon=request.epsilon,
            dp_delta=request.dp_delta,
            fit=None,
            too_few=request.randomness.is_simulated and len(records) < size,
        )


def independent_rows(release: Marginals, k: int) -> Codes:
    """Every column has the shares nearest to its noisy table, as exactly as k rows can, in its own random order."""
    from mechanisms.tilt.fit import public_stream, systematic
    from mechanisms.tilt.targets import nearest_shares

    stream = public_stream(release)
    domain = release.schema.domain
    rows = np.empty((k, domain.p), dtype=domain.code_type)
    for table in release.tables:
        (column,) = table.columns
        noisy = np.array([float(Fraction(count, table.denominator)) for count in table.counts])
        codes = systematic(nearest_shares(noisy), k, stream)
        rows[:, column] = stream.permutation(codes)
    return rows
