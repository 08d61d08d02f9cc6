"""How often tests of noisy tables reject: level and power, planned and simulated, compared with invalid routes.

Pairs of columns of real tables, at several n, epsilon 1, dp_delta 1e-6, replace-one: from a release of only the pair's
table and from one of all pairs. For the level, records are drawn with the product of the real margins, for the power
with the real shares. The level is also measured at epsilon 0.1, where counts are drowned in noise. The fit of the cells
to the product is tested from the release of only that table; its p-value is exact.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from benchmarks.measure import main
from benchmarks.rejecting import Rejections, fit_level, rejections
from bounds.clopper_pearson import interval
from bounds.privacy.adjacency import Adjacency
from mechanisms.infer.chi_square.power import planned_tables
from mechanisms.infer.chi_square.shown import ShownPair
from release.data.domain import Domain
from release.data.schema import Schema, schema_of_domain
from verify import real_tables

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats

Pairs: TypeAlias = tuple[tuple[str, str, str, tuple[int, ...]], ...]
PAIRS: Pairs = (
    ("compas", "sex", "two_year_recid", (400, 1500, 7214)),
    ("compas", "race", "two_year_recid", (600, 2000, 7214)),
    ("adult", "race", "income>50K", (1500, 5000, 48842)),
    ("adult", "education-num", "sex", (3000, 48842)),
    ("law", "fam_inc", "race", (600, 3000, 20798)),
    ("heart", "cp", "exng", (100, 303)),
)
DROWNED: Pairs = (
    ("compas", "sex", "two_year_recid", (100, 400)),
    ("compas", "race", "two_year_recid", (300, 600)),
    ("law", "fam_inc", "race", (300,)),
    ("heart", "cp", "exng", (100, 303)),
)
LEAST, MOST, NEAR = 0.03, 0.07, 0.05
SLOW = 2
"""One in this many releases gets the slow answers."""
_SIMULATIONS = 199
"""With 199 tables 0.05 is a possible simulated p-value."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Two columns of a table, a number of its records, and how they are released."""

    text: str
    shown: ShownPair
    shares: Floats
    """Shares of the real table."""

    @property
    def product(self) -> Floats:
        found: Floats = np.outer(self.shares.sum(1), self.shares.sum(0))
        return found

    @property
    def is_alone(self) -> bool:
        return len(self.shown.rows.margins) == 1

    @property
    def is_drowned(self) -> bool:
        """Whether a cell expects fewer records than the deviation of its noise."""
        return bool(self.shown.size * self.product.min() < self.shown.cell.deviation)


def settings(
    pairs: tuple[tuple[str, str, str, tuple[int, ...]], ...], epsilon: str, *, alone: bool
) -> Iterator[Setting]:
    for table, first, second, sizes in pairs:
        if not real_tables.is_here(table):
            continue
        schema, names = _schema(table), (first, second)
        codes = real_tables.codes(table)
        places = [schema.names.index(name) for name in names]
        shares = np.zeros([schema.domain.sizes[place] for place in places])
        np.add.at(shares, tuple(codes[:, places].T), 1 / len(codes))
        own = tuple(sorted(places))
        releases = {"alone": (own,)} | (
            {} if alone else {"all pairs": tuple(combinations(range(len(schema.names)), 2))}
        )
        for n in sizes:
            for text, sets in releases.items():
                shown = planned_tables(
                    schema, names, sets, n, epsilon=epsilon, dp_delta="1e-6", adjacency=Adjacency.REPLACE_ONE
                )
                yield Setting(text=f"{table} {first}:{second} n={n} {text}", shown=shown, shares=shares)


def _schema(table: str) -> Schema:
    names, sizes = real_tables.columns(table), real_tables.domain(table)
    return schema_of_domain(Domain(tuple(sizes[name] for name in names), names))


def run(*, quick: bool) -> dict[str, Any]:
    missing = sorted({table for table, *_ in PAIRS if not real_tables.is_here(table)})
    if missing:
        return {"tables": f"not run: {real_tables.MISSING}"}
    start, releases = time.process_time(), 200 if quick else 2000
    level, power, drowned, fits = {}, {}, {}, {}
    for seed, setting in enumerate(settings(PAIRS, "1", alone=False)):
        level[setting.text] = _row(setting, setting.product, releases, simulated_of=releases, seed=seed)
        power[setting.text] = _row(setting, setting.shares, releases, simulated_of=releases // 10, seed=100 + seed)
        if setting.is_alone:
            fits[setting.text] = _fit_level(setting, releases, seed=200 + seed)
    for seed, setting in enumerate(settings(DROWNED, "0.1", alone=True), start=300):
        drowned[setting.text] = _row(setting, setting.product, releases, simulated_of=releases, seed=seed)
        fits[f"{setting.text}, epsilon 0.1"] = _fit_level(setting, releases, seed=100 + seed)
    told = [row for row in power.values() if not row["drowned"]]
    return {
        "releases": releases,
        "level": level,
        "level_epsilon_0.1": drowned,
        "power": power,
        "fit_level": fits,
        "asymptotic_level": _span(row["asymptotic"] for row in level.values()),
        "recommended_level": _span(row["simulated"] for row in level.values()),
        "recommended_outside": [t for t, row in (level | drowned).items() if not LEAST <= row["simulated"] <= MOST],
        "asymptotic_outside": [t for t, row in (level | drowned).items() if not LEAST <= row["asymptotic"] <= MOST],
        "naive_level": _span(row["synthetic_rows"] for row in level.values()),
        "power_off_by_at_most": _off(told),
        "power_off_by_at_most_with_drowned": _off(list(power.values())),
        "below_the_worst_case": [t for t, r in power.items() if min(r["asymptotic"], r["simulated"]) < r["worst_case"]],
        "effects_missed_at_most": max(r["effect_missed"] for r in power.values()),
        "real_tables_missed_at_most": max(r["real_table_missed"] for r in power.values()),
        "fit_level_all": _span(fits.values()),
        "fit_level_compatible": all(_compatible(share, releases) for share in fits.values()),
        "cpu_s": round(time.process_time() - start, 1),
    }


def _row(setting: Setting, shares: Floats, releases: int, *, simulated_of: int, seed: int) -> dict[str, Any]:
    found: Rejections = rejections(
        setting.shown,
        shares,
        releases=releases,
        seed=seed,
        simulations=_SIMULATIONS,
        simulated_of=simulated_of,
        slow_of=releases // SLOW,
    )
    return {"noise_sd": round(setting.shown.cell.deviation, 1), "drowned": setting.is_drowned, **found.row()}


def _fit_level(setting: Setting, releases: int, *, seed: int) -> float:
    return fit_level(setting.shown, setting.product, releases=releases, simulations=_SIMULATIONS, seed=seed)


def _off(rows: list[dict[str, Any]]) -> float:
    return max(round(abs(row["asymptotic"] - row["planned"]), 4) for row in rows)


def _span(values: Any) -> list[float]:
    found = list(values)
    return [min(found), max(found)]


def _compatible(share: float, releases: int) -> bool:
    """Whether a rate is compatible with the nominal level, at 99.9 %."""
    lo, hi = interval(round(share * releases), releases, 0.999)
    return lo <= NEAR <= hi


if __name__ == "__main__":
    sys.exit(main("rejections", __doc__ or "", run))
