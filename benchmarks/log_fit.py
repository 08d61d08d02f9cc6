"""The estimate of a log by this project: `python -m benchmarks.log_fit LOG.json FOUND.json`, run by benchmarks.pgm.

FOUND gets the tables of the model in records, CPU seconds of the estimate and of its certificate, gap and distance.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def main(log_file: str, found_file: str) -> None:
    from mechanisms.pgm.certificate import certify_fit
    from mechanisms.pgm.from_log import estimate_log
    from release.log.read import read_log

    log = read_log(log_file)
    start = time.process_time()
    model = estimate_log(log)
    tables = [(model.total * model.marginal(table.columns)).ravel().tolist() for table in log.tables]
    seconds = time.process_time() - start
    start = time.process_time()
    proved = certify_fit(model)
    found = {
        "fit_cpu_s": seconds,
        "certificate_cpu_s": time.process_time() - start,
        "gap": float(proved.gap.hi),
        "l1": float(proved.l1),
        "evaluations": model.evaluations,
        "tables": tables,
    }
    Path(found_file).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
