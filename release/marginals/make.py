"""Drawing a release of marginals: which tables, the noise that public numbers plan for them, exact noise on the counts.

One record is in one cell of each table, so T tables have the sensitivity 2T in L1 and sqrt(2T) in L2 when a record is
replaced. By default one-way tables are released only for columns that no pair contains: the others follow from pairs,
and every table costs noise in all of them. Proofs: docs/proofs/synthbounds.lattice-noise.md and
docs/proofs/synthbounds.marginal-moments.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from typing import TYPE_CHECKING

from bounds.errors import ParameterError
from bounds.exact import Exact, parse_integer, require_range
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.sensitivity import l1_sensitivity
from release.data.counting import MOST_MARGINALS
from release.data.schema import Schema
from release.data.source import Source, as_source
from release.marginals.file import MARGINALS, STATISTIC, Marginals, MarginalTable, NoiseLaw, budget_json
from release.measure import Measurement, measure
from release.noise.choice import choose_noise
from release.noise.kinds import NoisePlan
from release.noise.lattice import lattice_sums
from release.noise.randomness import read_randomness
from release.parameters import DEFAULT_BETA, read_neighbours
from release.spending import spending
from release.statistics.statistic import Counted, Statistic

if TYPE_CHECKING:
    from release.data.source import Records

_FINE = 2**20
_LARGEST_LAW_SCALE = 2**41
"""Above it the sampler's 64 bits would matter, and the distribution of the noise is not stated."""

