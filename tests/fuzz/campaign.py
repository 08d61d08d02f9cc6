"""Many cases of all kinds, each judged, with their results."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.certificates import certificate_case
from tests.fuzz.commands import command_case
from tests.fuzz.door import door_case
from tests.fuzz.files import file_case
from tests.fuzz.judging import Verdict, judge
from tests.fuzz.tables import SECRETS, spends, table_case
from tests.fuzz.work import work_case

SHARES = {"commands": 4, "files": 6, "tables": 2, "door": 4, "work": 4, "certificates": 20}
"""How many cases of each kind are run for one another."""


@dataclass
class Tally:
    """Of one kind."""

    cases: int = 0
    codes: Counter[int] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")
    seconds: float = 0.0


def run_case(kind: str, seed: int, number: int, stock: Path) -> Verdict:
    """The case of that kind, seed and number, which is always the same."""
    draws = random.Random(f"{kind} {seed} {number}")
    if kind == "certificates":
        return certificate_case(draws, seed * 10**7 + number)
    if kind == "door":
        return door_case(draws)
    if kind == "work":
        return work_case(draws)
    if kind == "commands":
        return judge(command_case(draws, stock), stock, {})
    words, changed = (file_case if kind == "files" else table_case)(draws, stock)
    return judge(words, stock, changed, secrets=SECRETS if spends(words) else ())


def cases(count: int, shares: dict[str, int]) -> Iterator[tuple[str, int]]:
    """So many kinds and numbers, in proportion to their shares."""
    turn = [kind for kind, share in shares.items() for _ in range(share)]
    numbers: Counter[str] = Counter()
    for i in range(count):
        kind = turn[i % len(turn)]
        yield kind, numbers[kind]
        numbers[kind] += 1


def campaign(
    count: int, seed: int, stock: Path, shares: dict[str, int], *, tell: Callable[[str], None]
) -> dict[str, Tally]:
    """Run so many cases; what fails is told at once, with the command that repeats it."""
    found: dict[str, Tally] = {}
    for kind, number in cases(count, shares):
        verdict = run_case(kind, seed, number, stock)
        tally = found.setdefault(kind, Tally())
        tally.cases += 1
        tally.codes[verdict.code] += 1
        tally.seconds += verdict.seconds
        again = f"python -m tests.fuzz --kind {kind} --seed {seed} --only {number}"
        tally.slowest = max(tally.slowest, (verdict.seconds, again))
        if verdict.faults:
            tally.failed.append(again)
            tell("\n  ".join([again, *verdict.faults]))
    return found
