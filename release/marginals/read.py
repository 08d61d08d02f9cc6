"""Reading a release of marginals, strictly: every field, the digest, and for tables made here the noise plan itself.

A file whose radius or noise law does not follow from its own budget is refused, so that certificates from it rest on
noise that was really planned. Tables made elsewhere state their errors themselves; these are trusted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bounds.errors import DataError
from bounds.privacy.adjacency import Adjacency
from release.data.schema import Schema, schema_of
from release.files.fields import (
    read_choice,
    read_exact,
    read_integer,
    require_digest,
    require_version,
    within,
)
from release.files.strict_json import is_text, parse_json, read_json_file, require_object, shown
from release.marginals.file import LAWS, MARGINALS, ORIGINS, STATISTIC, Marginals, MarginalTable, NoiseLaw, budget_json
from release.marginals.make import fineness, plan_marginals, stated_error
from release.noise.kinds import NoisePlan
from release.private_release import VERSION, size_field, stamp_of

_FIELDS = {
    "synthbounds_release",
    "kind",
    "mode",
    "stamp",
    "statistic",
    "schema",
    "adjacency",
    "beta",
    "budget",
    "tables",
    "digest",
}


def read_marginals(path: str | Path) -> Marginals:
    """The release in a file."""
    return parse_marginals(*read_json_file(path, "release"))


def parse_marginals(text: str, where: str = "release") -> Marginals:
    """The release in JSON text; `where` begins every error message."""
    return marginals_of(parse_json(text, where), where)


def marginals_of(body: object, where: str) -> Marginals:
    """The release in an object that parse_json has read."""
    fields = require_object(body, where, _FIELDS, {"n", "least_size", "seed"})
    require_version(fields, "synthbounds_release", VERSION, where)
    if fields["kind"] != MARGINALS:
        raise DataError(f"{where}: kind = {shown(fields['kind'])}: must be {MARGINALS} here")
    require_digest(fields, where)
    origin = fields["mode"]
    if origin not in ORIGINS:
        raise DataError(f"{where}: mode = {shown(origin)}: must be one of {', '.join(ORIGINS)}")
    if fields["stamp"] != stamp_of(simulated=origin == "simulate"):
        raise DataError(f"{where}: stamp = {shown(fields['stamp'])}: does not fit the mode")
    if fields["statistic"] != STATISTIC:
        raise DataError(f"{where}: statistic = {shown(fields['statistic'])}: must be {shown(STATISTIC)}")
    schema = schema_of(fields["schema"], f"{where}: schema")
    if origin == "release":
        within(schema.require_public, where)
    adjacency = Adjacency(read_choice(fields["adjacency"], (a.value for a in Adjacency), f"{where}: adjacency"))
    named = size_field(adjacency)
    other = "least_size" if named == "n" else "n"
    if named not in fields or other in fields:
        raise DataError(f"{where}: {adjacency.value} states {named}, and not {other}")
    listed = fields["tables"]
    if not isinstance(listed, list) or not listed:
        raise DataError(f"{where}: tables must be a list of at least one table")
    beta = read_exact(fields["beta"], "beta", where)
    if not 0 < beta < 1:
        raise DataError(f"{where}: beta = {shown(fields['beta'])}: must be greater than 0 and less than 1")
    tables = tuple(_table(item, schema, f"{where}: tables[{i}]") for i, item in enumerate(listed))
    found = within(
        lambda: Marginals(
            schema=schema,
            adjacency=adjacency,
            size=read_integer(fields[named], f"{where}: {named}", least=1, either=True),
            origin=origin,
            beta=beta,
            tables=tables,
            plan=_plan(fields, schema, adjacency, tables, where),
            seed=None if "seed" not in fields else read_integer(fields["seed"], f"{where}: seed", least=0, either=True),
        ),
        where,
    )
    if found.plan is not None:
        _require_planned(found, found.plan, where)
    return found


def _plan(
    fields: dict[str, Any], schema: Schema, adjacency: Adjacency, tables: tuple[MarginalTable, ...], where: str
) -> NoisePlan | None:
    """The noise that budget and tables determine; what the budget states must follow from it."""
    if fields["budget"] is None:
        return None
    budget = require_object(fields["budget"], f"{where}: budget", {"epsilon", "dp_delta", "mechanism", "sensitivity"})
    require_object(budget["sensitivity"], f"{where}: budget: sensitivity", {"norm", "amount"})
    delta, mechanism = budget["dp_delta"], budget["mechanism"]
    if not is_text(mechanism):
        raise DataError(f"{where}: budget: mechanism = {shown(mechanism)}: must be text")
    place = f"{where}: budget"
    plan = within(
        lambda: plan_marginals(
            schema,
            [table.columns for table in tables],
            epsilon=read_exact(budget["epsilon"], "epsilon", place),
            dp_delta=None if delta is None else read_exact(delta, "dp_delta", place),
            adjacency=adjacency,
            size=read_integer(fields[size_field(adjacency)], f"{where}: {size_field(adjacency)}", least=1, either=True),
            beta=read_exact(fields["beta"], "beta", where),
            mode=fields["mode"],
            mechanism=mechanism,
        ),
        place,
    )
    if budget_json(plan) != budget:
        raise DataError(f"{place}: dp_delta or sensitivity is not that of {plan.mechanism} noise on these tables")
    return plan


def _require_planned(found: Marginals, plan: NoisePlan, where: str) -> None:
    """Lattice, radius and noise of every table are those of the plan."""
    radius, noise = stated_error(plan)
    for i, table in enumerate(found.tables):
        place = f"{where}: tables[{i}]"
        if table.denominator != (steps := plan.steps * fineness(plan)):
            raise DataError(f"{place}: denominator = {table.denominator}: the plan of this release has {steps}")
        if table.radius != radius or table.noise != noise:
            raise DataError(f"{place}: radius and noise are not those of the plan of this release")


def _table(body: object, schema: Schema, where: str) -> MarginalTable:
    fields = require_object(body, where, {"columns", "radius", "noise", "denominator", "counts"})
    names, counts = fields["columns"], fields["counts"]
    if not isinstance(names, list) or not all(is_text(name) and name in schema.places for name in names):
        raise DataError(f"{where}: columns = {shown(names)}: must be a list of columns of the schema")
    if not isinstance(counts, list):
        raise DataError(f"{where}: counts must be a list of whole numbers")
    return MarginalTable(
        columns=tuple(schema.places[name] for name in names),
        counts=tuple(read_integer(item, f"{where}: counts[{i}]", either=True) for i, item in enumerate(counts)),
        denominator=read_integer(fields["denominator"], f"{where}: denominator", least=1, either=True),
        radius=read_exact(fields["radius"], "radius", where),
        noise=_law(fields["noise"], f"{where}: noise"),
    )


def _law(body: object, where: str) -> NoiseLaw | None:
    if body is None:
        return None
    fields = require_object(body, where, {"law", "sd", "rounding"})
    if fields["law"] not in LAWS:
        raise DataError(f"{where}: law = {shown(fields['law'])}: must be {' or '.join(LAWS)}")
    sd, rounding = (read_exact(fields[name], name, where) for name in ("sd", "rounding"))
    return NoiseLaw(law=fields["law"], sd=sd, rounding=rounding)
