"""JSON Schemas of every file and of every `--format json`, by name."""

from __future__ import annotations

from synthbounds.schemas import json_schema, schema_names

__all__ = ["json_schema", "schema_names"]
