"""Checkers of certificates, made to be read; they use none of the code that writes certificates.

Each checker reads one kind of file, proves its claims again, and raises Rejected if it cannot. It
trusts Python, its standard library and, where it needs balls, python-flint. This module has what
all of them share: the verdict, a limit on work, so that a stranger's file costs seconds at most,
and one strict reader: no duplicate key, no unknown field, exact types.

JSON says little about what a file means: most parsers take the last of two equal keys, ignore
unknown fields, and turn numbers into floats. A reader of a certificate may do none of this, because
two people could then read two claims from one accepted file. Numbers that matter are text.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

WIDE = 500_000
"""Multiplying integers of a and b bits takes about as long as 1 + a b / WIDE small products."""
MOST_BYTES = 50_000_000
MOST_JSON_DIGITS = 300
"""Most digits of a JSON number; numbers as text may be longer."""
MOST_DIGITS = 4000
MOST_POWER = 20_000
"""Largest exponent of two in m/2^k, and of ten in a decimal."""

WHOLE = r"0|-?[1-9][0-9]*"
_RATIO = r"(?P<ratio>(?:0|-?[1-9][0-9]*)/[1-9][0-9]*)"
_DYADIC = r"(?P<dyadic>(?:0|-?[1-9][0-9]*)/2\^(?:0|[1-9][0-9]*))"
_DECIMAL = r"(?P<decimal>-?(?:0|[1-9][0-9]*)\.[0-9]+)"
_SCIENTIFIC = r"(?P<scientific>-?[0-9](?:\.[0-9]+)?e-?[1-9][0-9]*)"

FRACTION = re.compile(f"{WHOLE}|{_RATIO}", re.ASCII)
"""7 or 1/3."""
EXACT = re.compile(f"{WHOLE}|{_RATIO}|{_DYADIC}|{_DECIMAL}", re.ASCII)
"""The same, 5/2^9 or 0.25."""
SCIENTIFIC = re.compile(f"{WHOLE}|{_RATIO}|{_DYADIC}|{_DECIMAL}|{_SCIENTIFIC}", re.ASCII)
"""The same or 2.5e-9."""


class Rejected(Exception):
    """The certificate does not prove what it claims."""


class NotJson(Rejected):
    """The file is not even JSON."""


def require(holds: object, reason: str) -> None:
    """Go on if it holds."""
    if not holds:
        raise Rejected(reason)


STEPS, UNASKED, MOST_STEPS = 20_000_000, 40_000_000, 1_000_000_000
"""The most work for any file, for a long one, and for one that is about to be written. A million
takes a second at most, and usually a quarter of a second."""


def allowed_steps(data: str | bytes, a_byte: int) -> int:
    """The work that a checker does for a file of that length unless more is allowed."""
    return min(STEPS + a_byte * len(data), UNASKED)


def steps(products: int, bits: int = 0, other_bits: int | None = None) -> int:
    """Roughly how long this many products of integers of these sizes take."""
    others = bits if other_bits is None else other_bits
    return products * (1 + bits * others // WIDE)


class Work:
    """Counts steps before they are done, a step being up to a microsecond, and refuses too many."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.spent = 0

    def charge(self, products: int, bits: int = 0, other_bits: int | None = None) -> None:
        """Announce this many products of integers of these sizes."""
        self.spent += steps(products, bits, other_bits)
        if self.spent > self.limit:
            raise Rejected(
                f"checking takes at least {self.spent:,} steps, and {self.limit:,} are allowed; "
                "whoever trusts the sender may allow more with --limit"
            )


def common_bits(denominators: Iterable[int], work: Work) -> int:
    """Bits of a common denominator, which may be as long as all denominators together.

    It determines the cost of sums of fractions, however short the fractions are.
    """
    common = 1
    for below in set(denominators):
        work.charge(4, common.bit_length(), below.bit_length())
        common = lcm(common, below)
    return common.bit_length()


def run(arguments: Sequence[str], check: Callable[[bytes, int | None], str]) -> int:
    """`FILE [--limit STEPS]`: print the checker's verdict on a file; returns the exit code."""
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
    except Exception as error:  # any other error means that the file has not been proved
        sys.stderr.write(f"rejected: malformed ({type(error).__name__})\n")
        return 1
    sys.stdout.write(f"accepted{said}\n")
    return 0


