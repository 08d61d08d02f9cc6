"""How far off the moments of a release of cross moments can be: as a vector, and as a matrix in operator norm.

Entries between two columns have independent noise of one size, so as a matrix they are no larger than a symmetric
Gaussian matrix W. The noise of one-way tables, within a column and in the row of the intercept, fits into the room that
W leaves on its diagonal blocks and in that row; if a column has too many codes for that, the excess is bounded
separately. Only the schema, the encoding and the budget enter. Proof: docs/proofs/synthbounds.cross-moments.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bounds.certify.bordered import bordered_radius
from bounds.certify.goe import goe_radius
from bounds.certify.radii import failure_split, normal_interval
from bounds.certify.value import is_positive_semidefinite
from bounds.errors import NotCertified
from mechanisms.models.certify.norm_bounds import arrow_above, independent_radius, norm_above, root_above, rounded_above
from mechanisms.models.event import Radii
from release.cross_moments.planned import CrossMomentPlan
from release.statistics.blocks import NONE, ONE_HOT, Block
from release.statistics.features import FeatureMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_HALF = Fraction(1, 2)
_SIDE = Fraction(1, 8)
"""Part of the second moments' failure probability, for each term besides the Gaussian matrix."""
_SCALES = tuple(Fraction(k, 8) for k in (8, 9, 10, 12, 16, 24, 32, 64))
"""Factors by which the Gaussian matrix is taken larger than the noise of cross moments; the least bound is used."""
_ROOM = Fraction(9, 10)
"""The most of a block's variance that products within the column may use; the row needs some, too."""
_SLACKS = (Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 1000), Fraction(1, 10), Fraction(1), Fraction(10))


def cross_radii(plan: CrossMomentPlan, features: FeatureMap, failure: Fraction) -> Radii:
    """Radii of sums over the records, to be divided like the sums. Both hold at once."""
    noise = MatrixNoise(plan, features)
    first_variances = noise.first_variances
    root = root_above(Fraction(features.squared_norm))
    share = failure_split(
        features.size,
        failure,
        first_weight=rounded_above(root_above(max(v for v, _ in first_variances)) * root / 2),
        second_weight=rounded_above(root_above(noise.main_variance or plan.one_way_deviation**2)),
    )
    # Rounding moves a product by half a step of 4^-bits, and the difference of two counts by 1.
    moved = 1 + root_above(Fraction(features.size)) * _HALF / features.one**2
    first = independent_radius(first_variances, failure * share) + moved
    return Radii(rounded_above(first), rounded_above(noise.radius(failure * (1 - share))), failure)


