"""Reading a release of marginals, strictly: every field, the digest, and for tables made here the noise plan itself.

A file whose radius or noise law does not follow from its own budget is refused, so that what is certified from it rests
on noise that was really planned. Tables made elsewhere state their errors themselves; they are taken at their word.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from bounds.errors import DataError, SynthboundsError, UsageError
from bounds.exact import parse_rational
from bounds.privacy.adjacency import Adjacency, read_adjacency
from release.data.schema import Schema, schema_of
from release.files.strict_json import Number, is_text, parse_json, read_json_file, require_object, shown
from release.marginals.file import (
    KIND,
    LAWS,
    ORIGINS,
    STATISTIC,
    VERSION,
    MarginalBudget,
    Marginals,
    MarginalTable,
    NoiseLaw,
    digest_of,
)
from release.noise.kinds import NOT_A_RELEASE

_MOST_DIGITS = 60
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
    """The release in JSON text; `where` begins every complaint."""
    body = parse_json(text, where)
    fields = require_object(body, where, _FIELDS, {"n", "least_size", "seed"})
    if fields["synthbounds_release"] != str(VERSION) or not isinstance(fields["synthbounds_release"], Number):
        raise DataError(f"{where}: synthbounds_release = {shown(fields['synthbounds_release'])}: must be {VERSION}")
    if fields["kind"] != KIND:
        raise DataError(f"{where}: kind = {shown(fields['kind'])}: must be {KIND} here")
    if fields["digest"] != digest_of(_plain(text, where)):
        raise DataError(f"{where}: digest: does not fit the content; the file was changed")
    origin = fields["mode"]
    if origin not in ORIGINS:
        raise DataError(f"{where}: mode = {shown(origin)}: must be one of {', '.join(ORIGINS)}")
    if fields["stamp"] != (NOT_A_RELEASE if origin == "simulate" else None):
        raise DataError(f"{where}: stamp = {shown(fields['stamp'])}: does not fit the mode")
    if fields["statistic"] != STATISTIC:
        raise DataError(f"{where}: statistic = {shown(fields['statistic'])}: must be {shown(STATISTIC)}")
    schema = schema_of(fields["schema"], f"{where}: schema")
    if origin == "release":
        schema.require_public()
    adjacency = _adjacency(fields["adjacency"], where)
    named, other = ("n", "least_size") if adjacency is Adjacency.REPLACE_ONE else ("least_size", "n")
    if named not in fields or other in fields:
        raise DataError(f"{where}: {adjacency.value} states {named}, and not {other}")
    listed = fields["tables"]
    if not isinstance(listed, list) or not listed:
        raise DataError(f"{where}: tables must be a list of at least one table")
    beta = _rational(fields["beta"], f"{where}: beta")
    if not 0 < beta < 1:
        raise DataError(f"{where}: beta = {shown(fields['beta'])}: must be greater than 0 and less than 1")
    try:
        found = Marginals(
            schema=schema,
            adjacency=adjacency,
            size=_integer(fields[named], f"{where}: {named}", least=1),
            origin=origin,
            beta=beta,
            tables=tuple(_table(item, schema, f"{where}: tables[{i}]") for i, item in enumerate(listed)),
            budget=_budget(fields["budget"], f"{where}: budget"),
            seed=None if "seed" not in fields else _integer(fields["seed"], f"{where}: seed", least=0),
        )
    except UsageError as error:
        raise DataError(f"{where}: {error}") from None
    if found.budget is not None:
        _require_plan(found, where)
    return found


def _plain(text: str, where: str) -> dict[str, Any]:
    """The object with ordinary numbers, of which the digest is taken; the text has been parsed strictly before."""
    try:
        found: dict[str, Any] = json.loads(text)
    except ValueError:
        raise DataError(f"{where}: holds a number of too many digits") from None
    return found


def _require_plan(found: Marginals, where: str) -> None:
    """The budget and the tables decide noise, lattice and radius; they must be those of every table."""
    from release.marginals.make import budget_of, fineness, plan_marginals, stated_error

    assert found.budget is not None
    try:
        plan = plan_marginals(
            found.schema,
            [table.columns for table in found.tables],
            epsilon=found.budget.epsilon,
            dp_delta=found.budget.dp_delta,
            adjacency=found.adjacency,
            size=found.size,
            beta=found.beta,
            mode=found.origin,
            mechanism=found.budget.mechanism,
        )
    except SynthboundsError as error:
        raise DataError(f"{where}: budget: {error}") from None
    if budget_of(plan) != found.budget:
        raise DataError(
            f"{where}: budget: dp_delta or sensitivity is not that of {plan.mechanism} noise on these tables"
        )
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
    if not isinstance(names, list) or not all(is_text(name) and name in schema.names for name in names):
        raise DataError(f"{where}: columns = {shown(names)}: must be a list of columns of the schema")
    if not isinstance(counts, list):
        raise DataError(f"{where}: counts must be a list of whole numbers")
    return MarginalTable(
        columns=tuple(schema.names.index(name) for name in names),
        counts=tuple(_integer(item, f"{where}: counts[{i}]") for i, item in enumerate(counts)),
        denominator=_integer(fields["denominator"], f"{where}: denominator", least=1),
        radius=_rational(fields["radius"], f"{where}: radius"),
        noise=_law(fields["noise"], f"{where}: noise"),
    )


def _law(body: object, where: str) -> NoiseLaw | None:
    if body is None:
        return None
    fields = require_object(body, where, {"law", "sd", "rounding"})
    if fields["law"] not in LAWS:
        raise DataError(f"{where}: law = {shown(fields['law'])}: must be {' or '.join(LAWS)}")
    sd, rounding = (_rational(fields[name], f"{where}: {name}") for name in ("sd", "rounding"))
    return NoiseLaw(law=fields["law"], sd=sd, rounding=rounding)


def _budget(body: object, where: str) -> MarginalBudget | None:
    if body is None:
        return None
    fields: dict[str, Any] = require_object(body, where, {"epsilon", "dp_delta", "mechanism", "sensitivity"})
    delta = fields["dp_delta"]
    moved = require_object(fields["sensitivity"], f"{where}: sensitivity", {"norm", "amount"})
    if not is_text(fields["mechanism"]):
        raise DataError(f"{where}: mechanism = {shown(fields['mechanism'])}: must be text")
    return MarginalBudget(
        epsilon=_rational(fields["epsilon"], f"{where}: epsilon"),
        dp_delta=None if delta is None else _rational(delta, f"{where}: dp_delta"),
        mechanism=fields["mechanism"],
        norm=moved["norm"],
        amount=_integer(moved["amount"], f"{where}: sensitivity: amount", least=1),
    )


def _adjacency(body: object, where: str) -> Adjacency:
    if not is_text(body) or body not in [adjacency.value for adjacency in Adjacency]:
        raise DataError(f"{where}: adjacency = {shown(body)}: must be replace-one or add-remove")
    return read_adjacency(body)


def _rational(body: object, where: str) -> Fraction:
    """Exact text such as 1/20; a number of JSON is not taken, since other programs may have rounded it."""
    if not is_text(body):
        raise DataError(f'{where} = {shown(body)}: must be an exact number as text, such as "1/20"')
    try:
        return parse_rational(body, "number")
    except SynthboundsError:
        raise DataError(f'{where} = {shown(body)}: must be an exact number as text, such as "1/20"') from None


def _integer(body: object, where: str, least: int | None = None) -> int:
    digits = body.removeprefix("-") if isinstance(body, str) else ""
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS):
        raise DataError(f"{where} = {shown(body)}: must be a whole number")
    value = int(str(body))
    if least is not None and value < least:
        raise DataError(f"{where} = {value}: must be at least {least}")
    return value
