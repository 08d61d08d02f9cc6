"""How often no certificate from a release can be below the excess on another table, in ball arithmetic.

If another table has nearly the same release, a certificate that is right for both must be above the excess of the model
on that other table in a known share of all releases of the first. The share follows from exact sums and deviations. How
the other table was found does not enter. Proof: docs/proofs/synthbounds.certificate-floor.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq
from bounds.exact import require_range
from bounds.solve import enclose


def squared_shift(ours: Sequence[int], others: Sequence[int], deviations: Sequence[Fraction]) -> Fraction:
    """How far the sums of two tables are apart, in standard deviations of their noise, squared."""
    return sum(
        (((a - b) / deviation) ** 2 for a, b, deviation in zip(ours, others, deviations, strict=True)), Fraction(0)
    )


def share_above(*, squared_shift: Fraction, failure: Fraction) -> Enclosure:
    """Phi(z - s): in this share of releases every valid certificate is above the excess on the other table.

    z is the upper quantile of `failure`. For a mechanism of mu-Gaussian privacy and k replaced records s is k mu.
    """
    require_range("squared_shift", squared_shift, squared_shift, least=0)
    require_range("failure", failure, failure, above=0, below=Fraction(1, 2), reason="how often certificates fail")

    def share() -> arb:
        # z sqrt(1/2) = erfcinv(2 failure)
        return ((arb(as_fmpq(squared_shift / 2)).sqrt() - arb(as_fmpq(2 * failure)).erfcinv()).erfc()) / 2

    return enclose(share)
