"""What is decided about any query before the data are used: what pays for it, how much, and in which round.

A query spends what a release has reserved, in full or in part; what is left pays for the next one. A plan has no
numbers: it can be reasoned about, but can never be mistaken or written for an answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar

from bounds.errors import ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import GaussianDP
from release.data.schema import Schema
from release.noise.kinds import Mode, Noise
from release.noise.randomness import read_randomness
from release.reserving import OPEN, SPENT, ReservingPlan
from release.statistics.statistic import Statistic

MOST_ROUNDS = 16
NEXT = "the next query"
"""The entry for what the query after this one took."""


@dataclass(frozen=True, kw_only=True)
class QueryPlan(ABC):
    """A planned query. `ledger` contains what is kept for it and for the next one."""

    KIND: ClassVar[str]

    mode: Mode
    stated_size: int
    """n under replace-one; under add-remove the public least size."""
    release_id: str | None
    """The reservation that pays, a digest of the release; None if the release itself is only planned."""
    previous: str | None
    """Digest of the query before, if this one is paid for by what that one left."""
    round: int
    ledger: Ledger
    mu_squared: Fraction
    """Spent by this query, of the ledger's total."""
    seed: int | None = None
    run: int | None = None

    @property
    @abstractmethod
    def schema(self) -> Schema: ...

    @property
    @abstractmethod
    def statistic(self) -> Statistic:
        """The integers that are asked for."""

    @property
    @abstractmethod
    def noise(self) -> Noise:
        """On the integers of the statistic."""

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """The public fields around the numbers, from which an interrupted query can be finished."""

    @property
    def adjacency(self) -> Adjacency:
        return self.ledger.adjacency

    @property
    def size_is_exact(self) -> bool:
        return self.adjacency is Adjacency.REPLACE_ONE

    @property
    def is_simulated(self) -> bool:
        return self.mode == "simulate"

    @property
    def price(self) -> GaussianDP:
        """What this query costs."""
        return GaussianDP(mu_squared=self.mu_squared, adjacency=self.adjacency)

    @property
    def mu_squared_left(self) -> Fraction:
        """Left by this query, whether the next one has taken it or not."""
        return self.ledger.total - self.mu_squared

    @property
    def left_state(self) -> str | None:
        """open or spent; None if nothing is left."""
        if not self.mu_squared_left:
            return None
        return SPENT if any(entry.what == NEXT for entry in self.ledger.entries) else OPEN

    @property
    def identity(self) -> str | None:
        """The identity by which the next query refers to this one; a plan has none."""
        return None

    def public_header(self) -> dict[str, Any]:
        """The fields around the numbers of every kind."""
        return {
            "kind": self.KIND,
            "mode": self.mode,
            "release": self.release_id,
            "previous": self.previous,
            "round": self.round,
        }


def public_fields(plan: QueryPlan, kind: type[QueryPlan]) -> dict[str, Any]:
    """All fields of this kind of plan, for the answer to it."""
    return {f.name: getattr(plan, f.name) for f in fields(kind)}


def plan_payment(
    release: ReservingPlan,
    *,
    part: Fraction = Fraction(1),
    previous: QueryPlan | None = None,
    seed: int | None = None,
    run: int = 0,
) -> dict[str, Any]:
    """The fields that all plans of queries share, for a query that spends `part` of what is kept.

    What is kept is the reservation of the release, or what `previous` left.
    """
    read_randomness(release.mode, seed=seed, run=run)
    if not 0 < part <= 1:
        raise ParameterError("part", part, "greater than 0 and at most 1", "a share of what is kept")
    release.require_plausible_size()
    kept, this_round = _kept(release, previous)
    if part < 1 and this_round == MOST_ROUNDS:
        raise ParameterError("part", part, "1", f"there are at most {MOST_ROUNDS} rounds")
    simulated = release.is_simulated
    return {
        "mode": release.mode,
        "stated_size": release.stated_size,
        "release_id": release.reservation_id,
        "previous": None if previous is None else previous.identity,
        "round": this_round,
        "ledger": Ledger.of(GaussianDP(mu_squared=kept, adjacency=release.adjacency)),
        "mu_squared": kept * part,
        "seed": seed if simulated else None,
        "run": run if simulated else None,
    }


def _kept(release: ReservingPlan, previous: QueryPlan | None) -> tuple[Fraction, int]:
    """The mu^2 that may be spent, and the number of the query."""
    if previous is None:
        release.require_open()
        return release.mu_squared_reserved, 1
    if previous.release_id != release.reservation_id:
        raise UsageError("previous: this query belongs to another release")
    if release.reservation_state != SPENT:
        raise UsageError(
            "reservation: is open although a query has used it; use the release file that was written then"
        )
    require_left(previous.left_state, "the query before")
    return previous.mu_squared_left, previous.round + 1


def require_left(state: str | None, query: str) -> None:
    """Refuse what a query left if that is nothing, or is spent."""
    if state is None:
        raise UsageError(f"reservation: {query} left nothing")
    if state != OPEN:
        raise UsageError(f"reservation: what {query} left is spent")
