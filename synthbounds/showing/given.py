"""What functions of the API are given, checked before they begin: a wrong type is explained in one line.

Signatures say what a parameter takes. Kinds are compared by the names of classes, so nothing is imported for it, and no
message shows a value, which could be a table.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import Any

from bounds.errors import UsageError
from bounds.nearest import did_you_mean

_OBJECTS = {
    "Address": "an Address",
    "Approximation": "the answer of `approximate`",
    "CrossMoments": "a release of cross moments",
    "DistanceRelease": "a release of a distance",
    "FloorRelease": "a release of floors",
    "GradientQuery": "the answer to a query",
    "MarginalLog": "a log",
    "Marginals": "released marginals",
    "Model": "a model",
    "ModelCertificate": "the answer of `certify`",
    "MomentRelease": "a release of moments",
    "Query": "the answer to a query",
    "Regression": "the answer of `regress`",
    "Release": "a release",
    "Schema": "a schema",
    "ScoreQuery": "the answer to a query",
    "SignsAnswer": "the answer of `infer_signs`",
}
"""Kinds of objects, and what messages call them."""
_RECORDS = ("Records", "Codes", "Source")
_FRAME = ("DataFrame", "Series", "LazyFrame")


def bound_arguments(signature: inspect.Signature, name: str, arguments: Any, said: Any) -> inspect.BoundArguments:
    """The arguments by name; an unknown keyword is a TypeError that says which was probably meant."""
    try:
        return signature.bind(*arguments, **said)
    except TypeError as error:
        unknown = [word for word in said if word not in signature.parameters]
        for word in unknown:
            known = [word for word, p in signature.parameters.items() if p.kind is not p.VAR_KEYWORD]
            meant = did_you_mean(word, known, "it has " + ", ".join(known))
            raise TypeError(f"{name}() has no parameter {word!r}; {meant}") from None
        raise TypeError(f"{name}(): {error}") from None


def require_kinds(bound: inspect.BoundArguments, names: Mapping[str, Any]) -> None:
    """Refuse arguments of a wrong type; None where a parameter takes none means that it was not given."""
    declared = bound.signature.parameters
    wrong: list[str] = []
    for name, value in tuple(bound.arguments.items()):
        parameter = declared[name]
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        kinds = _kinds(parameter.annotation, names)
        if value is None and parameter.default is not parameter.empty:
            if kinds and "None" not in kinds:
                del bound.arguments[name]
        elif kinds and not any(_is(value, kind) for kind in kinds) and not (value is None and "Path" not in kinds):
            wrong.append(name)
    for first, second in pairwise(wrong):
        a, b = (_kinds(declared[name].annotation, names) for name in (first, second))
        values = bound.arguments[first], bound.arguments[second]
        if any(_is(values[1], kind) for kind in a) and any(_is(values[0], kind) for kind in b):
            raise UsageError(f"{first} and {second} seem to be swapped: first the {first}, then the {second}")
    for name in wrong:
        raise UsageError(_refused(name, bound.arguments[name], _kinds(declared[name].annotation, names)))


def _refused(name: str, value: Any, kinds: tuple[str, ...]) -> str:
    if value is None:
        return f"{name} is missing: must be {_words(kinds)}"
    what = f"{name}: is of type {type(value).__name__}"
    if "Schema" in kinds and isinstance(value, Mapping):
        return f"{what}; must be a file or a schema: `sb.data.parse_schema(json.dumps(...))` makes one"
    if set(kinds) & set(_RECORDS) and _is_frame(value):
        return f"{what}; write it to a file (`to_csv(..., index=False)`) and give its name, or give an array of codes"
    return f"{what}; must be {_words(kinds)}"


def _words(kinds: tuple[str, ...]) -> str:
    files = "Path" in kinds
    said = ["a file"] if files else ["text"] if "str" in kinds else []
    said += [_OBJECTS[kind] for kind in kinds if kind in _OBJECTS]
    said += ["an array of codes"] if set(kinds) & set(_RECORDS) else []
    said += ["a number"] if "Exact" in kinds else []
    said += ["True or False"] if "bool" in kinds else []
    said += ["a list of texts" if kind.endswith("[str]") else "a list" for kind in kinds if _is_list(kind)]
    said += ["a function that takes a text"] if "Say" in kinds else []
    said = list(dict.fromkeys(said))
    return " or ".join([", ".join(said[:-1]), said[-1]] if said[1:] else said)


def _kinds(annotation: Any, names: Mapping[str, Any]) -> tuple[str, ...]:
    """The alternatives of an annotation; none if one of them is not known here: then nothing is checked."""
    if not isinstance(annotation, str):
        return ()
    found: list[str] = []
    for kind in _split(annotation):
        alias = names.get(kind)
        if isinstance(alias, str):
            inner = _kinds(alias, names)
            if not inner:
                return ()
            found += inner
        elif kind in _OBJECTS or kind in _RECORDS or kind in _PLAIN or _is_list(kind):
            found.append(kind)
        else:
            return ()
    return tuple(found)


_PLAIN = ("str", "Path", "None", "Exact", "bool", "Adjacency", "Say", "Trained", "Estimator")


def _split(annotation: str) -> list[str]:
    parts, depth = [""], 0
    for character in annotation:
        depth += (character == "[") - (character == "]")
        if character == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _is_list(kind: str) -> bool:
    return kind.startswith(("Iterable[", "Sequence["))


def _is(value: Any, kind: str) -> bool:
    """Whether a value is of a kind."""
    if kind == "None":
        return value is None
    if kind == "str":
        return isinstance(value, str)
    if kind == "Path":
        return isinstance(value, Path)
    if kind == "Adjacency":
        return isinstance(value, Enum)
    if kind == "bool":
        return isinstance(value, int) or type(value).__name__ in ("bool", "bool_")
    if kind == "Exact":
        return not (isinstance(value, bytes | Mapping | Path) or _is_estimator(value) or _is_frame(value))
    if kind == "Say":
        return callable(value)
    if _is_list(kind):
        one = str if kind.endswith("[str]") else Mapping if "[Mapping[" in kind else object
        listed = value if isinstance(value, list | tuple) else ()
        plain = isinstance(value, str | bytes | Mapping)
        return isinstance(value, Iterable) and not plain and all(isinstance(each, one) for each in listed)
    if kind in _RECORDS:
        plain = isinstance(value, str | bytes | int | float | Path | Mapping | Enum)
        return not (plain or value is None or _is_estimator(value) or _is_frame(value) or _is_public(value))
    if kind == "Estimator":
        return _is_estimator(value)
    if kind == "Trained":
        return _named(getattr(value, "model", None), "Model")
    return _named(value, kind)


def _named(value: Any, name: str) -> bool:
    return any(each.__name__ == name for each in type(value).__mro__)


def _is_public(value: Any) -> bool:
    """What stands next to a table in calls, and is none."""
    return any(_named(value, name) for name in ("Schema", "Model"))


def _is_frame(value: Any) -> bool:
    return any(_named(value, name) for name in _FRAME)


def _is_estimator(value: Any) -> bool:
    return hasattr(value, "get_params") and hasattr(value, "fit")
