"""How rounds of choices and of measurements must fit together, in logs of gem, merf, rap and rap++.

A round of tables is a number of choices and then these tables; a round of queries is one choice of several and then
their answers. Scores are distances from the records in steps, so that one record moves them by RECORD_STEPS.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from release.log.steps import AnswersStep, ChoiceStep, Columns, QueriesChoiceStep, TableStep
from release.statistics.conditional_counts import ConditionalCounts
from release.statistics.fourier_features import FourierFeatures
from release.statistics.statistic import RECORD_STEPS

if TYPE_CHECKING:
    from release.log.file import MarginalLog
    from release.log.steps import Step


def are_pairs_in_turn(log: MarginalLog, rest: Sequence[Step]) -> bool:
    """gem: a choice of a pair and its table, again and again, no pair twice, at most as often as planned."""
    rounds = _table_rounds(rest)
    if rounds is None:
        return False
    chosen = [columns for columns, *others in rounds if not others]
    most = log.settings["rounds"]
    assert isinstance(most, int)
    return 0 < len(chosen) == len(rounds) <= most and len(set(chosen)) == len(chosen) and set(map(len, chosen)) == {2}


def are_rounds_of_tables(log: MarginalLog, rest: Sequence[Step]) -> bool:
    """rap: as many rounds, of as many tables, as was planned, or fewer if interrupted; no table twice."""
    rounds = _table_rounds(rest)
    return rounds is not None and _are_planned(log, rounds, "rounds", "top")


def are_mixed_rounds(log: MarginalLog, rest: Sequence[Step]) -> bool:
    """rap++: rounds of one table without numbers, and rounds of queries that all workloads have a part in."""
    workloads = [queries for queries in log.queries if isinstance(queries, ConditionalCounts)]
    asked = [step for step in rest if isinstance(step, AnswersStep | QueriesChoiceStep)]
    rounds = _table_rounds([step for step in rest if step not in asked])
    if rounds is None or not workloads or len(workloads) < len(log.queries):
        return False
    first, labels = workloads[0], log.settings.get("labels")
    names = tuple(log.schema.names[place] for place in first.by)
    return (
        _are_planned(log, rounds, "table_rounds", None)
        and not any(set(columns) & set(first.numbers) for part in rounds for columns in part)
        and all((queries.numbers, queries.by) == (first.numbers, first.by) for queries in workloads)
        and labels == names
        and _is_answered(rest)
        and _fits(log, len(asked), 2 * _whole(log, "rounds"))
        and {len(step.chosen) for step in log.query_choices} <= {log.settings["top"]}
        and _fits(log, len({step.workload for step in log.answers}), len(workloads))
        and all(step.moved == RECORD_STEPS for step in log.query_choices)
    )


def are_features(log: MarginalLog, rest: Sequence[Step]) -> bool:
    """merf: all answers of its one workload at once, and nothing else."""
    if len(rest) != 1 or len(log.queries) != 1 or not isinstance(log.queries[0], FourierFeatures):
        return False
    (step,), (features,) = rest, log.queries
    return isinstance(step, AnswersStep) and _asked(step) == (0, tuple(range(features.count)))


def _table_rounds(steps: Sequence[Step]) -> list[list[Columns]] | None:
    """The tables of every round; None if something else is in between."""
    found, at = [], 0
    while at < len(steps):
        choices = [s for s in takewhile(lambda s: isinstance(s, ChoiceStep), steps[at:]) if isinstance(s, ChoiceStep)]
        chosen = [step.chosen for step in choices]
        measured = steps[at + len(chosen) : at + 2 * len(chosen)]
        sets = [step.columns for step in measured if isinstance(step, TableStep)]
        if not chosen or sets != chosen or any(step.moved != RECORD_STEPS for step in choices):
            return None
        found.append(chosen)
        at += 2 * len(chosen)
    return found


def _are_planned(log: MarginalLog, rounds: Sequence[Sequence[Columns]], rounds_by: str, top_by: str | None) -> bool:
    """As many rounds of as many tables as the settings say; tables differ."""
    tables = [columns for part in rounds for columns in part]
    planned = _whole(log, rounds_by) if rounds_by in log.settings else 0
    top = 1 if top_by is None else log.settings[top_by]
    return (
        _fits(log, len(rounds), planned)
        and all(len(part) == top for part in rounds)
        and len(set(tables)) == len(tables)
    )


def _fits(log: MarginalLog, count: int, planned: int) -> bool:
    """As many as planned; if the run was interrupted, at most that many."""
    return count <= planned if log.unfinished else count == planned


def _whole(log: MarginalLog, name: str) -> int:
    found = log.settings[name]
    assert isinstance(found, int)
    return found


def _is_answered(steps: Sequence[Step]) -> bool:
    """Whether every choice of queries is followed by their answers, and no answer is without a choice."""
    before: Step | None = None
    for step in (*steps, None):
        follows = isinstance(step, AnswersStep)
        if follows != isinstance(before, QueriesChoiceStep):
            return False
        if isinstance(step, AnswersStep) and isinstance(before, QueriesChoiceStep) and _asked(step) != _asked(before):
            return False
        before = step
    return True


def _asked(step: AnswersStep | QueriesChoiceStep) -> tuple[int, tuple[int, ...]]:
    return step.workload, step.queries if isinstance(step, AnswersStep) else step.chosen
