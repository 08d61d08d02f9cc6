"""Studies of many runs: each run is a line of a file, written when it is done, and existing lines are not repeated.

So a study can be stopped at any time and continues where it was. The files are part of the package: a verdict that
rests on recorded runs can be reached without the tables they were made from.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from verify.spread.workers import HERE, Workers

Asked = dict[str, Any]
Line = dict[str, Any]

WORKERS: ContextVar[Workers] = ContextVar("workers", default=HERE)
"""Who makes the runs of a study: set by `python -m verify.experiments` for all."""
FOLDER = Path(__file__).parent / "runs"


def _one_line(asked: Asked) -> tuple[Asked, ...]:
    return (asked,)


@dataclass(frozen=True)
class RecordedRuns:
    """The file of one study."""

    path: Path
    keys: tuple[str, ...]
    """The keys that distinguish lines: the setting of a run."""

    @classmethod
    def of(cls, name: str, *keys: str) -> RecordedRuns:
        """The runs of a study of this package."""
        return cls(FOLDER / f"{name}.jsonl", keys)

    def lines(self) -> list[Line]:
        """All lines that were made."""
        text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    def key(self, line: Line) -> tuple[Any, ...]:
        return tuple(line[name] for name in self.keys)

    def asked_of(self, line: Line) -> Asked:
        """The setting that a line names."""
        return {name: line[name] for name in self.keys}

    def make(
        self,
        settings: Iterable[Asked],
        run: Callable[[Asked], Iterable[Line]],
        *,
        makes: Callable[[Asked], Iterable[Asked]] = _one_line,
        keeps: bool = True,
    ) -> None:
        """Make each run whose lines do not all exist; `makes` says which settings its lines will have.

        Nothing is read or written unless `keeps`; lines are always printed.
        """
        done = {self.key(line) for line in self.lines()} if keeps else set()
        missing = [asked for asked in settings if not done >= {self.key(line) for line in makes(asked)}]
        workers = WORKERS.get()
        made: Iterator[Iterable[Line]] = map(run, missing)
        if not workers.is_here:
            made = workers.answers("verify.experiments.study:lines_of", [(self.path.stem, asked) for asked in missing])
        for asked, found_lines in zip(missing, made, strict=True):
            for line in (asked | found for found in found_lines):
                if self.key(line) in done:
                    continue
                text = json.dumps(line)
                if keeps:
                    with self.path.open("a", encoding="utf-8") as lines:
                        lines.write(text + "\n")
                sys.stdout.write(text + "\n")
                sys.stdout.flush()


def recorded_lines(name: str) -> list[Line]:
    """The runs of a study of this package, by its name."""
    return RecordedRuns.of(name).lines()


@cache
def runs_by(name: str, *keys: str) -> dict[tuple[Any, ...], list[Line]]:
    """The same, grouped by these keys, in the order of their sets."""
    found: dict[tuple[Any, ...], list[Line]] = {}
    for line in sorted(recorded_lines(name), key=lambda line: int(line["set"])):
        found.setdefault(tuple(line[key] for key in keys), []).append(line)
    return found
