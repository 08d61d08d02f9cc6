"""Fourier features in whole numbers: the table of waves, sums, and how far one record moves them, by brute force."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from bounds.errors import DataError, NotApplicable, ParameterError
from bounds.privacy.adjacency import Adjacency
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.files.strict_json import parse_json
from release.statistics.fourier_features import STEPS, TURN, VARIANCE, FourierFeatures, squared_length, waves
from release.statistics.public_queries import PublicQueries
from release.statistics.query_kinds import queries_of
from tests.cross_examples import SCHEMA, schema_of, table

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE
SIZES = (3, 2, 4)
EVERY = np.array(list(product(*map(range, SIZES))), dtype=np.uint8)


def features(label: int | None, count: int = 3, seed: int = 5) -> FourierFeatures:
    return FourierFeatures(schema_of_domain(Domain(SIZES)), label, count, seed)


def with_weights(found: FourierFeatures, weights: dict[int, Any]) -> FourierFeatures:
    """The same with other weights, as if a seed had drawn them."""
    found.__dict__["_weights"] = {place: np.array(lines, dtype=np.uint16) for place, lines in weights.items()}
    return found


def test_waves_are_the_nearest_whole_numbers_and_none_is_near_a_half() -> None:
    cosines, sines = (table.tolist() for table in waves())
    for phase in range(TURN // 8 + 1):
        angle = arb(fmpq(2 * phase, TURN))
        for value, wave in ((cosines[phase], angle.cos_pi()), (sines[phase], angle.sin_pi())):
            assert abs(STEPS * wave - value) < arb(fmpq(1, 2)) - arb(fmpq(1, 10**6))
    quarter, half = TURN // 4, TURN // 2
    for phase in range(0, TURN, 97):  # the rest of the turn, by symmetry
        assert cosines[phase] == -cosines[(phase + half) % TURN] == cosines[-phase]
        assert sines[phase] == cosines[phase - quarter]
    assert sines[: TURN // 8 + 1] == cosines[quarter : quarter - TURN // 8 - 1 : -1]


@pytest.mark.parametrize("label", [None, 0, 2])
def test_sums_are_those_of_plain_integers(label: int | None) -> None:
    found = features(label)
    records = np.random.default_rng(1).integers(0, SIZES, (200, 3)).astype(np.uint8)
    cosines, sines = waves()
    expected = [0] * int(found.starts[-1])
    for record in records.tolist():
        for query in range(found.count):
            phase = sum(int(found.weights(place)[record[place], query]) for place in found.turning) % TURN
            at = int(found.starts[query]) + (0 if label is None else record[label])
            expected[at] += int(cosines[phase])
            expected[at + found.labels] += int(sines[phase])
    assert found.sums(records).tolist() == expected


def test_sums_of_many_records_are_exact() -> None:
    """Every cosine is as large as can be, in more rows than are added up at a time."""
    found = with_weights(features(2), {0: np.zeros((3, 3)), 1: np.zeros((2, 3))})
    sums = found.sums(np.full((10_001, 3), 1, dtype=np.uint8))
    assert sorted(set(sums.tolist())) == [0, 10_001 * STEPS]


@pytest.mark.parametrize("label", [None, 0, 1])
@pytest.mark.parametrize("asked", [(1,), (0, 2), (0, 1, 2)])
def test_no_two_records_move_answers_further_than_is_said(label: int | None, asked: tuple[int, ...]) -> None:
    """All records of a small domain: what one adds, and what replacing it by another changes."""
    for seed in range(8):
        found = features(label, seed=seed)
        added = np.array([found.sums(EVERY[i : i + 1])[found.places(asked)] for i in range(len(EVERY))])
        assert (added**2).sum(axis=1).max() <= found.squared_moved(asked, ADD) == len(asked) * squared_length()
        moved = ((added[:, None] - added[None]) ** 2).sum(axis=2)
        assert moved.max() <= found.squared_moved(asked, REPLACE) == 4 * found.squared_moved(asked, ADD)
        if label is not None:
            others = EVERY[:, None, label] != EVERY[None, :, label]
            assert moved[others].max() <= 2 * found.squared_moved(asked, ADD)


def test_what_is_said_of_one_frequency_is_reached() -> None:
    cosines, sines = waves()
    top = int(np.argmax(cosines**2 + sines**2))
    found = with_weights(features(1, count=1), {0: [[top], [top + TURN // 2], [0]], 2: np.zeros((4, 1))})
    one, other = (found.sums(np.array([[code, 0, 0]], dtype=np.uint8)) for code in (0, 1))
    assert int(((one - other) ** 2).sum()) == found.squared_moved((0,), REPLACE)
    assert int((one**2).sum()) == found.squared_moved((0,), ADD)


def test_expected_waves_of_independent_columns_are_products() -> None:
    found = features(None)
    stream = np.random.default_rng(2)
    shares = [stream.dirichlet(np.ones(size)) for size in SIZES]
    product_of_means = np.prod(
        [shares[u] @ np.exp(2j * np.pi / TURN * found.weights(u)) for u in found.turning], axis=0
    )
    chances = np.prod([shares[u][EVERY[:, u]] for u in range(3)], axis=0)
    sums = np.array([found.sums(EVERY[i : i + 1]) for i in range(len(EVERY))]).reshape(-1, 3, 2) / STEPS
    mean = chances @ (sums[:, :, 0] + 1j * sums[:, :, 1])
    assert np.abs(mean - product_of_means).max() < 1 / STEPS


def test_phases_turn_as_far_as_is_said_and_neighbours_turn_alike() -> None:
    """By half a mean square over pairs of different codes, summed over columns of ordered and of nominal codes."""
    kinds: list[dict[str, Any]] = [{"levels": [f"v{i}" for i in range(size)]} for size in (2, 3, 30)]
    kinds += [{"range": ["0", "9"], "bins": bins} for bins in (2, 5, 40)]
    schema = schema_of([{"name": f"c{i}", **kind} for i, kind in enumerate(kinds)])
    found, spread = FourierFeatures(schema, None, 2000), 0.0
    for place in found.turning:
        weights, size = found.weights(place), schema.columns[place].size
        between = (weights[:, None] - weights[None]).astype(np.int16) / TURN  # from -1/2 to 1/2 of a turn
        spread += float((between**2).sum()) / (size * (size - 1) * found.count) / 2
    assert abs(spread / float(VARIANCE) - 1) < 0.05
    near, far = (float((between[0, code] ** 2).mean()) for code in (1, 39))
    assert 30 * near < far < 50 * near


def test_weights_are_a_function_of_the_schema_and_the_seed() -> None:
    found = FourierFeatures(SCHEMA, 2, 4)
    assert found.weights(0)[:2].tolist() == PINNED
    assert not np.array_equal(found.weights(0), FourierFeatures(SCHEMA, 2, 4, seed=1).weights(0))
    again = read(found.to_json())
    assert again == found
    assert again.sums(table(300)).tolist() == found.sums(table(300)).tolist()


def read(body: dict[str, Any]) -> PublicQueries:
    return queries_of(parse_json(json.dumps(body), "log"), SCHEMA, "log")


PINNED = [[1013, 51382, 5923, 56997], [9015, 60384, 10703, 62925]]


@pytest.mark.parametrize(
    ("label", "count", "error", "said"),
    [
        (None, 0, ParameterError, "features = 0: must be 1 to 466,033"),
        (0, 10**6, ParameterError, "for 6 codes and 3 values of the label"),
    ],
)
def test_counts_out_of_range_are_refused(label: int | None, count: int, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        features(label, count=count)


def test_what_has_no_features_is_refused() -> None:
    with pytest.raises(NotApplicable, match="columns besides the label: the schema has none"):
        FourierFeatures(schema_of_domain(Domain((2,))), 0, 1)
    with pytest.raises(NotApplicable, match="at most 4,194,304 codes; the columns have 8,400,000"):
        FourierFeatures(
            schema_of([{"name": f"c{i}", "range": ["0", "1"], "grid": 60_000} for i in range(140)]), None, 1
        )
    for body, said in (
        ({"label": "rent"}, 'label = "rent": must be a column of the schema, or null'),
        ({"label": 3}, "must be a column of the schema, or null"),
        ({"count": 2.5}, "count"),
        ({"seed": -1}, "seed"),
        ({"more": 1}, "more"),
    ):
        with pytest.raises(DataError, match=said):
            read(FourierFeatures(SCHEMA, 2, 4).to_json() | body)
