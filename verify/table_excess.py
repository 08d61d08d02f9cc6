"""How much worse one model is than another on a table, in ball arithmetic: at most its excess within a norm.

The table is read directly: for studies and claims, not private.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from operator import mul

from flint import arb

from bounds.certify.loss_balls import LossOnBalls
from bounds.enclosure import Enclosure, precision
from bounds.errors import ParameterError

Model = Sequence[Fraction]
BITS = 96
"""Precision of the balls in which losses are added up."""


@dataclass(frozen=True, kw_only=True)
class Records:
    """The table itself: records as integers y f over `one`, and how often each occurs."""

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


def excess_on(
    table: Records, model: Model, better: Model, *, tau: Fraction, squared_norm: int, loss: str = "logistic"
) -> Enclosure:
    """By how much the mean loss of `better` is below that of the model: at most the excess within norm tau.

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
