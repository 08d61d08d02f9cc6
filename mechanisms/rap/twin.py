"""What a smooth twin of some queries is: how far points are from their noisy answers, and where that falls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mechanisms.rap.relaxed import Floats


class Twin(Protocol):
    """Queries that are differentiable in relaxed rows, with the answers that were published of them."""

    def add_gradient(self, points: Floats, gradient: Floats, sharpness: float) -> float:
        """The weighted squared distance from the answers; its gradient in `points` is added to `gradient`.

        `sharpness` is how steep a step is that stands for a condition; queries without conditions have no use for it.
        """
