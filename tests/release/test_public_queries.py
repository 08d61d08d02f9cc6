"""Public queries of records: every answer in a second way, sensitivities over all neighbours, blocks, draws, files."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.errors import DataError, ParameterError
from bounds.privacy.adjacency import Adjacency
from release.data.schema import Schema, parse_schema
from release.files.strict_json import parse_json
from release.statistics import conditional_counts, number_moments
from release.statistics.mixed_marginals import MixedMarginals
from release.statistics.number_moments import NumberMoments
from release.statistics.public_queries import (
    NumberQueries,
    bell_numbers,
    named_places,
    number_places,
    raw_numbers,
    uniform_numbers,
)
from release.statistics.query_kinds import NUMBER_KINDS, number_queries_of
from release.statistics.thresholds import Thresholds
from tests.release import query_oracle
from tests.speeds import examples

REPLACE_ONE, ADD_REMOVE = Adjacency


def schema_with(*sizes: int) -> Schema:
    columns = [{"name": f"x{i}", "range": ["0", "1"], "grid": size} for i, size in enumerate(sizes, 1)]
    return parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))


def made(body: dict[str, Any], schema: Schema) -> NumberQueries:
    return number_queries_of(parse_json(json.dumps(body), "q"), schema, "q")


def drawn(kind: str, numbers: list[str], by: list[str], count: int = 5, seed: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": kind, "numbers": numbers, "by": by}
    return found if kind == "moments" else {**found, "count": count, "seed": str(seed)}


def records_of(schema: Schema, n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.stack([rng.integers(0, size, n) for size in schema.domain.sizes], axis=1).astype(schema.domain.code_type)


# --- answers -------------------------------------------------------------------------------------------------------


@given(
    sizes=st.lists(st.sampled_from([2, 3, 10, 97, 4096, 65536]), min_size=3, max_size=5),
    kind=st.sampled_from(list(NUMBER_KINDS)),
    labels=st.integers(1, 2),
    n=st.integers(0, 5),
    seed=st.integers(0, 2**64 - 1),
)
@examples(60)
def test_answers_are_what_the_page_states(sizes: list[int], kind: str, labels: int, n: int, seed: int) -> None:
    schema = schema_with(*sizes, *[3, 2][:labels])
    names = list(schema.names)
    queries = made(body := drawn(kind, names[: len(sizes)], names[len(sizes) :], 7, seed), schema)
    records = records_of(schema, n, seed % 1000)
    expected = [query_oracle.answers(body, schema, record) for record in records.tolist()]
    sums = [sum(each) for each in zip(*expected, strict=True)] if n else [Fraction(0)] * int(queries.starts[-1])
    found = queries.sums(records)
    assert found.dtype == np.int64
    assert [Fraction(value, queries.denominator) for value in found.tolist()] == sums
    assert len(queries.starts) == queries.count + 1
    assert made(queries.to_json(), schema) == queries


def test_moments_without_a_label() -> None:
    schema = schema_with(5, 9, 2)
    queries = made(body := drawn("moments", ["x1", "x2"], []), schema)
    records = records_of(schema, 6)
    expected = [
        sum(each) for each in zip(*(query_oracle.answers(body, schema, r) for r in records.tolist()), strict=True)
    ]
    assert queries.sums(records).tolist() == [value * queries.denominator for value in expected]
    assert queries.count == 5
    assert queries.squared_moved(range(5), REPLACE_ONE) == queries.squared_moved(range(5), ADD_REMOVE) == 5 * 4**30


@pytest.mark.parametrize(
    ("numbers", "narrow"),
    [([4096] * 4, True), ([4097] * 4, False), ([81] * 200, True), ([65536] * 200, False), ([2], True)],
)
def test_sums_in_floating_point_are_exact_at_the_largest_sizes(numbers: list[int], narrow: bool) -> None:
    """Records at all corners that make sums large, against products of 64-bit integers."""
    schema = schema_with(*numbers, 2)
    queries = Thresholds(schema, tuple(range(len(numbers))), (len(numbers),), 300, 9)
    assert queries.is_narrow is narrow
    weights, levels = queries.planes
    tops = np.array(numbers)[:, None] - 1
    bound = 2**23 if narrow else 2**40
    assert (np.abs(weights) * tops).sum(axis=0).max() < bound
    assert np.abs(levels).max() < bound
    codes = np.concatenate(
        [
            np.where(weights.T > 0, tops.T, 0),
            np.where(weights.T < 0, tops.T, 0),
            np.broadcast_to(tops.T, (3, len(numbers))),
            records_of(schema, 500)[:, :-1],
        ]
    )
    exact = weights.T @ codes.T.astype(np.int64) > levels[:, None]
    assert np.array_equal(queries.met(queries.prepared(codes), np.arange(300)), exact)


def test_weights_keep_enough_bits() -> None:
    """Typical slopes are a weight of 40 and more, so rounding moves them by little more than a hundredth."""
    for sizes in ([4096] * 4, [2**14], [81] * 200, [65536] * 200):
        queries = Thresholds(schema_with(*sizes, 2), tuple(range(len(sizes))), (len(sizes),), 2000)
        assert np.sqrt((queries.planes[0].astype(float) ** 2).mean()) > 40


@pytest.mark.parametrize("kind", NUMBER_KINDS)
@pytest.mark.parametrize(("rows", "some"), [(3, 2), (7, 1), (1, 64)])
def test_blocks_change_nothing(kind: str, rows: int, some: int, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = schema_with(12, 30, 5, 4)
    queries = made(drawn(kind, ["x1", "x2"], ["x3", "x4"], 13), schema)
    records = records_of(schema, 22)
    at_once = queries.sums(records)
    for module in (conditional_counts, number_moments):
        monkeypatch.setattr(module, "_BLOCK_ROWS", rows)
    monkeypatch.setattr(conditional_counts, "_BLOCK_QUERIES", some)
    for n in (0, 1, rows, rows + 1, 22):
        assert np.array_equal(queries.sums(records[:n]) + queries.sums(records[n:]), at_once)
    assert np.array_equal(queries.sums(np.asfortranarray(records[::-1]).astype(np.int64)), at_once)


def test_planes_fall_where_records_may_be() -> None:
    """Of the uniform law of a box most planes cut a part off, unlike planes that are not centred."""
    schema = schema_with(*[50] * 6, 2)
    queries = Thresholds(schema, tuple(range(6)), (6,), 2000)
    beyond = queries.sums(records_of(schema, 4000)).reshape(2000, 2).sum(axis=1) / 4000
    assert np.mean((beyond > 0.01) & (beyond < 0.99)) > 0.9
    assert abs(beyond.mean() - 0.5) < 0.02
    mixed = MixedMarginals(schema, tuple(range(6)), (6,), 2000)
    both = mixed.sums(records_of(schema, 4000)).reshape(2000, 2).sum(axis=1) / 4000
    assert abs(both.mean() - 0.25) < 0.02
    assert sorted({tuple(pair) for pair in mixed.pairs.tolist()}) == list(itertools.combinations(range(6), 2))
    assert mixed.most.min() == 0
    assert mixed.most.max() == 48


def test_twins_at_records_are_the_queries() -> None:
    """The planes and thresholds that smooth twins start from decide every record as the query does."""
    schema = schema_with(17, 40, 9, 2)
    records, x = records_of(schema, 2000), records_of(schema, 2000)[:, :3] / np.array([16, 39, 8])
    planes = Thresholds(schema, (0, 1, 2), (3,), 500)
    weights, levels = planes.unit_planes
    exact = planes.met(planes.prepared(records), np.arange(500))
    margins = x @ weights - levels
    sure = np.abs(margins) > 1e-4
    assert np.array_equal((margins > 0)[sure], exact.T[sure])
    assert sure.mean() > 0.999
    assert np.allclose(np.sqrt((weights.astype(float) ** 2).sum(axis=0)), 4)
    mixed = MixedMarginals(schema, (0, 1, 2), (3,), 500)
    at_most = x[:, mixed.pairs] <= mixed.unit_most
    assert np.array_equal(at_most.all(axis=2).T, mixed.met(mixed.prepared(records), np.arange(500)))


# --- draws ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_the_generator_is_the_one_that_is_published(seed: int) -> None:
    """An implementation of Philox 4x64-10 in Python's integers, and a vector that its authors publish."""
    for stream in (0, 3):
        assert raw_numbers(seed, stream, 11).tolist() == query_oracle.philox(seed, stream, 11)
        assert bell_numbers(seed, stream, 9).tolist() == query_oracle.bells(seed, stream, 9)
    drawn_below = uniform_numbers(seed, 5, 40, np.arange(1, 41))
    assert drawn_below.tolist() == [raw % (i + 1) for i, raw in enumerate(query_oracle.philox(seed, 5, 40))]


