"""What holds once noise is drawn: whatever fails says that the budget is spent, and what was paid for is kept.

`spending` stands around everything that a releasing command or function does. `measure` tells it that noise was drawn;
from then on the noisy numbers, with what they cost, are in the recovery file beside the target, until
`release_is_placed` says that the release itself is there.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bounds.errors import OutOfMemory, OutputError, SynthboundsError, Unforeseen
from release.files.digest import digest_of
from release.files.outputs import Outputs

VERSION = 1
SUFFIX = ".recovery.json"
SPENT = "the noise has been drawn: count epsilon as spent"


@dataclass
class _State:
    recovery: Path | None = None
    is_private: bool = False
    """A release: no text of an exception that nobody foresaw may be shown."""
    reserved: bool = False
    """The recovery file is ours: we made it where there was none."""
    begun: bool = False
    """Noise is being drawn, or has been."""
    written: bool = False
    """The recovery file holds all that was drawn."""
    measurements: list[dict[str, Any]] = field(default_factory=list)

    @property
    def said(self) -> str:
        if not self.begun:
            return ""
        kept = self.recovery is not None and self.reserved and self.written
        return SPENT + (f"; the noisy numbers are kept in {self.recovery.name}" if kept and self.recovery else "")

    def forget_file(self) -> None:
        """Remove the recovery file, if it is ours."""
        if self.recovery is not None and self.reserved:
            with contextlib.suppress(OSError):
                self.recovery.unlink()
            self.reserved = False


_current: ContextVar[_State | None] = ContextVar("spending", default=None)


@contextlib.contextmanager
def spending(*, beside: str | Path | None = None, is_private: bool = True) -> Iterator[None]:
    """Inside, every failure after noise was drawn says so, and shows nothing of an exception that nobody foresaw.

    `beside` is the file that the release goes to; the recovery file stands next to it. One `spending` inside another
    belongs to the outer one.
    """
    outer = _current.get()
    state = outer or _State()
    state.is_private = state.is_private or is_private
    if beside is not None and state.recovery is None:
        state.recovery = Path(f"{beside}{SUFFIX}")
    token = _current.set(state)
    try:
        yield
    except BaseException as error:
        if isinstance(error, GeneratorExit):
            raise
        told = _told(error, state)
        if told is error:
            raise
        raise told from None
    finally:
        _current.reset(token)
        if outer is None and not state.begun:
            state.forget_file()


def reserve_recovery_file() -> None:
    """Make the recovery file before the noise, where there is none: it is ours from now on until the release is placed.

    Both real ways of writing, placing a file and replacing one, are tried by that, before anything is spent.
    """
    state = _current.get()
    if state is None or state.recovery is None or state.reserved:
        return
    if state.recovery.exists():
        raise OutputError(
            f"{state.recovery.name}: exists, with what an earlier run paid for, as its note says; move it away first"
        )
    empty = {"synthbounds_recovery": VERSION, "note": "a release is about to draw its noise; nothing is spent yet"}
    _write(state.recovery, empty, force=False)  # fails if another process was faster
    state.reserved = True
    _write(state.recovery, empty, force=True)


def spending_begins() -> None:
    """Noise is drawn next: a failure from now on must say that the budget is spent."""
    state = _current.get()
    if state is not None:
        state.begun, state.written = True, False


def noise_is_drawn(measurement: dict[str, Any], ledger: dict[str, Any], header: dict[str, Any]) -> None:
    """From now on the budget is spent; the numbers that were paid for go to the recovery file."""
    state = _current.get()
    if state is None:
        return
    state.measurements.append(measurement)
    if state.recovery is None or not state.reserved:
        return
    body = {
        "synthbounds_recovery": VERSION,
        "note": "noisy numbers of a release that was not finished; what they cost is spent",
        "header": header,
        "measurements": state.measurements,
        "ledger": ledger,
    }
    with contextlib.suppress(OutputError):  # a backup that fails must not cost what it is to keep
        _write(state.recovery, {**body, "digest": digest_of(body)}, force=True)
        state.written = True


def release_is_placed() -> None:
    """What was paid for is in its files: the recovery file is no longer needed."""
    state = _current.get()
    if state is not None:
        state.forget_file()
        state.measurements.clear()


def _write(path: Path, body: dict[str, Any], *, force: bool) -> None:
    with Outputs(force=force) as outputs:
        outputs.add(path, (json.dumps(body, indent=1) + "\n").encode(), name="recovery file")


def _told(error: BaseException, state: _State) -> BaseException:
    """The same failure, saying what is spent; an exception that nobody foresaw by its type alone."""
    said = state.said
    if isinstance(error, SynthboundsError):
        if said and SPENT not in str(error):
            error.args = (f"{error} ({said})",)
        return error
    if isinstance(error, KeyboardInterrupt):
        return KeyboardInterrupt(f"interrupted ({said})") if said and SPENT not in str(error) else error
    if isinstance(error, MemoryError):
        return OutOfMemory("memory ran out" + (f" ({said})" if said else ""))
    if isinstance(error, OSError) and said:
        return OutputError(f"cannot read or write: {os.strerror(error.errno or 5)} ({said})")
    if not said and (isinstance(error, OSError | SystemExit) or not state.is_private):
        return error
    return Unforeseen(f"a bug of ours: {type(error).__name__}" + (f" ({said})" if said else ""))
