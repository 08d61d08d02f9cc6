"""What goes to a worker: the name of a function and items, but no code; and what a worker's answer depends on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path
from platform import python_version
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
_CODE = ("release", "lp", "mechanisms", "verify", "synthbounds", "paper_figures", "benchmarks")
_NUMBERS = ("numpy", "scipy", "python-flint", "highspy", "clarabel", "scikit-learn")
"""Packages whose versions may change a last digit."""


def make(function: str, items: Sequence[Any]) -> list[Any]:
    """The answers of `module:name` to each item, the name or number of a piece of work, which alone seeds its
    randomness.

    Linear algebra has one thread: several would add in another order and round differently.
    """
    from threadpoolctl import threadpool_limits

    module, _, name = function.partition(":")
    action = getattr(import_module(module), name)
    with threadpool_limits(limits=1):
        return [action(item) for item in items]


@cache
def version() -> dict[str, str]:
    """What must agree wherever items are made, so that answers are equal to the last digit."""
    import numpy as np  # noqa: F401 - loads the linear algebra that is asked for below
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    from bounds.registry import registry_digest

    libraries = {
        f"{part['internal_api']} {part['version']} {part.get('architecture', '')}".strip()
        for part in threadpool_info()
        if part["user_api"] == "blas"
    }
    return {
        "synthbounds": _installed("synthbounds"),
        "mathematics": registry_digest(),
        "code": _code_digest(),
        "Python": python_version(),
        **{name: _installed(name) for name in _NUMBERS},
        "linear algebra": ", ".join(sorted(libraries)),
    }


def _code_digest() -> str:
    """Versions of everything but the mathematics, if installed."""
    digest = sha256()
    for path in (path for folder in _CODE for path in sorted((_ROOT / folder).rglob("*.py"))):
        digest.update(path.relative_to(_ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _installed(name: str) -> str:
    try:
        return installed(name)
    except PackageNotFoundError:
        return "not installed"
