"""Rows by exchanges: integers that add up, nearer to the density than when they were drawn, for any queries."""

from __future__ import annotations

import numpy as np
import pytest

from lp.programme import exchanged_rows as module
from lp.programme.exchanged_rows import exchanged_rows
from lp.programme.matrices import QueryMatrix, build_matrix
from release.data.domain import Domain
from release.statistics.families import build_family


def instance(name: str, seed: int) -> tuple[QueryMatrix, np.ndarray, np.ndarray]:
    """Queries at some points, a density on them, and a target near its answers."""
    domain = Domain((2,) * 9) if name in ("monomials", "parities") else Domain((3, 4, 2, 5, 3, 2))
    generator = np.random.Generator(np.random.Philox(seed))
    points = domain.points(np.sort(generator.permutation(domain.size)[:300]))
    matrix = build_matrix(build_family(name, domain, 2), points)
    density = generator.dirichlet(np.full(300, 0.4))
    answers = matrix.apply(density) / matrix.family.denominator
    return matrix, density, answers + generator.normal(scale=0.01, size=matrix.rows)


def distance(matrix: QueryMatrix, counts: np.ndarray, target: np.ndarray) -> float:
    return float(np.abs(matrix.apply(counts) / (counts.sum() * matrix.family.denominator) - target).max())


@pytest.mark.parametrize("name", ["cells", "thresholds", "moments", "monomials", "parities"])
def test_rows_are_about_as_near_as_their_density(name: str) -> None:
    for seed in range(4):
        matrix, density, target = instance(name, seed)
        rows = exchanged_rows(matrix, density, target, k=400, generator=np.random.Generator(np.random.Philox(seed)))
        assert rows.sum() == 400
        assert rows.min() >= 0
        assert np.array_equal(rows, np.floor(rows))
        assert distance(matrix, rows, target) <= 1.2 * distance(matrix, density, target)


def test_each_stage_brings_rows_nearer(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix, density, target = instance("cells", 7)

    def found() -> float:
        stream = np.random.Generator(np.random.Philox(1))
        return distance(matrix, exchanged_rows(matrix, density, target, k=200, generator=stream), target)

    whole = found()
    monkeypatch.setattr(module, "_EXCESS_STEPS", 0)
    without_last = found()
    monkeypatch.setattr(module, "_FOURTH_STEPS", 0)
    monkeypatch.setattr(module, "_SQUARE_STEPS", 0)
    assert whole < without_last < found()


def test_one_point_gets_all_rows_and_a_target_that_is_met_is_left_alone() -> None:
    matrix, density, _ = instance("cells", 3)
    one = build_matrix(matrix.family, matrix.points_at(np.array([5])))
    stream = np.random.Generator(np.random.Philox(1))
    assert exchanged_rows(one, np.ones(1), np.zeros(one.rows), k=7, generator=stream).tolist() == [7]
    answers = matrix.apply(density / density.sum())
    assert exchanged_rows(matrix, density, answers, k=50, generator=stream).sum() == 50
