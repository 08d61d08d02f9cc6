"""The six tables of the experiments of zhou2024, if they are available: integer codes, one label in the last column.

They are not part of the project. A check that needs one says "not run" if the table is missing.
"""

from __future__ import annotations

import csv
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

VARIABLE = "SYNTHBOUNDS_TABLES"
FOLDER = Path(os.environ.get(VARIABLE) or Path(__file__).resolve().parents[2] / "shared" / "data")
NAMES = ("adult", "churn", "compas", "dutch", "heart", "law")
MISSING = f"the tables are not available: set {VARIABLE} to the folder with adult.csv, adult_domain.json and so on"


def is_here(name: str) -> bool:
    return (FOLDER / f"{name}.csv").is_file() and (FOLDER / f"{name}_domain.json").is_file()


def all_here() -> bool:
    return all(is_here(name) for name in NAMES)


@cache
def columns(name: str) -> tuple[str, ...]:
    with (FOLDER / f"{name}.csv").open(newline="", encoding="utf-8") as lines:
        return tuple(next(csv.reader(lines)))


@cache
def domain(name: str) -> dict[str, int]:
    """Number of levels of every column, as published with the table."""
    sizes: dict[str, int] = json.loads((FOLDER / f"{name}_domain.json").read_text(encoding="utf-8"))
    return sizes


@cache
def codes(name: str) -> Any:
    """The records as an array of integers; a cell that is empty or not an integer is an error."""
    import numpy as np

    return np.loadtxt(FOLDER / f"{name}.csv", delimiter=",", skiprows=1, dtype=np.int64, ndmin=2)


def line_count(name: str) -> int:
    """Lines after the header, counted in the bytes of the file."""
    content = (FOLDER / f"{name}.csv").read_bytes().rstrip(b"\n")
    return content.count(b"\n")
