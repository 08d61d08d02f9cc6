"""The answer to one planned query: a noisy gradient at one model, and its file.

The answer says which release and which model it belongs to, what it cost and how much noise it carries; a digest
protects it. What it proves is in mechanisms.models.confirm.prove.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from release.files.fields import integer_json
from release.gradient.planned import GradientPlan
from release.moments.file import NOISE_LAW
from release.query.file import Query


@dataclass(frozen=True, kw_only=True)
class GradientQuery(GradientPlan, Query):
    """A noisy sum of slopes times features at one model, with everything needed to use it; see `ask_gradient`."""

    sums: tuple[int, ...]

    def content(self) -> dict[str, Any]:
        return {
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
            "sums": [integer_json(value) for value in self.sums],
        }
