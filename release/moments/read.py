"""Releases of moments read from files: every field is checked, and what follows from others is computed again.

A file that was changed, or whose parts do not belong together, is refused with one line that says where: a digest that
is not that of the content, a sensitivity or noise that is not the one of the feature map and the budget, moments that
are not complete. So whoever holds a MomentRelease may rely on what it says.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from bounds.errors import DataError, SynthboundsError
from bounds.exact import parse_rational
from bounds.privacy.adjacency import Adjacency
from release.data.schema import schema_of
from release.files.strict_json import Number, is_text, parse_json, read_json_file, require_object, shown
from release.moments.budget import Budget, plan_budget
from release.moments.file import LARGEST_JSON_INTEGER, MOMENTS, OPEN, SPENT, VERSION, MomentRelease
from release.parameters import MOST_RECORDS, RELEASE_PARAMETERS
from release.statistics.features import FeatureMap, canonical_json
from release.statistics.moments import fourth_indices, require_fourth

Result = TypeVar("Result")
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,99})", re.ASCII)
_ALWAYS = {
    "synthbounds_release",
    "kind",
    "mode",
    "stamp",
    "statistic",
    "adjacency",
    "weight",
    "fourth_weight",
    "sensitivity",
    "noise",
    "budget",
    "schema",
    "feature_map",
    "first",
    "second",
    "digest",
}
_SOMETIMES = {"n", "least_size", "fourth", "seed", "run"}


def read_release(path: str | Path) -> MomentRelease:
    """The release of moments in a file."""
    text, where = read_json_file(path, "release")
    return parse_release(text, where=where)


def parse_release(text: str, *, where: str = "release") -> MomentRelease:
    """The release of moments in JSON text; `where` begins every complaint."""
    return release_of(parse_json(text, where), where)


def release_of(body: object, where: str) -> MomentRelease:
    """The release in an object that parse_json has read."""
    if isinstance(body, dict) and body.get("kind", MOMENTS) != MOMENTS:
        raise DataError(f'{where}: kind = {shown(body["kind"])}: must be "{MOMENTS}"')
    fields = require_object(body, where, _ALWAYS, _SOMETIMES)
    version = fields["synthbounds_release"]
    if not isinstance(version, Number) or version != str(VERSION):
        raise DataError(f"{where}: synthbounds_release = {shown(version)}: must be {VERSION}")
    _require_digest(fields, where)
    found = _release(fields, where)
    _require_same(found.to_json(), fields, where)
    return found


def _require_digest(fields: dict[str, Any], where: str) -> None:
    content = _plain({key: value for key, value in fields.items() if key != "digest"}, where)
    if fields["digest"] != hashlib.sha256(canonical_json(content).encode()).hexdigest():
        raise DataError(f"{where}: digest: is not that of the content; the file has been changed")


def _plain(value: object, where: str) -> object:
    """The same JSON with Python's integers; a release holds no other numbers."""
    if isinstance(value, Number):
        return _whole(value, where)
    if isinstance(value, dict):
        return {key: _plain(item, f"{where}: {key}") for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, where) for item in value]
    return value


def _release(fields: dict[str, Any], where: str) -> MomentRelease:
    mode = _choice(fields["mode"], ("release", "simulate"), f"{where}: mode")
    adjacency = Adjacency(_choice(fields["adjacency"], tuple(a.value for a in Adjacency), f"{where}: adjacency"))
    schema = schema_of(fields["schema"], f"{where}: schema")
    if mode == "release":
        _within(schema.require_public, where)
    features = FeatureMap.from_json(fields["feature_map"], schema, f"{where}: feature_map")
    size_name, other = ("n", "least_size") if adjacency is Adjacency.REPLACE_ONE else ("least_size", "n")
    if size_name not in fields or other in fields:
        raise DataError(f"{where}: adjacency {adjacency.value} goes with {size_name}, and not with {other}")
    size = _whole(fields[size_name], f"{where}: {size_name}")
    if not 1 <= size <= MOST_RECORDS:
        raise DataError(f"{where}: {size_name} = {shown(fields[size_name])}: must be from 1 to {MOST_RECORDS}")
    has_fourth = fields["fourth_weight"] is not None
    if has_fourth != ("fourth" in fields):
        raise DataError(f"{where}: fourth and fourth_weight go together")
    if has_fourth:
        _within(lambda: require_fourth(features), where)
    budget, state = _budget(fields["budget"], adjacency, f"{where}: budget")
    simulated = mode == "simulate"
    for name in ("seed", "run"):
        if (name in fields) != simulated:
            raise DataError(f"{where}: {name} goes with mode simulate, and with no other")
    p = features.size
    return MomentRelease(
        feature_map=features,
        mode="simulate" if simulated else "release",
        budget=budget,
        stated_size=size,
        weight=_rational(fields["weight"], "weight", where),
        fourth_weight=_rational(fields["fourth_weight"], "fourth_weight", where) if has_fourth else None,
        first_sums=_integers(fields["first"], p, f"{where}: first"),
        second_sums=_triangle(fields["second"], p, f"{where}: second"),
        fourth_sums=_integers(fields["fourth"], sum(1 for _ in fourth_indices(p)), f"{where}: fourth")
        if has_fourth
        else None,
        seed=_counter(fields["seed"], f"{where}: seed") if simulated else None,
        run=_counter(fields["run"], f"{where}: run") if simulated else None,
        reservation_state=state,
    )


