"""Marginals and sums of queries are exact: against plain counting, in any batches, whatever the sizes."""

from __future__ import annotations

import random
from itertools import combinations, islice
from math import log, prod
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.errors import ParameterError
from release.data import counting
from release.data.counting import count_marginals, counts, cover
from release.data.domain import Domain
from release.statistics import family_sums as family_sums_module
from release.statistics.custom_family import CustomFamily
from release.statistics.families import Family, build_family
from release.statistics.family_sums import family_sums

if TYPE_CHECKING:
    from release.data.domain import Codes


def table(sizes: tuple[int, ...], rows: int, seed: int = 0) -> Codes:
    domain = Domain(sizes)
    generator = np.random.Generator(np.random.Philox(key=seed))
    return np.stack([generator.integers(0, size, rows) for size in sizes], axis=1).astype(domain.code_type)


def plainly(codes: Codes, sizes: tuple[int, ...], subset: tuple[int, ...]) -> list[int]:
    counts = np.zeros([sizes[j] for j in subset], dtype=np.int64)
    for row in codes:
        counts[tuple(row[j] for j in subset)] += 1
    return counts.ravel().tolist()


@given(
    sizes=st.lists(st.integers(2, 9) | st.sampled_from([40, 300]), min_size=1, max_size=6).map(tuple),
    order=st.integers(1, 3),
    rows=st.integers(1, 40),
    seed=st.integers(0, 100),
)
@settings(max_examples=60)
def test_marginals_are_the_counts(sizes: tuple[int, ...], order: int, rows: int, seed: int) -> None:
    order = min(order, len(sizes))
    codes = table(sizes, rows, seed)
    found = count_marginals(codes, sizes, order)
    assert list(found) == [s for k in range(1, order + 1) for s in combinations(range(len(sizes)), k)]
    for subset, counted in found.items():
        assert counted.dtype == np.int64
        assert counted.shape == tuple(sizes[j] for j in subset)
        assert counted.ravel().tolist() == plainly(codes, sizes, subset)


@given(data=st.data(), rows=st.integers(0, 40), seed=st.integers(0, 100))
@settings(max_examples=60)
def test_given_sets_are_counted_and_no_others(data: st.DataObject, rows: int, seed: int) -> None:
    sizes = tuple(data.draw(st.lists(st.sampled_from([2, 3, 7, 40, 300]), min_size=1, max_size=6), label="sizes"))
    every = [s for k in range(1, 4) for s in combinations(range(len(sizes)), k)]
    sets = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=8), label="sets")
    codes = table(sizes, rows, seed)
    found = counts(codes, sizes, sets)
    assert list(found) == list(dict.fromkeys(sets))
    for subset, counted in found.items():
        assert counted.ravel().tolist() == plainly(codes, sizes, subset)


def test_one_pair_of_many_wide_columns_is_no_more_than_one_pair() -> None:
    sizes = (1000,) * 40  # all pairs would have 780 million cells
    codes = table(sizes, 50)
    found = counts(codes, sizes, [(3, 7), (3,)])
    assert found[3, 7].shape == (1000, 1000)
    assert found[3,].tolist() == plainly(codes, sizes, (3,))
    with pytest.raises(ParameterError, match=r"^tables = 68 or more: must be at most 200000, with at most 67108864"):
        counts(codes, sizes, combinations(range(40), 2))


@pytest.mark.parametrize("subset", [(), (1, 0), (0, 0), (0, 2), (-1,)])
def test_what_is_no_set_of_columns_is_refused(subset: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match="columns"):
        counts(table((2, 2), 3), (2, 2), [subset])


def test_nothing_to_count_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"^tables = none: must be at least one set of columns$"):
        counts(table((2, 2), 3), (2, 2), [])


def test_batches_of_any_layout_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "BLOCK_ROWS", 7)
    sizes = (2, 3, 5, 4)
    codes = table(sizes, 100)
    whole = count_marginals(codes, sizes, 2)
    parts = (np.asfortranarray(part) for part in np.split(codes, [0, 1, 13, 77]))
    for subset, counted in count_marginals(parts, sizes, 2).items():
        assert np.array_equal(counted, whole[subset])
        assert counted.sum() == 100


def test_joint_tables_as_wide_as_two_bytes_hold() -> None:
    sizes = (256, 256, 2)
    codes = table(sizes, 3000)
    codes[:2] = [[255, 255, 1], [0, 0, 0]]
    for subset, counted in count_marginals(codes, sizes, 2).items():
        assert counted.ravel().tolist() == plainly(codes, sizes, subset)


@pytest.mark.parametrize(("sizes", "order"), [((2,) * 20, 2), ((2,) * 9, 4), (tuple(range(2, 17)), 2), ((300,) * 4, 3)])
def test_every_set_is_counted_exactly_once(sizes: tuple[int, ...], order: int) -> None:
    plan = cover(sizes, tuple(combinations(range(len(sizes)), order)))
    counted = [s for part in plan for s in part.marginals]
    assert sorted(counted) == list(combinations(range(len(sizes)), order))
    for part in plan:
        assert all(set(s) <= set(part.columns) for s in part.marginals)
        cells = prod(sizes[j] for j in part.columns)
        assert cells <= counting._JOINT_CELLS or len(part.columns) == order


