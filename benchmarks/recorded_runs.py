"""Studies of many runs: each is a line of a file, written when it is done, and what is there is not made again.

So a study can be stopped at any time, and goes on where it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import RESULTS

Asked = dict[str, Any]
Line = dict[str, Any]


def _one_line(asked: Asked) -> tuple[Asked, ...]:
    return (asked,)


@dataclass(frozen=True)
class RecordedRuns:
    """The file of one study."""

    path: Path
    keys: tuple[str, ...]
    """What tells one line from another: the setting of a run."""

    @classmethod
    def of(cls, name: str, *keys: str) -> RecordedRuns:
        """Those of a benchmark, in the folder of results."""
        return cls(RESULTS / f"{name}.jsonl", keys)

    def lines(self) -> list[Line]:
        """All that were made."""
        text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    def key(self, line: Line) -> tuple[Any, ...]:
        return tuple(line[name] for name in self.keys)

    def make(
        self,
        settings: Iterable[Asked],
        run: Callable[[Asked], Iterable[Line]],
        *,
        makes: Callable[[Asked], Iterable[Asked]] = _one_line,
        keeps: bool = True,
    ) -> None:
        """Each run whose lines are not all there; `makes` says which settings its lines will have.

        Nothing is read or written unless `keeps`; lines are printed in any case.
        """
        done = {self.key(line) for line in self.lines()} if keeps else set()
        for asked in settings:
            if done >= {self.key(line) for line in makes(asked)}:
                continue
            for line in (asked | found for found in run(asked)):
                if self.key(line) in done:
                    continue
                text = json.dumps(line)
                if keeps:
                    with self.path.open("a", encoding="utf-8") as lines:
                        lines.write(text + "\n")
                print(text, flush=True)
