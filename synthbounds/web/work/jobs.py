"""Jobs: commands that run for the page, two at a time, with what they say; any tab may listen, now or later."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shlex
import signal
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bounds.errors import INTERRUPTED, OUR_BUG, SynthboundsError
from release.spent import SPENT
from synthbounds.web.work.child import ANSWER, COMMAND, SAID
from synthbounds.web.work.kept import files_in

CHILD = (sys.executable, "-P", "-m", "synthbounds.web.work.child")
MOST_RUNNING = 2
MOST_WAITING = 8
MOST_JOBS = 100
"""That are remembered; the oldest that have ended are forgotten."""
KILL_SECONDS = 6.0
"""For a command that was told to stop: far longer than it takes to clean up."""
_MOST_ANSWER_BYTES = 32 * 2**20
_MOST_SAID_BYTES = 2**16
_ERROR, _WARNING = "synthbounds: error: ", "synthbounds: warning: "


class Busy(Exception):
    """Too many jobs wait."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """What a job does: steps and commands one after the other in one folder; the last one answers."""

    do: str
    stages: tuple[tuple[str, tuple[str, ...]], ...]
    """A kind, which is a command or a step of ours, and its words."""
    folder: Path
    kept: bool = False
    """In the folder of releases, and not in the private one."""
    held: int | None = None
    """The lock of a release."""
    ends: Callable[[Job], None] | None = None
    """Called before anybody is told of the end."""
    adds: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    """More for the answer of a command that went well."""

    @property
    def arguments(self) -> tuple[str, ...]:
        kind, words = self.stages[-1]
        return words if kind == COMMAND else ()

    @property
    def command(self) -> str:
        return shlex.join(["synthbounds", *self.arguments]) if self.arguments else ""


@dataclass(eq=False)
class Job:
    """An order and what became of it so far."""

    id: str
    order: Order
    state: str = "waiting"
    progress: str | None = None
    exit_code: int | None = None
    body: dict[str, Any] | None = None
    error: str | None = None
    warnings: list[str] = field(default_factory=list)
    spent: bool = False
    is_told_to_stop: bool = False
    process: asyncio.subprocess.Process | None = None
    task: asyncio.Task[None] | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def has_ended(self) -> bool:
        return self.state in ("done", "failed", "stopped")

    def tell(self) -> None:
        """Whoever listens hears what is known now."""
        self._changed.set()
        self._changed = asyncio.Event()

    def message(self, *, whole: bool = True) -> dict[str, Any]:
        """What is known now; without the answer if it is not asked for."""
        found: dict[str, Any] = {"last": self.has_ended, "job": self.id, "do": self.order.do, "state": self.state}
        if not self.has_ended:
            return found | {"progress": None if self.progress is None else {"text": self.progress}}
        return found | {
            "exit_code": self.exit_code,
            "body": self.body if whole else None,
            "error": self.error,
            "warnings": self.warnings,
            "spent": self.spent,
            "command": self.order.command,
            "arguments": list(self.order.arguments),
            "release": self.order.folder.name if self.order.kept else None,
            "files": self.files(),
        }

    def files(self) -> list[dict[str, Any]]:
        """The files that it has made."""
        where = "kept" if self.order.kept else "private"
        if not self.order.folder.is_dir():
            return []
        return [{**one, "where": where} for one in files_in(self.order.folder)]

    async def messages(self, quiet_seconds: float) -> AsyncIterator[dict[str, Any] | None]:
        """What is known now, and again whenever that changes, until the end; None if it is quiet for long."""
        while True:
            changed = self._changed
            yield self.message()
            if self.has_ended:
                return
            while True:
                try:
                    async with asyncio.timeout(quiet_seconds):
                        await changed.wait()
                    break
                except TimeoutError:
                    yield None


class Jobs:
    """All of them; they end with the server."""

    def __init__(self, private: Path) -> None:
        self._private = private
        self._jobs: dict[str, Job] = {}
        self._count = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(MOST_RUNNING)

    def __iter__(self) -> Any:
        return iter(self._jobs.values())

    def find(self, number: object) -> Job | None:
        return self._jobs.get(number) if isinstance(number, str) else None

    def new_folder(self) -> Path:
        """For the files of the next job."""
        if sum(job.state == "waiting" for job in self) >= MOST_WAITING:
            raise Busy
        self._count += 1
        place = self._private / f"j{self._count}"
        place.mkdir(mode=0o700)
        return place

    def start(self, order: Order) -> Job:
        """In the order of their numbers, as soon as there is a place."""
        self._forget_old()
        name = f"j{self._count}"
        job = self._jobs[name] = Job(name, order)
        job.task = asyncio.create_task(self._run(job))
        self._tasks.add(job.task)
        job.task.add_done_callback(self._tasks.discard)
        return job

    def _forget_old(self) -> None:
        ended = [job for job in self if job.has_ended]
        for job in ended[: max(len(self._jobs) - MOST_JOBS + 1, 0)]:
            del self._jobs[job.id]

    def stop(self, job: Job) -> None:
        """Tell it to end; what it says then is heard as ever."""
        if job.has_ended or job.is_told_to_stop:
            return
        job.is_told_to_stop = True
        if job.process is not None:
            _end(job.process)
        elif job.state == "waiting" and job.task is not None:
            job.task.cancel()

    async def end(self) -> list[str]:
        """Stop all of them, and wait until they have said what there is to say; gives what was spent unreported."""
        cut_off = [job for job in self if not job.has_ended]
        for job in cut_off:
            self.stop(job)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        return [f"{job.order.folder.name}: {job.error}" for job in cut_off if job.spent and job.error]

    async def _run(self, job: Job) -> None:
        try:
            async with self._places:
                job.state = "running"
                job.tell()
                for kind, words in job.order.stages:
                    if job.is_told_to_stop:
                        job.exit_code, job.error = INTERRUPTED, "interrupted"
                        break
                    job.exit_code = await self._stage(job, kind, words)
                    if job.exit_code != 0:
                        break
            self._hear_out(job)
        except asyncio.CancelledError:  # while it waited
            job.exit_code, job.error = INTERRUPTED, "interrupted"
        except SynthboundsError as error:
            job.exit_code, job.error = error.exit_code, str(error)
        except Exception as error:
            job.exit_code, job.error = OUR_BUG, f"a bug of ours: {type(error).__name__}"
        if job.order.ends is not None:
            try:
                job.order.ends(job)
            except Exception as error:
                job.exit_code = OUR_BUG
                job.error = f"a bug of ours: {type(error).__name__} ({job.error or 'at the end'})"
        if job.order.held is not None:
            os.close(job.order.held)
        job.process = None
        job.state = "done" if job.exit_code == 0 else "stopped" if job.is_told_to_stop else "failed"
        job.tell()

    async def _stage(self, job: Job, kind: str, words: tuple[str, ...]) -> int:
        """Run one command or step; the exit code."""
        temporary = self._private / "temporary"
        temporary.mkdir(mode=0o700, exist_ok=True)
        environment = {**os.environ, "TMPDIR": str(temporary), "MPLCONFIGDIR": str(temporary)}
        job.process = await asyncio.create_subprocess_exec(
            *CHILD,
            str(os.getpid()),
            kind,
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=job.order.folder,
            env=environment,
            pass_fds=() if job.order.held is None else (job.order.held,),
            start_new_session=True,
        )
        if job.is_told_to_stop:  # while it was started
            _end(job.process)
        assert job.process.stdout is not None
        async for line in job.process.stdout:
            job.progress = line.decode("utf-8", "replace").rstrip("\n")
            job.tell()
        code = await job.process.wait()
        return code if code >= 0 else INTERRUPTED if job.is_told_to_stop else OUR_BUG

    def _hear_out(self, job: Job) -> None:
        """What the last command wrote: its answer, its error and its warnings."""
        said = _text(job.order.folder / SAID, _MOST_SAID_BYTES) or ""
        for line in said.splitlines():
            if line.startswith(_ERROR):
                job.error = line.removeprefix(_ERROR)
            elif line.startswith(_WARNING):
                job.warnings.append(line.removeprefix(_WARNING))
        if job.exit_code == 0:
            job.error = None
            job.body = _object(_text(job.order.folder / ANSWER, _MOST_ANSWER_BYTES))
            if job.order.adds is not None:
                job.body = job.order.adds(job.body or {})
        elif job.error is None:
            how = f"the command ended with code {job.exit_code}"
            job.error = "interrupted" if job.exit_code == INTERRUPTED else how
        job.spent = SPENT in said


def _end(process: asyncio.subprocess.Process) -> None:
    """Tell it to end, and make sure that it does."""
    _send(process, signal.SIGTERM)
    asyncio.get_running_loop().call_later(KILL_SECONDS, _send, process, signal.SIGKILL)


def _send(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)


def _text(path: Path, most: int) -> str | None:
    try:
        if path.stat().st_size > most:
            return None
        return path.read_text("utf-8", "replace")
    except OSError:
        return None


def _object(text: str | None) -> dict[str, Any] | None:
    try:
        found = json.loads(text or "")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
