"""Moments from marginals: true moments lie within the radii, ranges over couplings are attained, files are strict."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.errors import DataError, ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from mechanisms.models.certify.frechet import Levels, product_range
from mechanisms.models.certify.marginal_columns import lay_out
from mechanisms.models.certify.marginal_moments import MarginalMoments, moments_of_marginals
from mechanisms.models.certify.marginal_norms import first_noise, second_noise
from mechanisms.models.certify.marginal_routes import CellRoute, LawRoute
from mechanisms.models.certify.norm_bounds import (
    congruent_radius,
    matrix_radius,
    norm_above,
    perron_above,
    root_above,
    top_eigenvalue_above,
    vector_radius,
)
from release.data.schema import Schema, parse_schema
from release.files.digest import digest_of
from release.marginals.file import Marginals, MarginalTable, NoiseLaw
from release.marginals.make import choose_tables, plan_marginals, release_marginals, stated_error
from release.marginals.read import parse_marginals, read_marginals
from release.statistics.features import FeatureMap, build_feature_map

BETA = Fraction(1, 20)


def schema_with(*sizes: int) -> Schema:
    columns = [{"name": f"c{i}", "levels": [str(v * v) for v in range(size)]} for i, size in enumerate(sizes)]
    return parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))


SCHEMA = schema_with(3, 2, 4, 2)
LINEAR = build_feature_map(SCHEMA, label="c3")
HOT = build_feature_map(SCHEMA, label="c3", one_hot=["c0", "c2"])
NUMBER = build_feature_map(SCHEMA, label="c2", one_hot=(), reduced=["c0"])
"""The label is a number whose mean over its codes is not 0."""


def records(seed: int, n: int, schema: Schema = SCHEMA) -> Any:
    """Columns that depend on each other."""
    generator = np.random.Generator(np.random.Philox(key=seed))
    common = generator.random((n, 1))
    mixed = 0.6 * common + 0.4 * generator.random((n, len(schema.columns)))
    sizes = np.array(schema.domain.sizes)
    return np.minimum((mixed * sizes).astype(np.int64), sizes - 1).astype(schema.domain.code_type)


def true_moments(codes: Any, feature_map: FeatureMap) -> tuple[list[Fraction], list[list[Fraction]]]:
    f, y = feature_map.features(codes).astype(object), feature_map.labels(codes).astype(object)
    n, one = len(codes), feature_map.one
    first = [Fraction(int(v), n * one * feature_map.label_one) for v in y @ f]
    return first, [[Fraction(int(v), n * one * one) for v in row] for row in f.T @ f]


def exact_tables(codes: Any, schema: Schema, sets: Any, **changes: Any) -> Marginals:
    """The table's own marginals, with no error."""
    tables = []
    for places in sets:
        sizes = [schema.domain.sizes[place] for place in places]
        flat = np.ravel_multi_index([codes[:, place] for place in places], sizes)
        counts = np.bincount(flat, minlength=int(np.prod(sizes)))
        tables.append(
            MarginalTable(
                columns=tuple(places), counts=tuple(map(int, counts)), denominator=len(codes), radius=Fraction(0)
            )
        )
    made = Marginals(
        schema=schema,
        adjacency=Adjacency.REPLACE_ONE,
        size=len(codes),
        origin="elsewhere",
        beta=BETA,
        tables=tuple(tables),
    )
    return replace(made, **changes)


def shifted(marginals: Marginals, seed: int, most: int, law: NoiseLaw | None = None) -> Marginals:
    """Every cell moved by a whole number of counts up to `most`, which the radius states."""
    generator = np.random.Generator(np.random.Philox(key=seed))
    tables = []
    for table in marginals.tables:
        moves = generator.integers(-most, most + 1, size=len(table.counts))
        counts = tuple(int(c + m) for c, m in zip(table.counts, moves, strict=True))
        tables.append(replace(table, counts=counts, radius=Fraction(most, table.denominator), noise=law))
    return replace(marginals, tables=tuple(tables))


def floats(rows: Any) -> Any:
    return np.array([[float(x) for x in row] for row in rows])


