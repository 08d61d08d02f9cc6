"""synthbounds: certified sample sizes, bounds and verified claims for differentially private synthetic data.

>>> import synthbounds as sb
>>> answer = sb.require(measure="uniform", p=10, degree=2, epsilon=".2", delta=".05", gamma=".05")
>>> answer.n, answer.m, answer.k
(440, None, 1867)

Every command has a function that does the same. Numbers are exact: text, integers, fractions, and floats as the
shortest decimal that reads as them. Building blocks are in `synthbounds.data`, `synthbounds.models` and
`synthbounds.privacy`. Everything heavy is imported on first use.
"""
# ruff: noqa: F403 - every star is the `__all__` of a module

from __future__ import annotations

from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any

from bounds.shown import words_are_in

if TYPE_CHECKING:
    from synthbounds import data as data
    from synthbounds import models as models
    from synthbounds import privacy as privacy
    from synthbounds._version import __version__ as __version__
    from synthbounds.api.accounts import *
    from synthbounds.api.approximation import *
    from synthbounds.api.checkup import *
    from synthbounds.api.comparisons import *
    from synthbounds.api.confirming import *
    from synthbounds.api.cross_models import *
    from synthbounds.api.estimators import *
    from synthbounds.api.evaluating import *
    from synthbounds.api.exactness import *
    from synthbounds.api.improving import *
    from synthbounds.api.inferring import *
    from synthbounds.api.json_schemas import *
    from synthbounds.api.ledger import *
    from synthbounds.api.log_models import *
    from synthbounds.api.measures import *
    from synthbounds.api.modelling import *
    from synthbounds.api.moment_inferences import *
    from synthbounds.api.planned_inferences import *
    from synthbounds.api.planning import *
    from synthbounds.api.predictions import *
    from synthbounds.api.proofs import *
    from synthbounds.api.public_models import *
    from synthbounds.api.reach import *
    from synthbounds.api.recovering import *
    from synthbounds.api.regressing import *
    from synthbounds.api.releases import *
    from synthbounds.api.results import *
    from synthbounds.api.risk import *
    from synthbounds.api.sizes import *
    from synthbounds.api.statements import *
    from synthbounds.api.sweeping import *
    from synthbounds.api.tables import *

_ROOMS = ("data", "models", "privacy")
_MODULES = (
    "sizes",
    "risk",
    "approximation",
    "proofs",
    "measures",
    "statements",
    "tables",
    "releases",
    "accounts",
    "comparisons",
    "estimators",
    "evaluating",
    "exactness",
    "improving",
    "inferring",
    "moment_inferences",
    "planned_inferences",
    "modelling",
    "confirming",
    "predictions",
    "cross_models",
    "log_models",
    "public_models",
    "reach",
    "recovering",
    "regressing",
    "planning",
    "sweeping",
    "ledger",
    "checkup",
    "json_schemas",
    "results",  # last, as it imports what it names
)
"""Modules of the API; only they declare public names, in `__all__`."""


words_are_in("synthbounds.showing.words")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("synthbounds._version").__version__
    if name in _ROOMS:
        return import_module(f"synthbounds.{name}")
    if name == "__all__":
        return sorted(n for home in _MODULES for n in import_module(f"synthbounds.api.{home}").__all__)
    if not name.startswith("_"):
        for home in _MODULES:
            module = import_module(f"synthbounds.api.{home}")
            if name in module.__all__:
                return _offered(name, getattr(module, name))
    raise AttributeError(f"module 'synthbounds' has no attribute {name!r}")


def _offered(name: str, found: Any) -> Any:
    """A function in its wrapper, kept so that it is the same one each time; a type as it is."""
    if isinstance(found, FunctionType):
        from synthbounds.showing.asking import manners

        found = globals()[name] = manners(found, __name__)
    return found


def __dir__() -> list[str]:
    return sorted(("__version__", *_ROOMS, *__getattr__("__all__")))
