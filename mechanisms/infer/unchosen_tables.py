"""Which tables of a log an inference may use: those that public numbers alone decided to measure, with these codes.

A table that was chosen because the records made it look interesting is no fair sample of tables, and the level of
conclusions from it is not known. Merging codes because of their noisy counts is such a choice, too, even if it merges
none: MST does so after its one-way tables, whether or not a choice among pairs follows.
"""

from __future__ import annotations

from release.log.file import MarginalLog
from release.log.steps import TableStep
from release.parameters import LOG_METHODS

_BY_PLAN = frozenset(LOG_METHODS) - {"mst"}
"""Methods that measure and merge by public numbers alone until they write a choice into their log."""


def unchosen_tables(log: MarginalLog) -> tuple[tuple[TableStep, ...], frozenset[tuple[int, ...]]]:
    """The usable tables, and the columns of the others."""
    before: list[TableStep] = []
    for step in log.steps:
        if not isinstance(step, TableStep):
            break
        # from other methods the first one-way table of every column, with which all of them begin
        if log.method not in _BY_PLAN and (len(step.columns) > 1 or step.columns in [one.columns for one in before]):
            break
        before.append(step)
    after = frozenset(step.columns for step in log.steps[len(before) :] if isinstance(step, TableStep))
    return tuple(before), after