def require_within(found: MarginalMoments, codes: Any) -> None:
    first, second = true_moments(codes, found.feature_map)
    for value, radius, true in zip(found.first, found.radii_first, first, strict=True):
        assert abs(value - true) <= radius
    for i, row in enumerate(second):
        for j, true in enumerate(row):
            assert abs(found.second[i][j] - true) <= found.radii_second[i][j]
            assert found.second[i][j] == found.second[j][i]
    error1 = [value - true for value, true in zip(found.first, first, strict=True)]
    assert sum(x * x for x in error1) <= found.k1**2
    error2 = floats(found.second) - floats(second)
    assert np.linalg.norm(error2, 2) <= float(found.k2) + 1e-12


ALL = [s for k in (1, 2) for s in combinations(range(4), k)]


# --- true moments lie within the radii -----------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(0, 3), st.sets(st.sampled_from(ALL), min_size=1))
def test_true_moments_lie_within_the_radii_of_any_tables(seed: int, n: int, most: int, sets: Any) -> None:
    codes = records(seed, n)
    noisy = shifted(exact_tables(codes, SCHEMA, sorted(sets)), seed, most)
    for feature_map in (LINEAR, HOT, NUMBER):
        found = moments_of_marginals(noisy, feature_map, BETA)
        assert found.route == "cells"
        require_within(found, codes)
        shown = {s for s in sets if len(s) == 2}
        wanted = tuple((SCHEMA.names[a], SCHEMA.names[b]) for a, b in combinations(range(4), 2) if (a, b) not in shown)
        assert found.missing_pairs == wanted
        known = {place for s in sets for place in s}
        assert found.missing_columns == tuple(f"c{i}" for i in range(4) if i not in known)


@pytest.mark.parametrize("feature_map", [LINEAR, HOT, NUMBER])
def test_all_pairs_without_error_give_the_moments_exactly(feature_map: FeatureMap) -> None:
    codes = records(5, 77)
    exact = exact_tables(codes, SCHEMA, list(combinations(range(4), 2)))
    for laws in (None, NoiseLaw(law="gaussian", sd=Fraction(0))):
        tables = tuple(replace(table, noise=laws) for table in exact.tables)
        found = moments_of_marginals(replace(exact, tables=tables), feature_map, BETA)
        first, second = true_moments(codes, feature_map)
        assert list(found.first) == first
        assert [list(row) for row in found.second] == second
        assert found.k1 == found.k2 == 0
        assert found.missing_pairs == ()


@pytest.mark.share(3)
@pytest.mark.parametrize("law", ["gaussian", "sub-gaussian"])
@pytest.mark.parametrize("sets", [ALL, [(0, 1), (0, 3), (2, 3)], [(0,), (1, 2), (1, 3), (2, 3), (1, 3)]])
@pytest.mark.parametrize("feature_map", [LINEAR, HOT, NUMBER])
def test_drawn_gaussian_noise_stays_within_the_radii(law: Any, sets: Any, feature_map: FeatureMap) -> None:
    """Thirty draws; bounds without any room would fail more than seven times with probability below 1e-3."""
    codes, sd = records(3, 50), Fraction(1, 500)
    exact = exact_tables(codes, SCHEMA, sets)
    generator = np.random.Generator(np.random.Philox(key=11))
    outside = 0
    for _ in range(30):
        tables = []
        for table in exact.tables:
            noise = generator.normal(scale=float(sd), size=len(table.counts))
            counts = tuple(round((c / 50 + z) * 10**9) for c, z in zip(table.counts, noise.tolist(), strict=True))
            known = NoiseLaw(law=law, sd=sd, rounding=Fraction(1, 10**9))
            tables.append(replace(table, counts=counts, denominator=10**9, radius=Fraction(1), noise=known))
        found = moments_of_marginals(replace(exact, tables=tuple(tables)), feature_map, BETA)
        assert found.route == "law"
        try:
            require_within(found, codes)
        except AssertionError:
            outside += 1
    assert outside <= 7


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("sd", [Fraction(0), Fraction(1, 10**15)])
def test_errors_that_are_not_random_are_covered_whatever_their_signs(seed: int, sd: Fraction) -> None:
    codes = records(seed, 25)
    for sets in (ALL, [(0, 2), (1, 3), (2, 3)]):
        law = NoiseLaw(law="gaussian", sd=sd, rounding=Fraction(3, 25))
        noisy = shifted(exact_tables(codes, SCHEMA, sets), seed, 3, law)
        tables = tuple(replace(table, radius=Fraction(99)) for table in noisy.tables)
        # A smaller beta than the release's leaves the law alone.
        found = moments_of_marginals(replace(noisy, tables=tables), HOT if seed % 2 else LINEAR, BETA / 2)
        assert found.route == "law"
        require_within(found, codes)


