"""Whether a vector can be an eigenvector of the real matrix behind a noisy one: a test whose level is exact.

For an eigenvector w, the part of H w outside the span allowed to it is only noise, Gaussian with a covariance
determined by w and the deviations of the entries; the quadratic form with its inverse has a chi-square distribution. No
gap and no radius enters. If public entries leave too little noise for an inverse, the full distribution of the noise is
used, and the level is at least the stated one. Proof: docs/proofs/synthbounds.noisy-spectrum.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, arb_mat

from bounds.certify.radii import chi_radius
from bounds.enclosure import Enclosure, Undecided, as_fmpq, precision
from bounds.errors import DataError, ParameterError
from bounds.inference.balls import ball_matrix, solve_definite

_BITS = 128

Vector = Sequence[Fraction]
Matrix = Sequence[Sequence[Fraction]]


@dataclass(frozen=True, kw_only=True)
class EigenvectorTest:
    """The statistic, its limit, and whether the vector is in the set of those that are not excluded."""

    statistic: Enclosure
    limit: Fraction
    degrees: int
    is_inside: bool
    is_exact: bool
    """Whether the level is exact, up to the rounding of the noise, and not only at least the stated one."""


def eigenvector_test(
    values: Matrix, variances: Matrix, roundings: Matrix, vector: Vector, *, alpha: Fraction, centred: bool = False
) -> EigenvectorTest:
    """Of one vector; an eigenvector of the real matrix is inside with probability 1 - alpha.

    `values` are noisy entries, `variances` and `roundings` those of their noise. If `centred`, the last row is that
    of the intercept, and w = (u, -c) is tested for u being an eigenvector of S - mm'/N, M = (S m; m' N), and c = m'u/N.
    """
    p = len(values)
    if len(vector) != p:
        raise ParameterError("vector", f"{len(vector)} numbers", f"{p}, one for each feature")
    free = vector[:-1] if centred else vector
    if not any(free):
        raise DataError("a vector of zeros has no direction")
    conditions = _across(free)
    if centred:
        conditions = [[*row, Fraction(0)] for row in conditions] + [[Fraction(0)] * (p - 1) + [Fraction(1)]]
    if not conditions:
        raise ParameterError("vector", "one number", "at least two", "every number is an eigenvector of one column")
    scale = max(max(variances[i][i], 2 * variances[i][j]) for i in range(p) for j in range(p) if i != j)
    full = [[scale if i == j else scale / 2 for j in range(p)] for i in range(p)]
    limit = chi_radius(len(conditions), alpha) ** 2
    with precision(_BITS):
        entries = [
            [arb(as_fmpq(x), as_fmpq(off)) for x, off in zip(*row, strict=True)]
            for row in zip(values, roundings, strict=True)
        ]
        left = ball_matrix(conditions) * arb_mat(entries) * ball_matrix([[x] for x in vector])
        try:
            statistic, is_exact = solve_definite(_covariance(variances, vector, conditions), left), True
        except Undecided:
            statistic, is_exact = solve_definite(_covariance(full, vector, conditions), left), False
        found = Enclosure.of(statistic)
    return EigenvectorTest(
        statistic=found, limit=limit, degrees=len(conditions), is_inside=found.lo <= limit, is_exact=is_exact
    )


def _across(vector: Vector) -> list[list[Fraction]]:
    """A basis of what is orthogonal to a vector."""
    top = max(range(len(vector)), key=lambda i: abs(vector[i]))
    rows = []
    for i in range(len(vector)):
        if i != top:
            row = [Fraction(0)] * len(vector)
            row[i], row[top] = vector[top], -vector[i]
            rows.append(row)
    return rows


def _covariance(variances: Matrix, w: Vector, conditions: list[list[Fraction]]) -> arb_mat:
    """Of the conditions on W w: (Ww)_i has the variance sum v_ij w_j^2, and v_ij w_i w_j is the covariance of two."""
    p = len(w)
    whole = [[variances[i][j] * w[i] * w[j] for j in range(p)] for i in range(p)]
    for i in range(p):
        whole[i][i] = sum((variances[i][j] * w[j] ** 2 for j in range(p)), Fraction(0))
    turned = ball_matrix(conditions)
    return turned * ball_matrix(whole) * turned.transpose()
