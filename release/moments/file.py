"""A private release of moments: noisy sums with everything that is needed to use them, and its file.

The object says what was measured, how much noise it carries, which privacy that costs and what is left. Its file is
JSON that explains itself; a digest over everything else shows that it has not been changed. How a release is made is
in release.moments.make, how a file is read and checked in release.moments.read.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from bounds.enclosure import decimal_text
from bounds.errors import DataError, UsageError
from bounds.privacy.adjacency import Adjacency
from release.moments.budget import (
    MULTIPLICITIES,
    Budget,
    NoiseDeviations,
    noise_deviations,
    root_at_least,
    squared_sensitivity,
)
from release.noise.kinds import NOT_A_RELEASE, Mode
from release.statistics.features import FeatureMap, canonical_json

VERSION = 1
MOMENTS = "moments"
OPEN, SPENT = "open", "spent"
LARGEST_JSON_INTEGER = 2**53
NOISE_LAW = "independent Gaussian variables of these standard deviations, each rounded to the nearest integer"


_DOUBTLESS = 10
"""Deviations of the noise that chance does not explain."""


@dataclass(frozen=True, kw_only=True)
class MomentRelease:
    """Noisy integer sums of moments with their feature map, noise and budget; make it with `make_release`."""

    feature_map: FeatureMap
    mode: Mode
    budget: Budget
    stated_size: int
    """n under replace-one, where it is public; under add-remove the public least size."""
    weight: Fraction
    fourth_weight: Fraction | None
    first_sums: tuple[int, ...]
    second_sums: tuple[tuple[int, ...], ...]
    """Row j holds the products of feature j with itself and all later ones."""
    fourth_sums: tuple[int, ...] | None
    """In the order of release.statistics.moments.fourth_indices."""
    seed: int | None = None
    run: int | None = None
    reservation_state: str | None = None
    """open or spent; None where nothing is reserved."""

    @property
    def adjacency(self) -> Adjacency:
        return self.budget.adjacency

    @property
    def is_simulated(self) -> bool:
        return self.mode == "simulate"

    @cached_property
    def squared_sensitivity(self) -> Fraction:
        return squared_sensitivity(self.adjacency, weight=self.weight, fourth_weight=self.fourth_weight)

    @cached_property
    def deviations(self) -> NoiseDeviations:
        """Standard deviations of the noise on the integer sums."""
        return noise_deviations(
            self.feature_map,
            self.budget,
            squared=self.squared_sensitivity,
            weight=self.weight,
            fourth_weight=self.fourth_weight,
        )

    @property
    def size_is_exact(self) -> bool:
        """Whether `size` is the number of records."""
        return self.adjacency is Adjacency.REPLACE_ONE

    @cached_property
    def size(self) -> int:
        """What sums are divided by: n, or under add-remove the noisy count, but not less than the least size."""
        if self.size_is_exact:
            return self.stated_size
        return max(self.stated_size, round(Fraction(self.second_sums[-1][0], self.feature_map.one**2)))

    def require_plausible_size(self) -> None:
        """Refuse a least size that the noisy count contradicts: bounds that rest on it would be false."""
        if self.size_is_exact:
            return
        one = self.feature_map.one**2
        most = Fraction(self.second_sums[-1][0], one) + _DOUBTLESS * self.deviations.second_diagonal / one
        if most < self.stated_size:
            raise DataError(
                f"release: least_size = {self.stated_size}: the noisy count says that the table has at most about "
                f"{max(int(most), 0)} records; nothing can be certified from it"
            )

    @cached_property
    def first(self) -> tuple[Fraction, ...]:
        """Noisy means of y f."""
        unit = self.size * self.feature_map.one
        return tuple(Fraction(value, unit) for value in self.first_sums)

    @cached_property
    def second(self) -> tuple[tuple[Fraction, ...], ...]:
        """Noisy means of f f', the whole symmetric matrix."""
        unit, p = self.size * self.feature_map.one**2, self.feature_map.size
        upper = [[Fraction(value, unit) for value in row] for row in self.second_sums]
        return tuple(tuple(upper[min(i, j)][abs(i - j)] for j in range(p)) for i in range(p))

    @cached_property
    def fourth(self) -> tuple[Fraction, ...] | None:
        """Noisy means of products of four features, in the order of release.statistics.moments.fourth_indices."""
        if self.fourth_sums is None:
            return None
        unit = self.size * self.feature_map.one**4
        return tuple(Fraction(value, unit) for value in self.fourth_sums)

    # Noise of the means in units of x = f / sqrt(P), without the rounding: upper bounds, since roots are rounded up.

    @cached_property
    def noise_first(self) -> Fraction:
        """Standard deviation of every coordinate of the mean of y x."""
        return self._in_ball(self.deviations.first**2, 1)

    @cached_property
    def noise_second(self) -> Fraction:
        """s such that the mean of x x' has deviations of at most s on the diagonal and s / sqrt 2 off it."""
        return self._in_ball(max(self.deviations.second_diagonal**2, 2 * self.deviations.second_off_diagonal**2), 2)

    @cached_property
    def noise_fourth(self) -> Fraction | None:
        """s such that a product of four that stands m times in the tensor has a deviation of at most s / sqrt m."""
        if self.deviations.fourth is None:
            return None
        return self._in_ball(max(m * sd**2 for m, sd in zip(MULTIPLICITIES, self.deviations.fourth, strict=True)), 4)

    def _in_ball(self, variance: Fraction, degree: int) -> Fraction:
        unit = self.size * self.feature_map.one**degree
        return root_at_least(variance / unit**2 / self.feature_map.squared_norm**degree)

    # Rounding of the noise to the lattice: at most half a step for each entry of the means of f.

    @property
    def grid_first(self) -> Fraction:
        return Fraction(1, 2 * self.size * self.feature_map.one)

    @property
    def grid_second(self) -> Fraction:
        return Fraction(1, 2 * self.size * self.feature_map.one**2)

    @property
    def grid_fourth(self) -> Fraction:
        return Fraction(1, 2 * self.size * self.feature_map.one**4)

    @property
    def reservation_id(self) -> str | None:
        """Names the budget that is kept, whether it is open or spent: a digest of the release itself."""
        return None if self.reservation_state is None else _digest(self._body(None))[:32]

    @cached_property
    def digest(self) -> str:
        return _digest(self._body(self._reservation()))

    def is_named(self, digest: str | None) -> bool:
        """Whether that is the digest of this release, before or after the query that its reservation pays for."""
        states = (None,) if self.reservation_state is None else (OPEN, SPENT)
        return any(replace(self, reservation_state=state).digest == digest for state in states)

    def with_reservation_spent(self) -> MomentRelease:
        """The same release after the one query that its reservation pays for."""
        if self.reservation_state is None:
            raise UsageError("reservation: nothing is reserved; make the release with --reserve")
        if self.reservation_state != OPEN:
            raise UsageError("reservation: is spent; another query needs another budget")
        return replace(self, reservation_state=SPENT)

    def to_json(self) -> dict[str, Any]:
        """The JSON object that `release_of` reads back."""
        return {**self._body(self._reservation()), "digest": self.digest}

    def _reservation(self) -> dict[str, str] | None:
        if self.reservation_state is None or self.reservation_id is None:
            return None
        kept = str(self.budget.mu_squared_reserved)
        return {"mu_squared": kept, "state": self.reservation_state, "id": self.reservation_id}

    def _body(self, reservation: dict[str, str] | None) -> dict[str, Any]:
        budget = self.budget
        size = "n" if self.size_is_exact else "least_size"
        found: dict[str, Any] = {
            "synthbounds_release": VERSION,
            "kind": MOMENTS,
            "mode": self.mode,
            "stamp": NOT_A_RELEASE if self.is_simulated else None,
            "statistic": statistic_text(self.feature_map.bits, fourth=self.fourth_weight is not None),
            "adjacency": self.adjacency.value,
            size: self.stated_size,
            "weight": str(self.weight),
            "fourth_weight": None if self.fourth_weight is None else str(self.fourth_weight),
            "sensitivity": {
                "norm": "L2",
                "squared": str(self.squared_sensitivity),
                "decimal": decimal_text(root_at_least(self.squared_sensitivity, 20), 12, up=True),
            },
            "noise": _noise_json(self.deviations),
            "budget": {
                "epsilon": str(budget.epsilon),
                "dp_delta": str(budget.dp_delta),
                "mu_squared": str(budget.mu_squared),
                "mu_squared_spent": str(budget.mu_squared_spent),
                "reserve": str(budget.reserve),
                "reservation": reservation,
            },
            "schema": self.feature_map.schema.to_json(),
            "feature_map": self.feature_map.to_json(),
            "first": [_json_integer(value) for value in self.first_sums],
            "second": [[_json_integer(value) for value in row] for row in self.second_sums],
        }
        if self.fourth_sums is not None:
            found["fourth"] = [_json_integer(value) for value in self.fourth_sums]
        return found | ({"seed": str(self.seed), "run": str(self.run)} if self.is_simulated else {})


