"""Numbers on the proof pages about certificates of models: exact sensitivities, and recorded benchmarks."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Any

from benchmarks.confirm import ASSISTED_SHARE, COVERED_SHARE
from bounds.certify.excess_query import ExcessPlan
from bounds.certify.gradient_sensitivity import gradient_sensitivity
from bounds.certify.loss_ranges import oscillation, supremum
from bounds.certify.margin_losses import LOSSES
from bounds.privacy.adjacency import Adjacency
from release.reserving import plan_ledger
from release.statistics.fixed_losses import STEP
from release.statistics.least_loss import GAP_SHARES, MOST_RECORDS
from tests.pages.quoted import SETTING, Page, decimal, recorded, thousands

TABLES = ("adult", "dutch", "compas")
NORMS = (2, 5, 10, 20)
LINES = {"plain": ("0", "0"), r"$o=\frac12$, $c=0$": ("1/2", "0"), r"$o=\frac12$, $c=0.1$": ("1/2", "1/10")}
CLASSES = {"tau 5": r"$\tau=5$", "tau 10": r"$\tau=10$", "ridge 0.001": r"$\lambda=.001$"}
SHARES = ("1/6", "3/10")


def _model_certificate() -> Iterator[str]:
    record = recorded("certify")
    yield f"Means of $X$ over {record['draws']} draws of the release"
    quadratic, groups = "one_quadratic_mean", "mean"
    for name, tau, degree, key in (
        ("uniform approximation (j)", 5, 2, "uniform_mean"),
        ("degree 2, one polynomial", 5, 2, quadratic),
        ("degree 2, groups", 5, 2, groups),
        ("degree 2, one polynomial", 2, 2, quadratic),
        ("degree 2, groups", 2, 2, groups),
        ("with fourth moments", 5, 4, groups),
    ):
        cells = [_cell(record.get(f"{table}_tau{tau}_degree{degree}"), key) for table in TABLES]
        row = f"| $\\tau={tau}$, {name} | {' | '.join(cells)} |"
        yield " ".join(row.split())


def _cell(found: dict[str, Any] | None, key: str) -> str:
    if found is None:
        return ""
    value = decimal(found[key], 4 if key == "uniform_mean" else 6)
    return f"{value} ({decimal(found['actual_mean'], 6)})" if key == "mean" else value


def _gradient_query() -> Iterator[str]:
    for name, line in LINES.items():
        yield f"| {name} | {' | '.join(_sensitivity(norm, *line) for norm in NORMS)} |"
    record = recorded("confirm")
    yield f"total $\\varepsilon={record['epsilon']}$, $\\delta=1/n^2$, $\\beta={decimal(record['failure'], 2)}$"
    yield f"medians over {record['draws']} draws of release and query"
    one, two = (" | ".join(f"share {share}" for share in SHARES) for _ in range(2))
    yield f"| true, share {SHARES[0]} | one query, {one} | two rounds, {two} |"
    for table in TABLES[:2]:
        for case, text in CLASSES.items():
            rows = _shares(record, table, case)
            values = [rows[0]["true_gain"], *(row["median"] for row in rows)]
            values += [row["two_rounds_median"] for row in rows]
            yield f"| {table.capitalize()}, {text} | {' | '.join(decimal(value, 5) for value in values)} |"
    yield _where_two_rounds_pay(record)
    yield from _failures(record)


def _where_two_rounds_pay(record: dict[str, Any]) -> str:
    """Where they more than halve the bound, at both shares."""
    pay = {
        (table, case)
        for table in TABLES[:2]
        for case in CLASSES
        if all(2 * row["two_rounds_median"] < row["median"] for row in _shares(record, table, case))
    }
    assert pay == {("dutch", "tau 10"), ("dutch", "ridge 0.001")}
    return rf"by far the most on Dutch at {CLASSES['tau 10']} and with the ridge"


def _shares(record: dict[str, Any], table: str, case: str) -> list[dict[str, Any]]:
    return [record[f"{table}, {case}, share {share}"] for share in SHARES]


def _sensitivity(norm: int, offset: str, slope: str) -> str:
    """The upper end, rounded up to four digits after the point."""
    found = gradient_sensitivity(
        "logistic",
        norm=Fraction(norm),
        reach=Fraction(norm),
        offset=Fraction(offset),
        slope=Fraction(slope),
        adjacency=Adjacency.REPLACE_ONE,
    )
    return _up(found.hi, 4)


def _failures(record: dict[str, Any]) -> Iterator[str]:
    cases = [row for table in TABLES[:2] for case in CLASSES for row in _shares(record, table, case)]
    certificates = 2 * record["draws"] * len(cases)
    yield f"Of the {certificates} certificates of the table, {sum(case['violations'] for case in cases)} were below"
    for key, kind in (("coverage", "plain queries"), ("coverage_with_chosen_lines", "queries")):
        found = record[key]
        yield rf"where $\beta$ allows {100 * found['promised']:.0f} %"
        low, high = (100 * end for end in found["interval_999"])
        assert low <= 100 * found["promised"]
        counted = f"{found['failures']} of {thousands(found['certificates'])} {kind} failed"
        yield f"{counted}, between {low:.2f} and {high:.2f} % with confidence 99.9 %"
    yield f"With the share {COVERED_SHARE}, at trained models"
    yield f"With the share {ASSISTED_SHARE}, everything drawn anew"
    chosen = record["coverage_with_chosen_lines"]
    yield f"the release chose to assist {thousands(chosen['assisted'])} of them"


EXCESS_REACHES = ("1/2", "2", "5", "10", "20")
EXCESS_SIZES = {"Adult": 48_842, "Dutch": 60_420, "Compas": 7_214}
EXCESS_NORMS = (5, 10, 20, 64)


def _excess_query() -> Iterator[str]:
    for loss in LOSSES:
        ranges = ((oscillation(loss, Fraction(r)), supremum(loss, Fraction(r))) for r in EXCESS_REACHES)
        yield f"| {loss} | {' | '.join(f'{_up(moved, 3)} ({_up(most, 3)})' for moved, most in ranges)} |"
    for table, n in EXCESS_SIZES.items():
        bounds = (_up(_planned_excess(n, Fraction(tau)), 4) for tau in EXCESS_NORMS)
        yield f"| {table}, {thousands(n)} records | {' | '.join(bounds)} |"
    yield f"the gap is $\\frac1{{{GAP_SHARES['logistic']}}}$ of what one record moves"
    yield f"over at most $M\\le2^{{{MOST_RECORDS.bit_length() - 1}}}$ records"


def _planned_excess(n: int, tau: Fraction) -> Fraction:
    ledger = plan_ledger(epsilon=Fraction(11, 10), dp_delta=Fraction(1, n**2), adjacency=Adjacency.REPLACE_ONE)
    gap = tau / GAP_SHARES["logistic"]
    plan = ExcessPlan(
        own_moved=tau,
        least_moved=tau + gap,
        slack=gap + STEP,
        error=Fraction(1, 10**9),
        failure=Fraction(9, 10) * Fraction(1, 20),
    )
    return plan.expected(Fraction(0), n=n, mu_squared=Fraction(99, 100) * ledger.total / 2)


def _up(value: Fraction, digits: int) -> str:
    return f"{ceil(value * 10**digits) / 10**digits:.{digits}f}"


PAGES = {
    "synthbounds.model-certificate": Page(_model_certificate, {SETTING: (r"$\beta=.05$, replace-one",)}),
    "synthbounds.excess-query": Page(
        _excess_query,
        {
            SETTING: (
                r"| | $R=0.5$ | 2 | 5 | 10 | 20 |",
                r"| | $\tau=5$ | 10 | 20 | 64 |",
                r"total $\varepsilon=1.1$, $\delta=1/n^2$, $\beta=.05$",
            )
        },
    ),
    "synthbounds.gradient-query": Page(_gradient_query, {SETTING: (r"| | $\lvert w\rvert=2$ | 5 | 10 | 20 |",)}),
}
