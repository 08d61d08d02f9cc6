"""A statistic of records: exact integers, and how far one record moves them. Nothing here is private yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bounds.privacy.sensitivity import Sensitivity
from release.data.source import Source

RECORD_STEPS = 2**12
"""Numbers that are not sums, such as distances, are counted in this part of a record: fine compared with any noise."""


@dataclass(frozen=True, kw_only=True)
class Counted:
    """The exact value of a statistic on a table: for the steward only."""

    n: int
    values: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """Integers over records: what they are, how many, how far one record moves them, and how they are counted."""

    text: str
    count: int
    sensitivity: Sensitivity
    of: Callable[[Source], Counted]
    """The exact integers, in one pass."""
