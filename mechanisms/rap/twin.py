"""The protocol of a smooth twin of some queries: the distance of points from their noisy answers, and its gradient."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from mechanisms.rap.relaxed import Floats, Layout


class Twin(Protocol):
    """Queries that are differentiable in relaxed rows, with their published answers."""

    def add_gradient(self, points: Floats, gradient: Floats, sharpness: float) -> float:
        """The weighted squared distance from the answers; its gradient in `points` is added to `gradient`.

        `sharpness` is the steepness of the step that stands for a condition; queries without conditions ignore it.
        """


class Target(Protocol):
    """Answers of one kind, split by one column of categories or by none."""

    @property
    def block(self) -> int | None: ...

    def with_others(self, others: Iterable[Self]) -> Self:
        """The answers of all targets together."""

    def twin(self, layout: Layout) -> Twin: ...


def together(targets: Iterable[Target]) -> list[Target]:
    """The targets merged into one for each kind and column."""
    found: defaultdict[tuple[type[Target], int | None], list[Target]] = defaultdict(list)
    for target in targets:
        found[type(target), target.block].append(target)
    return [first.with_others(others) for first, *others in found.values()]
