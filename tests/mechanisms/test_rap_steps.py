"""The steps of relaxed rows: gradients of smooth twins, their limit at sharp conditions, and projection."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mechanisms.rap.answers import targets_of_answers
from mechanisms.rap.mixed_twin import MixedTwin, TargetCorners
from mechanisms.rap.moment_twin import MomentTwin, TargetMoments
from mechanisms.rap.relaxed import Layout, Projection
from mechanisms.rap.roles import Roles
from mechanisms.rap.scores import query_distances, query_shares
from mechanisms.rap.table_twin import TableTwin, TargetTable
from mechanisms.rap.threshold_twin import TargetPlanes, ThresholdTwin
from mechanisms.rap.twin import Twin
from release.log.steps import AnswersStep, Shape
from release.statistics.mixed_marginals import MixedMarginals
from release.statistics.number_moments import NumberMoments
from release.statistics.public_queries import NumberQueries
from release.statistics.statistic import RECORD_STEPS
from release.statistics.thresholds import Thresholds
from tests.rap_examples import SCHEMA, table

LAYOUT = Layout((3, 2, 6, 2), 3)
SETS = [(0,), (2,), (1, 2), (0, 2, 3), (0, 1, 3), (0, 1, 2, 3)]


def _twins() -> dict[str, Twin]:
    stream = np.random.default_rng(1)

    def planes(block: int | None) -> ThresholdTwin:
        codes = 1 if block is None else LAYOUT.blocks[block]
        some = stream.normal(size=(70, 3)), stream.normal(size=70)
        target = TargetPlanes(block, *some, stream.random((70, codes)), stream.random(70))
        return ThresholdTwin(LAYOUT, target, np.float64)

    tables = [TargetTable(s, stream.random([LAYOUT.blocks[b] for b in s]), 0.5 + len(s)) for s in SETS]
    corners = stream.integers(0, 3, (70, 2)), stream.random((70, 2)), stream.random((70, 3)), stream.random(70)
    means, weights = (half + half.transpose(0, 2, 1) for half in stream.random((2, 2, 4, 4)))
    moments = TargetMoments(1, means, weights)
    return {
        "tables": TableTwin(LAYOUT, tables, np.float64),
        "planes of all": planes(None),
        "planes of few codes": planes(3),
        "planes of many codes": planes(2),
        "corners": MixedTwin(LAYOUT, TargetCorners(0, *corners), np.float64),
        "moments": MomentTwin(LAYOUT, moments, np.float64),
        "moments of all": MomentTwin(LAYOUT, TargetMoments(None, means[:1], np.ones((1, 4, 4))), np.float64),
    }


TWINS = _twins()


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("sharpness", [2.0, 16.0])
def test_gradients_are_those_of_finite_differences(name: str, sharpness: float) -> None:
    twin, points = TWINS[name], np.random.default_rng(2).random((LAYOUT.height, 5))
    gradient, before = np.ones_like(points), np.ones_like(points)
    twin.add_gradient(points, gradient, sharpness)
    found, step = np.empty_like(points), 1e-6
    for place in np.ndindex(points.shape):
        ends = []
        for sign in (1, -1):
            moved = points.copy()
            moved[place] += sign * step
            ends.append(twin.add_gradient(moved, np.zeros_like(points), sharpness))
        found[place] = (ends[0] - ends[1]) / (2 * step)
    assert np.abs(found).max() > 1e-4
    assert np.abs(gradient - before - found).max() < 1e-7 * max(1.0, np.abs(found).max())


ROLES = Roles(Shape(SCHEMA.domain.sizes), (0, 2))
QUERIES: dict[str, NumberQueries] = {
    "thresholds": Thresholds(SCHEMA, (0, 2), (4, 5), 60, 1),
    "mixed": MixedMarginals(SCHEMA, (0, 2), (4, 5), 60, 1),
    "moments": NumberMoments(SCHEMA, (0, 2), (4, 5)),
    "moments of all": NumberMoments(SCHEMA, (0, 2)),
}


def _points(rows: Any) -> Any:
    """Records as points: corners of simplices."""
    found = np.zeros((ROLES.layout.height, len(rows)))
    for block, place in enumerate(ROLES.categories):
        ROLES.layout.block(found, block)[rows[:, place], np.arange(len(rows))] = 1
    found[ROLES.layout.categories_end :] = rows[:, list(ROLES.numbers)].T / np.array(ROLES.tops)[:, None]
    return found


@pytest.mark.parametrize("name", QUERIES)
def test_a_sharp_twin_of_records_has_their_answers_and_the_direction_of_the_query(name: str) -> None:
    """At exact answers nothing is left, whichever queries are asked in whichever order; at others there is."""
    rows, queries = table()[:200], QUERIES[name]
    asked = tuple(np.random.default_rng(5).permutation(queries.count).tolist())
    sums = queries.sums(rows)[queries.places(asked)]
    points = _points(rows)

    def left(answers: Any) -> float:
        step = AnswersStep(workload=0, queries=asked, sd=Fraction(1), rho=Fraction(1), sums=tuple(answers.tolist()))
        targets = targets_of_answers(step, queries, ROLES, total=len(rows), weight=1.0)
        return sum(target.twin(ROLES.layout).add_gradient(points, np.zeros_like(points), 2.0**14) for target in targets)

    assert left(sums) < 1e-6
    assert left(sums.max() - sums) > 0.1


def test_answers_of_points_are_those_of_records_and_distances_move_with_one_of_them() -> None:
    """One record more moves every distance by one record at most, and some by that much: not by 1/sqrt 2 of it."""
    queries = QUERIES["thresholds"]
    assert isinstance(queries, Thresholds)
    rows = table()[:300]
    shares = query_shares(ROLES, queries, _points(rows))
    assert np.allclose(shares * len(rows), queries.sums(rows), atol=1e-9)
    far = _points(table()[600:650])
    exact = queries.sums(rows)
    base = np.array(query_distances(ROLES, queries, exact, far, 300.0))
    largest = dict.fromkeys((RECORD_STEPS, 2 * RECORD_STEPS), 0)
    for other in table()[900:960]:
        more = exact + queries.sums(other[None])
        for answers, most in ((more, RECORD_STEPS), (more - queries.sums(rows[:1]), 2 * RECORD_STEPS)):
            moved = np.abs(np.array(query_distances(ROLES, queries, answers, far, 300.0)) - base).max()
            assert moved <= most
            largest[most] = max(largest[most], int(moved))
    assert all(moved == most for most, moved in largest.items())


def _nearest(values: Any) -> Any:
    """The Euclidean projection to the simplex, column by column, by sorting, in double precision."""
    ordered = np.sort(values.astype(float), axis=0)[::-1]
    excess = (np.cumsum(ordered, axis=0) - 1) / np.arange(1, len(values) + 1)[:, None]
    last = (ordered > excess).sum(axis=0) - 1
    return np.maximum(values - excess[last, np.arange(values.shape[1])], 0)


@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([1e-4, 0.02, 1.0, 1e4]), kind=st.sampled_from("fd"))
@settings(max_examples=60)
def test_projected_points_are_points_and_near_the_nearest(seed: int, scale: float, kind: str) -> None:
    stream, layout = np.random.default_rng(seed), Layout((2, 7, 1, 40), 2)
    points = stream.random((layout.height, 30)).astype(kind)
    project = Projection(layout, points)
    project(points)
    for block in range(4):
        first = layout.block(points, block)
        first *= stream.random(first.shape) < 0.5  # many corners and faces
        first[0] += first.sum(axis=0) == 0
    project(points)
    moved = points + (scale * (stream.random(points.shape) - 0.5)).astype(kind)
    wanted = moved.copy()
    project(moved)
    assert moved.min() >= 0
    assert layout.numbers_of(moved).max() <= 1
    assert np.array_equal(layout.numbers_of(moved), np.clip(layout.numbers_of(wanted), 0, 1))
    for block in range(4):
        found, exact = layout.block(moved, block), _nearest(layout.block(wanted, block))
        assert np.allclose(found.sum(axis=0), 1, atol=1e-5)
        if scale <= 0.02:
            assert np.abs(found - exact).max() < 0.5 * scale + 1e-5  # nearer than a coordinate had moved


def test_a_point_without_a_code_above_zero_is_projected_too() -> None:
    layout = Layout((3, 2), 0)
    points = np.array([[-5.0], [-7.0], [-5.5], [-3.0], [-3.0]])
    Projection(layout, points)(points)
    assert np.allclose(points[:, 0], [0.75, 0, 0.25, 0.5, 0.5])
