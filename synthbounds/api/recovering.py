"""What an interrupted release had paid for, read from the file that it left."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bounds.errors import DataError, UsageError

if TYPE_CHECKING:
    from release.recovery_file import Recovery

__all__ = ["recover"]


def recover(file: str | Path, *, table: str | Path | None = None) -> Recovery:
    """What a recovery file holds: the command, the noisy numbers, and the ledger of what they cost.

    It is read strictly, and one from which nothing can be finished is refused; with `table`, the records that it is
    of, also one that cannot go on. `synthbounds recover` runs the command again with these numbers in place of noise.
    """
    from release.recovery_file import read_recovery

    found = read_recovery(file)
    if table is not None:
        _require_going_on(found)
    return found


def _require_going_on(found: Recovery) -> None:
    """Only a release that was booked as a whole before its first noise, and none of whose noise may be lost.

    A distance comes last: where it is kept, nothing more is drawn.
    """
    from release.cross_moments.file import CROSS_MOMENTS
    from release.distance.planned import DISTANCE
    from release.log.planned import MARGINAL_LOG

    where = f"recovery file {found.path.name}"
    if found.header.get("kind") not in (MARGINAL_LOG, CROSS_MOMENTS, DISTANCE):
        raise UsageError(
            f"table: {where} is of a release that draws all its noise at once or asks for more than a table; without "
            "--table it is finished from what is kept"
        )
    if found.drawing:
        raise DataError(
            f"{where}: the run ended while noise was drawn, which counts as spent and of which nothing is kept; to go "
            "on would spend it twice, so finish without --table, from what is kept"
        )
