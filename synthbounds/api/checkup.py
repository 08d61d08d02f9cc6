"""Does certified arithmetic work on this machine? Versions, and a few answers that are known in advance."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib import metadata

from bounds.errors import how_to_install
from bounds.shown import Rows, Shown
from synthbounds._version import __version__

__all__ = ["doctor"]

_PACKAGES = ("python-flint", "numpy", "scipy", "sympy", "mpmath", "highspy", "clarabel")
_OPTIONAL = {
    "pyarrow": ("data", "tables: synth, schema, release, confirm, evaluate"),
    "opendp": ("release", "releases with Laplace noise, releases of marginals"),
    "matplotlib": ("figures", "figures"),
    "scikit-learn": ("evaluate", "scores of evaluate"),
    "uvicorn": ("web", "the local page: serve"),
}
"""What an extra installs, and what does not run without it."""


@dataclass(frozen=True)
class Check(Shown):
    name: str
    fine: bool
    found: str
    left_out: bool = False
    """An extra that is not installed."""

    def __str__(self) -> str:
        return f"{self.name} {self.found}"


def doctor() -> Rows[Check]:
    """Versions, and a check that certified arithmetic works here.

    >>> all(check.fine for check in doctor())
    True
    """
    found = (
        Check("synthbounds", True, __version__),
        Check("Python 3.11 or later", sys.version_info >= (3, 11), platform.python_version()),
        *(_package(name) for name in _PACKAGES),
        *(_optional(name) for name in _OPTIONAL),
        *(_attempt(check) for check in (_balls, _registry, _known_answer)),
    )
    return Rows(found, of=Check)


def _attempt(check: Callable[[], Check]) -> Check:
    """A check that cannot even run has failed, and says so."""
    try:
        return check()
    except Exception as error:
        return Check(check.__name__.strip("_").replace("_", " "), False, f"{type(error).__name__}: {error}")


def _package(name: str) -> Check:
    try:
        return Check(name, True, metadata.version(name))
    except metadata.PackageNotFoundError:
        return Check(name, False, "missing")


def _optional(name: str) -> Check:
    """Its absence is fine, but reported: whoever needs it should know in advance."""
    extra, needed_for = _OPTIONAL[name]
    try:
        return Check(name, True, metadata.version(name))
    except metadata.PackageNotFoundError:
        return Check(name, True, f"not installed, needed for {needed_for}: {how_to_install(extra)}", left_out=True)


def _balls() -> Check:
    from bounds.arithmetic.ball import BALL
    from bounds.enclosure import Enclosure, precision

    with precision(200):
        enclosure = Enclosure.of(BALL.exp(BALL.log(BALL.ratio(2))))
    fine = enclosure.contains(2) and enclosure.hi - enclosure.lo < Fraction(1, 10**50)
    return Check("exp(log 2) encloses 2", fine, "yes" if fine else "no")


def _registry() -> Check:
    from bounds.registry import all_theorems, registry_digest

    return Check("theorems", bool(all_theorems()), f"{len(all_theorems())}, digest {registry_digest()}")


def _known_answer() -> Check:
    from bounds.sizes.require import require

    answer = require(measure="histogram", edition="printed", p=10, degree=2, epsilon=".2", delta=".5", gamma=".25")
    return Check("bojkovic2024's own setting, p = 10", answer.n == 7_301_638_074, f"n = {answer.n:,}")
