"""The walls of the search for a density: the conjugate, its derivatives, and how they move, against brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lp.programme.walls import Walls

WALLS = [
    Walls(0.02, 1e-3),
    Walls(0.02, 1e-12),
    Walls(0.02, 1e-5, 500.0),
    Walls(3.0, 1e-2, 0.5),
    Walls(1e-5, 1e-8, 1e6),
    Walls(0.02, 1e-14, 500.0),
]
Y = np.array([-300.0, -11.0, -3.0, -0.01, 0.0, 1e-9, 0.5, 2.0, 9.99, 10.01, 80.0])


@pytest.mark.parametrize("walls", WALLS)
def test_the_conjugate_is_the_largest_value(walls: Walls) -> None:
    grid = walls.radius * np.tanh(np.linspace(-18, 18, 200_001))
    grid = grid[np.abs(grid) < walls.radius]
    paid = 0.5 * walls.pull * grid**2 - walls.barrier * np.log1p(-((grid / walls.radius) ** 2))
    for y in Y:
        value, (r,), (slope,) = walls.at(np.array([y]))
        most = float((y * grid - paid).max())
        assert most - 1e-12 * (1 + abs(most)) <= value <= most + 1e-5 * walls.radius * (1 + abs(y)) + 1e-7
        assert abs(r) <= walls.radius
        assert slope >= 0


@pytest.mark.parametrize("walls", [WALLS[0], WALLS[2], WALLS[3]])
def test_its_derivatives(walls: Walls) -> None:
    step = 1e-5 * (1 + np.abs(Y))
    for y, by in zip(Y, step, strict=True):
        here, above, below = (walls.at(np.array([y + move])) for move in (0, by, -by))
        assert here[1][0] == pytest.approx((above[0] - below[0]) / (2 * by), rel=1e-5, abs=1e-4 * walls.radius)
        middle = 0.5 * (above[2][0] + below[2][0])
        if middle == pytest.approx(here[2][0], rel=1e-2):  # smooth on the scale of the step
            assert here[2][0] == pytest.approx((above[1][0] - below[1][0]) / (2 * by), rel=1e-2)


@pytest.mark.parametrize("walls", [WALLS[0], WALLS[2], WALLS[3]])
def test_how_it_moves_with_the_walls(walls: Walls) -> None:
    for name in ("radius", "barrier"):
        closer = replace(walls, **{name: getattr(walls, name) * (1 - 1e-6)})
        moved = closer.at(Y)[1] - walls.at(Y)[1]
        np.testing.assert_allclose(walls.drift(Y, closer), moved, rtol=1e-3, atol=1e-12)
