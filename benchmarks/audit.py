"""Which layer of an audit finds which seeded bug, and how often sampling accuses mechanisms that keep their promise.

Bugs are searched at confidence 0.99. False alarms are counted over audits of controls, most of which lose exactly as
much privacy as they claim, at confidence 0.95: a rate clearly above 0.05 would refute the confidence. CPU seconds are
those of the whole part, as far as this process did the work.
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from typing import Any

from benchmarks.measure import main
from verify.audit.bugs import BUGS, CONTROLS
from verify.audit.scoreboard import false_alarms, find_bugs
from verify.spread.workers import HERE, Workers

ALPHA = Fraction(1, 20)


def run(*, quick: bool, workers: Workers = HERE) -> dict[str, Any]:
    samples, audits, seed = (10_000, 200, 1) if quick else (100_000, 4_000, 1)
    start = time.process_time()
    rows = find_bugs(samples=samples, seed=seed, workers=workers)
    found: dict[str, Any] = {
        "bugs": len(BUGS),
        "controls": len(CONTROLS),
        "samples": samples,
        "found": sum(row.found for row in rows),
        "found_exact": sum(row.exact is True for row in rows),
        "asked_exact": sum(row.exact is not None for row in rows),
        "found_ratio": sum(row.ratio is True for row in rows),
        "asked_ratio": sum(row.ratio is not None for row in rows),
        "found_blackbox": sum(row.blackbox for row in rows),
        "exact_alone": [row.name for row in rows if row.exact and not row.ratio and not row.blackbox],
        "bugs_cpu_seconds": round(time.process_time() - start, 2),
    }
    for layer in ("ratio", "blackbox"):
        for size in (1_000, 10_000):
            start = time.process_time()
            counted = false_alarms(layer, audits=audits // 2, samples=size, seed=seed, alpha=ALPHA, workers=workers)
            found[f"false_alarms_{layer}_{size}"] = {
                "audits": counted.audits,
                "alarms": counted.alarms,
                "rate": counted.alarms / counted.audits,
                "allowed": float(ALPHA),
                "by_control": counted.by_control,
                "cpu_seconds": round(time.process_time() - start, 2),
            }
    for row in rows:
        found[row.name] = {
            "what": row.text,
            "claimed": float(row.claimed),
            "exact": row.exact,
            "ratio": row.ratio,
            "blackbox": row.blackbox,
            "ratio_lower": None if row.ratio_lower_est is None else round(row.ratio_lower_est, 4),
            "blackbox_lower": round(row.blackbox_lower_est, 4),
            "event": row.event,
        }
    return found


if __name__ == "__main__":
    sys.exit(main("audit", __doc__ or "", run))
