"""Fields of our JSON files, read strictly and written exactly: one reader for every kind of file.

A file is refused with one line that says where. Integers are JSON numbers up to 2^53 and text above that, because other
readers of JSON would round them; exact rationals are text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, TypeVar

from bounds.errors import DataError, SynthboundsError
from bounds.exact import LARGEST_JSON_INTEGER, parse_rational
from bounds.parameter import Range
from release.files.digest import canonical_json, digest_of
from release.files.strict_json import Number, is_text, shown

Result = TypeVar("Result")
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,99})", re.ASCII)


def integer_json(value: int) -> int | str:
    """A JSON number up to 2^53, decimal text above that."""
    return value if abs(value) <= LARGEST_JSON_INTEGER else str(value)


def read_integer(body: object, where: str, *, least: int | None = None, either: bool = False) -> int:
    """What `integer_json` writes; with `either` a number and its text are the same, as in files from other programs."""
    if not isinstance(body, str) or not _WHOLE.fullmatch(body) or body == "-0":
        raise DataError(f"{where} = {shown(body)}: must be a whole number")
    value = int(body)
    if not either and isinstance(body, Number) != (abs(value) <= LARGEST_JSON_INTEGER):
        raise DataError(f"{where} = {shown(body)}: must be a number up to 2^53, text above")
    return _at_least(value, least, where)


def read_whole(body: object, where: str, *, least: int | None = None) -> int:
    """A JSON number without a fraction."""
    if not isinstance(body, Number) or not _WHOLE.fullmatch(body) or body == "-0":
        raise DataError(f"{where} = {shown(body)}: must be a whole number")
    return _at_least(int(body), least, where)


def read_counter(body: object, where: str) -> int:
    """A seed or the number of a run: text, because it may have 64 bits."""
    if not is_text(body) or not _WHOLE.fullmatch(str(body)) or not 0 <= int(str(body)) < 2**64:
        raise DataError(f"{where} = {shown(body)}: must be a whole number from 0 to 2^64 - 1, in quotes")
    return int(str(body))


def read_integers(body: object, count: int, where: str) -> tuple[int, ...]:
    """A list of this many integers."""
    if not isinstance(body, list) or len(body) != count:
        has = f"has {len(body)} entries; " if isinstance(body, list) else ""
        raise DataError(f"{where}: {has}must be a list of {count} whole numbers")
    return tuple(read_integer(item, f"{where}[{i}]") for i, item in enumerate(body))


def read_exact(body: object, name: str, where: str, *, allowed: Range | None = None) -> Fraction:
    """An exact rational, as text; a JSON number is not accepted, since other programs may have rounded it."""
    if not is_text(body):
        raise DataError(f"{where}: {name} = {shown(body)}: must be an exact number in quotes, such as 1/2")
    number = within(lambda: parse_rational(str(body), name), where)
    if allowed is not None:
        within(lambda: allowed.check(name, number, str(body)), where)
    return number


def read_choice(body: object, allowed: Iterable[str], where: str) -> str:
    """One of these texts."""
    known = tuple(allowed)
    if not is_text(body) or body not in known:
        raise DataError(f"{where} = {shown(body)}: must be {' or '.join(known)}")
    return str(body)


def require_version(fields: dict[str, Any], name: str, version: int, where: str) -> None:
    if not isinstance(fields[name], Number) or fields[name] != str(version):
        raise DataError(f"{where}: {name} = {shown(fields[name])}: must be {version}")


def require_digest(fields: dict[str, Any], where: str) -> None:
    """Refuse a file whose digest is not that of everything else in it."""
    if fields["digest"] != digest_of(plain(fields, where)):
        raise DataError(f"{where}: digest: is not that of the content; the file has been changed")


def require_same(computed: dict[str, Any], stated: dict[str, Any], where: str) -> None:
    """A value stated next to its own source must follow from it; the first difference is named."""
    for key, value in computed.items():
        if key not in stated:
            raise DataError(f"{where}: {key} is missing")
        if isinstance(value, dict) and isinstance(stated.get(key), dict):
            require_same(value, stated[key], f"{where}: {key}")
        elif canonical_json(value) != canonical_json(plain(stated.get(key), where)):
            raise DataError(f"{where}: {key} = {shown(stated.get(key))}: {shown(value)} follows from the other fields")
    for key in stated:
        if key not in computed:
            raise DataError(f"{where}: {shown(key)} is not a field here")


def plain(body: object, where: str) -> Any:
    """The same JSON with Python's integers; our files contain no other numbers."""
    if isinstance(body, Number):
        if not _WHOLE.fullmatch(body) or body == "-0":
            raise DataError(f"{where} = {shown(body)}: must be a whole number; exact ones are in quotes, as 1/20")
        return int(body)
    if isinstance(body, dict):
        return {key: plain(item, f"{where}: {key}") for key, item in body.items()}
    if isinstance(body, list):
        return [plain(item, f"{where}[{i}]") for i, item in enumerate(body)]
    return body


def within(compute: Callable[[], Result], where: str) -> Result:
    """Errors of parameters as errors of the file."""
    try:
        return compute()
    except DataError:
        raise
    except SynthboundsError as error:
        raise DataError(f"{where}: {error}") from None


def _at_least(value: int, least: int | None, where: str) -> int:
    if least is not None and value < least:
        raise DataError(f"{where} = {value}: must be at least {least}")
    return value
