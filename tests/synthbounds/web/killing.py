"""A server that is killed while someone makes a release, and what must be true after the next start."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator

from release.data.schema import read_schema
from release.data.source import TableSource
from release.recovery_file import SUFFIX
from release.spent import SPENT
from synthbounds.api.releases import open_release
from synthbounds.schemas import json_schema
from tests.synthbounds.web.serving import children, wait_until_gone
from tests.synthbounds.web.working import RELEASE, SURVEY, Person, person

ACCOUNT = {"name": "people", "adjacency": "replace-one", "epsilon": "1000"}
NOTHING, INTERRUPTED, DONE = "nothing was spent", "interrupted, and told", "done"


@dataclass
class Course:
    """How far a person has come."""

    releases: threading.Event = field(default_factory=threading.Event)
    is_over: threading.Event = field(default_factory=threading.Event)
    is_killed: bool = False
    error: Exception | None = None
    """What went wrong while the server lived."""


Wait: TypeAlias = Callable[[Person, Course], None]


def descendants(pid: int) -> list[int]:
    found = children(pid)
    return found + [one for child in found for one in descendants(child)]


def killed_while(folder: Path, wait: Wait, *, with_jobs: bool = False) -> None:
    """A person hands in a table, prepares a release and makes it; the server is killed when `wait` returns.

    With jobs: their processes are killed, too.
    """
    course = Course()
    with person(folder) as steward:
        if not (steward.releases / "people.account.json").exists():
            steward.done("account", name="people", action="open", options=ACCOUNT)

        def work() -> None:
            try:
                table = steward.upload(SURVEY.read_bytes(), "survey.csv")["id"]
                ticket = steward.prepared(table, account="people", again=True)["ticket"]
                course.releases.set()
                steward.done("release", ticket=ticket)
            except Exception as error:  # whatever a client sees of a server that is killed
                course.error = None if course.is_killed else error
            course.releases.set()
            course.is_over.set()

        working = threading.Thread(target=work)
        working.start()
        wait(steward, course)
        process = steward.server.process
        everybody = descendants(process.pid)
        course.is_killed = True
        process.kill()
        for pid in everybody if with_jobs else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.communicate()
        working.join()
        if course.error is not None:
            raise course.error
        for pid in everybody:
            wait_until_gone(pid)


def outcome(folder: Path, before: set[str]) -> str:
    """After a new start: what became of the release that was being made, if all is as it must be."""
    with person(folder) as steward:
        state = steward.say("state")
        assert len(steward.private) == 1, "the uploads of a server that was killed are still there"
        assert not list(steward.private[0].glob("uploads/*"))
        ledger = json.loads((steward.releases / "people.account.json").read_text("utf-8"))["ledger"]
    new = [one for one in state["releases"] if one["name"] not in before]
    for one in new:
        check(steward.releases / one["name"], one)
    assert len(ledger["entries"]) == len(state["releases"]), "something was booked of which no release tells"
    assert len(new) <= 1
    if not new:
        return NOTHING
    return DONE if new[0]["state"] == "done" else INTERRUPTED


def names_of(folder: Path) -> set[str]:
    """The releases that are there."""
    return {path.name for path in (folder / "releases").glob("release-*")}


def check(place: Path, told: dict[str, Any]) -> None:
    """A release is whole, or it is told that it was interrupted and is spent; nothing is half-written."""
    names = {path.name for path in place.iterdir()}
    assert not [name for name in names if name.startswith(".")], names
    assert not any(path.is_symlink() for path in place.iterdir())
    for path in place.glob("*.json"):
        if path.name != "answer.json":  # printed, as a report is
            body = json.loads(path.read_text("utf-8"))
            if path.name in ("order.json", "outcome.json"):
                Draft202012Validator(json_schema(f"guided-{path.stem}")).validate(body)
    assert told["spent"]
    if told["state"] == "done":
        assert {"synthetic.csv", "synthetic.release.json", "report.html", "schema.json", "answer.json"} <= names
        assert not [name for name in names if name.endswith(SUFFIX)]
        json.loads((place / "answer.json").read_text("utf-8"))
    else:
        assert told["state"] == "interrupted"
        assert SPENT in told["told"] or "booked" in told["told"], told
        kept = {f"synthetic.csv{SUFFIX}", "synthetic.release.json"}
        assert kept & names or "booked" in told["told"], names
    if "synthetic.csv" in names:
        schema = read_schema(place / "schema.json")
        source = TableSource(place / "synthetic.csv", schema, private=False)
        assert sum(len(batch) for batch in source.batches()) > 0
    if "synthetic.release.json" in names:
        open_release(place / "synthetic.release.json")


def appears(pattern: str) -> Wait:
    """Until such a file is in the folder of releases."""

    def wait(steward: Person, course: Course) -> None:
        while not list(steward.releases.glob(pattern)) and not course.is_over.is_set():
            time.sleep(0.002)

    return wait


def cpu_seconds(pid: int) -> float:
    """Of a process and all that it has started, the living and those that it has waited for."""
    ticks = 0
    for one in (pid, *descendants(pid)):
        with contextlib.suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def after(seconds: float, *, of_release: bool) -> Wait:
    """Until the server and its jobs have computed for so long, from the beginning or from that of the release."""

    def wait(steward: Person, course: Course) -> None:
        if of_release:
            course.releases.wait()
        pid = steward.server.process.pid
        begun = cpu_seconds(pid)
        while cpu_seconds(pid) < begun + seconds and not course.is_over.is_set():
            time.sleep(0.004)

    return wait


__all__ = [
    "DONE",
    "INTERRUPTED",
    "NOTHING",
    "RELEASE",
    "after",
    "appears",
    "cpu_seconds",
    "killed_while",
    "names_of",
    "outcome",
]
