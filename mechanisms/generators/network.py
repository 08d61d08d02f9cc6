"""A generator: a network of two layers that maps points of a latent space to distributions of independent columns.

Every output block is a softmax over the codes of one column. So a batch of latent points is a mixture of products, and
tables of the mixture are sums of outer products over the batch: exact, and differentiable by hand. Adam updates the
weights. All randomness comes from a stream that the caller passes in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

LATENT, HIDDEN = 64, 128
_MEAN, _SQUARE, _TINY = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
"""For Adam: decay of the running means of the gradient and of its square, and the least value of a root."""


class Network:
    """Maps latent points to shares of codes; `sizes` says how many codes every column has."""

    def __init__(self, sizes: Sequence[int], stream: np.random.Generator, *, points: int) -> None:
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
        self._blocks = np.repeat(np.arange(len(sizes)), sizes)
        self.points = stream.standard_normal((points, LATENT), dtype=np.float32)
        self.weights: list[Floats] = [
            stream.standard_normal((LATENT, HIDDEN), dtype=np.float32) / np.float32(np.sqrt(LATENT)),
            np.zeros(HIDDEN, np.float32),
            stream.standard_normal((HIDDEN, int(self.starts[-1])), dtype=np.float32) / np.float32(np.sqrt(HIDDEN)),
            np.zeros(int(self.starts[-1]), np.float32),
        ]
        self._means = [np.zeros_like(w) for w in self.weights]
        self._squares = [np.zeros_like(w) for w in self.weights]
        self._steps = 0

    @property
    def blocks(self) -> list[slice]:
        """The outputs of every column."""
        return [slice(int(a), int(b)) for a, b in zip(self.starts, self.starts[1:], strict=False)]

    def start_at(self, shares: Sequence[NDArray[np.float64]]) -> None:
        """Begin near independent columns with these shares, none of them 0."""
        self.weights[3][:] = np.log(np.concatenate(shares))

    def forward(self) -> Floats:
        """Shares of codes, a line for each point and a block for each column; kept for the gradient."""
        first, offset, second, base = self.weights
        self._hidden = np.maximum(self.points @ first + offset, 0)
        found: Floats = self._hidden @ second
        found += base
        found -= np.maximum.reduceat(found, self.starts[:-1], axis=1)[:, self._blocks]
        np.exp(found, out=found)
        found /= self._summed(found)
        self._shares = found
        return found

    def slopes(self, gradient: Floats) -> list[Floats]:
        """The gradient of a loss in all weights, from its gradient in the shares that `forward` gave last."""
        outer = gradient * self._shares
        outer -= self._shares * self._summed(outer)
        inner = outer @ self.weights[2].T
        inner *= self._hidden > 0
        return [self.points.T @ inner, inner.sum(axis=0), self._hidden.T @ outer, outer.sum(axis=0)]

    def step(self, gradient: Floats, rate: float) -> None:
        """One step of Adam against that gradient."""
        self._steps += 1
        unbiased = np.sqrt(1 - float(_SQUARE) ** self._steps) / (1 - float(_MEAN) ** self._steps)
        moving = zip(self.weights, self._means, self._squares, self.slopes(gradient), strict=True)
        for weight, mean, square, slope in moving:
            mean += (1 - _MEAN) * (slope - mean)
            square += (1 - _SQUARE) * (slope * slope - square)
            weight -= np.float32(rate * unbiased) * mean / (np.sqrt(square) + _TINY)

    def _summed(self, outputs: Floats) -> Floats:
        """For every output, the sum of its block."""
        return np.add.reduceat(outputs, self.starts[:-1], axis=1)[:, self._blocks]
