"""The smooth parts of an interval as the searches use them: which one a point lies in, and points spread over each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from bounds.approximation.balls import BallFunction, dyadic
from bounds.approximation.pieces import NARROW, Piece


@dataclass(frozen=True)
class Part:
    left: Fraction
    right: Fraction
    function: BallFunction


class Parts:
    """Pieces to the right of `least`; what is too narrow to hold an extremum is left out."""

    def __init__(self, pieces: Sequence[Piece], least: Fraction | None = None) -> None:
        cut = [(p.left if least is None else max(p.left, least), p.right, p.expression) for p in pieces]
        self.all = [Part(low, high, BallFunction(tree)) for low, high, tree in cut if high - low > NARROW]
        self.ends = {end for part in self.all for end in (part.left, part.right)}

    def at(self, x: Fraction) -> Part:
        return next((part for part in self.all if x <= part.right), self.all[-1])

    def grid(self, count: int) -> list[Fraction]:
        """About that many points in all, dense towards the ends of every part."""
        points: list[Fraction] = []
        for part in self.all:
            points += [
                x
                for x in chebyshev_points(part.left, part.right, max(16, count // len(self.all)))
                if not points or x > points[-1]
            ]
        return points


def chebyshev_points(low: Fraction, high: Fraction, count: int) -> list[Fraction]:
    """The extrema of a Chebyshev polynomial on [low, high], both ends among them."""
    middle, half = (low + high) / 2, (high - low) / 2
    inner = [middle - half * dyadic(arb.cos_pi(arb(k) / (count - 1))) for k in range(1, count - 1)]
    return [low, *(rounded(x, half, 60) for x in inner), high]


def rounded(x: Fraction, scale: Fraction, bits: int) -> Fraction:
    """x to a multiple of about scale * 2^-bits."""
    unit = 1 << (bits + max(0, scale.denominator.bit_length() - scale.numerator.bit_length()))
    return Fraction(round(x * unit), unit)
