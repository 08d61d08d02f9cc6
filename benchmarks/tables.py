"""Every method on the same tables: how near synthetic tables are to the real one, and what models trained on them lose.

Each run is a line of results/tables.jsonl, written when it is done; existing runs are not repeated, so this can be
stopped at any time. Each draw has its own split (80 % for training, 20 % for scoring) and noise, both the same for
every method; simulated, replace-one, dp_delta = 1/n^2, every method with its defaults. Distances are total variation
from the training rows, mean over tables of 1, 2 and 4 columns; of the 4-way tables of at most 10^6 cells, 200 spread
evenly. Scores are those of models trained on the synthetic rows, on test rows that nothing else has read; `real` means
the training rows themselves, and as many rows drawn from them for the distances. The certified error is the largest one
of a column's share, from the release alone, except with probability 0.05. CPU seconds are those of the release, the
fit, its certificate and the rows. Coded tables have only ordered columns, and their logistic regression sees codes.

    python -m benchmarks.tables --tables compas-raw heart --epsilons 1 --methods tree aim --draws 2
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

import synthbounds.data as sd
from benchmarks.measure import ONE_THREAD, RESULTS, child
from benchmarks.pgm import OPENDP
from bounds.errors import SynthboundsError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from mechanisms.evaluate.learners import logistic, logistic_on_codes, score, trees
from mechanisms.generators.smartnoise import VARIABLE as GANS
from mechanisms.mechanism import Public
from mechanisms.synth.moments_plan import plan_moments
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.statistics.cross_moments import noise_of_a_moment
from synthbounds.api.tables import synthesize
from verify import real_tables
from verify.experiments.recorded import RecordedRuns

if TYPE_CHECKING:
    from release.data.domain import Codes

RUNS = RecordedRuns(RESULTS / "tables.jsonl", ("table", "method", "label", "epsilon", "draw"))
EXAMPLES = Path(__file__).parents[1] / "docs" / "examples"
LABELS = {"adult-raw": "income", "compas-raw": "two_year_recid"}
"""Tables with texts and numbers, read by the schemas of docs/examples; the last column of coded tables is the label."""
TABLES = ("compas-raw", "adult-raw", "compas", "heart", "law", "adult", "churn", "dutch")
EPSILONS = ("1", "0.25", "4", "0.5", "2")
METHODS = ("moments", "tree", "aim", "mst", "gen", "independent", "rap", "rap++", "gem", "merf")
PEERS = {"smartnoise-mst": GANS, "smartnoise-aim": GANS, "opendp-aim": OPENDP}
"""Synthesizers of other projects, and the variable that names an interpreter with them."""
PEER_MOST_CPU_S, PEER_MOST_BYTES = 1800, 8 * 2**30
WITHOUT_LABEL = ("moments", "tree")
"""Methods that depend on a label; on raw tables they are also run without it."""
NEED_LABEL = ("rap++",)
FIRST_SEED = 1000
"""Splits by which nothing was chosen."""
MOST_SETS, MOST_CELLS = 200, 10**6


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES)
    parser.add_argument("--epsilons", nargs="+", choices=EPSILONS, default=EPSILONS)
    parser.add_argument("--methods", nargs="+", choices=(*METHODS, *PEERS), default=METHODS)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="two small tables, one draw, within a minute; not kept")
    options = parser.parse_args()
    if options.quick:
        options.tables, options.epsilons, options.draws = ("compas-raw", "heart"), ("1",), 1
    with threadpool_limits(limits=1):  # CPU seconds are compared, and threads waiting for others would add to them
        asked = (asked for asked in _asked(options) if _is_here(asked["table"]))
        RUNS.make(asked, lambda asked: [_run(**asked)], keeps=not options.quick)
    return 0


def _asked(options: Any) -> Iterator[dict[str, Any]]:
    """All tables once, then again, so that results are balanced at any time."""
    for draw, epsilon, name in itertools.product(range(options.draws), (None, *options.epsilons), options.tables):
        for method in ("real",) if epsilon is None else options.methods:
            for label in (True, False) if name in LABELS and method in WITHOUT_LABEL else (True,):
                yield {"table": name, "method": method, "label": label, "epsilon": epsilon, "draw": draw}


@dataclass(frozen=True)
class _Table:
    schema: sd.Schema
    train: Codes
    test: Codes
    label: str
    is_raw: bool

    @property
    def order(self) -> list[int]:
        """The label last, as learners need it."""
        place = self.schema.names.index(self.label)
        return [*(i for i in range(len(self.schema.names)) if i != place), place]


def _run(*, table: str, method: str, label: bool, epsilon: str | None, draw: int) -> dict[str, Any]:
    found = _table(table, draw)
    n = len(found.train)
    if epsilon is None:
        rows = found.train[np.random.default_rng([draw, 6]).integers(n, size=n)]
        return {"n": n, "columns": len(found.order)} | _distances(found, rows) | _scores(found, found.train)
    if method in PEERS:
        return _peer(found, method, epsilon, draw)
    start = time.process_time()
    try:
        made = synthesize(
            found.train,
            found.schema,
            mode="simulate",
            method=method,
            label=found.label if label and method in (*WITHOUT_LABEL, *NEED_LABEL) else None,
            epsilon=epsilon,
            dp_delta=f"1/{n**2}",
            seed=FIRST_SEED + draw,
        )
    except SynthboundsError as refused:
        return {"refused": str(refused)}
    used = {"noise_est": _noise(found, epsilon), "cpu_s": round(time.process_time() - start, 2)}
    certified = {"certified_one_way": _short(max(made.known.one_way))}
    return used | certified | _distances(found, made.rows) | _scores(found, made.rows)


def _peer(table: _Table, peer: str, epsilon: str, draw: int) -> dict[str, Any]:
    """Rows of another project, whose noise has no seed; a run that was stopped is also a line.

    Its neighbours add or remove one record, as in its papers, which needs half the noise of replace-one.
    """
    n, names = len(table.train), table.schema.names
    rho = Ledger.in_rho(epsilon=Fraction(epsilon), dp_delta=Fraction(1, n * n), adjacency="add-remove").total
    asked = {
        "peer": peer,
        "sizes": {f"x{u}": size for u, size in enumerate(table.schema.domain.sizes)},
        "epsilon": float(epsilon),
        "dp_delta": 1 / n**2,
        "rho": float(rho),
        "rows": n,
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
        header = ",".join(f"x{u}" for u in range(len(names)))
        np.savetxt(folder / "records.csv", table.train, fmt="%d", delimiter=",", header=header, comments="")
        command = [os.environ[PEERS[peer]], "-W", "ignore", str(Path(__file__).with_name("peer_rows.py")), name]
        try:
            used = child(command, ONE_THREAD, most_cpu_s=PEER_MOST_CPU_S, most_bytes=PEER_MOST_BYTES)
        except subprocess.CalledProcessError as ended:
            code = ended.returncode
            return {
                "refused": f"not finished within {PEER_MOST_CPU_S:,} CPU s"
                if code < 0
                else f"ended with exit code {code}"
            }
        said = json.loads((folder / "found.json").read_text(encoding="utf-8"))
        as_shipped, sampled = (_peer_rows(table, folder / name) for name in ("rows.csv", "sampled.csv"))
    kept = {"cpu_s": round(said["cpu_s"], 2), "mb": round(used.mb), "versions": said["versions"]}
    return kept | as_shipped | {f"sampled_{key}": value for key, value in sampled.items()}


def _peer_rows(table: _Table, file: Path) -> dict[str, float]:
    rows = np.loadtxt(file, delimiter=",", skiprows=1, dtype=np.int64, ndmin=2).astype(table.schema.domain.code_type)
    return _distances(table, rows) | _scores(table, rows)


def _noise(table: _Table, epsilon: str) -> float:
    """s, by which `auto` decides: the deviation of a mean product of two columns; a public number."""
    n = len(table.train)
    public = Public(schema=table.schema, adjacency=Adjacency.REPLACE_ONE, size=n)
    plan = plan_moments(public, epsilon=Fraction(epsilon), dp_delta=Fraction(1, n * n))
    return _short(noise_of_a_moment(table.schema, size=n, mu_squared=plan.mu_squared))


def _short(value: Any) -> float:
    return float(f"{float(value):.4g}")


def _distances(table: _Table, rows: Codes) -> dict[str, float]:
    sizes = table.schema.domain.sizes
    both = np.concatenate([table.train, rows]).astype(np.int64)
    columns = [np.ascontiguousarray(column) for column in both.T]
    weights = np.repeat([1 / len(table.train), -1 / len(rows)], [len(table.train), len(rows)])

    def distance(places: tuple[int, ...]) -> float:
        numbers = np.zeros(len(both), dtype=np.int64)
        for u in places:
            numbers = numbers * sizes[u] + columns[u]
        return float(np.abs(np.bincount(numbers, weights)).sum() / 2)

    return {
        name: _short(statistics.fmean(distance(places) for places in _sets(sizes, degree)))
        for name, degree in (("one_way", 1), ("pairs", 2), ("four_way", 4))
    }


@cache
def _sets(sizes: tuple[int, ...], degree: int) -> list[tuple[int, ...]]:
    """All of them, or this many spread evenly."""
    every = itertools.combinations(range(len(sizes)), degree)
    found = [places for places in every if math.prod(sizes[u] for u in places) <= MOST_CELLS]
    return [found[i * len(found) // MOST_SETS] for i in range(MOST_SETS)] if len(found) > MOST_SETS else found


def _scores(table: _Table, rows: Codes) -> dict[str, float]:
    """Accuracy and AUC; a constant label is predicted as such."""
    columns = [table.schema.columns[u] for u in table.order[:-1]]
    train, test = rows[:, table.order], table.test[:, table.order]
    found = {}
    for name, learner in (("logistic", logistic if table.is_raw else logistic_on_codes), ("trees", trees)):
        scores = score(learner, train, test, columns)
        accuracy, auc = scores.accuracy, scores.auc
        if accuracy is None or auc is None:
            accuracy, auc = float(np.mean(test[:, -1] == train[0, -1])), 0.5
        found |= {f"{name}_accuracy": _short(accuracy), f"{name}_auc": _short(auc)}
    return found


def _is_here(name: str) -> bool:
    return _raw_file(name).is_file() if name in LABELS else real_tables.is_here(name)


def _raw_file(name: str) -> Path:
    return real_tables.FOLDER / "raw" / f"{name.replace('-', '_')}.csv"


@cache
def _records(name: str) -> tuple[sd.Schema, Codes, str]:
    if name in LABELS:
        schema = sd.read_schema(EXAMPLES / f"{name.replace('-', '_')}.schema.json")
        return schema, sd.read_codes(_raw_file(name), schema), LABELS[name]
    names, sizes = real_tables.columns(name), real_tables.domain(name)
    return schema_of_domain(Domain(tuple(sizes[u] for u in names), names)), real_tables.codes(name), names[-1]


@cache
def _table(name: str, draw: int) -> _Table:
    schema, codes, label = _records(name)
    mixed = np.random.default_rng([FIRST_SEED + draw, 5]).permutation(len(codes))
    test, train = np.split(codes[mixed], [len(codes) // 5])
    return _Table(schema, train, test, label, name in LABELS)


if __name__ == "__main__":
    sys.exit(main())
