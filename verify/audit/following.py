"""The draws of a shipped method on neighbouring tables along the same history, and their cost.

Noise on answers is drawn in two places, release.measure and release.choose; secret noise, in release.perturb, is
audited by its distribution. While a method is followed, both hand over the inputs of a draw, exact counts with a
deviation or integer scores with a rate, and are given its output. So the method itself runs, not a copy. On another
table the same outputs are given again: what it asks next, how often and with how much noise must then be the same, and
the cost of each draw is known exactly from its inputs. By adaptive composition (docs/proofs/synthbounds.ledger.md) a
method is as private as its most expensive history.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bounds.errors import UsageError
from release import choose as choosing
from release import measure as measuring

if TYPE_CHECKING:
    from release.data.domain import Codes
    from release.noise.kinds import Noise
    from release.noise.randomness import Randomness

Output: TypeAlias = tuple[int, ...] | int
Run: TypeAlias = "Callable[[Codes], object]"
COUNTS, CHOICE = "counts", "choice"


class Diverged(Exception):
    """A method asks for more than it did along the same history on another table."""


@dataclass(frozen=True)
class Draw:
    """One draw: its input, its noise and its output."""

    kind: str
    inputs: tuple[int, ...]
    """Exact counts, or integer scores."""
    scale: Fraction
    """The deviation of discrete Gaussian noise, or the rate of the exponential mechanism."""
    output: Output

    def is_like(self, other: Draw) -> bool:
        """Whether only the inputs differ."""
        return (self.kind, len(self.inputs), self.scale) == (other.kind, len(other.inputs), other.scale)

    def moved(self, other: Draw) -> list[int]:
        return [a - b for a, b in zip(self.inputs, other.inputs, strict=True)]

    def loss_range(self, other: Draw) -> Fraction:
        """For a choice: the length of the interval in which its privacy losses lie."""
        moved = self.moved(other)
        return self.scale * (max(moved) - min(moved))

    def rho(self, other: Draw) -> Fraction:
        """The cost of the draw between two inputs: exact for counts, by the range of its losses for a choice."""
        if self.kind == COUNTS:
            return sum(move**2 for move in self.moved(other)) / (2 * self.scale**2)
        return self.loss_range(other) ** 2 / 8


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Cost of the most expensive history; None if a method was seen to decide by something unpublished."""

    rho: Fraction | None
    pair: str
    first: tuple[Draw, ...] = ()
    second: tuple[Draw, ...] = ()


def follow(run: Run, records: Codes, outputs: Sequence[Output] | np.random.Generator) -> tuple[Draw, ...]:
    """All draws of one run, with these outputs; or with noise on what went in, from a generator."""
    found: list[Draw] = []

    def given(kind: str, inputs: Sequence[int], scale: Fraction) -> Output:
        if isinstance(outputs, np.random.Generator):
            output = _counts(inputs, scale, outputs) if kind == COUNTS else int(outputs.integers(len(inputs)))
        elif len(found) < len(outputs):
            output = outputs[len(found)]
        else:
            raise Diverged
        found.append(Draw(kind, tuple(map(int, inputs)), scale, output))
        return output

    def counts(noise: Noise, values: Sequence[int], randomness: Randomness) -> Output:
        if noise.kind != "gaussian" or not isinstance(noise.scales, Fraction):
            raise UsageError("noise: a log can be followed only if it has discrete Gaussian noise of one deviation")
        return given(COUNTS, values, noise.scales)

    def choice(rate: Fraction, scores: Sequence[int], randomness: Randomness, *, count: int = 1) -> Output:
        left, chosen = list(range(len(scores))), []
        for _ in range(count):  # each is a separate draw among those that remain
            place = given(CHOICE, [scores[i] for i in left], rate)
            assert isinstance(place, int)
            chosen.append(left.pop(place))
        return tuple(chosen)

    with replacing({(measuring, "draw"): counts, (choosing, "draw_exponential"): choice}):
        run(records)
    return tuple(found)


@contextlib.contextmanager
def replacing(instead: Mapping[tuple[object, str], object]) -> Iterator[None]:
    """Other objects under these names of these modules, within the context."""
    before = {(owner, name): getattr(owner, name) for owner, name in instead}
    try:
        for (owner, name), value in instead.items():
            setattr(owner, name, value)
        yield
    finally:
        for (owner, name), value in before.items():
            setattr(owner, name, value)


def most_expensive(
    run: Run, tables: Sequence[Codes], pairs: Sequence[tuple[int, int]], *, histories: int, allowed: Fraction
) -> Cost:
    """The largest cost over pairs of tables, given by place, along this many histories; one too large ends it."""
    worst = Cost(rho=Fraction(-1), pair="")
    for number in range(histories):
        chance = np.random.Generator(np.random.Philox(key=number))
        history = [draw.output for draw in follow(run, tables[int(chance.integers(len(tables)))], chance)]
        followed = [_replayed(run, table, history) for table in tables]
        for one, other in pairs:
            found = _cost(followed[one], followed[other], len(history))
            name = f"history {number + 1}, {_text(tables[one])} to {_text(tables[other])}"
            if found is None:
                return Cost(rho=None, pair=name)
            if worst.rho is not None and found > worst.rho:
                worst = Cost(rho=found, pair=name, first=followed[one] or (), second=followed[other] or ())
        if worst.rho is not None and worst.rho > allowed:
            break
    return worst


def _replayed(run: Run, table: Codes, history: Sequence[Output]) -> tuple[Draw, ...] | None:
    try:
        return follow(run, table, history)
    except Diverged:
        return None


def _cost(first: tuple[Draw, ...] | None, second: tuple[Draw, ...] | None, draws: int) -> Fraction | None:
    if first is None or second is None or not len(first) == len(second) == draws:
        return None
    if not all(a.is_like(b) for a, b in zip(first, second, strict=True)):
        return None
    return sum((a.rho(b) for a, b in zip(first, second, strict=True)), Fraction(0))


def _counts(values: Sequence[int], sd: Fraction, chance: np.random.Generator) -> tuple[int, ...]:
    drawn = np.array([float(value) for value in values]) + float(sd) * chance.standard_normal(len(values))
    return tuple(int(value) for value in np.rint(drawn))


def _text(table: Codes) -> str:
    return "(" + ", ".join("".join(map(str, row)) for row in table.tolist()) + ")"
