"""What an interrupted release had paid for, read from the file that it left."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from release.recovery_file import Recovery

__all__ = ["recover"]


def recover(file: str | Path) -> Recovery:
    """What a recovery file holds: the command, the noisy numbers, and the ledger of what they cost.

    It is read strictly, and one from which nothing can be finished is refused. `synthbounds recover` runs the command
    again with these numbers in place of noise.
    """
    from release.recovery_file import read_recovery

    return read_recovery(file)
