"""What a fitted scikit-learn pipeline of raw columns adds to its score for every code of a schema, exactly.

Scalers, one-hot encoders and imputers treat every column separately, so the score of a linear classifier behind them is
a sum over columns. A number has the value that its code stands for, a label is matched with the encoder's categories,
and a missing cell is treated as in the pipeline. If a step cannot be computed for some code, it is refused, with the
name of the column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from bounds.errors import ParameterError, UsageError
from mechanisms.models.sklearn_parts import linear_part, names_seen, numbers_in, plain, sign_of, steps_of, through
from release.data.columns import Column
from release.data.schema import STRIP, Schema


@dataclass(frozen=True)
class ColumnScores:
    """The score of a record for y = +1: the constant and, for each column but the label, what its code adds."""

    schema: Schema
    label: str
    positive: str
    constant: Fraction
    added: tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class _Cell:
    """What one code looks like in a table, as far as a step can tell."""

    texts: tuple[str, ...] = ()
    number: Fraction | None = None
    is_missing: bool = False

    def is_category(self, category: Any, *, strips: bool) -> bool:
        """Whether this is the category that an encoder calls by this name: a label, a number, or nothing."""
        if category is None or (isinstance(category, float) and category != category):
            return self.is_missing
        if isinstance(category, str):
            return (category.strip() if strips else category) in self.texts
        return str(category) in self.texts or (self.number is not None and _exact(category) == self.number)


@dataclass(frozen=True)
class _Part:
    """A column that a step hands on: a cell for every code of a column of the schema; no cells if it is not one."""

    name: str
    cells: tuple[_Cell, ...]

    def scaled(self, scale: Fraction, shift: Fraction) -> _Part:
        return replace(self, cells=tuple(self._scaled(cell, scale, shift) for cell in self.cells))

    def _scaled(self, cell: _Cell, scale: Fraction, shift: Fraction) -> _Cell:
        if cell.is_missing:
            return cell
        if cell.number is None:
            raise UsageError(f"column {self.name!r}: {cell.texts[0][:60]!r} is not a number, but goes into a scaler")
        return _Cell(number=scale * cell.number + shift)

    def numbers(self) -> tuple[Fraction, ...]:
        """Its number for every code; refused if one is not a number."""
        found = []
        for cell in self.cells:
            if cell.is_missing:
                raise UsageError(f"column {self.name!r}: a missing cell is not a number for the classifier; impute it")
            if cell.number is None:
                raise UsageError(f"column {self.name!r}: {cell.texts[0][:60]!r} is not a number for the classifier")
            found.append(cell.number)
        return tuple(found)


def scores_of_columns(
    estimator: Any, schema: Schema, *, label: str, positive: str, columns: Sequence[str] | None = None
) -> ColumnScores:
    """The scores of a pipeline that was fitted on raw columns, which it knows by name or which `columns` names."""
    steps = steps_of(estimator)
    names = names_seen(steps) if columns is None else list(columns)
    if names is None:
        raise ParameterError("columns", "missing", "given", "the pipeline does not know the names of its columns")
    seen = next((step for _, step in steps if hasattr(step, "n_features_in_")), None)
    if seen is not None and int(seen.n_features_in_) != len(names):
        raise ParameterError("columns", f"{len(names)} of them", f"{seen.n_features_in_}, as many as it was fitted on")
    strips = schema.spaces == STRIP
    known = {column.name: column for column in schema.columns if column.name != label}
    found = [_Part(name, _raw_cells(known.get(name.strip() if strips else name))) for name in names]

    def special(step: Any, parts: Sequence[_Part], where: str) -> list[_Part] | None:
        if hasattr(step, "statistics_"):
            return _imputed(step, parts, where)
        return _indicators(step, parts, where, strips=strips) if hasattr(step, "categories_") else None

    for name, step in steps[:-1]:
        found = through(step, found, f"step {name}", special)
    weights, constant = linear_part(steps[-1][1], len(found))
    sign = sign_of(steps[-1][1], schema, label=label, positive=positive)
    added = {name: [Fraction(0)] * column.size for name, column in known.items()}
    for weight, part in zip(weights, found, strict=True):
        if not weight:
            continue
        if not part.cells:
            shown = repr(part.name[:60])
            if part.name == label:
                raise UsageError(f"the pipeline uses {shown}, which is the label; fit without it")
            raise UsageError(
                f"the pipeline uses {shown}, which the schema leaves out; fit without it, or declare it there"
            )
        name = part.name.strip() if strips else part.name
        for code, number in enumerate(part.numbers()):
            added[name][code] += sign * weight * number
    return ColumnScores(schema, label, positive, sign * constant, tuple(tuple(added[name]) for name in known))


def _raw_cells(column: Column | None) -> tuple[_Cell, ...]:
    if column is None:
        return ()
    numbers: Sequence[Fraction | None] = column.numbers or [None] * column.value_count
    cells = [_Cell((text,), number) for text, number in zip(column.value_texts, numbers, strict=True)]
    return (*cells, *([_Cell(column.missing, is_missing=True)] if column.missing else []))


def _imputed(step: Any, parts: Sequence[_Part], where: str) -> list[_Part]:
    """Missing cells replaced by what the imputer learned."""
    if getattr(step, "indicator_", None) is not None:
        raise UsageError(f"{where} ({type(step).__name__}): indicators of missing cells are not supported")
    values = [plain(value) for value in step.statistics_]
    marker = plain(step.missing_values)
    if len(values) != len(parts):
        raise UsageError(f"{where}: statistics_ has {len(values)} values for {len(parts)} columns")

    def filled(cell: _Cell, value: Any) -> _Cell:
        if not cell.is_missing or not (cell.is_category(marker, strips=True)):
            return cell
        return _Cell((value,)) if isinstance(value, str) else _Cell((str(value),), _exact(value))

    return [
        replace(part, cells=tuple(filled(cell, value) for cell in part.cells))
        for part, value in zip(parts, values, strict=True)
    ]


def _indicators(step: Any, parts: Sequence[_Part], where: str, *, strips: bool) -> list[_Part]:
    """A column for each category that is not dropped: 1 at its codes, 0 elsewhere."""
    kind = f"{where} ({type(step).__name__})"
    if not hasattr(step, "drop_idx_"):
        raise UsageError(f"{kind}: is not supported; use OneHotEncoder")
    if getattr(step, "min_frequency", None) is not None or getattr(step, "max_categories", None) is not None:
        raise UsageError(f"{kind}: min_frequency and max_categories are not supported")
    if len(step.categories_) != len(parts):
        raise UsageError(f"{kind}: categories_ has {len(step.categories_)} lists for {len(parts)} columns")
    dropped = [None] * len(parts) if step.drop_idx_ is None else [plain(value) for value in step.drop_idx_]
    refuses = getattr(step, "handle_unknown", "error") == "error"
    found = []
    for part, listed, drop in zip(parts, step.categories_, dropped, strict=True):
        meant = [
            [i for i, category in enumerate(listed) if cell.is_category(plain(category), strips=strips)]
            for cell in part.cells
        ]
        for cell, places in zip(part.cells, meant, strict=True):
            said = "a missing cell" if cell.is_missing else repr((*cell.texts, str(cell.number))[0][:60])
            if len(places) > 1:
                raise UsageError(f"{kind}: column {part.name!r}: {said} is more than one category")
            if not places and refuses:
                raise UsageError(
                    f"{kind}: column {part.name!r}: {said} is not a category that it was fitted on, and would be an "
                    "error; fit with handle_unknown='ignore' or with categories=[...]"
                )
        found += [
            _Part(part.name, tuple(_Cell(number=Fraction(int(i in places))) for places in meant))
            for i in range(len(listed))
            if i != drop
        ]
    return found


def _exact(value: Any) -> Fraction | None:
    """A number of an encoder or imputer; None if it is not a number."""
    if not isinstance(value, int | float):
        return None
    return numbers_in(value, "a category or statistic")[0] if value == value else None
