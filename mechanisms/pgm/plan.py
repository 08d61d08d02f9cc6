"""What a sweep over a product of factors does, step by step; it depends on the scopes alone.

Summing out a column multiplies the factors that have it. They are split into two groups, so that the step is a batched
matrix product over that column, and the table of the whole clique is never in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from mechanisms.pgm.order import elimination

Scope = tuple[int, ...]
_MOST_SPLITS = 9
"""Up to this many factors, all splits into two groups are tried."""


@dataclass(frozen=True)
class Part:
    """A factor inside a group's table: how its axes are put into it and taken out again."""

    number: int
    axes: tuple[int, ...]
    shape: tuple[int, ...]
    summed: tuple[int, ...]
    back: tuple[int, ...]


@dataclass(frozen=True)
class Group:
    """Factors multiplied into one table: its shape by columns, and as (batch, rows, eliminated column)."""

    parts: tuple[Part, ...]
    full: tuple[int, ...]
    folded: tuple[int, int, int]


@dataclass(frozen=True)
class Step:
    """One column is summed out of two groups of factors; the resulting message is factor number `made`."""

    column: int
    out: Scope
    """Columns of the message: those of both groups, of the left one alone, of the right one alone."""
    left: Group
    right: Group | None
    made: int
    folded: tuple[int, int, int]
    full: tuple[int, ...]

    @property
    def flops(self) -> int:
        return 2 * prod(self.folded) * self.left.folded[2]

    @property
    def cells(self) -> int:
        return prod(self.folded) + prod(self.left.folded) + (prod(self.right.folded) if self.right else 0)


class Plan:
    """The steps for factors of these scopes; columns in `keep` stay."""

    def __init__(self, sizes: Sequence[int], scopes: Sequence[Scope], *, keep: Scope = ()) -> None:
        self.sizes, self.scopes, self.keep = tuple(sizes), tuple(scopes), keep
        all_scopes = list(self.scopes)
        alive = set(range(len(all_scopes)))
        steps = []
        for column in elimination(sizes, [*scopes, keep], keep=keep).order:
            used = sorted(i for i in alive if column in all_scopes[i])
            if not used:
                continue
            step = self._step(column, used, all_scopes)
            steps.append(step)
            alive.difference_update(used)
            alive.add(step.made)
            all_scopes.append(step.out)
        self.steps, self.all_scopes = tuple(steps), tuple(all_scopes)
        self.rest = tuple(sorted(alive))

    @property
    def flops(self) -> int:
        return sum(step.flops for step in self.steps)

    @property
    def cells(self) -> int:
        return sum(step.cells for step in self.steps)

    @cached_property
    def kept(self) -> Group:
        """The columns of the remaining table, which are those kept."""
        return self.group(self.rest, self.keep, (1, 1, self.count(self.keep)), self.all_scopes)

    def count(self, columns: Sequence[int]) -> int:
        return prod(self.sizes[u] for u in columns)

    def group(
        self, numbers: Sequence[int], scope: Scope, folded: tuple[int, int, int], all_scopes: Sequence[Scope]
    ) -> Group:
        parts = tuple(self._part(i, all_scopes[i], scope) for i in numbers)
        smallest_first = tuple(sorted(parts, key=lambda part: (prod(part.shape), part.number)))
        return Group(smallest_first, tuple(self.sizes[u] for u in scope), folded)

    def _part(self, number: int, scope: Scope, target: Scope) -> Part:
        return Part(
            number,
            tuple(scope.index(u) for u in target if u in scope),
            tuple(self.sizes[u] if u in scope else 1 for u in target),
            tuple(k for k, u in enumerate(target) if u not in scope),
            tuple([u for u in target if u in scope].index(u) for u in scope),
        )

    def _step(self, column: int, used: list[int], all_scopes: list[Scope]) -> Step:
        numbers = self._split(used, all_scopes)
        first, second = ({u for i in side for u in all_scopes[i]} - {column} for side in numbers)
        both, left, right = sorted(first & second), sorted(first - second), sorted(second - first)
        out = (*both, *left, *right)
        batch, rows, columns = self.count(both), self.count(left), self.count(right)
        size = self.sizes[column]
        return Step(
            column,
            out,
            self.group(numbers[0], (*both, *left, column), (batch, rows, size), all_scopes),
            self.group(numbers[1], (*both, *right, column), (batch, columns, size), all_scopes) if numbers[1] else None,
            len(all_scopes),
            (batch, rows, columns),
            tuple(self.sizes[u] for u in out),
        )

    def _split(self, used: list[int], all_scopes: list[Scope]) -> tuple[list[int], list[int]]:
        """Two groups whose tables have the fewest cells; the first has the first factor."""
        if len(used) == 1:
            return used, []
        if len(used) > _MOST_SPLITS:
            largest = max(used, key=lambda i: (self.count(all_scopes[i]), -i))
            inside = [i for i in used if set(all_scopes[i]) <= set(all_scopes[largest])]
            return inside, [i for i in used if i not in inside]

        def split(mask: int) -> tuple[list[int], list[int]]:
            second = [i for k, i in enumerate(used[1:]) if mask >> k & 1]
            return [i for i in used if i not in second], second

        def cells(mask: int) -> int:
            return sum(self.count(sorted({u for i in side for u in all_scopes[i]})) for side in split(mask))

        return split(min(range(1, 2 ** (len(used) - 1)), key=lambda mask: (cells(mask), mask)))