Pairs = Iterable[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class CellsOfTables:
    """What noise needs to know about the cells of tables: one record is in one cell of each."""

    varying: int
    l1_sensitivity: int
    l2_sensitivity_squared: int
    range_width: int = 1


def release_marginals(
    records: Records,
    schema: Schema,
    *,
    pairs: Pairs | None = None,
    one_way: Iterable[str] | None = None,
    epsilon: Exact,
    dp_delta: Exact | None = None,
    adjacency: Adjacency | str,
    mode: str,
    beta: Exact = DEFAULT_BETA,
    least_size: Exact | None = None,
    mechanism: str | None = None,
    seed: int | None = None,
) -> Marginals:
    """Noisy tables of the named pairs (default: all) and columns (default: those in no pair).

    A release draws exact noise from the operating system and spends its budget with every call; a simulation needs a
    seed. Under add-remove `least_size` is the public number of records that the table has at least.
    """
    neighbours, randomness = read_neighbours(adjacency, least_size=least_size), read_randomness(mode, seed=seed)
    if not randomness.is_simulated:
        schema.require_releasable()
    sets = choose_tables(schema, pairs=pairs, one_way=one_way)
    counted = tables_statistic(schema, sets, neighbours).of(as_source(records, schema.domain))
    n = counted.n
    size = n if least_size is None else parse_integer(least_size, "least_size")
    if n == 0 and least_size is None:
        raise ParameterError("n", 0, "at least 1", "the table has no records")
    plan = plan_marginals(
        schema,
        sets,
        epsilon=epsilon,
        dp_delta=dp_delta,
        adjacency=neighbours,
        size=size,
        beta=beta,
        mode=randomness.mode,
        mechanism=mechanism,
    )
    exact = Counted(n=n, values=tuple(lattice_sums(plan, counted.values, n=n, anchor=_anchor(schema, sets))))
    with spending(is_private=not randomness.is_simulated):
        measurement, _ = measure(
            exact,
            plan.noise,
            Ledger.of(plan.total),
            what=MARGINALS,
            randomness=randomness,
            header=_header(schema, sets, plan),
        )
        return Marginals(
            schema=schema,
            adjacency=neighbours,
            size=size,
            origin=randomness.mode,
            beta=plan.beta,
            tables=_tables(schema, sets, plan, measurement),
            plan=plan,
            seed=seed,
        )


def tables_statistic(schema: Schema, sets: Sequence[tuple[int, ...]], adjacency: Adjacency) -> Statistic:
    """The counts of all cells of these tables, one table after the other."""

    def count(source: Source) -> Counted:
        tables = source.counts(sets)
        values = tuple(int(value) for places in sets for value in tables[places].ravel())
        return Counted(n=source.n, values=values)

    public = adjacency is Adjacency.REPLACE_ONE
    return Statistic(
        text=STATISTIC,
        count=_cells(schema, sets),
        sensitivity=l1_sensitivity(
            value=len(sets) * (2 if public else 1), adjacency=adjacency, n_is_public=public, text="counts of all cells"
        ),
        of=count,
    )


def _tables(
    schema: Schema, sets: Sequence[tuple[int, ...]], plan: NoisePlan, measurement: Measurement
) -> tuple[MarginalTable, ...]:
    radius, law = stated_error(plan)
    fine = fineness(plan)
    tables, start = [], 0
    for places in sets:
        end = start + prod(schema.domain.sizes[place] for place in places)
        cells = tuple(round(value * fine) for value in measurement.values[start:end])
        tables.append(
            MarginalTable(columns=places, counts=cells, denominator=plan.steps * fine, radius=radius, noise=law)
        )
        start = end
    return tuple(tables)


def _anchor(schema: Schema, sets: Sequence[tuple[int, ...]]) -> list[int]:
    """The first point of the domain, as public as any other: its cell comes first in every table."""
    sizes = schema.domain.sizes
    return [int(c == 0) for places in sets for c in range(prod(sizes[place] for place in places))]


def _header(schema: Schema, sets: Sequence[tuple[int, ...]], plan: NoisePlan) -> dict[str, object]:
    """The public fields around the counts, from which an interrupted release can be finished."""
    return {
        "kind": MARGINALS,
        "mode": plan.mode,
        "statistic": STATISTIC,
        "schema": schema.to_json(),
        "size": plan.size,
        "beta": str(plan.beta),
        "budget": budget_json(plan),
        "tables": [[schema.names[place] for place in places] for places in sets],
    }


def choose_tables(
    schema: Schema, *, pairs: Pairs | None = None, one_way: Iterable[str] | None = None
) -> tuple[tuple[int, ...], ...]:
    """Places of the columns of every table: one-way tables first, then pairs."""
    names = schema.names
    place_of = {name: place for place, name in enumerate(names)}
    if pairs is None:
        _require_tables(comb(len(names), 2))
    chosen = list(combinations(names, 2)) if pairs is None else [tuple(pair) for pair in pairs]
    found: list[tuple[int, ...]] = []
    for pair in chosen:
        if len(pair) != 2 or pair[0] == pair[1] or not place_of.keys() >= set(pair):
            raise ParameterError("pairs", " x ".join(map(str, pair)), "two different columns of the schema")
        found.append(tuple(sorted(place_of[name] for name in pair)))
    covered = {place for places in found for place in places}
    alone = [name for i, name in enumerate(names) if i not in covered] if one_way is None else list(one_way)
    for name in alone:
        if name not in place_of:
            raise ParameterError("one_way", name, "a column of the schema")
    sets = [*((place_of[name],) for name in alone), *found]
    if not sets:
        raise ParameterError("pairs", "none", "at least one table", "with --one-way empty, too, nothing is released")
    for places, times in Counter(sets).items():
        if times > 1:
            named = " x ".join(names[place] for place in places)
            raise ParameterError("pairs" if len(places) == 2 else "one_way", named, "given once")
    _cells(schema, sets)
    return tuple(sorted(sets, key=lambda places: (len(places), places)))


def _require_tables(count: int) -> None:
    require_range("tables", count, count, most=MOST_MARGINALS, reason="tables of a release")


def _cells(schema: Schema, sets: Sequence[tuple[int, ...]]) -> int:
    """The number of cells of all tables, if they can be released; refused here before a record is read."""
    _require_tables(len(sets))
    sizes = schema.domain.sizes
    count = sum(prod(sizes[place] for place in places) for places in sets)
    require_range("cells", count, count, most=2**24, reason="all tables together")
    return count


def plan_marginals(
    schema: Schema,
    sets: Sequence[tuple[int, ...]],
    *,
    epsilon: Exact,
    dp_delta: Exact | None,
    adjacency: Adjacency,
    size: int,
    beta: Exact,
    mode: str,
    mechanism: str | None,
) -> NoisePlan:
    """The noise for these tables, from public numbers alone; with a dp_delta Gaussian unless another is named.

    Moments add up many cells, and sums of independent noise concentrate: that counts for more than the largest cell.
    """
    count = _cells(schema, sets)
    return choose_noise(
        CellsOfTables(varying=count, l1_sensitivity=2 * len(sets), l2_sensitivity_squared=2 * len(sets)),
        1,
        epsilon=epsilon,
        dp_delta=dp_delta,
        n=size,
        adjacency=adjacency,
        beta=beta,
        mode=mode,
        mechanism="gaussian" if mechanism is None and dp_delta is not None else mechanism,
    )


def stated_error(plan: NoisePlan) -> tuple[Fraction, NoiseLaw | None]:
    """The radius of every cell, and the distribution of the noise if it is Gaussian: continuous if simulated, else
    discrete.

    Under add-remove the lattice costs half a step, which the quantile includes; a simulation's floats are rounded to a
    much finer lattice, so that both kinds of file contain whole numbers.
    """
    simulated = plan.mode == "simulate"
    finer = plan.unit / (2 * fineness(plan)) if simulated else Fraction(0)
    radius = plan.quantile + finer
    if plan.mechanism != "gaussian" or plan.scale > _LARGEST_LAW_SCALE:
        return radius, None
    half_step = plan.unit / 2 if plan.adjacency is Adjacency.ADD_REMOVE else Fraction(0)
    kind = NoiseLaw(
        law="gaussian" if simulated else "sub-gaussian",
        sd=plan.scale * plan.unit,
        rounding=half_step + finer,
    )
    return radius, kind


def fineness(plan: NoisePlan) -> int:
    """How many parts a step of the plan's lattice has in the tables."""
    return _FINE if plan.mode == "simulate" else 1
