"""A probability from a share that is known up to an error, by exact binomial bounds and a product of two levels.

Nothing is assumed about the error except that it exceeds its bound with at most some probability, for all records.
Proof: docs/proofs/synthbounds.noisy-proportion.md (i).
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from bounds.inference.noise_laws import NoNoise
from bounds.inference.noisy_count import NoisyCount
from bounds.inference.sampling import kl_interval


def population_from_bound(
    *,
    least: Fraction,
    most: Fraction,
    failure: Fraction,
    n: int,
    n_is_least: bool,
    alpha: Fraction,
    one_sided: bool = False,
) -> tuple[Fraction, Fraction]:
    """An interval around p except with probability alpha; (1 - a)(1 - failure) = 1 - alpha gives bounds of level 1 - a.

    The share of the records is from `least` to `most`, except with probability `failure` for every table of records.
    One-sided, each end fails with alpha, and the bound is needed in one direction. If the bound fails as often as the
    interval may, nothing is left for sampling, and nothing is excluded.
    """
    if failure >= alpha:
        return Fraction(0), Fraction(1)
    each = (1 - (1 - alpha) / (1 - failure)) / (1 if one_sided else 2)
    least, most = max(least, Fraction(0)), min(most, Fraction(1))
    if n_is_least:
        return kl_interval(least=least, most=most, n=n, failure=each)
    lower, upper = max(0, ceil(n * least)), min(n, floor(n * most))
    return (
        NoisyCount(n=n, observed=Fraction(lower), noise=NoNoise()).lower_end(each),
        NoisyCount(n=n, observed=Fraction(upper), noise=NoNoise()).upper_end(each),
    )
