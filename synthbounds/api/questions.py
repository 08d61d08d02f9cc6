"""Parameters that several functions share, declared once as types; `asks` shows each field as a parameter.

Type checkers and editors read the types; `help` and `inspect.signature` read what the decorator adds.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

    from bounds.exact import Exact
    from bounds.privacy.adjacency import Adjacency
    from release.data.schema import Schema

Function = TypeVar("Function", bound=Callable[..., Any])


class Setting(TypedDict, total=False):
    """Sizes of a release, for any theorem. `p` is required, or a `schema` instead of `p` and `t`."""

    p: Exact | None
    schema: str | Path | Schema | None
    measure: str | None
    epsilon: Exact | None
    dp_delta: Exact | None
    delta: Exact | None
    gamma: Exact | None
    accuracy: Exact | None
    failure: Exact | None
    adjacency: Adjacency | str | None
    t: Exact | None
    degree: Exact | None
    family: str | None
    queries: Exact | None
    k: Exact | None
    tau1: Exact | None
    tau2: Exact | None
    tau: Exact | None
    lipschitz: Exact | None
    density_max: Exact | None
    kappa: Exact | None
    mechanism: str | None
    rows: str | None
    release: str | None


class SizeQuestion(Setting, total=False):
    """The same for one theorem and edition."""

    edition: str
    theorem: str | None


class RiskSetting(TypedDict, total=False):
    """Excess risk, for any bound. `features` is required."""

    features: Exact
    tau: Exact | None
    radius: Exact | None
    loss: str | None
    intercept: Exact | None
    optimisation_gap: Exact | None
    marginals: Exact | None
    marginal_error: Exact | None
    nu: Exact | None
    n: Exact | None
    k: Exact | None
    epsilon: Exact | None
    dp_delta: Exact | None
    levels: Exact | None
    failure: Exact | None
    adjacency: Adjacency | str | None
    target: Exact | None
    approximation: str | None
    release: str | None
    solve_for: str | None


class RiskQuestion(RiskSetting, total=False):
    """The same for one theorem and edition."""

    edition: str | None
    theorem: str | None


def asks(question: type, *needed: str, **defaults: object) -> Callable[[Function], Function]:
    """Show the fields of a question as keyword parameters: required, with a given default, or with None."""

    def shown(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        fields = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if name in needed else defaults.get(name),
                annotation=getattr(kind, "__forward_arg__", kind),
            )
            for name, kind in question.__annotations__.items()
        ]
        function.__signature__ = signature.replace(parameters=[*own, *fields])  # type: ignore[attr-defined]
        return function

    return shown


def said_of_sizes(question: Any) -> dict[str, Any]:
    """The same for a question about sizes: a schema becomes the levels of its columns."""
    given = said(question)
    schema = given.pop("schema", None)
    if schema is None:
        return given
    from release.data.schema import Schema, read_schema

    opened = schema if isinstance(schema, Schema) else read_schema(schema)
    return {**given, "levels": opened.domain.sizes}


def said(question: Any) -> dict[str, Any]:
    """What was given; None means not given."""
    return {name: value for name, value in question.items() if value is not None}
