"""Verdicts of the independent checkers on certificates, as text or files. No code that writes them is reached."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import Any

from bounds.errors import DataError, ParameterError, UsageError
from verify.checkers import NotJson, Rejected
from verify.checkers.strict_json import MOST_BYTES, parsed

APPROXIMATION, DENSITY, MODEL = "polynomial approximation", "density", "model"
LARGEST_LIMIT = 10**15


@dataclass(frozen=True)
class CheckResult:
    """What the checker said, and the claims it was about."""

    name: str
    valid: bool
    reason: str
    claims: dict[str, Any]
    given: tuple[str, ...] = ()
    """What the file says and the checker takes as given."""
    recomputed: tuple[str, ...] = ()
    """What was taken as given, but is that of the release or the model that was shown."""


def check_text(
    text: str | bytes,
    name: str = "",
    *,
    release: str | bytes | None = None,
    model: str | bytes | None = None,
    limit: int | None = None,
) -> CheckResult:
    """The verdict of the independent checker on a certificate; anything that is not one is rejected.

    With a release or a model, as the text of their files, what the certificate of a model takes as given is computed
    again from them and compared. `limit` allows more steps of work than for the file of a stranger.
    """
    try:
        claims = parsed(text)
    except NotJson as error:
        raise DataError(f"certificate {name[:80]}: {error}") from None
    except Rejected as error:
        return CheckResult(name, False, str(error), {})
    if not isinstance(claims, dict):
        raise DataError(f"certificate {name[:80]}: is not a JSON object")
    compares = release is not None or model is not None
    if compares and claims.get("certificate") != MODEL:
        raise UsageError("release and model go with the certificate of a model")
    try:
        given = _checked(claims.get("certificate"), text, limit)
        recomputed: tuple[str, ...] = ()
        if compares:
            given, recomputed = _compared(text, release, model, given)
    except Rejected as error:
        return CheckResult(name, False, str(error), claims)
    except Exception as error:  # whatever a hostile file does to the checker, it has not been proved
        return CheckResult(name, False, f"malformed ({type(error).__name__})", claims)
    return CheckResult(name, True, "", claims, given, recomputed)


def _checked(kind: object, text: str | bytes, limit: int | None) -> tuple[str, ...]:
    """What the checker of that kind takes as given; only that one is loaded."""
    if kind == MODEL:
        from verify.checkers import model

        return tuple(model.check(text, limit))
    if kind == DENSITY:
        from verify.checkers import density

        density.check(text, limit)
    else:
        from verify.checkers import approximation

        approximation.check(text, limit)
    return ()


def _compared(
    text: str | bytes, release: str | bytes | None, model: str | bytes | None, given: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is left to be taken as given, and what is the same in the release and the model."""
    from verify.checkers.given import compare

    same, left = compare(text, release, model)
    of_release, of_noise, of_model, *others = given
    kept = left if release is not None else [of_release, of_noise]
    if model is None or release is None:
        kept = [*kept, of_model]
    return (*kept, *others), tuple(same)


def check_file(
    name: str, *, release: str | None = None, model: str | None = None, limit: str | int | None = None
) -> CheckResult:
    """The same for files, by their names."""
    allowed = None if limit is None else _limit(limit)
    text = _read(name, "certificate")
    others = [None if path is None else _read(path, kind) for path, kind in ((release, "release"), (model, "model"))]
    return check_text(text, name, release=others[0], model=others[1], limit=allowed)


def _limit(value: str | int) -> int:
    text = str(value)
    if not (text.isascii() and text.isdigit()) or not 1 <= len(text) <= 16 or not 1 <= int(text) <= LARGEST_LIMIT:
        raise ParameterError("limit", value, f"a whole number of steps up to {LARGEST_LIMIT}")
    return int(text)


def _read(name: str, kind: str) -> bytes:
    where = f"{kind} {name[:80]}"
    try:
        if not stat.S_ISREG(os.stat(name).st_mode):
            raise DataError(f"{where}: is not a regular file")
        with open(name, "rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise DataError(f"{where}: cannot be read ({error})") from None
    if len(data) > MOST_BYTES:
        raise DataError(f"{where}: is larger than {MOST_BYTES} bytes")
    return data
