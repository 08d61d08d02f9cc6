"""Methods for synthetic tables: the choice by public facts alone, and what is certified about a finished table."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bounds.errors import DataError, UsageError
from bounds.privacy.adjacency import Adjacency
from mechanisms.mechanism import Public
from mechanisms.select.settings import AIM
from mechanisms.synth.ask import read_request
from mechanisms.synth.choose import Choice, Wish, choose, decided_by_options
from mechanisms.synth.known import largest_error
from mechanisms.synth.parameters import INDEPENDENT, LP, METHODS, MOMENTS, TAKEN_BY
from mechanisms.synth.private_table import PrivateTable
from release.data.schema import Schema, parse_schema
from release.data.source import RecordsSource
from release.statistics.cross_moments import encode_table
from tests.speeds import some

COLUMNS = [
    {"name": "sex", "levels": ["F", "M"]},
    {"name": "age", "range": ["0", "100"], "bins": 6, "missing": True},
    {"name": "region", "levels": ["north", "east", "south"]},
    {"name": "ill", "levels": ["no", "yes"]},
]
ASK: dict[str, Any] = {"mode": "simulate", "epsilon": "1", "dp_delta": "1e-6"}


@pytest.fixture(autouse=True)
def few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested here does not depend on how well the law fits."""
    monkeypatch.setattr("mechanisms.tilt.fit.COARSE", 300)
    monkeypatch.setattr("mechanisms.tilt.fit.FINE", 600)


def schema_of(columns: list[dict[str, Any]]) -> Schema:
    return parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))


SCHEMA = schema_of(COLUMNS)
WIDE = schema_of([{"name": f"c{i}", "levels": list("abcd")} for i in range(10)])


