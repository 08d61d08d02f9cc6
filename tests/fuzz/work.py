"""Requests of the guided way that no one should send: whatever they say, only the server's own files are named."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import random
import re
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

from bounds.errors import SynthboundsError
from synthbounds.cli.run import all_options
from synthbounds.web.work.child import COMMAND
from synthbounds.web.work.desk import Desk
from synthbounds.web.work.jobs import Busy, Job, Jobs, Order
from synthbounds.web.work.kept import Kept
from synthbounds.web.work.private_folder import PrivateFolder
from tests.fuzz.asked import SCHEMA, sound, spoilt
from tests.fuzz.judging import CODES, Verdict

TABLE = b"sex,age\nF,40\n"
TICKET = {"epsilon": "1", "adjacency": "replace-one"}
MOST = 400
OWN_NAME = re.compile(
    r"(other-)*(a\.csv|b\.csv|model\.json|schema\.json\.csv)|(schema|release|query)\.json|(synthetic|generated)\.csv|"
    r"(plan|errors)\.svg|report\.html|(\.\./)?[A-Za-z0-9_-]+\.account\.json|\.\./release-1/release\.json"
)


class Recorded(Jobs):
    """Jobs that are looked at, and not run."""

    def start(self, order: Order) -> Job:
        job = self._jobs["j1"] = Job("j1", order, state="failed", exit_code=2)
        if order.kept and order.ends is not None:
            order.ends(job)  # nothing was spent, so nothing is kept
        if order.held is not None:
            os.close(order.held)
        return job


class Stage:
    """A desk with uploads, a release and an account of which nothing is real."""

    def __init__(self, folder: Path, private: PrivateFolder) -> None:
        (folder / "release-1").mkdir()
        for name in ("release-1/release.json", "release-1/outcome.json", "people.account.json"):
            (folder / name).write_text("{}")
        self.folder, self.private = folder, private
        self.desk = Desk(private, Kept(folder), most_upload=10**6, demo=True, runs=Recorded)
        for data, called in ((TABLE, "a.csv"), (TABLE, "b.csv"), (b"{}", "model.json"), (TABLE, "schema.json")):
            asyncio.run(self.desk.uploads.receive(called, _parts(data), len(data)))

    def ask(self, name: str, asked: dict[str, Any]) -> Job | None:
        """As the routes do."""
        if name == "work":
            return self.desk.work(asked)
        if name == "file":
            assert self.desk.made.file(asked).is_file()
        elif name == "state":
            json.dumps(self.desk.state({**asked, "forget": "t0"} if "forget" in asked else asked))
        elif name == "job":
            json.dumps(self.desk.made.job(asked).message())
        else:
            self.desk.demo(asked.get("name") if asked.get("name") not in ("survey", "clinic") else "x")
        return None


async def _parts(data: bytes) -> AsyncIterator[bytes]:
    yield data


@cache
def stage() -> Stage:
    """One for the process; it goes with it."""
    held = ExitStack()
    atexit.register(held.close)
    folder = Path(held.enter_context(tempfile.TemporaryDirectory()))
    return Stage(folder, held.enter_context(PrivateFolder()))


def work_case(draws: random.Random) -> Verdict:
    """A request is refused in one line that shows no path, or becomes a command that names files of ours alone."""
    on, faults, code = stage(), list[str](), 0
    name = draws.choice(("work",) * 8 + ("file", "state", "job", "demo"))
    first = sound(draws)
    asked = spoilt(draws, first)
    start = time.process_time()
    try:
        if asked.get("do") == "release" and draws.randrange(3):
            ready = on.desk.work({"do": "prepare", "table": "t1", "schema": SCHEMA, "options": TICKET, "again": True})
            assert ready.order.adds is not None
            asked["ticket"] = ready.order.adds({})["ticket"]
        job = on.ask(name, asked)
        faults = [] if job is None else wrongs(job, on)
    except SynthboundsError as error:
        code = error.exit_code
        if "\n" in str(error) or str(on.private.path) in str(error) or len(str(error)) > MOST:
            faults.append(f"says {str(error)[:300]!r}")
    except Busy:
        code = 2
    except Exception as error:
        code, faults = 70, [f"an exception came out: {error!r}"]
    if code not in CODES:
        faults.append(f"exit {code}")
    faults = [f"{name} {json.dumps(asked)[:600]}: {fault}" for fault in faults]
    return Verdict(code, tuple(faults), time.process_time() - start)


def wrongs(job: Job, on: Stage) -> list[str]:
    """What a job would do that it must not."""
    found = []
    places = (on.private.path, on.folder)
    if not any(job.order.folder.is_relative_to(place) for place in places):
        found.append(f"runs in {job.order.folder}")
    if job.order.kept and job.order.do not in ("release", "recover"):
        found.append("writes to the folder of releases")
    for kind, words in job.order.stages:
        if kind != COMMAND:
            continue
        try:
            options = all_options(list(words))
        except SynthboundsError:
            continue  # refused by the command itself
        if getattr(options, "mode", None) == "release" and job.order.do != "release":
            found.append("releases without a ticket")
        if getattr(options, "force", False):
            found.append("replaces files")
        files = {p.name for p in options.declared.parameters.values() if p.role is not None or p.kind == "file"}
        for name in files | {"output", "report"}:
            value = getattr(options, name, None) or []
            texts = value if isinstance(value, list) else [value]
            found += [f"{name} = {text!r}" for text in texts if not OWN_NAME.fullmatch(text)]
    return found
