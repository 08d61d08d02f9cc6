"""The recovery file: what an interrupted release had paid for, written while noise is drawn, and read to finish it.

It contains the noisy numbers and the choices in the order in which they were drawn, the public fields around them,
their cost, and what was asked: the command with its arguments, where it ran, and digests of the public files that it
read. The table is not among them, and of its records only their number is given, if that is public. Before each draw it
says that one is being made: if it still does, noise may have been drawn that was not kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from bounds.errors import DataError
from bounds.privacy.ledger import Ledger
from bounds.shown import Shown
from release.files.digest import digest_of
from release.files.fields import plain, read_whole, require_digest, require_version, within
from release.files.outputs import Outputs
from release.files.placing import hidden_beside
from release.files.strict_json import parse_json, read_json_file, require_object
from release.files.watched import tell_gone

VERSION = 1
SUFFIX = ".recovery.json"
GOING_ON = ("marginal-log", "cross-moments", "distance")
"""Kinds that are recorded as a whole before their first noise, so that a run can continue with the table."""
_WHOLE = {"synthbounds_recovery", "note", "header", "measurements", "ledger", "digest"}
_ASKED = {"arguments", "folder", "files", "records"}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The command that was interrupted."""

    arguments: tuple[str, ...]
    folder: str
    """Where it ran: names of files are relative to it."""
    files: Mapping[str, str]
    """SHA-256 of every public file that was read, by its name as it was given."""
    table: str | None = None
    """The file of the table, for saying how to go on; the recovery file does not name it apart."""

    def to_json(self, records: int | None) -> dict[str, Any]:
        return {
            "arguments": list(self.arguments),
            "folder": self.folder,
            "files": dict(self.files),
            "records": records,
        }


@dataclass(frozen=True, kw_only=True)
class Recovery(Shown):
    """What a recovery file holds."""

    path: Path
    asked: Asked
    records: int | None
    """How many there are, if that is public."""
    header: Mapping[str, Any]
    measurements: tuple[Mapping[str, Any], ...]
    ledger: Ledger
    """As it was after the last of them."""
    drawing: bool
    """Whether the next noise was being drawn, or may have been: it is spent, and none of it is kept."""
    as_read: bytes

    @property
    def can_go_on(self) -> bool:
        """Whether the run could continue with the table."""
        return self.header.get("kind") in GOING_ON and not self.drawing

    @property
    def share_left(self) -> Fraction:
        """The share of the budget whose noise was not drawn; without the table, it is lost."""
        return 1 - self.ledger.spent / self.ledger.total if self.ledger.total else Fraction(0)


def write_recovery(path: Path, body: dict[str, Any], *, force: bool, replaces: bytes | None = None) -> None:
    with Outputs(force=force) as outputs:
        outputs.add(path, (json.dumps(body, indent=1) + "\n").encode(), name="recovery file", replaces=replaces)


def keep_anyhow(path: Path, body: dict[str, Any]) -> bool:
    """The same for a disk that cannot be forced to keep it: nothing is forced; the old file is replaced as a whole."""
    try:
        handle, hidden = hidden_beside(path)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump(body, stream, indent=1)
            os.replace(hidden, path)
        except OSError:
            os.unlink(hidden)
            return False
        finally:
            tell_gone(hidden)
    except OSError:
        return False
    return True


def recovery_body(
    measurements: Sequence[Mapping[str, Any]],
    *,
    ledger: dict[str, Any],
    header: dict[str, Any],
    asked: Asked | None,
    records: int | None,
    drawing: bool,
) -> dict[str, Any]:
    """The object of the file, with its digest."""
    body = {
        "synthbounds_recovery": VERSION,
        "note": "noisy numbers of a release that was not finished; what they cost is spent "
        "(`synthbounds recover` finishes it)",
        **({} if asked is None else {"asked": asked.to_json(records)}),
        "header": header,
        "measurements": list(measurements),
        "ledger": ledger,
        "drawing": drawing,
    }
    return {**body, "digest": digest_of(body)}


def read_recovery(path: str | Path) -> Recovery:
    """The file, read strictly; one from which nothing can be finished is refused, and the message says why."""
    text, where = read_json_file(path, "recovery file")
    body = parse_json(text, where)
    if isinstance(body, dict) and body.keys() == {"synthbounds_recovery", "note"}:
        raise DataError(f"{where}: contains no noisy number: the release ended before one was kept; see its note")
    if isinstance(body, dict) and "synthbounds_recovery" not in body:
        raise DataError(f"{where}: is not what an interrupted release leaves ({SUFFIX})")
    fields = require_object(body, where, _WHOLE, {"asked", "drawing"})
    require_version(fields, "synthbounds_recovery", VERSION, where)
    require_digest(fields, where)
    if "asked" not in fields:
        raise DataError(f"{where}: does not say which command was interrupted: an earlier version wrote it")
    found = plain(fields, where)
    header, measurements = found["header"], found["measurements"]
    if not isinstance(header, dict) or not isinstance(measurements, list) or not measurements:
        raise DataError(f"{where}: header and measurements: must be an object and a list of at least one")
    if not all(isinstance(item, dict) and isinstance(item.get("what"), str) for item in measurements):
        raise DataError(f"{where}: measurements: each must be an object that says what it is")
    if header.get("mode", "release") != "release":
        raise DataError(f"{where}: mode: only a release leaves what must be recovered; run a simulation again")
    if type(drawing := found.get("drawing", True)) is not bool:
        raise DataError(f"{where}: drawing: must be true or false")
    return Recovery(
        path=Path(path),
        asked=_asked(fields["asked"], f"{where}: asked"),
        records=None
        if fields["asked"]["records"] is None
        else read_whole(fields["asked"]["records"], f"{where}: asked: records", least=1),
        header=header,
        measurements=tuple(measurements),
        ledger=within(lambda: Ledger.from_json(found["ledger"]), f"{where}: ledger"),
        drawing=drawing,
        as_read=text.encode(),
    )


def _asked(body: object, where: str) -> Asked:
    fields = require_object(body, where, _ASKED)
    arguments, folder, files = fields["arguments"], fields["folder"], fields["files"]
    if not isinstance(arguments, list) or not arguments or not all(type(item) is str for item in arguments):
        raise DataError(f"{where}: arguments: must be a list of texts")
    if type(folder) is not str or not isinstance(files, dict) or not all(type(item) is str for item in files.values()):
        raise DataError(f"{where}: folder and files: must be a text, and an object of texts")
    return Asked(arguments=tuple(arguments), folder=folder, files=files)
