"""Plans of a release against actual draws, exact tails, and exhaustive searches."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import synthbounds as sb
from bounds.errors import NotApplicable, ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from lp.synthesis.ask import synthesize
from mechanisms.mechanism import Public
from mechanisms.planning.certificates import NORMS, plan_certificates
from mechanisms.planning.error_plan import EPSILONS, ErrorQuestion, Wanted, plan_errors
from mechanisms.planning.forecast import Budget, Planned
from mechanisms.planning.log_methods import LogForecast
from mechanisms.planning.methods import _over_records, forecast
from mechanisms.planning.parameters import (
    CROSS_MOMENTS,
    INDEPENDENT,
    LOGGED,
    LP,
    MARGINALS,
    METHODS,
    MOMENTS,
    ONE_WAY,
    TWO_WAY,
)
from mechanisms.planning.solve import _epsilon, delta_of, solve_epsilon, solve_records
from mechanisms.select.settings import AIM, GEN
from release.data.columns import LevelColumn
from release.data.domain import Domain
from release.data.schema import PUBLIC, Schema, schema_of_domain
from release.log.file import MarginalLog
from release.marginals.make import choose_tables, plan_marginals, release_marginals, stated_error
from release.noise.quantiles import largest_noise

BETA = Fraction(1, 20)
BOOLEAN = (2, 2, 2)
ADJACENCIES = list(Adjacency)


def schema(levels: tuple[int, ...]) -> Schema:
    columns = [LevelColumn(f"c{j}", tuple(f"v{v}" for v in range(size))) for j, size in enumerate(levels)]
    return Schema(tuple(columns), PUBLIC)


def planned(levels: tuple[int, ...], n: int, adjacency: Adjacency = Adjacency.REPLACE_ONE) -> Planned:
    return Planned(public=Public(schema=schema(levels), adjacency=adjacency, size=n), beta=BETA)


def budget(epsilon: str, dp_delta: str | None = None) -> Budget:
    return Budget(epsilon=Fraction(epsilon), dp_delta=None if dp_delta is None else Fraction(dp_delta))


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("dp_delta", [None, "1e-6"])
def test_tables_that_are_released_have_the_errors_that_were_planned(adjacency: Adjacency, dp_delta: str | None) -> None:
    levels, n = (2, 3, 4), 60
    table = np.random.default_rng(1).integers(0, levels, size=(n, 3))
    how = {
        "epsilon": "2",
        "dp_delta": dp_delta,
        "adjacency": adjacency,
        "mode": "release",
        "least_size": n if adjacency is Adjacency.ADD_REMOVE else None,
    }
    names = schema(levels).names
    one_way = release_marginals(table, schema(levels), pairs=(), one_way=names, **how)  # type: ignore[arg-type]
    pairs = release_marginals(table, schema(levels), **how)  # type: ignore[arg-type]
    asked = planned(levels, n, adjacency), budget("2", dp_delta)
    assert {t.radius for t in one_way.tables} == {forecast(INDEPENDENT, *asked).errors[ONE_WAY].value}
    assert {t.radius for t in pairs.tables} == {forecast(MARGINALS, *asked).errors[TWO_WAY].value}


@pytest.mark.parametrize("dp_delta", [None, "1e-6"])
def test_the_programme_promises_what_was_planned(dp_delta: str | None) -> None:
    levels, n = (2, 3), 400
    table = np.random.default_rng(1).integers(0, levels, size=(n, 2))
    run = synthesize(
        table,
        schema(levels).domain,
        family="cells",
        mode="release",
        adjacency="replace-one",
        epsilon=2,
        dp_delta=dp_delta,
    )
    found = forecast(LP, planned(levels, n), budget("2", dp_delta))
    assert found.errors[TWO_WAY].value == found.errors[ONE_WAY].value == run.plan.promise.accuracy
    assert found.noise == run.plan.noise.mechanism


@given(
    levels=st.lists(st.integers(2, 12), min_size=2, max_size=6).map(tuple),
    n=st.integers(100, 10**6),
    epsilon=st.sampled_from(("0.1", "1", "8")),
)
def test_sums_of_gaussian_cells_are_within_their_error(levels: tuple[int, ...], n: int, epsilon: str) -> None:
    """The union bound on the tails of the sums, column by column, with each column's own number of terms."""
    asked = budget(epsilon, "1e-7")
    error = float(forecast(MARGINALS, planned(levels, n), asked).errors[ONE_WAY].value)
    noise = plan_marginals(
        schema(levels),
        choose_tables(schema(levels)),
        epsilon=asked.epsilon,
        dp_delta=asked.dp_delta,
        adjacency=Adjacency.REPLACE_ONE,
        size=n,
        beta=BETA,
        mode="release",
        mechanism=None,
    )
    radius, law = stated_error(noise)
    assert law is not None
    terms = [min(levels[:j] + levels[j + 1 :]) for j in range(len(levels))]
    failing = sum(
        2 * size * norm.sf(error / (float(law.sd) * sqrt(few))) for size, few in zip(levels, terms, strict=True)
    )
    # where errors add up, the sum of as many cells is what is stated
    assert failing <= BETA or error >= 0.999 * float(max(terms) * radius)
    assert error <= float(max(terms) * radius)
    assert error > float(radius)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_sums_of_pure_noise_add_up(adjacency: Adjacency) -> None:
    found = forecast(MARGINALS, planned((2, 5, 3), 5000, adjacency), budget("1")).errors
    assert found[ONE_WAY].value == 3 * found[TWO_WAY].value


