"""Releases of one-way tables and cross moments read from files: what follows from other fields is recomputed.

A file that was changed, or whose parts do not belong together, is refused with one line that says where: a digest that
is not that of the content, noise that does not fit the encoding and the budget, a ledger that did not pay for these
numbers, incomplete tables or moments. So the contents of CrossMoments can be relied on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bounds.errors import DataError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.amounts import Currency
from bounds.privacy.ledger import Ledger
from release.cross_moments.file import CROSS_MOMENTS, CrossMoments
from release.cross_moments.planned import CROSS, ONE_WAY, CrossMomentPlan
from release.data.schema import Schema, schema_of
from release.files.fields import (
    plain,
    read_integers,
    require_digest,
    require_same,
    require_version,
    within,
)
from release.files.strict_json import is_text, parse_json, read_json_file, require_object, shown
from release.private_release import (
    ALWAYS,
    SOMETIMES,
    VERSION,
    read_drawn,
    read_stated_adjacency,
    read_stated_mode,
    read_stated_size,
)
from release.statistics.cross_moments import TableEncoding

_NEEDED = ALWAYS | {"encoding", "budget", "one_way", "cross"}
_MORE = SOMETIMES | {"stamp", "statistic", "noise"}
"""Fields that follow from others must be present, too, and agree with them; the rest depend on what was released."""


def read_cross_moments(path: str | Path) -> CrossMoments:
    """The release in a file."""
    return parse_cross_moments(*read_json_file(path, "release"))


def parse_cross_moments(text: str, where: str = "release") -> CrossMoments:
    """The release in JSON text; `where` begins every error message."""
    return cross_moments_of(parse_json(text, where), where)


def cross_moments_of(body: object, where: str) -> CrossMoments:
    """The release in an object that parse_json has read."""
    if isinstance(body, dict) and body.get("kind", CROSS_MOMENTS) != CROSS_MOMENTS:
        raise DataError(f'{where}: kind = {shown(body["kind"])}: must be "{CROSS_MOMENTS}"')
    fields = require_object(body, where, _NEEDED, _MORE)
    require_version(fields, "synthbounds_release", VERSION, where)
    require_digest(fields, where)
    found = _release(fields, where)
    require_same(found.to_json(), fields, where)
    return found


def _release(fields: dict[str, Any], where: str) -> CrossMoments:
    mode, adjacency = read_stated_mode(fields, where), read_stated_adjacency(fields, where)
    schema = schema_of(fields["schema"], f"{where}: schema")
    if mode == "release":
        within(schema.require_public, where)
    drawn = read_drawn(fields, where, simulated=mode == "simulate")
    plan = CrossMomentPlan(
        encoding=_encoding(fields["encoding"], schema, f"{where}: encoding"),
        mode=mode,
        ledger=_ledger(fields["budget"], adjacency, f"{where}: budget"),
        stated_size=read_stated_size(fields, adjacency, where),
    )
    _require_paid(plan, f"{where}: budget")
    return CrossMoments(
        encoding=plan.encoding,
        mode=plan.mode,
        ledger=plan.ledger,
        stated_size=plan.stated_size,
        one_way_counts=_tables(fields["one_way"], schema, f"{where}: one_way"),
        cross_sums=read_integers(fields["cross"], len(plan.encoding.pairs[0]), f"{where}: cross"),
        **drawn,
    )


def _encoding(body: object, schema: Schema, where: str) -> TableEncoding:
    fields = require_object(body, where, {"encodings", "label", "label_weight", "bits"})
    listed = require_object(fields["encodings"], f"{where}: encodings", set(schema.names))
    for name, encoding in listed.items():
        if not is_text(encoding):
            raise DataError(f"{where}: encodings: {shown(name)} = {shown(encoding)}: must be text")
    label = fields["label"]
    if label is not None and not is_text(label):
        raise DataError(f"{where}: label = {shown(label)}: must be a column of the schema, or null")
    encodings = tuple(str(listed[name]) for name in schema.names)
    return within(lambda: TableEncoding(schema, encodings, None if label is None else str(label)), where)


def _ledger(body: object, adjacency: Adjacency, where: str) -> Ledger:
    fields = require_object(body, where, {"one_way_share", "ledger"})
    ledger = within(lambda: Ledger.from_json(plain(fields["ledger"], f"{where}: ledger")), where)
    if ledger.adjacency is not adjacency:
        raise DataError(f"{where}: the ledger is for {ledger.adjacency.value}, the release for {adjacency.value}")
    if ledger.currency is not Currency.MU_SQUARED:
        raise DataError(f"{where}: the ledger counts {ledger.currency.text}: must count {Currency.MU_SQUARED.text}")
    return ledger


def _require_paid(plan: CrossMomentPlan, where: str) -> None:
    """Everything not kept for later was spent on these numbers, each part on its own."""
    paid = [(entry.what, entry.amount) for entry in plan.ledger.entries if entry.state == "spent" and not entry.reserve]
    costs = [(ONE_WAY, plan.one_way_cost)] + ([(CROSS, plan.cross_cost)] if plan.has_cross_moments else [])
    if paid != [(what, cost.mu_squared) for what, cost in costs]:
        raise DataError(f"{where}: the ledger does not say what {' and '.join(what for what, _ in costs)} cost")


def _tables(body: object, schema: Schema, where: str) -> tuple[int, ...]:
    """The counts of all tables, one after the other."""
    sizes = schema.domain.sizes
    if not isinstance(body, list) or len(body) != len(sizes):
        raise DataError(f"{where}: must be a list of {len(sizes)} tables, one for each column")
    tables = (read_integers(table, sizes[u], f"{where}[{u}]") for u, table in enumerate(body))
    return tuple(value for table in tables for value in table)
