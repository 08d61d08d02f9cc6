"""The calculator in a page, in node: bytes to fetch, CPU seconds to the first answer, then answers and curves.

Node runs the files of the built page as a browser would. A new answer is for a number of attributes not asked before.
"""

from __future__ import annotations

import gzip
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measure import main
from docs_site.calculator.build import build_calculator
from docs_site.calculator.parts import Missing, run_tool

SCRIPT = Path(__file__).with_suffix(".mjs")


def run(*, quick: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        folder, single = build_calculator(Path(scratch))
        sizes = [len(gzip.compress(path.read_bytes())) for path in folder.rglob("*") if path.is_file()]
        runs = [json.loads(run_tool(["node", SCRIPT, folder], "not measured")) for _ in range(1 if quick else 3)]
        single_mb = single.stat().st_size / 1e6
    found = {name: round(statistics.median(each[name] for each in runs), 3) for name in runs[0]}
    gzipped_mb = round(sum(sizes) / 1e6, 2)
    within = {
        "bytes": gzipped_mb <= 15 and single_mb <= 20,
        "first_answer": found["first_answer_cpu_s"] <= 8,
        "new_answer": found["new_answer_cpu_s"] <= 0.02,
        "curve": found["curve_100_cpu_s"] <= 0.8,
    }
    return {"gzipped_mb": gzipped_mb, "single_file_mb": round(single_mb, 2), **found, "within_target": within}


if __name__ == "__main__":
    try:
        sys.exit(main("web_page", __doc__ or "", run))
    except Missing as missing:
        sys.exit(print(f"not run: {missing}"))
