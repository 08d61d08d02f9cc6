"""Fewer points with the same answers."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lp.programme.support import null_space, reduced_support


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 20), st.integers(1, 200), st.integers(0, 10**6), st.sampled_from(("signs", "reals", "rank")))
def test_the_same_answers_from_few_points(rows: int, count: int, seed: int, kind: str) -> None:
    generator = np.random.default_rng(seed)
    columns = generator.choice([-1.0, 1.0], size=(rows, count))
    if kind == "reals":
        columns = 1000 * generator.random((rows, count))
    if kind == "rank":  # dependent queries, as the cells of a table are
        columns = np.vstack([columns, 1 - columns, columns[:1] + 2 * columns[-1:]])
    weights = generator.dirichlet(np.full(count, 0.3))
    kept, found = reduced_support(columns, weights)
    assert found.min() > 0
    assert abs(found.sum() - 1) < 1e-12
    scale = np.abs(columns).max()
    assert np.abs(columns[:, kept] @ found - columns @ weights).max() < 1e-11 * scale
    assert kept.size <= np.linalg.matrix_rank(np.vstack([np.ones(count), columns])) <= rows + 1
    assert len(set(kept.tolist())) == kept.size


def test_a_basis_of_the_null_space() -> None:
    rows = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 5.0]])
    basis = null_space(rows)
    assert basis is not None
    assert basis.shape == (4, 2)
    assert np.abs(rows @ basis).max() < 1e-13
    assert np.abs(basis.T @ basis - np.eye(2)).max() < 1e-13
