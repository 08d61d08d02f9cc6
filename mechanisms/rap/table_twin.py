"""How far relaxed rows are from noisy tables of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mechanisms.rap.products import Products, add_slope, share_matrix

if TYPE_CHECKING:
    from mechanisms.rap.products import Blocks
    from mechanisms.rap.relaxed import Floats, Layout


@dataclass(frozen=True, eq=False)
class TargetTable:
    """Noisy shares of the cells of some columns, an axis for each, and the weight of their squared errors."""

    blocks: Blocks
    shares: Floats
    weight: float


class TableTwin:
    """Noisy tables of one or more columns."""

    def __init__(self, layout: Layout, tables: Sequence[TargetTable], kind: type[Any] = np.float32) -> None:
        self._layout = layout
        self._single = [table for table in tables if len(table.blocks) == 1]
        self._wide = [table for table in tables if len(table.blocks) > 1]
        self._products = Products(layout, [table.blocks for table in self._wide])
        splits = zip(self._products.splits, self._wide, strict=True)
        self._targets = [split.arranged(table.shares).astype(kind) for split, table in splits]

    def add_gradient(self, points: Floats, gradient: Floats, sharpness: float) -> float:
        count = points.shape[1]
        value = 0.0
        for table in self._single:
            error = self._layout.block(points, table.blocks[0]).mean(axis=1) - table.shares.astype(points.dtype)
            value += table.weight * float(error @ error)
            self._layout.block(gradient, table.blocks[0])[:] += (error * (2 * table.weight / count))[:, None]
        made = self._products.parts(points)
        slopes: dict[Blocks, Floats] = {}
        for split, table, target in zip(self._products.splits, self._wide, self._targets, strict=True):
            error = share_matrix(made, split)
            error -= target
            value += table.weight * float(np.vdot(error, error))
            error *= 2 * table.weight / count
            add_slope(slopes, split.lines, error @ made[split.cells])
            add_slope(slopes, split.cells, error.T @ made[split.lines])
        self._products.add_gradient(made, slopes, gradient)
        return value
