"""Consistency of a log's method, settings, groups and steps: a log must be one that its method could have written.

Every method measures the one-way tables of all columns first, of all codes. What follows is, by method: all wider
tables of a given number of columns (gen); a choice and the table of what was chosen, again and again (aim, gem);
choices of tables or of queries, each time followed by what was chosen (rap, rap++); all answers of one workload (merf);
choices of pairs that make a forest, then the tables of these pairs (mst; tree, after the tables of its label). If no
pair may be measured, mst and tree measure the one-way tables again. A log that was interrupted may end earlier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, combinations, zip_longest

from bounds.errors import DataError
from release.files.strict_json import shown
from release.log.file import MarginalLog
from release.log.rounds import are_features, are_mixed_rounds, are_pairs_in_turn, are_rounds_of_tables
from release.log.steps import ChoiceStep, Columns, Step, TableStep
from release.parameters import MOST_POINTS

_LABEL, _MOST_CODES = "label", "most_codes"
_LABELS, _TABLE_ROUNDS = "labels", "table_rounds"
_SETTINGS: Mapping[str, Mapping[str, type | tuple[str, ...]]] = {
    "aim": {"degree": int, "most_cells": int, "model_mb": int, "rounds": int, _MOST_CODES: int},
    "mst": {"model_mb": int},
    "tree": {"model_mb": int, _LABEL: str},
    "gen": {"degree": int, "model_mb": int, "generator": ("estimate", "tilt")},
    "rap": {_LABELS: tuple, "degree": int, "rounds": int, "top": int, "points": int, _MOST_CODES: int},
    "rap++": {
        _LABELS: tuple,
        "degree": int,
        "rounds": int,
        "top": int,
        _TABLE_ROUNDS: int,
        "points": int,
        _MOST_CODES: int,
    },
    "gem": {"rounds": int, _MOST_CODES: int},
    "merf": {},
}
"""By method: whole numbers of at least 1, the name of a column or of several, or one of some texts."""
_LEFT_OUT = {_LABEL, _LABELS, _MOST_CODES, _TABLE_ROUNDS}
"""Settings that may be missing."""
_MOST = 10**9
_WITH_QUERIES = ("rap++", "merf")
_MERGING = ("aim", "rap", "rap++", "gem")
"""Methods that merge neighbours into no more codes than their settings say."""


def require_structure(log: MarginalLog, where: str) -> None:
    """Refuse a log that its method does not write."""
    _require_settings(log, f"{where}: settings")
    _require_groups(log, f"{where}: groups")
    one_way = [(place,) for place in range(len(log.schema.columns))]
    first, rest = log.steps[: len(one_way)], log.steps[len(one_way) :]
    if not _are_tables(first, one_way):
        raise DataError(f"{where}: steps: must begin with the one-way tables of all columns, in their order")
    fits, order = _ORDERS[log.method]
    if log.queries and log.method not in _WITH_QUERIES:
        raise DataError(f"{where}: queries: {log.method} has none")
    if not (fits(log, rest) or (log.unfinished and not rest)):
        raise DataError(f"{where}: steps: after the one-way tables {log.method} has {order}")


def _require_settings(log: MarginalLog, where: str) -> None:
    known = _SETTINGS[log.method]
    names = set(log.settings)
    if not names <= set(known) or not set(known) - _LEFT_OUT <= names:
        raise DataError(f"{where}: must be those of {log.method}: {', '.join(known)}")
    for name, value in log.settings.items():
        allowed = log.schema.names if known[name] is str else known[name]
        if allowed is int:
            most = MOST_POINTS if name == "points" else _MOST
            if not (isinstance(value, int) and 1 <= value <= most):
                raise DataError(f"{where}: {name} = {shown(value)}: must be a whole number from 1 to {most:,}")
        elif allowed is tuple:
            if not (isinstance(value, tuple) and value and list(value) == [u for u in log.schema.names if u in value]):
                raise DataError(f"{where}: {name}: must be different columns in the order of the schema")
        elif isinstance(allowed, tuple) and value not in allowed:
            raise DataError(f"{where}: {name} = {shown(value)}: must be one of {shown(', '.join(allowed))}")


def _require_groups(log: MarginalLog, where: str) -> None:
    """mst merges rare codes, whichever they are; others neighbours, into no more codes than the settings say."""
    if log.groups is None or log.method == "mst":
        return
    most = log.settings.get(_MOST_CODES)
    if log.method not in _MERGING or not isinstance(most, int):
        by = " and ".join(_MERGING)
        raise DataError(f"{where}: codes are merged by mst, and by {by} with {_MOST_CODES}; the method is {log.method}")
    for column, group in zip(log.schema.columns, log.groups, strict=True):
        values, merged = group[: column.value_count], max(group) + 1
        alone = merged == len(group)
        kept_apart = not column.missing or group[-1] not in values
        if not alone and not (list(values) == sorted(values) and len(set(values)) <= most and kept_apart):
            into = f"into at most {most} codes beside a missing one"
            raise DataError(f"{where}: {shown(column.name)}: {log.method} merges neighbours, {into}")


def _are_tables(steps: Sequence[Step], sets: Iterable[Columns]) -> bool:
    """Whether these are tables of these columns, and nothing else."""
    return all(isinstance(step, TableStep) and step.columns == columns for step, columns in zip_longest(steps, sets))


def _gen(log: MarginalLog, rest: Sequence[Step]) -> bool:
    p, degree = len(log.schema.columns), log.settings["degree"]
    assert isinstance(degree, int)
    wider = (combinations(range(p), size) for size in range(2, min(degree, p) + 1))
    return degree <= p and _are_tables(rest, chain.from_iterable(wider))


def _aim(_log: MarginalLog, rest: Sequence[Step]) -> bool:
    chosen = [step.chosen for step in rest[::2] if isinstance(step, ChoiceStep)]
    return len(rest) == 2 * len(chosen) > 0 and _are_tables(rest[1::2], chosen)


def _forest(log: MarginalLog, rest: Sequence[Step]) -> bool:
    """Tables with the label, if there is one; choices, or none if there was no choice; tables."""
    names, label = log.schema.names, log.settings.get(_LABEL)
    place = None if label is None else names.index(str(label))
    beside = [tuple(sorted((place, other))) for other in range(len(names)) if place not in (None, other)]
    sets = [step.columns for step in rest if isinstance(step, TableStep)]
    with_label = [columns for columns in sets if columns in beside]
    edges = sets[len(with_label) :]
    chosen = [step.chosen for step in rest if isinstance(step, ChoiceStep)]
    if edges == [(column,) for column in range(len(names))]:
        return not with_label and not chosen
    tables = rest[: len(with_label)], rest[len(with_label) + len(chosen) :]
    return (
        with_label == [columns for columns in beside if columns in with_label]
        and edges == sorted(chosen or edges)
        and _is_forest(chosen or edges)
        and _are_tables([*tables[0], *tables[1]], [*with_label, *edges])
    )


def _is_forest(sets: Iterable[Columns]) -> bool:
    """Whether these are pairs none of which closes a cycle.

    >>> _is_forest([(0, 1), (2, 3), (1, 2)]), _is_forest([(0, 1), (1, 2), (0, 2)]), _is_forest([(0,)])
    (True, False, False)
    """
    parts: list[set[int]] = []
    for columns in sets:
        met = [part for part in parts if not part.isdisjoint(columns)]
        if len(columns) != 2 or any(part.issuperset(columns) for part in met):
            return False
        parts = [part for part in parts if part not in met] + [set(columns).union(*met)]
    return True


_Fits = Callable[[MarginalLog, Sequence[Step]], bool]
_ORDERS: Mapping[str, tuple[_Fits, str]] = {
    "aim": (_aim, "choices, each with the table of what was chosen after it"),
    "mst": (_forest, "choices of pairs that make a forest, then their tables"),
    "tree": (_forest, "tables with the label, choices of pairs that make a forest, then their tables"),
    "gen": (_gen, "all tables of up to degree columns, and no choice"),
    "rap": (are_rounds_of_tables, "choices of tables, each time with these tables after them"),
    "rap++": (are_mixed_rounds, "choices of tables or of queries, each time with what was chosen after them"),
    "gem": (are_pairs_in_turn, "choices, each with the table of what was chosen after it"),
    "merf": (are_features, "the answers of all queries of its one workload"),
}
