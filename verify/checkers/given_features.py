"""The features of a release, recomputed from its schema: those of every code of every column.

Schemas and encodings are described in docs/releases.md; none of the code that makes releases is
used. Both comparisons of certificates with files begin here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from verify.checkers import entries, fields, require, whole
from verify.checkers.columns import block_of, column_size

MOST_MAP_BITS = 20


def canonical_digest(value: Any) -> str:
    """SHA-256 of the one text of a JSON value: keys sorted, no spaces, ASCII."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def same_blocks(said: Any, schema: Any, feature_map: Any) -> bool:
    """Whether these are the features of all codes; it stops at the first that differs.

    A release of a few lines may declare thousands of codes in each of thousands of columns.
    """
    listed = said if isinstance(said, list) else []
    blocks = blocks_of(schema, feature_map)
    return all(a == b for a, b in zip_longest(listed, blocks))


def blocks_of(schema: Any, feature_map: Any) -> Iterator[list[list[int]]]:
    """The features of each code of each column that has some, by a map of that digest."""
    schema = fields(
        schema,
        "release: schema",
        ("synthbounds_schema", "source", "columns"),
        ("note", "missing_values", "spaces", "ignored"),
    )
    columns = entries(schema["columns"], "release: columns", 2, 10_000)
    shapes = {str(column.get("name")): column for column in columns if isinstance(column, dict)}
    sizes = dict(column_size(column) for column in columns)
    require(len(sizes) == len(columns), "release: a column appears twice")
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
    digest = map_digest(schema, said, [encodings[name] for name in names])
    require(said["digest"] == digest, "release: feature_map: a wrong digest")
    blocks = (block_of(encodings[name], sizes[name], 2**bits, shapes[name]) for name in names)
    return (block for block in blocks if block[0])


def label_bits(schema: dict[str, Any], feature_map: dict[str, Any]) -> int:
    """Labels are integers over 2 to this power: 0 for +1 and -1, that of the features for numbers.

    A label is a number if none of its values is called positive; it then has more than two.
    """
    named = [column for column in schema["columns"] if column["name"] == feature_map["label"]]
    count, gap = column_size(named[0])[1]
    if feature_map["positive"] is not None:
        require(count + gap == 2, "release: a label of +1 and -1 does not have two values")
        return 0
    require(count > 2 and not gap, "release: a label that is a number has two values, or gaps")
    block_of("value", (count, gap), 1, named[0])  # rejects what is not a number
    return int(feature_map["bits"])


def map_digest(schema: dict[str, Any], said: dict[str, Any], encodings: list[Any]) -> str:
    """Digest of everything that determines the features; encodings in the order of the columns."""
    decides = {key: said[key] for key in ("label", "positive", "bits")}
    decides |= {"columns": schema["columns"], "encodings": encodings}
    decides |= {key: schema[key] for key in ("missing_values", "spaces") if key in schema}
    return canonical_digest(decides)


def squared_norm(encodings: dict[str, Any]) -> int:
    """One for each column with features, one for the intercept."""
    return 1 + sum(1 for encoding in encodings.values() if encoding != "none")
