"""A release of floors: noisy least losses of linear models of several norms and counts of labels, and its file.

It gives anyone simultaneous intervals for all floors, and the least loss of every constant prediction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from bounds.errors import DataError
from release.floors.planned import FLOORS, FloorPlan
from release.moments.file import NOISE_LAW
from release.private_release import VERSION, size_field, stamp_of
from release.reserving import ReservingRelease, size_contradiction


@dataclass(frozen=True, kw_only=True)
class FloorRelease(FloorPlan, ReservingRelease):
    """Noisy floors with everything needed to use them; make it with `make_floors`."""

    KIND: ClassVar[str] = FLOORS
    ROWS: ClassVar[tuple[str, ...]] = ("questions",)

    values: tuple[int, ...]

    @property
    def answers(self) -> tuple[tuple[int, ...], ...]:
        """The noisy integers of every question: one for each floor, and two counts of labels last."""
        return self.questions.split(self.values)

    @property
    def contradiction(self) -> str | None:
        """Why the noisy counts refute the stated least size; None if they do not."""
        if self.size_is_exact:
            return None
        deviation = self.questions.deviations(self.own_cost)[-1]
        return size_contradiction(self.answers[-1], deviation=deviation, least_size=self.stated_size)

    def require_plausible_size(self) -> None:
        """Refuse a least size that the noisy counts contradict: bounds that rest on it would be false."""
        if self.contradiction is not None:
            raise DataError(f"release: {self.contradiction}")

    def _body(self, reservation: dict[str, str] | None) -> dict[str, Any]:
        found: dict[str, Any] = {
            "synthbounds_release": VERSION,
            "kind": FLOORS,
            "mode": self.mode,
            "stamp": stamp_of(simulated=self.is_simulated),
            "statistic": self.statistic.text,
            "adjacency": self.adjacency.value,
            size_field(self.adjacency): self.stated_size,
            "loss": self.loss,
            "tau": [str(tau) for tau in self.taus],
            "noise": {"law": NOISE_LAW},
            "budget": self.budget_json(reservation),
            "schema": self.schema.to_json(),
            "feature_map": self.feature_map.to_json(),
            "questions": self.questions.to_json(self.own_cost, self.values),
        }
        return found | ({"seed": str(self.seed), "run": str(self.run)} if self.is_simulated else {})