def test_few_queries_are_the_first_of_many() -> None:
    schema = schema_with(20, 30, 11, 2, 3)
    for kind in (Thresholds, MixedMarginals):
        few, many = (kind(schema, (0, 1, 2), (3, 4), count, 5) for count in (7, 50))
        records = records_of(schema, 100)
        assert np.array_equal(few.sums(records), many.sums(records)[: few.starts[-1]])


def digests() -> list[str]:
    """Of the answers of records that no generator draws."""
    schema = schema_with(20, 300, 11, 2, 3)
    steps = np.arange(50)[:, None] * np.array([7, 101, 3, 1, 2])
    records = steps % np.array(schema.domain.sizes)
    found = (made(drawn(kind, ["x1", "x2", "x3"], ["x4", "x5"], 500, 12), schema) for kind in NUMBER_KINDS)
    texts = (json.dumps(queries.sums(records).tolist()) for queries in found)
    return [hashlib.sha256(text.encode()).hexdigest()[:16] for text in texts]


def test_the_same_queries_on_every_machine_and_for_every_hash_seed() -> None:
    code = f"from {__name__} import digests; print(*digests())"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert said.stdout.split() == EXPECTED


EXPECTED = ["6732a894c869b5ce", "100d2430de48b120", "a91a804186ebef1f"]


