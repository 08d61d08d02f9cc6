"""Sensitivity of all marginals of a table: exact numbers of sets and cells, for either adjacency."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from bounds.enclosure import integer_text
from bounds.errors import ParameterError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.sensitivity import Sensitivity, l1_sensitivity, l2_sensitivity

_MOST_ATTRIBUTES = 10**6


@dataclass(frozen=True, kw_only=True)
class MarginalWorkload:
    """The tables of counts over sets of attributes: sets of up to `order` of them, or of exactly as many.

    The empty set, whose one count is n, is not included: replacing a record does not change it.

    >>> MarginalWorkload(attributes=11, order=2).sets, MarginalWorkload(attributes=11, order=2, exactly=True).sets
    (66, 55)
    """

    attributes: int
    order: int
    exactly: bool = False
    with_total: bool = False
    """The number of records is released, too."""

    def __post_init__(self) -> None:
        for name in ("attributes", "order"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_ATTRIBUTES:
                raise ParameterError(name, value, f"a whole number from 1 to {_MOST_ATTRIBUTES:,}")
        if self.order > self.attributes:
            raise ParameterError("order", self.order, f"from 1 to {self.attributes}", "number of attributes")

    @property
    def sets(self) -> int:
        """Sets of attributes, without the empty one."""
        if self.exactly:
            return comb(self.attributes, self.order)
        total, term = 0, 1
        for i in range(self.order):
            term = term * (self.attributes - i) // (i + 1)
            total += term
        return total

    def l1(self, *, adjacency: Adjacency) -> Sensitivity:
        """A replaced record leaves one cell of every table and enters another; an added one enters one."""
        return l1_sensitivity(
            value=self._moved(adjacency), adjacency=adjacency, n_is_public=self._public(adjacency), text=self.text
        )

    def l2(self, *, adjacency: Adjacency) -> Sensitivity:
        """The same in L2: every change is by 1, so the square counts the cells that change."""
        return l2_sensitivity(
            squared=self._moved(adjacency), adjacency=adjacency, n_is_public=self._public(adjacency), text=self.text
        )

    def _moved(self, adjacency: Adjacency) -> int:
        """Cells that one record changes; reached by records that differ in every attribute."""
        return 2 * self.sets if self._public(adjacency) else self.sets + self.with_total

    @staticmethod
    def _public(adjacency: Adjacency) -> bool:
        return adjacency is Adjacency.REPLACE_ONE

    @property
    def text(self) -> str:
        size = "exactly" if self.exactly else "up to"
        return f"{integer_text(self.sets)} marginals of {size} {self.order} of {self.attributes} attributes"
