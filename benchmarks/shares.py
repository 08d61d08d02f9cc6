"""Coverage and length of intervals for shares, and the time of one answer: six tables, epsilon 1, delta 1e-6.

Records are drawn from the distribution of a real table, whose share is then that of the population; every run has fresh
noise, continuous as in a simulation, or on the lattice of a release. At a fixed share the interval covers exactly if
the noisy share is between two numbers, which are found by certified tails: so every run is judged by the certified
interval, and few tails are needed. It is compared with the naive route: the usual interval from n rows drawn with the
noisy share, and from the noisy count treated as exact. A level is compatible with 0.95 if that is in its
Clopper-Pearson interval at 99.9 %. Noise on a lattice does not reach every level, and intervals for a private number of
records, or only from a certificate, are longer than necessary: these are only required to cover often enough.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
from scipy.special import betaincinv

from benchmarks.measure import main
from benchmarks.share_groups import GROUPS, levels_of_groups
from benchmarks.share_levels import ALPHA, LEVEL, length, level_of, planned, schema_of, usual_ends, usual_width
from bounds.inference.noise_laws import NoNoise
from bounds.inference.noisy_count import NoisyCount
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.statements import DP
from mechanisms.infer.chi_square.cell_noise import planned_noise
from mechanisms.infer.shares.ask import ask_proportion
from mechanisms.infer.shares.event import read_events
from mechanisms.infer.shares.functional import share_of
from mechanisms.infer.shares.noisy_share import NoisyShare, noisy_share
from mechanisms.infer.shares.noisy_sum import NORMAL, combination_for
from mechanisms.infer.shares.share import effective_records, population_interval, supposed_at, table_interval
from mechanisms.infer.shares.shown import ShownTables
from release.marginals.make import release_marginals
from release.noise.kinds import Mode
from release.noise.priced import priced_noise
from release.noise.quantiles import deepest_fall
from release.statistics.statistic import RECORD_STEPS
from release.statistics.table_errors import error_sensitivity
from verify import real_tables

SHARES = (
    ("adult", "income>50K=1"),
    ("adult", "race=3"),
    ("compas", "two_year_recid=1"),
    ("compas", "juv_fel_count=1"),
    ("law", "race=1"),
    ("heart", "output=1"),
    ("dutch", "occupation=1"),
    ("churn", "Churn Value=1"),
)
FEWER = Fraction(4, 5)
"""Under add-remove: the public least number of records, as a part of their number."""


def run(*, quick: bool) -> dict[str, Any]:
    if not real_tables.all_here():
        return {"shares": f"not run: {real_tables.MISSING}"}
    runs = 400 if quick else 4000
    source = np.random.default_rng(22)
    asked = [(*share, way) for share in SHARES for way in ("one", "pairs")]
    asked += [(*share, "laplace") for share in SHARES[::2]]
    shares = [_share(*one, "simulate", runs, source) for one in asked]
    lattice = [_share(*one, "release", runs, source) for one in asked]
    private = [_private(name, event, runs, source) for name, event in SHARES[::2]]
    rows = [_rows(name, event, runs, source) for name, event in SHARES[::2]]
    groups = [levels_of_groups(*one, way, runs // 2, source) for one in GROUPS for way in ("one", "pairs")]
    exact = [level for row in shares for level in (row["table"], row["population"])]
    exact += [row["fieller_table"] for row in groups]
    cautious = [row["population"] for row in (*private, *rows, *lattice)] + [row["table"] for row in lattice]
    simulated = [row[name] for row in groups for name in ("difference", "log_odds_ratio")]
    return {
        "runs": runs,
        "exact_compatible": sum(row["compatible"] for row in exact),
        "exact_statements": len(exact),
        "cautious_often_enough": sum(row["often_enough"] for row in cautious),
        "cautious_statements": len(cautious),
        "simulated_levels": _span([row["covers"] for row in simulated]),
        "naive_rows_levels": _span([row["naive_rows"] for row in shares]),
        "certified_agrees": all(row["certified_agrees"] for row in (*shares, *lattice)),
        "adult_income": _adult(),
        "cpu_s": _seconds(),
        "shares": shares,
        "on_the_lattice": lattice,
        "private_number": private,
        "rows_and_certificate": rows,
        "groups": groups,
    }


def _noise(shown: ShownTables, parts: list[tuple[Fraction, int]], runs: int, source: Any) -> Any:
    """Noise of sums of cells, in shares, from coefficients and numbers of cells."""
    assert shown.plan is not None
    law = planned_noise(shown.plan)
    assert law is not None
    total = np.zeros(runs)
    for coefficient, cells in parts:
        total += float(coefficient) * law.sums(cells, (runs,), source) / shown.size
    return total


def _share(name: str, text: str, way: str, mode: Mode, runs: int, source: Any) -> dict[str, Any]:
    schema, codes = schema_of(name), real_tables.codes(name)
    (event,), n = read_events(text, schema), len(codes)
    shown = planned(schema, (event.column,), way, n, Adjacency.REPLACE_ONE, mode)
    found = noisy_share(shown, (event,))
    p = Fraction(int(np.isin(codes[:, event.column], event.codes).sum()), n)
    drawn = source.binomial(n, float(p), runs) / n
    if way == "laplace":
        noise = _noise(shown, [(Fraction(1), _cells_of(found))], runs, source)
    else:
        parts = combination_for(share_of(event), shown, NORMAL).parts
        noise = _noise(shown, [(part.coefficient, part.cells) for part in parts], runs, source)
    noisy = drawn + noise
    bound, _ = found.error_bound(ALPHA)
    lo, hi = _accepted(found, p)
    k = effective_records(supposed_at(found, p))
    widths = [float(length(population_interval(supposed_at(found, Fraction(float(x))), ALPHA))) for x in noisy[:20]]
    free = usual_width(np.rint(drawn * n), n)
    return {
        "table_name": name,
        "share": text,
        "n": n,
        "release": way,
        "table": level_of(np.abs(noise) <= float(bound)),
        "population": level_of((noisy > lo) & (noisy < hi)),
        "certified_agrees": all(
            _covers(found, x, p) == (lo < x < hi) for x in noisy[:25] if min(abs(x - lo), abs(x - hi)) > 1e-7
        ),
        "width_over_usual": round(float(np.mean(widths)) / free, 3),
        "effective_over_n": None if k is None else round(k / n, 3),
        "naive_rows": _naive_rows(noisy, n, float(p), source),
        "naive_count": _naive_count(noisy, n, float(p)),
    }


def _cells_of(found: NoisyShare) -> int:
    assert found.count is not None
    return int(found.count.noise.count)  # type: ignore[attr-defined]


def _covers(found: NoisyShare, noisy: float, p: Fraction) -> bool:
    count = supposed_at(found, Fraction(float(noisy))).count
    assert count is not None
    return count.covers(p, LEVEL)


def _accepted(found: NoisyShare, p: Fraction) -> tuple[float, float]:
    """The noisy shares between which the interval covers p: both by bisection, with two certified tails per step."""
    assert found.count is not None
    spread = 12 * ((float(p * (1 - p)) / found.size) ** 0.5 + float(found.deviation or 0) + 1 / found.size)
    ends = []
    for outside in (float(p) - spread, float(p) + spread):
        inside = float(p)
        for _ in range(40):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if _covers(found, middle, p) else (inside, middle)
        ends.append(inside)
    return ends[0], ends[1]


def _private(name: str, text: str, runs: int, source: Any) -> dict[str, Any]:
    """Under add-remove: n is private, and the release assumes fewer."""
    schema, codes = schema_of(name), real_tables.codes(name)
    (event,), n = read_events(text, schema), len(codes)
    least = floor(n * FEWER)
    shown = planned(schema, (event.column,), "one", least, Adjacency.ADD_REMOVE)
    found = noisy_share(shown, (event,))
    p = Fraction(int(np.isin(codes[:, event.column], event.codes).sum()), n)
    parts = combination_for(share_of(event), shown, NORMAL).parts
    noisy = source.binomial(n, float(p), runs) / n + _noise(
        shown, [(part.coefficient, part.cells) for part in parts], runs, source
    )
    lo, hi = _accepted(found, p)
    width = float(length(population_interval(supposed_at(found, p), ALPHA)))
    return {
        "table_name": name,
        "share": text,
        "n": n,
        "least_size": least,
        "population": level_of((noisy >= lo) & (noisy <= hi)),
        "width_over_usual": round(width / usual_width(np.array([n * float(p)]), n), 3),
    }


def _rows(name: str, text: str, runs: int, source: Any) -> dict[str, Any]:
    """From a finished table without any error and a release of accuracy of the column's cells."""
    schema, codes = schema_of(name), real_tables.codes(name)
    (event,), n = read_events(text, schema), len(codes)
    p = float(np.isin(codes[:, event.column], event.codes).mean())
    l1, l2 = error_sensitivity()
    price = DP(epsilon=1, delta=0, adjacency=Adjacency.REPLACE_ONE)
    noise = priced_noise(2, price, l1=l1, l2_squared=l2, text="errors", mode="release")
    part = ALPHA / 20
    fall, scale = deepest_fall(noise, part), float(noise.scales)  # type: ignore[arg-type]
    counts = source.binomial(n, p, runs)
    q = np.exp(-1 / scale)
    drawn = source.geometric(1 - q, runs) - source.geometric(1 - q, runs)
    errors = (np.maximum(drawn, 0) + fall) / RECORD_STEPS
    each = (1 - (1 - ALPHA) / (1 - part)) / 2
    lower, upper = np.ceil(counts - errors), np.floor(counts + errors)
    most = _last(lambda c: NoisyCount(n=n, observed=Fraction(c), noise=NoNoise()).lower_end(each) <= Fraction(p), n)
    least = n - _last(
        lambda c: NoisyCount(n=n, observed=Fraction(n - c), noise=NoNoise()).upper_end(each) >= Fraction(p), n
    )
    error = float(np.median(errors)) / n
    ends = [max(0, ceil(n * (p - error))), min(n, floor(n * (p + error)))]
    width = float(
        betaincinv(ends[1] + 1, n - ends[1], 1 - float(each)) - betaincinv(ends[0], n - ends[0] + 1, float(each))
    )
    return {
        "table_name": name,
        "share": text,
        "n": n,
        "population": level_of((lower <= most) & (upper >= least)),
        "width_over_usual": round(width / usual_width(np.array([n * p]), n), 3),
    }


