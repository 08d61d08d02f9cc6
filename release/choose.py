"""The one way to a private choice: the ledger is checked, the entry is recorded, noise is drawn, and one of K is named.

By report-noisy-max every quality gets geometric noise of rate epsilon/(2 D), or epsilon/D if one record moves all
qualities the same way, and the largest wins. By the exponential mechanism each is chosen with probability proportional
to exp(epsilon quality/(2 D)). Nothing else is published; D is how far one record moves a quality. Both are
epsilon-private, the second is also epsilon^2/8-zCDP, and except with probability beta the winner is within log(K/beta)
over the rate of the best. Proofs: docs/proofs/synthbounds.any-model.md, synthbounds.marginal-log.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import index
from typing import Any, ClassVar

from bounds.errors import ParameterError
from bounds.exact import root_at_most
from bounds.privacy.ledger import Ledger
from bounds.privacy.pure import pure_epsilon
from bounds.privacy.statements import ZCDP, GaussianDP
from release.account.file import Charge
from release.noise.draw import draw_exponential, draw_geometric
from release.noise.randomness import Randomness
from release.signals import undisturbed
from release.spending import (
    book_in_account,
    drawn_before,
    noise_is_drawn,
    reserve_recovery_file,
    spending_begins,
)


@dataclass(frozen=True, kw_only=True)
class ChoicePlan:
    """How one of `count` is chosen; everything in it is public."""

    count: int
    moved: int
    """How far one record moves a quality, at most, in whole steps."""
    same_way: bool
    """Whether one record moves all qualities in the same direction."""
    cost: GaussianDP
    winners: ClassVar[int] = 1

    def __post_init__(self) -> None:
        _require_choice(self.count, self.moved)

    @cached_property
    def epsilon(self) -> Fraction:
        """Of pure privacy: what the cost buys."""
        return pure_epsilon(self.cost.mu_squared)

    @property
    def rate(self) -> Fraction:
        return self.epsilon / (self.moved * (1 if self.same_way else 2))

    def drawn(self, qualities: Sequence[int], randomness: Randomness) -> tuple[int, ...]:
        """The place of the largest quality after the noise."""
        noise = draw_geometric(self.rate, self.count, randomness)
        return (max(range(self.count), key=lambda i: (qualities[i] + noise[i], -i)),)


@dataclass(frozen=True, kw_only=True)
class ExponentialPlan:
    """How some of `count` are chosen by the exponential mechanism, paid in rho; everything in it is public.

    Several are chosen one after the other, each among those left, at equal parts of the cost.
    """

    count: int
    moved: int
    """How far one record moves a quality, at most, in whole steps and under the adjacency of the cost."""
    cost: ZCDP
    """Of all choices together."""
    winners: int = 1

    def __post_init__(self) -> None:
        _require_choice(self.count, self.moved)
        if not 1 <= self.winners <= self.count:
            raise ParameterError("winners", self.winners, f"between 1 and {self.count}, their number")

    @cached_property
    def epsilon(self) -> Fraction:
        """Losses of each choice lie in an interval of this length: the root of 8 rho, rounded down."""
        return root_at_most(8 * self.cost.rho.lo / self.winners)

    @property
    def rate(self) -> Fraction:
        return self.epsilon / (2 * self.moved)

    def drawn(self, qualities: Sequence[int], randomness: Randomness) -> tuple[int, ...]:
        """Places, each drawn among those that are left with probability proportional to exp(rate quality)."""
        return draw_exponential(self.rate, qualities, randomness, count=self.winners)


def _require_choice(count: int, moved: int) -> None:
    if count < 1 or moved < 1:
        raise ParameterError("count", count, "at least 1, of qualities that move by at least 1 step")


def choose(
    qualities: Sequence[int],
    plan: ChoicePlan | ExponentialPlan,
    ledger: Ledger,
    *,
    what: str,
    randomness: Randomness,
    kept_as: str | None = None,
    header: dict[str, Any] | None = None,
    names: Sequence[Any] | None = None,
    book: Callable[[Ledger], None] | None = None,
) -> tuple[int, Ledger]:
    """The place of the winner, and the ledger with what it cost; the arguments are as in `choose_several`."""
    (winner,), paid = choose_several(
        qualities,
        plan,
        ledger,
        what=what,
        randomness=randomness,
        kept_as=kept_as,
        header=header,
        names=names,
        book=book,
    )
    return winner, paid


def choose_several(
    qualities: Sequence[int],
    plan: ChoicePlan | ExponentialPlan,
    ledger: Ledger,
    *,
    what: str,
    randomness: Randomness,
    kept_as: str | None = None,
    header: dict[str, Any] | None = None,
    names: Sequence[Any] | None = None,
    book: Callable[[Ledger], None] | None = None,
) -> tuple[tuple[int, ...], Ledger]:
    """The places of the winners, in their order, and the ledger with their total cost.

    `names` are the things the qualities belong to, one each; the other arguments are as in release.measure.
    """
    if len(qualities) != plan.count:
        raise ParameterError("qualities", f"{len(qualities)} of them", f"{plan.count}, as planned")
    try:
        exact = [index(quality) for quality in qualities]
    except TypeError:
        raise ParameterError("qualities", "not whole", "whole numbers", "floats move by more than is stated") from None
    paid = ledger.spend(plan.cost, what)
    is_release = not randomness.is_simulated
    replay = drawn_before() if is_release else None
    if replay is not None:
        like = {"what": what, "of": plan.count}
        return tuple(replay.chosen(names, like, header) for _ in range(plan.winners)), paid

    def mark() -> None:
        if book is not None:
            book(paid)

    if is_release:
        reserve_recovery_file()
        book_in_account(Charge(what=what, cost=plan.cost, reservation=kept_as), None if book is None else mark)
    else:
        mark()
    with undisturbed(is_release):
        if is_release:
            spending_begins()
        winners = plan.drawn(exact, randomness)
        if is_release:
            drawn = [
                {"what": what, "chosen": winner, "of": plan.count, **({} if names is None else {"name": names[winner]})}
                for winner in winners
            ]
            noise_is_drawn(drawn, paid.to_json(), header or {})
    return winners, paid
