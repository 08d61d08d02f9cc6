"""Example tables for whoever wants to try the guided way: made up, public, and with a public schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DEMOS = {"survey": "4,000 made-up answers to a survey", "clinic": "300 made-up stays, with dates and gaps"}
_FOLDER = Path(__file__).parents[1] / "demos"


def demo_table(name: str) -> Path:
    return _FOLDER / f"{name}.csv"


def demo_schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((_FOLDER / f"{name}.schema.json").read_text("utf-8"))
    return found
