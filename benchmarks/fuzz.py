"""Hostile command lines, files, tables, questions and certificates: how many were tried, and how they ended."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measure import main
from tests.fuzz.__main__ import figures
from tests.fuzz.campaign import SHARES, campaign
from tests.fuzz.stock import make_stock

QUICK, ALL = 1000, 8_000
SEED = 3


def run(*, quick: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        make_stock(Path(name))
        found = campaign(QUICK if quick else ALL, SEED, Path(name), SHARES, tell=lambda line: print(line, flush=True))
    kinds = figures(found, SEED)
    return {**kinds, "within_target": not any(tally.failed for tally in found.values())}


if __name__ == "__main__":
    sys.exit(main("fuzz", __doc__ or "", run))
