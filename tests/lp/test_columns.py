"""Consistent one-way tables do not expand noise beyond what is proved, and their products stay within bounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.product_facts import centred_product, plain_product
from bounds.queries import family_of_levels
from lp.synthesis.columns import TOTAL, centred_table, columns_of, nearest_table, product_answers, running_middle
from release.data.domain import Domain
from release.statistics.families import build_family

ROUNDED = Fraction(1, 2**40)
shares = st.fractions(min_value=0, max_value=1, max_denominator=60)


def tables(most: int = 4) -> st.SearchStrategy[list[Fraction]]:
    counts = st.lists(st.integers(0, 12), min_size=2, max_size=most).filter(any)
    return counts.map(lambda found: [Fraction(count, sum(found)) for count in found])


def possible(truths: list[Fraction], eta: Fraction) -> tuple[Fraction, Fraction]:
    """Between which numbers the answer lies if every share is within eta of these."""
    lowest = sum((max(h - eta, Fraction(0)) for h in truths), Fraction(1 - len(truths)))
    return max(Fraction(0), lowest), min(min(truths) + eta, Fraction(1))


@given(tables(), st.data())
def test_a_table_expands_noise_by_no_more_than_proved(truth: list[Fraction], data: st.DataObject) -> None:
    t = len(truth)
    noise = data.draw(st.lists(st.sampled_from([-3, -1, 0, 1, 3]), min_size=t, max_size=t))
    noisy = [share + Fraction(x, 20) for share, x in zip(truth, noise, strict=True)]
    found = nearest_table(noisy)
    assert sum(found) == 1
    assert min(found) >= 0
    largest = Fraction(max(map(abs, noise)), 20)
    assert max(abs(a - b) for a, b in zip(found, truth, strict=True)) <= (2 - Fraction(2, t)) * largest
    # No table is nearer to the noisy shares than the truth allows: the map solves the programme.
    assert max(abs(a - b) for a, b in zip(found, noisy, strict=True)) <= largest


@pytest.mark.parametrize("t", [2, 3, 5])
def test_no_map_of_tables_does_better(t: int) -> None:
    e = Fraction(1, 4 * t)
    noisy = [Fraction(1, t) + e - 2 * e / t] * t
    truths = [[b - e + (2 * e if i == k else 0) for i, b in enumerate(noisy)] for k in range(t)]
    assert all(sum(truth) == 1 for truth in truths)
    found = nearest_table(noisy)
    assert max(abs(a - b) for truth in truths for a, b in zip(found, truth, strict=True)) == (2 - Fraction(2, t)) * e
    assert family_of_levels("cells", [t] * 3, 1).stretch == 2 - Fraction(2, t)


@given(st.lists(shares, min_size=1, max_size=5), st.data())
def test_thresholds_do_not_expand_noise(steps: list[Fraction], data: st.DataObject) -> None:
    truth = sorted(steps, reverse=True)
    noise = data.draw(st.lists(st.integers(-4, 4), min_size=len(truth), max_size=len(truth)))
    noisy = [share + Fraction(x, 20) for share, x in zip(truth, noise, strict=True)]
    found = running_middle(noisy)
    assert list(found) == sorted(found, reverse=True)
    largest = Fraction(max(map(abs, noise)), 20)
    for answers in (truth, noisy):
        assert max(abs(a - b) for a, b in zip(found, answers, strict=True)) <= largest


EXTREMES = [Fraction(x, 48) for x in range(0, 49, 3)] + [Fraction(1, 2) + Fraction(3, 20)]


@pytest.mark.parametrize(("degree", "eta"), [(2, "0"), (2, "3/20"), (3, "1/20"), (4, "1/100")])
def test_products_stay_within_their_bounds(degree: int, eta: str) -> None:
    """Against what one-way shares leave open, for all products of a grid of shares."""
    noise = Fraction(eta)
    domain = Domain((2,) * degree)
    one_way = build_family("monomials", domain, 1)
    plain = max(plain_product(degree) + noise, (1 - Fraction(1, degree) + noise) ** degree)
    largest = {None: Fraction(0), degree: Fraction(0)}
    grid = EXTREMES if degree == 2 else EXTREMES[::2] if degree == 3 else EXTREMES[::4]
    column = {
        (h, to): Fraction(columns_of(one_way, [h] * degree, centred_to=to)[0][1], TOTAL)
        for h in grid
        for to in (None, degree)
    }
    for size in range(1, degree + 1):
        for found in product(grid, repeat=size):
            low, high = possible(list(found), noise)
            for to in largest:
                answer = prod((column[h, to] for h in found), start=Fraction(1))
                largest[to] = max(largest[to], high - answer, answer - low)
    assert largest[None] <= plain + ROUNDED
    assert largest[degree] <= centred_product(degree) + noise + ROUNDED
    if degree == 2:  # tight where both shares are 1/2 + eta
        assert largest[2] >= Fraction(1, 4) + noise - ROUNDED


@given(tables(), tables(), st.sampled_from([Fraction(0), Fraction(1, 20), Fraction(3, 20), Fraction(1, 4)]))
def test_pairs_of_cells_stay_within_a_quarter_and_the_noise(
    first: list[Fraction], second: list[Fraction], eta: Fraction
) -> None:
    moved = centred_table(tuple(first)), centred_table(tuple(second))
    assert all(sum(table) == 1 and min(table) >= 0 for table in moved)
    for i, j in product(range(len(first)), range(len(second))):
        low, high = possible([first[i], second[j]], eta)
        answer = moved[0][i] * moved[1][j]
        assert answer - low <= Fraction(1, 4) + eta + ROUNDED
        assert high - answer <= Fraction(1, 4) + eta + ROUNDED
    for table, was in zip(moved, (first, second), strict=True):
        assert max(abs(a - b) for a, b in zip(table, was, strict=True)) <= Fraction(1, 4)


@pytest.mark.parametrize("name", ["monomials", "parities", "cells", "thresholds", "moments"])
def test_exact_answers_come_back(name: str) -> None:
    """One-way answers of real records are those of the columns, and the product's pairs are products of them."""
    domain = Domain((2, 2, 2) if name == "parities" else (2, 3, 5))
    generator = np.random.default_rng(5)
    records = domain.points(generator.integers(domain.size, size=64))
    one_way = build_family(name, domain, 1)
    truth = [Fraction(value, 64 * one_way.denominator) for value in one_way.sums(records)]
    columns = columns_of(one_way, truth, centred_to=None)
    assert all(sum(column) == TOTAL for column in columns)
    found = product_answers(one_way, columns)
    assert max(abs(a - b) for a, b in zip(found, truth, strict=True)) <= ROUNDED
    if name in ("monomials", "cells", "thresholds"):
        pairs = build_family(name, domain, 2)
        answers = product_answers(pairs, columns)
        assert answers[: one_way.count] == found
        assert answers[-1] == prod((answers[a] for a in pairs.rows[-1]), start=Fraction(1))
