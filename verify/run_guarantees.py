"""Run guarantees many times, in pieces that survive interruption: finished runs are kept and not made again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from bounds.errors import DataError, OutputError
from bounds.registry import registry_digest
from verify.guarantee import Frequency, Guarantee

CHUNK = 100
"""Runs between two writes to the file."""


class Store:
    """Results of runs, one line each: guarantee, version of the mathematics, number of the run, whether it failed.

    A line that was cut off by an interruption is ignored; lines of another version are not counted.
    """

    def __init__(self, path: str | Path) -> None:
        self._path, self._version = Path(path), registry_digest()
        self._known: dict[str, dict[int, bool]] = {}
        try:
            text = self._path.read_text(encoding="utf-8") if self._path.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"store {self._path.name}: cannot be read ({error})") from None
        lines = text.split("\n")
        for number, line in enumerate(lines[:-1], start=1):  # what follows the last line end was cut off
            self._read(line, number)
        self._cut = bool(lines[-1])

    def _read(self, line: str, number: int) -> None:
        try:
            row = json.loads(line)
            name, version, run, failed = row["guarantee"], row["version"], row["run"], row["failed"]
            if not (isinstance(name, str) and type(run) is int and type(failed) is bool):
                raise ValueError
        except (ValueError, KeyError, TypeError):
            raise DataError(f"store {self._path.name}, line {number}: is not the result of a run") from None
        if version == self._version:
            self._known.setdefault(name, {})[run] = failed

    def known(self, guarantee: Guarantee) -> dict[int, bool]:
        return dict(self._known.get(guarantee.id, {}))

    def add(self, guarantee: Guarantee, results: Iterable[tuple[int, bool]]) -> None:
        rows = [
            json.dumps({"guarantee": guarantee.id, "version": self._version, "run": run, "failed": failed})
            for run, failed in results
        ]
        try:
            if self._cut:
                self._drop_cut_line()
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write("".join(f"{row}\n" for row in rows))
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise OutputError(f"store = {self._path}: cannot be written ({error.strerror})") from None

    def _drop_cut_line(self) -> None:
        data = self._path.read_bytes()
        with self._path.open("r+b") as stream:
            stream.truncate(data.rfind(b"\n") + 1)
        self._cut = False


def run_guarantee(
    guarantee: Guarantee, runs: int, *, store: Store | None = None, progress: Callable[[str], None] | None = None
) -> Frequency:
    """Runs 0 to runs - 1, as far as they are not in the store."""
    known = {} if store is None else {run: failed for run, failed in store.known(guarantee).items() if run < runs}
    missing = [run for run in range(runs) if run not in known]
    for start in range(0, len(missing), CHUNK):
        made = [(run, guarantee.fails(run)) for run in missing[start : start + CHUNK]]
        if store is not None:
            store.add(guarantee, made)
        known.update(made)
        if progress is not None:
            progress(f"{guarantee.id}: {len(known)} of {runs} runs")
    return Frequency(guarantee, runs, sum(known.values()))


def run_all(
    chosen: Sequence[Guarantee], runs: int, *, store: Store | None, progress: Callable[[str], None] | None
) -> tuple[Frequency, ...]:
    return tuple(run_guarantee(guarantee, runs, store=store, progress=progress) for guarantee in chosen)
