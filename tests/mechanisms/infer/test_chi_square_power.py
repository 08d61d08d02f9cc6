"""Plans of power: against simulated releases, against the noise that a release draws, and one table against all."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bounds.errors import NotApplicable, ParameterError, SynthboundsError, UsageError
from bounds.exact import Exact
from bounds.privacy.adjacency import Adjacency
from mechanisms.infer.chi_square.answers import PowerPlan
from mechanisms.infer.chi_square.chi2_law import critical_value
from mechanisms.infer.chi_square.draws import STUDY, drawn_pairs, stream
from mechanisms.infer.chi_square.power import (
    effect_of,
    plan_independence,
    planned_power,
    worst_case_power,
    worst_case_values,
)
from mechanisms.infer.chi_square.showing import shown_pair
from mechanisms.infer.chi_square.statistic import statistics_of
from mechanisms.infer.chi_square.tables import tables_of
from release.data.schema import Schema
from tests.mechanisms.infer.chi_square_examples import design, records_with, schema_with, simulated

SHARES = [["0.25", "0.15", "0.10"], ["0.15", "0.15", "0.20"]]
SCHEMA = schema_with(2, 3, 4)


def plan(schema: Schema = SCHEMA, columns: tuple[str, ...] = ("a", "b"), **more: Any) -> PowerPlan:
    asked: dict[str, Any] = {
        "size": 2000, "effect": "0.1", "epsilon": 1, "dp_delta": "1e-6", "adjacency": Adjacency.REPLACE_ONE,
    }  # fmt: skip
    return plan_independence(schema, columns, **asked | more)


@pytest.mark.parametrize("pairs", [None, [("a", "b")]])
@pytest.mark.parametrize("n", [300, 1200])
def test_the_power_is_that_of_simulated_releases(pairs: Any, n: int) -> None:
    shares = np.array([[float(x) for x in row] for row in SHARES])
    shown = design(SCHEMA, ("a", "b"), n, pairs=pairs)
    tables = drawn_pairs(shown, shares, 2000, stream(seed=1, step=STUDY, block=0)).combined
    rejected = float((statistics_of(shown, tables) > critical_value(0.05, 2)).mean())
    assert planned_power(shown, shares) == pytest.approx(rejected, abs=0.05)
    product = np.outer(shares.sum(1), shares.sum(0))
    found, squared = effect_of(shown, shares), float(((shares - product) ** 2 / product).sum())
    assert found.without_privacy == pytest.approx(n * squared)
    assert 0 <= worst_case_power(found, Fraction(19, 20)) <= planned_power(shown, shares) + 0.01


@pytest.mark.parametrize("n", [300, 1200])
def test_a_planned_effect_is_one_of_a_table_with_uniform_margins(n: int) -> None:
    """Of two values each there is one direction, so that the table is known; the power is that of releases."""
    schema = schema_with(2, 2, 3)
    found = plan(schema, size=n, effect="0.2")
    shown, shares = design(schema, ("a", "b"), n), np.full((2, 2), 0.25) + 0.05 * np.array([[1, -1], [-1, 1]])
    tables = drawn_pairs(shown, shares, 2000, stream(seed=1, step=STUDY, block=0)).combined
    rejected = float((statistics_of(shown, tables) > critical_value(0.05, 1)).mean())
    alone = plan(schema, size=n, effect="0.2", pairs=[("a", "b")], one_way=[])
    assert alone.power_est == pytest.approx(planned_power(design(schema, ("a", "b"), n, pairs=[("a", "b")]), shares))
    assert found.power_est == pytest.approx(rejected, abs=0.05)
    assert found.power_without_privacy == pytest.approx(
        float(stats.ncx2.sf(stats.chi2.isf(0.05, 1), 1, n * found.effect**2))
    )
    assert 0 <= found.worst_case_power <= found.power_est + 0.01
    assert found.power_est < found.power_without_privacy


def test_the_plan_has_the_noise_of_a_release() -> None:
    for more in ({}, {"pairs": [("b", "a"), ("a", "c")], "one_way": ["b"]}, {"dp_delta": None, "mechanism": "laplace"}):
        release = simulated(SCHEMA, records_with(SCHEMA, 2000, seed=1), mode="release", seed=None, **more)
        shown, _ = shown_pair(tables_of(release), ("a", "b"))
        found = plan(**more)
        assert found.shape.cell_deviation == shown.cell.deviation
        assert found.shape.tables == (len(shown.rows.margins), len(shown.columns.margins))
        assert found.tables == len(release.tables)


def test_one_table_alone_has_more_power_than_all() -> None:
    every, alone = plan(), plan(pairs=[("a", "b")], one_way=[])
    assert every.tables == 3
    assert alone.tables == 1
    assert every.power_alone_est == pytest.approx(alone.power_est)
    assert alone.power_alone_est == alone.power_est
    assert every.effective_size_alone_est == pytest.approx(alone.effective_size_est)
    assert every.power_est < alone.power_est
    assert every.effective_size_est < alone.effective_size_est < 2000
    assert every.least_power_est <= every.power_est
    assert every.conclusions == (every.expected,)
    assert every.expected.lo is not None
    assert every.expected.hi is not None
    assert every.expected.lo < every.effect < every.expected.hi
    assert alone.expected.width is not None
    assert every.expected.width is not None
    assert alone.expected.width < every.expected.width


def test_the_worst_case_route_splits_its_level() -> None:
    radius, critical = worst_case_values(Fraction(19, 20), 2)
    assert stats.chi2.sf(radius, 2) == pytest.approx(0.01)
    assert stats.chi2.sf(critical, 2) == pytest.approx(0.04)


def test_the_size_and_the_effect_for_a_power() -> None:
    found = plan()
    assert found.size_for_power is not None
    assert plan(size=found.size_for_power).power_est >= 0.8
    assert plan(size=found.size_for_power - 1).power_est < 0.8
    assert found.effect_for_power is not None
    assert plan(effect=f"{found.effect_for_power:.9f}").power_est == pytest.approx(0.8, abs=1e-6)
    assert plan(size=5, epsilon="0.01").effect_for_power is None


def test_an_effect_is_spread_evenly_over_directions() -> None:
    shown = design(SCHEMA, ("a", "b"), 500)
    product = np.outer([0.7, 0.3], [0.5, 0.3, 0.2])
    found = effect_of(shown, product, 0.2)
    assert found.without_privacy == pytest.approx(500 * 0.04)
    assert found.noncentrality == pytest.approx(10 * (1 / (1 + found.widths)).sum())
    assert effect_of(shown, product).without_privacy == pytest.approx(0, abs=1e-12)
    assert effect_of(shown, np.full((2, 3), 1 / 6), 0.2).noncentrality > found.noncentrality


def test_the_effect_of_three_values_and_more_is_per_direction_of_the_smaller() -> None:
    """n V^2 min(r - 1, c - 1) is Pearson's noncentrality."""
    schema = schema_with(3, 4)
    found = plan(schema, size=700, effect="0.1")
    assert found.effect == pytest.approx(0.1)
    expected = float(stats.ncx2.sf(stats.chi2.isf(0.05, 6), 6, 700 * 0.01 * 2))
    assert found.power_without_privacy == pytest.approx(expected)
    assert plan(schema, size=700, effect=f"{found.effect_for_power:.9f}").power_est == pytest.approx(0.8, abs=1e-6)


def test_a_private_number_of_records_is_planned_by_the_least() -> None:
    private = plan(adjacency=Adjacency.ADD_REMOVE, size=1500)
    assert private.shape.size == 1500
    assert not private.shape.size_is_public


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"columns": ("a", "x")}, UsageError, "x: is not a column of the release"),
        ({"columns": ("a", "a")}, UsageError, "given twice"),
        ({"pairs": [("a", "c")]}, NotApplicable, "not among the planned tables"),
        ({"effect": "0"}, ParameterError, "effect = 0"),
        ({"effect": "1.2"}, ParameterError, "effect"),
        ({"level": "0.4"}, ParameterError, "level"),
        ({"mechanism": "linf"}, NotApplicable, "not independent"),
    ],
)
def test_what_cannot_be_planned(more: dict[str, Exact], error: type[SynthboundsError], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        plan(**more)
    assert "\n" not in str(caught.value)
