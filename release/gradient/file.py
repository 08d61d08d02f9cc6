"""The answer to one planned query: a noisy gradient at one model, what paid for it, what it left, and its file.

The answer says which release and which model it belongs to, what it cost and how much noise it carries; a digest
protects it. What it proves is in mechanisms.models.confirm.prove.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from bounds.privacy.ledger import Ledger
from release.files.digest import digest_of
from release.files.fields import integer_json
from release.gradient.planned import NEXT, GradientPlan, require_open
from release.moments.file import NOISE_LAW
from release.private_release import VERSION, Release, size_field, stamp_of

GRADIENT = "gradient"


@dataclass(frozen=True, kw_only=True)
class GradientQuery(GradientPlan, Release):
    """A noisy sum of slopes times features at one model, with all that is needed to use it; see `ask_gradient`."""

    KIND: ClassVar[str] = GRADIENT

    sums: tuple[int, ...]

    @property
    def cost(self) -> Ledger:
        return self.ledger

    @cached_property
    def identity(self) -> str:
        """A digest of the answer itself, whether what it left is open or spent."""
        return digest_of(self._body(None))

    def with_rest_spent(self) -> GradientQuery:
        """The same answer after the query that its rest pays for."""
        require_open(self.left_state, "this query left nothing", "what this query left is spent")
        return replace(self, ledger=self.ledger.spend(self.ledger.statement(self.ledger.left), NEXT))

    def body(self) -> dict[str, Any]:
        return self._body(self.left_state)

    def _body(self, left_state: str | None) -> dict[str, Any]:
        found: dict[str, Any] = {
            "synthbounds_query": VERSION,
            "kind": GRADIENT,
            "mode": self.mode,
            "stamp": stamp_of(simulated=self.is_simulated),
            "statistic": self.statistic.text,
            "adjacency": self.adjacency.value,
            size_field(self.adjacency): self.stated_size,
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
            "sums": [integer_json(value) for value in self.sums],
        }
        return found | ({"seed": str(self.seed), "run": str(self.run)} if self.is_simulated else {})
