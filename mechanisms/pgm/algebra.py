"""The arithmetic of a sweep: non-negative numbers, or their logarithms if numbers become too small.

A message is scaled by a power of two in linear space, so that scaling rounds nothing. In linear space nothing is ever
subtracted: every number has a relative error of a few roundings, unless it underflows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import frexp, log
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bounds.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEAST_TOP = 1e-250
_SMALL_PRODUCT, _MANY = 48, 64
"""Many products of matrices this small are cheaper element by element than with a library call for each."""


class Underflow(ArithmeticError):
    """Numbers became too small for linear space."""


class Algebra(ABC):
    """Numbers or their logarithms."""

    one: ClassVar[float]
    times: ClassVar[np.ufunc]

    @abstractmethod
    def total(self, table: Floats, axes: tuple[int, ...]) -> Floats:
        """Sums over some axes."""

    @abstractmethod
    def over(self, table: Floats, by: Floats) -> Floats:
        """Quotients, 0 where the divisor is 0."""

    @abstractmethod
    def products(self, first: Floats, second: Floats) -> Floats:
        """Products of matrices, pair by pair."""

    @abstractmethod
    def settled(self, message: Floats) -> tuple[Floats, float, float]:
        """A message scaled to a largest value near one, its scale factor, and the logarithm of what it lost."""

    @abstractmethod
    def shares(self, table: Floats) -> Floats:
        """The table with each line along the last axis as shares."""

    @abstractmethod
    def log(self, value: Floats) -> float:
        """The logarithm of a single number."""


class Linear(Algebra):
    """Numbers themselves."""

    one = 1.0
    times = np.multiply

    def total(self, table: Floats, axes: tuple[int, ...]) -> Floats:
        return np.asarray(table.sum(axis=axes))

    def over(self, table: Floats, by: Floats) -> Floats:
        return np.asarray(np.divide(table, by, out=np.zeros(by.shape), where=by > 0))

    def products(self, first: Floats, second: Floats) -> Floats:
        batch, rows, inner = first.shape
        if batch == 1:
            return np.asarray((first[0] @ second[0])[None])
        if rows * inner * second.shape[2] < _SMALL_PRODUCT and batch > _MANY:
            return np.asarray(np.einsum("cnk,ckm->cnm", first, second))
        return np.asarray(np.matmul(first, second))

    def settled(self, message: Floats) -> tuple[Floats, float, float]:
        top = float(message.max())
        if not top > LEAST_TOP:
            raise Underflow
        exponent = frexp(top)[1]
        scale = 2.0**-exponent
        return message * scale, scale, exponent * log(2)

    def shares(self, table: Floats) -> Floats:
        totals = table.sum(axis=-1, keepdims=True)
        if not ((totals > LEAST_TOP) & (totals < np.inf)).all():
            raise Underflow
        return np.asarray(table / totals)

    def log(self, value: Floats) -> float:
        return log(float(value))


class Logs(Algebra):
    """Logarithms of numbers; minus infinity is the number 0."""

    one = 0.0
    times = np.add

    def total(self, table: Floats, axes: tuple[int, ...]) -> Floats:
        top = _finite(table.max(axis=axes, keepdims=True))
        return _log(np.exp(table - top).sum(axis=axes)) + top.reshape(
            [n for k, n in enumerate(top.shape) if k not in axes]
        )

    def over(self, table: Floats, by: Floats) -> Floats:
        return np.asarray(np.where(by > -np.inf, table - _finite(by), -np.inf))

    def products(self, first: Floats, second: Floats) -> Floats:
        """Products in linear space, scaled line by line; entries too small for that are computed one by one."""
        rows, columns = _finite(first.max(axis=2, keepdims=True)), _finite(second.max(axis=1, keepdims=True))
        linear = np.matmul(np.exp(first - rows), np.exp(second - columns))
        found = _log(linear) + rows + columns
        batch, row, column = np.nonzero(linear < LEAST_TOP)
        for start in range(0, len(batch), _AT_ONCE):
            b, r, c = (index[start : start + _AT_ONCE] for index in (batch, row, column))
            found[b, r, c] = self.total(first[b, r] + second[b, :, c], (1,))
        return np.asarray(found)

    def settled(self, message: Floats) -> tuple[Floats, float, float]:
        top = float(message.max())
        if top == -np.inf:
            raise ParameterError("impossible", "all records", "facts that leave some record possible")
        return message - top, -top, top

    def shares(self, table: Floats) -> Floats:
        return np.asarray(np.exp(table - self.total(table, (table.ndim - 1,))[..., None]))

    def log(self, value: Floats) -> float:
        return float(value)


_AT_ONCE = 1 << 12


def _finite(logs: Floats) -> Floats:
    return np.asarray(np.where(logs > -np.inf, logs, 0.0))


def _log(values: Floats) -> Floats:
    return np.asarray(np.log(values, out=np.full(values.shape, -np.inf), where=values > 0))
