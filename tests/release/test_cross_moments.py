"""Cross moments: blocks of norm at most one, sensitivities that no pair of records exceeds, files read strictly."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.errors import DataError
from bounds.privacy.adjacency import Adjacency
from release.cross_moments.read import parse_cross_moments, read_cross_moments
from release.data.columns import BINS, Column, LevelColumn, NumberColumn
from release.files.digest import digest_of
from release.statistics.blocks import ENCODINGS, LINEAR, NONE, ONE_HOT, SMOOTH, block_names, block_of, block_width
from release.statistics.cross_moments import BITS, TableEncoding, cross_sums
from release.statistics.features import FeatureMap
from tests.cross_examples import COLUMNS, SCHEMA, made, plan, schema_of, table
from tests.speeds import ALL, examples, in_both

ONE = 1 << BITS
Records = np.ndarray[Any, Any]


def column_of(size: int, *, missing: bool, levels: bool = False) -> Column:
    """A column of so many codes, that of missing cells included."""
    gap, count = ("",) if missing else (), size - missing
    if levels:
        return LevelColumn("c", tuple(f"v{i}" for i in range(count)), missing=gap)
    return NumberColumn("c", BINS, count, (Fraction(0), Fraction(1)), missing=gap)


# --- blocks ------------------------------------------------------------------------------------------------------


@in_both
@pytest.mark.parametrize("missing", [False, True])
def test_no_code_is_longer_than_one_and_some_code_nearly_is(missing: bool) -> None:
    """In integers, for every size that columns usually have; in the fast run for some of the larger ones."""
    for size in range(2, 301) if ALL else (*range(2, 13), *range(13, 301, 41)):
        column = column_of(size, missing=missing)
        for encoding in (LINEAR, SMOOTH, *((ONE_HOT,) if size < 40 else ())):
            block = block_of(column, encoding, ONE)
            squares = [sum(value**2 for value in row) for row in block]
            assert max(squares) <= ONE**2
            assert max(squares[: size - missing]) > ONE**2 * 0.9999
            assert (
                {len(row) for row in block} == {block_width(column, encoding)} == {len(block_names(column, encoding))}
            )
            assert len(set(block)) == size


@given(st.integers(2, 1000), st.sampled_from(ENCODINGS), st.booleans(), st.booleans(), st.integers(1, 20))
@examples(100)
def test_blocks_of_any_column_keep_within_one(size: int, encoding: str, missing: bool, levels: bool, bits: int) -> None:
    column = column_of(min(size, 30) if encoding == ONE_HOT or levels else size, missing=missing, levels=levels)
    block = block_of(column, encoding, 1 << bits)
    assert len(block) == column.size
    assert all(sum(value**2 for value in row) <= 4**bits for row in block)
    assert len(block[0]) == block_width(column, encoding) == len(set(block_names(column, encoding)))
    if missing and column.size > 2 and encoding in (LINEAR, SMOOTH):  # apart from all that is ordered
        *ordered, gap = block
        assert all(row[-1] == 0 for row in ordered)
        assert gap == (0,) * (len(gap) - 1) + (1 << bits,)


def test_two_codes_are_minus_one_and_one_whatever_they_are() -> None:
    for column in (column_of(2, missing=False), column_of(2, missing=True), column_of(2, missing=False, levels=True)):
        for encoding in (LINEAR, SMOOTH):
            assert block_of(column, encoding, ONE) == ((-ONE,), (ONE,))


def test_a_feature_map_has_the_blocks_of_its_encodings() -> None:
    found = FeatureMap(SCHEMA, "pays", "yes", (SMOOTH, NONE, LINEAR, SMOOTH))
    assert found.names == (
        *("age", "age cosine 2", "age cosine 3", "owns"),
        *("size", "size cosine 2", "size cosine 3", "size is missing", "intercept"),
    )
    assert found.squared_norm == 4  # town has no features
    records = table(50)
    features = found.features(records)
    assert features.shape == (50, 9)
    assert (features**2).sum(axis=1).max() <= 4 * ONE**2
    coefficients = tuple(Fraction(k * (-1) ** k, 7) for k in range(9))
    domain = np.array(list(itertools.product(*map(range, SCHEMA.domain.sizes))), dtype=np.uint8)
    scores = [sum(c * int(x) for c, x in zip(coefficients, row, strict=True)) / ONE for row in found.features(domain)]
    assert found.margin_range(coefficients) == (min(scores), max(scores))


# --- sensitivity -------------------------------------------------------------------------------------------------


def contributions(encoding: TableEncoding, codes: Records) -> Records:
    """What each record adds to the weighted cross moments, in units of features."""
    left, right = encoding.pairs
    values = encoding.features(codes) / encoding.one
    found: Records = values[:, left] * values[:, right] * encoding.pair_weights
    return found


def random_records(schema: Any, count: int, key: int) -> Records:
    """Ends of the codes are favoured: there features are longest."""
    stream = np.random.Generator(np.random.Philox(key))
    columns = [
        np.where(stream.random(count) < 0.6, stream.integers(2, size=count) * (t - 1), stream.integers(t, size=count))
        for t in schema.domain.sizes
    ]
    return np.column_stack(columns)


@pytest.mark.parametrize("label", [None, "pays", "age"])
@pytest.mark.parametrize("smooth", [False, True])
def test_no_two_records_are_farther_apart_than_the_sensitivity(label: str | None, smooth: bool) -> None:
    """A hundred thousand pairs of neighbours, over all cases."""
    encoding = plan(label=label, smooth=smooth).encoding
    one, other = (contributions(encoding, random_records(SCHEMA, 17_000, key)) for key in (1, 2))
    moved = ((one - other) ** 2).sum(axis=1)
    assert moved.max() <= encoding.cross_squared_sensitivity(Adjacency.REPLACE_ONE) * (1 + 1e-12)
    added = (one**2).sum(axis=1)
    assert added.max() <= encoding.cross_squared_sensitivity(Adjacency.ADD_REMOVE) * (1 + 1e-12)
    assert added.max() > encoding.cross_squared_sensitivity(Adjacency.ADD_REMOVE) * 0.99
    assert moved.max() > encoding.cross_squared_sensitivity(Adjacency.REPLACE_ONE) * 0.8


@pytest.mark.parametrize(("label", "columns"), [(None, 4), (None, 6), ("c0", 5)])
def test_the_sensitivities_are_attained(label: str | None, columns: int) -> None:
    """Where signs can be chosen so that weighted products of both records add up to 0, nothing is wasted."""
    schema = schema_of([{"name": f"c{i}", "levels": ["a", "b"]} for i in range(columns)])
    encoding = TableEncoding(schema, (LINEAR,) * columns, label)
    domain = np.array(list(itertools.product((0, 1), repeat=columns)))
    values = contributions(encoding, domain)
    moved = ((values[:, None] - values[None, :]) ** 2).sum(axis=2)
    assert moved.max() == encoding.cross_squared_sensitivity(Adjacency.REPLACE_ONE)
    assert (values**2).sum(axis=1).max() == encoding.cross_squared_sensitivity(Adjacency.ADD_REMOVE)


def test_one_way_tables_move_by_what_is_stated() -> None:
    encoding = plan().encoding
    codes = random_records(SCHEMA, 30, 3)
    counts = [np.array(cross_sums(codes[i : i + 1], encoding).one_way) for i in range(30)]
    moved = max(int(((a - b) ** 2).sum()) for a, b in itertools.combinations(counts, 2))
    assert moved == encoding.one_way_squared_sensitivity(Adjacency.REPLACE_ONE) == 10
    assert {int((a**2).sum()) for a in counts} == {encoding.one_way_squared_sensitivity(Adjacency.ADD_REMOVE)} == {5}


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_both_measurements_together_cost_the_budget(adjacency: Adjacency) -> None:
    found = plan(adjacency=adjacency.value, reserve=Fraction(1, 5))
    spent = found.one_way_cost.mu_squared + found.cross_cost.mu_squared
    assert spent == found.mu_squared == found.ledger.total * Fraction(4, 5)
    squared = found.encoding.one_way_squared_sensitivity(adjacency)
    assert squared / found.one_way_deviation**2 <= found.one_way_cost.mu_squared
    for weight, deviation in found.cross_deviations.items():
        base = Fraction(found.encoding.cross_squared_sensitivity(adjacency) * ONE**4, weight**2)
        assert base / deviation**2 <= found.cross_cost.mu_squared


# --- files -------------------------------------------------------------------------------------------------------

KINDS: list[dict[str, Any]] = [
    {},
    {"label": None, "smooth": False},
    {"adjacency": "add-remove", "size": 1500, "reserve": Fraction(1, 4)},
    {"mode": "release"},
]


@pytest.mark.parametrize("asked", KINDS)
def test_a_file_reads_back_as_what_was_written(asked: dict[str, Any], tmp_path: Any) -> None:
    found = made(**asked)
    path = tmp_path / "release.json"
    path.write_text(found.to_text(), encoding="utf-8")
    again = read_cross_moments(path)
    assert again == found
    assert again.to_text() == found.to_text()


def test_a_release_after_a_later_question_is_still_read() -> None:
    found = made(reserve=Fraction(1, 4))
    asked = replace(found, ledger=found.ledger.spend_reserved("later questions", "a distance"))
    assert parse_cross_moments(asked.to_text()) == asked
    assert asked.mu_squared == found.mu_squared


def test_a_table_of_one_column_has_no_cross_moments() -> None:
    schema = schema_of(COLUMNS[:1])
    found = made(table(100)[:, :1], encoding=TableEncoding(schema, (SMOOTH,)))
    assert found.cross_sums == ()
    assert parse_cross_moments(found.to_text()) == found


def forged(**changes: Any) -> str:
    """A file with other fields and a digest that fits: only what follows from other fields can give it away."""
    body = made().body()
    for path, value in changes.items():
        *above, last = path.split("__")
        place = body
        for key in above:
            place = place[key]
        place[last] = value(place[last]) if callable(value) else value
    return json.dumps({**body, "digest": digest_of(body)})


FORGED: list[tuple[dict[str, Any], str]] = [
    ({"noise__one_way": lambda sd: str(Fraction(sd) / 2)}, "noise: one_way = .* follows from the other fields"),
    ({"noise__cross": {"weight_1": "1", "weight_2": "1"}}, "noise: cross: weight_1 = .* follows"),
    ({"noise__one_way_squared_sensitivity": 9}, "one_way_squared_sensitivity = 9: 10 follows"),
    ({"noise__cross_squared_sensitivity": 63}, "cross_squared_sensitivity = 63: 64 follows"),
    ({"encoding__label_weight": 4}, "label_weight = 4: 2 follows"),
    ({"encoding__bits": 8}, "bits = 8: 16 follows"),
    ({"encoding__label": "nobody"}, "label = nobody: must be a column of the schema"),
    ({"encoding__encodings__town": "linear"}, "cross: has 54 entries; must be a list of 36"),
    ({"encoding__encodings__town": "twice"}, "encodings = twice for town: must be linear"),
    ({"encoding__encodings__town": 3}, "town.* = 3: must be text"),
    ({"budget__one_way_share": "1/2"}, "one_way_share = .* follows"),
    ({"budget__ledger__entries": lambda entries: entries[:1]}, "the ledger does not say what one-way tables"),
    ({"budget__ledger__entries": lambda entries: entries[::-1]}, "the ledger does not say what one-way tables"),
    ({"budget__ledger__total": {"mu_squared": "1/100"}}, "exceed the total"),
    ({"budget__ledger__total": {"mu_squared": "5"}}, "is more than"),
    ({"budget__ledger__adjacency": "add-remove"}, "the ledger is for add-remove, the release for replace-one"),
    ({"adjacency": "add-remove"}, "the ledger is for replace-one|goes with least_size"),
    ({"n": 0}, "n = 0: must be from 1 to"),
    ({"mode": "release"}, "seed goes with mode simulate"),
    ({"stamp": None}, "stamp = null"),
    ({"statistic": "other"}, "statistic = "),
    ({"one_way": lambda tables: tables[1:]}, "one_way: must be a list of 5 tables"),
    ({"one_way": lambda tables: [*tables[:4], tables[4][:4]]}, r"one_way\[4\]: has 4 entries"),
    ({"cross": lambda sums: sums[:-1]}, "cross: has 53 entries; must be a list of 54"),
    ({"cross": lambda sums: ["x", *sums[1:]]}, r"cross\[0\] = .*: must be a whole number"),
    ({"seed": 5}, "seed = 5: must be a whole number .* in quotes"),
    ({"kind": "moments"}, 'kind = "moments": must be "cross-moments"'),
    ({"extra": 1}, "is not a field"),
]


@pytest.mark.parametrize(("changes", "line"), FORGED, ids=[next(iter(changes)) for changes, _ in FORGED])
def test_a_forged_file_is_refused_with_one_line(changes: dict[str, Any], line: str) -> None:
    if changes == {"extra": 1}:
        body = {**made().body(), **changes}
        text = json.dumps({**body, "digest": digest_of(body)})
    else:
        text = forged(**changes)
    with pytest.raises(DataError, match=line) as caught:
        parse_cross_moments(text)
    assert "\n" not in str(caught.value)


def test_a_changed_number_is_refused() -> None:
    body = made().to_json()
    body["cross"][0] += 1
    with pytest.raises(DataError, match="digest: is not that of the content"):
        parse_cross_moments(json.dumps(body))
