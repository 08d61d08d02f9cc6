"""One planned query to the holder of the data: the noisy gradient of the real risk at a model that was fixed before.

It is paid for by the reservation of a release of moments, in full or in part; what is left pays for a second one. The
answer says which release and which model it belongs to, what it cost and how much noise it carries; a digest protects
it. In release mode noise comes from the exact sampler alone. What the answer proves is in
mechanisms.models.confirm.prove. Proof: docs/proofs/synthbounds.gradient-query.md.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bounds.certify.gradient_sensitivity import gradient_sensitivity
from bounds.errors import DataError, ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from release.moments.budget import root_at_least
from release.moments.file import LARGEST_JSON_INTEGER, NOISE_LAW, OPEN, SPENT, MomentRelease
from release.noise.kinds import NOT_A_RELEASE, Mode
from release.statistics.features import FeatureMap, canonical_json
from release.statistics.gradients import SLOPE_BITS, FixedSlopes, norm_squared, slope_sums

if TYPE_CHECKING:
    from release.data.domain import Codes

VERSION = 1
GRADIENT = "gradient"
MOST_ROUNDS = 16


@dataclass(frozen=True, kw_only=True)
class GradientQuery:
    """A noisy sum of slopes times features at one model, with all that is needed to use it; see `ask_gradient`."""

    feature_map: FeatureMap
    mode: Mode
    adjacency: Adjacency
    stated_size: int
    """n under replace-one; under add-remove the public least size."""
    release_id: str
    """The reservation that pays; it is a digest of the release."""
    previous: str | None
    """Digest of the query before, where this one is paid for by what that one left."""
    round: int
    coefficients: tuple[Fraction, ...]
    loss: str
    offset: Fraction
    slope: Fraction
    mu_squared: Fraction
    """Spent by this query."""
    mu_squared_left: Fraction
    left_state: str | None
    """open or spent; None where nothing is left."""
    sums: tuple[int, ...]
    seed: int | None = None
    run: int | None = None

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
    def unit(self) -> int:
        """Sums are integers over this."""
        return self.feature_map.one << SLOPE_BITS

    @property
    def is_simulated(self) -> bool:
        return self.mode == "simulate"

    @cached_property
    def model_digest(self) -> str:
        return model_digest(self.feature_map, self.coefficients, self.loss)

    @cached_property
    def identity(self) -> str:
        """A digest of the answer itself, whether what it left is open or spent."""
        return _digest(self._body(None))

    @cached_property
    def digest(self) -> str:
        return _digest(self._body(self.left_state))

    def with_rest_spent(self) -> GradientQuery:
        """The same answer after the query that its rest pays for."""
        _require_open(self.left_state, "this query left nothing", "what this query left is spent")
        return replace(self, left_state=SPENT)

    def to_json(self) -> dict[str, Any]:
        """The JSON object that release.gradient.read reads back."""
        return {**self._body(self.left_state), "digest": self.digest}

    def _body(self, left_state: str | None) -> dict[str, Any]:
        size = "n" if self.adjacency is Adjacency.REPLACE_ONE else "least_size"
        found: dict[str, Any] = {
            "synthbounds_query": VERSION,
            "kind": GRADIENT,
            "mode": self.mode,
            "stamp": NOT_A_RELEASE if self.is_simulated else None,
            "statistic": (
                "sums over all records of (phi'(m) + offset - slope m) y feature, m = y coefficients.features, "
                f"over 2^{self.feature_map.bits + SLOPE_BITS}; each with noise"
            ),
            "adjacency": self.adjacency.value,
            size: self.stated_size,
            "release": self.release_id,
            "previous": self.previous,
            "round": self.round,
            "feature_map": self.feature_map.digest,
            "model": {
                "digest": self.model_digest,
                "loss": self.loss,
                "coefficients": [str(value) for value in self.coefficients],
            },
            "offset": str(self.offset),
            "slope": str(self.slope),
            "sensitivity": {"norm": "L2", "value": str(self.sensitivity)},
            "noise": {"law": NOISE_LAW, "deviation": str(self.deviation)},
            "budget": {
                "mu_squared": str(self.mu_squared),
                "left": str(self.mu_squared_left),
                "left_state": left_state,
            },
            "sums": [value if abs(value) <= LARGEST_JSON_INTEGER else str(value) for value in self.sums],
        }
        return found | ({"seed": str(self.seed), "run": str(self.run)} if self.is_simulated else {})


@dataclass(frozen=True, kw_only=True)
class Booking:
    """A query and, beside it, what paid for it, now marked as spent: keep these in place of the old ones."""

    query: GradientQuery
    release: MomentRelease
    previous: GradientQuery | None


def ask_gradient(
    records: Codes | Iterable[Codes],
    release: MomentRelease,
    coefficients: Sequence[Fraction],
    *,
    loss: str = "logistic",
    offset: Fraction = Fraction(0),
    slope: Fraction = Fraction(0),
    part: Fraction = Fraction(1),
    previous: GradientQuery | None = None,
    seed: int | None = None,
    run: int = 0,
) -> Booking:
    """Ask for the gradient at a model; noise is drawn once, and the budget is spent whether or not it is used.

    `part` is the share of the reservation, or of what `previous` left, that this query spends. The mode is that of the
    release. Records are codes of its schema, at once or in batches; they must be those of the release.
    """
    plan = plan_gradient(
        release, coefficients, loss=loss, offset=offset, slope=slope, part=part, previous=previous, seed=seed, run=run
    )
    exact = slope_sums(records, plan.slopes)
    if plan.adjacency is Adjacency.REPLACE_ONE and exact.n != plan.stated_size:
        raise DataError(f"the table does not have the {plan.stated_size} rows of the release")
    noise = _noise(plan)
    query = replace(plan, sums=tuple(value + more for value, more in zip(exact.sums, noise, strict=True)))
    if previous is None:
        return Booking(query=query, release=release.with_reservation_spent(), previous=None)
    return Booking(query=query, release=release, previous=previous.with_rest_spent())


def plan_gradient(
    release: MomentRelease,
    coefficients: Sequence[Fraction],
    *,
    loss: str = "logistic",
    offset: Fraction = Fraction(0),
    slope: Fraction = Fraction(0),
    part: Fraction = Fraction(1),
    previous: GradientQuery | None = None,
    seed: int | None = None,
    run: int = 0,
) -> GradientQuery:
    """All of a query but its answer, whose sums are 0 here: every check is made before a record is seen."""
    if release.is_simulated and seed is None:
        raise UsageError("seed is missing: a simulation records its seed")
    if not release.is_simulated and (seed is not None or run != 0):
        raise UsageError("seed is for --mode simulate: a release takes its randomness from the operating system")
    if not 0 < part <= 1:
        raise ParameterError("part", part, "greater than 0 and at most 1", "a share of what is kept")
    release.require_plausible_size()
    kept, this_round = _kept(release, previous)
    left = kept * (1 - part)
    if left and this_round == MOST_ROUNDS:
        raise ParameterError("part", part, "1", f"there are at most {MOST_ROUNDS} rounds")
    release_id = release.reservation_id
    assert release_id is not None
    planned = GradientQuery(
        feature_map=release.feature_map,
        mode=release.mode,
        adjacency=release.adjacency,
        stated_size=release.stated_size,
        release_id=release_id,
        previous=None if previous is None else previous.identity,
        round=this_round,
        coefficients=tuple(Fraction(value) for value in coefficients),
        loss=loss,
        offset=Fraction(offset),
        slope=Fraction(slope),
        mu_squared=kept * part,
        mu_squared_left=left,
        left_state=OPEN if left else None,
        sums=(0,) * release.feature_map.size,
        seed=seed if release.is_simulated else None,
        run=run if release.is_simulated else None,
    )
    _ = planned.deviation  # a model that cannot be asked about is refused here
    return planned


def _kept(release: MomentRelease, previous: GradientQuery | None) -> tuple[Fraction, int]:
    """The mu^2 that may be spent, and the number of the query."""
    if previous is None:
        _require_open(release.reservation_state, "nothing is reserved", "is spent; another query needs another budget")
        return release.budget.mu_squared_reserved, 1
    if previous.release_id != release.reservation_id:
        raise UsageError("previous: this query belongs to another release")
    if release.reservation_state != SPENT:
        raise UsageError(
            "reservation: is open although a query has used it; take the release file that was written then"
        )
    _require_open(previous.left_state, "the query before left nothing", "what the query before left is spent")
    return previous.mu_squared_left, previous.round + 1


def _require_open(state: str | None, nothing: str, spent: str) -> None:
    if state is None:
        raise UsageError(f"reservation: {nothing}")
    if state != OPEN:
        raise UsageError(f"reservation: {spent}")


def _noise(plan: GradientQuery) -> list[int]:
    count = plan.feature_map.size
    if plan.mode == "release":
        from release.noise.rounded_gaussian import rounded_gaussian

        return rounded_gaussian(plan.deviation, count)
    from release.noise.simulated import standard_gaussian

    assert plan.seed is not None
    assert plan.run is not None
    # The release of the same seed and run has the stream of round 0: noise must be independent of it.
    standard = standard_gaussian(count, seed=plan.seed + (plan.round << 64), run=plan.run)
    return [round(float(plan.deviation) * z) for z in standard]


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
    return _digest(said)


def query_text(query: GradientQuery) -> str:
    """The file: one field a line."""
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in query.to_json().items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(canonical_json(body).encode()).hexdigest()
