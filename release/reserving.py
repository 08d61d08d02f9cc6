"""A release that may keep a share of its budget for a later query: how much, whether it is open, and who is paid.

The budget is counted in mu^2. A plan knows what will be kept; a release names the reservation by a digest of itself,
so that a query can say what paid for it, and its file says whether that is open or spent.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from bounds.errors import DataError, ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.amounts import Entry
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import GaussianDP
from release.files.digest import digest_of
from release.files.fields import read_choice, read_exact, within
from release.files.strict_json import require_object
from release.parameters import RELEASE_PARAMETERS
from release.private_release import Release

if TYPE_CHECKING:
    from release.data.schema import Schema
    from release.noise.kinds import Mode

QUERY = "a planned query"
"""The reservation that pays for a query."""
OPEN, SPENT = "open", "spent"
DOUBTLESS = 10
"""Deviations of the noise that chance does not explain."""


def size_contradiction(counts: Sequence[int], *, deviation: Fraction, least_size: int) -> str | None:
    """Why the table cannot have this many records, by noisy counts of both labels; None if it can."""
    most = sum(counts) + 2 * DOUBTLESS * deviation
    if most >= least_size:
        return None
    return (
        f"least_size = {least_size}: the noisy counts say that the table has at most about "
        f"{max(int(most), 0)} records; nothing can be certified from it"
    )


def plan_ledger(
    *, epsilon: Fraction, dp_delta: Fraction, adjacency: Adjacency, reserve: Fraction = Fraction(0)
) -> Ledger:
    """A ledger in mu^2 for this privacy in total, with the share that is kept for a later query."""
    if not 0 <= reserve < 1:
        raise ParameterError("reserve", reserve, "at least 0 and less than 1", "the share kept for later")
    ledger = Ledger.in_mu_squared(epsilon=epsilon, dp_delta=dp_delta, adjacency=adjacency)
    return ledger.reserve_share(reserve, QUERY) if reserve else ledger


class ReservingPlan:
    """The public part of a budget of which a share is kept; mixed into the plans of releases."""

    if TYPE_CHECKING:  # fields of the plans
        ledger: Ledger
        mode: Mode
        stated_size: int

        @property
        def schema(self) -> Schema: ...

    @property
    def adjacency(self) -> Adjacency:
        return self.ledger.adjacency

    @property
    def is_simulated(self) -> bool:
        return self.mode == "simulate"

    @property
    def size_is_exact(self) -> bool:
        """Whether the stated size is the number of records."""
        return self.adjacency is Adjacency.REPLACE_ONE

    @property
    def epsilon(self) -> Fraction:
        """In total, including what is kept for a query."""
        assert self.ledger.target is not None
        return self.ledger.target.epsilon.lo

    @property
    def dp_delta(self) -> Fraction:
        assert self.ledger.target is not None
        return self.ledger.target.delta.lo

    @property
    def mu_squared(self) -> Fraction:
        """A rational below the largest mu^2 that is (epsilon, dp_delta)-private."""
        return self.ledger.total

    @property
    def mu_squared_reserved(self) -> Fraction:
        """Kept for a query, whether it has been asked or not."""
        return self.ledger.reserved + sum(
            (entry.amount for entry in self.ledger.entries if entry.reserve == QUERY), Fraction(0)
        )

    @property
    def mu_squared_spent(self) -> Fraction:
        """By the release itself."""
        return self.mu_squared - self.mu_squared_reserved

    @property
    def own_cost(self) -> GaussianDP:
        """What the release costs without what it keeps."""
        return GaussianDP(mu_squared=self.mu_squared_spent, adjacency=self.adjacency)

    @property
    def reserve(self) -> Fraction:
        """The share that is kept."""
        return self.mu_squared_reserved / self.mu_squared

    @property
    def reservation_state(self) -> str | None:
        """open or spent; None if nothing is reserved."""
        if not self.mu_squared_reserved:
            return None
        return OPEN if self.ledger.reserved else SPENT

    @property
    def reservation_id(self) -> str | None:
        """Names the budget that is kept; a plan keeps none yet."""
        return None

    @property
    @abstractmethod
    def kept_as(self) -> str:
        """The name under which an account keeps the reservation: of what is public before the noise and after."""

    def require_plausible_size(self) -> None:
        """Refuse a least size that the release's own numbers contradict; a plan has none."""

    def require_open(self) -> None:
        """Refuse to spend what is not reserved, or is spent, and say what else could pay."""
        if self.reservation_state is None:
            raise UsageError("reservation: nothing is reserved; make the release with --reserve")
        if self.reservation_state != OPEN:
            raise UsageError(
                "reservation: is spent; another query needs another budget, or what the query before left (--previous)"
            )

    def ledger_after_query(self) -> Ledger:
        """The ledger once the reservation has gone to a query, in full: what a query leaves is in its own ledger."""
        self.require_open()
        return self.ledger.spend_reserved(QUERY, QUERY)


