"""Only public sizes decide whether the density of full support is computed at all."""

from __future__ import annotations

import pytest

from lp.programme.forecast import MOST_SECONDS, density_seconds
from release.data.domain import Domain
from release.statistics.families import build_family


@pytest.mark.parametrize(
    ("name", "sizes", "degree", "cheap"),
    [
        ("monomials", (2,) * 14, 2, True),
        ("monomials", (2,) * 22, 2, True),
        ("monomials", (2,) * 26, 2, False),
        ("cells", (3,) * 13 + (2,), 2, True),
        ("cells", (8,) * 7, 2, True),
        ("cells", (20,) * 5, 2, True),
        ("cells", (40,) * 4, 2, False),
    ],
)
def test_the_whole_domain(name: str, sizes: tuple[int, ...], degree: int, cheap: bool) -> None:
    family = build_family(name, Domain(sizes), degree)
    assert (density_seconds(family, family.domain.size, whole=True) <= MOST_SECONDS) == cheap


def test_points_that_are_drawn_cost_more_the_more_they_are() -> None:
    family = build_family("cells", Domain((6,) * 10), 2)
    costs = [density_seconds(family, points, whole=False) for points in (10**3, 10**4, 10**5)]
    assert costs == sorted(costs)
    assert costs[0] <= MOST_SECONDS < costs[2]
