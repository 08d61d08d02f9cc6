"""Answers to planned queries read from files: every field is checked, and what follows from others is computed again.

An answer is read beside the release it belongs to. A file that was changed, or that belongs to another release, is
refused with one line that says where.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from bounds.certify.margin_losses import LOSSES
from bounds.errors import DataError
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import GaussianDP
from release.files.fields import (
    read_counter,
    read_exact,
    read_integers,
    read_whole,
    require_digest,
    require_same,
    require_version,
    within,
)
from release.files.strict_json import is_text, parse_json, read_json_file, require_object, shown
from release.gradient.file import GRADIENT, GradientQuery
from release.gradient.planned import MOST_ROUNDS, NEXT
from release.moments.file import MomentRelease
from release.moments.planned import OPEN, SPENT
from release.private_release import VERSION

_ALWAYS = {
    "synthbounds_query",
    "kind",
    "mode",
    "stamp",
    "statistic",
    "adjacency",
    "release",
    "previous",
    "round",
    "feature_map",
    "model",
    "offset",
    "slope",
    "sensitivity",
    "noise",
    "budget",
    "sums",
    "digest",
}


def read_query(path: str | Path, release: MomentRelease) -> GradientQuery:
    """The answer in a file, for that release."""
    text, where = read_json_file(path, "query")
    return parse_query(text, release, where=where)


def parse_query(text: str, release: MomentRelease, *, where: str = "query") -> GradientQuery:
    """The answer in JSON text, for that release; `where` begins every complaint."""
    fields = require_object(parse_json(text, where), where, _ALWAYS, {"n", "least_size", "seed", "run"})
    require_version(fields, "synthbounds_query", VERSION, where)
    if fields["kind"] != GRADIENT:
        raise DataError(f'{where}: kind = {shown(fields["kind"])}: must be "{GRADIENT}"')
    require_digest(fields, where)
    if fields["release"] != release.reservation_id or release.reservation_id is None:
        raise DataError(f"{where}: release: this query belongs to another release")
    found = within(lambda: _query(fields, release, where), where)
    require_same(within(found.to_json, where), fields, where)
    _require_budget(found, release, where)
    return found


def _query(fields: dict[str, Any], release: MomentRelease, where: str) -> GradientQuery:
    model = require_object(fields["model"], f"{where}: model", {"digest", "loss", "coefficients"})
    budget = require_object(fields["budget"], f"{where}: budget", {"mu_squared", "left", "left_state"})
    p = release.feature_map.size
    if not isinstance(model["coefficients"], list) or len(model["coefficients"]) != p:
        raise DataError(f"{where}: model: coefficients: must be a list of {p}, one for each feature")
    if not is_text(model["loss"]) or model["loss"] not in LOSSES:
        raise DataError(f"{where}: model: loss = {shown(model['loss'])}: must be one of {', '.join(LOSSES)}")
    if budget["left_state"] not in (None, OPEN, SPENT):
        raise DataError(f"{where}: budget: left_state = {shown(budget['left_state'])}: must be {OPEN} or {SPENT}")
    previous = fields["previous"]
    if previous is not None and not (is_text(previous) and re.fullmatch("[0-9a-f]{64}", previous)):
        raise DataError(f"{where}: previous = {shown(previous)}: must be the digest of a query")
    simulated = release.is_simulated
    for name in ("seed", "run"):
        if (name in fields) != simulated:
            raise DataError(f"{where}: {name} goes with mode simulate, and with no other")
    left_state = budget["left_state"]
    spent, left = (read_exact(budget[name], name, f"{where}: budget") for name in ("mu_squared", "left"))
    ledger = Ledger.of(GaussianDP(mu_squared=spent + left, adjacency=release.adjacency))
    ledger = ledger.spend(ledger.statement(spent), GRADIENT)
    if (left_state is None) != (left == 0):
        raise DataError(f"{where}: budget: what is spent is positive, and what is left has a state")
    return GradientQuery(
        feature_map=release.feature_map,
        mode=release.mode,
        stated_size=release.stated_size,
        release_id=str(fields["release"]),
        previous=previous,
        round=read_whole(fields["round"], f"{where}: round"),
        coefficients=tuple(
            read_exact(value, f"coefficients[{i}]", f"{where}: model") for i, value in enumerate(model["coefficients"])
        ),
        loss=str(model["loss"]),
        offset=read_exact(fields["offset"], "offset", where),
        slope=read_exact(fields["slope"], "slope", where),
        ledger=ledger if left_state != SPENT else ledger.spend(ledger.statement(left), NEXT),
        mu_squared=spent,
        sums=read_integers(fields["sums"], p, f"{where}: sums"),
        seed=read_counter(fields["seed"], f"{where}: seed") if simulated else None,
        run=read_counter(fields["run"], f"{where}: run") if simulated else None,
    )


def _require_budget(query: GradientQuery, release: MomentRelease, where: str) -> None:
    """A first query spends the reservation and no more; later ones are checked against it, too."""
    kept = release.mu_squared_reserved
    spent, left = query.mu_squared, query.mu_squared_left
    first = query.previous is None
    if not 1 <= query.round <= MOST_ROUNDS or first != (query.round == 1):
        raise DataError(f"{where}: round = {query.round}: does not fit the query before it")
    if (spent + left != kept) if first else (spent + left >= kept):
        raise DataError(f"{where}: budget: is not that of the reservation")
