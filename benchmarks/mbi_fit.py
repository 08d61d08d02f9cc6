"""The estimate of a noisy log by mbi, in an interpreter that has it: `python mbi_fit.py LOG.json FOUND.json`.

Started by benchmarks.pgm; self-contained. LOG has sizes, total and tables (columns, sd, counts); FOUND gets the tables
of the model in records, the CPU seconds of the estimate (including compilation) and the version. Mirror descent with
the package's own number of steps, in double precision, as it recommends.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time


def main(log_file: str, found_file: str) -> None:
    import jax

    jax.config.update("jax_enable_x64", True)
    import mbi
    import numpy as np

    with open(log_file, encoding="utf-8") as lines:
        log = json.load(lines)
    names = [f"column{u}" for u in range(len(log["sizes"]))]
    domain = mbi.Domain(names, log["sizes"])
    cliques = [tuple(names[u] for u in table["columns"]) for table in log["tables"]]
    start = time.process_time()
    measured = [
        mbi.LinearMeasurement(np.array(table["counts"], float), clique, stddev=table["sd"])
        for table, clique in zip(log["tables"], cliques, strict=True)
    ]
    estimation = mbi.estimation
    if hasattr(estimation, "MirrorDescent"):
        model = estimation.MirrorDescent().estimate(domain, measured, known_total=log["total"])
    else:
        model = estimation.mirror_descent(domain, measured, known_total=log["total"])
    tables = [np.asarray(model.project(clique).datavector(), float).tolist() for clique in cliques]
    seconds = time.process_time() - start
    with open(found_file, "w", encoding="utf-8") as lines:
        json.dump({"version": importlib.metadata.version("mbi"), "fit_cpu_s": seconds, "tables": tables}, lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
