"""What a release says of the graph of partial correlations, as it is shown: nothing is computed here."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.shown import Shown
from mechanisms.infer.findings import Interval


@dataclass(frozen=True, kw_only=True)
class Edge:
    """Two columns, and their partial correlation given the other nodes."""

    first: str
    second: str
    correlation: Interval
    """Certified, from the joint sets."""
    sign: int
    """1 or -1 where it is certain, by certified ends of either coefficient."""
    sharper: Interval | None
    """From the sets of single coefficients; the ends are estimates. The level is exact where both joint sets are
    bounded; elsewhere the search sees the part around the solution alone, and the level is known from simulations."""
    sharper_sign: int
    is_small: bool
    """Whether it is certainly no larger in size than was asked."""


@dataclass(frozen=True, kw_only=True)
class UntoldNode:
    """A column whose regression the noise leaves open, and the combination of columns that is the reason."""

    name: str
    weakest: tuple[tuple[str, float], ...]
    """Columns with the largest weights in the direction of which the equations say least."""
    is_proved: bool
    """Whether its set surely goes to infinity along it."""


@dataclass(frozen=True, kw_only=True)
class EdgesAnswer(Shown):
    """The graph of partial correlations of the table. All certified intervals hold at once, and all sharper ones."""

    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]
    """Of all pairs, those of certain sign first, the largest first."""
    least: Fraction
    level: Fraction
    untold: tuple[UntoldNode, ...]
    n_is_public: bool
    columns_are_named: bool
    """Whether correlations are given the other named columns, and not all others."""
    notes: tuple[str, ...]

    @property
    def certain(self) -> tuple[Edge, ...]:
        return tuple(edge for edge in self.edges if edge.sign)

    @property
    def sharper_certain(self) -> tuple[Edge, ...]:
        return tuple(edge for edge in self.edges if edge.sharper_sign)

    @property
    def small(self) -> tuple[Edge, ...]:
        return tuple(edge for edge in self.edges if edge.is_small)

    @property
    def conclusions(self) -> tuple[Interval, ...]:
        sharper = tuple(edge.sharper for edge in self.edges if edge.sharper is not None)
        return tuple(edge.correlation for edge in self.edges) + sharper