def test_cross_moments_need_a_delta_and_have_no_cells() -> None:
    asked = planned(BOOLEAN, 1000)
    assert not forecast(CROSS_MOMENTS, asked, budget("1")).errors
    assert forecast(CROSS_MOMENTS, asked, budget("1", "1e-6")).errors.keys() == {ONE_WAY, MOMENTS}


def test_more_privacy_or_fewer_records_never_make_an_error_smaller() -> None:
    for method in (INDEPENDENT, MARGINALS, CROSS_MOMENTS):
        for kind in forecast(method, planned(BOOLEAN, 1000), budget("1", "1e-6")).errors:
            values = [
                forecast(method, planned(BOOLEAN, n), Budget(epsilon=e, dp_delta=Fraction(1, 10**6))).errors[kind].value
                for n, e in [(500, EPSILONS[0]), (500, EPSILONS[3]), (1000, EPSILONS[3]), (1000, EPSILONS[6])]
            ]
            assert all(b < a for a, b in pairwise(values))


def test_what_says_nothing_is_vacuous() -> None:
    found = forecast(INDEPENDENT, planned((2, 3), 10), budget("0.01"))
    assert found.errors[ONE_WAY].vacuous
    assert found.errors[ONE_WAY].trivial == Fraction(2, 3)
    assert found.error(ONE_WAY) is None


def test_a_method_that_cannot_be_used_says_why() -> None:
    many = planned((60_000, 60_000), 1000)
    assert "cells" in forecast(MARGINALS, many, budget("1")).reason
    assert "queries" in forecast(LP, many, budget("1")).reason
    assert "points" in forecast(LP, planned((9,) * 12, 1000), budget("1")).reason
    assert forecast(MARGINALS, planned((5,), 1000), budget("1")).reason == "one column has no pairs"
    assert forecast(LP, planned((5,), 1000), budget("1")).errors.keys() == {ONE_WAY}


def test_epsilons_have_three_digits_in_their_order() -> None:
    values = [_epsilon(place) for place in range(6301)]
    assert all(a < b for a, b in pairwise(values))
    assert (values[0], values[1], values[-1]) == (Fraction("0.0001"), Fraction("0.000101"), 1000)
    assert all(f"{float(value):.3g}" == f"{float(value):.12g}" for value in values[::7] if value < 1000)


