"""Tests of independence: their level, also with a wrong covariance, effects, logs, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from bounds.errors import NotApplicable, ParameterError, SynthboundsError, UsageError
from mechanisms.infer.chi_square import statistic
from mechanisms.infer.chi_square.cell_noise import CellNoise
from mechanisms.infer.chi_square.chi2_law import critical_value
from mechanisms.infer.chi_square.draws import STUDY, drawn_pairs, stream
from mechanisms.infer.chi_square.effect import (
    Measure,
    effect_interval,
    effect_of_residual,
    measure_of_pair,
    noncentralities,
    noncentrality_without_noise,
)
from mechanisms.infer.chi_square.fit import fit_test
from mechanisms.infer.chi_square.independence import independence_test, simulated_p
from mechanisms.infer.chi_square.share_file import Shares
from mechanisms.infer.chi_square.showing import read_pair, shown_column, shown_pair
from mechanisms.infer.chi_square.shown import ShownPair
from mechanisms.infer.chi_square.statistic import interaction_of, statistics_of
from mechanisms.infer.chi_square.tables import tables_of
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.marginals.file import NoiseLaw
from tests import log_examples
from tests.mechanisms.infer.chi_square_examples import design, records_with, schema_with, simulated

A, B = np.array([0.6, 0.3, 0.1]), np.array([0.7, 0.3])
Mutation = Callable[[ShownPair], ShownPair]


def level_of(shown: ShownPair, *, assumed: ShownPair | None = None, releases: int = 3000) -> float:
    """How often independence is rejected at 0.05 where it holds."""
    tables = drawn_pairs(shown, np.outer(A, B), releases, stream(seed=6, step=STUDY, block=0)).combined
    critical = critical_value(0.05, shown.degrees)
    return float((statistics_of(assumed or shown, tables) > critical).mean())


def half_the_variance(shown: ShownPair) -> ShownPair:
    return replace(shown, cell=replace(shown.cell, scale=shown.cell.scale / 2**0.5))


def no_noise(shown: ShownPair) -> ShownPair:
    return replace(shown, cell=replace(shown.cell, scale=1e-6))


@pytest.mark.parametrize("n", [400, 3000])
@pytest.mark.parametrize("pairs", [None, [("a", "b")]])
def test_the_level_is_kept_and_wrong_variances_are_noticed(n: int, pairs: Any) -> None:
    shown = design(schema_with(3, 2, 4), ("a", "b"), n, pairs=pairs)
    assert 0.03 <= level_of(shown) <= 0.07
    mutations: list[Mutation] = [no_noise] if n == 3000 and pairs else [no_noise, half_the_variance]
    for mutate in mutations:
        assert level_of(shown, assumed=mutate(shown)) > 0.07


def test_noise_of_the_margins_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where margins are skewed their noise moves the residual: without its part in V too much is rejected."""
    skewed = np.array([0.9, 0.1])
    shown = design(schema_with(2, 2), ("a", "b"), 3000, epsilon="0.1")
    tables = drawn_pairs(shown, np.outer(skewed, skewed), 4000, stream(seed=6, step=STUDY, block=0)).combined
    critical = critical_value(0.05, 1)
    assert 0.03 <= float((statistics_of(shown, tables) > critical).mean()) <= 0.07

    def of_cells_alone(shown: ShownPair, a: Any, b: Any) -> Any:
        return shown.cell.variance * np.eye(shown.degrees)

    monkeypatch.setattr(statistic, "noise_covariance", of_cells_alone)
    assert float((statistics_of(shown, tables) > critical).mean()) > 0.09


