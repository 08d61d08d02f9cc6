"""The estimate of a graphical model: against sums over all records, in both arithmetics, with impossible cells."""

import os
import subprocess
import sys
from itertools import combinations, permutations
from math import prod

import numpy as np
import pytest

from bounds.errors import ParameterError
from mechanisms.pgm.algebra import Linear, Logs, Underflow
from mechanisms.pgm.dual import cell_wise
from mechanisms.pgm.estimate import Estimator
from mechanisms.pgm.law import Law
from mechanisms.pgm.measured import MeasuredTable
from mechanisms.pgm.need import need
from mechanisms.pgm.order import elimination, tree_cells
from mechanisms.pgm.plan import Plan
from mechanisms.pgm.sweep import Sweep
from tests.graphical_examples import exact_estimate, joint_of, others, random_example

EXAMPLES = [
    random_example(np.random.default_rng(seed), columns=3 + seed % 3, with_zeros=seed % 2 == 1) for seed in range(7)
]
EVEN = random_example(np.random.default_rng(8), sd=9.0)
UNEVEN = random_example(np.random.default_rng(8), by_cell=True, with_zeros=True)


def all_sets(sizes):
    return [c for width in range(1, len(sizes) + 1) for c in combinations(range(len(sizes)), width)]


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("in_logs", [False, True])
def test_all_marginals_and_log_z_are_those_of_all_records(example, in_logs):
    model = example.estimator().fit(most_steps=5)
    law = Law(model.law.layout, model.law.potentials, in_logs)
    joint, log_z = joint_of(model)
    assert law.log_z == pytest.approx(log_z, abs=1e-11)
    for home, shares in zip(law.layout.homes, law.home_shares, strict=True):
        np.testing.assert_allclose(shares, joint.sum(axis=others(example.sizes, home)), atol=1e-13)
    for columns in all_sets(example.sizes):
        np.testing.assert_allclose(law.joint(columns), joint.sum(axis=others(example.sizes, columns)), atol=1e-13)


@pytest.mark.parametrize("example", EXAMPLES)
def test_many_marginals_at_once_are_those_of_all_records(example):
    model = example.estimator().fit(most_steps=5)
    joint, _ = joint_of(model)
    found = model.marginals(all_sets(example.sizes))
    assert set(found) == set(all_sets(example.sizes))
    for columns, shares in found.items():
        np.testing.assert_allclose(shares, joint.sum(axis=others(example.sizes, columns)), atol=1e-13)


@pytest.mark.parametrize("example", [EXAMPLES[1], EXAMPLES[3], EXAMPLES[6], EVEN, UNEVEN])
def test_a_tight_fit_is_the_one_estimate(example):
    """Newton steps over all records know nothing of pooling, homes, sweeps or corrected sums."""
    model = example.estimator().fit(enough=1e-14, most_steps=3000)
    exact, gap = exact_estimate(example, model.bases)
    assert gap < 1e-14
    np.testing.assert_allclose(joint_of(model)[0], exact, atol=1e-9)


def test_a_fit_goes_on_where_it_was():
    example = EXAMPLES[6]
    at_once = example.estimator().fit(enough=1e-10, most_steps=2000)
    grown = Estimator(example.sizes, example.total)
    for table in example.tables:
        grown.add(table)
        last = grown.fit(enough=1e-10, most_steps=2000)
    np.testing.assert_allclose(joint_of(last)[0], joint_of(at_once)[0], atol=1e-6)
    assert last.evaluations < at_once.evaluations
    assert grown.fit(enough=1e-9).evaluations == 1


def test_small_numbers_are_left_to_logarithms():
    """Counts with hardly any noise ask for potentials far below what linear space can hold."""
    example = random_example(np.random.default_rng(9), columns=3, sd=0.02)
    model = example.estimator().fit(enough=1e-6, most_steps=2000)
    assert model.law.in_logs
    assert np.ptp(model.law.potentials) > 700
    assert model.gap_est <= 1e-6
    np.testing.assert_allclose(joint_of(model)[0], exact_estimate(example, model.bases)[0], atol=1e-6)
    rows = model.rows(200, np.random.default_rng(0))
    assert rows.max(axis=0).tolist() <= [size - 1 for size in example.sizes]


def test_products_of_logarithms_hold_what_linear_space_loses():
    first, second = np.array([[[0.0, -2000.0]]]), np.array([[[-2000.0], [0.0]]])
    assert Logs().products(first, second)[0, 0, 0] == pytest.approx(-2000 + np.log(2))
    nothing = np.full((1, 1, 2), -np.inf)
    assert Logs().products(nothing, second)[0, 0, 0] == -np.inf


