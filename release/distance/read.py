"""Releases of distance read from files: every field is checked, and what follows from others is recomputed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bounds.errors import DataError
from release.comparison.file import HEADER, read_header, read_synthetic, require_paid
from release.data.schema import Schema
from release.distance.file import DistanceRelease
from release.distance.planned import DISTANCE
from release.files.fields import read_integers, require_same, within
from release.files.strict_json import parse_json, read_json_file, require_object
from release.private_release import SOMETIMES
from release.statistics.features import FeatureMap
from release.statistics.moments import MomentSums


def read_distance(path: str | Path) -> DistanceRelease:
    """The release of distance in a file."""
    text, where = read_json_file(path, "release")
    return distance_of(parse_json(text, where), where)


def distance_of(body: object, where: str = "release") -> DistanceRelease:
    """The release in an object that parse_json has read; `where` begins every error message."""
    fields = require_object(body, where, HEADER | {"feature_map"}, SOMETIMES)
    said = read_header(fields, DISTANCE, where)
    schema: Schema = said.pop("schema")
    features = FeatureMap.from_json(fields["feature_map"], schema, f"{where}: feature_map")
    sums, digest = _synthetic(fields["synthetic"], features, f"{where}: synthetic")
    found = DistanceRelease(feature_map=features, synthetic=sums, synthetic_digest=digest, **said)
    require_same(within(found.to_json, where), fields, where)
    require_paid(found, where)
    return found


def _synthetic(body: Any, features: FeatureMap, where: str) -> tuple[MomentSums, str]:
    fields, p = require_object(body, where, {"rows", "digest", "first", "second"}), features.size
    rows, digest = read_synthetic(fields, where)
    if not isinstance(fields["second"], list) or len(fields["second"]) != p:
        raise DataError(f"{where}: second: must be a list of {p} rows, one for each feature")
    sums = MomentSums(
        n=rows,
        first=read_integers(fields["first"], p, f"{where}: first"),
        second=tuple(read_integers(row, p - j, f"{where}: second[{j}]") for j, row in enumerate(fields["second"])),
        fourth=None,
    )
    if sums.second[-1][0] != rows * features.one**2:
        raise DataError(f"{where}: second: its last entry, of the intercept, is not that of {rows} rows")
    return sums, digest
