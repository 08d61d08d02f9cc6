"""What no certificate from a release can be below, in ball arithmetic: an excess on another table, and how often.

If another table has nearly the same release, a certificate that is right for both must be above the excess of the model
on that other table in a known share of all releases of the first. The share follows from exact sums and deviations, the
excess from the losses of two models. How the other table was found does not enter. Proof:
docs/proofs/synthbounds.certificate-floor.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from operator import mul

from flint import arb

from bounds.certify.loss_balls import LossOnBalls
from bounds.enclosure import Enclosure, as_fmpq, precision
from bounds.errors import ParameterError
from bounds.exact import require_range
from bounds.solve import enclose

Model = Sequence[Fraction]
BITS = 96
"""Of the balls in which losses are added up."""


@dataclass(frozen=True, kw_only=True)
class Records:
    """A table as its holder sees it: records as integers y f over `one`, and how often each stands there."""

    signed: Sequence[Sequence[int]]
    counts: Sequence[int]
    one: int

    def __post_init__(self) -> None:
        if len(self.signed) != len(self.counts) or min(self.counts, default=0) < 1:
            raise ParameterError("counts", f"{len(self.counts)} of them", "one for each record, each at least 1")

    @property
    def n(self) -> int:
        return sum(self.counts)

    def margins(self, model: Model) -> list[Fraction]:
        """y w.f of every record of the list, exactly."""
        common = lcm(*(c.denominator for c in model))
        whole = [int(c * common) for c in model]
        return [Fraction(sum(map(mul, whole, row)), common * self.one) for row in self.signed]


def squared_shift(ours: Sequence[int], others: Sequence[int], deviations: Sequence[Fraction]) -> Fraction:
    """How far the sums of two tables are apart, in standard deviations of their noise, squared."""
    return sum(
        (((a - b) / deviation) ** 2 for a, b, deviation in zip(ours, others, deviations, strict=True)), Fraction(0)
    )


def share_above(*, squared_shift: Fraction, failure: Fraction) -> Enclosure:
    """Phi(z - s): in so large a share of releases every valid certificate is above the excess on the other table.

    z is the upper quantile of `failure`. For a mechanism of mu-Gaussian privacy and k replaced records s is k mu.
    """
    require_range("squared_shift", squared_shift, squared_shift, least=0)
    require_range("failure", failure, failure, above=0, below=Fraction(1, 2), reason="certificates may fail so often")

    def share() -> arb:
        # z sqrt(1/2) = erfcinv(2 failure)
        return ((arb(as_fmpq(squared_shift / 2)).sqrt() - arb(as_fmpq(2 * failure)).erfcinv()).erfc()) / 2

    return enclose(share)


def excess_on(
    table: Records, model: Model, better: Model, *, tau: Fraction, squared_norm: int, loss: str = "logistic"
) -> Enclosure:
    """By how much the mean loss of `better` is below that of the model: no more than the excess within norm tau.

    Any model of the class may be `better`; the best one of the table makes it the excess itself.
    """
    size = squared_norm * sum((c * c for c in better), Fraction(0))
    if size > tau * tau:
        raise ParameterError(
            "better", f"a model of squared norm {float(size):.12g}", f"at most {float(tau * tau):.12g}"
        )
    ours, theirs = table.margins(model), table.margins(better)
    function = LossOnBalls(loss, max(Fraction(1), *map(abs, ours), *map(abs, theirs)))
    with precision(BITS):
        total = arb(0)
        for count, m, other in zip(table.counts, ours, theirs, strict=True):
            total += count * (function.at(m) - function.at(other))
        return Enclosure.of(total / table.n)
