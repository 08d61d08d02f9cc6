"""A synthetic table that was made from a release: its rows, the release, and what is certified about the rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.shown import Shown
from mechanisms.synth.choose import Choice
from mechanisms.synth.known import Known
from release.cross_moments.file import CrossMoments
from release.data.schema import Schema
from release.log.file import MarginalLog
from release.marginals.file import Marginals

if TYPE_CHECKING:
    from mechanisms.log_rows import RowsFit
    from release.data.domain import Codes
    from release.distance.file import DistanceRelease


@dataclass(frozen=True, kw_only=True, eq=False)
class PrivateTable(Shown):
    """Rows made from a release by a method, and what is known about them."""

    choice: Choice
    """The method, and why."""
    release: CrossMoments | Marginals | MarginalLog
    rows: Codes
    known: Known
    epsilon: Fraction
    dp_delta: Fraction | None
    fit: RowsFit | None
    """How the distribution was fitted; None if columns are independent."""
    distance: DistanceRelease | None = None
    """How far the rows are from the records, if a share of the budget was kept for it."""
    too_few: bool
    """Whether there are fewer records than the public least size; never told about a release."""
    is_redrawn: bool = False
    """Whether the release already existed; then no record was read, and nothing was spent."""

    @property
    def method(self) -> str:
        return self.choice.method

    @property
    def schema(self) -> Schema:
        return self.release.schema

    @property
    def is_simulated(self) -> bool:
        return self.release.is_simulated

    @property
    def k(self) -> int:
        return len(self.rows)

    @property
    def stated_size(self) -> int:
        """n if it is public, else the public least size."""
        return self.release.size if isinstance(self.release, Marginals) else self.release.stated_size

    @property
    def is_spent(self) -> bool:
        """Whether making it cost anything."""
        return not (self.is_simulated or self.is_redrawn)

    @property
    def distinct(self) -> int:
        """Number of distinct rows."""
        import numpy as np

        if self.schema.domain.size < 2**62:
            return len(np.unique(self.schema.domain.numbers(self.rows)))
        return len(np.unique(self.rows, axis=0))
