"""A sweep in balls: slow, but certified whatever the range of the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb

from mechanisms.pgm.algebra import Algebra

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Balls(Algebra):
    """Tables of arb; an impossible cell is the exact 0. Exponents of balls are unlimited, so nothing is scaled."""

    one = 1.0
    times = np.multiply

    def total(self, table: Any, axes: tuple[int, ...]) -> Any:
        return np.asarray(table.sum(axis=axes), dtype=object)

    def over(self, table: Any, by: Any) -> Any:
        table, by = np.broadcast_arrays(table, by)
        pairs = zip(table.ravel(), by.ravel(), strict=True)
        return _objects([arb(0) if arb(b) == 0 else arb(a) / b for a, b in pairs], by.shape)

    def products(self, first: Any, second: Any) -> Any:
        return np.matmul(first, second)

    def settled(self, message: Any) -> tuple[Any, float, float]:
        return message, 1.0, 0.0

    def shares(self, table: Any) -> Any:
        return table / table.sum(axis=-1, keepdims=True)

    def log(self, value: Any) -> Any:
        return arb(value.item()).log()


def exact_table(table: NDArray[np.float64]) -> Any:
    """Floats as exact balls."""
    return _objects([arb(value) for value in table.ravel().tolist()], table.shape)


def logs_of(table: Any) -> Any:
    """Logarithms; of an exact 0, minus infinity."""
    return _objects([value.log() if value != 0 else arb("-inf") for value in table.ravel()], table.shape)


def exps_of(table: Any) -> Any:
    """Powers of e; of minus infinity, the exact 0."""
    return _objects([value.exp() if value.is_finite() else arb(0) for value in table.ravel()], table.shape)


def _objects(values: list[arb], shape: tuple[int, ...]) -> Any:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found.reshape(shape)
