"""Recorded runs repeated: with their own seeds, which must give the same numbers, and with fresh ones, close to them.

A run recorded by earlier code need not come out the same, since choices of AIM can flip; like one with a fresh seed, it
must lie in the predictive interval of the recorded runs of its cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from json import dumps, loads
from math import inf

from verify.experiments.headers import comes_out_the_same, header_of
from verify.experiments.recorded import Line, recorded_lines
from verify.experiments.statistics import LEVEL, chance_of_as_many, predictive_interval
from verify.experiments.study import FRESH, find_study, numbers_of

Where = Mapping[str, Sequence[object]]
"""Values of settings; selects the lines that have one of them for each."""
ONE_IN = 10
LEAST = 3
"""Smallest number of runs of a cell for an interval."""

RARE = 0.001
"""The number of runs outside their intervals must have at least this probability by chance."""


@dataclass(frozen=True)
class Remade:
    """Whether repeated runs come out as they should; None if their tables are not available."""

    good: bool | None
    text: str


@dataclass(frozen=True)
class Rerun:
    """The runs by which a claim is judged, and which of their numbers."""

    study: str
    where: tuple[Where, ...]
    scores: tuple[str, ...]
    """Dotted names."""

    def lines(self) -> list[Line]:
        return list(self._numbered().values())

    def make(self, *, counter: int = 0, one_in: int = ONE_IN, most_cpu_s: float = inf) -> Remade:
        """One run in this many of the study, at least one: with its own seed, and with a fresh one.

        They are selected by their places in the study's file, so that claims share them. Runs that took longer are left
        out.
        """
        lines = self._numbered()
        cheap = {number: line for number, line in lines.items() if line.get("cpu_s", 0.0) <= most_cpu_s}
        every = list((cheap or lines).values())
        chosen = [line for number, line in cheap.items() if number % one_in == counter % one_in]
        return judged(self.study, chosen or [every[counter % len(every)]], self.scores, list(lines.values()))

    def _numbered(self) -> dict[int, Line]:
        every = enumerate(recorded_lines(self.study))
        return {number: line for number, line in every if any(matches(line, where) for where in self.where)}


def matches(line: Line, where: Where) -> bool:
    return all(line[name] in values for name, values in where.items())


def judged(name: str, chosen: Sequence[Line], scores: Sequence[str], lines: Sequence[Line]) -> Remade:
    """The result for repeated lines; the cells that they belong to are looked up among all lines."""
    study = find_study(name)
    same = differing = inside = outside = 0
    for line in chosen:
        made = _made(name, dumps(line))
        if made is None:
            return Remade(None, "not run: the tables of the experiment are not available")
        exact = comes_out_the_same(study, header_of(name), line)
        if _equal(line, made, scores, study.close, study.measured):
            same += 1
        elif exact:
            differing += 1
        cell = [other for other in lines if _cell(other) == _cell(line)]
        if len(cell) < LEAST:
            continue
        fresh = _made(name, dumps(line | {"set": FRESH + int(line["set"])}))
        for other in (made, fresh) if not exact else (fresh,):
            assert other is not None
            good = _near(other, cell, scores, study.measured)
            inside, outside = inside + good, outside + (not good)
    text = (
        f"{len(chosen)} of {len(lines)} recorded runs were repeated: {same} came out the same, and {differing} did not "
        f"although the present code made them; of runs with fresh seeds, and of those made by earlier code, {inside} "
        f"are in the interval of their cell and {outside} are not"
    )
    return Remade(differing == 0 and chance_of_as_many(outside, inside + outside, 1 - LEVEL) >= RARE, text)


@cache
def _made(name: str, text: str) -> Line | None:
    """Claims share runs: each is made once."""
    return find_study(name).again(loads(text))


def _cell(line: Line) -> tuple[object, ...]:
    names = ("method", "generator", "table", "schedule", "epsilon", "protocol", "measure", "p")
    return tuple(line.get(name) for name in names)


def _equal(line: Line, made: Line, scores: Sequence[str], close: float, measured: Sequence[str]) -> bool:
    old, new = numbers_of(line, measured), numbers_of(made, measured)
    return all(abs(old[s] - new[s]) <= close * max(abs(old[s]), 1e-12) for s in scores if s in old)


def _near(made: Line, cell: Sequence[Line], scores: Sequence[str], measured: Sequence[str]) -> bool:
    new = numbers_of(made, measured)
    values = {s: [numbers_of(other, measured)[s] for other in cell] for s in scores if s in new}
    return all(predictive_interval(old).has(new[s], rounding=1e-9) for s, old in values.items())