@pytest.mark.parametrize("pairs", [None, [("a", "b")]])
def test_the_covariance_is_that_of_brute_force(pairs: Any) -> None:
    """Of the residual at estimated margins, from raw tables and numpy's noise."""
    shown = design(schema_with(3, 2, 4), ("a", "b"), 20_000, pairs=pairs, epsilon="0.2")
    source, shares, runs = np.random.default_rng(8), np.outer(A, B), 20_000
    exact = source.multinomial(20_000, shares.ravel(), runs).reshape(-1, 3, 2)
    sd = shown.cell.deviation

    def noisy(counts: Any, cells: int) -> Any:
        return counts + source.normal(scale=sd * np.sqrt(cells), size=counts.shape)

    rows, columns = ([noisy(exact.sum(axis), 4)] if pairs is None else [] for axis in (2, 1))
    combined = shown.combined(noisy(exact, 1), rows, columns)
    seen = np.cov(interaction_of(shown, combined).residual.T)
    true = 20_000 * shares
    expected = interaction_of(shown, true)
    total = expected.sampling + expected.noise
    assert expected.residual == pytest.approx(np.zeros(2), abs=1e-8)
    assert seen == pytest.approx(total, abs=0.05 * total.max())
    assert np.trace(expected.noise) > 0.3 * np.trace(total)


def test_simulated_p_values_keep_the_level_where_counts_drown() -> None:
    shown = design(schema_with(3, 2), ("a", "b"), 150, epsilon="0.15")
    tables = drawn_pairs(shown, np.outer(A, B), 500, stream(seed=3, step=STUDY, block=0)).combined
    asymptotic = float((statistics_of(shown, tables) > critical_value(0.05, 2)).mean())
    p = [
        simulated_p(shown, table, interaction_of(shown, table), simulations=99, seed=1, step=STUDY + 1, run=run)
        for run, table in enumerate(tables)
    ]
    found = float(np.mean(np.array(p) <= 0.05))
    assert asymptotic < 0.03 <= found <= 0.075


def test_a_private_number_of_records_makes_tests_cautious() -> None:
    """What is shown are the shares of more records than is public, as if they were of just so many."""
    shown, source, runs = design(schema_with(3, 2), ("a", "b"), 1000), np.random.default_rng(5), 4000
    for n in (1000, 4000):
        exact = source.multinomial(n, np.outer(A, B).ravel(), runs).reshape(-1, 3, 2) * (1000 / n)
        seen = shown.combined(exact + source.normal(scale=shown.cell.deviation, size=exact.shape), [], [])
        rejected = float((statistics_of(shown, seen) > critical_value(0.05, 2)).mean())
        assert 0.03 <= rejected <= 0.07 if n == 1000 else rejected < 0.03


def test_effects_are_covered_with_the_noise_taken_off() -> None:
    shown = design(schema_with(3, 2), ("a", "b"), 4000)
    shares = np.outer(A, B) + 0.02 * np.array([[1, -1], [-1, 1], [0, 0]])
    measure = measure_of_pair(shown)
    true = measure.of(4000 * float(statistic.pearson_of(shares)))
    assert true == pytest.approx(float(np.sqrt(((shares - np.outer(A, B)) ** 2 / np.outer(A, B)).sum())))
    tables = drawn_pairs(shown, shares, 120, stream(seed=3, step=STUDY, block=0)).combined
    missed, estimates = 0, []
    for table in tables:
        found = interaction_of(shown, table)
        interval = effect_of_residual(
            measure,
            residual=found.residual,
            sampling=found.sampling,
            noise=found.noise,
            level=Fraction(9, 10),
        )
        assert interval.lo is not None
        assert interval.hi is not None
        assert interval.estimate is not None
        assert interval.lo <= interval.estimate <= interval.hi
        assert interval.width_without_privacy is not None
        missed += not interval.lo <= true <= interval.hi
        estimates.append(interval.estimate)
    assert stats.binomtest(missed, 120, 0.1, alternative="greater").pvalue > 1e-3
    assert np.mean(estimates) == pytest.approx(true, abs=0.01)


