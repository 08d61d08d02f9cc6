"""Quantiles of squared lengths of Gaussian vectors, and conditions that compare two formulas with certainty.

The vectors are the noise of a noisy symmetric matrix times a fixed vector: along that vector its variance is twice the
one across. Proofs: docs/proofs/bojkovic2024.graph.md, bojkovic2024.least-squares.md.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from bounds.arithmetic import Arithmetic, Number
from bounds.arithmetic.ball import BALL
from bounds.enclosure import Truth, as_fmpq, at_most
from bounds.model import Formula
from bounds.quantities import Quantities


def chi_square(A: Arithmetic, degrees: Number, failure: Number) -> Number:
    """What a chi-square variable exceeds with this probability."""
    return 2 * A.gamma_quantile(degrees * A.ratio(1, 2), failure)


def all_directions(q: Quantities, A: Arithmetic) -> Number:
    """Of a vector of independent standard normal entries, one per feature."""
    return chi_square(A, q.features, q.gamma)


def along(q: Quantities, A: Arithmetic) -> Number:
    """Of one standard normal entry, at half of gamma."""
    return A.normal_max_quantile(A.ratio(1), q.gamma / 2) ** 2


def across(q: Quantities, A: Arithmetic) -> Number:
    """Of the entries in all other directions, at half of gamma."""
    return chi_square(A, q.features - 1, q.gamma / 2)


class _Exact:
    """Quantities whose fractions are rationals of the ball arithmetic."""

    def __init__(self, q: Quantities) -> None:
        self._q = q

    def __getattr__(self, name: str) -> Number:
        value = getattr(self._q, name)
        return as_fmpq(value) if isinstance(value, Fraction) else value


def exceeds(larger: Formula, smaller: Formula) -> Callable[[Quantities], bool]:
    """Whether one formula is certainly larger than another; in doubt it is not."""

    def holds(q: Quantities) -> bool:
        exact = _Exact(q)
        return at_most(larger(exact, BALL), smaller(exact, BALL)) is Truth.FALSE  # type: ignore[arg-type]

    return holds
