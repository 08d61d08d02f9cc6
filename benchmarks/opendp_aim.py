"""AIM of opendp up to its model, in an interpreter with opendp[mbi].

Started by benchmarks.pgm; self-contained: `python opendp_aim.py TABLE.csv ASKED.json FOUND.json`. ASKED has the sizes
of the columns by name, rho and the degree of the workload. Neighbours add or remove one record. FOUND gets CPU seconds,
the number of tables measured and the version; rows are not drawn, since that needs a package that does not come with
opendp.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time


def main(table: str, asked_file: str, found_file: str) -> None:
    with open(asked_file, encoding="utf-8") as lines:
        asked = json.load(lines)
    start = time.process_time()
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    context = dp.Context.compositor(
        data=pl.scan_csv(table),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(rho=asked["rho"]),
        split_evenly_over=1,
    )
    keys = {name: list(range(size)) for name, size in asked["sizes"].items()}
    algorithm = dp.mbi.AIM(queries=asked["degree"], max_size=100.0)
    answer = context.query().select(*keys).contingency_table(keys=keys, algorithm=algorithm).release()
    found = {
        "version": importlib.metadata.version("opendp"),
        "cpu_s": time.process_time() - start,
        "measured": len(answer.marginals.flatten()),
    }
    with open(found_file, "w", encoding="utf-8") as lines:
        json.dump(found, lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