@dataclass(frozen=True)
class MatrixNoise:
    """What is known about the noise of first and second moments, in records, before any is drawn."""

    plan: CrossMomentPlan
    features: FeatureMap

    @property
    def label_place(self) -> int:
        return self.features.schema.names.index(self.features.label)

    @property
    def first_variances(self) -> list[tuple[Fraction, int]]:
        """Variances of the noise of the sum of y f, each with its number of entries; the intercept's is last."""
        weights = self.plan.encoding.weights
        own = weights[self.label_place]
        found = [
            (self._cross_variance(own * weights[place]), len(block[0]))
            for place, block in zip(self.features.places, self.features.blocks, strict=True)
            if block[0]
        ]
        return [*found, (2 * self.plan.one_way_deviation**2, 1)]

    @cached_property
    def main_variance(self) -> Fraction:
        """Variance of the Gaussian matrix in every direction: twice the largest one between two columns; 0 for one."""
        weights = [self.plan.encoding.weights[c.place] for c in self.columns]
        products = {a * b for k, a in enumerate(weights) for b in weights[:k]}
        return 2 * max((self._cross_variance(product) for product in products), default=Fraction(0))

    @cached_property
    def columns(self) -> tuple[ColumnNoise, ...]:
        parts = zip(self.features.places, self.features.encodings, self.features.blocks, strict=True)
        variance = self.plan.one_way_deviation**2
        return tuple(
            ColumnNoise(place, encoding == ONE_HOT, block, self.features.one, variance)
            for place, encoding, block in parts
            if encoding != NONE
        )

    def radius(self, failure: Fraction) -> Fraction:
        """A bound that the operator norm of the noise of the sum of f f' exceeds with probability at most `failure`."""
        # A single column has no noise of cross moments: its own noise sets the scale.
        base = self.main_variance or max(column.variance for column in self.columns)
        scales = [base * scale for scale in _SCALES]
        if self.plan.size_is_exact:
            return self.rounding + min(self._gaussian(scale, failure) for scale in scales)
        # Under add-remove all tables share the error of the number of records: bounded separately, or with the rest.
        spread, norm, squared_norm = self._size_error
        apart = failure * _SIDE
        beside = normal_interval(apart) * root_above(spread) * norm
        taken = spread * squared_norm
        left = min(
            *(beside + self._gaussian(scale, failure - apart) for scale in scales),
            *(self._gaussian(scale, failure, taken=taken) for scale in scales if scale > taken),
        )
        sizes = self.plan.schema.domain.sizes
        rounded = _HALF * len(sizes) * norm / sum(Fraction(1, size) for size in sizes)
        return self.rounding + rounded + left

    def _gaussian(self, variance: Fraction, failure: Fraction, *, taken: Fraction = Fraction(0)) -> Fraction:
        """The radius with a Gaussian matrix of that variance in every direction, plus what does not fit into it.

        `taken` is the part of that variance for the error of the number of records. The row of the intercept is a part
        of the Gaussian matrix, except for its excess; or, if nothing is taken, a border of a smaller one.
        """
        blocks: list[tuple[Fraction, int]] = []
        rows: list[tuple[Fraction, int]] = []
        for column in self.columns:
            block, row = column.needs(variance - taken)
            blocks += [(block + taken - variance, column.width)] if block + taken > variance else []
            rows.append((row + taken, column.width))
        side, found = failure * _SIDE, Fraction(0)
        if blocks:
            failure -= side
            found += max(root_above(v) * goe_radius(width, side / len(blocks)) for v, width in blocks)
        # A row of some variance in every direction of matrices has half of it in every entry.
        excess = [((row - variance) / 2, width) for row, width in rows if row > variance]
        order, scale = self.features.size, root_above(variance)
        if not excess:
            return found + scale * goe_radius(order, failure)
        inside = scale * goe_radius(order, failure - side) + independent_radius(excess, side)
        if taken:
            return found + inside
        border = independent_radius([(row / 2, width) for row, width in rows], side)
        beside = scale * bordered_radius(order - 1, rounded_above(border / scale), failure - side)
        return found + min(inside, beside)

    @cached_property
    def rounding(self) -> Fraction:
        """The most that rounding the noise to whole numbers changes the matrix."""
        block = max(column.block_rounding for column in self.columns)
        row = norm_above([column.row_rounding for column in self.columns])
        return arrow_above(block, row) + _HALF * self.features.size / self.features.one**2

    @property
    def _size_error(self) -> tuple[Fraction, Fraction, Fraction]:
        """The variance of the error of the number of records, and two norms of the matrix by which it is multiplied:

        the operator norm, and the square of the Frobenius norm. The error is spread evenly over the codes of a column.
        """
        inverse = sum((Fraction(1, size) for size in self.plan.schema.domain.sizes), Fraction(0))
        blocks, rows = [c.even_block for c in self.columns], [c.even_row for c in self.columns]
        norm = arrow_above(max(blocks), norm_above(rows), Fraction(1))
        squared = 1 + sum(b**2 for b in (c.even_frobenius for c in self.columns)) + 2 * sum(r**2 for r in rows)
        return self.plan.one_way_deviation**2 / inverse, norm, Fraction(squared)

    def _cross_variance(self, weight: int) -> Fraction:
        return (self.plan.cross_deviations[weight] / self.features.one**2) ** 2


