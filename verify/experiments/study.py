"""What a study of many runs is: how a run is made, in what it may differ when made again, and what it rests on."""

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
    """Whether its table is."""
    run_of: Callable[[Line], Asked]
    """The setting of the run that made a line."""
    measured: tuple[str, ...] = ("cpu_s",)
    """Numbers of the machine, which no seed brings back."""
    close: float = 1e-6
    """Relative: so near is a run to itself when it is made again; more where single precision is iterated."""
    of_this_code: tuple[Mapping[str, Sequence[object]], ...] = ()
    """Settings of the lines that the present code has made: whatever has one of these values each."""
    seeds: str
    """How random numbers follow from a setting, in words."""
    setting: str
    """What all runs have in common, in words."""
    modules: tuple[str, ...]
    """Files of the experiment's code, beside verify/experiments."""
    tables: tuple[str, ...]
    """Files of the records, without their suffix."""

    def again(self, line: Line) -> Line | None:
        """The line, made now; None where its table is not here."""
        asked = self.run_of(line)
        if not self.is_here(asked):
            return None
        wanted = self.runs.key(line)
        for found in self.make(asked):
            if self.runs.key(asked | found) == wanted:
                return asked | found
        raise AssertionError(f"no line {wanted} was made")


def find_study(name: str) -> Study:
    """By the name of its module, which is that of its file of runs."""
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