@given(
    levels=st.sampled_from(((2, 3), BOOLEAN, (4, 2, 5))),
    n=st.integers(300, 10**5),
    target=st.sampled_from(("0.3", "0.05", "0.011")),
    method=st.sampled_from((INDEPENDENT, MARGINALS)),
    kind=st.sampled_from((ONE_WAY, TWO_WAY)),
    pure=st.booleans(),
    adjacency=st.sampled_from(ADJACENCIES),
)
def test_a_solved_epsilon_is_enough_and_one_step_less_is_not(
    levels: tuple[int, ...], n: int, target: str, method: str, kind: str, pure: bool, adjacency: Adjacency
) -> None:
    asked, wanted = planned(levels, n, adjacency), Fraction(target)
    found = solve_epsilon(asked, method, kind, wanted, dp_delta=None, pure=pure)
    if found.value is None:
        assert found.reason
        assert kind == TWO_WAY
        return
    assert found.neighbour is not None
    delta = None if pure else delta_of(n, None)
    at, below = (
        forecast(method, asked, Budget(epsilon=value, dp_delta=delta)).error(kind)
        for value in (found.value, found.neighbour)
    )
    assert at is not None
    assert at <= wanted
    assert below is None or below > wanted
    assert (at, below) == (found.error, found.neighbour_error)
    assert Fraction(1, 1000) < (found.value - found.neighbour) / found.neighbour <= Fraction(1, 100)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("pure", [True, False])
@pytest.mark.parametrize("method", [INDEPENDENT, MARGINALS])
def test_no_smaller_number_of_records_is_enough(method: str, pure: bool, adjacency: Adjacency) -> None:
    asked, wanted, epsilon = planned((2, 3), 1, adjacency), Fraction(1, 5), Fraction(2)
    found = solve_records(asked, method, ONE_WAY, wanted, Budget(epsilon=epsilon), pure=pure)
    assert found.value is not None
    assert found.value < 400

    def error(n: int) -> Fraction | None:
        public = Public(schema=asked.public.schema, adjacency=adjacency, size=n)
        given = Budget(epsilon=epsilon, dp_delta=None if pure else Fraction(1, n * n))
        return forecast(method, Planned(public=public, beta=BETA), given).error(ONE_WAY)

    enough = [n for n in range(2, int(found.value) + 1) if (value := error(n)) is not None and value <= wanted]
    assert enough == [found.value]


def test_an_error_that_nothing_reaches_is_refused_with_reasons() -> None:
    question = ErrorQuestion(
        schema=schema(BOOLEAN),
        adjacency=Adjacency.REPLACE_ONE,
        size=5,
        beta=BETA,
        wanted=Wanted(error=Fraction(1, 10**8), kind=MOMENTS),
    )
    with pytest.raises(NotApplicable, match="independent: columns are made independently"):
        plan_errors(question)


def test_a_plan_has_every_method_and_budget_once() -> None:
    found = sb.plan_release(schema(BOOLEAN), n=4000, epsilon="0.3")
    seen = [(f.method, f.budget) for f in found.forecasts]
    budgets = 2 * len(METHODS) - len(LOGGED)  # with a log there is no pure noise
    assert len(seen) == len(set(seen)) == budgets * (len(EPSILONS) + 1)
    assert found.dp_delta == Fraction(1, 4000**2)
    best = found.best(ONE_WAY, pure=True)
    assert best is not None
    assert best.error(ONE_WAY) == min(
        e
        for f in found.forecasts
        if f.budget == Budget(epsilon=Fraction(3, 10)) and (e := f.error(ONE_WAY)) is not None
    )
    assert found.certificates == ()
    assert "--label" in found.without_certificates


def test_certificates_are_those_of_the_planner() -> None:
    asked = replace(planned(BOOLEAN, 40_000), label="c2")
    found = plan_certificates(asked, (Fraction(1),), Fraction(1, 40_000**2))
    wanted = sb.plan(features=3, n=40_000, epsilon=1, tau=5).plan.best_est
    assert [c.norm for c in found] == list(NORMS)
    assert found[NORMS.index(5)].excess_est == pytest.approx(wanted, rel=1e-3)
    with pytest.raises(NotApplicable, match="exactly two values"):
        plan_certificates(replace(planned((2, 3), 100), label="c1"), (), Fraction(1, 10**6))


