"""Certified radii for the operator norm of a symmetric Gaussian matrix.

W is symmetric, p x p, with independent entries: sd 1 on the diagonal and 1/sqrt 2 off the diagonal. The expected number
of its eigenvalues above r is known in closed form; twice that bounds P(||W|| > r). The module does not sample and does
not treat other distributions of the entries. Proofs: docs/proofs/synthbounds.moment-radii.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from flint import arb, fmpq

from bounds.certify.inputs import RADIUS_BITS, positive_dimension, probability, rounded_up
from bounds.enclosure import Enclosure, as_fmpq, with_growing_precision
from bounds.roots import root_of_tail

LARGEST_EXACT_ORDER = 1000  # above it only the bound by concentration is used; its excess is small there


def goe_radius(dimension: int, failure: Fraction) -> Fraction:
    """An r with P(||W|| > r) <= failure, W of that dimension, rounded up to 12 digits.

    >>> float(goe_radius(1, Fraction(1, 20)))
    1.95996398455
    """
    return _goe_radius_cached(positive_dimension(dimension), probability("failure", failure))


@lru_cache(maxsize=4096)
def _goe_radius_cached(dimension: int, failure: Fraction) -> Fraction:
    enclosed, _ = with_growing_precision(lambda: Enclosure.of(goe_root(dimension, failure)), start=RADIUS_BITS)
    return rounded_up(enclosed.hi)


def goe_root(dimension: int, failure: Fraction) -> arb:
    """The radius as a ball, at the precision of the context: the least of the two proved bounds."""
    crude = concentration_radius(dimension, failure)
    if dimension > LARGEST_EXACT_ORDER:
        return crude
    # Most eigenvalues lie below sqrt(2p); far below it balls widen.
    edge = arb(2 * dimension).sqrt() - 1
    low = edge.max(crude / 2) if failure < Fraction(1, 2) else crude / 2
    exact = root_of_tail(lambda x: 2 * eigenvalues_above(dimension, x), as_fmpq(failure), crude, low)
    return exact.min(crude)


def concentration_radius(dimension: int, failure: Fraction) -> arb:
    """sqrt(2p) + sqrt(2 ln(2/failure)), from Gaussian comparison and concentration; valid for every p."""
    return arb(2 * dimension).sqrt() + (2 * (2 / arb(as_fmpq(failure))).log()).sqrt()


def eigenvalues_above(dimension: int, x: arb) -> arb:
    """The expected number of eigenvalues of W above x, in closed form.

    phi_j are the Hermite functions, orthonormal on the line. With q_j = int_x^inf phi_j^2, t_j = int_x^inf phi_j and
    s_j = int_x^inf phi_{j-1} t_j, each from those before, and c_j = int phi_j over the line, it is
    sum_{j<p} q_j + sqrt(p/2) (c_p t_{p-1} / 2 - s_p), plus t_{p-1}/c_{p-1} for odd p.
    """
    p = dimension
    root2 = arb(2).sqrt()
    phi_before, phi = arb(0), (-x * x / 2).exp() / arb.pi().root(4)
    square = x.erfc() / 2  # q_0
    tail_before, tail = arb(0), (arb.pi().sqrt() / 2).sqrt() * (x / root2).erfc()  # t_0
    whole_before, whole = arb(0), (2 * arb.pi().sqrt()).sqrt()  # c_0
    mixed = arb(0)  # s_0: what makes s_1 = sqrt 2 q_0 below
    squares = arb(0)
    for j in range(1, p + 1):
        squares += square
        step = arb(fmpq(2, j)).sqrt()
        keep = arb(fmpq(j - 1, j)).sqrt()
        mixed = step * square + keep * (tail * tail_before - mixed)
        phi_before, phi = phi, step * x * phi - keep * phi_before
        square += phi * phi_before * step / 2
        tail_before, tail = tail, step * phi_before + keep * tail_before
        whole_before, whole = whole, keep * whole_before
    total = squares + arb(fmpq(p, 2)).sqrt() * (whole * tail_before / 2 - mixed)
    return total + tail_before / whole_before if p % 2 else total
