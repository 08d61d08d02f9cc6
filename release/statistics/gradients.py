"""Sums of g(m) y f over records in fixed point, g the slope of a loss with a line taken out, with a proved error.

The margin of a record is a sum of rounded contributions, its slope comes from a table with linear interpolation; both
are integers, so the same record always gets the same slope, on any machine. How far that slope can be from the true one
is an exact number that sensitivity and certificate include. Nothing here is private. Proof:
docs/proofs/synthbounds.gradient-query.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from flint import arb

from bounds.certify.margin_losses import MarginLoss, find_loss
from bounds.enclosure import as_fmpq, precision
from bounds.errors import ParameterError
from release.data.source import as_source
from release.statistics.features import FeatureMap
from release.statistics.fixed_margins import MARGIN_BITS, FixedMargins
from release.statistics.statistic import Counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.data.source import Records

SLOPE_BITS = 24
LINE_BITS = 20
"""Offset and slope of the line are multiples of 2^-20, so that they are exact in every table."""
LARGEST_LINE = 8
_TABLE_BITS = 32
_MOST_NODES = 2**17
_FINEST_CELL = 10
_REST_BITS = 24
"""Bits of the place within a cell: with them no product leaves 64 bits."""
_MOST_ROWS = 2**14


@dataclass(frozen=True)
class FixedSlopes:
    """g(m) = phi'(m) + offset - slope m of one model in fixed point, for every record of the public domain."""

    feature_map: FeatureMap
    coefficients: tuple[Fraction, ...]
    loss_name: str
    offset: Fraction = Fraction(0)
    slope: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        for name, value in (("offset", self.offset), ("slope", self.slope)):
            if not 0 <= value <= LARGEST_LINE or (value * 2**LINE_BITS).denominator != 1:
                raise ParameterError(name, value, f"a multiple of 2^-{LINE_BITS} from 0 to {LARGEST_LINE}")
        if self.loss.kink is not None and self.slope != 0:
            raise ParameterError("slope", self.slope, "0", f"the slope of the {self.loss_name} loss jumps")
        _ = self.margins  # refused here if its scores are too large

    @property
    def loss(self) -> MarginLoss:
        return find_loss(self.loss_name)

    @cached_property
    def margins(self) -> FixedMargins:
        return FixedMargins(self.feature_map, self.coefficients)

    @property
    def reach(self) -> Fraction:
        """The largest |m| on the public domain."""
        return self.margins.reach

    @cached_property
    def slope_error(self) -> Fraction:
        """How far a slope in fixed point is from g at the true margin; 0 for a loss with a kink, see `slack`."""
        if self.loss.kink is not None:
            return Fraction(0)
        between_nodes = self.loss.third * Fraction(1, 2 ** (2 * self._cell_bits + 3))
        in_table = Fraction(2, 2**_TABLE_BITS)  # rounding of nodes and of the interpolated value
        cut_off = Fraction(1, 2 ** (self._cell_bits + _REST_BITS))  # of the margin, before it is interpolated
        from_margin = (self.loss.second + self.slope) * (self.margins.error + cut_off)
        return between_nodes + in_table + from_margin + Fraction(1, 2 ** (SLOPE_BITS + 1))

    @property
    def slack(self) -> Fraction:
        """How far the slopes of a loss with a kink are from being subgradients: a margin near it may be misjudged."""
        return Fraction(0) if self.loss.kink is None else self.margins.error

    @cached_property
    def _cell_bits(self) -> int:
        """Nodes of the table are 2^-cell_bits apart."""
        bits = _FINEST_CELL
        while (2 * self.reach + 2) * 2**bits > _MOST_NODES:
            bits -= 1
        return bits

    @cached_property
    def _first_node(self) -> int:
        """The first node, over 2^cell_bits; all margins, rounded ones too, lie between the first and the last."""
        return -int(self.reach * 2**self._cell_bits) - 2

    @property
    def _table(self) -> NDArray[np.int64]:
        return _slope_table(self.loss_name, self.offset, self.slope, self._first_node, self._cell_bits)

    @cached_property
    def largest(self) -> int:
        """At least |g| of every record, over 2^SLOPE_BITS."""
        steepest = self.loss.second + self.slope
        at_most = 1 + self.offset + steepest * (self.reach + 1)  # |phi'(0)| <= 1, and |phi'| <= 1 next to a kink
        return int(at_most * 2**SLOPE_BITS) + 1

    def slopes(self, codes: Codes) -> NDArray[np.int64]:
        """g of every record, over 2^SLOPE_BITS."""
        margins = self.margins.of(codes)
        if self.loss.kink is not None:
            below = margins < int(self.loss.kink * 2**MARGIN_BITS)
            line = int(self.offset * 2**SLOPE_BITS)
            return np.where(below, line - 2**SLOPE_BITS, line).astype(np.int64)
        rest_bits = MARGIN_BITS - self._cell_bits
        cell = (margins >> rest_bits) - self._first_node
        rest = (margins & ((1 << rest_bits) - 1)) >> (rest_bits - _REST_BITS)
        table = self._table
        left = table[cell]
        value = left + (((table[cell + 1] - left) * rest) >> _REST_BITS)
        drop = _TABLE_BITS - SLOPE_BITS
        found: NDArray[np.int64] = (value + (1 << (drop - 1))) >> drop
        return found


@lru_cache(maxsize=16)
def _slope_table(
    loss_name: str, offset: Fraction, slope: Fraction, first_node: int, cell_bits: int
) -> NDArray[np.int64]:
    """g at the nodes from first_node to -first_node, over 2^_TABLE_BITS, each rounded to the nearest integer."""
    phi_slope, line, up = find_loss(loss_name).slope, as_fmpq(offset), as_fmpq(slope)
    with precision(96):
        found = []
        for k in range(first_node, -first_node + 1):
            node = arb(k) / 2**cell_bits
            found.append(_nearest((phi_slope(node) + line - node * up) * 2**_TABLE_BITS))
    table = np.array(found, dtype=np.int64)
    table.flags.writeable = False
    return table


def slope_sums(records: Records, slopes: FixedSlopes) -> Counted:
    """Sums of g y f_j over 2^(SLOPE_BITS + bits), in one pass over an array of codes, batches, or a source."""
    features = slopes.feature_map
    source, total = as_source(records, features.schema.domain), [0] * features.size
    rows = min(_MOST_ROWS, 2**62 // (slopes.largest * features.one))  # so sums over a block fit into 64 bits
    for batch in source.batches():
        for start in range(0, len(batch), rows):
            block = batch[start : start + rows]
            signed = slopes.slopes(block) * features.labels(block)
            total = [sofar + int(more) for sofar, more in zip(total, signed @ features.features(block), strict=True)]
    return Counted(n=source.n, values=tuple(total))


def norm_squared(feature_map: FeatureMap, coefficients: Sequence[Fraction]) -> Fraction:
    """The squared norm of a model, exactly: P times the squared norm of its coefficients."""
    return feature_map.squared_norm * sum((c * c for c in coefficients), Fraction(0))


def _nearest(x: arb) -> int:
    found = (x.mid() + arb(1) / 2).floor().unique_fmpz()
    if found is None:
        raise ParameterError("coefficients", "this model", "of moderate size")
    return int(found)
