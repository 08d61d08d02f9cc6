"""A release of noisy one- and two-way marginals: tables, how far a cell may be off, the noise, as a file.

Tables were published here or elsewhere: shares of records in cells, with an error bound that is valid for all cells at
once except with probability beta. Noise is drawn in release.marginals.make, files are read in release.marginals.read,
and moments are derived from tables in mechanisms.models.certify.marginal_moments.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from bounds.errors import DataError
from bounds.exact import require_range
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from release.data.schema import Schema
from release.files.fields import integer_json
from release.noise.kinds import NoisePlan
from release.private_release import VERSION, Release, size_field, stamp_of

MARGINALS = "marginals"
Law: TypeAlias = Literal["gaussian", "sub-gaussian"]
LAWS: tuple[Law, ...] = get_args(Law)
Origin: TypeAlias = Literal["release", "simulate", "elsewhere"]
ORIGINS: tuple[Origin, ...] = get_args(Origin)

STATISTIC = "shares of the records in the cells of one- and two-way tables, with noise on every cell"


@dataclass(frozen=True, kw_only=True)
class NoiseLaw:
    """Noise of independent cells: `sd` is the standard deviation, or the root of the proxy variance if sub-Gaussian.

    In addition a cell may be off by `rounding`, whatever the noise is.
    """

    law: Law
    sd: Fraction
    rounding: Fraction = Fraction(0)


@dataclass(frozen=True, kw_only=True)
class MarginalTable:
    """One noisy table: cell c is counts[c]/denominator, the last column's code running fastest.

    Except with the release's beta, every cell of every table is within its `radius` of the true share.
    """

    columns: tuple[int, ...]
    """Places in the schema, increasing: one or two."""
    counts: tuple[int, ...]
    denominator: int
    radius: Fraction
    noise: NoiseLaw | None = None

    @property
    def cells(self) -> tuple[Fraction, ...]:
        return tuple(Fraction(count, self.denominator) for count in self.counts)


@dataclass(frozen=True, kw_only=True)
class Marginals(Release):
    """Noisy tables over one public schema. `size` is n under replace-one, a public least number under add-remove.

    `origin` says where the tables come from; those made elsewhere have no plan that could be checked here.
    """

    KIND: ClassVar[str] = MARGINALS
    ROWS: ClassVar[tuple[str, ...]] = ("tables",)

    schema: Schema
    adjacency: Adjacency
    size: int
    origin: Origin
    beta: Fraction
    tables: tuple[MarginalTable, ...]
    plan: NoisePlan | None = None
    """The noise that public numbers planned; it can be planned again from them."""
    seed: int | None = None
    """Of a simulation."""

    def __post_init__(self) -> None:
        require_range("beta", self.beta, self.beta, above=0, below=1, reason="a probability")
        if self.size < 1 or not self.tables:
            raise DataError("marginals: at least one table and one record are needed")
        if (self.plan is None) != (self.origin == "elsewhere"):
            raise DataError("marginals: a budget is stated exactly for tables that were made here")
        if (self.seed is None) == (self.origin == "simulate"):
            raise DataError("marginals: a seed is stated exactly for a simulation")
        seen: set[object] = set()
        for table in self.tables:
            _check(table, self.schema)
            # A copy would count as fresh noise in an average, and a release made here has no columns twice.
            copy = table.columns if self.plan is not None else (table.columns, table.cells)
            if table.noise is not None or self.plan is not None:
                if copy in seen:
                    named = " x ".join(self.schema.names[place] for place in table.columns)
                    raise DataError(f"marginals: table {named}: is given twice, but its noise was drawn once")
                seen.add(copy)

    @property
    def is_simulated(self) -> bool:
        return self.origin == "simulate"

    @cached_property
    def cost(self) -> Ledger | None:
        if self.plan is None:
            return None
        return Ledger.of(self.plan.total).spend(self.plan.cost, MARGINALS)

    @property
    def has_laws(self) -> bool:
        """Whether the distribution of the noise is known for every table."""
        return all(table.noise is not None for table in self.tables)

    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "synthbounds_release": VERSION,
            "kind": MARGINALS,
            "mode": self.origin,
            "stamp": stamp_of(simulated=self.is_simulated),
            "statistic": STATISTIC,
            "schema": self.schema.to_json(),
            "adjacency": self.adjacency.value,
            size_field(self.adjacency): self.size,
            "beta": str(self.beta),
            "budget": None if self.plan is None else budget_json(self.plan),
        }
        if self.seed is not None:
            found["seed"] = str(self.seed)
        return found | {"tables": [_table_json(table, self.schema) for table in self.tables]}


def budget_json(plan: NoisePlan) -> dict[str, Any]:
    """What a file says about the plan of its noise."""
    return {
        "epsilon": str(plan.epsilon),
        "dp_delta": None if plan.dp_delta is None else str(plan.dp_delta),
        "mechanism": plan.mechanism,
        "sensitivity": {"norm": plan.sensitivity.norm, "amount": str(plan.sensitivity.amount)},
    }


def _table_json(table: MarginalTable, schema: Schema) -> dict[str, Any]:
    noise = table.noise
    return {
        "columns": [schema.names[place] for place in table.columns],
        "radius": str(table.radius),
        "noise": None if noise is None else {"law": noise.law, "sd": str(noise.sd), "rounding": str(noise.rounding)},
        "denominator": integer_json(table.denominator),
        "counts": [integer_json(count) for count in table.counts],
    }


def _check(table: MarginalTable, schema: Schema) -> None:
    sizes = schema.domain.sizes
    places = table.columns
    if (
        len(places) not in (1, 2)
        or list(places) != sorted(set(places))
        or not 0 <= places[0] <= places[-1] < len(sizes)
    ):
        raise DataError(f"marginals: columns {places}: one or two columns of the schema, in its order")
    where = "marginals: table " + " x ".join(schema.names[place] for place in places)
    wanted = prod(sizes[place] for place in places)
    if len(table.counts) != wanted:
        raise DataError(f"{where}: has {len(table.counts)} cells; its columns have {wanted}")
    if table.denominator < 1:
        raise DataError(f"{where}: denominator = {table.denominator}: must be at least 1")
    if table.radius < 0:
        raise DataError(f"{where}: radius = {table.radius}: must be at least 0")
    noise = table.noise
    if noise is not None and (noise.law not in LAWS or noise.sd < 0 or noise.rounding < 0):
        raise DataError(f"{where}: noise must be {' or '.join(LAWS)}, with sd and rounding at least 0")
