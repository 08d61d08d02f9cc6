"""How an answer is shown: the format, colour, and standard output. Files are the business of lp.outputs."""

from __future__ import annotations

import os
import sys

from bounds.errors import OutputError, ParameterError
from synthbounds.cli.parser import FORMATS


def require_format(name: str) -> None:
    if name not in FORMATS:
        raise ParameterError("format", name, "one of " + ", ".join(FORMATS))


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