@pytest.mark.parametrize(
    ("how", "error", "says"),
    [
        ({}, UsageError, "n is missing"),
        ({"n": 10, "epsilon": 1, "error": "0.1"}, UsageError, "not both"),
        ({"error": "0.1"}, UsageError, "give n to have epsilon solved for"),
        ({"n": 10, "of": "two-way"}, UsageError, "for error"),
        ({"n": 10, "adjacency": "add-remove"}, UsageError, "give least_size"),
        ({"least_size": 10}, UsageError, "give n"),
        ({"n": 1}, ParameterError, "at least 2"),
        ({"n": 10, "label": "z"}, ParameterError, "a column of the schema"),
        ({"n": 10, "error": "0.1", "method": "rap"}, ParameterError, "one of independent"),
    ],
)
def test_what_cannot_be_planned(how: dict[str, object], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        sb.plan_release(schema(BOOLEAN), **how)  # type: ignore[arg-type]


@given(
    counts=st.lists(st.integers(0, 400), min_size=2, max_size=4),
    radius=st.integers(0, 20),
    data=st.data(),
)
def test_shares_of_a_private_number_of_records_are_within_their_error(
    counts: list[int], radius: int, data: st.DataObject
) -> None:
    """Counts that are off by at most the radius, divided by their own sum, against the true shares."""
    counts = [counts[0] + 1, *counts[1:]]
    n = sum(counts)
    noisy = [c + data.draw(st.integers(-radius, radius)) for c in counts]
    asked = planned((len(counts), 5), n, Adjacency.ADD_REMOVE)
    off = len(counts) * radius
    if off >= n:
        with pytest.raises(NotApplicable, match="drowns in the noise"):
            _over_records(asked, Fraction(radius), Fraction(0))
        return
    shares, _ = _over_records(asked, Fraction(radius), Fraction(0))
    worst = max(abs(Fraction(y, sum(noisy)) - Fraction(c, n)) for y, c in zip(noisy, counts, strict=True))
    assert worst <= shares


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("method", LOGGED)
def test_logs_have_the_noise_that_was_planned(method: str, adjacency: Adjacency) -> None:
    """Quantiles of a plan are those of the tables of a log, with the parts of beta that the finished table has."""
    levels, n = (2, 3, 4), 900
    found = LogForecast(method, planned(levels, n, adjacency), budget("1", "1e-6"))
    log = sb.synthesize(
        np.zeros((n, 3), dtype=np.uint8),
        schema(levels),
        method=method,
        mode="simulate",
        epsilon=1,
        dp_delta="1e-6",
        adjacency=adjacency,
        least_size=n if adjacency is Adjacency.ADD_REMOVE else None,
    ).release  # type: ignore[union-attr]
    assert isinstance(log, MarginalLog)
    for table in log.tables[:3]:
        assert found.one_way == largest_noise("gaussian", "release", count=9, scale=table.sd, beta=BETA / 2)
    largest = None
    if method == GEN:
        wide = next(table for table in log.tables if table.columns == (1, 2))
        failure = BETA / 2 * wide.rho / log.rho / 2
        largest = largest_noise("gaussian", "release", count=12, scale=wide.sd, beta=failure)
    assert found.two_way == largest
    assert (found.work is None) == (method != AIM)


def test_many_columns_are_planned_in_little_room() -> None:
    schema = schema_of_domain(Domain((2,) * 10_000))
    tracemalloc.start()
    with pytest.raises(ParameterError, match="tables = 49995000: must be at most 200000"):
        choose_tables(schema)
    assert tracemalloc.get_traced_memory()[1] < 10**7
    tracemalloc.stop()
