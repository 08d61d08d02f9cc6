"""Limits, where a name of the code does not say them."""

from __future__ import annotations

import json
import tomllib
from math import ceil
from typing import Any

from bounds.privacy.gaussian import classical_valid_up_to
from docs_site.numbers.names import ROOT
from release.data.domain import Domain
from synthbounds.tour import PAPER

__all__ = ["PAPER"]


def byte_codes() -> int:
    """The most codes of a column of a table with one byte a cell."""
    return next(size for size in (1 << k for k in range(1, 16)) if Domain((size + 1,)).code_type().itemsize > 1)


def python() -> str:
    """The first version of Python that will do."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["requires-python"]).removeprefix(">=")


def classical_up_to(delta: str) -> float:
    """Epsilon up to which the classical calibration holds, cut after four digits."""
    return (ceil(classical_valid_up_to(delta, adjacency="replace-one").lo * 10**4) - 1) / 10**4


def rows_of_examples() -> list[Any]:
    """How many rows each public schema of the examples reads."""
    from tests.synthbounds.test_private_tables import EXAMPLES

    return [(f"`{name}`", rows) for name, (rows, _) in EXAMPLES.items()]


def schema_of(name: str) -> Any:
    return json.loads((ROOT / f"docs/examples/{name}.schema.json").read_text(encoding="utf-8"))
