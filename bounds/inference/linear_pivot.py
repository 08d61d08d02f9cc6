"""Noisy linear equations G b = m with known noise: the quantity that is exactly Gaussian at the true b.

G is symmetric, each entry of G and of m has independent Gaussian noise of its own variance, 0 where it is exact. Put
the true b into the noisy equations: G b - m is then pure noise, with a covariance C(b) that depends only on b.
Everything here is rational: the residual, C(b), the distance of a point, and whether it is in the confidence set. The
bounds around the set are in linear_region. Proof: docs/proofs/synthbounds.noisy-regression.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq, fmpq_mat

from bounds.certify.radii import chi_radius
from bounds.enclosure import as_fmpq, as_fraction
from bounds.errors import ParameterError
from bounds.exact import root_at_least

Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]


@dataclass(frozen=True, kw_only=True)
class LinearPivot:
    """Noisy equations G b = m; G includes what is added to it without noise, such as a ridge."""

    matrix: Matrix
    right: Vector
    variances: Matrix
    """Of the noise on G, entry by entry."""
    right_variances: Vector
    rounding: Fraction = Fraction(0)
    """Upper bound on the norm of what rounding adds to the noise, in standard deviations: see `rounding_norm`."""

    def __post_init__(self) -> None:
        p = len(self.right)
        shapes = {len(self.matrix), len(self.variances), len(self.right_variances)}
        widths = {len(row) for row in (*self.matrix, *self.variances)}
        if p == 0 or shapes != {p} or widths != {p}:
            raise ParameterError("matrix", f"{len(self.matrix)} rows", f"{p} by {p}, as many as there are equations")
        for name, rows in (("matrix", self.matrix), ("variances", self.variances)):
            if any(rows[i][j] != rows[j][i] for i in range(p) for j in range(i)):
                raise ParameterError(name, "rows", "symmetric")
        if min(min(map(min, self.variances)), *self.right_variances) < 0:
            raise ParameterError("variances", "one below 0", "at least 0")

    @property
    def size(self) -> int:
        return len(self.right)

    def residual(self, b: Sequence[Fraction]) -> Vector:
        """G b - m: at the true b the noise, a centred Gaussian of covariance C(b)."""
        pairs = zip(self.matrix, self.right, strict=True)
        return tuple(sum((g * x for g, x in zip(row, b, strict=True)), Fraction(0)) - m for row, m in pairs)

    def covariance(self, b: Sequence[Fraction]) -> Matrix:
        """C(b) = sum over pairs of V_ik (b_k e_i + b_i e_k)(b_k e_i + b_i e_k)', and the variances of m."""
        return _with_diagonal(self.spread(b), self.right_variances)

    def spread(self, b: Sequence[Fraction]) -> Matrix:
        """The part of C(b) that the noise on G makes: a quadratic form in b, and b' spread(u) b = u' spread(b) u."""
        v, p = self.variances, self.size
        total = [sum((v[i][k] * b[k] ** 2 for k in range(p)), Fraction(0)) for i in range(p)]
        return tuple(tuple(total[i] if i == k else v[i][k] * b[i] * b[k] for k in range(p)) for i in range(p))

    def distance_squared(self, b: Sequence[Fraction]) -> Fraction | None:
        """(G b - m)' C(b)^-1 (G b - m); None if it is infinite: no noise could produce the residual."""
        return _form_of_inverse(self.covariance(b), self.residual(b))

    def contains(self, b: Sequence[Fraction], radius: Fraction) -> bool:
        """Whether b is in the confidence set of that radius; no rounding, no precision."""
        distance = self.distance_squared(b)
        return distance is not None and distance <= radius**2

    def recedes(self, direction: Sequence[Fraction], radius: Fraction) -> bool:
        """Whether the set surely goes to infinity along a direction: far out, only it and its noise count."""
        image = tuple(sum((g * x for g, x in zip(row, direction, strict=True)), Fraction(0)) for row in self.matrix)
        spread = self.spread(direction)
        if not is_definite(spread):
            return False  # what the noise does not reach is decided by m, and left open
        distance = _form_of_inverse(spread, image)
        return distance is not None and distance < radius**2


def joint_radius(pivot: LinearPivot, failure: Fraction) -> Fraction:
    """The set of this radius has the true b with probability at least 1 - failure; the excess is that of rounding."""
    return chi_radius(pivot.size, failure) + pivot.rounding


def rounding_norm(ratios: Sequence[Fraction]) -> Fraction:
    """At least the norm of what rounding adds, from how far it moves each noisy entry, in that entry's deviations."""
    return root_at_least(sum((ratio**2 for ratio in ratios), Fraction(0))) if any(ratios) else Fraction(0)


def is_definite(matrix: Matrix) -> bool:
    """Whether a symmetric positive semidefinite matrix is positive definite."""
    p = len(matrix)
    return bool(fmpq_mat(p, p, [as_fmpq(one) for row in matrix for one in row]).rank() == p)


def _with_diagonal(rows: Matrix, more: Sequence[Fraction]) -> Matrix:
    return tuple(tuple(x + more[i] if i == k else x for k, x in enumerate(row)) for i, row in enumerate(rows))


def _form_of_inverse(matrix: Matrix, vector: Vector) -> Fraction | None:
    """x' C^+ x for a positive semidefinite C where x is in its range, else None."""
    if not any(vector):
        return Fraction(0)
    p = len(vector)
    x = fmpq_mat(p, 1, [as_fmpq(one) for one in vector])
    whole = fmpq_mat(p, p, [as_fmpq(one) for row in matrix for one in row])
    try:
        solved = whole.solve(x)
    except ZeroDivisionError:
        return _form_of_singular(matrix, vector)
    return as_fraction((x.transpose() * solved)[0, 0])


def _form_of_singular(matrix: Matrix, vector: Vector) -> Fraction | None:
    p = len(vector)
    entries = [as_fmpq(one) for row, x in zip(matrix, vector, strict=True) for one in (*row, x)]
    reduced, rank = fmpq_mat(p, p + 1, entries).rref()
    found = [fmpq(0)] * p
    for row in range(rank):
        column = next(j for j in range(p + 1) if reduced[row, j] != 0)
        if column == p:
            return None
        found[column] = reduced[row, p]
    return sum((x * as_fraction(h) for x, h in zip(vector, found, strict=True)), Fraction(0))
