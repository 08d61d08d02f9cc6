"""Certified radii for contractions of a symmetric Gaussian tensor of order four with one fixed unit vector w.

T has independent entries of sd 1/sqrt(multiplicity), so that <T, A> is N(0, ||A||^2) for every symmetric A. The vector
d -> <T, sym(www d)> and the matrix (d, e) -> <T, sym(ww d e)> have independent coordinates; their norms are bounded
here. w must not depend on T. Other lengths of w scale the results. Proofs: docs/proofs/synthbounds.moment-radii.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb

from bounds.certify.goe import goe_radius
from bounds.certify.inputs import RADIUS_BITS, positive_dimension, probability, rounded_up
from bounds.certify.mixture import quarter_sum_distribution
from bounds.certify.radii import chi_radius, normal_interval
from bounds.enclosure import Enclosure, as_fmpq, precision, with_growing_precision
from bounds.errors import ParameterError
from bounds.roots import root_of_tail

_BITS = 80
_SHARES = (Fraction(1, 2), Fraction(2, 5), Fraction(1, 10))  # nearly best for the matrix at 5 to 50 features
_BLOCK_SHARES = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 5))
_TOUCHING = (Fraction(-1, 10), Fraction(-1, 5))  # where a parabola touches, in units of the block's radius
_GRID = 32  # points of the normal tail are tried in steps of 1/32
_BISECTIONS = 36


@dataclass(frozen=True)
class ContractionRadii:
    """Radii that are all valid at once, with probability at least 1 - failure, in a basis that begins with w.

    along: |<T, wwww>|. across: norm of the vector orthogonal to w. block: norm of the matrix orthogonal to w.
    vector, matrix: norms of the whole vector and the whole matrix.
    """

    along: Fraction
    across: Fraction
    block: Fraction
    vector: Fraction
    matrix: Fraction
    failure: Fraction


def contraction_radii(
    dimension: int, failure: Fraction, *, shares: tuple[Fraction, Fraction, Fraction] = _SHARES
) -> ContractionRadii:
    """Radii of all contractions on one event; `shares` of the failure go to along, across and block."""
    dimension, failure = positive_dimension(dimension), probability("failure", failure)
    if min(shares) <= 0 or sum(shares) > 1:
        raise ParameterError("shares", shares, "positive numbers that sum to at most 1")
    if dimension == 1:
        along = normal_interval(failure)
        return ContractionRadii(along, Fraction(0), Fraction(0), along, along, failure)
    along = normal_interval(failure * shares[0])
    across = chi_radius(dimension - 1, failure * shares[1]) / 2
    block = _block_radius(dimension, failure * shares[2])
    with precision(_BITS):
        vector = arb(as_fmpq(along**2 + across**2)).sqrt()
        spread = arb(as_fmpq(((along - block) / 2) ** 2 + across**2)).sqrt()
        matrix = spread + as_fmpq((along + block) / 2)
        ends = [rounded_up(Enclosure.of(x).hi) for x in (vector, matrix)]
    return ContractionRadii(along, across, block, ends[0], ends[1], failure)


def contraction_vector_radius(dimension: int, failure: Fraction) -> Fraction:
    """The least r with P(||<T, sym(www .)>|| > r) <= failure, rounded up to 12 digits."""
    return _vector_radius_cached(positive_dimension(dimension), probability("failure", failure))


@lru_cache(maxsize=1024)
def _vector_radius_cached(dimension: int, failure: Fraction) -> Fraction:
    if dimension == 1:
        return normal_interval(failure)
    high = arb(as_fmpq(contraction_radii(dimension, failure).vector))

    def enclosed() -> Enclosure:
        return Enclosure.of(
            root_of_tail(lambda r: 1 - quarter_sum_distribution(r * r, dimension), as_fmpq(failure), high, high / 2)
        )

    return rounded_up(with_growing_precision(enclosed, start=RADIUS_BITS)[0].hi)


def contraction_matrix_radius(dimension: int, failure: Fraction) -> Fraction:
    """An r with P(||<T, sym(ww . .)>|| > r) <= failure, rounded up to 12 digits."""
    return _matrix_radius_cached(positive_dimension(dimension), probability("failure", failure))[0]


def contraction_witness(dimension: int, failure: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """The block's radius c, the point at which the parabola touches and the point of the normal tail that prove
    `contraction_matrix_radius`; for more than one dimension. Zeros if `contraction_radii` is as good without."""
    dimension, failure = positive_dimension(dimension), probability("failure", failure)
    if dimension == 1:
        raise ParameterError("dimension", dimension, "at least 2", "in one dimension there is only a normal variable")
    return _matrix_radius_cached(dimension, failure)[1]


@lru_cache(maxsize=1024)
def _matrix_radius_cached(dimension: int, failure: Fraction) -> tuple[Fraction, tuple[Fraction, Fraction, Fraction]]:
    least, witness = contraction_radii(dimension, failure).matrix, (Fraction(0), Fraction(0), Fraction(0))
    if dimension == 1:
        return least, witness
    for share in _BLOCK_SHARES:
        block = _block_radius(dimension, failure * share)
        for touching in _TOUCHING:
            bound = _TailBound(dimension, block, touching * block, failure * (1 - share) / 2)
            found, x = bound.best_below(least)
            if found < least:
                least, witness = found, (block, touching * block, x)
    return least, witness


def _block_radius(dimension: int, failure: Fraction) -> Fraction:
    """Radius of the block orthogonal to w: W/sqrt 6 with W as in `goe_radius`."""
    with precision(_BITS):
        return rounded_up(Enclosure.of(as_fmpq(goe_radius(dimension - 1, failure)) / arb(6).sqrt()).hi)


class _TailBound:
    """P(largest eigenvalue > r and block <= c) <= Q(x) e^(t x - t r) E exp(m a0 + a1 tr B + a2 tr B^2), x free.

    Q is the normal tail and t its hazard at x. B is the block, of order m. The parabola a0 + a1 l + a2 l^2 lies above
    (log(r - l) - log(r - t/2 - l))/2 for l <= c: it touches at `touching` and meets at c.
    """

    def __init__(self, dimension: int, block: Fraction, touching: Fraction, failure: Fraction) -> None:
        self.order = dimension - 1
        with precision(_BITS):
            self.c, self.at = arb(as_fmpq(block)), arb(as_fmpq(touching))
            self.goal = arb(as_fmpq(failure)).log()

    def best_below(self, known: Fraction) -> tuple[Fraction, Fraction]:
        """The least radius found over points x of the normal tail, or `known` if none is below it, and its x."""
        with precision(_BITS):
            # The radius falls and then rises with x: walk down the valley with shrinking steps.
            tried: dict[int, Fraction] = {}

            def radius(x: int) -> Fraction:
                if x not in tried:
                    tried[x] = self._radius_at(arb(x) / _GRID, known)
                return tried[x]

            best, step = 2 * _GRID, _GRID
            while step:
                best, before = min((best, best - step, best + step), key=radius), best
                if best == before:
                    step //= 2
            return radius(best), Fraction(best, _GRID)

    def _radius_at(self, x: arb, known: Fraction) -> Fraction:
        tail = (x / arb(2).sqrt()).erfc() / 2
        hazard = (-x * x / 2).exp() / (2 * arb.pi()).sqrt() / tail
        constant = tail.log() + hazard * x - self.goal
        low, high = (self.c + hazard / 2).mid(), arb(as_fmpq(known)).mid()
        if not (low < high and self._log_excess(high, hazard, constant) <= 0):
            return known
        for _ in range(_BISECTIONS):
            middle = ((low + high) / 2).mid()
            if self._log_excess(middle, hazard, constant) <= 0:
                high = middle
            else:
                low = middle
        return min(known, rounded_up(Enclosure.of(high).hi))

    def _log_excess(self, r: arb, t: arb, constant: arb) -> arb:
        """The logarithm of the bound over its goal; above every number where the bound does not apply."""
        far, near = r - self.at, r - t / 2 - self.at
        width = self.c - self.at
        if not near > width:
            return arb("inf")
        value, slope = (far / near).log() / 2, (1 / near - 1 / far) / 2
        at_c = ((far - width) / (near - width)).log() / 2
        a2 = (at_c - value - slope * width) / width**2
        kept = 1 - a2 / 3
        if not kept > 0:
            return arb("inf")
        a1 = slope - 2 * a2 * self.at
        a0 = value - slope * self.at + a2 * self.at**2
        m = self.order
        squares = -kept.log() * (m * (m + 1)) / 4
        return constant - t * r + m * a0 + squares + a1**2 * m / (12 * kept)
