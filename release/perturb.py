"""The one way to noise that stays secret: the ledger is checked, the cost recorded, noise drawn, an answer kept.

`measure` publishes exact numbers with noise on them, `choose` a name that noise has picked. Here noise enters a
question (a linear term of an objective), and what is published is the answer to it. Anyone who knew both noise and
answer could read off the records: the noise is given only to `solve`, and no result and no recovery file contains it.
The answer must be a function of the noise and the records for which a proof of privacy exists. If `solve` fails,
nothing is published and the cost is spent all the same. The failure is visible and depends on the records: the proof
must bound its probability for every table, and the cost must include it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from bounds.errors import ParameterError
from bounds.privacy.ledger import Ledger
from bounds.privacy.sensitivity import Sensitivity, require_norm
from bounds.privacy.statements import Statement, one_adjacency
from release.account.file import Charge
from release.noise.draw import Finer, draw_gaussians
from release.noise.randomness import Randomness
from release.signals import undisturbed
from release.spending import (
    book_in_account,
    current_replay,
    noise_is_drawn,
    nothing_is_kept,
    reserve_recovery_file,
    spending,
    spending_begins,
)


@dataclass(frozen=True, kw_only=True)
class SecretNoise:
    """Independent Gaussian numbers of one deviation; everything in it is public.

    They are continuous, and drawn once: `solve` may ask for the nearest multiples of 2^-bits to them for one number
    of bits after another. Whatever follows from the continuous numbers alone has the distribution that a proof assumes.
    """

    count: int
    sd: Fraction
    sensitivity: Sensitivity
    """How far one record more or less moves the noise that gives the same answer, at most."""
    cost: Statement

    def __post_init__(self) -> None:
        one_adjacency(require_norm(self.sensitivity, "L2"), self.cost)
        if self.count < 1 or self.sd <= 0:
            raise ParameterError("noise", f"{self.count} numbers", "at least one, of positive deviation")


class Publishable(Protocol):
    """What may be published of an answer."""

    def to_json(self) -> dict[str, Any]: ...


Answer = TypeVar("Answer", bound=Publishable)


def perturb(
    solve: Callable[[Finer], Answer],
    noise: SecretNoise,
    ledger: Ledger,
    *,
    what: str,
    randomness: Randomness,
    read: Callable[[dict[str, Any]], Answer] | None = None,
    kept_as: str | None = None,
    header: dict[str, Any] | None = None,
    book: Callable[[Ledger], None] | None = None,
) -> tuple[Answer, Ledger]:
    """What `solve` makes of the noise, and the ledger with the cost.

    The other arguments are as in release.measure. The answer's `to_json` goes to the recovery file, the noise never;
    `read` restores the answer from it.
    """
    paid = ledger.spend(noise.cost, what)
    is_release = not randomness.is_simulated
    replay = current_replay()
    if is_release and replay is not None and read is not None:
        return read(replay.next({"what": what}, header)), paid

    def mark() -> None:
        if book is not None:
            book(paid)

    with spending(is_private=is_release):
        if is_release:
            reserve_recovery_file()
            book_in_account(Charge(what=what, cost=noise.cost, reservation=kept_as), None if book is None else mark)
        else:
            mark()
        with undisturbed(is_release):
            if is_release:
                spending_begins()
            drawn = draw_gaussians(noise.sd, noise.count, randomness)
            try:
                answer = solve(drawn)
            except BaseException:
                nothing_is_kept()
                raise
            if is_release:
                noise_is_drawn([{"what": what, **answer.to_json()}], paid.to_json(), header or {})
    return answer, paid
