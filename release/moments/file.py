"""A private release of moments: noisy sums with everything needed to use them, and its file.

Releases are made in release.moments.make, files are read and checked in release.moments.read.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from bounds.enclosure import decimal_text
from bounds.errors import DataError
from bounds.exact import root_at_least
from release.files.fields import integer_json
from release.moments.budget import MULTIPLICITIES, NoiseDeviations
from release.moments.planned import MomentPlan
from release.private_release import VERSION, size_field, stamp_of
from release.reserving import DOUBTLESS, ReservingRelease

MOMENTS = "moments"
NOISE_LAW = "independent Gaussian variables of these standard deviations, each rounded to the nearest integer"


@dataclass(frozen=True, kw_only=True)
class MomentRelease(MomentPlan, ReservingRelease):
    """Noisy integer sums of moments with their feature map, noise and budget; make it with `make_release`."""

    KIND: ClassVar[str] = MOMENTS
    ROWS: ClassVar[tuple[str, ...]] = ("second",)

    first_sums: tuple[int, ...]
    second_sums: tuple[tuple[int, ...], ...]
    """Row j holds the products of feature j with itself and all later ones."""
    fourth_sums: tuple[int, ...] | None
    """In the order of release.statistics.moments.fourth_indices."""

    @cached_property
    def size(self) -> int:
        """The divisor of sums: n, or under add-remove the noisy count, but not less than the least size."""
        if self.size_is_exact:
            return self.stated_size
        return max(self.stated_size, round(Fraction(self.second_sums[-1][0], self.feature_map.one**2)))

    def require_plausible_size(self) -> None:
        """Refuse a least size that the noisy count contradicts: bounds that rest on it would be false."""
        if self.size_is_exact:
            return
        one = self.feature_map.one**2
        most = Fraction(self.second_sums[-1][0], one) + DOUBTLESS * self.deviations.second_diagonal / one
        if most < self.stated_size:
            raise DataError(
                f"release: least_size = {self.stated_size}: the noisy count says that the table has at most about "
                f"{max(int(most), 0)} records; nothing can be certified from it"
            )

    @cached_property
    def first(self) -> tuple[Fraction, ...]:
        """Noisy means of y f."""
        unit = self.size * self.feature_map.one * self.feature_map.label_one
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

    def _body(self, reservation: dict[str, str] | None) -> dict[str, Any]:
        found: dict[str, Any] = {
            "synthbounds_release": VERSION,
            "kind": MOMENTS,
            "mode": self.mode,
            "stamp": stamp_of(simulated=self.is_simulated),
            "statistic": self.statistic.text,
            "adjacency": self.adjacency.value,
            size_field(self.adjacency): self.stated_size,
            "weight": str(self.weight),
            "fourth_weight": None if self.fourth_weight is None else str(self.fourth_weight),
            "sensitivity": {
                "norm": "L2",
                "squared": str(self.squared_sensitivity),
                "decimal": decimal_text(root_at_least(self.squared_sensitivity, 20), 12, up=True),
            },
            "noise": _noise_json(self.deviations),
            "budget": self.budget_json(reservation),
            "schema": self.feature_map.schema.to_json(),
            "feature_map": self.feature_map.to_json(),
            "first": [integer_json(value) for value in self.first_sums],
            "second": [[integer_json(value) for value in row] for row in self.second_sums],
        }
        if self.fourth_sums is not None:
            found["fourth"] = [integer_json(value) for value in self.fourth_sums]
        return found | ({"seed": str(self.seed), "run": str(self.run)} if self.is_simulated else {})


def release_text(release: MomentRelease) -> str:
    """The file of a release."""
    return release.to_text()


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
