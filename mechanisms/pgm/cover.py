"""Few unions of columns that contain many sets of columns, so that one projection serves many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

_MOST_CELLS = 2**15


def cover(
    sizes: Sequence[int], sets: Iterable[tuple[int, ...]], *, most_cells: int = _MOST_CELLS
) -> list[tuple[tuple[int, ...], list[tuple[int, ...]]]]:
    """Unions of at most this many cells (or single sets that are larger), each with the sets that it serves."""
    unions: list[set[int]] = []
    served: list[list[tuple[int, ...]]] = []
    room: dict[int, int] = {}  # how many levels another column may have, for unions that are not full
    least = min(sizes, default=1)
    for columns in sorted(set(sets), key=lambda c: (-prod(sizes[u] for u in c), c)):
        own = set(columns)
        place = next((k for k, union in enumerate(unions) if own <= union), None)
        if place is None:
            joins = (k for k, free in room.items() if prod(sizes[u] for u in own - unions[k]) <= free)
            place = next(joins, None)
        if place is None:
            place = len(unions)
            unions.append(own)
            served.append([columns])
        else:
            unions[place] |= own
            served[place].append(columns)
        free = most_cells // prod(sizes[u] for u in unions[place])
        if free >= least:
            room[place] = free
        else:
            room.pop(place, None)
    return [(tuple(sorted(union)), inside) for union, inside in zip(unions, served, strict=True)]
