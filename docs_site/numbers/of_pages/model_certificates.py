"""Numbers on the proof pages about certificates of models: exact sensitivities, and recorded benchmarks."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from benchmarks.confirm import ASSISTED_SHARE, COVERED_SHARE
from bounds.certify.excess_query import ExcessPlan
from bounds.certify.gradient_sensitivity import gradient_sensitivity
from bounds.certify.loss_ranges import oscillation, supremum
from bounds.certify.margin_losses import LOSSES
from bounds.privacy.adjacency import Adjacency
from docs_site.numbers.names import pick, run
from release.reserving import plan_ledger
from release.statistics.fixed_losses import STEP
from release.statistics.least_loss import GAP_SHARES, MOST_RECORDS
from verify.numbers.grouped import grouped
from verify.numbers.written import up

TABLES = ("adult", "dutch", "compas")
NORMS = (2, 5, 10, 20)
LINES = (("0", "0"), ("1/2", "0"), ("1/2", "1/10"))
"""Offset and slope."""
CLASSES = {"tau 5": 5, "tau 10": 10, "ridge 0.001": ".001"}
SHARES = ("1/6", "3/10")


@grouped
def model_certificate() -> Iterator[Any]:
    record = run("certify")
    yield record["draws"]
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
        yield tau, name, cells


def _cell(found: dict[str, Any] | None, key: str) -> list[float]:
    return [] if found is None else pick(found, key, "actual_mean") if key == "mean" else [found[key]]


@grouped
def gradient_query() -> Iterator[Any]:
    for offset, slope in LINES:
        line = [Fraction(one) for one in (offset, slope) if offset != "0"]
        yield [one if one.denominator < 10 else 0.1 for one in line], [_sensitivity(n, offset, slope) for n in NORMS]
    record = run("confirm")
    yield record["epsilon"], 1, record["failure"]
    yield record["draws"]
    yield SHARES[0], SHARES, SHARES
    for table in TABLES[:2]:
        for case, bound in CLASSES.items():
            rows = _shares(record, table, case)
            found = [row[key] for key in ("median", "two_rounds_median") for row in rows]
            yield table, bound, rows[0]["true_gain"], found
    yield _two_rounds_pay_on_dutch(record), 10
    yield from _failures(record)


def _two_rounds_pay_on_dutch(record: dict[str, Any]) -> bool:
    """Where they more than halve the bound, at both shares."""
    pay = {
        (table, case)
        for table in TABLES[:2]
        for case in CLASSES
        if all(2 * row["two_rounds_median"] < row["median"] for row in _shares(record, table, case))
    }
    return pay == {("dutch", "tau 10"), ("dutch", "ridge 0.001")}


def _shares(record: dict[str, Any], table: str, case: str) -> list[dict[str, Any]]:
    return [record[f"{table}, {case}, share {share}"] for share in SHARES]


def _sensitivity(norm: int, offset: str, slope: str) -> str:
    """The upper end, rounded up to four digits after the point."""
    size, line = Fraction(norm), {"offset": Fraction(offset), "slope": Fraction(slope)}
    asked: dict[str, Any] = {"norm": size, "reach": size, **line, "adjacency": Adjacency.REPLACE_ONE}
    return up(gradient_sensitivity("logistic", **asked).hi, 4)


def _failures(record: dict[str, Any]) -> Iterator[Any]:
    cases = [row for table in TABLES[:2] for case in CLASSES for row in _shares(record, table, case)]
    yield 2 * record["draws"] * len(cases), sum(case["violations"] for case in cases)
    for found in pick(record, "coverage", "coverage_with_chosen_lines"):
        yield 100 * found["promised"]
        low, high = found["interval_999"]
        assert low <= found["promised"]
        yield pick(found, "failures", "certificates"), 100 * low, 100 * high
    yield COVERED_SHARE
    yield ASSISTED_SHARE
    yield record["coverage_with_chosen_lines"]["assisted"]


EXCESS_REACHES = ("1/2", "2", "5", "10", "20")
EXCESS_SIZES = {"Adult": 48_842, "Dutch": 60_420, "Compas": 7_214}
EXCESS_NORMS = (5, 10, 20, 64)


@grouped
def excess_query() -> Iterator[Any]:
    for loss in LOSSES:
        ranges = ((oscillation(loss, Fraction(r)), supremum(loss, Fraction(r))) for r in EXCESS_REACHES)
        yield loss, [(up(moved, 3), up(most, 3)) for moved, most in ranges]
    for table, n in EXCESS_SIZES.items():
        yield table, n, [up(_planned_excess(n, Fraction(tau)), 4) for tau in EXCESS_NORMS]
    yield Fraction(1, GAP_SHARES["logistic"])
    yield MOST_RECORDS


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