# --- sensitivity ---------------------------------------------------------------------------------------------------

TINY = schema_with(3, 2, 2)
RECORDS = [list(record) for record in itertools.product(range(3), range(2), range(2))]


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize(
    "body",
    [
        drawn("thresholds", ["x1", "x2"], ["x3"], 4, 3),
        drawn("mixed", ["x1", "x2"], ["x3"], 4, 3),
        drawn("moments", ["x1", "x2"], ["x3"]),
        drawn("moments", ["x1", "x2"], []),
    ],
    ids=lambda body: body["kind"] + str(len(body["by"])),
)
def test_no_neighbours_are_further_apart_than_is_charged(body: dict[str, Any], adjacency: Adjacency) -> None:
    """Answers are sums over records: neighbours differ by one of these records, or by two."""
    queries = made(body, TINY)
    at = {tuple(r): np.array(queries.sums(np.array([r], dtype=np.uint8)).tolist(), dtype=object) for r in RECORDS}
    nothing = queries.sums(np.zeros((0, 3), dtype=np.uint8)).astype(object)
    others = list(at.values()) if adjacency is REPLACE_ONE else [nothing]
    moved = [one - other for one in at.values() for other in others]
    for chosen in ([0], [1, 3], [2, 0, 1], list(range(queries.count))):
        places = queries.places(chosen)
        most = max(int((change[places] ** 2).sum()) for change in moved)
        assert most <= queries.squared_moved(chosen, adjacency)
    unit = queries.denominator
    mean = max(Fraction(int(np.abs(change).sum()), unit * len(change)) for change in moved)
    assert mean <= queries.mean_moved(adjacency)
    if body["kind"] == "moments":  # a record at the end of every number, and one at the beginning
        assert most == queries.squared_moved(chosen, adjacency)
    # the score of one query, the sum of its absolute errors, moves by at most 1 per record added or removed
    each = [np.abs(change[queries.places([q])]).sum() for change in at.values() for q in range(queries.count)]
    assert max(each) == unit


def test_what_is_charged_is_reached_by_counts() -> None:
    """Two queries, both met by a record of each class: one for the other moves four answers by 1."""
    schema = schema_with(4, 4, 2)
    for kind in (Thresholds, MixedMarginals):
        queries = kind(schema, (0, 1), (2,), 200, 1)
        codes = np.array(list(itertools.product(range(4), range(4))), dtype=np.uint8)
        met = queries.met(queries.prepared(np.column_stack([codes, codes[:, :1] * 0])), np.arange(200))
        both = [q for q in range(200) if met[q, met.sum(axis=0).argmax()]][:2]
        place = codes[met.sum(axis=0).argmax()]
        zero, one = (queries.sums(np.array([[*place, label]], dtype=np.uint8)) for label in (0, 1))
        assert ((zero - one)[queries.places(both)] ** 2).sum() == queries.squared_moved(both, REPLACE_ONE) == 4
        assert (zero[queries.places(both)] ** 2).sum() == queries.squared_moved(both, ADD_REMOVE) == 2


