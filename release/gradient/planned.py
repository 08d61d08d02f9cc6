"""What is decided about a query for a gradient before the data are asked: the model, the line, the noise, what pays.

A plan has no sums: it can be reasoned about, but never be taken or written for an answer.
Proof: docs/proofs/synthbounds.gradient-query.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any

from bounds.certify.gradient_sensitivity import gradient_sensitivity
from bounds.errors import ParameterError, UsageError
from bounds.exact import root_at_least
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.sensitivity import l2_sensitivity
from bounds.privacy.statements import GaussianDP
from release.files.digest import digest_of
from release.moments.planned import OPEN, SPENT, MomentPlan
from release.noise.kinds import Mode, Noise
from release.noise.randomness import read_randomness
from release.statistics.features import FeatureMap
from release.statistics.gradients import SLOPE_BITS, FixedSlopes, norm_squared, slope_sums
from release.statistics.statistic import Statistic

MOST_ROUNDS = 16
NEXT = "the next query"
"""The entry of what the query after this one took."""


@dataclass(frozen=True, kw_only=True)
class GradientPlan:
    """A query at one model that has been decided on. `ledger` holds what is kept for it and for the next one."""

    feature_map: FeatureMap
    mode: Mode
    stated_size: int
    """n under replace-one; under add-remove the public least size."""
    release_id: str | None
    """The reservation that pays, a digest of the release; None where the release itself is only planned."""
    previous: str | None
    """Digest of the query before, where this one is paid for by what that one left."""
    round: int
    coefficients: tuple[Fraction, ...]
    loss: str
    offset: Fraction
    slope: Fraction
    ledger: Ledger
    mu_squared: Fraction
    """Spent by this query, of the ledger's total."""
    seed: int | None = None
    run: int | None = None

    @property
    def adjacency(self) -> Adjacency:
        return self.ledger.adjacency

    @property
    def mu_squared_left(self) -> Fraction:
        """Left by this query, whether the next one has taken it or not."""
        return self.ledger.total - self.mu_squared

    @property
    def left_state(self) -> str | None:
        """open or spent; None where nothing is left."""
        if not self.mu_squared_left:
            return None
        return SPENT if any(entry.what == NEXT for entry in self.ledger.entries) else OPEN

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
            cost=GaussianDP(mu_squared=self.mu_squared, adjacency=self.adjacency),
            mode=self.mode,
        )

    @property
    def unit(self) -> int:
        """Sums are integers over this."""
        return self.feature_map.one << SLOPE_BITS

    @property
    def is_simulated(self) -> bool:
        return self.mode == "simulate"

    @property
    def identity(self) -> str | None:
        """By which the next query knows this one; a plan is not known."""
        return None

    @cached_property
    def model_digest(self) -> str:
        return model_digest(self.feature_map, self.coefficients, self.loss)

    def public(self) -> dict[str, Any]:
        """All fields, for the answer to this plan."""
        return {f.name: getattr(self, f.name) for f in fields(GradientPlan)}


def plan_gradient(
    release: MomentPlan,
    coefficients: Sequence[Fraction],
    *,
    loss: str = "logistic",
    offset: Fraction = Fraction(0),
    slope: Fraction = Fraction(0),
    part: Fraction = Fraction(1),
    previous: GradientPlan | None = None,
    seed: int | None = None,
    run: int = 0,
) -> GradientPlan:
    """All of a query but its answer: every check is made before a record is seen."""
    read_randomness(release.mode, seed=seed, run=run)
    if not 0 < part <= 1:
        raise ParameterError("part", part, "greater than 0 and at most 1", "a share of what is kept")
    release.require_plausible_size()
    kept, this_round = _kept(release, previous)
    left = kept * (1 - part)
    if left and this_round == MOST_ROUNDS:
        raise ParameterError("part", part, "1", f"there are at most {MOST_ROUNDS} rounds")
    simulated = release.is_simulated
    planned = GradientPlan(
        feature_map=release.feature_map,
        mode=release.mode,
        stated_size=release.stated_size,
        release_id=release.reservation_id,
        previous=None if previous is None else previous.identity,
        round=this_round,
        coefficients=tuple(Fraction(value) for value in coefficients),
        loss=loss,
        offset=Fraction(offset),
        slope=Fraction(slope),
        ledger=Ledger.of(GaussianDP(mu_squared=kept, adjacency=release.adjacency)),
        mu_squared=kept * part,
        seed=seed if simulated else None,
        run=run if simulated else None,
    )
    _ = planned.deviation  # a model that cannot be asked about is refused here
    return planned


def _kept(release: MomentPlan, previous: GradientPlan | None) -> tuple[Fraction, int]:
    """The mu^2 that may be spent, and the number of the query."""
    if previous is None:
        require_open(release.reservation_state, "nothing is reserved", "is spent; another query needs another budget")
        return release.mu_squared_reserved, 1
    if previous.release_id != release.reservation_id:
        raise UsageError("previous: this query belongs to another release")
    if release.reservation_state != SPENT:
        raise UsageError(
            "reservation: is open although a query has used it; take the release file that was written then"
        )
    require_open(previous.left_state, "the query before left nothing", "what the query before left is spent")
    return previous.mu_squared_left, previous.round + 1


def require_open(state: str | None, nothing: str, spent: str) -> None:
    if state is None:
        raise UsageError(f"reservation: {nothing}")
    if state != OPEN:
        raise UsageError(f"reservation: {spent}")


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
