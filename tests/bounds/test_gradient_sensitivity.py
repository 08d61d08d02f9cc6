"""How far one record can move a gradient: proved bounds against direct search, and the geometry behind them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.certify.gradient_sensitivity import LARGEST_NORM, gradient_sensitivity, squared_diameter
from bounds.errors import ParameterError
from bounds.privacy.adjacency import Adjacency

HALF = Fraction(1, 2)


def slope_est(loss: str, m: np.ndarray) -> np.ndarray:
    return {"logistic": lambda: -1 / (1 + np.exp(m)), "squared": lambda: m - 1, "hinge": lambda: -(m < 1.0) * 1.0}[
        loss
    ]()


def direct_search(loss: str, norm: float, offset: float, slope: float, reach: float) -> float:
    """The largest distance of g z and g' z' for unit vectors in the plane at all pairs of a grid of angles."""
    edge = np.arccos(reach / norm)
    angles = np.append(np.linspace(0, 2 * np.pi, 1441), [edge, -edge, np.pi - edge, np.pi + edge])
    z = np.column_stack([np.cos(angles), np.sin(angles)])
    z = z[np.abs(norm * z[:, 0]) <= reach + 1e-12]
    m = norm * z[:, 0]
    moved = (slope_est(loss, m) + offset - slope * m)[:, None] * z
    gaps = moved[:, None, :] - moved[None, :, :]
    return float(np.sqrt((gaps**2).sum(axis=2)).max())


@pytest.mark.parametrize(("norm", "published"), [(2, 1.27), (5, 1.62), (10, 1.82), (20, 1.93)])
def test_the_plain_query_of_the_logistic_loss(norm: int, published: float) -> None:
    found = gradient_sensitivity("logistic", norm=Fraction(norm)).value
    assert round(float(found.hi), 2) == published
    assert found.hi - found.lo < Fraction(1, 10_000)
    assert float(found.lo) - 1e-4 <= direct_search("logistic", norm, 0, 0, norm) <= float(found.hi)


@pytest.mark.share(3)
@pytest.mark.parametrize("loss", ["logistic", "squared"])
@pytest.mark.parametrize(("offset", "slope"), [(0, 0), (HALF, 0), (HALF, Fraction(1, 8)), (1, 1)])
@pytest.mark.parametrize(("norm", "reach"), [(HALF, HALF), (5, 5), (5, 3)])
def test_the_enclosure_holds_what_a_search_finds(
    loss: str, offset: Fraction, slope: Fraction, norm: Fraction, reach: Fraction
) -> None:
    found = gradient_sensitivity(
        loss, norm=Fraction(norm), reach=Fraction(reach), offset=Fraction(offset), slope=Fraction(slope)
    ).value
    direct = direct_search(loss, float(norm), float(offset), float(slope), float(reach))
    assert direct <= float(found.hi) + 1e-12
    assert direct >= float(found.lo) - 2e-4 * (1 + float(found.lo))
    assert found.hi - found.lo <= Fraction(2, 10_000) * (1 + found.hi)


def test_taking_the_line_out_of_the_squared_loss_leaves_nothing_to_ask() -> None:
    found = gradient_sensitivity("squared", norm=Fraction(5), offset=1, slope=1)
    assert found.hi < Fraction(1, 1000)


@given(st.data())
def test_no_pair_of_records_is_further_apart(data: st.DataObject) -> None:
    norm = data.draw(st.integers(1, 12))
    offset, slope = data.draw(st.sampled_from([(0, 0), (HALF, 0), (HALF, Fraction(1, 10)), (Fraction(1, 4), 0)]))
    bound = float(gradient_sensitivity("logistic", norm=Fraction(norm), offset=offset, slope=slope).hi)
    number = st.floats(-1, 1)
    vectors = []
    for _ in range(2):
        z = np.array([data.draw(number) for _ in range(3)])
        z = z / max(1.0, float(np.linalg.norm(z)))
        m = norm * z[0]
        vectors.append((-1 / (1 + exp(m)) + float(offset) - float(slope) * m) * z)
    assert float(np.linalg.norm(vectors[0] - vectors[1])) <= bound + 1e-12


def test_it_grows_with_the_norm_and_with_the_reach() -> None:
    by_norm = [gradient_sensitivity("logistic", norm=Fraction(k)).hi for k in (0, 1, 2, 5, 50)]
    assert by_norm == sorted(by_norm)
    assert by_norm[0] == 1  # all margins are 0: two opposite records, half of each
    by_reach = [gradient_sensitivity("logistic", norm=Fraction(8), reach=Fraction(k)).hi for k in (0, 1, 2, 4, 8)]
    assert all(a <= b + Fraction(1, 10_000) for a, b in pairwise(by_reach))


def test_adding_a_record_moves_it_by_the_largest_slope() -> None:
    found = gradient_sensitivity("logistic", norm=Fraction(5), adjacency=Adjacency.ADD_REMOVE).value
    assert float(found.lo) <= 1 / (1 + exp(-5)) <= float(found.hi) <= 1 / (1 + exp(-5)) + 1e-4


def test_the_hinge_loss() -> None:
    assert gradient_sensitivity("hinge", norm=Fraction(5)).value.lo == 2
    assert gradient_sensitivity("hinge", norm=Fraction(5)).hi == 2
    assert gradient_sensitivity("hinge", norm=Fraction(5), offset=HALF).hi == 1
    assert gradient_sensitivity("hinge", norm=Fraction(5), adjacency=Adjacency.ADD_REMOVE).hi == 1


@pytest.mark.parametrize(
    "changes",
    [{"norm": Fraction(-1)}, {"norm": Fraction(LARGEST_NORM + 1)}, {"loss": "exponential"}, {"reach": Fraction(-1)}],
)
def test_what_makes_no_sense_is_refused(changes: dict[str, object]) -> None:
    asked: dict[str, object] = {"loss": "logistic", "norm": Fraction(1)} | changes
    with pytest.raises(ParameterError):
        gradient_sensitivity(asked.pop("loss"), **asked)  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.integers(-6, 6), st.integers(-6, 6)), min_size=1, max_size=24))
def test_the_diameter_is_that_of_all_pairs(points: list[tuple[int, int]]) -> None:
    assert squared_diameter(points) == max((a - c) ** 2 + (b - d) ** 2 for a, b in points for c, d in points)


def test_the_diameter_of_a_fine_circle() -> None:
    circle = [(round(10**6 * np.cos(t)), round(10**6 * np.sin(t))) for t in np.linspace(0, 2 * np.pi, 999)]
    assert abs(sqrt(squared_diameter(circle)) - 2e6) < 20
