"""How long the whole ledger takes, and what it contains."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

from benchmarks.measure import main, synthbounds_command


def run(*, quick: bool) -> dict[str, Any]:
    started = time.perf_counter()
    done = subprocess.run(synthbounds_command("verify", "--format", "json"), check=True, capture_output=True, text=True)
    wall = time.perf_counter() - started
    answer = json.loads(done.stdout)
    return {
        "wall_s": round(wall, 2),
        "claims": len(answer["claims"]),
        "certain": answer["certain"],
        "verdicts": answer["totals"],
        "disagree": sum(claim["agrees"] is False for claim in answer["claims"]),
        "slowest_s": max(claim["seconds"] for claim in answer["claims"]),
        "within_target": wall < 120 and len(answer["claims"]) >= 250 and answer["certain"] >= 180,
    }


if __name__ == "__main__":
    sys.exit(main("ledger", __doc__ or "", run))
