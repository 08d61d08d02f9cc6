"""The digest of a file: SHA-256 over the canonical text of a JSON value."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from bounds.errors import OutputError

DIGEST = "digest"
"""The field that contains it."""


def canonical_json(value: object) -> str:
    """The canonical text of a JSON value, for digests: keys sorted, no spaces, ASCII.

    >>> canonical_json({"b": [1, "x"], "a": None})
    '{"a":null,"b":[1,"x"]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest_of(body: Mapping[str, object]) -> str:
    """Of everything in an object but the field `digest` itself.

    >>> digest_of({"n": 1, "digest": "0"}) == digest_of({"n": 1})
    True
    """
    content = {key: value for key, value in body.items() if key != DIGEST}
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()


def digest_of_file(path: str | Path, name: str) -> str:
    """Of the bytes of a file, whatever they mean; nothing else is done with them."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else "not a usable name"
        raise OutputError(f"{name} = {path}: cannot be read ({said})") from None