def file_bytes(path: str) -> bytes:
    """A regular file that is not too large."""
    try:
        require(stat.S_ISREG(os.stat(path).st_mode), "is not a regular file")
        with open(path, "rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise Rejected(f"cannot be read ({type(error).__name__})") from None
    require(len(data) <= MOST_BYTES, f"is larger than {MOST_BYTES:,} bytes")
    return data


def parsed(data: str | bytes, *, floats: bool = False) -> Any:
    """The value of a JSON text; if floats are allowed, they are kept as text, as written."""
    require(len(data) <= MOST_BYTES, f"is larger than {MOST_BYTES:,} bytes")
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        return json.loads(
            text,
            object_pairs_hook=_once,
            parse_int=_integer,
            parse_float=str if floats else _no_number,
            parse_constant=_no_number,
        )
    except RecursionError:
        raise NotJson("is nested too deeply for JSON") from None
    except UnicodeDecodeError:
        raise NotJson("is not text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise NotJson(_what_is_wrong(error)) from None
    except ValueError:
        raise NotJson("is not JSON") from None


def _what_is_wrong(error: json.JSONDecodeError) -> str:
    said = error.doc.rstrip()
    if not said:
        return "is empty"
    if error.pos >= len(said) or error.msg.startswith("Unterminated"):
        return f"ends early, line {said.count(chr(10)) + 1}"
    return f"is not JSON (line {error.lineno})"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        require(key not in found, f"the key {shown(key)} appears twice in one object")
        found[key] = value
    return found


def _integer(text: str) -> int:
    require(len(text) <= MOST_JSON_DIGITS, "a JSON number has too many digits")
    require(text != "-0", "-0 is not a whole number")
    return int(text)


def _no_number(text: str) -> Any:
    raise Rejected(f"{shown(text)} is not a whole number; other numbers are text")


def fields(
    value: Any, where: str, needed: Collection[str], optional: Collection[str] = ()
) -> dict[str, Any]:
    """An object with exactly these keys."""
    require(isinstance(value, dict), f"{where}: is not an object")
    for key in value:
        require(key in needed or key in optional, f"{where}: {shown(key)} is not a field")
    for key in needed:
        require(key in value, f"{where}: {key} is missing")
    found: dict[str, Any] = value
    return found


def entries(value: Any, where: str, least: int, most: int) -> list[Any]:
    """A list of this many entries."""
    require(isinstance(value, list), f"{where}: is not a list")
    found: list[Any] = value
    wanted = f"{least}" if least == most else f"{least} to {most}"
    require(least <= len(found) <= most, f"{where}: has {len(found)} entries, not {wanted}")
    return found


def text(value: Any, where: str, most: int = 1000) -> str:
    """Printable text, so that what is printed later cannot look like something else."""
    require(isinstance(value, str), f"{where}: is not text")
    found: str = value
    require(len(found) <= most, f"{where}: is longer than {most} characters")
    require(found.isprintable(), f"{where}: has a character that cannot be printed")
    return found


def whole(value: Any, where: str, least: int, most: int) -> int:
    """A whole JSON number in a range; true and false are not numbers."""
    require(type(value) is int, f"{where}: is not a whole number")
    found: int = value
    require(least <= found <= most, f"{where}: is not between {least} and {most}")
    return found


def number(
    value: Any, where: str, form: re.Pattern[str] = EXACT, digits: int = MOST_DIGITS
) -> Fraction:
    """An exact number as text of that form, of at most this many characters."""
    require(isinstance(value, str), f"{where}: {shown(value)} is not a number as text")
    require(len(value) <= digits, f"{where}: a number is too long")
    match = form.fullmatch(value)
    if match is None:
        raise Rejected(f"{where}: {shown(value)} is not a number as text")
    if match.lastgroup == "dyadic":
        numerator, _, power = value.partition("/2^")
        require(len(power) < 6 and int(power) <= MOST_POWER, f"{where}: a number is too long")
        return Fraction(int(numerator), 2 ** int(power))
    if match.lastgroup == "scientific":
        _, _, power = value.partition("e")
        require(len(power) < 7 and abs(int(power)) <= MOST_POWER, f"{where}: a number is too long")
    return Fraction(value)


def whole_text(value: Any, where: str, digits: int = MOST_DIGITS) -> int:
    """A whole number as text."""
    found = number(value, where, FRACTION, digits)
    require(found.denominator == 1, f"{where}: {shown(value)} is not a whole number as text")
    return found.numerator


def shown(value: Any) -> str:
    """A value on one short line."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    line = repr(value[:60] if isinstance(value, str) else value)
    return line if len(line) <= 60 else f"{line[:57]}..."
