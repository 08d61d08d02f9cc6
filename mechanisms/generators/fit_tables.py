"""A generator fitted to noisy tables of one and of two columns: squared distances of shares, weighted by their noise.

A pair's table under the mixture is the mean over latent points of outer products, so its distance to the measured one
has a gradient in closed form. Nothing is chosen here, and nothing but published numbers enters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from mechanisms.generators.network import Network
    from mechanisms.generators.outputs import Outputs
    from mechanisms.pgm.measured import MeasuredTable

    Floats = NDArray[np.float32]

RATE = 0.005
_HELD = 0.6
"""The part of the steps at the full rate; then it falls in proportion, and not quite to nothing."""
_LAST = 0.02


@dataclass(frozen=True, eq=False)
class TableTarget:
    """Shares that a table should have, and how much that counts."""

    columns: tuple[int, ...]
    shares: Floats
    weight: float


def table_target(table: MeasuredTable, *, total: float, unit: float) -> TableTarget:
    """A table of two columns: noisy shares as they are, weighted by the precision of its cells, where `unit` is one."""
    weight = float(np.mean((unit / table.deviations) ** 2))
    return TableTarget(table.columns, (table.counts / total).astype(np.float32), weight)


def column_target(outputs: Outputs, u: int, *, deviation: float, unit: float) -> TableTarget:
    """A table of one column, as outputs begin with it."""
    return TableTarget((u,), outputs.merged[u].astype(np.float32), (unit / deviation) ** 2)


def falling(done: float) -> float:
    """The rate of a step, where so much of all steps is done."""
    return RATE * min(1.0, (1 - done) / (1 - _HELD) + _LAST)


def steady(_done: float) -> float:
    return RATE


def fit_tables(
    network: Network, targets: Sequence[TableTarget], *, steps: int, rate: Callable[[float], float] = falling
) -> None:
    """So many steps from where the network is."""
    blocks = network.blocks
    for step in range(steps):
        shares = network.forward()
        gradient = np.zeros_like(shares)
        for target in targets:
            add_gradient(gradient, shares, target, blocks)
        network.step(gradient, rate(step / steps))


def add_gradient(gradient: Floats, shares: Floats, target: TableTarget, blocks: Sequence[slice]) -> None:
    """Of one squared distance, by the shares of every point."""
    scale = np.float32(2 * target.weight / len(shares))
    residual = scale * residual_of(shares, target, blocks)
    if len(target.columns) == 1:
        gradient[:, blocks[target.columns[0]]] += residual
        return
    first, second = (blocks[u] for u in target.columns)
    gradient[:, first] += shares[:, second] @ residual.T
    gradient[:, second] += shares[:, first] @ residual


def residual_of(shares: Floats, target: TableTarget, blocks: Sequence[slice]) -> Floats:
    """The shares of the mixture less those of the table."""
    left = shares[:, blocks[target.columns[0]]]
    if len(target.columns) == 1:
        found: Floats = left.mean(axis=0) - target.shares
        return found
    right = shares[:, blocks[target.columns[1]]]
    return left.T @ right / np.float32(len(shares)) - target.shares


def root_mean_square(network: Network, targets: Sequence[TableTarget]) -> float:
    """Of what is left to fit, over all cells, in units of the shares that weights are relative to."""
    shares = network.forward()
    parts = [(target.weight, residual_of(shares, target, network.blocks)) for target in targets]
    squares = sum(weight * float((part**2).sum()) for weight, part in parts)
    return float(np.sqrt(squares / sum(part.size for _, part in parts)))
