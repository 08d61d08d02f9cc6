"""Tickets: what was prepared, to be released once. A ticket is a file that is renamed when it is used.

The rename succeeds once; a later request with the same ticket is led to the job that it started.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from pathlib import Path
from typing import Any

from bounds.errors import UsageError

_BYTES = 18
_TICKET = re.compile(r"[A-Za-z0-9_-]{24}")


class Tickets:
    """All of one server, in a private folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._jobs: dict[str, str] = {}

    def draw(self, prepared: dict[str, Any]) -> str:
        ticket = secrets.token_urlsafe(_BYTES)
        (self._folder / ticket).write_text(json.dumps(prepared), "utf-8")
        return ticket

    def use(self, ticket: object) -> dict[str, Any] | None:
        """What was prepared; None if the ticket was used before."""
        if not isinstance(ticket, str) or not _TICKET.fullmatch(ticket):
            raise UsageError("ticket: is not one that was drawn here; prepare the release")
        used = self._folder / f"{ticket}.used"
        try:
            os.rename(self._folder / ticket, used)
        except FileNotFoundError:
            if used.exists():
                return None
            raise UsageError("ticket: is from an earlier start, or unknown; prepare the release again") from None
        found: dict[str, Any] = json.loads(used.read_text("utf-8"))
        return found

    def started(self, ticket: str, job: str) -> None:
        self._jobs[ticket] = job

    def job(self, ticket: str) -> str:
        found = self._jobs.get(ticket)
        if found is None:
            raise UsageError("ticket: was used, and the release was refused; prepare it again")
        return found
