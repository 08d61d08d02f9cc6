"""One-way tables and cross moments of a table, noisy, with everything needed to use them, and their file.

Releases are made in release.cross_moments.make, files are read and checked in release.cross_moments.read.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from bounds.privacy.ledger import Ledger
from release.cross_moments.planned import ONE_WAY_SHARE, CrossMomentPlan
from release.files.fields import integer_json
from release.private_release import VERSION, Release, size_field, stamp_of
from release.statistics.cross_moments import BITS, split_one_way

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CROSS_MOMENTS = "cross-moments"
STATISTIC = (
    f"counts of every column's codes; sums over all records of products of features of two columns over 2^{2 * BITS}; "
    "each with noise"
)
NOISE_LAW = "independent Gaussian variables of these standard deviations, each rounded to the nearest integer"


@dataclass(frozen=True, kw_only=True)
class CrossMoments(CrossMomentPlan, Release):
    """Noisy integers with their encoding, noise and budget; make it with `release_cross_moments`."""

    KIND: ClassVar[str] = CROSS_MOMENTS
    ROWS: ClassVar[tuple[str, ...]] = ("one_way",)

    one_way_counts: tuple[int, ...]
    cross_sums: tuple[int, ...]
    seed: int | None = None
    run: int | None = None

    @property
    def cost(self) -> Ledger:
        return self.ledger

    @property
    def one_way(self) -> tuple[tuple[int, ...], ...]:
        """The noisy counts, a table for each column."""
        return split_one_way(self.one_way_counts, self.schema)

    @cached_property
    def size(self) -> int:
        """The divisor of sums: n, or under add-remove its estimate by the tables, but not less than the least size."""
        if self.size_is_exact:
            return self.stated_size
        return max(self.stated_size, round(Fraction(sum(self.one_way_counts), len(self.schema.columns))))

    def means(self) -> NDArray[np.float64]:
        """The cross moments as a symmetric matrix of means, in floating point, 0 within a column."""
        import numpy as np

        found = np.zeros((self.encoding.size, self.encoding.size))
        left, right = self.encoding.pairs
        unit = float(self.size) * 4.0**BITS
        found[left, right] = np.array([float(value) for value in self.cross_sums]) / unit
        return found + found.T

    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "synthbounds_release": VERSION,
            "kind": CROSS_MOMENTS,
            "mode": self.mode,
            "stamp": stamp_of(simulated=self.is_simulated),
            "statistic": STATISTIC,
            "adjacency": self.adjacency.value,
            size_field(self.adjacency): self.stated_size,
            "encoding": self.encoding.to_json(),
            "noise": self._noise_json(),
            "budget": {"one_way_share": str(ONE_WAY_SHARE), "ledger": self.ledger.to_json()},
            "schema": self.schema.to_json(),
            "one_way": [[integer_json(value) for value in table] for table in self.one_way],
            "cross": [integer_json(value) for value in self.cross_sums],
        }
        return found | ({"seed": str(self.seed), "run": str(self.run)} if self.is_simulated else {})

    def _noise_json(self) -> dict[str, Any]:
        return {
            "law": NOISE_LAW,
            "one_way": str(self.one_way_deviation),
            "one_way_squared_sensitivity": self.encoding.one_way_squared_sensitivity(self.adjacency),
            "cross": {f"weight_{weight}": str(sd) for weight, sd in self.cross_deviations.items()},
            "cross_squared_sensitivity": self.encoding.cross_squared_sensitivity(self.adjacency),
        }
