"""The common part of answers to queries, read strictly with the release that paid: budget, round, remainder."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from bounds.errors import DataError
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import GaussianDP
from release.files.fields import (
    read_exact,
    read_whole,
    require_digest,
    require_same,
    require_version,
    within,
)
from release.files.strict_json import is_text, parse_json, require_object, shown
from release.private_release import SOMETIMES, VERSION, read_drawn
from release.query.file import Query
from release.query.planned import MOST_ROUNDS, NEXT
from release.reserving import OPEN, SPENT, ReservingRelease

AnyQuery = TypeVar("AnyQuery", bound=Query)
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
    "budget",
    "digest",
}


def parse_answer(
    text: str,
    release: ReservingRelease,
    read: Callable[[dict[str, Any], dict[str, Any], str], AnyQuery],
    *,
    kind: str,
    content: set[str],
    where: str,
) -> AnyQuery:
    """The answer in JSON text, for that release; `read` makes it from all fields and those that are read here."""
    fields = require_object(parse_json(text, where), where, _ALWAYS | content, SOMETIMES)
    require_version(fields, "synthbounds_query", VERSION, where)
    if fields["kind"] != kind:
        raise DataError(f'{where}: kind = {shown(fields["kind"])}: must be "{kind}"')
    require_digest(fields, where)
    if fields["release"] != release.reservation_id or release.reservation_id is None:
        raise DataError(f"{where}: release: this query belongs to another release")
    found = within(lambda: read(fields, _shared(fields, release, kind, where), where), where)
    require_same(within(found.to_json, where), fields, where)
    _require_budget(found, release, where)
    return found


def kind_of_query(text: str, where: str = "query") -> str:
    """The kind of answer in a file, before it is read as one."""
    body = parse_json(text, where)
    kind = body.get("kind") if isinstance(body, dict) else None
    return str(kind) if is_text(kind) else ""


def _shared(fields: dict[str, Any], release: ReservingRelease, kind: str, where: str) -> dict[str, Any]:
    budget = require_object(fields["budget"], f"{where}: budget", {"mu_squared", "left", "left_state"})
    left_state = budget["left_state"]
    if left_state not in (None, OPEN, SPENT):
        raise DataError(f"{where}: budget: left_state = {shown(left_state)}: must be {OPEN} or {SPENT}")
    previous = fields["previous"]
    if previous is not None and not (is_text(previous) and re.fullmatch("[0-9a-f]{64}", previous)):
        raise DataError(f"{where}: previous = {shown(previous)}: must be the digest of a query")
    drawn = read_drawn(fields, where, simulated=release.is_simulated)
    spent, left = (read_exact(budget[name], name, f"{where}: budget") for name in ("mu_squared", "left"))
    ledger = Ledger.of(GaussianDP(mu_squared=spent + left, adjacency=release.adjacency))
    ledger = ledger.spend(ledger.statement(spent), kind)
    if (left_state is None) != (left == 0):
        raise DataError(f"{where}: budget: what is spent is positive, and what is left has a state")
    return {
        "mode": release.mode,
        "stated_size": release.stated_size,
        "release_id": str(fields["release"]),
        "previous": previous,
        "round": read_whole(fields["round"], f"{where}: round"),
        "ledger": ledger if left_state != SPENT else ledger.spend(ledger.statement(left), NEXT),
        "mu_squared": spent,
        **drawn,
    }


def _require_budget(query: Query, release: ReservingRelease, where: str) -> None:
    """A first query spends the reservation and no more; later ones are checked against it, too."""
    kept = release.mu_squared_reserved
    spent, left = query.mu_squared, query.mu_squared_left
    first = query.previous is None
    if not 1 <= query.round <= MOST_ROUNDS or first != (query.round == 1):
        raise DataError(f"{where}: round = {query.round}: does not fit the query before it")
    if (spent + left != kept) if first else (spent + left >= kept):
        raise DataError(f"{where}: budget: is not that of the reservation")
