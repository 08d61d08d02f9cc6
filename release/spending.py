"""The rules once noise is drawn: every failure says that the budget is spent, and what was paid for is kept.

`spending` encloses everything that a releasing command or function does. `measure` tells it that noise was drawn; from
then on the noisy numbers, with their cost, are in the recovery file next to the target, until `release_is_placed` says
that the release itself is in place. If an account was named, every cost of a release is recorded there before its
noise; a simulation records nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.errors import BudgetError, OutputError, SynthboundsError, UsageError
from release.files.watched import tell_begun, tell_gone
from release.memory import AFTERWARDS, NOTHING_SPENT, require_memory
from release.recovery_file import SUFFIX as SUFFIX
from release.recovery_file import VERSION as VERSION
from release.recovery_file import keep_anyhow
from release.recovery_file import write_recovery as _write
from release.signals import undisturbed
from release.spent import SPENT as SPENT
from release.spent import Spent, told

if TYPE_CHECKING:
    from bounds.privacy.amounts import Entry
    from release.account.file import Account, Charge
    from release.data.source import Source
    from release.recovery_file import Asked
    from release.replay import Replay

_current: ContextVar[Spent | None] = ContextVar("spending", default=None)


@dataclass(frozen=True, kw_only=True)
class InAccount:
    """What was recorded in an account so far, and the account now."""

    file: str
    account: Account
    entries: tuple[Entry, ...]


@contextlib.contextmanager
def spending(
    *,
    beside: str | Path | None = None,
    is_private: bool = True,
    account: str | Path | None = None,
    asked: Asked | None = None,
    before_noise: Callable[[], None] | None = None,
) -> Iterator[None]:
    """Inside, every failure after noise was drawn says so, and shows nothing of an unforeseen exception.

    `beside` is the file that the release goes to; the recovery file is next to it. `account` is the file in which
    everything measured inside is recorded; it is checked here, so that a bad one costs nothing. `asked` is the command
    that does all this, for finishing it later. `before_noise` is called when the first noise is about to be drawn. One
    `spending` inside another belongs to the outer one.
    """
    outer = _current.get()
    state = outer or Spent(asked=asked, before_noise=before_noise)
    state.is_private = state.is_private or is_private
    if beside is not None and state.recovery is None:
        state.recovery = Path(f"{beside}{SUFFIX}")
    if account is not None and state.replay is None:
        _take(state, Path(account))
    token = _current.set(state)
    try:
        yield
    except BaseException as error:
        if isinstance(error, GeneratorExit):
            raise
        failure = told(error, state)
        if failure is error:
            raise
        raise failure from None
    finally:
        _current.reset(token)
        if outer is None and not state.begun:
            state.forget_file()


@contextlib.contextmanager
def replaying(replay: Replay) -> Iterator[None]:
    """Inside, a recovery file takes the place of noise; the file is removed once the release is in place."""
    with spending():
        state = _current.get()
        assert state is not None
        state.replay, state.recovery = replay, replay.recovery.path
        state.reserved = state.begun = state.written = True
        state.tell()
        yield


def current_replay() -> Replay | None:
    """What takes the place of noise when an interrupted release is finished."""
    state = _current.get()
    return None if state is None else state.replay


def drawn_before() -> Replay | None:
    """What takes the place of the requested noise; None if it is drawn.

    When an interrupted release goes on, noise is drawn after everything that was kept. The recovery file then says so
    first: of two runs that go on from it only one finds it unchanged.
    """
    state = _current.get()
    if state is None or state.replay is None or not state.replay.goes_on or state.replay.has_more:
        return current_replay()
    found = state.replay.recovery
    state.asked, state.measurements = found.asked, [dict(item) for item in found.measurements]
    state.public = found.ledger.to_json(), dict(found.header)
    _write(found.path, state.body(drawing=True), force=True, replaces=found.as_read)
    state.replay, state.written = None, False
    state.tell()
    return None


def records_are_public(source: Source) -> None:
    """The number of records is public: a recovery file states it."""
    state = _current.get()
    if state is not None:
        state.source = source


def public_records() -> int | None:
    """The number of records that were read, if it is public."""
    state = _current.get()
    return None if state is None else state.public_records


def _take(state: Spent, account: Path) -> None:
    if state.account is not None and state.account.resolve() != account.resolve():
        raise UsageError(f"account = {account}: {state.account.name} is already the one of this release")
    if state.account is None:
        from release.account.book import require_bookable

        state.opened, state.account = require_bookable(account), account


def in_account() -> InAccount | None:
    """What the release in progress has recorded; None if it has no account."""
    state = _current.get()
    if state is None or state.account is None or state.opened is None:
        return None
    latest = state.booked[-1].account if state.booked else state.opened
    entries = tuple(entry for booked in state.booked for entry in booked.entries)
    return InAccount(file=str(state.account), account=latest, entries=entries)


def book_ahead(charges: Sequence[Charge], then: Callable[[], None] | None = None) -> None:
    """Record, before its first noise, everything that a release will measure: it gets all of it or is refused.

    `measure` and `choose` treat what they find here under their name as recorded, as long as it lasts: a charge may be
    for many of them. `then` marks what else pays; if it fails nothing is recorded.
    """
    state = _current.get()
    if state is not None and state.replay is not None:
        return
    if state is not None and state.account is not None:
        reserve_recovery_file()
        _book(state, state.account, charges, then)
        known = state.booked[-1].account
        state.ahead.extend((charge.what, known.amount_of(charge.cost)) for charge in charges)
    else:
        _mark(state, then)


def book_in_account(charge: Charge, then: Callable[[], None] | None) -> None:
    """Record what is measured next, if an account was named; `then` marks what else pays.

    If `then` fails nothing is recorded. If it was recorded ahead there is nothing more to record.
    """
    state = _current.get()
    if state is None or state.account is None:
        _mark(state, then)
        return
    for place, (what, there) in enumerate(state.ahead):
        if what == charge.what and there >= (drawn := state.booked[-1].account.amount_of(charge.cost)):
            _mark(state, then)
            state.ahead[place : place + 1] = [(what, there - drawn)] if there > drawn else []
            return
    _book(state, state.account, [charge], then)


def _book(state: Spent, account: Path, charges: Sequence[Charge], then: Callable[[], None] | None) -> None:
    from release.account.book import book

    state.booking = True
    state.tell()
    try:
        state.booked.append(book(account, charges, then=None if then is None else lambda: _mark(state, then)))
        state.booking = False
    except SynthboundsError as error:  # refused, or not written: nothing was booked
        state.booking = False
        if isinstance(error, BudgetError) and not (state.begun or state.booked):
            error.args = (f"{error}; {NOTHING_SPENT}",)
        raise
    finally:
        state.tell()


def _mark(state: Spent | None, then: Callable[[], None] | None) -> None:
    """Mark what pays as spent; after an interruption from here on nobody can know whether it was."""
    if then is None:
        return
    state = state or Spent()
    state.marking = True
    state.tell()
    try:
        then()
    except SynthboundsError:  # refused, or not written
        state.marking = False
        state.tell()
        raise


def reserve_recovery_file() -> None:
    """Make the recovery file before the noise, if there is none: it is ours from now on until the release is placed.

    This tries both real ways of writing, placing a file and replacing one, before anything is spent, and checks that
    there is memory for what follows.
    """
    state = _current.get()
    if state is None or state.replay is not None:
        return
    if state.before_noise is not None:
        last, state.before_noise = state.before_noise, None
        last()
    if not state.begun:
        require_memory(AFTERWARDS, "what follows the noise")
    if state.recovery is None or state.reserved:
        return
    if state.recovery.exists():
        raise OutputError(
            f"{state.recovery.name}: exists, perhaps with what an earlier run paid for (see its note); move it away"
        )
    spent = "what pays for it shows whether it did" if state.account is None else "its account shows whether it did"
    empty = {"synthbounds_recovery": VERSION, "note": f"a release was about to draw its noise; {spent}"}
    with undisturbed():  # the process that made it knows that it owns it
        _write(state.recovery, empty, force=False)  # fails if another process was faster
        state.reserved = True
        tell_begun(str(state.recovery))
    _write(state.recovery, empty, force=True)


def spending_begins() -> None:
    """Noise is drawn next: a failure from now on must say that the budget is spent, and so must the recovery file."""
    state = _current.get()
    if state is not None:
        if state.written:
            _keep(state, drawing=True)
            if not state.written:
                state.written = True  # what was drawn before is still there
                raise OutputError("recovery file: cannot be written; the next noise was not drawn")
        state.begun, state.written = True, False
        state.tell()
        if state.recovery is not None:
            tell_gone(str(state.recovery))  # from now on it is not an unfinished file, but what is left of a release


def noise_is_drawn(measurements: Sequence[dict[str, Any]], ledger: dict[str, Any], header: dict[str, Any]) -> None:
    """From now on the budget is spent; the numbers that were paid for go to the recovery file."""
    state = _current.get()
    if state is None:
        return
    state.measurements.extend(measurements)
    state.public = ledger, header
    if state.recovery is not None and state.reserved:
        _keep(state, drawing=False)
        state.tell()


def _keep(state: Spent, *, drawing: bool) -> None:
    """What was drawn goes to the recovery file; a failing backup must not cost what it should keep."""
    assert state.recovery is not None
    body = state.body(drawing=drawing)
    try:
        _write(state.recovery, body, force=True)
        state.written = True
    except OutputError:
        state.written = keep_anyhow(state.recovery, body)


def nothing_is_kept() -> None:
    """The draw led to nothing that may be published: there is nothing to recover, and it is spent."""
    state = _current.get()
    if state is not None:
        state.forget_file()


def release_is_placed() -> None:
    """What was paid for is in its files: the recovery file is no longer needed."""
    state = _current.get()
    if state is not None:
        state.forget_file()
        state.measurements.clear()
