"""Does certified arithmetic work on this machine? Versions, and a few answers that are known beforehand."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from synthbounds._version import __version__
from synthbounds.render.document import Document, Table, Title

_PACKAGES = ("python-flint", "numpy", "scipy", "sympy", "mpmath")


@dataclass(frozen=True)
class Check:
    name: str
    fine: bool
    found: str


def checks() -> tuple[Check, ...]:
    return (
        Check("synthbounds", True, __version__),
        Check("Python 3.11 or later", sys.version_info >= (3, 11), platform.python_version()),
        *(_package(name) for name in _PACKAGES),
        _balls(),
        _registry(),
        _known_answer(),
    )


def _package(name: str) -> Check:
    try:
        return Check(name, True, metadata.version(name))
    except metadata.PackageNotFoundError:
        return Check(name, False, "missing")


def _balls() -> Check:
    from bounds.arithmetic.ball import BALL
    from bounds.enclosure import Enclosure, precision

    with precision(200):
        enclosure = Enclosure.of(BALL.exp(BALL.log(BALL.ratio(2))))
    fine = enclosure.contains(2) and enclosure.hi - enclosure.lo < 10**-50
    return Check("exp(log 2) encloses 2", fine, "yes" if fine else "no")


def _registry() -> Check:
    from bounds.registry import all_theorems, registry_digest

    return Check("theorems", bool(all_theorems()), f"{len(all_theorems())}, digest {registry_digest()}")


def _known_answer() -> Check:
    from bounds.plan import require

    answer = require(measure="histogram", edition="printed", p=10, degree=2, epsilon=".2", delta=".5", gamma=".25")
    return Check("bojkovic2024's own setting, p = 10", answer.n == 7_301_638_074, f"n = {answer.n:,}")


def doctor_document(results: tuple[Check, ...]) -> Document:
    rows = tuple(("ok" if c.fine else "FAILED", c.name, c.found) for c in results)
    return (Title("doctor"), Table("", ("", "", ""), rows))


def doctor_payload(results: tuple[Check, ...]) -> dict[str, Any]:
    return {"checks": [{"name": c.name, "fine": c.fine, "found": c.found} for c in results]}
