"""What may be concluded from a release: shares, components, regressions, signs and edges in recorded runs."""

from __future__ import annotations

from typing import Any

from scipy.stats import binom

from benchmarks.coefficient_signs import EVENTS
from benchmarks.noisy_regression import FORMULAS
from benchmarks.rejections import DROWNED, LEAST, MOST, PAIRS
from benchmarks.spectrum import COVERED, DRAWN_EDGES
from docs_site.numbers.names import pick, run

_SHARES = (("adult", "income>50K=1"), ("adult", "race=3"), ("compas", "two_year_recid=1"), ("heart", "output=1"))
_TABLES = ("adult", "compas", "dutch", "law")


def shares() -> list[Any]:
    """A share by what was released, a line each."""
    rows = {(one["table_name"], one["share"], one["release"]): one for one in run("shares")["shares"]}
    asked = [(share, rows[table, share, release]) for table, share in _SHARES for release in ("one", "pairs")]
    return [
        (share, *_share(one), 100 * one["effective_over_n"])
        for share, one in asked
    ]  # fmt: skip


def _share(one: dict[str, Any]) -> tuple[float, float, float]:
    return one["population"]["covers"], one["naive_rows"], one["width_over_usual"]


def components() -> list[Any]:
    keys = ("sine of component 1", "the same by Davis and Kahan", "variance lost", "the same by the norm")
    return [(table, pick(run("spectrum")[f"moments of {table}"]["median"], *keys)) for table in _TABLES]


def regressions() -> list[Any]:
    return [(table, _regression(run("noisy_regression")[table])) for table in ("dutch", "law", "churn")]


def _regression(one: dict[str, Any]) -> list[Any]:
    population = one["coverage_population"]
    covers = (one["coverage"]["set"], population["population"], population["naive"])
    medians = pick(one, "coefficients", "joint_half_width_median", "alone_over_first_order_median")
    return [*medians, *(kind["covers"] for kind in covers)]


def signs() -> list[Any]:
    """How many are certain, of how many; none was wrong."""
    found = pick(run("coefficient_signs"), *_TABLES)
    return [not any(one["certain_but_wrong"] for one in found), [_certain(one) for one in found]]


def _certain(one: dict[str, Any]) -> list[Any]:
    return [round(one["certain_mean"], 1), one["coefficients"]]


def edges() -> list[Any]:
    found = [run("spectrum")[f"edges of {name}"] for name in ("dutch", "adult")]
    keys = ("certain_mean", "pairs", "certain_by_search_mean")
    return [all(one["wrong_signs"] == 0 for one in found), [pick(one, *keys) for one in found]]


def level(kind: str) -> list[float]:
    """The least and the largest share of rejections where nothing is to be found."""
    return ends(row[kind] for row in run("rejections")["level"].values())


def differences() -> list[float]:
    return ends(row["naive_difference"] for row in run("shares")["groups"])


def ends(values: Any) -> list[float]:
    found = list(values)
    return [min(found), max(found)]


# --- proof pages ---------------------------------------------------------------------------------------------------


def coverage() -> list[Any]:
    """Shares, a release a row: table, population, width, records that count if that is known, and naive."""
    return [
        (
            one["table_name"],
            one["table"]["covers"],
            one["population"]["covers"],
            one["width_over_usual"],
            [] if one["effective_over_n"] is None else one["effective_over_n"],
            one["naive_rows"],
        )
        for one in run("shares")["shares"]
    ]


def levels_held() -> bool:
    found = run("shares")
    return bool(found["cautious_often_enough"] == found["cautious_statements"] and found["certified_agrees"])


def groups() -> list[Any]:
    """Shares in groups, differences and odds."""
    kinds = ("fieller_table", "fieller_population", "difference", "log_odds_ratio")
    return [
        (
            one["table_name"],
            [one[kind]["covers"] for kind in kinds],
            pick(one, "naive_difference", "difference_width_over_usual"),
        )
        for one in run("shares")["groups"]
    ]


def coefficient_signs(tables: tuple[str, ...]) -> list[Any]:
    """What was recorded, a statement a row; every statement was compatible with its level, and no interval missed."""
    found = pick(run("coefficient_signs"), *tables)
    return [
        all(one["compatible_with_beta"] and not one["intervals_missed"] for one in found),
        [one["coefficients"] for one in found],
        [pick(one, "certain_mean", "certain_least") for one in found],
        [pick(one, "certain_but_wrong") for one in found],
        [one["width_median"] for one in found],
        EVENTS,
        [one["events_failed"] for one in found],
        [pick(one, "trained_sign_wrong", "trained_coefficients") for one in found],
    ]


