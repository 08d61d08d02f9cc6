"""Certificates re-proved by independent checkers. Nothing that could have made one is imported here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bounds.parameter import Parameter
from synthbounds.api.command import command

if TYPE_CHECKING:
    from pathlib import Path

    from synthbounds.checking import CheckResult

__all__ = ["check", "check_certificate"]

_GIVEN, _WORK = "what the certificate of a model takes as given", "work"

CHECK = command(
    "check",
    "re-prove a certificate with an independent checker",
    "certificate.json --release release.json --model model.json",
    "check",
    (
        Parameter(
            "file",
            "",
            "a certificate written by `approx`, `synth` or `certify` with --certificate",
            "file",
            metavar="FILE",
            role="read",
            positional=True,
        ),
        Parameter(
            "release",
            _GIVEN,
            "compute sums, noise and features again from this release",
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
            "limit", _WORK, "let the checker work longer than for the file of a stranger", "integer", metavar="STEPS"
        ),
    ),
    (_GIVEN, _WORK),
)
"""The one command that is declared apart, so that it loads nothing else."""


def check(
    file: str | Path,
    *,
    release: str | Path | None = None,
    model: str | Path | None = None,
    limit: str | int | None = None,
) -> CheckResult:
    """The verdict of the independent checker on the certificate in a file, with its reason and what it claims.

    With the files of a release or a model, what the certificate of a model takes as given must be theirs; `limit`
    allows more steps of work.
    """
    from synthbounds.checking import check_file

    others = [None if path is None else str(path) for path in (release, model)]
    return check_file(str(file), release=others[0], model=others[1], limit=limit)


def check_certificate(
    text: str, *, release: str | None = None, model: str | None = None, limit: int | None = None
) -> bool:
    """Does the independent checker accept the certificate? The same as `check`, for texts."""
    from synthbounds.checking import check_text

    return check_text(text, release=release, model=model, limit=limit).valid
