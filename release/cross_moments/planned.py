"""The public part of one-way tables and cross moments, before any record is seen: features, budget, noise.

Three tenths of the budget, which is counted in mu^2, go to the one-way tables and the rest to the cross moments. Both
get independent Gaussian noise that is rounded to whole numbers. Proof: docs/proofs/synthbounds.cross-moments.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from flint import fmpq

from bounds.arithmetic.ball import BALL
from bounds.enclosure import as_fmpq
from bounds.exact import root_at_least
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.sensitivity import l2_sensitivity
from bounds.privacy.statements import GaussianDP
from bounds.solve import enclose
from release.account.file import Charge
from release.noise.kinds import Mode, Noise
from release.statistics.cross_moments import TableEncoding

if TYPE_CHECKING:
    from release.data.schema import Schema

ONE_WAY, CROSS = "one-way tables", "cross moments"
ONE_WAY_SHARE = Fraction(3, 10)


@dataclass(frozen=True, kw_only=True)
class CrossMomentPlan:
    """Features, privacy and noise of one-way tables and cross moments; a plan has no numbers."""

    encoding: TableEncoding
    mode: Mode
    ledger: Ledger
    """In mu^2; its reservation is kept for questions about the finished table."""
    stated_size: int
    """n under replace-one, where it is public; under add-remove the public least size."""

    @property
    def schema(self) -> Schema:
        return self.encoding.schema

    @property
    def adjacency(self) -> Adjacency:
        return self.ledger.adjacency

    @property
    def is_simulated(self) -> bool:
        return self.mode == "simulate"

    @property
    def size_is_exact(self) -> bool:
        return self.adjacency is Adjacency.REPLACE_ONE

    @property
    def has_cross_moments(self) -> bool:
        """Products need two columns with features."""
        return sum(weight > 0 for weight in self.encoding.weights) > 1

    @property
    def mu_squared(self) -> Fraction:
        """The joint cost of tables and moments."""
        kept = self.ledger.reserved + sum((e.amount for e in self.ledger.entries if e.reserve), Fraction(0))
        return self.ledger.total - kept

    @property
    def one_way_cost(self) -> GaussianDP:
        share = ONE_WAY_SHARE if self.has_cross_moments else Fraction(1)
        return GaussianDP(mu_squared=self.mu_squared * share, adjacency=self.adjacency)

    @property
    def cross_cost(self) -> GaussianDP:
        return GaussianDP(mu_squared=self.mu_squared * (1 - ONE_WAY_SHARE), adjacency=self.adjacency)

    @property
    def charges(self) -> tuple[Charge, ...]:
        """Everything an account is charged, including what is kept for later: all of it or nothing."""
        found = [Charge(what=ONE_WAY, cost=self.one_way_cost)]
        if self.has_cross_moments:
            found.append(Charge(what=CROSS, cost=self.cross_cost))
        kept = (entry for entry in self.ledger.entries if entry.state == "reserved")
        later = (Charge(what=entry.what, cost=self.ledger.statement(entry.amount)) for entry in kept)
        return (*found, *later)

    @cached_property
    def one_way_deviation(self) -> Fraction:
        """Of every count, before it is rounded."""
        squared = self.encoding.one_way_squared_sensitivity(self.adjacency)
        return root_at_least(squared / self.one_way_cost.mu_squared)

    @cached_property
    def cross_deviations(self) -> dict[int, Fraction]:
        """Of a cross moment, in units of 4^-bits, by the product of its columns' weights."""
        squared = self.encoding.cross_squared_sensitivity(self.adjacency)
        base = squared / self.cross_cost.mu_squared * self.encoding.one**4
        products = {int(weight) for weight in self.encoding.pair_weights}
        return {weight: root_at_least(base / weight**2) for weight in sorted(products)}

    @property
    def one_way_noise(self) -> Noise:
        return Noise(
            kind="rounded-gaussian",
            scales=self.one_way_deviation,
            count=sum(self.schema.domain.sizes),
            sensitivity=l2_sensitivity(
                squared=self.encoding.one_way_squared_sensitivity(self.adjacency),
                adjacency=self.adjacency,
                n_is_public=self.size_is_exact,
                text="counts of all one-way tables",
            ),
            cost=self.one_way_cost,
            mode=self.mode,
        )

    @property
    def cross_noise(self) -> Noise:
        weights = self.encoding.pair_weights
        return Noise(
            kind="rounded-gaussian",
            scales=tuple(self.cross_deviations[int(weight)] for weight in weights),
            count=len(weights),
            sensitivity=l2_sensitivity(
                squared=self.encoding.cross_squared_sensitivity(self.adjacency),
                adjacency=self.adjacency,
                n_is_public=self.size_is_exact,
                text="weighted products of features of different columns, each column's of norm at most 1",
            ),
            cost=self.cross_cost,
            mode=self.mode,
        )

    # Errors of means, on the scale of shares and of features; certified quantiles of the largest noise.

    def one_way_quantile(self, beta: Fraction, *, size: int | None = None) -> Fraction:
        """No share of a one-way table is off by more, except with probability beta; `size` is the divisor of counts."""
        cells = sum(self.schema.domain.sizes)
        return (self._largest(cells, self.one_way_deviation, beta) + Fraction(1, 2)) / (size or self.stated_size)

    def cross_quantile(self, beta: Fraction, *, size: int | None = None) -> Fraction:
        """No mean cross moment is off by more, except with probability beta."""
        if not self.has_cross_moments:
            return Fraction(0)
        largest = self._largest(len(self.encoding.pair_weights), max(self.cross_deviations.values()), beta)
        return (largest + Fraction(1, 2)) / ((size or self.stated_size) * self.encoding.one**2)

    @staticmethod
    def _largest(count: int, deviation: Fraction, beta: Fraction) -> Fraction:
        """A quantile of the largest of this many Gaussian variables; rounding adds at most half a step."""
        number, failure, sd = fmpq(count), as_fmpq(beta), as_fmpq(deviation)
        largest: Fraction = enclose(lambda: sd * BALL.normal_max_quantile(number, failure)).hi
        return largest
