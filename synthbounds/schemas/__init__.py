"""JSON Schemas (draft 2020-12) of every file and every `--format json` output, by name; see docs/json.md.

They are made from the declarations in this package by `python -m synthbounds.schemas`. Here they are only read, so
that nothing heavy is imported.

>>> json_schema("model")["$id"]
'urn:synthbounds:schema:model:1'
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bounds.errors import ParameterError

VERSION = 1
FOLDER = Path(__file__).parent / str(VERSION)


def schema_names() -> tuple[str, ...]:
    """The names of all schemas: those of outputs begin with `output-`, the others describe files."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


def json_schema(name: str) -> dict[str, Any]:
    """The schema of that name, which needs no other file."""
    if name not in schema_names():
        raise ParameterError("schema", name, f"one of {', '.join(schema_names())}")
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found