def test_intervals_of_private_sizes_hold_for_all_smaller_variances() -> None:
    source, degrees = np.random.default_rng(4), 20
    mean = np.zeros(degrees)
    mean[0] = 3.0
    for spread in (0.0, 0.5, 1.0):
        missed = 0
        for _ in range(400):
            seen = float(((mean + spread * source.standard_normal(degrees)) ** 2).sum())
            least, largest = noncentralities(seen, degrees, Fraction(19, 20), is_whole=False)
            missed += not least <= 9 <= largest
        assert stats.binomtest(missed, 400, 0.05, alternative="greater").pvalue > 1e-3
    least, largest = noncentralities(200.0, 200, Fraction(19, 20), is_whole=True)
    assert largest < 200  # the ordinary interval would miss at spread 0


@pytest.mark.parametrize("degrees", [1, 3, 40])
def test_what_fits_too_well_is_no_proof_of_no_effect(degrees: int) -> None:
    """A set that would be empty, or nearly so, is that of a vector of middle length."""
    level = Fraction(19, 20)
    middle = float(stats.chi2.median(degrees))
    longest = noncentralities(middle, degrees, level, is_whole=True)
    assert longest[1] == pytest.approx(float(brentq(lambda x: stats.ncx2.cdf(middle, degrees, x) - 0.025, 1e-6, 500)))
    for seen in (0.0, 1e-9, middle / 2):
        assert noncentralities(seen, degrees, level, is_whole=True) == longest
    assert noncentralities(2 * middle, degrees, level, is_whole=True)[1] > longest[1]


def test_no_effect_is_as_large_as_to_have_no_width_without_privacy() -> None:
    level, measure = Fraction(19, 20), Measure(name="V", size=30, size_is_public=True, divisor=1, most=1.0)
    found = effect_interval(measure, statistic=4.0, shares=np.array([0.001]), noncentrality=4000.0, level=level)
    assert found.width_without_privacy is not None
    assert 0.05 < found.width_without_privacy < 1
    unbounded = effect_interval(
        replace(measure, most=None),
        statistic=4.0,
        shares=np.array([0.5, 0.0]),
        noncentrality=9.0,
        level=level,
    )
    assert (unbounded.hi, unbounded.estimate) == (None, None)


def test_estimates_of_effects_have_their_bias_taken_off() -> None:
    """Where nothing hides: the squares less 1, shrunk by how much of them is effect, as their mean says."""
    found = noncentrality_without_noise(np.array([9.0, 4.0, 5.0]), np.ones(3))
    assert found == pytest.approx((1 - 1 / 6) * (18 - 3), rel=1e-4)
    assert noncentrality_without_noise(np.array([0.7, 1.1, 0.4]), np.ones(3)) == pytest.approx(0, abs=1e-3)


def test_an_interval_supposes_nothing_about_the_direction() -> None:
    """What is hidden best may be the whole effect, or what is hidden least."""
    shares, level = np.array([0.9, 0.1]), Fraction(9, 10)
    measure = Measure(name="w", size=500, size_is_public=True, divisor=2, most=None)
    found = effect_interval(measure, statistic=40.0, shares=shares, noncentrality=60.0, level=level)
    least, largest = noncentralities(40.0, 2, level, is_whole=True)
    assert found.lo == pytest.approx((least / 0.9 / 1000) ** 0.5)
    assert found.hi == pytest.approx((largest / 0.1 / 1000) ** 0.5)
    assert found.estimate == pytest.approx((60 / 1000) ** 0.5)
    private = replace(measure, size_is_public=False)
    wider = effect_interval(private, statistic=40.0, shares=shares, noncentrality=60.0, level=level)
    least, largest = noncentralities(40.0, 2, level, is_whole=False)
    assert wider.lo == pytest.approx((least / 0.9 / 1000) ** 0.5)
    assert wider.hi == pytest.approx((largest / 0.1 / 1000) ** 0.5)
    assert wider.lo < found.lo < found.hi < wider.hi
    hidden = effect_interval(measure, statistic=40.0, shares=np.array([0.9, 0.0]), noncentrality=60.0, level=level)
    assert hidden.hi is None


