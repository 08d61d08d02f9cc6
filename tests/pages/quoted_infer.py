"""Numbers on the page about what may be concluded from a release: recorded benchmarks, and limits of the command."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mechanisms.infer.chi_square.power import WANTED_POWER
from mechanisms.infer.parameters import INFER_PARAMETERS
from tests.pages.quoted import SETTING, Page, decimal, recorded, thousands

_SHARES = (("adult", "income>50K=1"), ("adult", "race=3"), ("compas", "two_year_recid=1"), ("heart", "output=1"))
_RELEASES = {"one": "its table alone", "pairs": "all pairs"}
_TABLES = ("adult", "compas", "dutch", "law")


def shares() -> Iterator[str]:
    """A share by what was released, a line each."""
    rows = recorded("shares")["shares"]
    for table, share in _SHARES:
        for release, shown in _RELEASES.items():
            (found,) = (r for r in rows if (r["table_name"], r["share"], r["release"]) == (table, share, release))
            cells = (
                decimal(found["population"]["covers"], 3),
                decimal(found["naive_rows"], 2),
                f"{found['width_over_usual']:.2f}",
                f"{100 * found['effective_over_n']:.0f} %",
            )
            yield f"| {table} {share} | {shown} | {' | '.join(cells)} |"


def components() -> Iterator[str]:
    found = recorded("spectrum")
    for table in _TABLES:
        median = found[f"moments of {table}"]["median"]
        keys = ("sine of component 1", "the same by Davis and Kahan", "variance lost", "the same by the norm")
        yield f"| {table} | {' | '.join(_short(median[key]) for key in keys)} |"


def regressions() -> Iterator[str]:
    found = recorded("noisy_regression")
    for table in ("dutch", "law", "churn"):
        row = found[table]
        population = row["coverage_population"]
        cells = (
            str(row["coefficients"]),
            f"{row['joint_half_width_median']:.2f}",
            f"{row['alone_over_first_order_median']:.2f}",
            decimal(row["coverage"]["set"]["covers"], 3),
            decimal(population["population"]["covers"], 3),
            decimal(population["naive"]["covers"], 2),
        )
        yield f"| {table} | {' | '.join(cells)} |"


def signs() -> str:
    found = recorded("coefficient_signs")
    told = (f"{_count(found[name]['certain_mean'])} of {found[name]['coefficients']} on {name}" for name in _TABLES)
    assert not any(found[name]["certain_but_wrong"] for name in _TABLES)
    return f"Signs that are certain at norm 2, on average: {', '.join(told)}; none was wrong"


def edges() -> str:
    found = recorded("spectrum")
    parts = []
    for name in ("dutch", "adult"):
        row = found[f"edges of {name}"]
        assert row["wrong_signs"] == 0
        parts.append(
            f"{_count(row['certain_mean'])} of {row['pairs']} on {name}, "
            f"{_count(row['certain_by_search_mean'])} by search"
        )
    return f"Edges that are certain: {'; '.join(parts)}"


def tests() -> Iterator[str]:
    found = recorded("rejections")
    levels = [row["simulated"] for row in found["level"].values()]
    naive = [row["synthetic_rows"] for row in found["level"].values()]
    yield f"rejected in {_span(levels, 3)} of the releases, at nominal .05"
    yield f"the same test on synthetic rows in {_span(naive, 2)}"
    off = decimal(found["power_off_by_at_most"], 2)
    yield f"Where cells have more than their noise, planned power was right within {off}"


def quotes() -> Iterator[str]:
    yield from shares()
    yield from components()
    yield from regressions()
    yield from tests()
    yield signs()
    yield edges()
    groups = [row["naive_difference"] for row in recorded("shares")["groups"]]
    yield f"usual interval of a difference from synthetic rows covered in {_span(groups, 2)} of the cases"
    runs = {recorded("shares")["runs"], recorded("rejections")["releases"], recorded("spectrum")["runs"]}
    yield f"{thousands(min(runs))} simulated releases each at least"
    yield f"`--level L` (default {INFER_PARAMETERS['level'].default})"
    yield f"which effect would have {decimal(float(WANTED_POWER), 1)}"


def _short(value: float) -> str:
    return f"{value:.1e}" if value < 1e-4 else f"{value:.4f}".removeprefix("0")


def _span(values: list[float], places: int) -> str:
    lo, hi = min(values), max(values)
    return f"{decimal(lo, places)} to {decimal(hi, places)}"


def _count(value: Any) -> str:
    return f"{value:.1f}".removesuffix(".0")


INFER = Page(quotes, {SETTING: ("epsilon 1, delta 1e-6, replace-one, level .95",)})
