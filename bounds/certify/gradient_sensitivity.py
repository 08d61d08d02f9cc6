"""Sensitivity of a planned gradient query: how far one record can move the sum of g(m) z, in ball arithmetic.

z = y x lies in the unit ball, m = w.z is its margin, g(m) = phi'(m) + offset - slope m. The vectors g(m) z fill a body
of revolution around w; replacing a record moves the sum by at most its diameter, adding one by at most its radius.
Results are upper bounds, rational, with a lower bound next to them. Proof: docs/proofs/synthbounds.gradient-query.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb

from bounds.certify.margin_losses import MarginLoss, find_loss
from bounds.enclosure import Enclosure, as_fmpq, decimal_text, precision
from bounds.errors import ParameterError
from bounds.exact import require_range, show_rational
from bounds.privacy.adjacency import Adjacency

_BITS = 96
_SCALE = 1 << 48
_FEWEST_CELLS, _MOST_CELLS = 256, 1 << 14
_AIM = Fraction(1, 20_000)
"""The interpolation error that cells are made small enough for; the bound is valid with any number of cells."""
LARGEST_NORM = 10_000
_DIGITS = 10

Point = tuple[int, int]


@dataclass(frozen=True)
class QuerySensitivity:
    """`value` bounds the exact maximum from both sides; `hi` is what noise is made for."""

    value: Enclosure
    adjacency: Adjacency

    @property
    def hi(self) -> Fraction:
        return self.value.hi


def gradient_sensitivity(
    loss: str,
    *,
    norm: Fraction,
    reach: Fraction | None = None,
    offset: Fraction | int = 0,
    slope: Fraction | int = 0,
    adjacency: Adjacency = Adjacency.REPLACE_ONE,
) -> QuerySensitivity:
    """The L2 sensitivity of the sum of (phi'(m) + offset - slope m) z for every model of norm at most `norm`.

    `reach` is the largest |m| that the public domain allows, if that is known to be less than the norm.

    >>> float(gradient_sensitivity("logistic", norm=Fraction(5)).hi)
    1.617291476
    """
    found = find_loss(loss)
    norm, offset, slope = Fraction(norm), Fraction(offset), Fraction(slope)
    require_range("norm", norm, norm, least=0, most=LARGEST_NORM, reason="the norm of the model")
    reach = norm if reach is None else min(Fraction(reach), norm)
    require_range("reach", reach, reach, least=0, reason="the largest margin")
    if adjacency not in (Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE):
        raise ParameterError("adjacency", adjacency, "replace-one or add-remove")
    return QuerySensitivity(_enclosed(found.name, norm, reach, offset, slope, adjacency), adjacency)


@lru_cache(maxsize=256)
def _enclosed(
    loss: str, norm: Fraction, reach: Fraction, offset: Fraction, slope: Fraction, adjacency: Adjacency
) -> Enclosure:
    found = find_loss(loss)
    if found.kink is not None or norm == 0 or reach == 0:
        return _from_largest_slope(found, reach, offset, slope, adjacency)
    with precision(_BITS):
        nodes, error = _profile(found, norm, reach, offset, slope)
    if adjacency is Adjacency.ADD_REMOVE:
        squared = max(a * a + b * b for a, b in nodes)
    else:
        squared = squared_diameter([*nodes, *((a, -b) for a, b in nodes)])
        error *= 2
    with precision(_BITS):
        size = Enclosure.of(arb(squared).sqrt() / _SCALE)
    lo = max(Fraction(0), size.lo - 4 * Fraction(1, _SCALE))
    return Enclosure(lo, Fraction(decimal_text(size.hi + error, _DIGITS, up=True)))


def _from_largest_slope(
    loss: MarginLoss, reach: Fraction, offset: Fraction, slope: Fraction, adjacency: Adjacency
) -> Enclosure:
    """At most twice the largest |g|: for a loss with a kink, and for the constant g of the zero model."""
    factor = 1 if adjacency is Adjacency.ADD_REMOVE else 2
    if reach == 0:  # every margin is 0
        with precision(_BITS):
            at_zero = Enclosure.of(abs(loss.slope(arb(0)) + as_fmpq(offset)))
        return Enclosure(factor * at_zero.lo, factor * at_zero.hi)
    ends = loss.slope_range or (Fraction(0), Fraction(0))
    largest = max(abs(end + offset) for end in ends) + abs(slope) * reach
    at_zero_margin = abs(ends[0] + offset)  # margin 0 lies below the kink, and two such records can be opposite
    return Enclosure(factor * at_zero_margin, factor * largest)


def _profile(
    loss: MarginLoss, norm: Fraction, reach: Fraction, offset: Fraction, slope: Fraction
) -> tuple[list[Point], Fraction]:
    """Points g (cos t, sin t) with margin norm cos t, over _SCALE, and how far the curve is from their hull."""
    with precision(_BITS):
        # |g| <= |phi'(0) + offset| + reach (second + |slope|); see the proof for the second derivative in the angle.
        first = loss.second + abs(slope)
        largest = Enclosure.of(abs(loss.slope(arb(0)))).hi + abs(offset) + reach * first
        if loss.slope_range is not None:
            largest = min(largest, max(abs(end + offset) for end in loss.slope_range) + reach * abs(slope))
        bend = norm * norm * loss.third + (norm * 2 + reach) * first + largest
        cells = _FEWEST_CELLS
        while cells < _MOST_CELLS and bend * 10 / (4 * cells * cells) > _AIM:  # pi^2 < 10
            cells *= 2
        ratio = arb(as_fmpq(reach)) / as_fmpq(norm)
        start = arb(0) if reach == norm else ratio.acos()
        step = (arb.pi() - 2 * start) / cells
        nodes = []
        for k in range(cells + 1):
            sine, cosine = (start + k * step).sin_cos()
            margin = cosine * as_fmpq(norm)
            g = loss.slope(margin) + as_fmpq(offset) - margin * as_fmpq(slope)
            nodes.append((_grid(g * cosine), _grid(g * sine)))
        chord = Enclosure.of(step * step * as_fmpq(bend) / 8).hi
    return nodes, chord + Fraction(2, _SCALE)


def _grid(x: arb) -> int:
    """The integer below x * _SCALE, up to the radius of the ball, which is far below one unit."""
    scaled = x * _SCALE
    below = scaled.mid().floor().unique_fmpz()
    if below is None or not scaled.rad() < arb(1) / 4:
        raise ParameterError("norm", "this model", f"of norm at most {show_rational(LARGEST_NORM)}")
    return int(below)


def squared_diameter(points: list[Point]) -> int:
    """The largest squared distance of two of the points, exactly: opposite corners of their convex hull."""
    hull = _hull(points)
    if len(hull) < 3:
        return max((_squared(p, q) for p in hull for q in hull), default=0)
    best, j, count = 0, 1, len(hull)
    for i in range(count):
        here, after = hull[i], hull[(i + 1) % count]
        while _cross((0, 0), _minus(after, here), _minus(hull[(j + 1) % count], hull[j])) > 0:
            j = (j + 1) % count
        for far in (hull[j], hull[(j + 1) % count]):
            best = max(best, _squared(here, far), _squared(after, far))
    return best


def _hull(points: list[Point]) -> list[Point]:
    """Corners of the convex hull, counterclockwise (Andrew's monotone chain)."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered

    def chain(sequence: list[Point]) -> list[Point]:
        found: list[Point] = []
        for point in sequence:
            while len(found) > 1 and _cross(found[-2], found[-1], point) <= 0:
                found.pop()
            found.append(point)
        return found[:-1]

    return chain(ordered) + chain(ordered[::-1])


def _minus(p: Point, q: Point) -> Point:
    return p[0] - q[0], p[1] - q[1]


def _cross(origin: Point, p: Point, q: Point) -> int:
    return (p[0] - origin[0]) * (q[1] - origin[1]) - (p[1] - origin[1]) * (q[0] - origin[0])


def _squared(p: Point, q: Point) -> int:
    return (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2
