"""The public part of a release of floors, before any record is seen: features, loss, norms, budget, noise.

A floor is the least mean loss of linear models up to a norm. All floors get the same noise, so each has a share of the
budget in proportion to the square of how far one record moves it; label counts, which give the loss of constants, get a
hundredth. Proof: docs/proofs/synthbounds.excess-query.md.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any

from bounds.errors import ParameterError
from bounds.privacy.ledger import Ledger
from release.data.schema import Schema
from release.files.digest import digest_of
from release.noise.kinds import Mode, Noise
from release.reserving import QUERY, ReservingPlan
from release.statistics.features import FeatureMap
from release.statistics.label_counts import LABEL_SHARE, LabelCounts
from release.statistics.least_loss import LeastLoss
from release.statistics.linear_class import LinearClass
from release.statistics.question import Questions
from release.statistics.statistic import Statistic

FLOORS = "floors"
MOST_NORMS = 50


@dataclass(frozen=True, kw_only=True)
class FloorPlan(ReservingPlan):
    """Features, norms, privacy and noise of floors; `ledger` is in mu^2, with what is kept for a query."""

    feature_map: FeatureMap
    loss: str
    taus: tuple[Fraction, ...]
    """Norms, in increasing order."""
    mode: Mode
    ledger: Ledger
    stated_size: int
    """n under replace-one, where it is public; under add-remove the public least size."""
    seed: int | None = None
    run: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.taus) <= MOST_NORMS or list(self.taus) != sorted(set(self.taus)):
            raise ParameterError("tau", "these", f"1 to {MOST_NORMS} different norms in increasing order")
        for floor in self.floors:
            floor.require_size(self.stated_size)

    @property
    def schema(self) -> Schema:
        return self.feature_map.schema

    @cached_property
    def floors(self) -> tuple[LeastLoss, ...]:
        """One question per norm."""
        return tuple(LeastLoss(LinearClass(feature_map=self.feature_map, loss=self.loss, tau=tau)) for tau in self.taus)

    @cached_property
    def questions(self) -> Questions:
        """All floors, with the same deviation, and counts of labels last."""
        labels = LabelCounts(
            self.schema,
            self.feature_map.label,
            self.feature_map.require_two_values("floors are for losses of a label +1 or -1"),
        )
        moved = [floor.compared.moved(self.adjacency) ** 2 for floor in self.floors]
        shares = [(1 - LABEL_SHARE) * part / sum(moved) for part in moved]
        return Questions((*self.floors, labels), (*shares, LABEL_SHARE))

    @property
    def noise(self) -> Noise:
        return self.questions.noise(self.own_cost, self.mode)

    @property
    def statistic(self) -> Statistic:
        from release.scores.planned import all_codes, counted
        from release.statistics.question import Asked

        return Statistic(
            text=self.questions.text,
            count=self.questions.count,
            sensitivity=self.questions.sensitivity(self.adjacency),
            of=lambda source: counted(self.questions, Asked(all_codes(source))),
        )

    @property
    def kept_as(self) -> str:
        public = {**self.header(), "budget": [str(self.mu_squared), str(self.mu_squared_reserved)]}
        return f"{QUERY} of floors {digest_of(public)[:32]}"

    def header(self) -> dict[str, Any]:
        """The public fields around the numbers, from which an interrupted release can be finished."""
        return {
            "kind": FLOORS,
            "mode": self.mode,
            "adjacency": self.adjacency.value,
            "stated_size": self.stated_size,
            "loss": self.loss,
            "tau": [str(tau) for tau in self.taus],
            "schema": self.schema.to_json(),
            "feature_map": self.feature_map.to_json(),
        }

    def public(self) -> dict[str, Any]:
        """All fields, for the release of this plan."""
        return {f.name: getattr(self, f.name) for f in fields(FloorPlan)}
