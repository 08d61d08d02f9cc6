"""What holds once noise is drawn: whatever fails says that the budget is spent, and what was paid for is kept.

`spending` stands around everything that a releasing command or function does. `measure` tells it that noise was drawn;
from then on the noisy numbers, with what they cost, are in the recovery file beside the target until `keep_nothing`
says that the release itself is in its place.
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
from release.files.outputs import Outputs, require_place

VERSION = 1
SUFFIX = ".recovery.json"
SPENT = "the noise has been drawn: count epsilon as spent"


@dataclass
class _State:
    recovery: Path | None = None
    is_private: bool = False
    """A release: no text of an exception that nobody foresaw may be shown."""
    measurements: list[dict[str, Any]] = field(default_factory=list)

    @property
    def drawn(self) -> bool:
        return bool(self.measurements)

    @property
    def kept(self) -> str:
        there = self.recovery is not None and self.recovery.exists()
        return f"; the noisy numbers are kept in {self.recovery.name}" if there and self.recovery else ""


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
        state.recovery = _place_beside(beside)
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


def require_room_for_recovery() -> None:
    """Refuse, before the noise, a place where what it costs could not be kept."""
    state = _current.get()
    if state is None or state.recovery is None or state.drawn:
        return
    if state.recovery.exists():
        raise OutputError(
            f"{state.recovery.name}: exists, with noisy numbers that an earlier run paid for; move it away first"
        )
    _write(state, {"synthbounds_recovery": VERSION})  # the real way of writing is tried before anything is spent
    state.recovery.unlink()


def noise_is_drawn(measurement: dict[str, Any], ledger: dict[str, Any], header: dict[str, Any]) -> None:
    """From now on the budget is spent; the numbers that were paid for go to the recovery file."""
    state = _current.get()
    if state is None:
        return
    state.measurements.append(measurement)
    if state.recovery is not None:
        body = {
            "synthbounds_recovery": VERSION,
            "note": "noisy numbers of a release that was not finished; what they cost is spent",
            "header": header,
            "measurements": state.measurements,
            "ledger": ledger,
        }
        _write(state, {**body, "digest": digest_of(body)})


def keep_nothing() -> None:
    """The release is in its place: the recovery file is no longer needed."""
    state = _current.get()
    if state is not None and state.recovery is not None and state.drawn:
        with contextlib.suppress(OSError):
            state.recovery.unlink()


def _place_beside(target: str | Path) -> Path:
    return Path(os.path.realpath(target)).with_name(Path(target).name + SUFFIX)


def _write(state: _State, body: dict[str, Any]) -> None:
    assert state.recovery is not None
    require_place(state.recovery, name="recovery file", force=True)
    with Outputs(force=True) as outputs:
        outputs.add(state.recovery, (json.dumps(body, indent=1) + "\n").encode(), name="recovery file")


def _told(error: BaseException, state: _State) -> BaseException:
    """The same failure, saying what is spent; an exception that nobody foresaw by its type alone."""
    said = f"{SPENT}{state.kept}" if state.drawn else ""
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
