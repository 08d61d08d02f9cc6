"""Names of files where commands run, and how what they read gets there: the schema written, uploads as links."""

from __future__ import annotations

import json
import os
from pathlib import Path

from bounds.errors import UsageError
from synthbounds.web.allowed import shown
from synthbounds.web.work.uploads import Upload

SCHEMA, SYNTHETIC, REPORT, GENERATED_TABLE = "schema.json", "synthetic.csv", "report.html", "generated.csv"


def write_schema(folder: Path, schema: object) -> str:
    """The schema as it was sent, in the folder."""
    text = schema_text(schema)
    (folder / SCHEMA).write_text(text, "utf-8")
    return text


def schema_text(schema: object) -> str:
    if not isinstance(schema, dict):
        raise UsageError(f"schema = {shown(schema)}: must be the object of a schema")
    return json.dumps(schema, indent=1, ensure_ascii=True) + "\n"


def link(folder: Path, upload: Upload) -> str:
    """The upload in the folder, under its own name, or another if that one is taken."""
    name = upload.name
    while (folder / name).is_symlink() or (folder / name).exists():
        name = f"other-{name}"
    os.symlink(upload.path, folder / name)
    return name
