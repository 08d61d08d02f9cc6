"""The result of an improvement: weights for rows, rows taken by weight, how near they are to the release, warnings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from bounds.listing import listed
from bounds.shown import Shown
from mechanisms.improve.ask import Wish
from mechanisms.improve.cost import Cost
from mechanisms.improve.weights import LEAST_EFFECTIVE, Fitted
from release.cross_moments.file import CrossMoments
from release.data.tables import printable
from release.log.file import MarginalLog
from release.marginals.file import Marginals
from release.moments.file import MomentRelease

if TYPE_CHECKING:
    from mechanisms.projection.statistics import Floats, Places
    from release.data.domain import Codes

Source: TypeAlias = MomentRelease | Marginals | MarginalLog | CrossMoments
SOURCES = (MomentRelease, Marginals, MarginalLog, CrossMoments)
_MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True)
class Residual:
    """One statistic and its residual for weighted rows."""

    name: str
    absolute: float
    deviations: float
    """The residual in deviations of the noise."""

    @property
    def text(self) -> str:
        return f"{printable(self.name)} (off by {self.absolute:.3g}, {self.deviations:,.1f} deviations of the noise)"


@dataclass(frozen=True, kw_only=True, eq=False)
class Improvement(Shown):
    """All numbers but the cost are estimates: they compare weights with noisy statistics, and prove nothing."""

    release: Source
    wish: Wish
    cost: Cost
    weights: Floats
    """One weight for every row, in the order of the table; they add up to the number of rows."""
    chosen: Places
    """The rows that were taken, some of them more than once, in the order of the table."""
    codes: Codes
    """The table, as codes of the release's schema."""
    fitted: Fitted
    points: int
    """Number of rows that the release can tell apart."""
    statistics: int
    """Number of statistics that were fitted."""
    offered: int
    """Number of statistics that the release has."""
    text: str
    """The statistics of the release, in words."""
    before: Residual | None
    """The largest residual among statistics that were fitted or are out of reach; None if there are none."""
    after: Residual | None
    of_rows: Residual | None
    """The largest residual for the rows that were taken."""
    root_mean_square: float
    """Root mean square of the residuals that were fitted, in deviations."""
    effective_size: float
    """Effective number of rows, as a share of all: this many equal weights have the same sum of squares."""
    divergence: float
    """Kullback-Leibler divergence of the weights from those at the start, in nats."""
    distance: float
    """Sum of the absolute changes of the weights, scaled to add up to 1."""
    out_of_reach: tuple[Residual, ...]
    """Statistics that no weights of these rows bring near to the release, the furthest off first."""
    constant: tuple[str, ...]
    """Columns that never change."""

    @property
    def rows(self) -> Codes:
        """The rows that were taken, as codes."""
        found: Codes = self.codes[self.chosen]
        return found

    @property
    def is_simulated(self) -> bool:
        return self.release.is_simulated

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know before using the weights."""
        return tuple(_warnings(self))


def _warnings(found: Improvement) -> Iterator[str]:
    fitted = found.fitted
    if found.out_of_reach:
        named = listed([residual.text for residual in found.out_of_reach], _MOST_NAMED)
        still = ", ".join(printable(name) for name in found.constant[:_MOST_NAMED])
        why = f"; {still}: the same in every row" if still else ""
        yield f"out of reach of these rows, whatever their weights: {named}{why}"
    if fitted.given_up:
        largest = "" if found.after is None else f"; the largest residual is that of {found.after.text}"
        yield f"{fitted.given_up}: the weights are those of the soft price{largest}"
    if fitted.raised and found.after is not None:
        yield (
            "no weights of these rows match all that the release says: to keep the weights worth at least "
            f"{LEAST_EFFECTIVE:.0%} of the rows, residuals stay larger than noise explains; the largest is that of "
            f"{found.after.text}"
        )
    if found.effective_size < LEAST_EFFECTIVE:
        yield (
            f"the weights are worth {found.effective_size:.2%} of the rows: few rows stand for many, so the table has "
            "little variety left; a table with more rows, or nearer to the release, would serve better"
        )
    if not fitted.settled:
        yield "the search for weights stopped before it converged; the stated residuals are correct all the same"
