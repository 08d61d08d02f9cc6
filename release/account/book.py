"""The file of an account, changed by one process at a time: locked, read, charged, and replaced as a whole.

The lock is that of the file itself. If a file system has no locks, entries are refused: two processes could spend the
same budget. Entries are on disk before the noise is drawn, and nothing ever takes them back.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bounds.errors import DataError, OutputError
from bounds.privacy.amounts import Entry
from release.account.file import Account, Charge, read_account
from release.files.outputs import Outputs, require_writing


@dataclass(frozen=True, kw_only=True)
class Booked:
    """What was recorded, and the account afterwards."""

    account: Account
    entries: tuple[Entry, ...]


def write_account(path: str | Path, account: Account) -> None:
    """The file of a new account; an existing one is never replaced, since its entries were really spent."""
    if Path(path).exists():
        raise OutputError(f"account = {path}: exists, and an account is never replaced; give another name")
    with Outputs() as outputs:
        outputs.add(path, account.to_text().encode(), name="account")


def require_bookable(path: str | Path) -> Account:
    """The account in a file that can be locked and replaced; asked early, before a table is read."""
    account = read_account(path)
    require_writing(path, name="account")
    with _locked(path):
        return account


def book(path: str | Path, charges: Sequence[Charge], *, then: Callable[[], None] | None = None) -> Booked:
    """Record all of these, or nothing. `then` runs when they are known to fit, before they are in the file.

    It is for another file that must be marked, too: if that fails, nothing is recorded here.
    """
    with _locked(path):
        as_read, before = Path(path).read_bytes(), read_account(path)
        after = before.charged(charges)
        with Outputs() as outputs:
            outputs.add(path, after.to_text().encode(), name="account", replaces=as_read)
            if then is not None:
                then()
        return Booked(account=after, entries=after.new_since(before))


@contextlib.contextmanager
def _locked(path: str | Path) -> Iterator[None]:
    """No other process may record anything meanwhile."""
    while True:
        handle = _open(path)
        try:
            _lock(path, handle)
            if not _is_replaced(path, handle):
                yield
                return
        finally:
            os.close(handle)


def _is_replaced(path: str | Path, handle: int) -> bool:
    """Whether another process has replaced the file while we waited for the lock of the old one."""
    here = os.fstat(handle)
    if here.st_nlink > 1:
        raise OutputError(f"account = {path}: has a second name (a hard link), under which it would be another account")
    try:
        return not here.st_nlink or not os.path.samestat(here, os.stat(path))
    except FileNotFoundError:
        return True


def _open(path: str | Path) -> int:
    try:
        return os.open(path, os.O_RDWR)
    except FileNotFoundError:
        raise DataError(f"account = {path}: does not exist; make one with `synthbounds account open`") from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else "not a usable name"
        raise OutputError(f"account = {path}: cannot be written ({said})") from None


def _lock(path: str | Path, handle: int) -> None:
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX)
    except (ImportError, OSError):
        raise OutputError(
            f"account = {path}: cannot be locked here, so two processes could overspend it; keep it on a file system "
            "with locks"
        ) from None
