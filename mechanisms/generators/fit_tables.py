"""A generator fitted to noisy tables of one and of two columns: squared distances of shares, weighted by their noise.

A pair's table under the mixture is the mean of outer products over latent points, so its distance to the measured one
has a gradient in closed form. Pairs are handled one by one or, if they are many and small, all products of outputs are
taken at once. Nothing is chosen here, and only published numbers are used.
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

_RATE = 0.005
_HELD = 0.6
"""The part of the steps at the full rate; then the rate falls linearly, but not quite to 0."""
_LAST = 0.02
_ONE_BY_ONE = 10**6
"""Operations that take as long as the overhead of a pair."""


@dataclass(frozen=True, eq=False)
class ColumnTargets:
    """Target shares of all tables of one column, in one line, with their weights."""

    shares: Floats
    weights: Floats


@dataclass(frozen=True, eq=False)
class PairTarget:
    """Target shares of a table of two columns, and their weight."""

    columns: tuple[int, ...]
    shares: Floats
    weight: float


def column_targets(outputs: Outputs, deviations: Sequence[float], *, unit: float) -> ColumnTargets:
    """One-way tables, with which outputs begin; weights are precisions of the noise, relative to `unit`."""
    weights = [(unit / deviation) ** 2 for deviation in deviations]
    shares = np.concatenate(outputs.merged).astype(np.float32)
    return ColumnTargets(shares, np.repeat(weights, outputs.sizes).astype(np.float32))


def pair_target(table: MeasuredTable, *, total: float, unit: float) -> PairTarget:
    """A table of two columns, with its noisy shares unchanged."""
    weight = float(np.mean((unit / table.deviations) ** 2))
    return PairTarget(table.columns, (table.counts / total).astype(np.float32), weight)


def falling(done: float) -> float:
    """The rate of a step when this part of all steps is done."""
    return _RATE * min(1.0, (1 - done) / (1 - _HELD) + _LAST)


def steady(_done: float) -> float:
    return _RATE


def fit_tables(
    network: Network,
    columns: ColumnTargets,
    pairs: Sequence[PairTarget],
    *,
    steps: int,
    rate: Callable[[float], float] = falling,
) -> None:
    """This many steps from the present network."""
    at_once = Products(pairs, network.blocks) if _are_many(pairs, network) else None
    for step in range(steps):
        shares = network.forward()
        gradient = np.zeros_like(shares)
        add_columns(gradient, shares, columns)
        if at_once is not None:
            at_once.add(gradient, shares)
        else:
            for pair in pairs:
                add_pair(gradient, shares, pair, network.blocks)
        network.step(gradient, rate(step / steps))


def add_columns(gradient: Floats, shares: Floats, target: ColumnTargets) -> None:
    """The gradient of the squared distances of all columns with respect to the shares of every point."""
    gradient += np.float32(2 / len(shares)) * target.weights * (shares.mean(axis=0) - target.shares)


def add_pair(gradient: Floats, shares: Floats, target: PairTarget, blocks: Sequence[slice]) -> None:
    """The same of one table of two columns."""
    residual = np.float32(2 * target.weight / len(shares)) * residual_of(shares, target, blocks)
    first, second = (blocks[u] for u in target.columns)
    gradient[:, first] += shares[:, second] @ residual.T
    gradient[:, second] += shares[:, first] @ residual


def residual_of(shares: Floats, target: PairTarget, blocks: Sequence[slice]) -> Floats:
    """The shares of the mixture minus those of the table."""
    left, right = (shares[:, blocks[u]] for u in target.columns)
    return left.T @ right / np.float32(len(shares)) - target.shares


class Products:
    """All tables of two columns at once, laid out like the products of all outputs."""

    def __init__(self, pairs: Sequence[PairTarget], blocks: Sequence[slice]) -> None:
        size = blocks[-1].stop
        self._wanted, self._weights = np.zeros((size, size), np.float32), np.zeros((size, size), np.float32)
        for pair in pairs:
            place = tuple(blocks[u] for u in pair.columns)
            self._wanted[place], self._weights[place] = pair.shares, pair.weight

    def add(self, gradient: Floats, shares: Floats) -> None:
        """The gradient of all squared distances with respect to the shares of every point."""
        residual = shares.T @ shares / np.float32(len(shares)) - self._wanted
        residual *= np.float32(2 / len(shares)) * self._weights
        gradient += shares @ (residual + residual.T)


def _are_many(pairs: Sequence[PairTarget], network: Network) -> bool:
    """Whether one by one takes longer than all products of outputs."""
    points, size = network.points.shape[0], int(network.starts[-1])
    return bool(points * size**2 < sum(points * pair.shares.size + _ONE_BY_ONE // 4 for pair in pairs))


def root_mean_square(network: Network, pairs: Sequence[PairTarget]) -> float:
    """Root mean square of the residuals over all cells of pairs, in shares of weight 1."""
    shares = network.forward()
    parts = [(pair.weight, residual_of(shares, pair, network.blocks)) for pair in pairs]
    squares = sum(weight * float((part**2).sum()) for weight, part in parts)
    return float(np.sqrt(squares / sum(part.size for _, part in parts)))
