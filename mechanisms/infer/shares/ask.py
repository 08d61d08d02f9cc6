"""Questions about shares: of all records, in a group, between groups; from noisy tables or from a finished one."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from bounds.errors import NotApplicable, UsageError
from mechanisms.infer.shares.conditional import ConditionalAnswer, infer_conditional
from mechanisms.infer.shares.difference import DifferenceAnswer, infer_difference
from mechanisms.infer.shares.event import Event, read_event, read_events, read_groups
from mechanisms.infer.shares.rows import RowsAnswer, infer_share_of_rows
from mechanisms.infer.shares.share import ShareAnswer, infer_share
from mechanisms.infer.shares.shown import shown_by
from mechanisms.infer.shares.uncounted import UncountedAnswer, infer_uncounted
from release.data.schema import Schema
from release.private_release import Release

if TYPE_CHECKING:
    from release.data.domain import Codes

ProportionAnswer: TypeAlias = ShareAnswer | ConditionalAnswer | DifferenceAnswer | RowsAnswer | UncountedAnswer
"""All have `conclusions`, of which the first is about the table and the second about the population, and `text`."""


def ask_proportion(
    release: Release,
    *,
    proportion: str,
    given: str | None = None,
    difference: str | None = None,
    odds_ratio: bool = False,
    level: Fraction,
) -> ProportionAnswer:
    """The share of an event, COLUMN=VALUE or COLUMN=V1|V2 or two of them joined by " & ", from noisy tables.

    Among the records of `given`, or between the two groups of `difference`.
    """
    require_one(given, difference, odds_ratio=odds_ratio)
    shown = shown_by(release)
    events = read_events(proportion, shown.schema)
    if given is not None:
        return infer_conditional(shown, one_event(events), read_event(given, shown.schema, option="given"), level=level)
    if difference is not None:
        groups = read_groups(difference, shown.schema)
        return infer_difference(shown, one_event(events), groups, odds_ratio=odds_ratio, level=level)
    if not shown.total_is_known:
        return infer_uncounted(shown, events, level=level)
    return infer_share(shown, events, level=level)


def ask_proportion_of_rows(release: Release, codes: Codes, *, proportion: str, level: Fraction) -> RowsAnswer:
    """The same for the rows of a finished table, from what a release of accuracy or distance certifies about them."""
    schema = getattr(release, "schema", None)
    if not isinstance(schema, Schema):
        raise NotApplicable(f"release: is of kind {release.KIND}, which compares no finished table")
    return infer_share_of_rows(release, codes, read_events(proportion, schema), level=level)


def require_one(given: str | None, difference: str | None, *, odds_ratio: bool) -> None:
    """Refuse options that do not go together."""
    if given is not None and difference is not None:
        raise UsageError("given: cannot go with difference, which already takes the share in each of two groups")
    if odds_ratio and difference is None:
        raise UsageError("odds-ratio: compares two groups: name them with difference")


def one_event(events: tuple[Event, ...]) -> Event:
    """Tables show two columns, of which a group is one."""
    if len(events) > 1:
        raise UsageError("proportion: two columns leave none for a group: tables show at most two columns")
    return events[0]
