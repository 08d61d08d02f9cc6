"""How an answer is shown: the format, colour, and standard output. Files are the business of release.files.outputs."""

from __future__ import annotations

import os
import sys

from bounds.errors import OutputError
from synthbounds.api.command import SHOWN


def require_format(name: str) -> None:
    SHOWN["format"].choice(name)


def wants_colour() -> bool:
    """Colour only for a person at a terminal who has not asked for none."""
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        and "NO_COLOR" not in os.environ
        and os.environ.get("TERM") != "dumb"
    )


def write(text: str) -> None:
    """Print to standard output, at once."""
    if sys.stdout is None:
        raise OutputError("standard output is closed")
    sys.stdout.write(text)
    sys.stdout.flush()


def printable_json(text: str) -> str:
    """JSON that stays JSON on a terminal without UTF-8: other characters are escaped as JSON escapes them."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if encoding.lower().replace("-", "").startswith("utf"):
        return text
    units = text.encode("utf-16-be", "surrogatepass")
    codes = (int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2))
    return "".join(chr(code) if code < 128 else f"\\u{code:04x}" for code in codes)