@pytest.mark.parametrize("seed", [1, 3, 5])
def test_impossible_cells_have_no_share_and_no_rows(seed):
    example = random_example(np.random.default_rng(seed), with_zeros=True)
    model = example.estimator().fit()
    rows = model.rows(500, np.random.default_rng(1))
    for scope, cells in example.impossible.items():
        assert model.marginal(scope)[cells].sum() == 0
        assert not cells[tuple(rows[:, list(scope)].T)].any()


def test_facts_that_leave_nothing_are_one_clear_error():
    tables = [MeasuredTable(columns=(u,), counts=np.array([5.0, 5.0]), sd=1.0) for u in range(3)]
    same, other = np.eye(2, dtype=bool), ~np.eye(2, dtype=bool)
    for impossible in (
        {(0, 1): same, (1, 2): same, (0, 2): same},
        {(0,): np.ones(2, bool)},
        {(0,): ~same[0], (0, 1): other | [[True, False], [False, False]]},
    ):
        estimator = Estimator((2, 2, 2), 10.0, impossible=impossible)
        for table in tables:
            estimator.add(table)
        with pytest.raises(
            ParameterError, match="impossible = all records: must be facts that leave some record possible"
        ):
            estimator.fit()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Estimator((2, 2), 0.0), "total = 0.0: must be a finite number above 0"),
        (lambda: Estimator((2, 2), 9.0).fit(), "tables = 0: must be at least one"),
        (lambda: MeasuredTable(columns=(1, 0), counts=np.ones((2, 2)), sd=1.0), "columns"),
        (lambda: MeasuredTable(columns=(0,), counts=np.ones(2), sd=0.0), "sd = 0.0: must be finite numbers above 0"),
        (lambda: MeasuredTable(columns=(0,), counts=np.array([1, np.nan]), sd=1.0), "counts"),
        (lambda: Estimator((2, 2), 9.0).add(MeasuredTable(columns=(2,), counts=np.ones(2), sd=1.0)), "columns"),
        (lambda: Estimator((2, 2), 9.0).add(MeasuredTable(columns=(0,), counts=np.ones(3), sd=1.0)), "counts"),
        (lambda: EXAMPLES[0].estimator().fit(most_steps=0).marginal((1, 0)), "columns"),
        (lambda: EXAMPLES[0].estimator().fit(most_steps=0).marginal((7,)), "columns"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


def test_underflow_in_linear_space_is_noticed():
    with pytest.raises(Underflow):
        Sweep(Plan((2, 2), [(0, 1)]), [np.full((2, 2), 1e-300)], Linear())


def test_the_start_of_a_new_table_solves_its_cells():
    now, wanted = np.array([0.2, 1e-9, 0.5]), np.array([0.1, 0.3, -0.05])
    price = np.full(3, 1e-3)
    found = cell_wise(now, wanted, price)
    np.testing.assert_allclose(now * np.exp(found) + price * found, wanted, atol=1e-9)


def test_orders_do_not_depend_on_how_scopes_are_listed():
    sizes, scopes = (3, 2, 4, 2, 5), [(0, 1), (1, 2), (2, 3), (0, 3), (3, 4)]
    orders = {elimination(sizes, list(some)) for some in permutations(scopes)}
    assert len(orders) == 1


@pytest.mark.parametrize(
    ("sizes", "scopes", "cells"),
    [
        ((2, 3, 4), [], 9),
        ((2, 3, 4), [(0, 1), (1, 2)], 18),
        ((2, 3, 4), [(0, 1), (1, 2), (0, 2)], 24),
        ((2, 2, 2, 2), [(0, 1), (1, 2), (2, 3), (0, 3)], 16),
        ((9, 2, 2, 2), [(0, 1), (0, 2), (0, 3), (0,)], 54),
    ],
)
def test_cells_of_a_junction_tree(sizes, scopes, cells):
    assert tree_cells(sizes, scopes) == cells


def test_need_is_that_of_the_tables_of_a_sweep():
    sizes, scopes = (2, 3, 4), [(0, 1), (1, 2)]
    found = need(sizes, scopes)
    plan = Plan(sizes, scopes)
    kept = [
        table.size
        for pair in Sweep(plan, [np.ones((2, 3)), np.ones((3, 4))], Logs())._tables
        for table in pair
        if table is not None
    ]
    messages = sum(prod(step.folded) for step in plan.steps)
    assert found.cells == sum(kept) + messages
    assert (found.bytes, found.flops) == (8 * found.cells, 3 * plan.flops)


_PRINT = """
import hashlib, numpy as np
from tests.graphical_examples import random_example
model = random_example(np.random.default_rng(4), with_zeros=True).estimator().fit(enough=1e-3)
print(hashlib.sha256(model.law.potentials.tobytes() + model.rows(300, np.random.default_rng(1)).tobytes()).hexdigest())
"""


def test_hash_seeds_change_no_bit():
    found = {
        subprocess.run(
            [sys.executable, "-c", _PRINT], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
    assert len(found.pop()) > 60