def test_the_route_is_chosen_by_public_numbers_and_the_better_one_is_taken() -> None:
    codes = records(8, 60)
    exact = exact_tables(codes, SCHEMA, ALL)
    wild = NoiseLaw(law="gaussian", sd=Fraction(1))
    assert moments_of_marginals(shifted(exact, 1, 1, wild), LINEAR, BETA).route == "cells"
    calm = NoiseLaw(law="gaussian", sd=Fraction(1, 10**6))
    assert moments_of_marginals(shifted(exact, 1, 1, calm), LINEAR, BETA).route == "law"
    assert moments_of_marginals(shifted(exact, 1, 1, wild), LINEAR, BETA / 2).route == "law"
    with pytest.raises(ParameterError, match=r"beta = 1/40: must be at least 1/20"):
        moments_of_marginals(shifted(exact, 1, 1), LINEAR, BETA / 2)


def test_tables_that_agree_sharpen_each_other_and_tables_that_contradict_are_refused() -> None:
    codes = records(9, 60)
    alone = shifted(exact_tables(codes, SCHEMA, [(2,)]), 1, 3)
    both = replace(alone, tables=alone.tables * 3)
    place = LINEAR.names.index("c2")
    one = moments_of_marginals(alone, LINEAR, BETA).radii_second[place][-1]
    assert moments_of_marginals(both, LINEAR, BETA).radii_second[place][-1] == one
    moved = shifted(exact_tables(codes, SCHEMA, [(2,)]), 2, 3)
    mixed = replace(alone, tables=(*alone.tables, *moved.tables))
    assert moments_of_marginals(mixed, LINEAR, BETA).radii_second[place][-1] < one
    far = tuple(replace(table, counts=table.counts[::-1], radius=Fraction(0)) for table in alone.tables)
    with pytest.raises(DataError, match="contradict each other"):
        moments_of_marginals(replace(alone, tables=(*alone.tables, *far)), LINEAR, BETA)
    law = NoiseLaw(law="gaussian", sd=Fraction(1, 1000))
    once = replace(alone, tables=tuple(replace(t, noise=law, radius=Fraction(1)) for t in alone.tables))
    with pytest.raises(DataError, match="table c2: is given twice"):
        replace(once, tables=once.tables * 2)
    again = tuple(replace(t, counts=m.counts) for t, m in zip(once.tables, moved.tables, strict=True))
    twice = replace(once, tables=once.tables + again)
    lone, pair = (moments_of_marginals(m, LINEAR, BETA).radii_second[place][-1] for m in (once, twice))
    assert float(pair / lone) == pytest.approx(2**-0.5, rel=1e-9)


# --- ranges over couplings -----------------------------------------------------------------------------------------


def joint_extremes(x: list[int], p: list[int], y: list[int], q: list[int]) -> tuple[float, float]:
    """The least and the largest E[XY] by linear programming."""
    from scipy.optimize import linprog

    cost = [a * b for a in x for b in y]
    rows = [[float(i == k) for i in range(len(x)) for _ in y] for k in range(len(x))]
    rows += [[float(j == k) for _ in x for j in range(len(y))] for k in range(len(y))]
    sums = [v / sum(p) for v in p] + [v / sum(q) for v in q]
    low = linprog(cost, A_eq=rows, b_eq=sums)
    high = linprog([-c for c in cost], A_eq=rows, b_eq=sums)
    return low.fun, -high.fun


def levels(values: list[int], shares: list[Fraction], width: Fraction = Fraction(0)) -> Levels:
    tails = [sum(shares[k:], Fraction(0)) for k in range(1, len(values))]
    return Levels.of([Fraction(v) for v in values], [(t - width, t + width) for t in tails])


laws = st.lists(st.integers(0, 5), min_size=2, max_size=4).filter(lambda counts: sum(counts) > 0)


