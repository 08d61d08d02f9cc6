"""The largest mean absolute deviation of a binomial share, in closed form.

Proof: docs/proofs/zhou2024.bernstein-lipschitz.md.
"""

from __future__ import annotations

from bounds.arithmetic import Arithmetic, Number


def middle(degree: Number, A: Arithmetic) -> Number:
    """The count at which the mean deviation is largest."""
    return A.ceil((degree + 1) * A.ratio(1, 2))


def mean_deviation(degree: Number, count: Number, A: Arithmetic) -> Number:
    """max over u of E|Bin(D, u)/D - u|, by De Moivre's formula at its largest value."""
    rest = degree + 1 - count
    binomial = A.gamma(degree + 1) / (A.gamma(count + 1) * A.gamma(rest))
    return 2 * count / degree * binomial * A.power(count / (degree + 1), count) * A.power(rest / (degree + 1), rest)
