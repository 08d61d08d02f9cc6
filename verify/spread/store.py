"""Numbered runs in pieces that survive interruption: finished ones are kept in a file and not repeated."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bounds.errors import DataError, OutputError
from verify.spread.workers import HERE, Workers


class Store:
    """One line per run: the study, the version, the number of the run, and its result.

    A line cut off by an interruption is ignored and rewritten by the next run; lines of another version are not
    counted.
    """

    def __init__(self, path: str | Path, version: str | int) -> None:
        self._path, self._version = Path(path), version
        self._known: dict[str, dict[int, Any]] = {}
        try:
            data = self._path.read_bytes() if self._path.exists() else b""
        except OSError as error:
            raise DataError(f"store {self._path.name}: cannot be read ({error.strerror})") from None
        whole = data.rfind(b"\n") + 1
        self._whole = whole if whole < len(data) else None
        for number, line in enumerate(data[:whole].splitlines(), start=1):
            try:
                row = json.loads(line)
                if row["version"] != version:
                    continue
                study, run, found = row["study"], row["run"], row["found"]
                if not (isinstance(study, str) and type(run) is int):
                    raise ValueError
            except (ValueError, KeyError, TypeError):
                raise DataError(f"store {self._path.name}, line {number}: is not the result of a run") from None
            self._known.setdefault(study, {})[run] = found

    def known(self, study: str) -> dict[int, Any]:
        return dict(self._known.get(study, {}))

    def add(self, runs: Iterable[tuple[str, int, Any]]) -> None:
        """Study, number and result."""
        rows = [
            {"study": study, "version": self._version, "run": number, "found": found} for study, number, found in runs
        ]
        try:
            if self._whole is not None:
                os.truncate(self._path, self._whole)
                self._whole = None
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write("".join(f"{json.dumps(row)}\n" for row in rows))
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise OutputError(f"store = {self._path}: cannot be written ({error.strerror})") from None


def run_studies(
    function: str,
    wanted: Mapping[str, Sequence[int]],
    *,
    size: int,
    store: Store | None = None,
    workers: Workers = HERE,
    progress: Callable[[str], None] | None = None,
) -> dict[str, dict[int, Any]]:
    """The results of these runs of studies, by number: an item is a study with a number.

    Runs that are not in the store are made, `size` of them between two writes to it.
    """
    found = {study: {} if store is None else store.known(study) for study in wanted}
    missing = [(study, number) for study, numbers in wanted.items() for number in numbers if number not in found[study]]
    made = 0
    for answers in workers.chunks(function, missing, size=size):
        runs = [(*item, answer) for item, answer in zip(missing[made : made + size], answers, strict=True)]
        if store is not None:
            store.add(runs)
        for study, number, answer in runs:
            found[study][number] = answer
        made += len(runs)
        if progress is not None:
            progress(f"{runs[-1][0]}: {made} of {len(missing)} runs")
    return {study: {number: found[study][number] for number in numbers} for study, numbers in wanted.items()}