def table(n: int, key: int, schema: Schema = SCHEMA) -> np.ndarray[Any, Any]:
    stream = np.random.Generator(np.random.Philox(key))
    return np.column_stack([stream.integers(size, size=n) ** 2 // size for size in schema.domain.sizes]).astype(
        np.uint8
    )


def made(records: np.ndarray[Any, Any], schema: Schema = SCHEMA, **said: Any) -> Any:
    return read_request({**ASK, **said}).run(RecordsSource(records, schema.domain), schema)


@pytest.mark.parametrize("schema", [SCHEMA, WIDE], ids=["narrow", "wide"])
@pytest.mark.parametrize("said", [{}, {"dp_delta": None}, {"label": "ill"}, {"k": "9"}], ids=str)
def test_the_choice_is_the_same_for_every_table(schema: Schema, said: dict[str, Any]) -> None:
    """Tables of the same size and schema, one of them constant: the same method, reason and advice."""
    if "label" in said and schema is WIDE:
        said = {"label": "c3"}
    constant = np.zeros((300, len(schema.columns)), dtype=np.uint8)
    found = [made(records, schema, **said) for records in (table(300, 1, schema), table(300, 2, schema), constant)]
    told = {
        (f.choice.method, f.choice.reason, f.choice.advice) if isinstance(f, PrivateTable) else (f.because, f.advice)
        for f in found
    }
    assert len(told) == 1


def wish(*options: str, method: str = "auto", dp_delta: str | None = None) -> Wish:
    delta = None if dp_delta is None else Fraction(dp_delta)
    return Wish(method=method, epsilon=Fraction(1), dp_delta=delta, failure=Fraction(1, 20), options=options)


def public(schema: Schema = SCHEMA, size: int = 5_000) -> Public:
    return Public(schema=schema, adjacency=Adjacency.REPLACE_ONE, size=size)


def chosen(*options: str, dp_delta: str | None = None, of: Public | None = None, **said: str) -> Choice:
    """What the rule says for what a user says."""
    asked = read_request(
        {"mode": "simulate", "epsilon": "1", "dp_delta": dp_delta, **said, **dict.fromkeys(options, "1")}
    )
    return choose(asked.wish, of or public(), asked._promise)


def test_the_rule() -> None:
    assert chosen(dp_delta="1e-6").method == MOMENTS
    many = public(size=10**6)
    assert chosen(dp_delta="1e-6", of=many).method == AIM
    assert chosen(dp_delta="1e-6", of=many, label="ill").method == MOMENTS
    columns = [{"name": f"c{i}", "levels": ["no", "yes"]} for i in range(31)]
    assert chosen(dp_delta="1e-6", of=public(schema_of(columns), 10**9)).method != AIM  # too many columns
    assert chosen().method == LP
    flags = schema_of([{"name": f"f{i}", "levels": ["no", "yes"]} for i in range(4)])
    assert chosen(of=public(flags)) == Choice(LP, chosen().reason, None)  # a delta would buy nothing
    assert chosen(of=public(WIDE)).method == INDEPENDENT
    assert chosen(of=public(size=20)).method == INDEPENDENT  # the programme could promise nothing
    assert chosen(of=public(size=20), k="2").method == INDEPENDENT  # so few rows neither
    assert chosen("degree", dp_delta="1e-6").method == LP
    assert chosen("release").method == INDEPENDENT
    laplace = chosen(dp_delta="1e-6", mechanism="laplace")
    assert (laplace.method, laplace.advice) == (LP, None)
    assert laplace.reason.startswith("moments does not take one of the options")
    advice = chosen(of=public(WIDE)).advice
    assert advice is not None
    assert advice.startswith("--dp-delta 1e-08 would allow the method moments")


@pytest.mark.parametrize("method", METHODS)
def test_an_option_of_another_method_is_refused_by_name(method: str) -> None:
    for option, methods in TAKEN_BY.items():
        if method in methods:
            decided_by_options(wish(option, method=method))
        else:
            with pytest.raises(
                UsageError, match=f"^{option.replace('_', '-')} is for --method .*, not for {re.escape(method)}$"
            ):
                decided_by_options(wish(option, method=method))


def test_options_that_no_method_takes_together() -> None:
    with pytest.raises(
        UsageError, match=r"^label: is for --method moments or .*, which does not take the other options"
    ):
        decided_by_options(wish("measure", "label"))
    with pytest.raises(UsageError, match=r"^label: is for --method aim or gen or rap or rap\+\+; say which$"):
        decided_by_options(wish("degree", "label"))


def test_a_label_needs_a_delta_and_a_column() -> None:
    with pytest.raises(UsageError, match="dp-delta is missing"):
        read_request({"mode": "simulate", "epsilon": "1", "label": "ill"})
    with pytest.raises(UsageError, match="label = nobody"):
        made(table(50, 1), label="nobody")


@pytest.mark.parametrize("method", [MOMENTS, INDEPENDENT])
def test_as_many_rows_as_are_public(method: str) -> None:
    hidden = {"adjacency": "add-remove", "least_size": "40", "method": method}
    assert len(made(table(77, 1), method=method).rows) == 77
    assert len(made(table(77, 1), **hidden).rows) == 40
    assert len(made(table(77, 1), k="11", **hidden).rows) == 11
    empty = made(table(0, 1), **hidden)
    assert len(empty.rows) == 40
    assert empty.too_few
    with pytest.raises(DataError, match="has no rows"):
        made(table(0, 1), method=method)


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
@pytest.mark.parametrize("method", [MOMENTS, INDEPENDENT])
def test_what_is_known_holds(method: str, adjacency: str) -> None:
    """True errors of shares and moments against what was certified: misses compatible with beta."""
    from release.cross_moments.file import CrossMoments
    from release.statistics.cross_moments import BITS, cross_sums

    records, runs, misses = table(400, 3), some(100), 0
    said = {"least_size": "380"} if adjacency == "add-remove" else {}
    for seed in range(runs):
        found = made(records, method=method, adjacency=adjacency, seed=str(seed), failure="0.2", k="150", **said)
        true = [
            max(abs(np.bincount(records[:, u], minlength=s) / 400 - np.bincount(found.rows[:, u], minlength=s) / 150))
            for u, s in enumerate(SCHEMA.domain.sizes)
        ]
        wrong = any(error > bound for error, bound in zip(true, found.known.one_way, strict=True))
        if isinstance(found.release, CrossMoments):
            sums = [
                np.array(cross_sums(t, found.release.encoding).cross, float) / len(t) for t in (records, found.rows)
            ]
            wrong = wrong or np.abs(sums[0] - sums[1]).max() / 4**BITS > found.known.cross
        misses += wrong
    assert stats.binomtest(misses, runs, 0.2, alternative="greater").pvalue > 0.001


def test_a_bound_covers_the_noise() -> None:
    """What is certified is above the true error and above the distance to the noisy shares alone."""
    records = table(400, 3)
    for seed in range(3):
        found = made(records, seed=str(seed), k="5000")
        near = true = 0.0
        for u, noisy in enumerate(found.release.one_way):
            share = np.bincount(found.rows[:, u], minlength=len(noisy)) / 5000
            near = max(near, np.abs(share - np.array(noisy) / 400).max())
            true = max(true, np.abs(share - np.bincount(records[:, u], minlength=len(noisy)) / 400).max())
        assert near < float(max(found.known.one_way))
        assert true < float(max(found.known.one_way))


@pytest.mark.parametrize("method", [MOMENTS, INDEPENDENT])
def test_constant_and_all_missing_columns_go_through(method: str) -> None:
    records = np.zeros((60, 4), dtype=np.uint8)
    records[:, 1] = SCHEMA.domain.sizes[1] - 1
    said = {"label": "ill"} if method == MOMENTS else {}
    assert made(records, method=method, **said).rows.shape == (60, 4)


def test_one_column_has_no_products() -> None:
    one = schema_of([{"name": "a", "levels": ["x", "y", "z"]}])
    found = made(np.array([[0], [1], [1]], dtype=np.uint8), one, method=MOMENTS)
    assert found.known.cross is None
    assert found.release.cross_sums == ()


def test_many_nominal_codes_keep_a_one_way_table() -> None:
    """More features than are measured: the column of most codes has its one-way table alone."""
    columns = [{"name": "town", "levels": [f"t{i}" for i in range(900)]}, *COLUMNS]
    found = made(table(500, 4, schema_of(columns)), schema_of(columns), method=MOMENTS, label="ill")
    assert found.release.encoding.encodings[0] == "none"
    assert found.rows[:, 0].max() < 900


def test_ordered_columns_lose_their_cosines_before_any_column_loses_its_products() -> None:
    columns = [{"name": f"c{i}", "range": ["0", "1"], "bins": 9} for i in range(300)]
    encoding = encode_table(schema_of(columns), smooth=True)
    assert set(encoding.encodings) == {"linear"}


def test_a_label_beside_one_column_costs_no_more_than_twice_one_record() -> None:
    two = encode_table(schema_of([COLUMNS[0], COLUMNS[3]]), smooth=True, label="ill")
    assert two.cross_squared_sensitivity(Adjacency.REPLACE_ONE) == 16
    assert two.cross_squared_sensitivity(Adjacency.ADD_REMOVE) == 4


def test_a_least_size_is_no_wish_for_a_billion_rows() -> None:
    with pytest.raises(UsageError, match="say how many"):
        read_request({**ASK, "adjacency": "add-remove", "least_size": "1000000000"})
    read_request({**ASK, "adjacency": "add-remove", "least_size": "1000000000", "k": "10"})


def test_thelargest_error_in_whole_numbers_is_that_of_fractions() -> None:
    noisy, counts, radius = [-7, 120, 55], [3, 40, 17], Fraction(31, 7)
    size = Fraction(400)
    fast = largest_error(noisy, counts, 60, radius, (size, size))
    slow = max(
        abs(Fraction(c, 60) - (v + end) / size) for v, c in zip(noisy, counts, strict=True) for end in (radius, -radius)
    )
    assert fast == slow


def test_the_file_beside_a_table_is_known_where_options_leave_one_method() -> None:
    from mechanisms.synth.parameters import AUTO, may_take

    assert may_take("rap++", AUTO, ["label", "thresholds"])
    assert may_take("rap++", None, ["label", "thresholds"])
    assert not may_take("moments", AUTO, ["label", "thresholds"])
    assert not may_take("rap++", AUTO, ["label"])
