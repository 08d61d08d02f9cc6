"""The fit of shares: its p-value is exact, by enumeration of all tables and all noise, at every n."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bounds.privacy.adjacency import Adjacency
from mechanisms.infer.chi_square.cell_noise import CellNoise, _discrete_gaussian
from mechanisms.infer.chi_square.common import share_at_least
from mechanisms.infer.chi_square.draws import STUDY, drawn_columns, drawn_pairs, stream
from mechanisms.infer.chi_square.fit import Fitted, _drawn, fit_test, fitted_of
from mechanisms.infer.chi_square.share_file import Shares
from mechanisms.infer.chi_square.shown import Margin, ShownColumn, ShownPair
from release.marginals.file import Marginals, MarginalTable, NoiseLaw
from tests.mechanisms.infer.chi_square_examples import design, records_with, schema_with, simulated

N, SD = 5, 0.6
"""Fewer records than any limit theorem is about."""


def small_column(levels: int) -> ShownColumn:
    noise = CellNoise(kind="discrete-gaussian", scale=SD, step=1.0)
    return ShownColumn(name="a", levels=levels, size=N, size_is_public=True, margins=(Margin(cells=1, noise=noise),))


def all_tables(shares: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Every noisy vector of counts with its probability, but for noise beyond 5 steps (1e-16)."""
    values, weights = _discrete_gaussian(SD)
    near = np.abs(values) <= 5
    noises = list(product(zip(values[near], weights[near], strict=True), repeat=len(shares)))
    seen, probabilities = [], []
    for counts in product(range(N + 1), repeat=len(shares)):
        if sum(counts) == N:
            p = float(stats.multinomial.pmf(counts, N, shares))
            for noise in noises:
                seen.append([c + z for c, (z, _) in zip(counts, noise, strict=True)])
                probabilities.append(p * float(np.prod([w for _, w in noise])))
    return np.array(seen), np.array(probabilities)


@pytest.mark.parametrize("shares", [(0.3, 0.7), (0.5, 0.5), (0.95, 0.05), (0.2, 0.3, 0.5)])
@pytest.mark.parametrize("simulations", [19, 99])
def test_the_level_is_exact_by_enumeration(shares: tuple[float, ...], simulations: int) -> None:
    """P(p <= a) over the law of the table and of the simulated ones; the latter reach a statistic independently."""
    column, wanted = small_column(len(shares)), np.array(shares)
    tables, probabilities = all_tables(wanted)
    assert probabilities.sum() == pytest.approx(1, abs=1e-9)
    combined = column.combined([tables])
    statistics = np.round(fitted_of(column, wanted).statistics(combined), 8)
    values, place = np.unique(statistics, return_inverse=True)
    mass = np.bincount(place, weights=probabilities)
    tail = np.minimum(np.cumsum(mass[::-1])[::-1], 1)
    for level in (0.05, 0.1, 0.25, 0.5):
        most = int(np.floor(level * (simulations + 1) + 1e-9)) - 1
        reached = float((mass * stats.binom.cdf(most, simulations, tail)).sum())
        assert 0 < reached <= level + 1e-9
    # what is simulated has that tail
    source = stream(seed=2, step=STUDY, block=0)
    drawn = fitted_of(column, wanted).statistics(drawn_columns(column, wanted, 20_000, source))
    for place in np.linspace(0, len(values) - 1, 7).astype(int):
        exact = float(tail[place])
        found = share_at_least(drawn, float(values[place]))
        assert abs(found - exact) < 5 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4


def test_p_values_reach_their_level_where_they_can() -> None:
    """From many releases of a small table, with noise larger than most counts: not only at most, but just about."""
    shown = design(schema_with(3, 2), ("a", "b"), 30, epsilon="0.5")
    shares = np.outer([0.5, 0.3, 0.2], [0.4, 0.6])
    fitted, hits, runs = fitted_of(shown, shares.ravel()), 0, 800
    source = stream(seed=4, step=STUDY, block=0)
    seen = fitted.statistics(drawn_pairs(shown, shares, runs, source).combined.reshape(runs, -1))
    for statistic in seen.tolist():
        others = drawn_pairs(shown, shares, 39, source).combined.reshape(39, -1)
        hits += share_at_least(fitted.statistics(others), statistic) <= 0.1
    assert stats.binomtest(hits, runs, 0.1).pvalue > 1e-3


