"""Certified upper bounds on norms: of nonnegative and of symmetric matrices, and of noise with a known covariance.

Every bound is a rational number above the quantity it bounds. Floating point is used only to guess vectors; the bounds
that they prove are computed in integers. Covariances of noise are computed elsewhere. Proof:
docs/proofs/synthbounds.marginal-moments.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from flint import arb, fmpq_mat, fmpz, fmpz_mat

from bounds.certify.goe import goe_radius
from bounds.certify.radii import chi_radius
from bounds.enclosure import as_fmpq, as_fraction
from bounds.exact import root_on_grid
from bounds.solve import enclose

_BITS = 60
_VECTOR_BITS = 40
_SLACK = Fraction(1, 10**6)
"""How far above the guessed eigenvalue its bound is placed."""
_MOST_PARTS = 4

Rows = Sequence[Sequence[Fraction]]


def root_above(value: Fraction) -> Fraction:
    """A rational number at or above the square root, by a relative 2^-50 at most.

    >>> root_above(Fraction(1, 4)) == Fraction(1, 2), root_above(Fraction(2)) ** 2 > 2
    (True, True)
    """
    if value == 0:
        return Fraction(0)
    shift = _BITS + max(0, (value.denominator.bit_length() - value.numerator.bit_length()) // 2)
    return root_on_grid(value, Fraction(1, 1 << shift))


def log_above(value: Fraction) -> Fraction:
    """A rational number just above the natural logarithm."""
    number = as_fmpq(value)
    return rounded_above(enclose(lambda: arb(number).log()).hi)


def rounded_above(value: Fraction) -> Fraction:
    """The next multiple of 2^-60."""
    return Fraction(-((-value.numerator << _BITS) // value.denominator), 1 << _BITS)


def norm_above(vector: Sequence[Fraction]) -> Fraction:
    """An upper bound on the Euclidean norm."""
    return root_above(sum((x * x for x in vector), Fraction(0)))


def perron_above(rows: Rows) -> Fraction:
    """An upper bound on the operator norm of a symmetric nonnegative matrix, hence of every matrix that it dominates.

    For any positive u the largest (B u)_i / u_i is at least the Perron root; u is a guess of the Perron vector.
    """
    import numpy as np

    most = max((x for row in rows for x in row), default=Fraction(0))
    if most == 0:
        return Fraction(0)
    # Integers over `unit`, rounded up, so that the largest has 60 bits whatever its size.
    unit = Fraction(2**_BITS) / most
    whole = [[-((-x.numerator * unit.numerator) // (x.denominator * unit.denominator)) for x in row] for row in rows]
    guess = np.array([[float(x) / 2.0**_BITS for x in row] for row in whole])
    # A little coupling everywhere keeps the vector positive if the matrix falls into parts.
    _, vectors = np.linalg.eigh(guess + 1e-9)
    u = [max(1, round(float(abs(x)) * 2**_VECTOR_BITS)) for x in vectors[:, -1]]
    ratio = max(Fraction(sum(a * b for a, b in zip(row, u, strict=True)), u[i]) for i, row in enumerate(whole))
    return ratio / unit


def top_eigenvalue_above(matrix: fmpq_mat) -> Fraction:
    """An upper bound on the largest eigenvalue of a positive semidefinite matrix.

    A guess L is proved by a Q for which Q'(L - M)Q is diagonally dominant, hence positive definite; if that fails, the
    norm of the absolute values is a bound, too.
    """
    import numpy as np

    size = matrix.nrows()
    trace = trace_of(matrix)
    if size == 0 or trace == 0:
        return Fraction(0)
    numerator, denominator = matrix.numer_denom()
    scale = float(trace)
    entries = [[Fraction(int(numerator[i, j]), int(denominator)) for j in range(size)] for i in range(size)]
    values, vectors = np.linalg.eigh(np.array([[float(x) for x in row] for row in entries]) / scale)
    bound = Fraction(float(values[-1] * scale)) * (1 + _SLACK)
    q = fmpz_mat([[round(float(x) * 2**_VECTOR_BITS) for x in row] for row in vectors])
    identity = fmpz_mat([[int(i == j) for j in range(size)] for i in range(size)])
    rest = identity * fmpz(bound.numerator) * denominator - numerator * fmpz(bound.denominator)
    shown = q.transpose() * rest * q
    if all(2 * shown[i, i] > sum(abs(shown[i, j]) for j in range(size)) for i in range(size)):
        return min(bound, trace)
    return min(perron_above([[abs(x) for x in row] for row in entries]), trace)


def trace_of(matrix: fmpq_mat) -> Fraction:
    return sum((as_fraction(matrix[i, i]) for i in range(matrix.nrows())), Fraction(0))


def vector_radius(covariance: fmpq_mat, failure: Fraction, *, gaussian: bool) -> Fraction:
    """A bound that the norm of noise with this covariance exceeds with probability at most `failure`.

    Holds for sub-Gaussian noise of which the covariance is a proxy: |X|^2 <= tr C + 2 sqrt(t tr C^2) + 2 t |C|, t =
    ln(1/failure). Gaussian noise is also dominated by isotropic noise of variance |C|.
    """
    size, trace = covariance.nrows(), trace_of(covariance)
    if trace == 0:
        return Fraction(0)
    top, squares = top_eigenvalue_above(covariance), trace_of(covariance * covariance)
    radius = _concentrated(trace, squares, top, failure)
    return min(radius, root_above(top) * chi_radius(size, failure)) if gaussian else radius


def independent_radius(parts: Iterable[tuple[Fraction, int]], failure: Fraction) -> Fraction:
    """A bound that the norm of independent Gaussian entries exceeds with probability at most `failure`.

    `parts` are variances, each with its number of entries. The least of three bounds: all entries as noisy as the
    noisiest, concentration as in `vector_radius`, and the exact quantile of each part, if there are few.
    """
    counts: dict[Fraction, int] = {}
    for variance, count in parts:
        if variance and count:
            counts[variance] = counts.get(variance, 0) + count
    if not counts:
        return Fraction(0)
    top, whole = max(counts), sum(counts.values())
    trace, squares = (sum((v**k * m for v, m in counts.items()), Fraction(0)) for k in (1, 2))
    radii = [root_above(top) * chi_radius(whole, failure), _concentrated(trace, squares, top, failure)]
    if len(counts) <= _MOST_PARTS:
        small, largest = failure / 8, max(counts, key=lambda v: v * counts[v])
        rest = failure - small * (len(counts) - 1)
        each = (v * chi_radius(m, rest if v == largest else small) ** 2 for v, m in counts.items())
        radii.append(root_above(sum(each, Fraction(0))))
    return min(radii)


def arrow_above(block: Fraction, row: Fraction, corner: Fraction = Fraction(0)) -> Fraction:
    """An upper bound on the norm of [[B, r], [r', c]] if B, r and c have at most these norms."""
    return (block + corner) / 2 + root_above(((block - corner) / 2) ** 2 + row**2)


def _concentrated(trace: Fraction, squares: Fraction, top: Fraction, failure: Fraction) -> Fraction:
    t = log_above(1 / failure)
    return root_above(trace + 2 * root_above(t * squares) + 2 * t * top)


def matrix_radius(variance: fmpq_mat, failure: Fraction) -> Fraction:
    """A bound that the norm of X = sum Z_c A_c exceeds with probability <= `failure`: sqrt(2 |V| ln(2p/failure)).

    V = sum s_c^2 A_c^2, where the independent Z_c are sub-Gaussian with proxy variance s_c^2.
    """
    size = variance.nrows()
    return root_above(2 * top_eigenvalue_above(variance) * log_above(2 * size / failure))


def congruent_radius(grams: Sequence[fmpq_mat], failure: Fraction) -> Fraction:
    """A bound that |F W F'| exceeds with probability <= `failure`; W is a Gaussian matrix as in bounds.certify.goe.

    F is block diagonal; `grams` are the blocks of F F'. By comparison and concentration, or by the exact radius of W.
    """
    count = sum(gram.nrows() for gram in grams)
    if count == 0:
        return Fraction(0)
    top = max(top_eigenvalue_above(gram) for gram in grams)
    whole = sum((trace_of(gram) for gram in grams), Fraction(0))
    concentrated = root_above(2 * top * whole) + top * root_above(2 * log_above(2 / failure))
    return min(concentrated, top * goe_radius(count, failure))