def _last(holds: Callable[[int], bool], n: int) -> int:
    """The last number from 0 to n at which it is true, given that it is true up to some number."""
    low, high = 0, n + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _span(values: list[float]) -> list[float]:
    return [min(values), max(values)]


def _naive_rows(noisy: Any, n: int, p: float, source: Any) -> float:
    """As many synthetic rows as there were records, drawn with the noisy share and treated as records."""
    lo, hi = usual_ends(source.binomial(n, np.clip(noisy, 0, 1)), n)
    return round(float(np.mean((lo <= p) & (p <= hi))), 4)


def _naive_count(noisy: Any, n: int, p: float) -> float:
    lo, hi = usual_ends(noisy * n, n)
    return round(float(np.mean((lo <= p) & (p <= hi))), 4)


def _adult() -> dict[str, float]:
    """Widths for the share of income on Adult, relative to the usual interval from exact numbers."""
    schema, codes = schema_of("adult"), real_tables.codes("adult")
    (event,), n = read_events("income>50K=1", schema), len(codes)
    p, found = Fraction(int((codes[:, event.column] == 1).sum()), n), {}
    for way in ("one", "pairs"):
        known = noisy_share(planned(schema, (event.column,), way, n, Adjacency.REPLACE_ONE), (event,))
        width = float(length(population_interval(supposed_at(known, p), ALPHA)))
        found[f"width_over_usual_{way}"] = round(width / usual_width(np.array([n * float(p)]), n), 4)
        found[f"table_width_{way}"] = round(float(length(table_interval(supposed_at(known, p), ALPHA))), 6)
    return found


def _seconds() -> dict[str, float]:
    """Seconds of a whole answer from all pairs of Adult, and of one interval at a billion records."""
    schema = schema_of("adult")
    codes = real_tables.codes("adult").astype(schema.domain.code_type)
    made = release_marginals(
        codes, schema, epsilon=1, dp_delta=Fraction(1, 10**6), adjacency="replace-one", mode="simulate", seed=1
    )
    start = time.process_time()
    ask_proportion(made, proportion="income>50K=1", level=LEVEL)
    answer = time.process_time() - start
    known = noisy_share(
        planned(schema, (len(schema.names) - 1,), "pairs", 10**9, Adjacency.REPLACE_ONE),
        read_events("income>50K=1", schema),
    )
    start = time.process_time()
    population_interval(supposed_at(known, Fraction(1, 4)), ALPHA)
    return {"adult_all_pairs": round(answer, 3), "a_billion_records": round(time.process_time() - start, 3)}


if __name__ == "__main__":
    sys.exit(main("shares", __doc__ or "", run))
