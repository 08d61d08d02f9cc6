"""What a smooth twin of some queries is: how far points are from their noisy answers, and where that falls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from mechanisms.rap.relaxed import Floats, Layout


class Twin(Protocol):
    """Queries that are differentiable in relaxed rows, with the answers that were published of them."""

    def add_gradient(self, points: Floats, gradient: Floats, sharpness: float) -> float:
        """The weighted squared distance from the answers; its gradient in `points` is added to `gradient`.

        `sharpness` is how steep a step is that stands for a condition; queries without conditions have no use for it.
        """


class Target(Protocol):
    """Answers of one kind, told apart by one column of categories, or by none."""

    @property
    def block(self) -> int | None: ...

    def with_others(self, others: Iterable[Self]) -> Self:
        """The answers of all of them."""

    def twin(self, layout: Layout) -> Twin: ...


def together(targets: Iterable[Target]) -> list[Target]:
    """One target for each kind and column."""
    found: defaultdict[tuple[type[Target], int | None], list[Target]] = defaultdict(list)
    for target in targets:
        found[type(target), target.block].append(target)
    return [first.with_others(others) for first, *others in found.values()]
