"""What a release says about the graph of partial correlations, as it is shown; nothing is computed here."""

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
    """The certified interval, from the joint sets."""
    sign: int
    """1 or -1 if the sign is certain, by certified ends of either coefficient."""
    sharper: Interval | None
    """The interval from the sets of single coefficients; its ends are estimates. The level is exact if both joint sets
    are bounded; otherwise the search sees only the part around the solution, and the level comes from simulations."""
    sharper_sign: int
    is_small: bool
    """Whether it is certainly no larger in size than the requested bound."""


@dataclass(frozen=True, kw_only=True)
class UntoldNode:
    """A column whose regression the noise leaves open, and the combination of columns responsible."""

    name: str
    weakest: tuple[tuple[str, float], ...]
    """Columns with the largest weights in the direction about which the equations say least."""
    is_proved: bool
    """Whether its set certainly goes to infinity along this direction."""


@dataclass(frozen=True, kw_only=True)
class EdgesAnswer(Shown):
    """The graph of partial correlations of the table. All certified intervals hold at once, and all sharper ones."""

    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]
    """All pairs, those of certain sign first, then by size."""
    least: Fraction
    level: Fraction
    untold: tuple[UntoldNode, ...]
    n_is_public: bool
    columns_are_named: bool
    """Whether correlations are given only the other named columns, not all others."""
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
