"""The one way to a private choice: the ledger is asked, the entry is booked, noise is drawn, and one of K is named.

Every quality gets geometric noise of rate epsilon/(2 D), or epsilon/D where one record moves all qualities the same
way, and the largest wins; nothing else is published. D is how far one record moves a quality. This is epsilon-private,
and except with probability beta the winner is within log(K/beta)/rate of the best. Proof:
docs/proofs/synthbounds.any-model.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from bounds.errors import ParameterError
from bounds.privacy.ledger import Ledger
from bounds.privacy.pure import pure_epsilon
from bounds.privacy.statements import GaussianDP
from release.account.file import Charge
from release.noise.draw import draw_geometric
from release.noise.randomness import Randomness
from release.spending import book_in_account, noise_is_drawn, reserve_recovery_file, spending_begins


@dataclass(frozen=True, kw_only=True)
class ChoicePlan:
    """How one of `count` is chosen; everything in it is public."""

    count: int
    moved: int
    """How far one record moves a quality, at most, in whole steps."""
    same_way: bool
    """Whether one record moves all qualities in the same direction."""
    cost: GaussianDP

    def __post_init__(self) -> None:
        if self.count < 1 or self.moved < 1:
            raise ParameterError("count", self.count, "at least 1, of qualities that move by at least 1 step")

    @cached_property
    def epsilon(self) -> Fraction:
        """Of pure privacy: what the cost buys."""
        return pure_epsilon(self.cost.mu_squared)

    @property
    def rate(self) -> Fraction:
        return self.epsilon / (self.moved * (1 if self.same_way else 2))


def choose(
    qualities: Sequence[int],
    plan: ChoicePlan,
    ledger: Ledger,
    *,
    what: str,
    randomness: Randomness,
    kept_as: str | None = None,
    header: dict[str, Any] | None = None,
    book: Callable[[Ledger], None] | None = None,
) -> tuple[int, Ledger]:
    """The place of the winner, and the ledger with what it cost; the arguments are as in release.measure."""
    if len(qualities) != plan.count:
        raise ParameterError("qualities", f"{len(qualities)} of them", f"{plan.count}, as planned")
    paid = ledger.spend(plan.cost, what)
    is_release = not randomness.is_simulated

    def mark() -> None:
        if book is not None:
            book(paid)

    if is_release:
        reserve_recovery_file()
        book_in_account(Charge(what=what, cost=plan.cost, reservation=kept_as), None if book is None else mark)
        spending_begins()
    else:
        mark()
    drawn = draw_geometric(plan.rate, plan.count, randomness)
    winner = max(range(plan.count), key=lambda i: (qualities[i] + drawn[i], -i))
    if is_release:
        noise_is_drawn({"what": what, "chosen": winner, "of": plan.count}, paid.to_json(), header or {})
    return winner, paid