@settings(max_examples=60)
@given(laws, laws, st.integers(-3, 1), st.integers(-3, 1))
def test_ranges_are_those_of_the_linear_programme(p: list[int], q: list[int], a: int, b: int) -> None:
    x, y = [a + 2 * i for i in range(len(p))], [b + i * i for i in range(1, len(q) + 1)]
    found = product_range(levels(x, [Fraction(v, sum(p)) for v in p]), levels(y, [Fraction(v, sum(q)) for v in q]))
    assert [float(end) for end in found] == pytest.approx(joint_extremes(x, p, y, q), abs=1e-9)


def couplings(n: int) -> Any:
    """Two columns of n records: the second in the order of the first, against it, or shuffled."""
    return st.tuples(
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
        st.permutations(range(n)),
    )


@settings(max_examples=60)
@given(couplings(7), st.integers(0, 2))
def test_every_coupling_lies_in_the_range_and_sorted_ones_reach_its_ends(drawn: Any, most: int) -> None:
    xs, ys, order = drawn
    x, y = [-2, 0, 3], [-1, 0, 1, 4]
    shares = [[Fraction(column.count(v), 7) for v in range(size)] for column, size in ((xs, 3), (ys, 4))]
    lo, hi = product_range(levels(x, shares[0]), levels(y, shares[1]))
    value = sum(Fraction(x[a] * y[ys[k]], 7) for a, k in zip(xs, order, strict=True))
    assert lo <= value <= hi
    up = sum(Fraction(x[a] * y[b], 7) for a, b in zip(sorted(xs), sorted(ys), strict=True))
    down = sum(Fraction(x[a] * y[b], 7) for a, b in zip(sorted(xs), sorted(ys, reverse=True), strict=True))
    assert (lo, hi) == (down, up)
    wide = product_range(levels(x, shares[0], Fraction(most, 7)), levels(y, shares[1], Fraction(most, 7)))
    assert wide[0] <= lo
    assert hi <= wide[1]


def test_widened_ranges_hold_every_law_in_the_box_and_are_exact_for_indicators() -> None:
    x, y = [-1, 0, 1], [-1, 1]
    grid = [Fraction(k, 10) for k in range(11)]
    box_x, box_y = [(grid[4], grid[8]), (grid[1], grid[5])], [(grid[3], grid[6])]
    lo, hi = product_range(Levels.of([Fraction(v) for v in x], box_x), Levels.of([Fraction(v) for v in y], box_y))
    ends = []
    for s1, s2, t in product(grid[4:9], grid[1:6], grid[3:7]):
        if s2 <= s1:
            ends.append(product_range(levels(x, [1 - s1, s1 - s2, s2]), levels(y, [1 - t, t])))
    assert lo <= min(e[0] for e in ends)
    assert max(e[1] for e in ends) <= hi
    assert float(hi) <= float(max(e[1] for e in ends)) + 0.1
    one = Levels.of([Fraction(0), Fraction(1)], [(grid[5], grid[9])])
    other = Levels.of([Fraction(0), Fraction(1)], [(grid[6], grid[7])])
    assert product_range(one, other) == (grid[1], grid[7])
    with pytest.raises(DataError, match="contradict"):
        Levels.of([Fraction(0), Fraction(1), Fraction(2)], [(grid[1], grid[2]), (grid[5], grid[6])])
    with pytest.raises(ParameterError, match="increasing"):
        Levels.of([Fraction(1), Fraction(1)], [(grid[0], grid[1])])


# --- norms ---------------------------------------------------------------------------------------------------------


def rational_matrix(rows: Any) -> fmpq_mat:
    return fmpq_mat([[fmpq(int(v), 64) for v in row] for row in rows])


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 7))
def test_norm_bounds_are_above_and_close(seed: int, size: int) -> None:
    generator = np.random.Generator(np.random.Philox(key=seed))
    half = generator.integers(-9, 10, size=(size, size))
    nonnegative = np.abs(half + half.T)
    rows = [[Fraction(int(v)) for v in row] for row in nonnegative]
    norm = np.linalg.norm(nonnegative, 2)
    assert norm * (1 - 1e-12) <= float(perron_above(rows)) <= norm * (1 + 1e-5)
    gram = half @ half.T
    top = np.linalg.eigvalsh(gram)[-1] / 64
    assert top * (1 - 1e-12) <= float(top_eigenvalue_above(rational_matrix(gram))) <= top * (1 + 1e-5) + 1e-300
    value = Fraction(int(gram[0, 0]) + 1, 7)
    assert value <= root_above(value) ** 2 <= value * (1 + Fraction(1, 2**50))


