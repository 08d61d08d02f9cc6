"""Rows of a graphical model, models and rows of logs, and moves of potentials between tables."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from mechanisms.pgm import algebra, from_log
from mechanisms.pgm.certificate import certify_fit
from mechanisms.pgm.dual import Dual, shares_wanted
from mechanisms.pgm.estimate import Estimator
from mechanisms.pgm.from_log import estimate_log, rows_of_log
from mechanisms.pgm.gauge import Gauge
from mechanisms.pgm.layout import Layout
from mechanisms.pgm.measured import MeasuredTable
from mechanisms.pgm.rows import draw
from release.log.impossible import Impossible
from tests.cross_examples import SCHEMA
from tests.graphical_examples import joint_of, others, random_example
from tests.log_examples import GROUPS, ZEROS, made

LOG = made(epsilon=4)
MERGED = made(epsilon=4, merged=True, impossible=(ZEROS,))


def counted(rows, sizes, columns):
    found = np.zeros([sizes[u] for u in columns])
    np.add.at(found, tuple(rows[:, list(columns)].T), 1)
    return found


# --- rows --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 7, 300, 5000])
def test_rows_are_as_near_to_measured_tables_as_few_rounded_cells(k):
    example = random_example(np.random.default_rng(12))
    model = example.estimator().fit()
    rows = model.rows(k, np.random.default_rng(3))
    assert rows.shape == (k, 5)
    assert ((rows >= 0) & (rows < np.array(example.sizes))).all()
    for scope in model.scopes:
        assert np.abs(counted(rows, example.sizes, scope) - k * model.marginal(scope)).max() <= 5


def test_rows_of_many_streams_have_the_law_of_the_model():
    """Systematic rounding keeps expectations: over many streams every cell of the whole table has its share."""
    example = random_example(np.random.default_rng(2), columns=3)
    model = example.estimator().fit()
    joint, _ = joint_of(model)
    stream, draws, k = np.random.default_rng(8), 150, 40
    found = sum(counted(model.rows(k, stream), example.sizes, range(3)) for _ in range(draws)) / (draws * k)
    assert np.abs(found - joint).max() < 4 * np.sqrt(joint.max() / (draws * k))
    single = counted(model.rows(draws * k, stream), example.sizes, range(3)) / (draws * k)
    assert np.abs(single - joint).sum() < np.abs(stream.multinomial(6000, joint.ravel()) / 6000 - joint.ravel()).sum()


def test_rows_of_numbers_too_small_are_drawn_in_logarithms(monkeypatch):
    model = random_example(np.random.default_rng(4)).estimator().fit()
    model.rows(9, np.random.default_rng(1))
    monkeypatch.setattr(algebra, "LEAST_TOP", 1e300)  # whatever linear space has is then too small
    with pytest.raises(algebra.Underflow):
        draw(model.law.sweep, 9, np.random.default_rng(1))
    rows = model.rows(999, np.random.default_rng(1))
    for scope in model.scopes:
        assert np.abs(counted(rows, model.sizes, scope) - 999 * model.marginal(scope)).max() <= 5


def test_rows_are_a_function_of_model_and_stream():
    model = random_example(np.random.default_rng(4)).estimator().fit()
    one, same, other = (model.rows(99, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


# --- logs --------------------------------------------------------------------------------------------------------


def test_a_model_of_a_log_is_near_the_one_estimate_and_its_rows_near_the_model():
    said: list[str] = []
    model = estimate_log(LOG, say=said.append)
    assert "MB" in said[0]  # what it needs is told before it starts
    assert "gap" in said[1]
    assert certify_fit(model).l1 < 0.005
    rows = rows_of_log(LOG, model, 2000)
    assert rows.dtype == SCHEMA.domain.code_type
    for step in LOG.tables:
        shares = model.marginal(step.columns)
        assert np.abs(counted(rows, model.sizes, step.columns) - 2000 * shares).max() <= 8
        assert np.abs(2000 * shares.ravel() - step.counts).max() < 6 * float(step.sd)


def test_rows_of_a_log_are_the_same_for_everybody_and_others_with_a_seed():
    rows = [rows_of_log(LOG, estimate_log(LOG), 200, seed=seed) for seed in (None, None, 0, 1)]
    assert (rows[0] == rows[1]).all()
    assert all((one != other).any() for one, other in combinations(rows[1:], 2))


def test_merged_codes_come_apart_by_the_shares_of_one_way_tables():
    model = estimate_log(MERGED)
    assert model.sizes == MERGED.shape.merged
    rows = rows_of_log(MERGED, model, 4000)
    for u, group in enumerate(GROUPS):
        step = next(step for step in MERGED.tables if step.columns == (u,))
        expected = 4000 * np.maximum(step.counts, 0) / sum(step.counts)
        assert np.abs(np.bincount(rows[:, u], minlength=len(group)) - expected).max() < 4 * 6 * float(step.sd)
        merged = np.array(group)[rows[:, u]]
        assert np.abs(np.bincount(merged) - 4000 * model.marginal((u,))).max() <= 8


def test_no_row_has_what_is_impossible_also_within_merged_codes(monkeypatch):
    zeros = Impossible((0, 3), ((0, 1), (5, 0), (5, 1)))  # nobody has the code 5, which is merged with the code 6
    log = replace(MERGED, impossible=(zeros,))
    assert np.argwhere(from_log._impossible(log)[(0, 3)]).tolist() == [[0, 1]]
    model = estimate_log(log)
    rows = rows_of_log(log, model, 4000)
    cells = zeros.cells(SCHEMA.domain.sizes)
    assert not cells[rows[:, 0], rows[:, 3]].any()
    monkeypatch.setattr(from_log, "_redrawn", lambda *_: False)
    rows = rows_of_log(log, model, 4000)
    assert cells[rows[:, 0], rows[:, 3]].any()


def test_merged_counts_have_the_deviation_of_their_sum():
    step = next(step for step in MERGED.tables if step.columns == (0,))
    table = from_log.merged_table(step, MERGED.shape)
    assert table.counts.tolist() == [*step.counts[:5], step.counts[5] + step.counts[6]]
    assert table.deviations.tolist() == pytest.approx([float(step.sd)] * 5 + [float(step.sd) * 2**0.5])


# --- moves -------------------------------------------------------------------------------------------------------


def dual_of(example):
    tables = {table.columns: table for table in example.tables}
    layout = Layout(example.sizes, sorted(tables, key=lambda scope: (len(scope), scope)))
    cells = sum(layout.lengths)
    measured = [tables[scope] for scope in layout.scopes]
    return Dual(layout, measured, fixed=np.zeros(cells), possible=np.ones(cells, bool), total=example.total), measured


@pytest.mark.parametrize("seed", range(4))
def test_moves_keep_the_law_and_end_where_the_cost_is_least(seed):
    """Against the least squares solution over all directions that no record notices, found by singular values."""
    stream = np.random.default_rng(seed)
    example = random_example(stream, columns=4)
    dual, _ = dual_of(example)
    layout = dual.layout
    records = np.indices(example.sizes).reshape(4, -1)
    rows = np.zeros((sum(layout.lengths), records.shape[1]))
    for scope, start in zip(layout.scopes, layout.starts, strict=True):
        cells = np.ravel_multi_index(tuple(records[list(scope)]), [example.sizes[u] for u in scope])
        rows[start + cells, np.arange(records.shape[1])] = 1
    place = stream.normal(size=sum(layout.lengths))
    theta, found = place * dual.scale, dual.eta(place) + dual.offset
    difference = (found - theta) @ rows
    np.testing.assert_allclose(difference, difference[0], atol=1e-8)  # constants are moves, too
    left, values, _ = np.linalg.svd(rows - rows.mean(axis=1, keepdims=True))
    unseen = left[:, np.concatenate([values, np.zeros(len(left) - len(values))]) < 1e-9]
    slopes = [(unseen.T @ rows)[:, 0] + unseen.T @ (dual.prices * at - dual.wanted) for at in (theta, found)]
    assert np.abs(slopes[1]).max() < 1e-9 * np.abs(slopes[0]).max()
    np.testing.assert_allclose(dual.eta(dual.place(dual.eta(place))), dual.eta(place), atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_slope_of_the_dual_is_its_derivative(seed):
    stream = np.random.default_rng(seed)
    dual, _ = dual_of(random_example(stream, columns=4, sd=30.0))
    place = stream.normal(size=len(dual.scale))
    _, slope = dual(place)
    direction = stream.normal(size=len(place))
    step = 1e-5
    difference = (dual(place + step * direction)[0] - dual(place - step * direction)[0]) / (2 * step)
    assert difference == pytest.approx(float(slope @ direction), rel=1e-5)


def test_tables_without_one_price_are_left_alone():
    layout = Layout((2, 2), [(0,), (1,), (0, 1)])
    theta = np.arange(8.0)
    assert (Gauge(layout, [None, None, 1.0])(theta) == theta).all()
    moved = Gauge(layout, [1.0, None, 1.0])(theta)
    assert (moved[2:4] == theta[2:4]).all()
    assert (moved != theta).any()


def test_counts_with_deviations_of_their_own_are_fitted_to_the_end():
    tables = [
        MeasuredTable(columns=(0,), counts=np.array([40.0, 60.0, 5.0]), sd=np.array([1.0, 5.0, 2.0])),
        MeasuredTable(columns=(1,), counts=np.array([30.0, 66.0]), sd=2.0),
        MeasuredTable(columns=(0, 1), counts=np.array([[9.0, 33.0], [21.0, 38.0], [1.0, -2.0]]), sd=3.0),
    ]
    estimator = Estimator((3, 2), 100.0)
    for table in tables:
        estimator.add(table)
    model = estimator.fit(enough=1e-12, most_steps=500)
    assert float(certify_fit(model).gap.hi) < 1e-11
    assert shares_wanted(tables[0], np.ones(3, bool), 100.0) == pytest.approx(
        np.array([0.40, 0.60, 0.05]) - 0.05 * np.array([1, 25, 4]) / 30
    )
    assert joint_of(model)[0].sum(axis=others((3, 2), (0,)))[0] == pytest.approx(0.4, abs=0.01)
