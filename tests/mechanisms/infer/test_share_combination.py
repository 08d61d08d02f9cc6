"""The weights of noisy tables against numpy's least squares, and the joint law of several shares."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.errors import UsageError
from mechanisms.infer.shares import combination
from mechanisms.infer.shares.combination import Combination, best_combination
from mechanisms.infer.shares.event import Event
from mechanisms.infer.shares.functional import share_of, weighted
from mechanisms.infer.shares.joint import joint_sums
from mechanisms.infer.shares.noisy_sum import NORMAL, combination_for, measured
from mechanisms.infer.shares.shown import ShownTable, ShownTables
from release.data.domain import Domain
from release.data.schema import schema_of_domain

SIZES, NAMES = (2, 3, 4), ("a", "b", "c")


def event(column: int, *codes: int, sizes: tuple[int, ...] = SIZES) -> Event:
    return Event(column=column, name=NAMES[column], codes=codes, size=sizes[column], texts=tuple(map(str, codes)))


def tables_of(
    joint: np.ndarray, sets: list[tuple[int, ...]], variances: list[Fraction], seed: int | None = None, **more: object
) -> ShownTables:
    """Tables of a joint law of three columns, with errors that add up to nothing in particular."""
    drawn, found = np.random.default_rng(seed), []
    for places, variance in zip(sets, variances, strict=True):
        others = tuple(i for i in range(len(SIZES)) if i not in places)
        cells = joint.sum(axis=others).ravel()
        noise = drawn.normal(scale=float(variance) ** 0.5, size=len(cells)) if seed is not None else 0 * cells
        counts = tuple(round(float(x) * 10**12) for x in cells + noise)
        found.append(ShownTable(columns=places, counts=counts, denominator=10**12, known="gaussian", variance=variance))
    return ShownTables(
        schema=schema_of_domain(Domain(SIZES, NAMES)),
        size=1000,
        n_is_public=True,
        is_simulated=True,
        tables=tuple(found),
        **more,  # type: ignore[arg-type]
    )


def least_squares(shown: ShownTables, indicator: np.ndarray) -> tuple[float, float]:
    """The estimate and the variance of the best unbiased linear combination, from the pseudoinverse."""
    points = list(product(*map(range, SIZES)))
    rows, values, deviations = [], [], []
    for table in shown.tables:
        shape = [SIZES[i] for i in table.columns]
        for cell, codes in enumerate(product(*map(range, shape))):
            rows.append(
                [float(all(point[i] == code for i, code in zip(table.columns, codes, strict=True))) for point in points]
            )
            values.append(table.counts[cell] / table.denominator)
            deviations.append(float(table.variance) ** 0.5)
    design, sd = np.array(rows), np.array(deviations)
    # constants are free, because all shares add up to 1: weights u/sd must give the indicator up to a constant
    centre = np.eye(len(points)) - 1 / len(points)
    u, *_ = np.linalg.lstsq(centre @ (design / sd[:, None]).T, centre @ indicator, rcond=None)
    weights = u / sd
    constant = float((indicator - design.T @ weights).mean())
    return constant + float(weights @ np.array(values)), float(u @ u)


def indicator_of(*events: Event) -> np.ndarray:
    return np.array([all(p[e.column] in e.codes for e in events) for p in product(*map(range, SIZES))], dtype=float)


SETS = [(0,), (1,), (0, 1), (0, 2), (1, 2)]


@given(
    used=st.sets(st.integers(0, 4), min_size=1),
    variances=st.lists(st.fractions(Fraction(1, 100), 2, max_denominator=100), min_size=5, max_size=5),
    which=st.sampled_from(
        [
            (event(0, 1),),
            (event(1, 0, 2),),
            (event(2, 3),),
            (event(0, 0), event(1, 1)),
            (event(1, 1, 2), event(2, 0, 1)),
        ]
    ),
)
@settings(max_examples=60, deadline=None)
def test_it_is_what_least_squares_finds(used: set[int], variances: list[Fraction], which: tuple[Event, ...]) -> None:
    joint = np.random.default_rng(3).dirichlet(np.ones(24)).reshape(SIZES)
    sets = [SETS[i] for i in sorted(used)]
    shown = tables_of(joint, sets, [variances[i] / 10**6 for i in sorted(used)], seed=5)
    columns = {one.column for one in which}
    if not any(columns <= set(places) for places in sets):
        with pytest.raises(UsageError, match="no table"):
            combination_for(share_of(*which), shown, NORMAL)
        return
    found = measured(combination_for(share_of(*which), shown, NORMAL), shown)
    estimate, variance = least_squares(shown, indicator_of(*which))
    assert float(found.variance) == pytest.approx(variance, rel=1e-7)
    assert float(found.estimate) == pytest.approx(estimate, abs=1e-9)


def test_without_noise_it_is_the_share() -> None:
    joint = np.random.default_rng(1).dirichlet(np.ones(24)).reshape(SIZES)
    shown = tables_of(joint, SETS, [Fraction(1, i + 1) for i in range(5)])
    for events in [(event(1, 2),), (event(0, 1), event(2, 1, 3))]:
        found = combination_for(share_of(*events), shown, NORMAL).estimate(shown.tables, SIZES)
        assert float(found) == pytest.approx(float(indicator_of(*events) @ joint.ravel()), abs=1e-10)


def test_two_values_in_all_pairs_have_the_known_weight() -> None:
    """1/(2 sum of 1/t_j) of a cell's variance, t_j the numbers of codes of the others: n - N0 is N1."""
    shown = tables_of(np.full(SIZES, 1 / 24), [(0, 1), (0, 2)], [Fraction(1)] * 2)
    assert measured(combination_for(share_of(event(0, 1)), shown, NORMAL), shown).variance == Fraction(6, 7) * Fraction(
        1
    )


