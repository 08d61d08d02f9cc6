"""Run the study of certificates in pieces that survive interruption: finished runs are kept and not made again."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bounds.errors import DataError, OutputError

VERSION = 1
"""Raise it when what a run computes changes: results of another version are not counted."""
CHUNK = 20
"""Runs between two writes to the file."""

Row = dict[str, Any]


class RunStore:
    """One line a run: which study, which version, its number, and what came out.

    A line that was cut off by an interruption is ignored, and written again by the next run.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._known: dict[str, dict[int, Row]] = {}
        try:
            data = self._path.read_bytes() if self._path.exists() else b""
        except OSError as error:
            raise DataError(f"store {self._path.name}: cannot be read ({error.strerror})") from None
        whole = data.rfind(b"\n") + 1
        self._whole = whole if whole < len(data) else None
        for number, line in enumerate(data[:whole].splitlines(), start=1):
            try:
                row = json.loads(line)
                study, version, run, found = row["study"], row["version"], row["run"], row["found"]
                if not (isinstance(study, str) and type(run) is int and isinstance(found, dict)):
                    raise ValueError
            except (ValueError, KeyError, TypeError):
                raise DataError(f"store {self._path.name}, line {number}: is not the result of a run") from None
            if version == VERSION:
                self._known.setdefault(study, {})[run] = found

    def known(self, study: str) -> dict[int, Row]:
        return dict(self._known.get(study, {}))

    def add(self, study: str, results: dict[int, Row]) -> None:
        rows = (
            json.dumps({"study": study, "version": VERSION, "run": run, "found": found})
            for run, found in results.items()
        )
        try:
            if self._whole is not None:
                os.truncate(self._path, self._whole)
                self._whole = None
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write("".join(f"{row}\n" for row in rows))
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise OutputError(f"store = {self._path}: cannot be written ({error.strerror})") from None
        self._known.setdefault(study, {}).update(results)


def run_study(
    study: str,
    numbers: list[int],
    make: Callable[[int], Row],
    *,
    store: RunStore | None = None,
    progress: Callable[[str], None] | None = None,
) -> dict[int, Row]:
    """The results of these runs, made as far as they are not in the store."""
    known = {} if store is None else store.known(study)
    found = {run: known[run] for run in numbers if run in known}
    missing = [run for run in numbers if run not in found]
    for start in range(0, len(missing), CHUNK):
        made = {run: make(run) for run in missing[start : start + CHUNK]}
        if store is not None:
            store.add(study, made)
        found.update(made)
        if progress is not None:
            progress(f"{study}: {len(found)} of {len(numbers)} runs")
    return found


def pipeline_row(run: int) -> Row:
    from verify.certificate_runs import pipeline

    found = pipeline(run)
    asked = found.setting
    return {
        "table": asked.table,
        "epsilon": str(asked.epsilon),
        "tau": str(asked.tau),
        "loss": asked.loss,
        "n": found.n,
        "features": found.features,
        "bound": found.bound,
        "excess": found.excess,
        "gap": found.gap,
    }


def pipelines(runs: int, store: RunStore | None, progress: Callable[[str], None] | None = None) -> dict[int, Row]:
    """Runs 0 to runs - 1 of which the tables are here."""
    from verify.certificate_runs import can_run

    return run_study("pipelines", [i for i in range(runs) if can_run(i)], pipeline_row, store=store, progress=progress)


def events(runs: int, store: RunStore | None, progress: Callable[[str], None] | None = None) -> dict[int, Row]:
    """Releases 0 to runs - 1, whether their radii hold."""
    from verify.certificate_runs import can_run, event_holds

    numbers = [i for i in range(runs) if can_run(i)]
    return run_study("events", numbers, lambda run: {"holds": event_holds(run)}, store=store, progress=progress)


def attack_row(number: int, *, by_groups: bool = False) -> Row:
    from verify.certificate_attacks import attack

    found = attack(number, by_groups=by_groups)
    return {
        "loss": found.loss,
        "tau": str(found.tau),
        "features": found.features,
        "groups": found.groups,
        "bound": found.bound,
        "by_table": found.by_table,
        "by_noise": found.by_noise,
    }


def attacks(trials: int, store: RunStore | None, progress: Callable[[str], None] | None = None) -> dict[int, Row]:
    """Trials 0 to trials - 1."""
    return run_study("attacks", list(range(trials)), attack_row, store=store, progress=progress)


def group_attacks(trials: int, store: RunStore | None, progress: Callable[[str], None] | None = None) -> dict[int, Row]:
    """The same trials where a column has few values, against certificates that tell records apart by it."""
    numbers = list(range(trials))
    rows = run_study("group attacks", numbers, lambda i: attack_row(i, by_groups=True), store=store, progress=progress)
    return {number: row for number, row in rows.items() if row["groups"]}


def ratios(rows: dict[int, Row]) -> list[float]:
    """What was really lost, or what an adversary reached, over the bound; above 1 a certificate is broken."""
    return [
        max(row["by_table"], row["by_noise"]) if "by_table" in row else row["excess"] / row["bound"]
        for row in rows.values()
    ]


def main() -> int:
    import argparse

    parser = argparse.ArgumentParser(prog="python -m verify.run_certificates", description=__doc__)
    parser.add_argument("--pipelines", type=int, default=0, help="how many runs from table to certificate")
    parser.add_argument("--attacks", type=int, default=0, help="how many attacks on a certificate")
    parser.add_argument("--group-attacks", type=int, default=0, help="how many on certificates that tell groups apart")
    parser.add_argument("--store", required=True, metavar="FILE", help="keep finished runs here, and go on from them")
    options = parser.parse_args()
    store = RunStore(options.store)

    def say(text: str) -> None:
        sys.stderr.write(f"{text}\n")

    broken = 0
    for name, rows in (
        ("pipelines", pipelines(options.pipelines, store, say)),
        ("attacks", attacks(options.attacks, store, say)),
        ("group attacks", group_attacks(options.group_attacks, store, say)),
    ):
        found = ratios(rows)
        failed = sum(ratio > 1 for ratio in found)
        broken += failed
        say(f"{len(found)} {name}, {failed} certificates broken, largest ratio {max(found, default=0):.9f}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
