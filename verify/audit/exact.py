"""The exact privacy loss of product mechanisms between given inputs, in rationals and balls.

Laplace noise of scales s on a vector that moves by t loses exactly the sum of |t|/s; independent Gaussian noise has the
exact delta of Balle and Wang at mu^2 = sum of t^2/sigma^2; a choice from finitely many outcomes loses its largest
log-ratio. A coordinate that moves without noise loses everything. Nothing here says that the given inputs are the
worst.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import TypeAlias, TypeVar

from flint import arb, arb_poly, fmpq

from bounds import curves
from bounds.enclosure import Enclosure, as_fmpq, precision
from bounds.errors import NotApplicable, NotCertified, ParameterError
from bounds.privacy.statements import enclose_probability
from bounds.solve import enclose

Size: TypeAlias = Fraction | int | Enclosure
Vector: TypeAlias = Sequence[Size]
Weight: TypeAlias = tuple[Fraction | int, Fraction | int]
"""factor and exponent: an outcome weighs factor * exp(exponent)."""
Input = TypeVar("Input")


class Verdict(Enum):
    VIOLATION = "violation"
    PRIVATE = "private"
    SILENT = "no violation found"


@dataclass(frozen=True, kw_only=True)
class ExactLoss:
    """The smallest epsilon at the claimed delta (None: infinite), and the exact delta at the claimed epsilon."""

    epsilon: Enclosure | None
    delta: Enclosure | None
    """None if only pure privacy was asked about."""
    pair: str = ""

    def verdict(self, *, epsilon: Fraction, delta: Fraction) -> Verdict:
        """Decided by enclosures: private at this pair, or not."""
        if delta > 0 and self.delta is not None:
            loss, allowed = self.delta, delta
        elif self.epsilon is None:
            return Verdict.VIOLATION
        else:
            loss, allowed = self.epsilon, epsilon
        if loss.lo > allowed:
            return Verdict.VIOLATION
        if loss.hi <= allowed:
            return Verdict.PRIVATE
        raise NotCertified("the exact loss and the claim agree to all digits that were computed")


def laplace_loss(first: Vector, second: Vector, scales: Vector, *, epsilon: Fraction, delta: Fraction) -> ExactLoss:
    """Independent Laplace noise of these scales on these vectors; exact for exact numbers.

    >>> found = laplace_loss([5, 7], [6, 6], [2, 2], epsilon=Fraction(1), delta=Fraction(0))
    >>> found.epsilon == Enclosure.of(1)
    True
    """
    parts = _moved_over_noise(first, second, scales)
    if parts is None:
        return ExactLoss(epsilon=None, delta=Enclosure.of(1))
    total = Enclosure(sum((p.lo for p in parts), Fraction(0)), sum((p.hi for p in parts), Fraction(0)))
    if delta == 0:
        return ExactLoss(epsilon=total, delta=None)
    if total.hi <= epsilon:
        return ExactLoss(epsilon=total, delta=Enclosure.of(0))
    shift = parts[0]
    if not shift.is_exact or any(part != shift for part in parts):
        raise NotApplicable("delta: the exact delta of Laplace noises is known here for equal moves only")
    found = enclose_probability(
        lambda: curves.laplace_delta_of(len(parts), as_fmpq(shift.lo), as_fmpq(epsilon)), first_bits=96 + 4 * len(parts)
    )
    return ExactLoss(epsilon=total, delta=found)


def gaussian_loss(first: Vector, second: Vector, variances: Vector, *, epsilon: Fraction, delta: Fraction) -> ExactLoss:
    """Independent Gaussian noise of these variances on these vectors; delta = 0 is never achieved."""
    parts = _moved_over_noise(first, second, variances, squared=True)
    if parts is None:
        return ExactLoss(epsilon=None, delta=Enclosure.of(1))
    ends = [sum((p.lo for p in parts), Fraction(0)), sum((p.hi for p in parts), Fraction(0))]
    if ends[1] == 0:
        return ExactLoss(epsilon=Enclosure.of(0), delta=Enclosure.of(0))
    deltas = [enclose_probability(partial(curves.gaussian_delta_of, as_fmpq(m), as_fmpq(epsilon))) for m in ends]
    found = Enclosure(deltas[0].lo, deltas[1].hi)
    if delta == 0:
        return ExactLoss(epsilon=None, delta=found)
    least = [enclose(partial(curves.gaussian_epsilon_of, as_fmpq(m), as_fmpq(delta))) for m in ends]
    return ExactLoss(epsilon=Enclosure(least[0].lo, least[1].hi), delta=found)


def discrete_gaussian_loss(
    moves: Sequence[int], sd: Fraction, *, epsilon: Fraction, delta: Fraction, pair: str = ""
) -> ExactLoss:
    """Independent discrete Gaussian noise of one deviation on integers that move by these; delta must be positive.

    The log-ratio at noise z is (2 S + |t|^2)/(2 sd^2) with S the sum of t z, an integer whose distribution is a product
    of polynomials. Noise beyond 14 deviations is cut off, and its mass is added to the upper end.
    """
    steps, variance, reach = [abs(move) for move in moves if move], as_fmpq(sd**2), int(14 * sd) + 1
    if not steps:
        return ExactLoss(epsilon=Enclosure.of(0), delta=Enclosure.of(0), pair=pair)
    square = sum(step**2 for step in steps)
    largest = reach * sum(steps)

    def law() -> tuple[list[arb], arb]:
        sizes = [(-arb(fmpq(k * k) / (2 * variance))).exp() for k in range(reach + 1)]
        beyond = (arb(2 * variance) * arb.pi()).sqrt() * (arb(reach) / arb(2 * variance).sqrt()).erfc()
        total = sizes[0] + 2 * sum(sizes[1:], arb(0)) + beyond.union(arb(0))
        product = arb_poly([1])
        for step in steps:
            coefficients = [arb(0)] * (2 * reach * step + 1)
            for k in range(-reach, reach + 1):
                coefficients[(k + reach) * step] = sizes[abs(k)] / total
            product *= arb_poly(coefficients)
        return product.coeffs(), len(steps) * beyond / total

    def excess(at: fmpq, chances: list[arb], cut: arb) -> arb:
        found = arb(0)
        for place, chance in enumerate(chances):
            loss = (2 * (place - largest) + fmpq(square)) / (2 * variance)
            if loss > at:
                found += chance * (1 - arb(at - loss).exp())
        return found + cut.union(arb(0))

    claimed, wanted = enclose(lambda: excess(as_fmpq(epsilon), *law())), as_fmpq(delta)
    low, high = Fraction(0), (2 * Fraction(largest) + square) / (2 * sd**2)
    with precision(256):
        known = law()
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(as_fmpq(middle), *known) > wanted else (low, middle)
    return ExactLoss(epsilon=Enclosure(low, high), delta=claimed, pair=pair)


def finite_loss(first: Sequence[Weight], second: Sequence[Weight], *, epsilon: Fraction, delta: Fraction) -> ExactLoss:
    """A choice from finitely many outcomes with probabilities in proportion to their weights."""

    def probabilities(weights: Sequence[Weight]) -> list[arb]:
        sizes = [arb(as_fmpq(Fraction(f))) * arb(as_fmpq(Fraction(e))).exp() for f, e in weights]
        total = sum(sizes, arb(0))
        return [size / total for size in sizes]

    def one_sided(ours: Sequence[Weight], theirs: Sequence[Weight]) -> arb:
        parts = zip(probabilities(ours), probabilities(theirs), strict=True)
        return sum((((a - arb(as_fmpq(epsilon)).exp() * b).max(arb(0))) for a, b in parts), arb(0))

    def largest_ratio() -> arb:
        pairs = zip(probabilities(first), probabilities(second), first, strict=True)
        worst = arb(0)
        for value in [(a / b).log() for a, b, weight in pairs if weight[0] != 0]:
            worst = worst.max(value).max(-value)
        return worst

    excess = enclose(lambda: one_sided(first, second).max(one_sided(second, first))) if delta else None
    if any((a[0] == 0) != (b[0] == 0) for a, b in zip(first, second, strict=True)):
        return ExactLoss(epsilon=None, delta=excess)
    if sorted(first) == sorted(second) and all(a[0] == b[0] for a, b in zip(first, second, strict=True)):
        # The totals agree, so a log-ratio reduces to a difference of exponents, a rational.
        largest = max(abs(Fraction(a[1]) - Fraction(b[1])) for a, b in zip(first, second, strict=True))
        return ExactLoss(epsilon=Enclosure.of(largest), delta=excess)
    return ExactLoss(epsilon=enclose(largest_ratio), delta=excess)


def worst_pair(
    query: Callable[[Input], Vector],
    pairs: Iterable[tuple[str, Input, Input]],
    loss: Callable[[Vector, Vector], ExactLoss],
) -> ExactLoss:
    """The largest loss over named pairs of neighbouring inputs; infinite before finite, the first of equals.

    >>> pairs = [("0 to 1", 0, 1), ("0 to 3", 0, 3)]
    >>> half = lambda a, b: laplace_loss(a, b, [2], epsilon=Fraction(1), delta=Fraction(0))
    >>> worst_pair(lambda x: [x], pairs, half).pair
    '0 to 3'
    """
    worst: ExactLoss | None = None
    for name, one, other in pairs:
        found = replace(loss(query(one), query(other)), pair=name)
        if worst is None or _larger(found, worst):
            worst = found
    if worst is None:
        raise ParameterError("pairs", 0, "one at least")
    return worst


def _larger(found: ExactLoss, worst: ExactLoss) -> bool:
    if worst.epsilon is None or found.epsilon is None:
        return worst.epsilon is not None
    return found.epsilon.lo > worst.epsilon.lo


def _moved_over_noise(first: Vector, second: Vector, noise: Vector, *, squared: bool = False) -> list[Enclosure] | None:
    """|move|/noise, or move^2/noise, of every coordinate that moves; None where one moves without noise."""
    parts = []
    for one, other, size in zip(map(_ends, first), map(_ends, second), map(_ends, noise), strict=True):
        if size.lo < 0 or (size.lo == 0) != (size.hi == 0):
            raise ParameterError("scale", float(size.lo), "at least 0")
        low, high = one.lo - other.hi, one.hi - other.lo
        least = Fraction(0) if low <= 0 <= high else min(abs(low), abs(high))
        most = max(abs(low), abs(high))
        if most == 0:
            continue
        if size.lo == 0:
            if least == 0:
                raise NotCertified("whether a coordinate without noise moves")
            return None
        if squared:
            least, most = least**2, most**2
        parts.append(Enclosure(least / size.hi, most / size.lo))
    return parts


def _ends(value: Size) -> Enclosure:
    return value if isinstance(value, Enclosure) else Enclosure.of(Fraction(value))


def logarithm(number: Fraction) -> Enclosure:
    """The natural logarithm of a positive rational."""
    ratio = fmpq(number.numerator, number.denominator)
    return enclose(lambda: arb(ratio).log())
