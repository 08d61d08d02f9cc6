"""What one release has spent so far, and how a failure reports it."""

from __future__ import annotations

import contextlib
import os
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.errors import OutOfMemory, OutputError, SynthboundsError, Unforeseen
from release.files.watched import tell_gone, tell_spent
from release.memory import NOTHING_SPENT
from release.recovery_file import GOING_ON, recovery_body
from release.signals import interrupted

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from release.account.book import Booked
    from release.account.file import Account
    from release.data.source import Source
    from release.recovery_file import Asked
    from release.replay import Replay

_UNMAPPED = "map segment"
"""What the loader says about a library for which there is no room."""
SPENT = "the noise has been drawn: count epsilon as spent"


@dataclass
class Spent:
    """What has happened so far; a failure says which part of it costs something."""

    recovery: Path | None = None
    is_private: bool = False
    """A release: the text of an unforeseen exception must not be shown."""
    reserved: bool = False
    """The recovery file is ours: there was none before we made it."""
    begun: bool = False
    """Noise is being drawn, or has been."""
    written: bool = False
    """The recovery file contains all that was drawn."""
    measurements: list[dict[str, Any]] = field(default_factory=list)
    public: tuple[dict[str, Any], dict[str, Any]] = field(default_factory=lambda: ({}, {}))
    """The ledger after the last of them, and the public fields around them."""
    account: Path | None = None
    opened: Account | None = None
    """The account as it was before anything was recorded here."""
    booked: list[Booked] = field(default_factory=list)
    booking: bool = False
    """Something is being recorded: after an interruption here nobody can know whether it was."""
    marking: bool = False
    """What pays is being marked as spent, or has been."""
    ahead: list[tuple[str, Fraction]] = field(default_factory=list)
    """What is recorded and not yet drawn: its name, and how much of it is left, in the unit of the account."""
    asked: Asked | None = None
    """The command, for finishing it."""
    source: Source | None = None
    """The records, if their number is public."""
    before_noise: Callable[[], None] | None = None
    """Called once, when the first noise is about to be drawn: the last moment for a warning."""
    replay: Replay | None = None
    """What was drawn before takes the place of noise: nothing is drawn, recorded or marked."""

    @property
    def said(self) -> str:
        if self.replay is not None and self.recovery is not None:
            return f"nothing more was spent; the noisy numbers are still in {self.recovery.name}"
        booked = ""
        if self.account is not None and (self.booked or self.booking):
            booked = f"{'' if self.booked else 'perhaps '}recorded in the account {self.account.name}"
        if not self.begun:
            marked = "what pays is perhaps marked as spent" if self.marking else ""
            both = " and ".join(part for part in (marked, booked) if part)
            return both and f"{both}, though no noise was drawn"
        said = SPENT
        if self.recovery is not None and self.reserved:
            said += f"; the noisy numbers are {'' if self.written else 'perhaps '}kept in {self.recovery.name}"
            said += self._finishing
        return f"{said}; {booked}" if booked else said

    @property
    def _finishing(self) -> str:
        """The command that finishes the release; with the table only if all that was drawn is known to be kept."""
        if self.asked is None or self.recovery is None:
            return ""
        words = ["synthbounds", "recover", str(self.recovery)]
        if self.written and self.asked.table is not None and self.public[1].get("kind") in GOING_ON:
            words += ["--table", self.asked.table]
        command = shlex.join(words)
        return f" (finish with `{command}`)" if command.isprintable() else ""

    @property
    def public_records(self) -> int | None:
        """The number of records, if it is public and they have been counted."""
        return None if self.source is None or not self.source.is_read else self.source.n

    def body(self, *, drawing: bool) -> dict[str, Any]:
        """The current contents of the recovery file."""
        ledger, header = self.public
        return recovery_body(
            self.measurements,
            ledger=ledger,
            header=header,
            asked=self.asked,
            records=self.public_records,
            drawing=drawing,
        )

    def tell(self) -> None:
        """Report it to a process that watches this one, for when we cannot."""
        tell_spent(self.said)

    def forget_file(self) -> None:
        """Remove the recovery file, if it is ours."""
        if self.recovery is not None and self.reserved:
            with contextlib.suppress(OSError):
                self.recovery.unlink()
            tell_gone(str(self.recovery))
            self.reserved = False
        self.tell()


def told(error: BaseException, state: Spent) -> BaseException:
    """The same failure, saying what is spent; an unforeseen exception only by its type."""
    said = state.said
    if isinstance(error, OutOfMemory) and not said and NOTHING_SPENT not in str(error):
        error.args = (f"{error}{_unspent(state)}",)
    if isinstance(error, SynthboundsError):
        if said and SPENT not in str(error) and said not in str(error):
            error.args = (f"{error} ({said})",)
        return error
    if isinstance(error, KeyboardInterrupt):
        return KeyboardInterrupt(f"interrupted ({said})") if said and SPENT not in str(error) else error
    if isinstance(error, MemoryError) or (isinstance(error, ImportError) and _UNMAPPED in str(error)):
        return OutOfMemory("memory ran out" + (f" ({said})" if said else _unspent(state)))
    if isinstance(error, OSError) and said:
        return OutputError(f"cannot read or write: {os.strerror(error.errno or 5)} ({said})")
    if interrupted:  # a library made another exception of it
        return told(KeyboardInterrupt(), state)
    if not said and (isinstance(error, OSError | SystemExit) or not state.is_private):
        return error
    return Unforeseen(f"a bug of ours: {type(error).__name__}" + (f" ({said})" if said else ""))


def _unspent(state: Spent) -> str:
    """Shown if a release ends before anything was spent."""
    return f"; {NOTHING_SPENT}" if state.is_private and state.replay is None else ""
