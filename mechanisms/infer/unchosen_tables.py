"""Which tables of a log an inference may use: those that were measured before anything was chosen.

A table that was chosen because the records made it look interesting is no fair sample of tables, and no level of what
is concluded from it is known.
"""

from __future__ import annotations

from release.log.file import MarginalLog
from release.log.steps import TableStep


def unchosen_tables(log: MarginalLog) -> tuple[tuple[TableStep, ...], frozenset[tuple[int, ...]]]:
    """Those tables, and the columns of the others."""
    first = next((place for place, step in enumerate(log.steps) if not isinstance(step, TableStep)), len(log.steps))
    before = tuple(step for step in log.steps[:first] if isinstance(step, TableStep))
    after = frozenset(step.columns for step in log.steps[first:] if isinstance(step, TableStep))
    return before, after
