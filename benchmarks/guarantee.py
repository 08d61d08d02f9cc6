"""The algorithm end to end: how far synthetic tables really are from the data, compared with promise and certificate.

Each run draws new noise and, for generated data, new records. The promise and the certificate may each fail with
probability 0.05; reported are how often they did, and the distribution of the true errors. Points from a tree of the
noisy answers (`tree_m40`, 40 of 144 points) have no promise, and five times as many runs.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import synthbounds.data as sd
from benchmarks.measure import main

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
COARSE = {"adult": 2, "compas": 3}
"""Equal public bins for every column of a table, fewer if it has fewer levels."""


def run(*, quick: bool) -> dict[str, Any]:
    runs, runs_on_tables = (20, 4) if quick else (200, 40)
    found: dict[str, Any] = {"runs": runs, "runs_on_tables": runs_on_tables}
    for name, points, n, more in (
        ("cube_p5", (2,) * 5, 730, {"epsilon": "0.2", "accuracy": "0.4"}),
        ("cube_p10", (2,) * 10, 2259, {"epsilon": "0.2", "accuracy": "0.4"}),
        ("cells_t3_p4", (3,) * 4, 5000, {"epsilon": "0.5", "accuracy": "0.2"}),
        ("histogram_p3", (2,) * 3, 4000, {"epsilon": "1", "accuracy": "0.4", "measure": "histogram"}),
    ):
        domain = sd.Domain(points)
        found[name] = measured([generated(domain, n, i) for i in range(runs)], domain, **more)
    part = sd.Domain((3, 2, 4, 2, 3))
    found["tree_m40"] = measured([generated(part, 300, i) for i in range(5 * runs)], part, epsilon="1", m=40, k=150)
    for name, n, more in (
        ("one_way_p10", 786, {"degree": 1, "accuracy": "0.1"}),
        ("product_p10", 552, {"degree": 2, "accuracy": "0.4", "k": 1867}),
    ):
        found[name] = measured([aligned(n)] * runs, sd.Domain((2,) * 10), epsilon="0.2", **more)
    for name, bins in COARSE.items():
        if not (SHARED / f"{name}.csv").exists():
            found[name] = "not run: the table is not here"
            continue
        schema = coarse_schema(name, bins)
        records = sd.read_codes(SHARED / f"{name}.csv", schema)
        found[name] = measured([records] * runs_on_tables, schema.domain, epsilon="1", accuracy="0.1", family="cells")
    return found


def generated(domain: sd.Domain, n: int, seed: int) -> Any:
    """Records from a known distribution far from uniform: Dirichlet(1/2) over the points."""
    generator = np.random.Generator(np.random.Philox(key=2024, counter=[0, 0, 0, seed]))
    weights = generator.dirichlet(np.full(domain.size, 0.5))
    return domain.points(generator.choice(domain.size, size=n, p=weights))


def aligned(n: int) -> Any:
    """The worst data for a product: half of the records are 1 everywhere and half are 0."""
    return np.repeat((np.arange(n) % 2).astype(np.uint8)[:, None], 10, axis=1)


def coarse_schema(name: str, bins: int) -> sd.Schema:
    levels = json.loads((SHARED / f"{name}_domain.json").read_text(encoding="utf-8"))
    columns = [{"name": column, "range": ["0", str(size)], "bins": min(size, bins)} for column, size in levels.items()]
    return sd.parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))


def measured(tables: list[Any], domain: sd.Domain, *, family: str | None = None, **more: Any) -> dict[str, Any]:
    """True errors of one synthetic table for each table of records."""
    errors, certificates, promise, sums = [], [], None, None
    started = time.process_time()
    for seed, records in enumerate(tables):
        found = sd.synthesize(records, domain, family=family, mode="simulate", seed=seed, **more)
        queries = found.plan.question.family
        if sums is None or records is not tables[seed - 1]:
            sums = np.array(sd.family_sums(queries, records)) / len(records)
        ours = np.array(sd.family_sums(queries, found.rows)) / len(found.rows)
        errors.append(float(np.abs(ours - sums).max()) / queries.denominator)
        certificates.append(float(found.accuracy))
        promise = found.plan.promise.accuracy
    true, said = np.array(errors), np.array(certificates)
    return {
        "n": len(tables[0]),
        "queries": found.plan.question.family.facts.varying,
        "columns": found.columns,
        "k": found.plan.k,
        "promise": None if promise is None else round(float(promise), 6),
        "promise_broken": 0 if promise is None else int((true > float(promise)).sum()),
        "certificate_broken": int((true > said).sum()),
        "true_error_quantiles": {q: round(float(np.quantile(true, float(q))), 6) for q in ("0.5", "0.95", "1")},
        "certificate_quantiles": {q: round(float(np.quantile(said, float(q))), 6) for q in ("0.5", "0.95", "1")},
        "cpu_s_a_run": round((time.process_time() - started) / len(tables), 4),
    }


if __name__ == "__main__":
    sys.exit(main("guarantee", __doc__ or "", run))