def test_a_release_is_tested() -> None:
    schema = schema_with(3, 2, 4)
    release = simulated(schema, records_with(schema, 2000, seed=1, together=0.4))
    found = independence_test(release, ("a", "b"), simulations=199)
    assert found.rejects
    assert found.is_simulated
    assert found.simulated.value == 0.005
    assert found.conclusions == (found.effect,)
    assert found.degrees == 2
    assert found.asymptotic.value == pytest.approx(float(stats.chi2.sf(found.statistic, 2)))
    again = independence_test(release, ("a", "b"), simulations=199)
    assert again == found
    turned = independence_test(release, ("b", "a"), simulations=99)
    assert turned.statistic == pytest.approx(found.statistic)
    other = independence_test(release, ("b", "c"), simulations=199, seed=4)
    assert not other.rejects
    assert other.effect.lo == 0
    assert independence_test(release, ("b", "c"), simulations=199, seed=5).statistic == other.statistic
    private = independence_test(
        simulated(schema, records_with(schema, 2000, seed=1, together=0.4), adjacency="add-remove", least_size=1500),
        ("a", "b"),
        simulations=99,
    )
    assert private.rejects
    assert not private.shape.size_is_public
    assert private.shape.size == 1500
    assert private.effect.width is not None
    assert found.effect.width is not None
    assert private.effect.width > found.effect.width


def test_a_p_value_equal_to_its_level_rejects() -> None:
    schema = schema_with(3, 2)
    release = simulated(schema, records_with(schema, 500, seed=1))
    found = independence_test(release, ("a", "b"), simulations=99)
    at = Fraction(round(found.simulated.value * 100), 100)
    assert replace(found, level=1 - at).rejects
    assert not replace(found, level=1 - at + Fraction(1, 10**6)).rejects


def test_many_degrees_share_one_covariance() -> None:
    schema = schema_with(16, 6)
    release = simulated(schema, records_with(schema, 3000, seed=2))
    found = independence_test(release, ("a", "b"), simulations=199)
    assert found.degrees == 75
    assert not found.rejects
    assert found.simulated.value == pytest.approx(found.asymptotic.value, abs=0.15)
    big = simulated(schema_with(60, 60), records_with(schema_with(60, 60), 100, seed=1), pairs=[("a", "b")])
    with pytest.raises(NotApplicable, match="degrees of freedom = 3,481"):
        independence_test(big, ("a", "b"), simulations=99)


def test_a_log_shows_what_was_measured_before_anything_was_chosen() -> None:
    log = log_examples.made()
    tables = tables_of(log)
    assert [table.columns for table in tables.tables] == [(i,) for i in range(5)]
    assert len(tables.chosen) == 2
    names = log.schema.names
    for pair in tables.chosen:
        with pytest.raises(NotApplicable, match=r"chose to show .* by looking at the records") as caught:
            independence_test(log, [names[place] for place in pair], simulations=99)
        assert "\n" not in str(caught.value)
    missing = next(p for p in log_examples.PAIRS if p not in tables.chosen)
    with pytest.raises(NotApplicable, match="no table of the release shows"):
        independence_test(log, [names[place] for place in missing], simulations=99)
    shown, counts = shown_column(tables, names[1])
    assert counts.sum() == pytest.approx(2000)
    assert [margin.cells for margin in shown.margins] == [1]
    sd = float(log.tables[1].sd)
    assert shown.variance == pytest.approx(sd**2 + 1 / 12)
    found = fit_test(log, Shares(columns=(names[2],), shares=(Fraction(1, 2),) * 2), simulations=99)
    assert found.simulated.kind == "simulated"  # rounded noise of a simulation
    drawn = tables_of(log_examples.made(mode="release", seed=5))
    assert drawn.tables[1].noise == CellNoise(kind="discrete-gaussian", scale=sd, step=1.0)


