"""The common part of files that compare a finished table with the real one, and their strict reading."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bounds.errors import DataError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.amounts import cost_of
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import DP, GaussianDP, Statement
from release.comparison.planned import ComparisonPlan
from release.data.schema import Schema, schema_of
from release.files.fields import (
    integer_json,
    read_exact,
    read_integers,
    read_whole,
    require_digest,
    require_version,
    within,
)
from release.files.strict_json import is_text, require_object, shown
from release.parameters import MOST_RECORDS
from release.private_release import (
    ALWAYS,
    VERSION,
    Release,
    read_drawn,
    read_stated_adjacency,
    read_stated_mode,
    size_field,
    stamp_of,
)

HEADER = ALWAYS | {"stamp", "statistic", "synthetic", "sensitivity", "noise", "cost", "ledger", "numbers"}
"""Fields that every kind has; n or least_size, and in simulations seed and run, are added."""


@dataclass(frozen=True, kw_only=True)
class Comparison(ComparisonPlan, Release):
    """Two noisy integers about a finished table and the real one, with everything needed to use them."""

    numbers: tuple[int, int]

    @property
    def cost(self) -> Ledger:
        return self.ledger

    def at_most(self, failure: Fraction) -> tuple[int, int]:
        """Both integers without noise are at most these, except with this probability.

        They are not negative, so a negative number counts as 0 before the noise is allowed for: no table may look
        better than is possible.
        """
        fall = self.fall(failure)
        first, second = (max(0, value) + fall for value in self.numbers)
        return first, second

    def said_of_synthetic(self) -> dict[str, Any]:
        """What the file says about the synthetic table, which is public."""
        return {"rows": self.synthetic_size, "digest": self.synthetic_digest}

    def body(self) -> dict[str, Any]:
        noise = self.noise
        found: dict[str, Any] = {
            "synthbounds_release": VERSION,
            "kind": self.KIND,
            "mode": self.mode,
            "stamp": stamp_of(simulated=self.is_simulated),
            "statistic": self.statistic_text,
            "adjacency": self.adjacency.value,
            size_field(self.adjacency): self.stated_size,
            "sensitivity": {"norm": noise.sensitivity.norm, "amount": str(noise.sensitivity.amount)},
            "noise": {"kind": noise.kind, "scale": str(noise.scales)},
            "cost": cost_json(self.price),
            "ledger": self.ledger.to_json(),
            "schema": self.schema.to_json(),
            **self.said_besides(),
            "synthetic": self.said_of_synthetic(),
            "numbers": [integer_json(value) for value in self.numbers],
        }
        return found | ({"seed": str(self.seed), "run": str(self.run)} if self.is_simulated else {})


def cost_json(cost: Statement) -> dict[str, str]:
    """The cost of two numbers: in mu^2, or a pure epsilon."""
    if isinstance(cost, GaussianDP):
        return {"mu_squared": str(cost.mu_squared)}
    assert isinstance(cost, DP)
    return {"epsilon": str(cost.epsilon.lo)}


def read_header(fields: dict[str, Any], kind: str, where: str) -> dict[str, Any]:
    """The fields of a ComparisonPlan that its file states, except the synthetic table; and the schema, as `schema`."""
    require_version(fields, "synthbounds_release", VERSION, where)
    if fields["kind"] != kind:
        raise DataError(f'{where}: kind = {shown(fields["kind"])}: must be "{kind}"')
    require_digest(fields, where)
    mode, adjacency = read_stated_mode(fields, where), read_stated_adjacency(fields, where)
    drawn = read_drawn(fields, where, simulated=mode == "simulate")
    ledger = within(lambda: Ledger.from_json(fields["ledger"]), where)
    if ledger.adjacency is not adjacency:
        raise DataError(f"{where}: ledger: is for {ledger.adjacency.value}, the release for {adjacency.value}")
    return {
        "schema": _schema(fields["schema"], simulated=mode == "simulate", where=where),
        "mode": mode,
        "ledger": ledger,
        "price": _cost(fields["cost"], adjacency, f"{where}: cost"),
        "stated_size": _size(fields, adjacency, where),
        "numbers": read_integers(fields["numbers"], 2, f"{where}: numbers"),
        **drawn,
    }


def read_synthetic(fields: dict[str, Any], where: str) -> tuple[int, str]:
    """Rows and digest of the synthetic table."""
    if not is_text(fields["digest"]) or len(fields["digest"]) != 64:
        raise DataError(f"{where}: digest = {shown(fields['digest'])}: must be that of a table")
    return read_whole(fields["rows"], f"{where}: rows", least=1), str(fields["digest"])


def require_paid(found: Comparison, where: str) -> None:
    """Refuse a release whose ledger does not have the cost of its noise."""
    asked = within(lambda: cost_of(found.noise.cost, found.ledger.currency), where)
    if not any(entry.what == found.KIND and entry.cost == asked for entry in found.ledger.entries):
        raise DataError(f"{where}: ledger: has no entry {found.KIND} with the cost of this noise")


def _schema(body: object, *, simulated: bool, where: str) -> Schema:
    schema = schema_of(body, f"{where}: schema")
    if not simulated:
        within(schema.require_public, where)
    return schema


def _size(fields: dict[str, Any], adjacency: Adjacency, where: str) -> int:
    named = size_field(adjacency)
    other = "least_size" if named == "n" else "n"
    if named not in fields or other in fields:
        raise DataError(f"{where}: adjacency {adjacency.value} goes with {named}, and not with {other}")
    size = read_whole(fields[named], f"{where}: {named}", least=1)
    if size > MOST_RECORDS:
        raise DataError(f"{where}: {named} = {size}: must be at most {MOST_RECORDS}")
    return size


def _cost(body: object, adjacency: Adjacency, where: str) -> Statement:
    fields = require_object(body, where, set(), {"mu_squared", "epsilon"})
    if len(fields) != 1:
        raise DataError(f"{where}: must be an object with mu_squared or epsilon")
    ((name, value),) = fields.items()
    amount = read_exact(value, name, where)
    if name == "mu_squared":
        return within(lambda: GaussianDP(mu_squared=amount, adjacency=adjacency), where)
    return within(lambda: DP(epsilon=amount, delta=0, adjacency=adjacency), where)  # type: ignore[arg-type]
