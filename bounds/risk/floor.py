"""Data on which the excess risk is large: no analysis of these assumptions can give a smaller bound.

Proof: docs/proofs/synthbounds.risk-floor.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb, fmpq

from bounds.approximation.balls import BallFunction
from bounds.approximation.exchange import barycentric_weights
from bounds.approximation.functions import find_function
from bounds.approximation.minimax import minimax
from bounds.approximation.result import Question
from bounds.enclosure import Enclosure, Undecided, as_fmpq, precision
from bounds.errors import NotApplicable, NotCertified
from bounds.risk.floor_laws import at_the_border, logistic_gain
from bounds.risk.loss import Loss
from bounds.risk.polynomials import HIGHEST_DEGREE

_BITS = 192
_LARGEST_TURN = Fraction(2)
"""The construction for the bias works up to this radius; larger classes contain it."""


@dataclass(frozen=True)
class Floor:
    """Excess risks that some data have: by moving records, and with identical marginals."""

    marginals: Enclosure | None
    """With marginals as far off as assumed."""
    bias: Enclosure | None
    """With identical marginals."""

    @property
    def value(self) -> Enclosure:
        known = [e for e in (self.marginals, self.bias) if e is not None]
        return max(known, key=lambda e: e.lo)


def floor_of(
    loss: Loss, *, degree: int, features: int, distance: Enclosure | None, knows_everything: bool = False
) -> Floor | None:
    """What is known about the truth, or None; `degree` is that carried by the marginals."""
    marginals = None if distance is None else moved_records(loss, distance)
    bias = None if knows_everything else identical_marginals(loss, degree, features)
    return Floor(marginals, bias) if marginals is not None or bias is not None else None


def moved_records(loss: Loss, distance: Enclosure) -> Enclosure | None:
    """(s/2)(1 + phi'(R)/phi'(-R)) (phi(-R) - phi(R)) for a convex loss that falls on [-R, R]."""
    if not loss.convex:
        return None
    question = loss.question
    with precision(_BITS):
        left, right = arb(as_fmpq(question.left)), arb(as_fmpq(question.right))
        try:
            first, _ = BallFunction(question.pieces[0].expression).taylor(left, 1)
            last, _ = BallFunction(question.pieces[-1].expression).taylor(right, 1)
            if not (first[1] < 0 and last[1] <= 0):
                return None
            share = (1 + last[1] / first[1]) / 2
            per_share = Enclosure.of(share * (first[0] - last[0]))
            moved = Enclosure.of(share)
        except Undecided:
            return None
    # no more records can move than there are; data with a smaller distance meet the assumption as well
    near, far = (min(s, 1 / moved.hi) for s in (distance.lo, distance.hi))
    return Enclosure(max(near * per_share.lo, Fraction(0)), far * per_share.hi)


def identical_marginals(loss: Loss, degree: int, features: int) -> Enclosure | None:
    """For the logistic loss: features -1 and 1 whose mean has equal moments up to D in both data."""
    if not loss.is_logistic or not 2 <= degree <= HIGHEST_DEGREE:
        return None
    turn = Fraction(int(min(loss.radius, _LARGEST_TURN) * 2**60), 2**60)  # rounded down: every smaller turn will do
    found = [_turned(turn, degree, features)] if turn > 0 else []
    if degree == 2:
        found.append(_three_points(loss.radius, features))
    if loss.radius > _LARGEST_TURN:
        found.append(at_the_border(loss.radius, degree, features))
    return max((e for e in found if e is not None), key=lambda e: e.lo, default=None)


def _three_points(radius: Fraction, features: int) -> Enclosure | None:
    """Data at 0, z and 1, which an even m has, for the z of largest tanh(Rz/2) - z tanh(R/2)."""
    if features % 2 or features < 4:
        return None
    with precision(_BITS):
        half = arb(as_fmpq(radius / 2))

        def gain(pluses: int) -> arb:
            z = arb(fmpq(2 * pluses - features, features))
            return (z * half).tanh() - z * half.tanh()

        low, high = features // 2, features
        while high - low > 2:  # the difference is concave in z
            left, right = low + (high - low) // 3, high - (high - low) // 3
            low, high = (left, high) if gain(left) < gain(right) else (low, right)
        best = max(range(max(low, features // 2 + 1), min(high, features - 1) + 1), key=lambda k: float(gain(k)))
        if not gain(best) > 0:
            return None
        z = Fraction(2 * best - features, features)
        return _tilted({z: arb(1)}, half.tanh(), turn=radius)


def _tilted(sizes: dict[Fraction, arb], tilt: arb, *, turn: Fraction) -> Enclosure:
    """What the real data gain on the way from the synthetic minimiser: +-z with the shares (1 +- c z)/2."""
    means = [sign * z for z in sizes for sign in (1, -1)]
    weights = [w * (1 + sign * tilt * as_fmpq(z)) / 2 for z, w in sizes.items() for sign in (1, -1)]
    return Enclosure.of(logistic_gain(weights, means, start=turn))


@lru_cache(maxsize=256)
def _turned(turn: Fraction, degree: int, features: int) -> Enclosure | None:
    """Any D/2 + 2 sizes of the mean give two distributions of equal even moments; good ones are near an alternation."""
    z_times_tanh = find_function(f"x*(exp(({turn})*x)-1)/(exp(({turn})*x)+1)")
    try:
        found = minimax(Question.of(z_times_tanh, Fraction(-1), Fraction(1)), degree)
    except (NotCertified, NotApplicable, Undecided):
        return None
    sizes = _lattice([] if found.lower is None else [abs(x) for x in found.lower.points], degree // 2 + 2, features)
    if sizes is None:
        return None
    with precision(max(_BITS, 16 * len(sizes))):
        function = BallFunction(z_times_tanh.expression)
        squares = [as_fmpq(z * z) for z in sizes]
        weights = barycentric_weights(squares)
        total = sum((w * function(arb(as_fmpq(z))) for w, z in zip(weights, sizes, strict=True)), arb(0))
        if not (total > 0 or total < 0):
            return None
        sign = 1 if total > 0 else -1
        mine = {z: arb(sign * w) for w, z in zip(weights, sizes, strict=True) if sign * w > 0}
        others = {z: arb(-sign * w) for w, z in zip(weights, sizes, strict=True) if sign * w < 0}
        mass = sum(mine.values(), arb(0))  # weights of either sign have the same mass
        mean_square = sum((w * as_fmpq(z * z) for z, w in mine.items()), arb(0))
        tilt = sum((w * function(arb(as_fmpq(z))) for z, w in others.items()), arb(0)) / mean_square
        return _tilted({z: w / mass for z, w in mine.items()}, tilt, turn=turn)


def _lattice(wanted: list[Fraction], count: int, features: int) -> list[Fraction] | None:
    """As many different sizes |2k - m|/m of a mean as are needed, near those that are wanted; None for too small m."""
    if features // 2 + 1 < count or len(set(wanted)) < count:
        return None
    parity = features % 2
    taken: set[int] = set()
    for z in sorted(set(wanted)):
        nearest = min(max(2 * round((z * features - parity) / 2) + parity, parity), features)
        while nearest in taken and nearest < features:
            nearest += 2
        while nearest in taken:
            nearest -= 2
        taken.add(nearest)
    chosen = sorted(taken)
    return [Fraction(k, features) for k in chosen] if len(chosen) == count else None
