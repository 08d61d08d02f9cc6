"""Coverage of intervals for shares in groups: Fieller's set, the difference of two groups and the log odds ratio."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.share_levels import ALPHA, Z, level_of, planned, schema_of
from bounds.privacy.adjacency import Adjacency
from mechanisms.infer.chi_square.cell_noise import planned_noise
from mechanisms.infer.shares.conditional import fieller, group_sums, line_in
from mechanisms.infer.shares.difference import delta_method, empty_cell
from mechanisms.infer.shares.event import read_event, read_groups
from mechanisms.infer.shares.joint import JointSums
from mechanisms.infer.shares.shown import ShownTables
from verify import real_tables

GROUPS = (
    ("adult", "income>50K=1", "sex"),
    ("compas", "two_year_recid=1", "sex"),
    ("law", "pass_bar=1", "race"),
    ("heart", "output=1", "sex"),
    ("dutch", "occupation=1", "sex"),
    ("churn", "Churn Value=1", "Senior Citizen"),
)


def levels_of_groups(name: str, text: str, by: str, way: str, runs: int, source: Any) -> dict[str, Any]:
    schema, codes = schema_of(name), real_tables.codes(name)
    event, groups, n = read_event(text, schema), read_groups(by, schema), len(codes)
    columns = tuple(sorted((event.column, groups[0].column)))
    shown = planned(schema, columns, way, n, Adjacency.REPLACE_ONE, "simulate")
    sums = group_sums(shown, event, groups)
    met, first = (np.isin(codes[:, one.column], one.codes) for one in (event, groups[0]))
    cells = np.array([[(met & g).mean(), (~met & g).mean()] for g in (first, ~first)])
    truth = cells[:, 0] / cells.sum(1)
    drawn = source.multinomial(n, cells.ravel(), runs).reshape(runs, 2, 2) / n
    noise = _joint_noise(shown, sums, runs, source)
    means = np.stack([drawn[:, 0, 0], drawn[:, 0].sum(1), drawn[:, 1, 0], drawn[:, 1].sum(1)], axis=1)
    wanted = truth[0] - truth[1], float(np.log(truth[0] / (1 - truth[0]) * (1 - truth[1]) / truth[1]))
    hits: dict[str, list[bool]] = {key: [] for key in ("table", "population", "difference", "odds")}
    widths, usual, loose, known = [], [], 0, line_in(sums, 0)
    for real, off in zip(means, noise, strict=True):
        seen = replace(sums, estimates=tuple(Fraction(float(x)) for x in real + off))
        line = known.supposed_at(seen.estimates[0], seen.estimates[1])
        share = real[0] / real[1] if real[1] else 0.0
        hits["table"].append(_within(share, fieller(line, alpha=ALPHA)))
        hits["population"].append(_within(truth[0], fieller(line, alpha=ALPHA, records=n)))
        difference, deviation = delta_method(seen, n, odds=False)
        hits["difference"].append(abs(difference - wanted[0]) <= Z * deviation)
        widths.append(2 * Z * deviation)
        usual.append(2 * Z * sum(p * (1 - p) / (n * m) for p, m in zip(truth, cells.sum(1), strict=True)) ** 0.5)
        if empty_cell(seen, event, groups, Z) is not None:
            loose += 1
            hits["odds"].append(True)
        else:
            ratio, deviation = delta_method(seen, n, odds=True)
            hits["odds"].append(abs(ratio - wanted[1]) <= Z * deviation)
    naive = _naive_groups(means + noise, n, wanted, source)
    return {
        "table_name": name,
        "share": text,
        "by": by,
        "n": n,
        "release": way,
        "fieller_table": level_of(np.array(hits["table"])),
        "fieller_population": level_of(np.array(hits["population"])),
        "difference": level_of(np.array(hits["difference"])),
        "log_odds_ratio": level_of(np.array(hits["odds"])) | {"without_ends": loose},
        "naive_difference": naive[0],
        "naive_log_odds_ratio": naive[1],
        "difference_width_over_usual": round(float(np.median(widths)) / float(np.median(usual)), 2),
    }


def _joint_noise(shown: ShownTables, sums: JointSums, runs: int, source: Any) -> Any:
    """Noise of all means of the sums; every part has its own sum of cells."""
    assert shown.plan is not None
    law, cell = planned_noise(shown.plan), shown.tables[0].variance
    assert law is not None
    total = np.zeros((runs, len(sums.estimates)))
    for part in sums.parts:
        cells = part.variance / cell
        assert cells.denominator == 1
        drawn = law.sums(int(cells), (runs,), source) / shown.size
        total += drawn[:, None] * np.array([float(value) for value in part.coefficients])
    return total


def _within(value: float, ends: tuple[Fraction, Fraction]) -> bool:
    return float(ends[0]) - 1e-12 <= value <= float(ends[1]) + 1e-12


def _naive_groups(noisy: Any, n: int, wanted: tuple[float, float], source: Any) -> tuple[float, float]:
    """Both from n rows drawn with the noisy cells, with half a row added to each cell."""
    cells = np.stack([noisy[:, 0], noisy[:, 1] - noisy[:, 0], noisy[:, 2], noisy[:, 3] - noisy[:, 2]], axis=1)
    cells = np.maximum(cells, 0.5 / n)
    rows = source.multinomial(n, cells / cells.sum(1)[:, None]).reshape(-1, 2, 2) + 0.5
    members = rows.sum(2)
    shares = rows[:, :, 0] / members
    half = Z * np.sqrt((shares * (1 - shares) / members).sum(1))
    ratio = np.log(rows[:, 0, 0] * rows[:, 1, 1] / rows[:, 0, 1] / rows[:, 1, 0])
    spread = Z * np.sqrt((1 / rows).sum((1, 2)))
    return (
        round(float(np.mean(np.abs(shares[:, 0] - shares[:, 1] - wanted[0]) <= half)), 4),
        round(float(np.mean(np.abs(ratio - wanted[1]) <= spread)), 4),
    )
