"""Long lists in one line of text: the first items, and how many more there are."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str], most: int, *, comma: str = ", ") -> str:
    """At most this many of the names.

    >>> listed(["a", "b", "c"], 3), listed(["a", "b", "c"], 2)
    ('a, b, c', 'a, b and 1 more')
    """
    shown = comma.join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"
