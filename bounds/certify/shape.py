"""Polynomials q that dominate phi(y S) - phi(y V): S the score of the model, V that of any other, U of a direction.

q(y, S, V, U) = constant + y (label . b) + b' second b + S^2 b' weighted b with b = (1, S, V, U). Its mean over a table
is a function of first, second and weighted moments alone. Formulas run on balls, rationals and arrays alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bounds.certify.problem import Matrix, Vector

ONE, SCORE, OTHER, DIRECTION = range(4)
"""Places in b."""


@dataclass(frozen=True)
class Shape:
    """The coefficients of q, exactly."""

    constant: Fraction
    label: Vector
    second: Matrix
    weighted: Matrix | None = None

    def forms(self) -> list[Matrix]:
        return [self.second] + ([] if self.weighted is None else [self.weighted])

    def on_group(self, value: Fraction) -> Shape:
        """The same polynomial where the direction has this value: one in S and V only."""
        label = (self.label[ONE] + value * self.label[DIRECTION], self.label[SCORE], self.label[OTHER])
        forms = [_folded(form, value) for form in self.forms()]
        return Shape(self.constant, label, forms[0], forms[1] if len(forms) > 1 else None)


def _folded(form: Matrix, value: Fraction) -> Matrix:
    rows = [[form[i][j] for j in range(DIRECTION)] for i in range(DIRECTION)]
    beside = form[DIRECTION]
    rows[ONE][ONE] += value * (2 * beside[ONE] + value * beside[DIRECTION])
    for j in (SCORE, OTHER):
        rows[ONE][j] += value * beside[j]
        rows[j][ONE] = rows[ONE][j]
    return tuple(tuple(row) for row in rows)


class Slices:
    """q as a parabola in V, for one label and numbers of one kind: q = start + (slope + bend V) V."""

    def __init__(self, shape: Shape, y: int, number: Any) -> None:
        """`number` turns a Fraction into the kind of number that S and U will have."""
        self.constant = number(shape.constant)
        self.label = [number(y * value) for value in shape.label]
        self.second = [[number(value) for value in row] for row in shape.second]
        self.weighted = None if shape.weighted is None else [[number(v) for v in row] for row in shape.weighted]

    def start(self, s: Any, u: Any | None = None) -> Any:
        g = self.second
        found = self.constant + self.label[ONE] + g[ONE][ONE]
        found = found + s * (self.label[SCORE] + 2 * g[ONE][SCORE] + g[SCORE][SCORE] * s)
        if u is not None:
            linear = self.label[DIRECTION] + 2 * g[ONE][DIRECTION] + 2 * g[SCORE][DIRECTION] * s
            found = found + u * (linear + g[DIRECTION][DIRECTION] * u)
        if self.weighted is not None:
            h = self.weighted
            found = found + s * s * (h[ONE][ONE] + s * (2 * h[ONE][SCORE] + h[SCORE][SCORE] * s))
        return found

    def slope(self, s: Any, u: Any | None = None) -> Any:
        g = self.second
        found = self.label[OTHER] + 2 * g[ONE][OTHER] + 2 * g[SCORE][OTHER] * s
        if u is not None:
            found = found + 2 * g[OTHER][DIRECTION] * u
        if self.weighted is not None:
            h = self.weighted
            found = found + 2 * s * s * (h[ONE][OTHER] + h[SCORE][OTHER] * s)
        return found

    def bend(self, s: Any) -> Any:
        found = self.second[OTHER][OTHER]
        if self.weighted is not None:
            found = found + s * s * self.weighted[OTHER][OTHER]
        return found

    def score_curvature(self, s: Any, v: Any) -> Any:
        """The second derivative in S."""
        found = 2 * self.second[SCORE][SCORE]
        if self.weighted is not None:
            h = self.weighted
            flat = h[ONE][ONE] + v * (2 * h[ONE][OTHER] + h[OTHER][OTHER] * v)
            tilted = h[ONE][SCORE] + h[SCORE][OTHER] * v
            found = found + 2 * flat + 12 * s * (tilted + h[SCORE][SCORE] * s)
        return found

    def direction_curvature(self) -> Any:
        """The second derivative in U."""
        return 2 * self.second[DIRECTION][DIRECTION]