def test_the_covariance_is_that_of_records_and_noise() -> None:
    """Of the combined counts, by brute force from raw tables and numpy's noise."""
    shown = design(schema_with(3, 2, 4), ("a", "b"), 200, pairs=[("a", "b"), ("a", "c")], one_way=["b"])
    shares = np.outer([0.6, 0.3, 0.1], [0.25, 0.75])
    fitted, source = fitted_of(shown, shares.ravel()), np.random.default_rng(3)
    exact = source.multinomial(200, shares.ravel(), 40_000).reshape(-1, 3, 2)
    sd = shown.cell.deviation
    cells = exact + source.normal(scale=sd, size=exact.shape)
    rows = exact.sum(2) + source.normal(scale=sd * 2, size=(40_000, 3))
    columns = exact.sum(1) + source.normal(scale=sd, size=(40_000, 2))
    combined = shown.combined(cells, [rows], [columns]).reshape(-1, 6)
    seen = np.cov(((combined - 200 * shares.ravel()) @ fitted.basis).T)
    expected = fitted.sampling + np.diag(fitted.noise)
    assert seen == pytest.approx(expected, abs=0.04 * expected.max())
    statistics = fitted.statistics(combined)
    assert statistics.mean() == pytest.approx(5, rel=0.02)


def shares_of(release: Marginals, columns: tuple[str, ...], values: tuple[str, ...]) -> Shares:
    return Shares(columns=columns, shares=tuple(Fraction(v) for v in values))


def test_a_release_is_tested() -> None:
    schema = schema_with(3, 2)
    release = simulated(schema, records_with(schema, 900, seed=1))
    fair = fit_test(release, shares_of(release, ("a",), ("1/3", "1/3", "1/3")), simulations=199)
    assert fair.simulated.kind == "exact"
    assert not fair.rejects
    assert fair.degrees == 2
    assert fair.conclusions == (fair.effect,)
    assert fair.effect.name == "Cohen's w"
    wrong = fit_test(release, shares_of(release, ("b", "a"), ("1/2", "0", "0", "1/6", "1/6", "1/6")), simulations=99)
    assert wrong.rejects
    assert wrong.simulated.value == 0.01
    assert wrong.degrees == 5
    assert wrong.shape.columns == ("b", "a")
    # values without a share have counts: what ignores the noise is certain, the test is finite
    assert wrong.ignoring_noise_p == 0
    assert wrong.effect_with_noise is None
    assert np.isfinite(wrong.statistic)
    assert wrong.effect.hi is None
    assert "share is 0" in wrong.effect.note


def test_draws_follow_the_shares_that_are_tested() -> None:
    shown = design(schema_with(3, 2), ("a", "b"), 4000)
    assert isinstance(shown, ShownPair)
    for column in (shown, shown.rows):
        shares = np.array([0.1, 0.1, 0.2, 0.2, 0.3, 0.1]) if column is shown else np.array([0.2, 0.3, 0.5])
        fitted = fitted_of(column, shares)
        assert isinstance(fitted, Fitted)
        drawn = _drawn(column, fitted, 1999, 7)
        assert stats.kstest(drawn, stats.chi2(len(shares) - 1).cdf).pvalue > 1e-3


def test_private_sizes_and_roundings_are_not_called_exact() -> None:
    schema = schema_with(3, 2)
    codes = records_with(schema, 900, seed=1)
    wanted = Shares(columns=("a",), shares=(Fraction(1, 3),) * 3)
    private = simulated(schema, codes, adjacency="add-remove", least_size=500)
    found = fit_test(private, wanted, simulations=99)
    assert found.simulated.kind == "simulated"
    assert not found.shape.size_is_public
    assert found.shape.size == 500
    elsewhere = Marginals(
        schema=schema,
        adjacency=Adjacency.REPLACE_ONE,
        size=900,
        origin="elsewhere",
        beta=Fraction(1, 20),
        tables=(
            MarginalTable(
                columns=(0,),
                counts=(310, 280, 307),
                denominator=900,
                radius=Fraction(1, 20),
                noise=NoiseLaw(law="gaussian", sd=Fraction(1, 90), rounding=Fraction(1, 1800)),
            ),
        ),
    )
    rounded = fit_test(elsewhere, wanted, simulations=99)
    assert rounded.simulated.kind == "simulated"
    assert rounded.shape.margin_deviations[0] == pytest.approx(10 * np.sqrt(2 / 3))
    plain = replace(elsewhere.tables[0], noise=NoiseLaw(law="gaussian", sd=Fraction(1, 90)))
    whole = fit_test(replace(elsewhere, tables=(plain,)), wanted, simulations=99)
    assert whole.simulated.kind == "exact"