def test_few_joint_tables_answer_many_pairs() -> None:
    assert len(cover(tuple(range(2, 17)), tuple(combinations(range(15), 2)))) <= 20  # of 105 pairs
    assert len(cover((2,) * 15, tuple(combinations(range(15), 2)))) == 1


@pytest.mark.parametrize("order", [0, 3, -1])
def test_orders_that_make_no_sense(order: int) -> None:
    with pytest.raises(ParameterError, match="order"):
        count_marginals(table((2, 2), 5), (2, 2), order)


def test_marginals_too_large_for_memory_are_refused() -> None:
    with pytest.raises(ParameterError, match="67108864 cells"):
        count_marginals(table((65536, 65536), 5), (65536, 65536), 2)
    with pytest.raises(ParameterError, match="200000"):
        count_marginals(table((2,) * 200, 5), (2,) * 200, 3)


def test_another_number_of_columns_is_refused() -> None:
    with pytest.raises(ParameterError, match="with 3 columns"):
        count_marginals(table((2, 2), 5), (2, 2, 2), 2)


def plain_sums(family: Family, codes: Codes) -> list[int]:
    return [sum(int(v) for v in row) for row in family.values(codes)]


@pytest.mark.parametrize("name", ["monomials", "cells", "moments", "thresholds"])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_sums_of_families(name: str, degree: int) -> None:
    sizes = (2, 3, 5, 4)
    family = build_family(name, Domain(sizes), degree)
    codes = table(sizes, 50)
    assert family_sums(family, codes) == plain_sums(family, codes)
    assert family_sums(family, iter(np.split(codes, [3, 30]))) == plain_sums(family, codes)


@pytest.mark.parametrize("name", ["monomials", "moments"])
def test_sums_on_fine_grids_go_through_products(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family_sums_module, "_sums_by_marginals", None)
    sizes = (4097, 3, 4097, 2)
    family = build_family(name, Domain(sizes), 2)
    codes = table(sizes, 500)
    codes[:9] = [s - 1 for s in sizes]
    assert family_sums(family, codes) == plain_sums(family, codes)


def test_sums_of_wide_values_stay_exact() -> None:
    sizes = (65536, 65536, 2)
    codes = np.full((70_000, 3), [65535, 65535, 1], dtype=np.uint16)
    family = build_family("moments", Domain(sizes), 3)
    assert family.largest > 2**44  # so that only the slow way is exact
    one = [int(v) for v in family.values(codes[:1])[:, 0]]
    assert family_sums(family, codes) == [70_000 * v for v in one]


def test_sums_beyond_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    family = build_family("monomials", Domain((2**10, 2**10)), 2)
    codes = table((2**10, 2**10), 20)
    monkeypatch.setattr(family, "largest", 2**60)
    assert family_sums(family, codes) == plain_sums(family, codes)


def test_sums_of_custom_functions() -> None:
    family = CustomFamily(
        Domain((4, 3)), [("first", lambda c: c[:, 0].astype(int) - 1)], denominator=2, ranges=[(-1, 2)]
    )
    codes = table((4, 3), 30)
    assert family_sums(family, codes) == plain_sums(family, codes)


def grown_plainly(wanted: tuple[int, ...], sizes: tuple[int, ...], missing: set[tuple[int, ...]]) -> tuple[int, ...]:
    """By looking up every set that a further column might complete."""
    columns = set(wanted)
    while True:
        room = counting._JOINT_CELLS // prod(sizes[j] for j in columns)
        others = list(islice(combinations(sorted(columns), len(wanted) - 1), counting._MOST_LOOKED_AT))
        gains = {
            j: sum(tuple(sorted((j, *rest))) in missing for rest in others) / log(sizes[j])
            for j in range(len(sizes))
            if j not in columns and sizes[j] <= room
        }
        best = max(gains, key=lambda j: gains[j], default=None)
        if best is None or not gains[best]:
            return tuple(sorted(columns))
        columns.add(best)


@pytest.mark.parametrize("seed", range(20))
def test_joint_tables_grow_as_the_definition_says(seed: int) -> None:
    draws = random.Random(seed)
    sizes = tuple(draws.choice((2, 2, 3, 5, 40, 300)) for _ in range(draws.randrange(1, 13)))
    every = [s for k in range(1, min(len(sizes), 4) + 1) for s in combinations(range(len(sizes)), k)]
    asked = draws.sample(every, draws.randrange(1, min(len(every), 80) + 1))
    found, missing = list(counting._greedy(asked, sizes)), set(asked)
    for wanted in asked:
        if wanted in missing:
            joint = found.pop(0)
            assert joint.columns == grown_plainly(wanted, sizes, missing)
            missing -= set(joint.marginals)
    assert not found
    assert not missing