def _budget(body: object, adjacency: Adjacency, where: str) -> tuple[Budget, str | None]:
    needed = {"epsilon", "dp_delta", "mu_squared", "mu_squared_spent", "reserve", "reservation"}
    fields = require_object(body, where, needed)
    epsilon, dp_delta, reserve = (_rational(fields[name], name, where) for name in ("epsilon", "dp_delta", "reserve"))

    def planned() -> Budget:
        return plan_budget(epsilon=epsilon, dp_delta=dp_delta, adjacency=adjacency, reserve=reserve)

    budget = _within(planned, where)
    if (fields["reservation"] is not None) != (reserve > 0):
        raise DataError(f"{where}: a reservation goes with a reserve above 0, and with no other")
    if fields["reservation"] is None:
        return budget, None
    kept = require_object(fields["reservation"], f"{where}: reservation", {"mu_squared", "state", "id"})
    return budget, _choice(kept["state"], (OPEN, SPENT), f"{where}: reservation: state")


def _require_same(computed: dict[str, Any], stated: dict[str, Any], where: str) -> None:
    """What is stated beside its own source must be what follows from it; the first difference is named."""
    for key, value in computed.items():
        if isinstance(value, dict) and isinstance(stated.get(key), dict):
            _require_same(value, stated[key], f"{where}: {key}")
        elif canonical_json(value) != canonical_json(_plain(stated.get(key), where)):
            raise DataError(f"{where}: {key} = {shown(stated.get(key))}: {shown(value)} follows from the other fields")
    for key in stated:
        if key not in computed:
            raise DataError(f"{where}: {shown(key)} is not a field here")


def _triangle(body: object, size: int, where: str) -> tuple[tuple[int, ...], ...]:
    if not isinstance(body, list) or len(body) != size:
        raise DataError(f"{where}: must be a list of {size} rows, one for each feature")
    return tuple(_integers(row, size - j, f"{where}[{j}]") for j, row in enumerate(body))


def _integers(body: object, count: int, where: str) -> tuple[int, ...]:
    if not isinstance(body, list) or len(body) != count:
        has = f"has {len(body)} entries; " if isinstance(body, list) else ""
        raise DataError(f"{where}: {has}must be a list of {count} whole numbers")
    return tuple(_sum(item, f"{where}[{i}]") for i, item in enumerate(body))


def _sum(body: object, where: str) -> int:
    """A whole number, as a number of JSON up to 2^53 and as text above."""
    if not isinstance(body, str) or not _WHOLE.fullmatch(body) or body == "-0":
        raise DataError(f"{where} = {shown(body)}: must be a whole number")
    value = int(body)
    if isinstance(body, Number) != (abs(value) <= LARGEST_JSON_INTEGER):
        raise DataError(f"{where} = {shown(body)}: is a number up to 2^53, and text above")
    return value


def _whole(body: object, where: str) -> int:
    if not isinstance(body, Number) or not _WHOLE.fullmatch(body) or body == "-0":
        raise DataError(f"{where} = {shown(body)}: must be a whole number")
    return int(body)


def _counter(body: object, where: str) -> int:
    if not is_text(body) or not _WHOLE.fullmatch(str(body)) or not 0 <= int(str(body)) < 2**64:
        raise DataError(f"{where} = {shown(body)}: must be a whole number from 0 to 2^64 - 1, in quotes")
    return int(str(body))


def _rational(body: object, name: str, where: str) -> Fraction:
    """An exact rational in quotes, in the range of the parameter of that name."""
    if not is_text(body):
        raise DataError(f"{where}: {name} = {shown(body)}: must be an exact number in quotes, such as 1/2")
    known = RELEASE_PARAMETERS[name].range
    assert known is not None
    number = _within(lambda: parse_rational(str(body), name), where)
    _within(lambda: known.check(name, number, str(body)), where)
    return number


def _choice(body: object, allowed: tuple[str, ...], where: str) -> str:
    if not is_text(body) or body not in allowed:
        raise DataError(f"{where} = {shown(body)}: must be {' or '.join(allowed)}")
    return str(body)


def _within(compute: Callable[[], Result], where: str) -> Result:
    """Complaints of parameters as complaints about the file."""
    try:
        return compute()
    except SynthboundsError as error:
        raise DataError(f"{where}: {error}") from None
