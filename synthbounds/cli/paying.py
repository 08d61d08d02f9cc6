"""The file that pays for a query: read once, and marked as spent in place, before the noise of a real one is drawn."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from release.files.outputs import Outputs, require_writing
from release.files.strict_json import MOST_FILE_BYTES

if TYPE_CHECKING:
    from release.query.make import Payer


class PayingFile:
    """The release or, with --previous, the previous query; marked only if no other process has changed it meanwhile."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.name = "release" if options.previous is None else "previous"
        self.path: str = getattr(options, self.name)
        self._as_read = _bytes_of(self.path)

    def require_place(self) -> None:
        """Refuse, before anything is computed, a file that cannot be marked."""
        require_writing(self.path, name=self.name)

    def mark(self, outputs: Outputs, payer: Payer) -> None:
        outputs.add(self.path, payer.to_text().encode(), name=self.name, replaces=self._as_read)

    def book(self, payer: Payer) -> None:
        """Mark what pays as spent, in the file that was read: of two processes, only one gets past this."""
        with Outputs() as outputs:
            self.mark(outputs, payer)


def _bytes_of(path: str) -> bytes:
    """The file as it is; if it cannot be read, parsing it raises the error."""
    try:
        if not Path(path).is_file() or Path(path).stat().st_size > MOST_FILE_BYTES:
            return b""
        return Path(path).read_bytes()
    except (OSError, ValueError):
        return b""