def test_norms_of_nothing_and_of_parts() -> None:
    zero, one = Fraction(0), Fraction(1)
    assert perron_above([[zero]]) == norm_above([zero]) == root_above(zero) == 0
    assert float(perron_above([[one, zero], [zero, one / 1000]])) == pytest.approx(1, rel=1e-6)
    assert top_eigenvalue_above(fmpq_mat(2, 2)) == 0
    assert vector_radius(fmpq_mat(2, 2), BETA, gaussian=True) == 0
    assert congruent_radius([], BETA) == 0


def test_radii_of_noise_hold_as_often_as_they_say() -> None:
    generator = np.random.Generator(np.random.Philox(key=21))
    factor = generator.integers(-8, 9, size=(5, 5))
    covariance = rational_matrix(factor @ factor.T)
    drawn = generator.normal(size=(2000, 5)) @ factor.T / 8
    norms = np.linalg.norm(drawn, axis=1)
    for gaussian in (True, False):
        radius = float(vector_radius(covariance, BETA, gaussian=gaussian))
        assert (norms > radius).mean() <= 0.07
        assert radius <= 2 * np.quantile(norms, 0.95)
    matrices = [rational_matrix(m + m.T) for m in generator.integers(-8, 9, size=(12, 4, 4))]
    variance = sum((m * m for m in matrices[1:]), matrices[0] * matrices[0])
    stack = np.array(
        [[[float(int(m[i, j].p)) / float(int(m[i, j].q)) for j in range(4)] for i in range(4)] for m in matrices]
    )
    sums = np.tensordot(generator.normal(size=(2000, 12)), stack, axes=1)
    assert (np.linalg.norm(sums, 2, axis=(1, 2)) > float(matrix_radius(variance, BETA))).mean() <= 0.07
    blocks = [generator.integers(-8, 9, size=(2, 3)), generator.integers(-30, 31, size=(1, 4))]
    wide = np.zeros((3, 7))
    wide[:2, :3], wide[2:, 3:] = blocks[0] / 8, blocks[1] / 8
    goe = generator.normal(size=(2000, 7, 7))
    goe = (goe + goe.transpose(0, 2, 1)) / 2
    radius = float(congruent_radius([rational_matrix(b @ b.T) for b in blocks], BETA))
    assert (np.linalg.norm(wide @ goe @ wide.T, 2, axis=(1, 2)) > radius).mean() <= 0.07


def coefficients(marginals: Marginals, feature_map: FeatureMap) -> tuple[Any, Any]:
    """How far each cell moves each moment, by moving it; in tables that are otherwise empty."""
    blank = [replace(t, counts=(0,) * len(t.counts), denominator=1) for t in marginals.tables]

    def moments_with(tables: list[MarginalTable]) -> tuple[Any, Any]:
        found = moments_of_marginals(replace(marginals, tables=tuple(tables)), feature_map, BETA)
        return np.array([float(v) for v in found.first]), floats(found.second)

    base = moments_with(blank)
    first, second = [], []
    for t, table in enumerate(blank):
        for cell in range(len(table.counts)):
            moved = replace(table, counts=tuple(int(c == cell) for c in range(len(table.counts))))
            found = moments_with([*blank[:t], moved, *blank[t + 1 :]])
            first.append(found[0] - base[0])
            second.append(found[1] - base[1])
    return np.array(first), np.array(second)


