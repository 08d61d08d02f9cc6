"""Choices of several queries and their noisy answers on a small domain: exact laws of all neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import exp, log

import numpy as np
import pytest

from bounds.privacy.adjacency import Adjacency
from release.log.steps import answers_noise, choice_plan
from release.statistics.number_moments import NumberMoments
from release.statistics.public_queries import PublicQueries
from verify.audit.log_subjects import QUERIES
from verify.audit.small_tables import SCHEMA, all_neighbours, all_tables

REPLACE, ADD = Adjacency
RHO = Fraction(1, 8)
ORDERS = (1.01, 2.0, 5.0, 50.0)
WORKLOADS: dict[str, PublicQueries] = {
    **{queries.KIND: queries for queries in QUERIES},
    "moments": NumberMoments(SCHEMA, (0, 1), (2,)),
}


def law(rate: float, scores: Sequence[int]) -> dict[tuple[int, int], float]:
    """Of two choices, the second among those that are left."""
    weight = [exp(rate * (score - max(scores))) for score in scores]
    total = sum(weight)
    pairs = permutations(range(len(scores)), 2)
    return {(i, j): weight[i] / total * weight[j] / (total - weight[i]) for i, j in pairs}


@cache
def divergence(move: int, sd: float, alpha: float) -> float:
    """Of discrete Gaussian noise on one number that moves so, by adding up all points that count."""
    points = np.arange(-int(12 * sd) - 60, int(12 * sd) + 61)
    here, there = (-((points - shift) ** 2) / (2 * sd**2) for shift in (0, move))
    here, there = (logs - np.logaddexp.reduce(logs) for logs in (here, there))
    return float(np.logaddexp.reduce(alpha * here + (1 - alpha) * there)) / (alpha - 1)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("kind", WORKLOADS)
def test_the_law_of_choices_and_answers_costs_no_more_than_is_charged(kind: str, adjacency: Adjacency) -> None:
    """Divergences of the joint law of two choices and the answers of both, over all neighbours: at most alpha rho.

    Where a record adds a billion units, noise is as good as continuous, and its divergence is the bound on it.
    """
    queries = WORKLOADS[kind]
    unit, starts = queries.denominator, queries.starts
    choosing = choice_plan(queries.count, moved=unit, rho=RHO, adjacency=adjacency, winners=2)
    tables = all_tables(adjacency)
    answers = [queries.sums(table) for table in tables]
    wanted = np.resize([2 * unit, 0, 0, 2 * unit], int(starts[-1]))
    laws = [
        law(float(choosing.rate), np.add.reduceat(np.abs(found - wanted), starts[:-1]).tolist()) for found in answers
    ]
    scales = {}
    for chosen in laws[0]:
        scale = answers_noise(queries, chosen, RHO, adjacency, "release").scales
        assert isinstance(scale, Fraction)
        scales[chosen] = float(scale)
    largest = 0.0
    for one, other in all_neighbours(tables, adjacency):
        moved = answers[one] - answers[other]
        for alpha in ORDERS:
            total = 0.0
            for chosen, p in laws[one].items():
                moves, sd = np.abs(moved[queries.places(chosen)]).tolist(), scales[chosen]
                each = [divergence(move, sd, alpha) if unit == 1 else alpha * (move / sd) ** 2 / 2 for move in moves]
                total += p**alpha * laws[other][chosen] ** (1 - alpha) * exp((alpha - 1) * sum(each))
            largest = max(largest, log(total) / (alpha - 1) / alpha)
    assert 1.4 * float(RHO) < largest <= 2 * float(RHO) * (1 + 1e-12)


def test_a_choice_by_the_wrong_norm_costs_too_much() -> None:
    """Scores that add up absolute errors, with the sensitivity of answers in L2: the law shows it."""
    right = choice_plan(4, moved=1, rho=RHO, adjacency=REPLACE, winners=2)
    largest = {}
    for name, moved in (("right", 2.0), ("wrong", 2**0.5)):
        rate = float(right.epsilon) / (2 * moved)
        first, largest[name] = law(rate, (0,) * 4), 0.0
        for move, alpha in product(product((-2, 0, 2), repeat=4), ORDERS):
            second = law(rate, move)
            total = sum(first[k] ** alpha * second[k] ** (1 - alpha) for k in first)
            largest[name] = max(largest[name], log(total) / (alpha - 1) / alpha)
    assert largest["right"] <= float(RHO) < largest["wrong"]
