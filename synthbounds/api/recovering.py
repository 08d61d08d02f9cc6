"""What an interrupted release had paid for, read from the file that it left behind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bounds.errors import DataError, UsageError

if TYPE_CHECKING:
    from release.recovery_file import Recovery

__all__ = ["recover"]


def recover(file: str | Path, *, table: str | Path | None = None) -> Recovery:
    """What a recovery file contains: the command, the noisy numbers, and the ledger of what they cost.

    It is read strictly, and refused if nothing can be finished from it; with `table`, the table that it is about, also
    if the release cannot continue. `synthbounds recover` reruns the command with these numbers in place of noise.
    """
    from release.recovery_file import read_recovery

    found = read_recovery(file)
    if table is not None:
        _require_going_on(found)
    return found


def _require_going_on(found: Recovery) -> None:
    """Only a release that was recorded as a whole before its first noise, and none of whose noise may be lost.

    A distance comes last: if it is kept, nothing more is drawn.
    """
    from release.recovery_file import GOING_ON

    where = f"recovery file {found.path.name}"
    if found.header.get("kind") not in GOING_ON:
        raise UsageError(
            f"table: {where} is of a release that draws all its noise at once or needs more than a table; without "
            "--table it is finished from what was kept"
        )
    if found.drawing:
        raise DataError(
            f"{where}: the run ended while noise was drawn, which counts as spent but was not kept; to continue would "
            "spend it twice, so finish without --table, from what was kept"
        )