@pytest.mark.parametrize("feature_map", [HOT, NUMBER])
def test_covariances_are_those_of_the_estimates(feature_map: FeatureMap) -> None:
    """Variances from formulas against variances from the influence of every single cell."""
    sd = Fraction(1, 8)
    exact = exact_tables(records(2, 30), SCHEMA, [(0,), (0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)])
    noisy = replace(
        exact, tables=tuple(replace(t, noise=NoiseLaw(law="gaussian", sd=sd), radius=Fraction(9)) for t in exact.tables)
    )
    layout = lay_out(noisy, feature_map)
    law = LawRoute(layout, count=50, failure=BETA, gaussian=True)
    first, second = coefficients(noisy, feature_map)
    covariance = np.einsum("ca,cb->ab", first, first) * float(sd) ** 2
    variance = np.einsum("cij,cjk->ik", second, second) * float(sd) ** 2
    from mechanisms.models.certify.marginal_norms import _main_part, _pair_part

    ours = _main_part(law) + _pair_part(law)
    size = layout.size
    got = np.array([[float(int(ours[i, j].p)) / float(int(ours[i, j].q)) for j in range(size)] for i in range(size)])
    assert np.allclose(got, variance, atol=1e-12)
    top = np.linalg.eigvalsh(covariance)
    t = np.log(1 / float(BETA))
    hanson = np.sqrt(top.sum() + 2 * np.sqrt(t * (top**2).sum()) + 2 * t * top[-1])
    assert float(first_noise(law, failure=BETA, gaussian=False)) == pytest.approx(hanson, rel=1e-4)
    assert float(first_noise(law, failure=BETA, gaussian=True)) <= hanson * (1 + 1e-4)
    chernoff = np.sqrt(2 * np.linalg.eigvalsh(variance)[-1] * np.log(2 * size / float(BETA)))
    assert float(second_noise(law, failure=BETA, gaussian=False)) == pytest.approx(chernoff, rel=1e-4)
    assert float(second_noise(law, failure=BETA, gaussian=True)) <= chernoff * (1 + 1e-4)
    entries = np.einsum("cij,cij->ij", second, second) * float(sd) ** 2
    found = moments_of_marginals(noisy, feature_map, BETA)
    count = size + size * (size + 1) // 2 + sum(SCHEMA.domain.sizes)
    z = float(LawRoute(layout, count=count, failure=BETA * Fraction(33, 100), gaussian=True).quantile)
    assert np.allclose(floats(found.radii_second), z * np.sqrt(np.maximum(entries, 0)), atol=1e-7)


def test_intervals_of_cells_count_every_cell_once() -> None:
    codes = records(4, 40)
    noisy = shifted(exact_tables(codes, SCHEMA, [(0, 2)]), 1, 0)
    tables = tuple(replace(t, radius=Fraction(1, 1000)) for t in noisy.tables)
    route = CellRoute(lay_out(replace(noisy, tables=tables), LINEAR))
    first, _, third = route.layout.columns
    g = [Fraction(0), Fraction(5), Fraction(7)]
    entry = route.one_way(first, g)
    assert entry is not None
    assert entry.radius == Fraction(4 * (5 + 2), 1000)  # four cells a share, and 5 is the constant that is free
    block = route.products(first, third)
    assert block is not None
    assert block[0][0].radius == Fraction(1, 1000) * first.weights[0] * third.weights[0]
    assert route.products(first, route.layout.label) is None


# --- releases and files --------------------------------------------------------------------------------------------


def simulated(**changes: Any) -> Marginals:
    asked: dict[str, Any] = {
        "epsilon": 2,
        "dp_delta": "1e-6",
        "adjacency": "replace-one",
        "mode": "simulate",
        "seed": 3,
    }
    return release_marginals(records(1, 400), SCHEMA, **(asked | changes))


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
@pytest.mark.parametrize("mode", ["simulate", "release"])
@pytest.mark.parametrize("mechanism", ["gaussian", "laplace", "linf"])
def test_releases_are_read_back_and_hold_the_moments(adjacency: str, mode: str, mechanism: str, tmp_path: Path) -> None:
    codes = records(1, 400)
    made = release_marginals(
        iter([codes[:150], codes[150:]]),
        SCHEMA,
        pairs=[("c0", "c1"), ("c3", "c0"), ("c1", "c3")],
        epsilon=50,
        dp_delta="1e-6" if mechanism == "gaussian" else None,
        adjacency=adjacency,
        mode=mode,
        beta="1e-9",
        mechanism=mechanism,
        seed=4 if mode == "simulate" else None,
        least_size=390 if adjacency == "add-remove" else None,
    )
    assert [table.columns for table in made.tables] == [(2,), (0, 1), (0, 3), (1, 3)]
    (tmp_path / "release.json").write_text(made.to_text(), encoding="utf-8")
    assert read_marginals(tmp_path / "release.json") == made
    assert made.has_laws == (mechanism == "gaussian")
    found = moments_of_marginals(made, LINEAR, "1e-9")
    require_within(found, codes)
    assert found.missing_pairs == (("c0", "c2"), ("c1", "c2"), ("c2", "c3"))
    assert found.missing_columns == ()


