"""Errors of pairs of columns: as long as the noise is within its bounds, no cell of any pair is farther off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mechanisms.synth import pair_errors as module
from mechanisms.synth.known import known_from_log, known_from_marginals, known_from_moments, log_event, moments_event
from mechanisms.synth.one_way import measured_shares
from mechanisms.synth.pair_errors import COLUMNS, PRODUCTS, TABLE, WIDER, pair_errors
from release.cross_moments.make import release_cross_moments
from release.data.counting import counts
from release.log.make import OpenLog
from release.marginals.make import release_marginals
from release.noise.randomness import read_randomness
from release.statistics.cross_moments import cross_sums
from tests import cross_examples, log_examples
from tests.cross_examples import SCHEMA, table

SIZES = SCHEMA.domain.sizes
PAIRS = list(combinations(range(len(SIZES)), 2))
BETA = Fraction(9, 10)
"""So that radii are small, and bounds that are too small are found out."""
KINDS = ["moments", "hidden moments", "log", "merged log", "hidden log", "wide log"]


def rows_near(seed: int) -> Any:
    """A finished table: other records, of columns that are partly shuffled."""
    rows = table(700, seed + 1000)
    stream = np.random.default_rng(seed)
    rows[:, seed % 5] = stream.permutation(rows[:, seed % 5])
    return rows


def moments(seed: int, adjacency: str, real: Any) -> Any | None:
    size = 1900 if adjacency == "add-remove" else len(real)
    plan = cross_examples.plan(adjacency=adjacency, size=size, epsilon=30)
    release = release_cross_moments(real, plan, read_randomness("simulate", seed=seed))
    event, true = moments_event(release, BETA), cross_sums(real, release.encoding)
    holds = all(
        abs(noisy - exact) <= radius
        for values, exacts, radius in (
            (release.one_way_counts, true.one_way, event.count_radius),
            (release.cross_sums, true.cross, event.cross_radius),
        )
        for noisy, exact in zip(values, exacts, strict=True)
    )
    rows = rows_near(seed)
    known = known_from_moments(release, rows, BETA)
    return SimpleNamespace(release=release, rows=rows, known=known, schema=SCHEMA) if holds else None


def log(seed: int, adjacency: str, real: Any, *, merged: bool = False, wide: bool = False) -> Any | None:
    size = 1900 if adjacency == "add-remove" else len(real)
    plan = log_examples.plan(adjacency=adjacency, size=size, epsilon=30)
    opened = OpenLog(real, plan, log_examples.randomness_of(plan, seed=seed))
    if wide:
        rho = opened.left
        opened.measure([(place,) for place in range(5)], rho=rho / 2)
        opened.measure([(1, 2, 3)], rho=opened.left)
        found = opened.close()
    else:
        found = log_examples.run_log(opened, merged=merged)
    bounds, _ = log_event(found, BETA)
    like = real
    if found.groups is not None:
        like = np.column_stack([np.array(g)[real[:, u]] for u, g in enumerate(found.groups)])
    for one in bounds:
        single = len(one.columns) == 1
        sizes = found.shape.sizes if single else found.shape.merged
        exact = counts(real if single else like, sizes, [one.columns])[one.columns].ravel()
        if max(abs(int(a) - b) for a, b in zip(exact, one.counts, strict=True)) > one.radius:
            return None
    rows = rows_near(seed)
    return SimpleNamespace(release=found, rows=rows, known=known_from_log(found, rows, BETA), schema=SCHEMA)


def tables(kind: str, seeds: int) -> Iterator[tuple[Any, Any]]:
    """Real records, and what was made of them, where the noise is where it is supposed to be."""
    for seed in range(seeds):
        real = table(2000, seed)
        adjacency = "add-remove" if "hidden" in kind else "replace-one"
        if "moments" in kind:
            found = moments(seed, adjacency, real)
        else:
            found = log(seed, adjacency, real, merged="merged" in kind, wide="wide" in kind)
        if found is not None:
            yield real, found


def cell_error(real: Any, rows: Any, pair: tuple[int, int]) -> Fraction:
    one, other = (counts(codes, SIZES, [pair])[pair].ravel().tolist() for codes in (real, rows))
    return max(abs(Fraction(a, len(real)) - Fraction(b, len(rows))) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_no_cell_is_farther_off(kind: str) -> None:
    seen, routes = 0, set()
    for real, found in tables(kind, 12):
        errors = pair_errors(found, range(5))
        assert list(errors) == PAIRS
        for pair, one in errors.items():
            assert cell_error(real, found.rows, pair) <= one.error <= 1, (pair, one)
            routes.add(one.by)
        seen += 1
    assert seen >= 2
    assert COLUMNS in routes
    assert ({"moments": PRODUCTS, "wide log": WIDER}.get(kind.removeprefix("hidden "), TABLE)) in routes


BUGS: dict[str, tuple[str, str, Any]] = {
    "merged codes": ("merged log", "_largest_merged", lambda *_: Fraction(0)),
    "signs as indicators": ("moments", "_is_sign", lambda *_: False),
}


@pytest.mark.parametrize("bug", BUGS)
def test_seeded_bugs_are_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, name, wrong = BUGS[bug]
    monkeypatch.setattr(module, name, wrong)
    assert any(
        cell_error(real, found.rows, pair) > one.error
        for real, found in tables(kind, 12)
        for pair, one in pair_errors(found, range(5)).items()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_whiskers_hold_the_real_shares(kind: str) -> None:
    """Under both adjacencies; the noisy shares themselves are those of the release."""
    for real, found in tables(kind, 8):
        for place, measured in enumerate(measured_shares(found.release, BETA)):
            assert measured is not None
            exact = np.bincount(real[:, place], minlength=SIZES[place]).tolist()
            for count, share, radius in zip(exact, measured.shares, measured.radius, strict=True):
                assert abs(Fraction(count, len(real)) - share) <= radius


def test_marginals_have_shares_of_every_column_that_they_hold() -> None:
    real = table(2000)
    asked: dict[str, Any] = {"epsilon": Fraction(1), "dp_delta": Fraction(1, 10**6), "mode": "simulate", "seed": 1}
    made = release_marginals(
        real, SCHEMA, pairs=[("age", "pays"), ("age", "town")], one_way=("owns",), beta=Fraction(1, 20),
        adjacency="replace-one", **asked,
    )  # fmt: skip
    found = measured_shares(made, made.beta)
    assert [one is None for one in found] == [False, False, False, False, True]
    age, town, pays, owns = (one for one in found if one is not None)
    radius = made.tables[0].radius
    assert (set(owns.radius), set(age.radius), set(town.radius), set(pays.radius)) == (
        {radius}, {2 * radius}, {7 * radius}, {7 * radius}
    )  # fmt: skip
    for place, one in enumerate((age, town, pays, owns)):
        exact = np.bincount(real[:, place], minlength=SIZES[place]).tolist()
        assert all(abs(Fraction(c, 2000) - s) <= one.radius[0] for c, s in zip(exact, one.shares, strict=True))
    alone = replace(made, tables=made.tables[-1:])
    assert sum(one is not None for one in measured_shares(alone, alone.beta)) <= 2
    single = release_marginals(
        real, SCHEMA, pairs=(), one_way=SCHEMA.names, beta=BETA, adjacency="replace-one", **asked
    )
    rows = rows_near(1)
    as_table = SimpleNamespace(release=single, rows=rows, known=known_from_marginals(single, rows), schema=SCHEMA)
    assert {one.by for one in pair_errors(as_table, range(5)).values()} == {COLUMNS}  # type: ignore[arg-type]
