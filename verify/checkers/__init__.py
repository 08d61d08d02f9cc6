"""Checkers of certificates, made to be read; they use nothing of the code that writes certificates.

Each checker reads one kind of file, proves its claims again, and raises Rejected where it cannot.
It trusts Python, its standard library and, where it needs balls, python-flint. Here is what all of
them share: the verdict, and a limit on work, so that the file of a stranger costs seconds at most.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

WIDE = 500_000
"""Multiplying integers of a and b bits takes about as long as 1 + a b / WIDE small products."""


class Rejected(Exception):
    """The certificate does not prove what it claims."""


class NotJson(Rejected):
    """It is not even JSON."""


def require(holds: object, reason: str) -> None:
    """Go on if it holds."""
    if not holds:
        raise Rejected(reason)


STEPS, MOST_STEPS = 20_000_000, 1_000_000_000
"""How much work any file may ask for, and how much a long one may. A million takes a second."""


def allowed_steps(data: str | bytes, a_byte: int) -> int:
    """What a checker does for a file of that length without being asked for more."""
    return min(STEPS + a_byte * len(data), MOST_STEPS)


def steps(products: int, bits: int = 0, other_bits: int | None = None) -> int:
    """About how long so many products of integers of these sizes take."""
    others = bits if other_bits is None else other_bits
    return products * (1 + bits * others // WIDE)


class Work:
    """Counts steps before they are done, a step being up to a microsecond; refuses too many."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.spent = 0

    def charge(self, products: int, bits: int = 0, other_bits: int | None = None) -> None:
        """Announce so many products of integers of these sizes."""
        self.spent += steps(products, bits, other_bits)
        if self.spent > self.limit:
            raise Rejected(
                f"checking takes at least {self.spent:,} steps, and {self.limit:,} are allowed; "
                "whoever trusts the sender may allow more with --limit"
            )


def run(arguments: Sequence[str], check: Callable[[bytes, int | None], str]) -> int:
    """`FILE [--limit STEPS]`: print what the checker says of a file; the exit code."""
    from verify.checkers.strict_json import file_bytes

    usage = "give FILE, or FILE --limit STEPS"
    try:
        require(len(arguments) in (1, 3), usage)
        path, limit = arguments[0], None
        if len(arguments) == 3:
            require(arguments[1] == "--limit" and arguments[2].isdecimal(), usage)
            limit = int(arguments[2])
        said = check(file_bytes(path), limit)
    except Rejected as reason:
        sys.stderr.write(f"rejected: {reason}\n")
        return 1
    except Exception as error:  # whatever a file does to a checker, it has not been proved
        sys.stderr.write(f"rejected: malformed ({type(error).__name__})\n")
        return 1
    sys.stdout.write(f"accepted{said}\n")
    return 0
