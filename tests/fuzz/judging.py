"""One command on hostile input, in its own folder, and whatever was wrong with how it ended."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bounds.errors import OUR_BUG
from synthbounds.cli import main

CODES = frozenset(range(8))
"""What a command may end with: 130 needs somebody who interrupts it."""
KEPT = (".recovery.json",)
"""Files that an unfinished release leaves on purpose, and that go once it is finished."""
_ERROR = re.compile(r"synthbounds: error: [^\n]+\n")
_WARNING = re.compile(r"synthbounds: warning: [^\n]+\n")


@dataclass(frozen=True)
class Verdict:
    code: int
    faults: tuple[str, ...]
    seconds: float
    """Of the processor."""
    said: str = ""


def judge(
    arguments: Sequence[str], stock: Path, changed: Mapping[str, bytes], *, secrets: Sequence[str] = ()
) -> Verdict:
    """Run a command beside copies of the stock, of which some have other bytes; no secret may come out anywhere."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for path in stock.iterdir():
            shutil.copy(path, place)
        for path_name, data in changed.items():
            (place / path_name).write_bytes(data)
        before = _contents(place)
        out, err = io.StringIO(), io.StringIO()
        start, code, faults = time.process_time(), OUR_BUG, []
        try:
            with _inside(place), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = main(list(arguments))
        except BaseException:
            faults.append("an exception came out: " + traceback.format_exc()[-1500:])
        seconds = time.process_time() - start
        faults += _of_words(code, out.getvalue(), err.getvalue())
        after = _contents(place)
        faults += _of_files(code, before, after, arguments)
        faults += [f"{secret!r} came out" for secret in secrets if _is_told(secret, out, err, before, after)]
        return Verdict(code, tuple(faults), seconds, err.getvalue())


@contextlib.contextmanager
def _inside(place: Path) -> Iterator[None]:
    with contextlib.chdir(place):
        yield


def _contents(place: Path) -> dict[str, bytes]:
    return {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def _of_words(code: int, out: str, err: str) -> list[str]:
    faults = []
    if code not in CODES:
        faults.append(f"exit {code}: {err[:300]}")
    if "Traceback" in out + err:
        faults.append("a traceback was shown")
    rest = _WARNING.sub("", err)
    if code in (0, 1) and rest:
        faults.append(f"exit {code}, and yet: {rest[:300]}")
    elif code > 1 and code in CODES and not _ERROR.fullmatch(rest) and not (code == 5 and not rest):
        faults.append(f"exit {code}, and not one line of error: {rest[:300]!r}")
    return faults


def _of_files(
    code: int, before: Mapping[str, bytes], after: Mapping[str, bytes], arguments: Sequence[str]
) -> list[str]:
    """Hidden files that nobody asked for are leftovers, as are parts of files."""
    hidden = [name for name in after if name.startswith(".") or name.endswith(".part")]
    faults = [f"{name} is left over" for name in hidden if name not in arguments]
    faults += [f"{name} is gone" for name in before if name not in after and not (code == 0 and name.endswith(KEPT))]
    if code > 1 and code != 5:
        new = [name for name in after if after[name] != before.get(name) and not name.endswith(KEPT)]
        faults += [f"exit {code}, and yet {name} was written" for name in new]
    return faults


def _is_told(
    secret: str, out: io.StringIO, err: io.StringIO, before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> bool:
    written = b"".join(data for name, data in after.items() if before.get(name) != data)
    return secret in out.getvalue() or secret in err.getvalue() or secret.encode() in written
