"""Laplace noise: its pure privacy, exactly, and the exact delta of a product of Laplace noises."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds import curves
from bounds.enclosure import Enclosure, as_fmpq, as_fraction
from bounds.exact import Exact, parse_rational, require_range
from bounds.privacy.adjacency import Adjacency, read_adjacency
from bounds.privacy.sensitivity import Sensitivity, require_norm
from bounds.privacy.statements import (
    DP,
    LARGEST_EPSILON,
    enclose_probability,
    one_adjacency,
    read_count,
    read_epsilon,
    read_positive,
    require_promise,
)

MOST_NOISES = 400
"""More than this and the exact sum, whose terms nearly cancel, takes seconds."""


@dataclass(frozen=True, kw_only=True)
class LaplaceProduct:
    """`count` independent Laplace noises on answers that one record moves by at most `shift` times the scale each."""

    shift: Fraction
    count: int
    adjacency: Adjacency

    def __post_init__(self) -> None:
        shift = parse_rational(self.shift, "shift")
        require_range("shift", shift, self.shift, above=0, most=LARGEST_EPSILON)
        object.__setattr__(self, "shift", shift)
        object.__setattr__(self, "count", read_count(self.count, most=MOST_NOISES))
        object.__setattr__(self, "adjacency", read_adjacency(self.adjacency))


def laplace_epsilon(*, scale: Exact, sensitivity: Sensitivity) -> DP:
    """Pure privacy of Laplace noise of this scale on every answer: L1 sensitivity over scale, exactly.

    >>> from bounds.privacy.sensitivity import l1_sensitivity
    >>> marginals = l1_sensitivity(value=20, adjacency="replace-one", n_is_public=True, text="ten marginals")
    >>> laplace_epsilon(scale=30, sensitivity=marginals).epsilon.lo
    Fraction(2, 3)
    """
    require_norm(sensitivity, "L1")
    epsilon = sensitivity.amount / as_fraction(read_positive(scale, "scale"))
    return DP(epsilon=Enclosure.of(epsilon), delta=Enclosure.of(0), adjacency=sensitivity.adjacency)


def laplace_scale(*, epsilon: Exact, sensitivity: Sensitivity) -> Fraction:
    """The scale at which Laplace noise is epsilon-private, exactly."""
    require_norm(sensitivity, "L1")
    return sensitivity.amount / as_fraction(read_epsilon(epsilon, above_zero=True))


def laplace_delta(noise: LaplaceProduct, *, epsilon: Exact) -> DP:
    """The exact delta at epsilon of a product of Laplace noises; 0 from count * shift on.

    It is attained when every answer moves by `shift` scales. Smaller moves give less: the delta of one noise,
    1 - exp((epsilon - shift)/2), grows with the shift at every epsilon, and such an order survives products.

    >>> noise = LaplaceProduct(shift="0.1", count=20, adjacency="add-remove")
    >>> laplace_delta(noise, epsilon="0.1").delta.decimal(10)
    ('0.1365677338', '0.1365677339')
    """
    adjacency = one_adjacency(noise)
    value, shift = read_epsilon(epsilon), as_fmpq(noise.shift)
    # The terms cancel to a few bits for every noise: start with enough.
    first_bits = 96 + 4 * noise.count
    delta = enclose_probability(lambda: curves.laplace_delta_of(noise.count, shift, value), first_bits=first_bits)
    return DP(epsilon=Enclosure.of(value), delta=require_promise(delta), adjacency=adjacency)
