"""Recorded benchmark results, for figures that are too slow to compute; experiments are in verify.experiments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from paper_figures.figure import NotRun

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "results"


def recorded(name: str) -> dict[str, Any]:
    """The results of one benchmark; they are in a checkout, not in an installed package."""
    found: dict[str, Any] = json.loads(_text(name, "json"))
    return found


def recorded_runs(name: str) -> list[dict[str, Any]]:
    """The single runs of a benchmark that records them line by line."""
    return [json.loads(line) for line in _text(name, "jsonl").splitlines()]


def _text(name: str, suffix: str) -> str:
    try:
        return (FOLDER / f"{name}.{suffix}").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise NotRun(f"the recorded results of benchmarks.{name} are not here: run it in a checkout") from None