def test_seeded_bugs_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    joint = np.random.default_rng(1).dirichlet(np.ones(24)).reshape(SIZES)
    shown = tables_of(
        joint, [(0, 1), (1, 2), (0, 2)], [Fraction(1, 10**6), Fraction(3, 10**6), Fraction(1, 10**6)], seed=2
    )
    asked = (event(0, 1), event(1, 1))

    def right() -> bool:
        found = measured(combination_for(share_of(*asked), shown, NORMAL), shown)
        estimate, variance = least_squares(shown, indicator_of(*asked))
        return abs(float(found.variance) / variance - 1) < 1e-7 and abs(float(found.estimate) - estimate) < 1e-9

    assert right()
    precision = combination._precision
    monkeypatch.setattr(
        combination, "_precision", lambda places, v, place, sizes: precision(places, v, place, (1, 1, 1))
    )
    assert not right(), "cells that go with one code"
    monkeypatch.undo()
    monkeypatch.setattr(combination.Part, "cells", property(lambda part: len(part.codes[0])))
    assert not right(), "variance of a wrong number of cells"
    monkeypatch.undo()
    estimate = Combination.estimate
    monkeypatch.setattr(Combination, "estimate", lambda self, *a: estimate(self, *a) - self.constant)
    assert not right(), "the known total"
    monkeypatch.undo()
    assert right()


def test_the_joint_law_is_that_of_each() -> None:
    joint = np.random.default_rng(4).dirichlet(np.ones(24)).reshape(SIZES)
    shown = tables_of(joint, [(0, 1), (1, 2), (0, 2)], [Fraction(1), Fraction(2), Fraction(3)], seed=2)
    both, group = (event(0, 1), event(1, 1)), (event(1, 1),)
    told = [(Fraction(0), both)]
    functionals = [weighted([*told, (Fraction(1), events)]) for events in (both, group)]
    sums = joint_sums(functionals, shown)
    for place, events in enumerate((both, group)):
        alone = measured(combination_for(share_of(*events), shown, NORMAL), shown)
        unit = [Fraction(i == place) for i in range(2)]
        assert sums.estimates[place] == alone.estimate
        assert sums.covariance(unit, unit) == alone.variance
    # X - Y: those of the group outside of the event
    outside = measured(combination_for(share_of(event(0, 0), event(1, 1)), shown, NORMAL), shown)
    difference = [Fraction(1), Fraction(-1)]
    assert sums.covariance(difference, difference) == outside.variance
    assert sums.estimates[0] - sums.estimates[1] == -outside.estimate


def test_copies_of_a_table_count_as_often_as_they_are_there() -> None:
    once = best_combination(share_of(event(0, 1)), [((0,), Fraction(1))], SIZES, NAMES)
    twice = best_combination(share_of(event(0, 1)), [((0,), Fraction(1)), ((0,), Fraction(1))], SIZES, NAMES)
    assert sum(p.coefficient**2 * p.cells for p in twice.parts) * 2 == sum(
        p.coefficient**2 * p.cells for p in once.parts
    )
