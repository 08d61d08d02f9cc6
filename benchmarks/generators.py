"""Generators on Adult, and those of smartnoise-synth on Compas: models trained on rows, distances, seconds, memory.

80 % of the records are for training and 20 % for scoring, with a new split and new noise for every seed; epsilon 1,
dp_delta = 1/n^2, replace-one, simulated. A logistic model (mean loss and 0.0005 times the square of its coefficients)
sees indicators of some columns and the codes of the others from -1 to 1. F1 is the mean of both classes at the
decision 1/2. Pairs are the mean L1 distance of tables of two columns from the training records, with at most 32 equal
ranges of codes a column. CPU seconds and MB are those of plan, release and rows in a separate process, which also reads
the table. smartnoise-synth is run for a few epochs if its interpreter is named.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import in_a_process, main, peak_mb
from bounds.privacy.adjacency import Adjacency
from mechanisms.generators.gem import plan_gem, rows_of_gem, run_gem
from mechanisms.generators.merf import plan_merf, rows_of_merf, run_merf
from mechanisms.generators.settings import GEM, MERF
from mechanisms.generators.smartnoise import VARIABLE, gan_rows, is_there
from mechanisms.mechanism import Public
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.noise.randomness import Randomness
from verify import real_tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

INDICATED = {
    "adult": ("workclass", "marital-status", "occupation", "relationship", "race", "native-country"),
    "compas": ("race",),
}
SEEDS = 5
EPOCHS = 3
_RANGES = 32
_PRICE = 1e-3


def run(*, quick: bool) -> dict[str, Any]:
    seeds = range(1 if quick else SEEDS)
    if not all(real_tables.is_here(name) for name in INDICATED):
        return {"adult": real_tables.MISSING}
    found: dict[str, Any] = {
        "adult, real records": _means([in_a_process("generators", f"real('adult', {s})") for s in seeds])
    }
    for method in (GEM, MERF):
        runs = [in_a_process("generators", f"made({method!r}, 'adult', {seed})") for seed in seeds]
        found[f"adult, {method}"] = _means(runs) | {"least_auc": min(line["auc"] for line in runs)}
    if quick or not is_there():
        return found | {"smartnoise-synth": f"not run: {VARIABLE} names no interpreter that has it"}
    for method in ("dpctgan", "patectgan"):
        found[f"compas, {method}"] = in_a_process("generators", f"baseline({method!r}, 'compas', 0)")
    return found


def made(method: str, name: str, seed: int) -> dict[str, float]:
    """Rows of one run, scored."""
    domain, train, test = _split(name, seed)
    schema, n = schema_of_domain(domain), len(train)
    public = Public(schema=schema, adjacency=Adjacency.REPLACE_ONE, size=n)
    budget: dict[str, Any] = {"epsilon": Fraction(1), "dp_delta": Fraction(1, n * n), "mode": "simulate"}
    randomness, start = Randomness(mode="simulate", seed=seed), time.process_time()
    if method == GEM:
        rows = rows_of_gem(run_gem(train, plan_gem(public, **budget), randomness), n).codes
    else:
        planned = plan_merf(public, label=domain.names[-1], **budget)
        rows = rows_of_merf(run_merf(train, planned, randomness), n).codes
    used = {"cpu_s": round(time.process_time() - start, 2), "mb": round(peak_mb())}
    return _scores(name, domain, rows, train, test) | used


def real(name: str, seed: int) -> dict[str, float]:
    """The records themselves."""
    domain, train, test = _split(name, seed)
    return _scores(name, domain, train, train, test)


def baseline(method: Any, name: str, seed: int) -> dict[str, Any]:
    """Rows of a generator of smartnoise-synth."""
    domain, train, test = _split(name, seed)
    n, epochs = len(train), EPOCHS if method == "dpctgan" else None
    rows = gan_rows(train, domain, method, epsilon=Fraction(1), dp_delta=Fraction(1, n * n), rows=n, epochs=epochs)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, mb = round(used.ru_utime + used.ru_stime, 1), round(used.ru_maxrss / 1024)
    return _scores(name, domain, rows, train, test) | {"epochs": epochs, "cpu_s": seconds, "mb": mb}


def _split(name: str, seed: int) -> tuple[Domain, Codes, Codes]:
    """The label is the last column."""
    names, sizes = real_tables.columns(name), real_tables.domain(name)
    domain = Domain(tuple(sizes[u] for u in names), names)
    mixed = np.random.default_rng([seed, 8]).permutation(real_tables.codes(name)).astype(domain.code_type)
    test, train = np.split(mixed, [len(mixed) // 5])
    return domain, train, test


def _scores(name: str, domain: Domain, rows: Codes, train: Codes, test: Codes) -> dict[str, float]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import f1_score, roc_auc_score

    model = LogisticRegression(C=1 / (_PRICE * len(rows)), max_iter=1000)
    model.fit(_features(name, domain, rows), rows[:, -1])
    chances = model.predict_proba(_features(name, domain, test))[:, 1]
    return {
        "auc": round(float(roc_auc_score(test[:, -1], chances)), 4),
        "f1": round(float(f1_score(test[:, -1], chances > 0.5, average="macro")), 4),
        "pairs_l1": round(_distance(domain, rows, train), 4),
    }


def _features(name: str, domain: Domain, rows: Codes) -> NDArray[np.float64]:
    parts = []
    for u, (column, size) in enumerate(zip(domain.names[:-1], domain.sizes, strict=False)):
        codes = rows[:, u]
        parts.append(np.eye(size)[codes, 1:] if column in INDICATED[name] else 2 * codes[:, None] / (size - 1) - 1)
    return np.concatenate(parts, axis=1)


def _distance(domain: Domain, rows: Codes, others: Codes) -> float:
    sizes = [min(size, _RANGES) for size in domain.sizes]
    ranges = [np.arange(size) * least // size for size, least in zip(domain.sizes, sizes, strict=True)]

    def table(records: Codes, u: int, v: int) -> NDArray[np.float64]:
        cells = ranges[u][records[:, u]] * sizes[v] + ranges[v][records[:, v]]
        return np.bincount(cells, minlength=sizes[u] * sizes[v]) / len(records)

    pairs = combinations(range(domain.p), 2)
    return statistics.fmean(float(np.abs(table(rows, u, v) - table(others, u, v)).sum()) for u, v in pairs)


def _means(runs: list[dict[str, float]]) -> dict[str, Any]:
    return {"seeds": len(runs)} | {key: round(statistics.fmean(line[key] for line in runs), 4) for key in runs[0]}


if __name__ == "__main__":
    sys.exit(main("generators", __doc__ or "", run))
