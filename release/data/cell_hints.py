"""What may help with a cell that the schema does not allow: by the schema alone in a release, else by the cell, too."""

from __future__ import annotations

from typing import Any

from release.data.coding import MISSING, NOT_A_DATE, NOT_A_NUMBER, NOT_FINITE, UNKNOWN, coder_for, decoded
from release.data.column_reading import BLANKS
from release.data.columns import Column

_STRIP, _MISSING = '"spaces": "strip"', '"missing"'


def public_hint(column: Column, mark: int, *, strips: bool) -> str:
    """Where the value is shown, and what the schema could declare; whether that is the cause is not said."""
    found = "; simulate mode shows the value to whoever holds the table" if mark != MISSING else ""
    if mark not in (MISSING, UNKNOWN, NOT_A_NUMBER, NOT_FINITE, NOT_A_DATE):
        return found
    open_to = []
    if not strips:
        open_to.append(f"spaces around cells ({_STRIP})")
    if not column.missing:
        open_to.append(f"missing cells ({_MISSING})")
    return f"{found}; the schema does not declare {' or '.join(open_to)}" if open_to else found


def spaces_hint(column: Column, cell: Any) -> str:
    """That only spaces are in the way, if that is so."""
    import pyarrow as pa

    text = decoded(cell) if isinstance(cell, bytes) else cell
    if not isinstance(text, str) or text == text.strip(BLANKS):
        return ""
    (mark,) = coder_for(column).marked(pa.array([text.strip(BLANKS).encode()], pa.large_binary()))
    return f"; without the spaces around it, it would fit ({_STRIP} in the schema)" if mark >= 0 else ""
