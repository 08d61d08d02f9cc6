"""The smooth parts of an interval as the searches use them: which one a point lies in, and points spread over each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb, fmpq

from bounds.approximation.balls import BallFunction
from bounds.approximation.pieces import NARROW, Piece
from bounds.approximation.rationals import dyadic, rounded
from bounds.enclosure import as_fmpq


@dataclass(frozen=True)
class Part:
    left: fmpq
    right: fmpq
    function: BallFunction


class Parts:
    """Pieces to the right of `least`; what is too narrow to hold an extremum is left out."""

    def __init__(self, pieces: Sequence[Piece], least: fmpq | None = None) -> None:
        ends = [(as_fmpq(p.left), as_fmpq(p.right), p.expression) for p in pieces]
        cut = [(low if least is None else max(low, least), high, tree) for low, high, tree in ends]
        self.all = [Part(low, high, BallFunction(tree)) for low, high, tree in cut if high - low > as_fmpq(NARROW)]
        self.ends = {end for part in self.all for end in (part.left, part.right)}

    def at(self, x: fmpq) -> Part:
        return next((part for part in self.all if x <= part.right), self.all[-1])

    def grid(self, count: int) -> list[fmpq]:
        """About this many points in all, dense towards the ends of every part."""
        points: list[fmpq] = []
        for part in self.all:
            points += [
                x
                for x in chebyshev_points(part.left, part.right, max(16, count // len(self.all)))
                if not points or x > points[-1]
            ]
        return points


def chebyshev_points(low: fmpq, high: fmpq, count: int) -> list[fmpq]:
    """The extrema of a Chebyshev polynomial on [low, high], both ends among them."""
    middle, half = (low + high) / 2, (high - low) / 2
    inner = [middle - half * dyadic(arb.cos_pi(arb(k) / (count - 1))) for k in range(1, count - 1)]
    return [low, *(rounded(x, half, 60) for x in inner), high]
