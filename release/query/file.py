"""The answer to a query as a release of its own: what paid, what it left, and the part of the file that all share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

from bounds.privacy.ledger import Ledger
from release.files.digest import digest_of
from release.private_release import VERSION, Release, size_field, stamp_of
from release.query.planned import NEXT, QueryPlan, require_left


class Query(QueryPlan, Release):
    """Noisy numbers that a reservation paid for, with everything needed to use them."""

    @abstractmethod
    def content(self) -> dict[str, Any]:
        """The fields of the file of this kind, besides those of all files of queries."""

    @property
    def cost(self) -> Ledger:
        return self.ledger

    @cached_property
    def identity(self) -> str:
        """A digest of the answer itself, whether what it left is open or spent."""
        return digest_of(self._body(None))

    def with_rest_spent(self) -> Self:
        """The same answer after the query that its rest pays for."""
        require_left(self.left_state, "this query")
        return replace(self, ledger=self.ledger.spend(self.ledger.statement(self.ledger.left), NEXT))

    def before_the_next(self) -> Self:
        """The same answer while its rest was open, to finish a query that was interrupted."""
        entries = tuple(entry for entry in self.ledger.entries if entry.what != NEXT)
        return replace(self, ledger=replace(self.ledger, entries=entries))

    def body(self) -> dict[str, Any]:
        return self._body(self.left_state)

    def _body(self, left_state: str | None) -> dict[str, Any]:
        found: dict[str, Any] = {
            "synthbounds_query": VERSION,
            "kind": self.KIND,
            "mode": self.mode,
            "stamp": stamp_of(simulated=self.is_simulated),
            "statistic": self.statistic.text,
            "adjacency": self.adjacency.value,
            size_field(self.adjacency): self.stated_size,
            "release": self.release_id,
            "previous": self.previous,
            "round": self.round,
            "budget": {
                "mu_squared": str(self.mu_squared),
                "left": str(self.mu_squared_left),
                "left_state": left_state,
            },
            **self.content(),
        }
        return found | ({"seed": str(self.seed), "run": str(self.run)} if self.is_simulated else {})