def release_text(release: MomentRelease) -> str:
    """The file: one field a line, and one row of the second moments a line."""
    lines = []
    for key, value in release.to_json().items():
        if key == "second":
            rows = ",\n".join(f"    {json.dumps(row)}" for row in value)
            lines.append(f'  "second": [\n{rows}\n  ]')
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def statistic_text(bits: int, *, fourth: bool) -> str:
    """What the integers of a release are, in one sentence."""
    more = f", of products of four features over 2^{4 * bits} (indices in increasing order)" if fourth else ""
    return (
        f"sums over all records of label times feature over 2^{bits}, of products of two features over 2^{2 * bits} "
        f"(upper triangle){more}; each with noise"
    )


def _noise_json(deviations: NoiseDeviations) -> dict[str, Any]:
    found: dict[str, Any] = {
        "law": NOISE_LAW,
        "first": str(deviations.first),
        "second_diagonal": str(deviations.second_diagonal),
        "second_off_diagonal": str(deviations.second_off_diagonal),
    }
    if deviations.fourth is not None:
        by_multiplicity = zip(MULTIPLICITIES, deviations.fourth, strict=True)
        found["fourth"] = {f"multiplicity_{m}": str(sd) for m, sd in by_multiplicity}
    return found


def _json_integer(value: int) -> int | str:
    """A JSON number up to 2^53, decimal text above."""
    return value if abs(value) <= LARGEST_JSON_INTEGER else str(value)


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(canonical_json(body).encode()).hexdigest()
