"""Covariances against linear maps of all noise, the statistic against least squares, counts against their best mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from mechanisms.infer.chi_square.algebra import contrasts, nearest_shares, spread
from mechanisms.infer.chi_square.draws import STUDY, drawn_pairs, stream
from mechanisms.infer.chi_square.showing import shown_column, shown_pair
from mechanisms.infer.chi_square.statistic import (
    interaction_of,
    noise_covariance,
    pearson_of,
    sampling_covariance,
    statistics_of,
)
from mechanisms.infer.chi_square.tables import tables_of
from tests.mechanisms.infer.chi_square_examples import design, records_with, schema_with, simulated
from tests.speeds import examples

A, B = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.2, 0.3, 0.4])


@pytest.mark.parametrize("levels", [2, 3, 7])
def test_contrasts_are_orthonormal(levels: int) -> None:
    basis = contrasts(levels)
    assert basis.T @ basis == pytest.approx(np.eye(levels - 1), abs=1e-14)
    assert basis.sum(0) == pytest.approx(np.zeros(levels - 1), abs=1e-14)


@examples(50)
@given(st.lists(st.floats(-2, 2), min_size=2, max_size=6))
def test_nearest_shares_are_nearest(values: list[float]) -> None:
    v = np.array(values)
    found = nearest_shares(v)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    # the distance to a convex set: no vertex lies ahead of the nearest point
    assert np.all((v - found) @ (np.eye(len(v)) - found).T <= 1e-9)
    shares = np.abs(v) + 0.1
    shares /= shares.sum()
    assert nearest_shares(shares) == pytest.approx(shares, abs=1e-14)


def test_noise_of_one_table_is_that_of_the_projected_cells() -> None:
    """s^2 of (P_a P_a') x (P_b P_b') less what the known total takes away: the study leaves that out."""
    shown = design(schema_with(3, 4), ("a", "b"), 500)
    s2 = shown.cell.variance
    pa, pb = np.eye(3) - np.outer(A, np.ones(3)), np.eye(4) - np.outer(B, np.ones(4))
    moved = np.kron(pa, pb)
    total = s2 * (np.eye(12) - np.ones((12, 12)) / 12)
    basis = np.kron(contrasts(3), contrasts(4))
    assert noise_covariance(shown, A, B) == pytest.approx(basis.T @ moved @ total @ moved.T @ basis)
    without = s2 * basis.T @ moved @ moved.T @ basis
    more = np.kron(contrasts(3).T @ A, contrasts(4).T @ B)
    assert without - noise_covariance(shown, A, B) == pytest.approx(12 * s2 * np.outer(more, more))


def test_noise_of_many_tables_is_that_of_the_linear_map() -> None:
    """Every cell of every table by itself: the residual is linear in all of them, to first order."""
    schema = schema_with(3, 4, 2, 5)
    shown = design(schema, ("a", "b"), 10**9, one_way=["a"], pairs=None)
    product = np.outer(A, B) * shown.size
    rows, columns = product.sum(1), product.sum(0)
    columns_of_map = []

    def residual(cells: np.ndarray, more_rows: list[np.ndarray], more_columns: list[np.ndarray]) -> np.ndarray:
        return interaction_of(shown, shown.combined(cells, more_rows, more_columns)).residual

    others_r = [rows.copy() for _ in shown.rows.margins[1:]]
    others_c = [columns.copy() for _ in shown.columns.margins[1:]]
    assert len(others_r) == 3
    assert len(others_c) == 2
    for place in np.ndindex(3, 4):
        up = product.copy()
        up[place] += 1
        columns_of_map.append(residual(up, others_r, others_c) * shown.cell.deviation)
    for margins, others, is_row in ((shown.rows.margins, others_r, 1), (shown.columns.margins, others_c, 0)):
        for margin, vector in zip(margins[1:], others, strict=True):
            for i in range(len(vector)):
                vector[i] += 1
                columns_of_map.append(residual(product, others_r, others_c) * margin.variance**0.5)
                vector[i] -= 1
        assert is_row in (0, 1)
    jacobian = np.array(columns_of_map).T
    assert noise_covariance(shown, A, B) == pytest.approx(jacobian @ jacobian.T, rel=1e-5, abs=1e-3)


def test_sampling_covariance_is_that_of_records() -> None:
    pi = np.outer(A, B).ravel()
    exact = np.diag(pi) - np.outer(pi, pi)
    moved = np.kron(np.eye(3) - np.outer(A, np.ones(3)), np.eye(4) - np.outer(B, np.ones(4)))
    basis = np.kron(contrasts(3), contrasts(4))
    assert sampling_covariance(A, B, 70) == pytest.approx(70 * basis.T @ moved @ exact @ moved.T @ basis)
    assert spread(A, contrasts(3)) == pytest.approx(contrasts(3).T @ (np.diag(A) - np.outer(A, A)) @ contrasts(3))


def test_pearson_is_scipys_and_the_quadratic_form_without_noise() -> None:
    table = np.array([[30.0, 10, 5, 0], [20, 20, 8, 0], [4, 9, 11, 0]])
    assert float(pearson_of(table)) == pytest.approx(stats.chi2_contingency(table[:, :3], correction=False)[0])
    shown = design(schema_with(3, 3), ("a", "b"), int(table.sum()))
    found = interaction_of(shown, table[:, :3])
    quiet = found.residual @ np.linalg.solve(found.sampling, found.residual)
    assert quiet == pytest.approx(float(pearson_of(table)))


def test_the_statistic_is_the_least_distance_to_a_product() -> None:
    """Generalised least squares over all margins: no other margins would be nearer, to first order."""
    shown = design(schema_with(2, 3), ("a", "b"), 20_000)
    a, b = np.array([0.4, 0.6]), np.array([0.2, 0.3, 0.5])
    tables = drawn_pairs(shown, np.outer(a, b), 5, stream(seed=3, step=STUDY, block=0)).combined
    k, basis = 6, np.linalg.svd(np.eye(6) - 1 / 6)[0][:, :5]
    pi = np.outer(a, b).ravel()
    cov = basis.T @ (shown.size * (np.diag(pi) - np.outer(pi, pi)) + shown.cell.variance * np.eye(k)) @ basis
    inverse = np.linalg.inv(cov)

    def distance(x: np.ndarray, table: np.ndarray) -> float:
        first, second = np.append(x[:1], 1 - x[:1].sum()), np.append(x[1:], 1 - x[1:].sum())
        apart = basis.T @ (table - shown.size * np.outer(first, second)).ravel()
        return float(apart @ inverse @ apart)

    for table, statistic in zip(tables, statistics_of(shown, tables), strict=True):
        least = optimize.minimize(distance, [0.4, 0.2, 0.3], args=(table,), tol=1e-12).fun
        assert statistic == pytest.approx(least, rel=0.05, abs=0.02)


def test_counts_of_several_tables_are_weighted_by_precision() -> None:
    schema = schema_with(3, 4, 2)
    codes = records_with(schema, 5000, seed=1)
    release = simulated(schema, codes, pairs=[("a", "b"), ("a", "c")], one_way=["a"])
    tables = tables_of(release)
    shown, counts = shown_column(tables, "a")
    assert [margin.cells for margin in shown.margins] == [1, 4, 2]
    s2 = shown.margins[0].noise.variance
    assert shown.variance == pytest.approx(s2 / (1 + 1 / 4 + 1 / 2))
    by_hand = np.zeros(3)
    for table, weight in zip(release.tables, (1, 1 / 4, 1 / 2), strict=True):
        own = np.array([float(cell) for cell in table.cells]).reshape(3, -1).sum(1) * 5000
        by_hand += weight / 1.75 * (own + (5000 - own.sum()) / 3)
    assert counts == pytest.approx(by_hand)
    pair, table = shown_pair(tables, ("b", "a"))
    assert pair.levels == (4, 3)
    assert table.sum(0) == pytest.approx(counts)
    assert pair.columns.variance == pytest.approx(shown.variance)
    assert pair.rows.variance == pytest.approx(3 * s2)
    turned = shown_pair(tables, ("a", "b"))[1]
    assert turned == pytest.approx(table.T)
    exact = np.zeros((4, 3))
    np.add.at(exact, (codes[:, 1], codes[:, 0]), 1)
    assert np.abs(table - exact).max() < 6 * pair.cell.deviation


def test_drawn_tables_have_the_stated_noise() -> None:
    schema = schema_with(3, 4, 2, 5)
    shown = design(schema, ("a", "b"), 300)
    drawn = drawn_pairs(shown, np.outer(A, B), 4000, stream(seed=1, step=STUDY, block=0))
    noise = drawn.combined - drawn.exact
    assert noise.sum(axis=(1, 2)) == pytest.approx(np.zeros(4000), abs=1e-8)
    first, second = contrasts(3), contrasts(4)
    assert (noise.sum(2) @ first).var(axis=0) == pytest.approx(np.full(2, shown.rows.variance), rel=0.1)
    assert (noise.sum(1) @ second).var(axis=0) == pytest.approx(np.full(3, shown.columns.variance), rel=0.1)
    inner = (first.T @ noise @ second).reshape(4000, -1)
    assert inner.var(axis=0) == pytest.approx(np.full(6, shown.cell.variance), rel=0.1)
    together = np.corrcoef(np.hstack([inner, noise.sum(2) @ first, noise.sum(1) @ second]).T)
    assert np.abs(together - np.eye(11)).max() < 0.07
