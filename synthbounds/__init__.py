"""synthbounds: certified sample sizes, bounds and verified claims for differentially private synthetic data.

>>> import synthbounds as sb
>>> answer = sb.require(measure="uniform", p=10, degree=2, epsilon=".2", delta=".05", gamma=".05")
>>> answer.n, answer.m, answer.k
(2038, 1024, 140)

Numbers are exact: pass text, integers or fractions, never floats. Everything heavy is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synthbounds._version import __version__

if TYPE_CHECKING:
    from synthbounds.api import (
        Approximation,
        Inversion,
        Requirement,
        RiskAnswer,
        SynthboundsError,
        approximate,
        certificate,
        check_certificate,
        compare,
        compare_risk,
        evaluate,
        lower_bound,
        query_lower_bound,
        renyi,
        require,
        risk,
        solve_for,
        sweep,
        theorem,
        theorems,
    )
    from synthbounds.schemas import json_schema, schema_names

__all__ = [
    "Approximation",
    "Inversion",
    "Requirement",
    "RiskAnswer",
    "SynthboundsError",
    "__version__",
    "approximate",
    "certificate",
    "check_certificate",
    "compare",
    "compare_risk",
    "evaluate",
    "json_schema",
    "lower_bound",
    "query_lower_bound",
    "renyi",
    "require",
    "risk",
    "schema_names",
    "solve_for",
    "sweep",
    "theorem",
    "theorems",
]


def __getattr__(name: str) -> Any:
    if name in ("json_schema", "schema_names"):
        from synthbounds import schemas

        return getattr(schemas, name)
    if name in __all__:
        from synthbounds import api

        return getattr(api, name)
    raise AttributeError(f"module 'synthbounds' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
