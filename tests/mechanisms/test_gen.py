"""Gen: all tables at one exact price, the method that makes rows from them, and rows that are near."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from bounds.errors import DataError, NotApplicable, ParameterError
from bounds.privacy.adjacency import Adjacency
from mechanisms.select import gen
from mechanisms.select.gen import ESTIMATE, TILT, plan_gen, tilted_rows
from mechanisms.tilt.pair_tables import targets_of_pairs
from release.data.counting import counts
from release.log.impossible import Impossible
from tests.tree_examples import ADD, BUDGET, REPLACE, made, public, rows_of, table

MANY = (6,) * 12


@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_all_tables_are_measured_at_one_exact_price(adjacency: Adjacency, degree: int) -> None:
    log = made("gen", adjacency, degree=degree, reserve=Fraction(1, 9))
    sets = [s for k in range(1, degree + 1) for s in combinations(range(5), k)]
    rho = log.ledger.total * Fraction(8, 9)
    assert [step.columns for step in log.steps] == sets
    assert {step.rho for step in log.tables} == {rho / len(sets)}
    assert log.ledger.spent == rho
    assert log.ledger.left == 0
    (sd,) = {step.sd for step in log.tables}
    exact = len(sets) * Fraction({REPLACE: 2, ADD: 1}[adjacency]) / (2 * rho)
    assert exact <= sd**2 <= exact * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize(
    ("sizes", "settings", "generator"),
    [
        ((2, 5, 3), {}, ESTIMATE),
        ((2, 5, 3), {"degree": 3}, ESTIMATE),
        ((60_000,) * 4, {"degree": 1}, ESTIMATE),
        ((64, 64, 64), {"model_mb": 2}, ESTIMATE),
        ((64, 64, 65), {"model_mb": 2}, TILT),
        (MANY, {}, TILT),
        ((2,) * 21, {}, TILT),  # the domain would fit, 231 tables of 2^21 points are too much work
    ],
)
def test_public_facts_say_what_makes_the_rows(sizes: tuple[int, ...], settings: dict[str, int], generator: str) -> None:
    plan = plan_gen(public(REPLACE, sizes=sizes), **BUDGET, **settings)
    assert plan.generator == plan.log.settings["generator"] == generator


@pytest.mark.parametrize(
    ("sizes", "settings", "said"),
    [
        (MANY, {"degree": 3}, r"degree = 3: a model of all 298 tables has 2.18e\+09 cells; it may have 13107200"),
        ((401, 400, 399, 2, 2), {}, "of columns with at most 800 codes in all"),
        (MANY, {"impossible": (Impossible((0, 1), ((0, 0),)),)}, "none impossible"),
    ],
)
def test_what_nothing_makes_rows_of_is_refused(sizes: tuple[int, ...], settings: dict[str, object], said: str) -> None:
    with pytest.raises(NotApplicable, match=said):
        plan_gen(public(REPLACE, sizes=sizes), **BUDGET, **settings)


@pytest.mark.parametrize(
    ("sizes", "degree", "said"),
    [
        ((2, 3), 0, "degree = 0: must be between 1 and the number of columns, 2"),
        ((2, 3), 3, "degree = 3: must be between 1 and the number of columns, 2"),
        ((2,) * 60, 3, "at most 10000 tables"),
        ((60_000,) * 2, 2, "at most 67108864 cells"),
    ],
)
def test_degrees_out_of_range_are_refused(sizes: tuple[int, ...], degree: int, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        plan_gen(public(REPLACE, sizes=sizes), degree=degree, **BUDGET)


@pytest.mark.parametrize(("sizes", "n", "most"), [((2, 5, 3, 4), 3000, 0.02), ((6,) * 7, 3000, 0.06)])
def test_rows_are_near_all_pairs(sizes: tuple[int, ...], n: int, most: float) -> None:
    """Of both generators; independent columns would be several times as far."""
    log = made("gen", n=n, sizes=sizes, epsilon=Fraction(4), model_mb=1)
    rows, records = rows_of(log, n), table(n, sizes)
    pairs = list(combinations(range(len(sizes)), 2))
    real, ours = (counts(codes, sizes, pairs) for codes in (records, rows.astype(np.uint8)))
    far = [np.abs(real[pair] - ours[pair]).sum() / (2 * n) for pair in pairs]
    ends = {u: np.bincount(records[:, u], minlength=size) / n for u, size in enumerate(sizes)}
    apart = [np.abs(real[a, b] / n - np.multiply.outer(ends[a], ends[b])).sum() / 2 for a, b in pairs]
    assert np.mean(far) <= most
    assert np.mean(far) < np.mean(apart) / 3


@pytest.mark.slow
def test_a_law_that_runs_away_is_held_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hardly any noise, strong ties and hardly a price: the first law is farther off than independent columns."""
    log = made("gen", n=3000, sizes=(6,) * 7, epsilon=Fraction(30), model_mb=1)
    prices: list[float] = []

    def seen(*given: Any, least_price: float, **named: Any) -> Any:
        prices.append(least_price)
        return targets_of_pairs(*given, least_price=least_price, **named)

    monkeypatch.setattr(gen, "LEAST_PRICE", 6e-5)
    monkeypatch.setattr(gen, "targets_of_pairs", seen)
    last = tilted_rows(log, 1000).stages[-1]
    assert len(prices) > 1
    assert prices == sorted(prices)
    assert last.residual < 30


def test_cells_are_moments_of_their_indicators() -> None:
    sizes = (2, 3, 4)
    stream = np.random.default_rng(3)
    tables = {s: stream.normal(20, 5, [sizes[u] for u in s]) for k in (1, 2) for s in combinations(range(3), k)}
    targets, features = targets_of_pairs(tables, deviation=2.0, total=100.0)
    assert features.starts == (0, 2, 5, 9)
    cells = dict(zip(zip(targets.left.tolist(), targets.right.tolist(), strict=True), targets.wanted[9:], strict=True))
    assert len(cells) == 2 * 3 + 2 * 4 + 3 * 4
    for (a, b), wanted in ((pair, found) for pair, found in tables.items() if len(pair) == 2):
        for i, j in np.ndindex(wanted.shape):
            assert cells[features.starts[a] + i, features.starts[b] + j] == wanted[i, j] / 100
    assert set(targets.deviations) == {0.02}


def test_a_log_that_is_not_what_its_generator_takes_is_refused() -> None:
    log = made("gen", sizes=MANY)
    with pytest.raises(DataError, match="log: its generator is the tilt"):
        tilted_rows(replace(log, steps=log.steps[:-1]), 10)
