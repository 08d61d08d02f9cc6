"""Canonical JSON and the digest by which our files are known."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(body: object) -> str:
    """The one text of a JSON value that digests are taken of: keys sorted, no spaces, ASCII."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest_of(body: dict[str, Any]) -> str:
    """SHA-256 over the canonical text of everything but the digest itself."""
    return hashlib.sha256(canonical_json({k: v for k, v in body.items() if k != "digest"}).encode()).hexdigest()
