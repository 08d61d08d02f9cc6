"""The memory and operations of an estimate, computed before it starts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mechanisms.pgm.layout import Layout

_BYTES = 8
_REVERSE = 3
"""A forward and a reverse sweep together need this many times the products of a forward one."""


@dataclass(frozen=True, kw_only=True)
class Need:
    """Cells of all tables of a sweep, their bytes, and floating-point operations of one evaluation."""

    cells: int
    bytes: int
    flops: int


def need(sizes: Sequence[int], scopes: Iterable[Sequence[int]]) -> Need:
    """For a model with one-way tables of all columns and tables of these scopes."""
    given = {tuple(scope) for scope in scopes} | {(u,) for u in range(len(sizes))}
    plan = Layout(sizes, sorted(given, key=lambda scope: (len(scope), scope))).plan
    return Need(cells=plan.cells, bytes=_BYTES * plan.cells, flops=_REVERSE * plan.flops)