def test_simulations_repeat_and_releases_do_not() -> None:
    assert simulated() == simulated()
    assert simulated(seed=4).tables[0].counts != simulated().tables[0].counts
    first, second = (simulated(mode="release", seed=None, epsilon="0.1") for _ in range(2))
    assert first.tables != second.tables
    assert "NOT A RELEASE" in simulated().to_text()
    assert "NOT A RELEASE" not in first.to_text()


def test_noise_is_that_of_the_tables_released() -> None:
    few, many = simulated(pairs=[("c0", "c1")]), simulated()
    assert few.plan is not None
    assert many.plan is not None
    assert few.plan.sensitivity.amount == 6  # two one-way tables and a pair, two cells each
    assert many.plan.sensitivity.amount == 12
    assert simulated(one_way=["c0"]).plan.sensitivity.amount == 14  # type: ignore[union-attr]
    plan = plan_marginals(
        SCHEMA, [(0, 1)], epsilon=1, dp_delta="1e-6", adjacency=Adjacency.REPLACE_ONE, size=400, beta=BETA,
        mode="release", mechanism=None,
    )  # fmt: skip
    assert plan.count == 6
    assert plan.sensitivity.amount == 2
    assert stated_error(plan) == (plan.quantile, NoiseLaw(law="sub-gaussian", sd=plan.scale / 400))
    hidden = plan_marginals(
        SCHEMA, [(0, 1)], epsilon=1, dp_delta="1e-6", adjacency=Adjacency.ADD_REMOVE, size=400, beta=BETA,
        mode="release", mechanism=None,
    )  # fmt: skip
    law = NoiseLaw(law="sub-gaussian", sd=hidden.scale * hidden.unit, rounding=hidden.unit / 2)
    assert stated_error(hidden) == (hidden.quantile, law)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": None}, "seed is"),
        ({"mode": "release"}, "seed is"),
        ({"adjacency": "add-remove"}, "least-size is for --adjacency add-remove"),
        ({"least_size": 10}, "least-size is for --adjacency add-remove"),
        ({"pairs": [("c0", "c0")]}, "pairs = c0 x c0: must be two different columns"),
        ({"pairs": [("c0", "x")]}, "pairs = c0 x x: must be two different columns"),
        ({"pairs": [("c0", "c1"), ("c1", "c0")]}, "pairs = c0 x c1: must be given once"),
        ({"one_way": ["x"]}, "one_way = x: must be a column"),
        ({"one_way": ["c0", "c0"]}, "one_way = c0: must be given once"),
        ({"epsilon": 0}, "epsilon = 0"),
        ({"mode": "x"}, "mode = x"),
    ],
)
def test_bad_calls_are_refused_in_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        simulated(**changes)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_release_needs_a_public_schema_and_records_of_it() -> None:
    drafted = replace(SCHEMA, source="data-dependent")
    with pytest.raises(DataError, match="public"):
        release_marginals(records(1, 9), drafted, epsilon=1, adjacency="replace-one", mode="release")
    with pytest.raises(DataError, match="outside its attribute's range"):
        release_marginals(records(1, 9) + 3, SCHEMA, epsilon=1, adjacency="replace-one", mode="release")
    with pytest.raises(ParameterError, match="no records"):
        release_marginals(records(1, 9)[:0], SCHEMA, epsilon=1, adjacency="replace-one", mode="release")
    with pytest.raises(UsageError, match="other columns"):
        moments_of_marginals(simulated(), build_feature_map(schema_with(3, 2), label="c1"), BETA)
    assert choose_tables(SCHEMA, pairs=[])[:2] == ((0,), (1,))


def changed(edit: Any, *, sign: bool = True, **release: Any) -> str:
    body = simulated(**release).to_json()
    edit(body)
    if sign:
        body["digest"] = digest_of(body)
    return json.dumps(body)