class ReservingRelease(ReservingPlan, Release):
    """A release whose file says what it keeps; `_body` is its file around that."""

    @abstractmethod
    def _body(self, reservation: dict[str, str] | None) -> dict[str, Any]:
        """Everything in the file except the digest, with this reservation."""

    @property
    def cost(self) -> Ledger:
        return self.ledger

    @cached_property
    def reservation_id(self) -> str | None:
        """Names the budget that is kept, whether it is open or spent: a digest of the release itself."""
        return None if self.reservation_state is None else digest_of(self._body(None))[:32]

    def is_named(self, digest: str | None) -> bool:
        """Whether this is the digest of the release, before or after the query that its reservation pays for."""
        known = {self.digest}
        if self.reservation_state is not None:
            known |= {digest_of(self._body(self._reservation(state))) for state in (OPEN, SPENT)}
        return digest in known

    def with_reservation_spent(self) -> Self:
        """The same release after the one query that its reservation pays for."""
        return replace(self, ledger=self.ledger_after_query())  # type: ignore[type-var]

    def before_its_query(self) -> Self:
        """The same release while its reservation was open, to finish a query that was interrupted."""
        if self.reservation_state != SPENT:
            return self
        kept = Entry(what=QUERY, amount=self.mu_squared_reserved, state="reserved")
        others = (entry for entry in self.ledger.entries if entry.reserve != QUERY)
        return replace(self, ledger=replace(self.ledger, entries=(kept, *others)))  # type: ignore[type-var]

    def body(self) -> dict[str, Any]:
        state = self.reservation_state
        return self._body(None if state is None else self._reservation(state))

    def budget_json(self, reservation: dict[str, str] | None) -> dict[str, Any]:
        """The field `budget` of the file."""
        return {
            "epsilon": str(self.epsilon),
            "dp_delta": str(self.dp_delta),
            "mu_squared": str(self.mu_squared),
            "mu_squared_spent": str(self.mu_squared_spent),
            "reserve": str(self.reserve),
            "reservation": reservation,
        }

    def _reservation(self, state: str) -> dict[str, str]:
        assert self.reservation_id is not None
        return {"mu_squared": str(self.mu_squared_reserved), "state": state, "id": self.reservation_id}


def read_budget(body: object, adjacency: Adjacency, *, what: str, where: str) -> Ledger:
    """The ledger that the field `budget` means: `what` was spent, and what is kept for a query is open or spent."""
    needed = {"epsilon", "dp_delta", "mu_squared", "mu_squared_spent", "reserve", "reservation"}
    fields = require_object(body, where, needed)
    epsilon, dp_delta, reserve = (
        read_exact(fields[name], name, where, allowed=RELEASE_PARAMETERS[name].range)
        for name in ("epsilon", "dp_delta", "reserve")
    )

    def planned() -> Ledger:
        ledger = plan_ledger(epsilon=epsilon, dp_delta=dp_delta, adjacency=adjacency, reserve=reserve)
        return ledger.spend(ledger.statement(ledger.left), what)

    ledger = within(planned, where)
    if (fields["reservation"] is not None) != (reserve > 0):
        raise DataError(f"{where}: a reservation goes with a reserve above 0, and with no other")
    if fields["reservation"] is None:
        return ledger
    kept = require_object(fields["reservation"], f"{where}: reservation", {"mu_squared", "state", "id"})
    state = read_choice(kept["state"], (OPEN, SPENT), f"{where}: reservation: state")
    return ledger if state == OPEN else ledger.spend_reserved(QUERY, QUERY)