@dataclass(frozen=True)
class ColumnNoise:
    """How the noise of a column's one-way table affects products within the column and means of its features."""

    place: int
    is_hot: bool
    block: Block
    one: int
    variance: Fraction
    """Variance of a count."""

    @property
    def codes(self) -> int:
        return len(self.block)

    @property
    def width(self) -> int:
        return len(self.block[0])

    def needs(self, least: Fraction) -> tuple[Fraction, Fraction]:
        """Variances, of block and row in every direction of matrices, that dominate this noise.

        The block has at least `least`, and the row the least that is proved to be enough with it.
        """
        if self.is_hot:
            # An error z of a count moves the diagonal by z and the row by z: 1/block + 2/row <= 1/variance.
            block = max(least, self.variance / _ROOM)
            return block, 2 * self.variance / (1 - self.variance / block)
        moment, inner = self._covariance, len(self._inner)
        scale = np.array([1.0 if i == j else 2.0 for i, j in self._inner])
        exact = float(self.variance) * np.array([[float(x) for x in row] for row in moment])
        within = np.sqrt(scale)[:, None] * exact[:inner, :inner] * np.sqrt(scale)
        block = max(least, _above(float(np.linalg.eigvalsh(within)[-1]) / float(_ROOM)))
        left = np.diag(float(block) / scale) - exact[:inner, :inner]
        across = exact[inner:, :inner]
        row_est = 2 * float(np.linalg.eigvalsh(exact[inner:, inner:] + across @ np.linalg.solve(left, across.T))[-1])
        for slack in _SLACKS:
            row = _above(row_est) * (1 + slack)
            if self._dominated(block, row):
                return block, row
        raise NotCertified("the noise of a one-way table could not be proved to be as small as it is")

    def _dominated(self, block: Fraction, row: Fraction) -> bool:
        """Whether block (M_ii^2 + 2 sum M_ij^2) + 2 row |m|^2 is at least the variance of <noise, (M, m)>, exactly."""
        room = [block / (1 if i == j else 2) for i, j in self._inner] + [row / 2] * self.width
        moment = self._covariance
        return is_positive_semidefinite(
            tuple(
                tuple((room[i] if i == j else 0) - self.variance * moment[i][j] for j in range(len(room)))
                for i in range(len(room))
            )
        )

    @cached_property
    def _inner(self) -> list[tuple[int, int]]:
        return [(i, j) for i in range(self.width) for j in range(i, self.width)]

    @cached_property
    def _functions(self) -> list[list[int]]:
        """Products of two features and the features themselves, of every code, over 4^bits."""
        return [[row[i] * row[j] for i, j in self._inner] + [value * self.one for value in row] for row in self.block]

    @cached_property
    def _covariance(self) -> list[list[Fraction]]:
        """Covariance of those functions under independent noise of variance 1 on every code, less their mean's part."""
        functions, unit = self._functions, self.codes * self.one**4
        sums = [sum(column) for column in zip(*functions, strict=True)]
        size = range(len(sums))
        return [
            [Fraction(self.codes * sum(f[i] * f[j] for f in functions) - sums[i] * sums[j], unit) for j in size]
            for i in size
        ]

    @cached_property
    def _spreads(self) -> list[Fraction]:
        """For every function, half the sum over the codes of its distance from its mean."""
        unit = 2 * self.codes * self.one**2
        found = []
        for column in zip(*self._functions, strict=True):
            total = sum(column)
            found.append(Fraction(sum(abs(self.codes * value - total) for value in column), unit))
        return found

    @property
    def block_rounding(self) -> Fraction:
        """Rounding moves each count by half a record at most."""
        return Fraction(1) if self.is_hot else _symmetric_norm(self._spreads, self._inner)

    @property
    def row_rounding(self) -> Fraction:
        return root_above(Fraction(self.codes)) / 2 if self.is_hot else norm_above(self._spreads[len(self._inner) :])

    @property
    def even_block(self) -> Fraction:
        """Operator norm of the mean over the codes of z z'."""
        return Fraction(1, self.codes) if self.is_hot else _symmetric_norm(self._means, self._inner)

    @property
    def even_frobenius(self) -> Fraction:
        """Its Frobenius norm."""
        return root_above(Fraction(1, self.codes)) if self.is_hot else self.even_block

    @property
    def even_row(self) -> Fraction:
        """Norm of the mean over the codes of z."""
        return root_above(Fraction(1, self.codes)) if self.is_hot else norm_above(self._means[len(self._inner) :])

    @cached_property
    def _means(self) -> list[Fraction]:
        unit = self.codes * self.one**2
        return [Fraction(sum(column), unit) for column in zip(*self._functions, strict=True)]


def _symmetric_norm(values: Sequence[Fraction], places: Sequence[tuple[int, int]]) -> Fraction:
    """The Frobenius norm of a symmetric matrix that is given by its upper triangle."""
    squares = (value**2 * (1 if i == j else 2) for value, (i, j) in zip(values, places, strict=False))
    return root_above(sum(squares, Fraction(0)))


def _above(estimate: float) -> Fraction:
    return Fraction(max(estimate, 0.0)) if np.isfinite(estimate) else Fraction(0)
