"""Certificates re-proved by independent checkers. Nothing that could have produced one is imported here."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bounds.errors import FILES, DataError, ParameterError, UsageError
from bounds.parameter import Parameter
from bounds.shown import Shown
from synthbounds.api import command
from verify.checkers import MOST_BYTES, NotJson, Rejected, parsed

if TYPE_CHECKING:
    from pathlib import Path


__all__ = ["check", "check_certificate"]

_GIVEN, _WORK = "assumptions of the certificate of a model or of scores", "work"

CHECK = command(
    "check",
    "re-prove a certificate with an independent checker",
    "certificate.json --release release.json --model model.json",
    "check",
    (
        Parameter(
            "file",
            "",
            "certificate written by `approx`, `synth`, `certify` or `confirm` with --certificate",
            "file",
            metavar="FILE",
            role="read",
            positional=True,
        ),
        Parameter(
            "release",
            _GIVEN,
            "recompute sums, noise and features from this release",
            "file",
            metavar="FILE",
            role="read",
        ),
        Parameter(
            "query",
            _GIVEN,
            "compare the question, the noise and the answers with this query",
            "file",
            metavar="FILE",
            role="read",
        ),
        Parameter(
            "model",
            _GIVEN,
            "compare the coefficients with those of this model",
            "file",
            metavar="FILE",
            role="read",
        ),
        Parameter(
            "limit", _WORK, "let the checker take this many steps, for a trusted file", "integer", metavar="STEPS"
        ),
    ),
    (_GIVEN, _WORK),
)
"""Declared apart from the other commands, so that it loads nothing else."""


def check(
    file: str | Path,
    *,
    release: str | Path | None = None,
    query: str | Path | None = None,
    model: str | Path | None = None,
    limit: str | int | None = None,
) -> CheckResult:
    """The verdict of the independent checker on the certificate in a file, with its reason and what it claims.

    Given the files of a release, a query or a model, what the certificate assumes must agree with them; `limit` allows
    more steps of work.
    """
    allowed = None if limit is None else _limit(limit)
    text = _read(str(file), "certificate")
    named = {"release": release, "query": query, "model": model}
    others = {name: None if path is None else _read(str(path), name) for name, path in named.items()}
    return check_text(text, str(file), limit=allowed, **others)


def check_certificate(
    text: str,
    *,
    release: str | None = None,
    query: str | None = None,
    model: str | None = None,
    limit: int | None = None,
) -> bool:
    """Does the independent checker accept the certificate? The same as `check`, for texts."""
    return check_text(text, release=release, query=query, model=model, limit=limit).valid


APPROXIMATION, DENSITY, MODEL, SCORES = "polynomial approximation", "density", "model", "scores"
LARGEST_LIMIT = 10**15


@dataclass(frozen=True)
class CheckResult(Shown):
    """What the checker said, and the claims it was about."""

    name: str
    valid: bool
    reason: str
    claims: dict[str, Any]
    given: tuple[str, ...] = ()
    """What the file says and the checker takes as given."""
    recomputed: tuple[str, ...] = ()
    """What the file says and the given release, query or model confirms."""


def check_text(
    text: str | bytes,
    name: str = "",
    *,
    release: str | bytes | None = None,
    query: str | bytes | None = None,
    model: str | bytes | None = None,
    limit: int | None = None,
) -> CheckResult:
    """The verdict of the independent checker on a certificate; anything that is not one is rejected.

    Given a release, a query or a model, as the text of its file, what the certificate assumes is recomputed from it and
    compared. `limit` allows more steps of work than the default, which is for files of strangers.
    """
    try:
        claims = parsed(text)
    except NotJson as error:
        raise DataError(f"certificate {name[:80]}: {error}") from None
    except Rejected as error:
        return CheckResult(name, False, str(error), {})
    if not isinstance(claims, dict):
        raise DataError(f"certificate {name[:80]}: is not a JSON object")
    kind = claims.get("certificate")
    other = None if kind is not None else next((key for key in claims if key in FILES), None)
    if other is not None:
        return CheckResult(name, False, f"is {FILES[other]}, not a certificate", {})
    del claims  # the checker parses the text itself; two copies at once would take twice the memory
    compares = release is not None or model is not None
    if (compares and kind not in (MODEL, SCORES)) or (query is not None and kind != SCORES):
        raise UsageError("release and model go with the certificate of a model or of scores, query with that of scores")
    try:
        given = _checked(kind, text, limit)
        recomputed: tuple[str, ...] = ()
        if kind == SCORES and (compares or query is not None):
            from verify.checkers import score_given

            same, left = score_given.compare(text, release, query, model)
            kept = [line for line in given[len(left) :] if model is None or not line.startswith("model ")]
            given, recomputed = (*left, *kept), tuple(same)
        elif compares:
            given, recomputed = _compared(text, release, model, given)
    except Rejected as error:
        reason = str(error)
    except Exception as error:  # whatever a hostile file does to the checker, it has not been proved
        reason = f"malformed ({type(error).__name__})"
    else:
        return CheckResult(name, True, "", parsed(text), given, recomputed)
    return CheckResult(name, False, reason, parsed(text))


def _checked(kind: object, text: str | bytes, limit: int | None) -> tuple[str, ...]:
    """What the checker of that kind takes as given; only that one is loaded."""
    if kind == MODEL:
        from verify.checkers import model

        return tuple(model.check(text, limit))
    if kind == SCORES:
        from verify.checkers import scores

        return tuple(scores.check(text, limit))
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
    """What is still taken as given, and what agrees with the release and the model."""
    from verify.checkers.given import compare

    same, left = compare(text, release, model)
    of_release, of_noise, of_model, *others = given
    kept = left if release is not None else [of_release, of_noise]
    if model is None or release is None:
        kept = [*kept, of_model]
    if model is not None:
        others = [line for line in others if not line.startswith("the coefficient at place ")]
    return (*kept, *others), tuple(same)


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
    except OSError as error:
        raise DataError(f"{where}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise DataError(f"{where}: is not a usable name ({error})") from None
    if len(data) > MOST_BYTES:
        raise DataError(f"{where}: is larger than {MOST_BYTES} bytes")
    return data
