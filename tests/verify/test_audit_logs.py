"""Audits of the shipped code: the distribution of discrete Gaussian noise, all neighbours, draws that are traced."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import ZCDP
from mechanisms.mechanism import Public
from mechanisms.select.tree import plan_tree, run_tree
from release.choose import ExponentialPlan
from release.noise.randomness import Randomness
from verify.audit.exact import discrete_gaussian_loss
from verify.audit.following import CHOICE, COUNTS, Diverged, Draw, follow, most_expensive
from verify.audit.small_tables import SCHEMA, all_neighbours, all_tables

ONE, DELTA = Fraction(1), Fraction(1, 10**5)
REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE


@pytest.mark.parametrize(("moves", "sd"), [((1,), 2), ((1, -1), 3), ((2, 1), 3)])
def test_discrete_gaussian_loss_by_adding_up_all_points(moves: tuple[int, ...], sd: int) -> None:
    """On a lattice that is wide enough, in floats, at the claimed epsilon and at the epsilon that was found."""
    found = discrete_gaussian_loss(moves, Fraction(sd), epsilon=ONE, delta=DELTA)
    points = range(-12 * sd, 12 * sd + 1)
    sizes = {k: math.exp(-(k**2) / (2 * sd**2)) for k in points}
    total = sum(sizes.values())

    def delta(epsilon: float) -> float:
        excess = 0.0
        for noise in product(points, repeat=len(moves)):
            here = math.prod(sizes[k] / total for k in noise)
            there = math.prod(
                math.exp(-((k + t) ** 2) / (2 * sd**2)) / total for k, t in zip(noise, moves, strict=True)
            )
            excess += max(0.0, here - math.exp(epsilon) * there)
        return excess

    assert found.delta is not None
    assert found.epsilon is not None
    assert float(found.delta.midpoint) == pytest.approx(delta(1.0), rel=1e-9, abs=1e-15)
    assert delta(float(found.epsilon.midpoint)) == pytest.approx(1e-5, rel=1e-6)


def test_noise_that_moves_nothing_loses_nothing() -> None:
    found = discrete_gaussian_loss([0, 0], ONE, epsilon=ONE, delta=DELTA)
    assert found.epsilon == found.delta
    assert found.epsilon is not None
    assert found.epsilon.hi == 0


def test_all_tables_and_all_neighbours() -> None:
    tables = all_tables(REPLACE)
    assert len(tables) == 36  # two records of eight, in whatever order
    assert len(all_neighbours(tables, REPLACE)) == 8 * 28  # what stays, and what it is replaced by
    tables = all_tables(ADD)
    assert len(tables) == 1 + 8 + 36
    assert len(all_neighbours(tables, ADD)) == 8 + 8 * 8  # two different records each have two ways to be one less


@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
def test_the_price_of_a_choice_bounds_its_divergences(adjacency: Adjacency) -> None:
    """Rényi divergences of many orders, for scores that move as far as they may: at most alpha rho, and near it."""
    moved, rho = 2 if adjacency is REPLACE else 1, Fraction(1, 8)
    plan = ExponentialPlan(count=3, moved=moved, cost=ZCDP(rho=rho, adjacency=adjacency))  # type: ignore[arg-type]
    largest = 0.0
    for scores in product(range(2), repeat=3):
        for moves in product((-moved, 0, moved), repeat=3):
            both = np.array(scores), np.array(scores) + np.array(moves)
            first, second = (np.exp(float(plan.rate) * quality) for quality in both)
            p, q = first / first.sum(), second / second.sum()
            for alpha in (1.01, 2.0, 5.0, 50.0):
                divergence = math.log((p**alpha * q ** (1 - alpha)).sum()) / (alpha - 1)
                largest = max(largest, divergence / alpha)
    assert 0.9 * float(rho) < largest <= float(rho)


def test_a_draw_costs_what_its_inputs_say() -> None:
    counts = Draw(COUNTS, (3, 5, 1), Fraction(4), (0, 0, 0)), Draw(COUNTS, (4, 4, 1), Fraction(4), (0, 0, 0))
    assert counts[0].rho(counts[1]) == Fraction(2, 32)
    choice = Draw(CHOICE, (3, 5, 1), Fraction(1, 4), 0), Draw(CHOICE, (4, 3, 1), Fraction(1, 4), 0)
    assert choice[0].loss_range(choice[1]) == Fraction(3, 4)
    assert choice[0].rho(choice[1]) == Fraction(9, 128)


def test_a_method_is_followed_as_it_is() -> None:
    plan = plan_tree(
        Public(schema=SCHEMA, adjacency=REPLACE, size=2), epsilon=ONE, dp_delta=DELTA, mode="simulate", label="x1"
    )
    randomness = Randomness(mode="simulate", seed=0)
    tables = all_tables(REPLACE)
    drawn = follow(lambda records: run_tree(records, plan, randomness), tables[5], np.random.default_rng(1))
    assert [draw.kind for draw in drawn][:2] == [COUNTS, COUNTS]
    assert sum(drawn[0].inputs) == 2 * 3  # three one-way tables of two records
    again = follow(lambda records: run_tree(records, plan, randomness), tables[6], [draw.output for draw in drawn])
    assert all(one.is_like(other) for one, other in zip(drawn, again, strict=True))
    with pytest.raises(Diverged):
        follow(lambda records: run_tree(records, plan, randomness), tables[6], [drawn[0].output])
    found = most_expensive(
        lambda records: run_tree(records, plan, randomness),
        tables,
        all_neighbours(tables, REPLACE),
        histories=1,
        allowed=plan.log.rho,
    )
    total = Ledger.in_rho(epsilon=ONE, dp_delta=DELTA, adjacency=REPLACE).total
    assert found.rho is not None
    assert total * Fraction(9, 10) < found.rho <= total
