"""The best unbiased combination of noisy tables for a mean: exact weights, from public numbers alone.

All cells of a table add up to 1, whatever the records are. In a table whose cells have independent noise of one
variance the total, the main effects and the interaction of its columns are orthogonal, so their noise is separate. The
main effect of a column shows in every table with that column, at precision 1/(t s^2) if t cells go with one of its
codes; an interaction only in the tables of both columns. Least squares weighs each by its precision.
Proof: docs/proofs/synthbounds.noisy-proportion.md (f).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from bounds.errors import UsageError
from mechanisms.infer.shares.functional import Codes, Functional
from mechanisms.infer.shares.shown import ShownTable


@dataclass(frozen=True, kw_only=True)
class Part:
    """A coefficient on the sum of some cells of a table: those with these codes of its columns."""

    table: int
    codes: tuple[Codes, ...]
    coefficient: Fraction

    @property
    def cells(self) -> int:
        return prod(len(codes) for codes in self.codes)

    def sum_of(self, table: ShownTable, sizes: Sequence[int]) -> Fraction:
        """The sum of the cells, as a share."""
        width = sizes[table.columns[-1]] if len(table.columns) == 2 else 1
        inner = self.codes[1] if len(self.codes) == 2 else (0,)
        total = sum(table.counts[i * width + j] for i in self.codes[0] for j in inner)
        return Fraction(total, table.denominator)


@dataclass(frozen=True, kw_only=True)
class Combination:
    """constant + the sum of the parts: an unbiased estimate, if every cell's noise has mean 0."""

    constant: Fraction
    parts: tuple[Part, ...]

    @property
    def tables(self) -> int:
        return len({part.table for part in self.parts})

    def estimate(self, tables: Sequence[ShownTable], sizes: Sequence[int]) -> Fraction:
        return self.constant + sum(
            (part.coefficient * part.sum_of(tables[part.table], sizes) for part in self.parts), Fraction(0)
        )


def best_combination(
    functional: Functional,
    shown: Sequence[tuple[tuple[int, ...], Fraction | None]],
    sizes: Sequence[int],
    names: Sequence[str],
    *,
    total_is_known: bool = True,
) -> Combination:
    """The combination, from each table's columns and the variance of its cell noise (None: not to be used).

    The sum of all cells is 1 if it is known; otherwise it is one more effect, which every table shows.
    """
    grand, rows, columns, interaction = functional.effects()
    effects = dict(zip(functional.columns, (rows, columns), strict=False))
    usable = {i: (places, variance) for i, (places, variance) in enumerate(shown) if variance is not None}
    found: dict[tuple[int, tuple[Codes, ...]], Fraction] = defaultdict(Fraction)
    own = {i: 1 / v for i, (places, v) in usable.items() if places == functional.columns and v}
    if len(functional.columns) == 2:
        if not own:
            named = " x ".join(names[place] for place in functional.columns)
            raise UsageError(f"release: no table of {named} whose noise is known: nothing shows them together")
        for i, precision in own.items():
            for codes, value in _blocks(functional, interaction):
                found[i, codes] += precision / sum(own.values()) * value
    for side, (place, effect) in enumerate(effects.items()):
        with_it = {i: _precision(places, variance, place, sizes) for i, (places, variance) in usable.items()}
        total = sum(with_it.values())
        if not total:
            raise UsageError(f"release: no table with {names[place]} whose noise is known")
        for i, precision in with_it.items():
            if precision:
                for codes, value in _lines(functional, side, effect, usable[i][0], sizes):
                    found[i, codes] += precision / total * value
    if not total_is_known:
        all_cells = {i: 1 / (v * prod(sizes[place] for place in places)) for i, (places, v) in usable.items()}
        for i, precision in all_cells.items():
            whole = tuple(tuple(range(sizes[place])) for place in usable[i][0])
            for key in [key for key in found if key[0] == i] or [(i, whole)]:
                found[key] += precision / sum(all_cells.values()) * grand
        grand = Fraction(0)
    parts = tuple(Part(table=i, codes=codes, coefficient=value) for (i, codes), value in found.items() if value)
    return Combination(constant=grand, parts=parts)


def _precision(places: tuple[int, ...], variance: Fraction, place: int, sizes: Sequence[int]) -> Fraction:
    if place not in places:
        return Fraction(0)
    return 1 / (variance * prod(sizes[other] for other in places if other != place))


def _blocks(functional: Functional, values: Sequence[Sequence[Fraction]]) -> list[tuple[tuple[Codes, ...], Fraction]]:
    first, second = functional.classes
    return [((a, b), values[i][j]) for i, a in enumerate(first) for j, b in enumerate(second)]


def _lines(
    functional: Functional, side: int, effect: Sequence[Fraction], places: tuple[int, ...], sizes: Sequence[int]
) -> list[tuple[tuple[Codes, ...], Fraction]]:
    """A main effect on the cells of a table: on its own blocks if they are used anyway, else on whole lines."""
    if places == functional.columns and len(places) == 2:
        first, second = (range(len(classes)) for classes in functional.classes)
        return _blocks(functional, [[effect[(i, j)[side]] for j in second] for i in first])
    place, found = functional.columns[side], []
    for codes, value in zip(functional.classes[side], effect, strict=True):
        found.append((tuple(codes if other == place else tuple(range(sizes[other])) for other in places), value))
    return found
