"""The engine's process as the server sees it: a fair queue of questions, one answered at a time, limits of time.

A question whose client goes away leaves the queue; if it is being answered, the engine is told to stop and, if it
does not within a moment, is killed and started again. The others in the queue do not notice.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Self

from bounds.errors import FOR_WANT_OF_MEMORY, INTERRUPTED, OUR_BUG, OutOfMemory

COMMAND = (sys.executable, "-P", "-m", "synthbounds.web.engine_child")
"""With -P: no module is taken from the folder in which the server was started."""
MOST_WAITING = 8
MOST_SECONDS = 60.0
"""For one message: an answer, or one point of a curve."""
MOST_CURVE_SECONDS = 120.0
"""For all points of a curve, since others wait behind it."""
START_SECONDS = 60.0
"""Until the process can answer; imports take long on a slow disk."""
STOP_SECONDS = 3.0
"""How long an answer that nobody waits for may still take; a new start costs more than most answers."""
MOST_LINE_BYTES = 64 * 2**20
OUT_OF_MEMORY = OutOfMemory.exit_code


class Busy(Exception):
    """Too many questions wait."""


def failed(exit_code: int, error: str) -> str:
    """A last message that says what went wrong, as the door would."""
    return json.dumps({"last": True, "exit_code": exit_code, "error": error})


@dataclass(eq=False)
class Asked:
    """A question and what has been said to it; None is said after the last message."""

    question: str
    messages: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)
    is_gone: bool = False


class _Child:
    """One process of the engine, killed if its next message takes too long."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._input, self._output = process, process.stdin, process.stdout
        self._limit: asyncio.TimerHandle | None = None
        self.is_late, self.is_ready = False, False

    @property
    def has_ended(self) -> bool:
        return self._process.returncode is not None

    def say(self, line: bytes) -> None:
        with contextlib.suppress(OSError):  # that it has ended is noticed when it is heard
            self._input.write(line + b"\n")

    async def get_ready(self) -> None:
        """Wait for the first line, which is empty; a process that never says it is killed and heard no more."""
        if not self.is_ready:
            self.allow(START_SECONDS)
            self.is_ready = bool(await self.hear())
            self.allow(None)

    async def hear(self) -> bytes:
        """The next line with its end, or nothing if the process ended, even in the middle of a line."""
        line = await self._output.readline()
        return line if line.endswith(b"\n") else b""

    def allow(self, seconds: float | None) -> None:
        """From now on; None sets no limit."""
        if self._limit is not None:
            self._limit.cancel()
        self._limit = None if seconds is None else asyncio.get_running_loop().call_later(seconds, self._be_late)

    def _be_late(self) -> None:
        self.is_late = True
        self._kill()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def end(self) -> None:
        self.allow(None)
        self._kill()
        await self._process.wait()

    async def code(self) -> int:
        """How it ended, once it says nothing more; killing a process that ends on its own can lose its code."""
        self.allow(STOP_SECONDS)
        code = await self._process.wait()
        self.allow(None)
        return code


class EngineProcess:
    """Started by `async with`, which also ends it."""

    def __init__(
        self,
        command: Sequence[str] = COMMAND,
        *,
        most_seconds: float = MOST_SECONDS,
        most_curve_seconds: float = MOST_CURVE_SECONDS,
    ) -> None:
        self._command, self._most_seconds, self._most_curve_seconds = command, most_seconds, most_curve_seconds
        self._waiting: deque[Asked] = deque()
        self._arrived = asyncio.Event()
        self._current: Asked | None = None

    async def __aenter__(self) -> Self:
        self._child = await self._start()
        self._working = asyncio.create_task(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._working.cancel()
        await self._child.end()

    @contextlib.contextmanager
    def asked(self, question: str) -> Iterator[Asked]:
        """The question, one line of text, in the queue for as long as somebody wants the answer."""
        if len(self._waiting) >= MOST_WAITING:
            raise Busy
        asked = Asked(question)
        self._waiting.append(asked)
        self._arrived.set()
        try:
            yield asked
        finally:
            asked.is_gone = True
            if asked in self._waiting:
                self._waiting.remove(asked)
            elif asked is self._current and self._child.is_ready:
                self._child.say(b"")  # stop at the next message
                self._child.allow(STOP_SECONDS)

    async def _start(self) -> _Child:
        pipe, nobody = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(
            *self._command, stdin=pipe, stdout=pipe, stderr=nobody, limit=MOST_LINE_BYTES
        )
        return _Child(process)

    async def _work(self) -> None:
        while await self._arrived.wait():
            if not self._waiting:
                self._arrived.clear()
                continue
            self._current = self._waiting.popleft()
            tell = self._current.messages.put_nowait
            try:
                await self._answer(self._current)
            except Exception as error:  # such as a process that cannot be started
                tell(failed(OUR_BUG, f"a bug of ours: {type(error).__name__}"))
                await self._child.end()
            tell(None)
            self._current = None

    async def _answer(self, asked: Asked) -> None:
        if self._child.has_ended:
            self._child = await self._start()
        child = self._child
        await child.get_ready()
        if asked.is_gone:
            return
        child.say(asked.question.encode())
        clock = asyncio.get_running_loop().time
        ends, points = clock() + self._most_curve_seconds, 0
        child.allow(min(self._most_seconds, self._most_curve_seconds))
        while (line := await child.hear()).strip():
            asked.messages.put_nowait(line.decode().rstrip("\n"))
            points += 1
            if not asked.is_gone:
                child.allow(min(self._most_seconds, max(ends - clock(), 0.0)))
        child.allow(None)
        if line:
            return  # the empty one: the answer is complete
        is_late, code = child.is_late, await child.code()
        if code != OUT_OF_MEMORY:  # which the engine says itself
            asked.messages.put_nowait(self._why(code, is_late=is_late, points=points if clock() >= ends else None))
        self._child = await self._start()

    def _why(self, code: int, *, is_late: bool, points: int | None) -> str:
        """With the number of points if the curve as a whole took too long."""
        if is_late and points is not None:
            most = f"a curve has {self._most_curve_seconds:g} seconds"
            return failed(
                INTERRUPTED, f"interrupted: {most}, and only {points} points were ready by then; ask for fewer"
            )
        if is_late:
            return failed(INTERRUPTED, f"interrupted: no answer within {self._most_seconds:g} seconds")
        if code in FOR_WANT_OF_MEMORY:
            by = FOR_WANT_OF_MEMORY[code]
            return failed(OUT_OF_MEMORY, f"the engine was ended by {by}, perhaps for want of memory")
        return failed(OUR_BUG, f"a bug of ours: the engine ended with code {code}")