def put(*path: Any) -> Any:
    """An edit: the last argument goes where the others lead."""
    *way, last, value = path

    def edit(body: Any) -> None:
        for step in way:
            body = body[step]
        body[last] = value

    return edit


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (put("synthbounds_release", 2), "synthbounds_release = 2: must be 1"),
        (put("kind", "moments"), "kind ="),
        (put("mode", "x"), "mode ="),
        (put("mode", "release"), "stamp ="),
        (put("stamp", None), "stamp = null"),
        (put("statistic", "means"), "statistic ="),
        (put("adjacency", "swap"), "adjacency ="),
        (put("adjacency", "add-remove"), "states least_size"),
        (put("least_size", 5), "and not least_size"),
        (put("n", 0), "n = 0: must be at least 1"),
        (put("n", 401), "denominator ="),
        (put("n", 2.5), "n = 2.5: must be a whole number"),
        (put("beta", "1"), "beta ="),
        (put("beta", 0.05), "beta = 0.05: must be a whole number; exact ones are in quotes"),
        (put("beta", "1/10"), "radius and noise"),
        (put("budget", None), "a budget is stated exactly"),
        (put("budget", "epsilon", "4"), "radius and noise"),
        (put("budget", "epsilon", "-1"), "epsilon = -1"),
        (put("budget", "mechanism", "laplace"), "dp_delta or sensitivity"),
        (put("budget", "mechanism", 3), "mechanism = 3: must be text"),
        (put("budget", "sensitivity", "amount", "1"), "dp_delta or sensitivity"),
        (put("budget", "sensitivity", "norm", "L1"), "dp_delta or sensitivity"),
        (put("seed", -1), "seed = -1: must be at least 0"),
        (put("tables", []), "tables must be a list"),
        (put("tables", 0, "columns", ["c0", "zz"]), "columns ="),
        (put("tables", 0, "columns", ["c1", "c0"]), "in its order"),
        (put("tables", 0, "counts", [1, 2]), "has 2 cells; its columns have 6"),
        (put("tables", 0, "counts", 2, "x"), 'counts[2] = "x"'),
        (put("tables", 0, "counts", 2, 1.5), "counts[2] = 1.5"),
        (put("tables", 0, "counts", 2, None), "counts[2] = null"),
        (put("tables", 0, "denominator", 7), "denominator = 7"),
        (put("tables", 0, "radius", "-1"), "radius = -1: must be at least 0"),
        (put("tables", 0, "radius", "1/1000"), "radius and noise"),
        (put("tables", 0, "noise", None), "radius and noise"),
        (put("tables", 0, "noise", "law", "cauchy"), "law ="),
        (put("tables", 0, "noise", "sd", "1/9"), "radius and noise"),
        (put("tables", 0, "more", 1), "is not a field"),
        (put("more", 1), "is not a field"),
        (lambda body: body.pop("tables"), "tables is missing"),
        (lambda body: body["tables"].append(body["tables"][0]), "is not that of gaussian noise on these tables"),
        (lambda body: body.pop("seed"), "a seed is stated exactly"),
        (put("schema", "columns", 0, "levels", ["a"]), "levels"),
    ],
)
def test_what_does_not_add_up_is_refused_in_one_line(edit: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_marginals(changed(edit))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_changed_files_are_refused() -> None:
    text = simulated().to_text()
    assert parse_marginals(text) == simulated()
    with pytest.raises(DataError, match="digest"):
        parse_marginals(changed(put("tables", 0, "counts", 0, 5), sign=False))
    with pytest.raises(DataError, match="NaN"):
        parse_marginals(text.replace('"kind"', '"x": NaN, "kind"'))
    with pytest.raises(DataError, match="twice"):
        parse_marginals(text.replace('"kind"', '"kind": 1, "kind"', 1))
    with pytest.raises(DataError, match="must be a whole number"):
        parse_marginals(text.replace('"n": 400', '"n": ' + "4" * 5000))
    with pytest.raises(DataError, match="ends early"):
        parse_marginals(text[:-3])
    released = simulated(mode="release", seed=None).to_json()
    released["schema"]["source"] = "data-dependent"
    released["digest"] = digest_of(released)
    with pytest.raises(DataError, match="public"):
        parse_marginals(json.dumps(released))


def test_tables_made_elsewhere_are_taken_at_their_word() -> None:
    made = shifted(exact_tables(records(6, 30), SCHEMA, ALL), 2, 1)
    assert parse_marginals(made.to_text()) == made
    big = replace(made, tables=(replace(made.tables[0], denominator=10**20), *made.tables[1:]))
    assert '"100000000000000000000"' in big.to_text()
    assert parse_marginals(big.to_text()) == big
