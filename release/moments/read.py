"""Releases of moments read from files: every field is checked, and what follows from others is recomputed.

A file that was changed, or whose parts do not belong together, is refused with one line that says where: a digest that
is not that of the content, a sensitivity or noise that does not fit the feature map and the budget, incomplete moments.
So the contents of a MomentRelease can be relied on.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from bounds.errors import DataError
from release.data.schema import schema_of
from release.files.fields import (
    read_exact,
    read_integers,
    require_digest,
    require_same,
    require_version,
    within,
)
from release.files.strict_json import parse_json, read_json_file, require_object, shown
from release.moments.file import MOMENTS, MomentRelease
from release.parameters import RELEASE_PARAMETERS
from release.private_release import (
    ALWAYS,
    SOMETIMES,
    VERSION,
    read_drawn,
    read_stated_adjacency,
    read_stated_mode,
    read_stated_size,
)
from release.reserving import read_budget
from release.statistics.features import FeatureMap
from release.statistics.moments import fourth_indices, require_fourth

_NEEDED = ALWAYS | {"weight", "fourth_weight", "budget", "feature_map", "first", "second"}
_MORE = SOMETIMES | {"stamp", "statistic", "sensitivity", "noise", "fourth"}
"""Fields that follow from others must be present, too, and agree with them; the rest depend on what was released."""


def read_release(path: str | Path) -> MomentRelease:
    """The release of moments in a file."""
    text, where = read_json_file(path, "release")
    return parse_release(text, where=where)


def parse_release(text: str, *, where: str = "release") -> MomentRelease:
    """The release of moments in JSON text; `where` begins every error message."""
    return release_of(parse_json(text, where), where)


def release_of(body: object, where: str) -> MomentRelease:
    """The release in an object that parse_json has read."""
    if isinstance(body, dict) and body.get("kind", MOMENTS) != MOMENTS:
        raise DataError(f'{where}: kind = {shown(body["kind"])}: must be "{MOMENTS}"')
    fields = require_object(body, where, _NEEDED, _MORE)
    require_version(fields, "synthbounds_release", VERSION, where)
    require_digest(fields, where)
    found = _release(fields, where)
    require_same(found.to_json(), fields, where)
    return found


def _release(fields: dict[str, Any], where: str) -> MomentRelease:
    mode, adjacency = read_stated_mode(fields, where), read_stated_adjacency(fields, where)
    schema = schema_of(fields["schema"], f"{where}: schema")
    if mode == "release":
        within(schema.require_public, where)
    features = FeatureMap.from_json(fields["feature_map"], schema, f"{where}: feature_map")
    size = read_stated_size(fields, adjacency, where)
    has_fourth = fields["fourth_weight"] is not None
    if has_fourth != ("fourth" in fields):
        raise DataError(f"{where}: fourth and fourth_weight go together")
    if has_fourth:
        within(lambda: require_fourth(features), where)
    drawn = read_drawn(fields, where, simulated=mode == "simulate")
    p = features.size
    return MomentRelease(
        feature_map=features,
        mode=mode,
        ledger=read_budget(fields["budget"], adjacency, what=MOMENTS, where=f"{where}: budget"),
        stated_size=size,
        weight=_rational(fields["weight"], "weight", where),
        fourth_weight=_rational(fields["fourth_weight"], "fourth_weight", where) if has_fourth else None,
        first_sums=read_integers(fields["first"], p, f"{where}: first"),
        second_sums=_triangle(fields["second"], p, f"{where}: second"),
        fourth_sums=read_integers(fields["fourth"], sum(1 for _ in fourth_indices(p)), f"{where}: fourth")
        if has_fourth
        else None,
        **drawn,
    )


def _triangle(body: object, size: int, where: str) -> tuple[tuple[int, ...], ...]:
    if not isinstance(body, list) or len(body) != size:
        raise DataError(f"{where}: must be a list of {size} rows, one for each feature")
    return tuple(read_integers(row, size - j, f"{where}[{j}]") for j, row in enumerate(body))


def _rational(body: object, name: str, where: str) -> Fraction:
    """An exact rational in the range of the parameter of that name."""
    return read_exact(body, name, where, allowed=RELEASE_PARAMETERS[name].range)
