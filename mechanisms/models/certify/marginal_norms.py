"""How large the noise of moments from tables is, as a vector and as a matrix, if the distribution of noise is known.

Entry by entry the noise of second moments is large; as a matrix it is much smaller, because entries do not conspire.
Its covariance is computed exactly from the features, and concentration bounds the norms. Only public numbers enter.
Proof: docs/proofs/synthbounds.marginal-moments.md.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq_mat

from bounds.enclosure import as_fmpq
from mechanisms.models.certify.marginal_columns import ColumnFeatures
from mechanisms.models.certify.marginal_routes import LawRoute
from mechanisms.models.certify.norm_bounds import congruent_radius, matrix_radius, root_above, trace_of, vector_radius


def first_noise(route: LawRoute, *, failure: Fraction, gaussian: bool) -> Fraction:
    """A norm that the random noise of all first moments shown by tables exceeds with probability at most `failure`."""
    layout = route.layout
    size, label = layout.size, layout.label
    covariance = fmpq_mat(size, size)
    alone = route.column(label)
    means = fmpq_mat(size, 1)
    label_size, label_mean = trace_of(label.gram), label.spreads[0][0]  # 2 and 0 where the label is -1 or 1
    for column in layout.columns:
        pair = route.pair(label, column)
        own = route.column(column)
        if pair is not None and own is not None:
            variance = pair.variance * label_size + own.variance * label_mean**2
            _add_block(covariance, column, column.gram * as_fmpq(variance))
            for i, place in enumerate(column.places):
                means[place, 0] = column.means[i, 0]
    if alone is not None:
        means[layout.last, 0] = 1
        covariance += means * means.transpose() * as_fmpq(alone.variance * label_size)
    return vector_radius(covariance, failure, gaussian=gaussian)


def second_noise(route: LawRoute, *, failure: Fraction, gaussian: bool) -> Fraction:
    """The same for the matrix of all second moments that tables show."""
    pairs, mains = _pair_part(route), _main_part(route)
    radius = matrix_radius(pairs + mains, failure)
    if not gaussian:
        return radius
    layout = route.layout
    variances = [
        pair.variance
        for k, a in enumerate(layout.columns)
        for b in layout.columns[:k]
        if (pair := route.pair(b, a)) is not None
    ]
    if not variances:
        return radius
    # The pairs without main effects are part of a Gaussian matrix between the features, sqrt(2) sd times the standard.
    congruent = congruent_radius([column.gram for column in layout.columns], failure / 2)
    split = root_above(2 * max(variances)) * congruent + matrix_radius(mains, failure / 2)
    return min(radius, split)


def _pair_part(route: LawRoute) -> fmpq_mat:
    """E[X^2] for the interactions: the block of a column is its Gram matrix times the sum over its partners."""
    layout = route.layout
    found = fmpq_mat(layout.size, layout.size)
    for a in layout.columns:
        partners = Fraction(0)
        for b in layout.columns:
            pair = route.pair(a, b) if a is not b else None
            if pair is not None:
                partners += pair.variance * trace_of(b.gram)
        _add_block(found, a, a.gram * as_fmpq(partners))
    return found


def _main_part(route: LawRoute) -> fmpq_mat:
    """E[X^2] for the main effects of columns.

    An error z_a in the share of code a of a column moves the second moments by z_a (uu' + uw' + wu'): u are the
    column's features at a, w the means of the features that it is paired with, 1 for the intercept. Squares of these
    matrices add up to sum |u|^2 (u+w)(u+w)' + |w|^2 uu'; their mean is taken away because shares add up to 1.
    """
    layout = route.layout
    found = fmpq_mat(layout.size, layout.size)
    for column in layout.columns:
        alone = route.column(column)
        if alone is None:
            continue
        others = fmpq_mat(layout.size, 1)
        others[layout.last, 0] = 1
        for other in layout.columns:
            if other is not column and route.pair(column, other) is not None:
                for i, place in enumerate(other.places):
                    others[place, 0] = other.means[i, 0]
        wide = fmpq_mat(layout.size, column.codes)  # u for every code
        for i, place in enumerate(column.places):
            for code in range(column.codes):
                wide[place, code] = column.by_code[i, code]
        both = wide + others * fmpq_mat(1, column.codes, [1] * column.codes)
        weighted = fmpq_mat(layout.size, column.codes)
        for code in range(column.codes):
            squared = sum((wide[place, code] ** 2 for place in column.places), as_fmpq(0))
            for row in range(layout.size):
                weighted[row, code] = both[row, code] * squared
        outer = wide * wide.transpose()
        sums = wide * fmpq_mat(column.codes, 1, [1] * column.codes)
        mean = (outer + sums * others.transpose() + others * sums.transpose()) / column.codes
        length = (others.transpose() * others)[0, 0]
        squares = weighted * both.transpose() + outer * length - mean * mean * column.codes
        found += squares * as_fmpq(alone.variance)
    return found


def _add_block(matrix: fmpq_mat, column: ColumnFeatures, block: fmpq_mat) -> None:
    for i, row in enumerate(column.places):
        for j, place in enumerate(column.places):
            matrix[row, place] = matrix[row, place] + block[i, j]
