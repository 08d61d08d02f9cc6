"""What a study of many runs is: how a run is made, how it may differ when repeated, and what it rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from verify.experiments.recorded import Asked, Line, RecordedRuns

NAMES = (
    "bojkovic2024",
    "bojkovic2024_times",
    "ddssp2024",
    "vietri2022",
    "vietri2022_annealing",
    "wang2023",
    "zhou2024",
    "zhou2024_real",
)
FRESH = 500
"""Sets from this number on were not recorded: their splits and their noise are fresh."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """One study, declared by its module."""

    runs: RecordedRuns
    make: Callable[[Asked], Iterable[Line]]
    """The lines of one run."""
    is_here: Callable[[Asked], bool]
    """Whether its table is available."""
    run_of: Callable[[Line], Asked]
    """The setting of the run that made a line."""
    measured: tuple[str, ...] = ("cpu_s",)
    """Numbers that depend on the machine, which no seed reproduces."""
    close: float = 1e-6
    """Relative: how close a repeated run is to the record; larger if single precision is iterated."""
    of_this_code: tuple[Mapping[str, Sequence[object]], ...] = ()
    """Settings of the lines made by the present code: those that have one of these values for each."""
    seeds: str
    """In words, how random numbers follow from a setting."""
    setting: str
    """In words, what all runs have in common."""
    modules: tuple[str, ...]
    """Files of the experiment's code, besides verify/experiments."""
    tables: tuple[str, ...]
    """Files of the records, without their suffix."""

    def again(self, line: Line) -> Line | None:
        """The line, made now; None if its table is not available."""
        asked = self.run_of(line)
        if not self.is_here(asked):
            return None
        wanted = self.runs.key(line)
        for found in self.make(asked):
            if self.runs.key(asked | found) == wanted:
                return asked | found
        raise AssertionError(f"no line {wanted} was made")


def find_study(name: str) -> Study:
    """The study by the name of its module, which is that of its file of runs."""
    found: Study = import_module(f"verify.experiments.{name}").STUDY
    return found


def lines_of(item: tuple[str, Asked]) -> list[Line]:
    """For a worker: the lines of one run of a study."""
    name, asked = item
    return list(find_study(name).make(asked))


def numbers_of(line: Mapping[str, Any], leaving_out: Iterable[str]) -> dict[str, float]:
    """All numbers of a line by their dotted names."""
    return dict(_numbers(line, frozenset(leaving_out), ""))


def _numbers(line: Mapping[str, Any], leaving_out: frozenset[str], before: str) -> Iterator[tuple[str, float]]:
    for name, value in line.items():
        if name in leaving_out:
            continue
        if isinstance(value, Mapping):
            yield from _numbers(value, leaving_out, f"{before}{name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{before}{name}", float(value)