@pytest.mark.parametrize("chosen", [[], [0, 0], [-1], [5]])
def test_numbers_of_no_query(chosen: list[int]) -> None:
    with pytest.raises(ParameterError, match="different ones, from 0 to 4"):
        made(drawn("thresholds", ["x1"], ["x3"]), TINY).squared_moved(chosen, REPLACE_ONE)


# --- files and columns ---------------------------------------------------------------------------------------------

COLUMNS = parse_schema(
    json.dumps(
        {
            "synthbounds_schema": 1,
            "source": "public",
            "columns": [
                {"name": "age", "range": ["0", "100"], "grid": 101},
                {"name": "gaps", "range": ["0", "100"], "grid": 101, "missing": True},
                {"name": "few", "range": ["0", "9"], "grid": 9},
                {"name": "town", "levels": [f"t{i}" for i in range(20)]},
                {"name": "y", "levels": ["no", "yes"]},
            ],
        }
    )
)


def test_columns_that_are_numbers() -> None:
    assert number_places(COLUMNS) == (0,)
    assert number_places(COLUMNS, besides=[0]) == ()
    assert number_places(COLUMNS, ["few", "age"]) == (0, 2)
    for names, said in ((["no"], "a column of the schema"), (["age", "age"], "each column once")):
        with pytest.raises(ParameterError, match=said):
            named_places(COLUMNS, names, "label")


def changed(**fields: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda body: {key: value for key, value in {**body, **fields}.items() if value is not None}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changed(kind="walks"), r'^q: kind = "walks": must be one of thresholds, mixed, moments$'),
        (changed(numbers=None), "numbers is missing"),
        (changed(more=1), '"more"'),
        (changed(numbers="age"), "q: numbers = .* must be a list of columns"),
        (changed(numbers=["few", "age"]), "q: numbers = .*in the order of the schema"),
        (changed(numbers=["age", "age"]), "in the order of the schema"),
        (changed(numbers=["sex"]), "a list of columns of the schema"),
        (changed(numbers=[]), "numbers = 0 columns: must be 1 to 200"),
        (
            changed(numbers=["gaps"]),
            'q: numbers = "gaps": must be ordered columns of at least 2 values without missing',
        ),
        (changed(by=["age"]), 'q: label = "age": must be another column'),
        (changed(by=[]), "q: label = none"),
        (changed(count=0), "q: queries = 0: must be 1 to 1,000,000"),
        (changed(count="5"), "q: count = .*whole number"),
        (changed(count=1000001), "must be 1 to 1,000,000"),
        (changed(by=["town"], count=1000000), "thresholds = 1000000: must be at most 838,860 of these columns"),
        (changed(seed=0), "q: seed = .*in quotes"),
        (changed(seed=str(2**64)), "q: seed = "),
        (changed(kind="mixed", numbers=["age"]), "numbers = 1 columns: must be 2 to 200"),
        (changed(kind="moments"), "count"),
    ],
)
def test_files_that_are_no_queries(change: Callable[[dict[str, Any]], dict[str, Any]], said: str) -> None:
    with pytest.raises(DataError, match=said):
        made(change(drawn("thresholds", ["age", "few"], ["y"])), COLUMNS)


@pytest.mark.parametrize("numbers", [(1, 0), (0, 0), (-1,), (0, 7)])
def test_places_of_no_columns(numbers: tuple[int, ...]) -> None:
    for ask in (lambda: Thresholds(TINY, numbers, (2,), 5), lambda: NumberMoments(TINY, numbers)):
        with pytest.raises(ParameterError, match="columns of the schema, each once, in its order"):
            ask()


def test_texts() -> None:
    found = [made(drawn(kind, ["age", "few"], ["y"], 1234), COLUMNS).text for kind in NUMBER_KINDS]
    assert found == [
        "1,234 linear thresholds of 2 numbers, by y",
        "1,234 mixed marginals of 2 of 2 numbers, by y",
        "5 moments of 2 numbers, by y",
    ]
    assert made(drawn("moments", ["age"], []), COLUMNS).text == "2 moments of 1 number"
