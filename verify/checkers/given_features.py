"""The features of a release, made again from its schema: those of every code of every column.

Schemas and encodings are described in docs/releases.md; nothing of the code that makes releases is
used. Both comparisons of certificates with their files begin here.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from verify.checkers import entries, fields, require, whole
from verify.checkers.columns import block_of, column_size

MOST_MAP_BITS = 20


def canonical_digest(value: Any) -> str:
    """SHA-256 of the one text of a JSON value: keys sorted, no spaces, ASCII."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def blocks_of(schema: Any, feature_map: Any) -> list[list[list[int]]]:
    """For each column that has features and each of its codes these, by a map of that digest."""
    schema = fields(
        schema,
        "release: schema",
        ("synthbounds_schema", "source", "columns"),
        ("note", "missing_values", "spaces", "ignored"),
    )
    columns = entries(schema["columns"], "release: columns", 2, 10_000)
    shapes = {str(column.get("name")): column for column in columns if isinstance(column, dict)}
    sizes = dict(column_size(column) for column in columns)
    require(len(sizes) == len(columns), "release: a column stands twice")
    said = fields(
        feature_map,
        "release: feature_map",
        ("label", "positive", "encodings", "bits", "digest"),
    )
    label = said["label"]
    require(isinstance(label, str) and label in sizes, "release: the label is not a column")
    names = [name for name in sizes if name != label]
    encodings = fields(said["encodings"], "release: encodings", names)
    bits = whole(said["bits"], "release: bits", 1, MOST_MAP_BITS)
    decides = {
        "columns": columns,
        "label": label,
        "positive": said["positive"],
        "encodings": [encodings[name] for name in names],
        "bits": bits,
    }
    decides |= {key: schema[key] for key in ("missing_values", "spaces") if key in schema}
    require(said["digest"] == canonical_digest(decides), "release: feature_map: a wrong digest")
    blocks = [block_of(encodings[name], sizes[name], 2**bits, shapes[name]) for name in names]
    return [block for block in blocks if block[0]]


def squared_norm(encodings: dict[str, Any]) -> int:
    """One for each column with features, one for the intercept."""
    return 1 + sum(1 for encoding in encodings.values() if encoding != "none")
