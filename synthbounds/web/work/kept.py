"""The folder of releases: what must outlive the server, a folder for each release, and who may make one.

A release takes its own folder, and a claim on what it is from: the table, the schema and the options. Both are made by
a call of the system that succeeds once, so the same release is not made again by another tab, browser or server, nor
after a server was killed. Claims are named by a keyed digest, since a plain one would tell whether a guess of the table
is right.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import hmac
import json
import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bounds.errors import INTERRUPTED, OutputError, UsageError
from release.files.outputs import Outputs
from release.recovery_file import SUFFIX
from release.spent import SPENT
from synthbounds.web.work.release_facts import ACCOUNT_SUFFIX, facts_of

ORDER, OUTCOME, SAID = "order.json", "outcome.json", "said.txt"
MADE = ("synthetic.csv", "release.json", "query.json")
"""What releases are for; while the recovery file lies next to one of them, not all of it is in place."""
_CLAIMS, _KEY = ".claims", "key"
SPENT_MARK = "spent"
"""Of a claim whose release is known to have spent."""
_RELEASE = re.compile(r"release-[1-9][0-9]{0,5}")
_ACCOUNT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_MOST_READ = 2**22
_UNFINISHED = re.compile(r"\.synthbounds-.*\.part(\.old)?")
UNTOLD = f"was interrupted; {SPENT}"
WHOLE = f"was interrupted when its files were complete, except perhaps the report; {SPENT}"


@dataclass(frozen=True)
class Claim:
    """The right to make a release, once."""

    path: Path
    release: str
    held: int
    """An open file, locked for as long as it is open anywhere: here, or in the process that makes the release."""


class Kept:
    """One folder of releases; it is made when something is first kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def digest(self, *parts: object) -> str:
        """A name for these facts that tells nothing about them to whoever does not have the key."""
        return hmac.new(self._key(), json.dumps(parts, sort_keys=True).encode(), hashlib.sha256).hexdigest()

    def _key(self) -> bytes:
        claims = self._make(_CLAIMS)
        place = claims / _KEY
        if not place.exists():
            with contextlib.suppress(OutputError), Outputs() as outputs:  # another server was faster
                outputs.add(place, secrets.token_hex(32).encode())
            os.chmod(place, 0o600)
        return place.read_bytes()

    def _make(self, *names: str) -> Path:
        place = self.folder.joinpath(*names)
        try:
            place.mkdir(mode=0o700 if names else 0o777, parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"the folder of releases cannot be made ({error.strerror})") from None
        return place

    def made(self, digest: str) -> list[str]:
        """The names of the same release, as often as it was made, in order."""
        names: list[str] = []
        while (path := self._claim(digest, len(names) + 1)).is_file():
            names.append(_named(path))
        return names

    def _claim(self, digest: str, number: int) -> Path:
        return self.folder / _CLAIMS / f"{digest}.{number}"

    def claim(self, digest: str, number: int) -> Claim:
        """Take the right to make the same release for the nth time, and its folder; UsageError if it is taken."""
        path = self._claim(digest, number)
        with self._alone():
            made = self.made(digest)
            if len(made) != number - 1:
                raise UsageError(
                    f"this release was made already ({', '.join(made)}): making it again spends again; prepare it "
                    "again, and say so"
                )
            name = self._free_name()
            with Outputs() as outputs:
                outputs.add(path, name.encode(), name="claim")
            try:
                (self.folder / name).mkdir()
                held = os.open(self.folder / name / ORDER, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise OutputError(f"the folder of releases cannot be written to ({error.strerror})") from None
        return Claim(path, name, held)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """No other server claims or settles meanwhile."""
        handle = os.open(self._make(_CLAIMS), os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def _free_name(self) -> str:
        taken = [int(path.name.partition("-")[2]) for path in self._folders()]
        return f"release-{max(taken, default=0) + 1}"

    def give_back(self, claim: Claim) -> None:
        """Nothing was spent: the same release may be asked for again."""
        _remove(self.folder / claim.release)
        claim.path.unlink(missing_ok=True)

    def keep(self, claim: Claim, *, exit_code: int, told: str) -> None:
        """It is spent: the claim stays, even if somebody moves the release away."""
        write_outcome(self.folder / claim.release, exit_code=exit_code, told=told)
        with Outputs(force=True) as outputs:
            outputs.add(claim.path, f"{claim.release} {SPENT_MARK}".encode(), name="claim")

    def place(self, release: object) -> Path:
        """The folder of a release that was made."""
        if not isinstance(release, str) or release not in {path.name for path in self._folders()}:
            raise UsageError("there is no such release in the folder of releases")
        return self.folder / release

    def account(self, name: object) -> Path:
        if not isinstance(name, str) or not _ACCOUNT.fullmatch(name):
            raise UsageError("account: a name has letters, digits, - and _, at most 40")
        return self.folder / f"{name}{ACCOUNT_SUFFIX}"

    def of_account(self, file: str | None) -> Path | None:
        return None if file is None else self.folder / file

    def existing_account(self, name: object) -> Path:
        place = self.account(name)
        if not place.is_file():
            raise UsageError("account: there is no such account; open it first")
        return place

    def accounts(self) -> list[str]:
        found = sorted(self.folder.glob(f"*{ACCOUNT_SUFFIX}")) if self.folder.is_dir() else []
        return [path.name.removesuffix(ACCOUNT_SUFFIX) for path in found]

    def _folders(self) -> Iterator[Path]:
        if self.folder.is_dir():
            for path in self.folder.iterdir():
                if _RELEASE.fullmatch(path.name) and _is_folder(path):
                    yield path

    def releases(self) -> list[dict[str, Any]]:
        """Every release with what became of it, the oldest first."""
        found = sorted(
            (path for path in self._folders() if (path / ORDER).is_file()),
            key=lambda path: int(path.name.partition("-")[2]),
        )
        return [told_of(path) for path in found]

    def settle(self) -> None:
        """After a start: whatever a killed server left is recorded, and nothing is left half-written."""
        if not (self.folder / _CLAIMS).is_dir():
            return
        with self._alone():
            for path in (self.folder / _CLAIMS).glob("*.*"):
                if _RELEASE.fullmatch(_named(path)) and SPENT_MARK not in path.read_text("utf-8", "replace"):
                    self._settle(path)

    def _settle(self, path: Path) -> None:
        place = self.folder / _named(path)
        held = hold(place) if _is_folder(place) else -1
        if held is None:
            return  # a command runs there
        claim = Claim(path, place.name, held)
        if held < 0:  # the server was killed between its claim and the folder
            path.unlink()
            return
        for one in place.iterdir():
            if one.is_symlink() or _is_unfinished(one):
                one.unlink(missing_ok=True)
        if not may_be_spent(place):
            self.give_back(claim)
        elif isinstance(code := (outcome := _read(place / OUTCOME)).get("exit_code"), int):
            self.keep(claim, exit_code=code, told=str(outcome.get("told", "")))
        else:
            self.keep(claim, exit_code=INTERRUPTED, told=_last_word(place))
        os.close(held)


def _is_folder(place: Path) -> bool:
    """A folder itself; what a link leads to is not ours."""
    return place.is_dir() and not place.is_symlink()


def _named(claim: Path) -> str:
    """The release that a claim is on."""
    return claim.read_text("utf-8", "replace").partition(" ")[0]


def hold(place: Path) -> int | None:
    """An open file with the lock of a release; None if a command runs there, of whichever server."""
    handle = os.open(place / ORDER, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _last_word(place: Path) -> str:
    """What the command said before it ended, if it said that it spent; else what its files say."""
    try:
        said = (place / SAID).read_text("utf-8", "replace").splitlines()
    except OSError:
        said = []
    is_whole = recovery_of(place) is None and any((place / name).exists() for name in MADE)
    return next((line.partition("error: ")[2] for line in said if SPENT in line), WHOLE if is_whole else UNTOLD)


def _remove(place: Path) -> None:
    """Remove a folder in which nothing is worth keeping."""
    for path in place.iterdir():
        path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        place.rmdir()


def recovery_of(place: Path) -> str | None:
    """The file from which an interrupted release can be finished."""
    return next((path.name for path in sorted(place.glob(f"*{SUFFIX}"))), None)


def booked_in(account: Path | None) -> int | None:
    """How many entries an account has; None if it cannot be read."""
    entries = None if account is None else _read(account).get("ledger", {}).get("entries")
    return len(entries) if isinstance(entries, list) else None


def may_be_spent(place: Path) -> bool:
    """Whether noise may have been drawn: it was recorded, or the release is there, or the file that keeps its noise.

    That file is made before anything is recorded. As long as it contains nothing, an account to which nothing was added
    says that no noise was drawn.
    """
    order = _read(place / ORDER)
    account, before = order.get("account"), order.get("booked")
    now = None if account is None else booked_in(place.parent / str(account))
    is_booked = account is not None and now != before
    ours = {ORDER, OUTCOME, SAID, "schema.json", "answer.json"}
    left = [path for path in place.iterdir() if not (path.name in ours or path.is_symlink() or _is_unfinished(path))]
    if now is not None and not is_booked:
        left = [path for path in left if not (path.name.endswith(SUFFIX) and "measurements" not in _read(path))]
    return is_booked or bool(left)


def _is_unfinished(path: Path) -> bool:
    return _UNFINISHED.fullmatch(path.name) is not None


def write_outcome(place: Path, *, exit_code: int, told: str) -> None:
    """What became of a release that spent; written last."""
    body = {"exit_code": exit_code, "spent": True, "told": told}
    with Outputs(force=True) as outputs:
        outputs.add(place / OUTCOME, (json.dumps(body, indent=1) + "\n").encode())


def told_of(place: Path) -> dict[str, Any]:
    """A release as the page shows it."""
    order, outcome = _read(place / ORDER), _read(place / OUTCOME)
    state = "running"
    if outcome:
        state = "done" if outcome.get("exit_code") == 0 else "interrupted"
    return {
        "name": place.name,
        "state": state,
        "spent": bool(outcome.get("spent", True)),
        "told": str(outcome.get("told", "")),
        "command": str(order.get("command", "")),
        "recovery": recovery_of(place),
        "files": files_in(place),
        **facts_of(order, place / ORDER, _answered_method(place)),
    }


def _answered_method(place: Path) -> object:
    """The method that was used, if the choice was left to the command."""
    answer = place / "answer.json"
    return _read(answer).get("method") if answer.is_file() and answer.stat().st_size < _MOST_READ else None


def files_in(place: Path) -> list[dict[str, Any]]:
    """The files of a folder that may be fetched: no link, nothing hidden."""
    found = sorted(path for path in place.iterdir() if path.is_file() and not path.is_symlink())
    return [{"name": p.name, "bytes": p.stat().st_size} for p in found if not p.name.startswith(".")]


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