def test_a_column_that_cannot_be_tested_is_told_why() -> None:
    log = tables_of(log_examples.made())
    pair = next(iter(log.chosen))
    hidden = replace(log, tables=tuple(one for one in log.tables if pair[0] not in one.columns))
    name = log.schema.names[pair[0]]
    with pytest.raises(NotApplicable, match=f"chose to show {name} by looking at the records"):
        shown_column(hidden, name)
    schema = schema_with(3, 2, 4)
    few = tables_of(simulated(schema, records_with(schema, 50, seed=1), pairs=[("a", "b")], one_way=[]))
    with pytest.raises(NotApplicable, match="no table of the release shows c; tables that it has: a:b"):
        shown_column(few, "c")
    merged = replace(few, tables=(replace(few.tables[0], counts=few.tables[0].counts[:2]),))
    with pytest.raises(NotApplicable, match="tables of a show merged values only"):
        shown_column(merged, "a")


def test_a_log_of_a_private_number_of_records_is_refused() -> None:
    with pytest.raises(NotApplicable, match="add-remove"):
        tables_of(log_examples.made(adjacency="add-remove"))


def test_other_releases_and_noise_without_a_law_are_refused() -> None:
    schema = schema_with(3, 2)
    codes = records_with(schema, 500, seed=1)
    release = simulated(schema, codes)
    for law in (None, NoiseLaw(law="sub-gaussian", sd=Fraction(1, 100)), NoiseLaw(law="gaussian", sd=Fraction(0))):
        elsewhere = replace(
            release, origin="elsewhere", plan=None, seed=None, tables=(replace(release.tables[0], noise=law),)
        )
        with pytest.raises(NotApplicable, match="no distribution of independent noise"):
            independence_test(elsewhere, ("a", "b"), simulations=99)
        with pytest.raises(NotApplicable, match="no distribution of independent noise"):
            shown_column(tables_of(elsewhere), "a")
    cube = simulated(schema, codes, mechanism="linf", dp_delta=None)
    with pytest.raises(NotApplicable, match="no distribution of independent noise"):
        independence_test(cube, ("a", "b"), simulations=99)
    laplace = independence_test(
        simulated(schema, codes, mechanism="laplace", dp_delta=None), ("a", "b"), simulations=99
    )
    assert laplace.shape.cell_deviation == pytest.approx(2 * 2**0.5, rel=0.01)


@pytest.mark.parametrize(
    ("columns", "more", "error", "message"),
    [
        (("a", "x"), {}, UsageError, "column = x: is not a column of the release, which has a, b, c"),
        (("a", "a"), {}, UsageError, "a is given twice"),
        (("a",), {}, UsageError, "must be two columns"),
        (("a", "b", "c"), {}, UsageError, "must be two columns"),
        (("b", "c"), {}, NotApplicable, "no table of the release shows b with c; pairs that it shows: a:b, a:c"),
        (("a", "b"), {"level": "1"}, ParameterError, "level = 1"),
    ],
)
def test_what_cannot_be_tested(
    columns: tuple[str, ...], more: dict[str, Any], error: type[SynthboundsError], message: str
) -> None:
    schema = schema_with(3, 2, 4)
    release = simulated(schema, records_with(schema, 50, seed=1), pairs=[("a", "b"), ("a", "c")])
    with pytest.raises(error, match=message) as caught:
        independence_test(release, columns, simulations=99, **more)
    assert "\n" not in str(caught.value)


def test_two_columns_are_read_from_one_text() -> None:
    schema = schema_of_domain(Domain((2, 2, 2, 2), ("a", "b:c", "a:b", "c")))
    assert read_pair("a:c", schema) == ("a", "c")
    for text in ("a:b:c",):
        with pytest.raises(UsageError, match="can be read in 2 ways"):
            read_pair(text, schema)
    for text, message in (("a", "must be two columns"), ("a:z", "not a column of the release"), ("a:a", "given twice")):
        with pytest.raises(UsageError, match=message):
            read_pair(text, schema)
    shown, _ = shown_pair(tables_of(simulated(schema, records_with(schema, 9, seed=1))), ("a", "c"))
    assert shown.names == ("a", "c")