def spectrum() -> list[Any]:
    """Components, a table a row; the set of eigenvectors covers least of all that is said."""
    rows = [(name, of, run("spectrum")[f"{of} of {name}"]) for of in ("moments", "covariance") for name in COVERED]
    holds = all(one["compatible_with_level"] and one["eigenvector_set_is_exact"] for *_, one in rows)
    least = all(min(one["coverage"].values()) == one["coverage"]["eigenvector set"] for *_, one in rows)
    keys = ("sine of component 1", "the same by Davis and Kahan", "variance lost", "the same by the norm")
    return [holds, least] + [
        (name, of, pick(one["median"], *keys), one["coverage"]["eigenvector set"], one["naive_coverage"]["smallest"])
        for name, of, one in rows
    ]


def graph() -> list[Any]:
    """Edges, a table a row; no sign was wrong and no interval missed."""
    rows = [(name, run("spectrum")[f"edges of {name}"]) for name in DRAWN_EDGES]
    holds = all(
        one["compatible_with_level"] and one["wrong_signs"] == one["intervals_that_miss"] == 0 for _, one in rows
    )
    counts = ("pairs", "significant_without_privacy", "certain_mean", "certain_by_search_mean", "small_mean")
    sets = ("joint_sets_cover_all_at_once", "single_sets_cover_all_at_once")
    return [holds] + [(name, pick(one, *counts, *sets)) for name, one in rows]


def rejections(section: str) -> list[Any]:
    """From the least to the largest share of rejections, a pair a row."""
    pairs = PAIRS if section == "level" else DROWNED
    found = []
    for table, first, second, _ in pairs:
        rows = [
            row for text, row in run("rejections")[section].items() if text.startswith(f"{table} {first}:{second} ")
        ]
        kinds = ("asymptotic", "simulated", "synthetic_rows")
        found.append((f"{table} {first}:{second}", [ends(row[kind] for row in rows) for kind in kinds]))
    return found


def simulated_level() -> list[Any]:
    """Its ends over both sections; nothing that is recommended was outside of what is said."""
    found = run("rejections")
    rows = [*found["level"].values(), *found["level_epsilon_0.1"].values()]
    return [not found["recommended_outside"], LEAST, MOST, ends(row["simulated"] for row in rows)]


def power() -> list[Any]:
    """Planned and found, where something is open: the plan is neither sure nor far from any power."""
    keys = ("planned", "asymptotic", "simulated", "worst_case", "without_privacy")
    rows = ((text, pick(row, *keys)) for text, row in run("rejections")["power"].items())
    return [(text, cells) for text, cells in rows if 0.2 <= cells[0] <= 0.99]


def intervals_of_regressions() -> list[Any]:
    """Coefficients, half-widths and signs, a table a row, where there are any."""
    keys = ("coefficients", "joint_half_width_median", "joint_unbounded", "releases", "any_formula_half_width_median")
    more = ("any_formula_unbounded", "releases", "signs_certain_mean", "alone_over_first_order_median")
    last = "alone_over_first_order_p95"
    rows = [(name, run("noisy_regression")[name]) for name in FORMULAS]
    return [(name, [one[key] for key in (*keys, *more, last) if one[key] is not None]) for name, one in rows]


def coverage_of_regressions() -> list[Any]:
    """How often sets and intervals cover; R squared: in how many releases it is told, and missed."""
    return [(name, *_coverage(run("noisy_regression")[name])) for name in FORMULAS]


def _coverage(one: dict[str, Any]) -> list[Any]:
    table, population = one["coverage"], one["coverage_population"]
    shares = [table["set"], table["alone"], population["population"]]
    assert all(share["compatible"] for share in shares)
    assert one["r_squared_certified"]["covers"] in (1.0, None)
    told = table.get("r_squared_first_order", {"covers": 1.0, "of": 0})
    missed = round((1 - told["covers"]) * told["of"])
    assert missed <= binom.isf(0.0005, table["set"]["of"], 0.05)
    last = pick(population, "population", "population_anyhow", "naive")
    return [[share["covers"] for share in shares[:2]], told["of"], missed, [share["covers"] for share in last]]


def design(explained: str, *keys: str) -> list[Any]:
    """Of designs with 12 and 25 columns that explain so much."""
    found = [run("noisy_regression")["designs"][f"{columns} columns that explain {explained}"] for columns in (12, 25)]
    near = all(abs(one["share"] - float(explained)) < 5e-4 for one in found)
    return [near, [pick(one, *keys) for one in found]]


def rare_group() -> list[float]:
    rare = run("noisy_regression")["designs"]["a rare group"]
    return [rare[name]["covers"] for name in ("population", "population_anyhow")]
