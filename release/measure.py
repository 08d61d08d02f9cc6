"""The one way from exact numbers to noisy ones: the ledger is checked, the entry is recorded, noise is drawn, once.

A Statistic says what is asked of records and counts it exactly; a Measurement is what may be published. Before
`measure` returns, the noisy numbers and their cost are in a recovery file, if release.spending asked for one: whatever
happens afterwards, what was paid for is not lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bounds.errors import DataError
from bounds.privacy.ledger import Ledger
from release.account.file import Charge
from release.files.fields import integer_json, read_integer
from release.noise.draw import draw, require_fitting
from release.noise.kinds import Mode, Noise
from release.noise.randomness import Randomness
from release.replay import Replay
from release.signals import undisturbed
from release.spending import (
    book_in_account,
    drawn_before,
    noise_is_drawn,
    reserve_recovery_file,
    spending_begins,
)
from release.statistics.statistic import Counted


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """Noisy numbers: what they are, with which noise. Their cost is `noise.cost`, and an entry of a ledger."""

    what: str
    noise: Noise
    values: tuple[int, ...] | tuple[float, ...]
    """Integers, except for most noise of simulations."""
    mode: Mode

    @property
    def is_simulated(self) -> bool:
        return self.mode == "simulate"

    def to_json(self) -> dict[str, Any]:
        noise = self.noise
        scales = [str(s) for s in noise.scales] if isinstance(noise.scales, tuple) else str(noise.scales)
        return {
            "what": self.what,
            "noise": {"kind": noise.kind, "scales": scales},
            "sensitivity": {"norm": noise.sensitivity.norm, "amount": str(noise.sensitivity.amount)},
            "values": [integer_json(int(v)) if Fraction(v).denominator == 1 else v for v in self.values],
        }


def measure(
    counted: Counted,
    noise: Noise,
    ledger: Ledger,
    *,
    what: str,
    randomness: Randomness,
    reserve: str | None = None,
    kept_as: str | None = None,
    header: dict[str, Any] | None = None,
    names: Sequence[Any] | None = None,
    book: Callable[[Ledger], None] | None = None,
) -> tuple[Measurement, Ledger]:
    """The exact numbers with noise, and the ledger with their cost; refused before the noise if the budget lacks it.

    `reserve` names the reservation that pays. `book` writes the new ledger where it is kept, before the noise: if it
    fails, nothing was drawn; a later failure leaves it recorded. If an account was named (release.spending), a release
    is recorded there, too, with what its ledger reserves under the name `kept_as`; if nothing is reserved, that name
    says which reservation of the account pays. `header` has the public fields around the numbers, and `names` their
    names if a release measures more than once, for finishing an interrupted release.
    """
    require_fitting(noise, counted.values, randomness)
    paid = ledger.spend(noise.cost, what, reserve=reserve)
    is_release = not randomness.is_simulated
    named = {} if names is None else {"names": list(names)}
    replay = drawn_before() if is_release else None
    if replay is not None:
        return _replayed(replay, noise, what, header, named), paid

    def mark() -> None:
        if book is not None:
            book(paid)

    if is_release:
        reserve_recovery_file()
        kept = paid.statement(paid.reserved, paid.dp_delta_reserved) if paid.reserved else None
        book_in_account(
            Charge(what=what, cost=noise.additive_cost, kept=kept, reservation=kept_as), None if book is None else mark
        )
    else:
        mark()
    with undisturbed(is_release):
        if is_release:
            spending_begins()
        values = draw(noise, counted.values, randomness)
        found = Measurement(what=what, noise=noise, values=values, mode=randomness.mode)
        if is_release:
            noise_is_drawn([found.to_json() | named], paid.to_json(), header or {})
    return found, paid


def _replayed(
    replay: Replay, noise: Noise, what: str, header: dict[str, Any] | None, named: dict[str, Any]
) -> Measurement:
    """The measurement that was made before with this noise; nothing is drawn."""
    like = Measurement(what=what, noise=noise, values=(), mode="release").to_json() | named
    del like["values"]
    found = replay.next(like, header).get("values")
    where = f"recovery file {replay.recovery.path.name}: values"
    if not isinstance(found, list) or len(found) != noise.count:
        raise DataError(f"{where}: must be {noise.count} whole numbers")
    values = tuple(read_integer(str(value), f"{where}[{i}]", either=True) for i, value in enumerate(found))
    return Measurement(what=what, noise=noise, values=values, mode="release")
