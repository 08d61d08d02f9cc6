"""What is decided about a query for a gradient before the data are used: the model, the line, the noise, the payment.

A plan has no sums: it can be reasoned about, but never be taken or written for an answer.
Proof: docs/proofs/synthbounds.gradient-query.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from bounds.certify.gradient_sensitivity import gradient_sensitivity
from bounds.exact import root_at_least
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.sensitivity import l2_sensitivity
from release.data.schema import Schema
from release.files.digest import digest_of
from release.moments.planned import MomentPlan
from release.noise.kinds import Noise
from release.query.planned import QueryPlan, plan_payment, public_fields
from release.statistics.features import FeatureMap
from release.statistics.gradients import SLOPE_BITS, FixedSlopes, norm_squared, slope_sums
from release.statistics.statistic import Statistic

GRADIENT = "gradient"


@dataclass(frozen=True, kw_only=True)
class GradientPlan(QueryPlan):
    """A planned query at one model."""

    KIND: ClassVar[str] = GRADIENT

    feature_map: FeatureMap
    coefficients: tuple[Fraction, ...]
    loss: str
    offset: Fraction
    slope: Fraction

    @property
    def schema(self) -> Schema:
        return self.feature_map.schema

    @cached_property
    def slopes(self) -> FixedSlopes:
        return FixedSlopes(self.feature_map, self.coefficients, self.loss, self.offset, self.slope)

    @cached_property
    def sensitivity(self) -> Fraction:
        """How far one record moves the sum of g y x, rounding of g included."""
        return query_sensitivity(self.slopes, self.adjacency)

    @cached_property
    def deviation(self) -> Fraction:
        """Standard deviation of the noise on every integer sum."""
        return query_deviation(self.feature_map, self.sensitivity, self.mu_squared)

    @property
    def statistic(self) -> Statistic:
        return Statistic(
            text=(
                "sums over all records of (phi'(m) + offset - slope m) y feature, m = y coefficients.features, "
                f"over 2^{self.feature_map.bits + SLOPE_BITS}; each with noise"
            ),
            count=self.feature_map.size,
            sensitivity=l2_sensitivity(
                squared=self.sensitivity**2,
                adjacency=self.adjacency,
                n_is_public=self.adjacency is Adjacency.REPLACE_ONE,
                text="sums of slopes times features in the unit ball",
            ),
            of=lambda source: slope_sums(source, self.slopes),
        )

    @property
    def noise(self) -> Noise:
        return Noise(
            kind="rounded-gaussian",
            scales=self.deviation,
            count=self.feature_map.size,
            sensitivity=self.statistic.sensitivity,
            cost=self.price,
            mode=self.mode,
        )

    @property
    def unit(self) -> int:
        """Sums are integers over this."""
        return self.feature_map.one << SLOPE_BITS

    @cached_property
    def model_digest(self) -> str:
        return model_digest(self.feature_map, self.coefficients, self.loss)

    def header(self) -> dict[str, Any]:
        return {
            **self.public_header(),
            "loss": self.loss,
            "coefficients": [str(value) for value in self.coefficients],
            "offset": str(self.offset),
            "slope": str(self.slope),
            "mu_squared": str(self.mu_squared),
        }

    def public(self) -> dict[str, Any]:
        """All fields, for the answer to this plan."""
        return public_fields(self, GradientPlan)


def plan_gradient(
    release: MomentPlan,
    coefficients: Sequence[Fraction],
    *,
    loss: str = "logistic",
    offset: Fraction = Fraction(0),
    slope: Fraction = Fraction(0),
    part: Fraction = Fraction(1),
    previous: QueryPlan | None = None,
    seed: int | None = None,
    run: int = 0,
) -> GradientPlan:
    """Everything in a query but its answer: every check is made before a record is seen."""
    planned = GradientPlan(
        feature_map=release.feature_map,
        coefficients=tuple(Fraction(value) for value in coefficients),
        loss=loss,
        offset=Fraction(offset),
        slope=Fraction(slope),
        **plan_payment(release, part=part, previous=previous, seed=seed, run=run),
    )
    _ = planned.deviation  # a model that cannot be asked about is refused here
    return planned


def query_sensitivity(slopes: FixedSlopes, adjacency: Adjacency) -> Fraction:
    """L2 sensitivity of the sum of g y x with g in fixed point: a record's vector is off by at most the slope error."""
    norm = root_at_least(norm_squared(slopes.feature_map, slopes.coefficients)) if any(slopes.coefficients) else 0
    exact = gradient_sensitivity(
        slopes.loss_name,
        norm=Fraction(norm),
        reach=slopes.reach,
        offset=slopes.offset,
        slope=slopes.slope,
        adjacency=adjacency,
    )
    records = 1 if adjacency is Adjacency.ADD_REMOVE else 2
    return exact.hi + records * slopes.slope_error


def query_deviation(feature_map: FeatureMap, sensitivity: Fraction, mu_squared: Fraction) -> Fraction:
    """Standard deviation on the integer sums for that sensitivity on the scale of x, rounded up."""
    unit = feature_map.one << SLOPE_BITS
    return root_at_least(sensitivity**2 / mu_squared * feature_map.squared_norm * unit**2)


def model_digest(feature_map: FeatureMap, coefficients: Sequence[Fraction], loss: str) -> str:
    """SHA-256 of a model: what its coefficients multiply, the coefficients, the loss."""
    said = {"feature_map": feature_map.digest, "coefficients": [str(Fraction(c)) for c in coefficients], "loss": loss}
    return digest_of(said)
