"""Key numbers of the claims about the theorems, lemmas and mechanisms of zhou2024, and that each is accounted for."""

from __future__ import annotations

import csv
from fractions import Fraction
from itertools import chain, combinations
from math import prod

import numpy as np
import pytest

from bounds.enclosure import Enclosure, precision
from tests.paths import ROOT
from verify.claims import (
    zhou2024_excess_theorems,
    zhou2024_logistic_steps,
    zhou2024_marginal_privacy,
    zhou2024_mechanisms,
    zhou2024_noise_tails,
    zhou2024_privacy,
    zhou2024_private_excess,
    zhou2024_risk_chain,
    zhou2024_risk_steps,
    zhou2024_setting,
    zhou2024_sgd,
)
from verify.claims.zhou2024_logistic_steps import centre_error, centre_lower_bound
from verify.claims.zhou2024_marginal_privacy import marginal_delta, sets_up_to
from verify.claims.zhou2024_noise_tails import largest_of_many, number_of_cells
from verify.claims.zhou2024_privacy import private_up_to
from verify.claims.zhou2024_risk_chain import REAL, SYNTHETIC, centre_of_absolute_value, moment, slope_and_risk
from verify.claims.zhou2024_risk_steps import first_lines, of_loss
from verify.ledger import all_claims

MODULES = (
    zhou2024_excess_theorems,
    zhou2024_logistic_steps,
    zhou2024_marginal_privacy,
    zhou2024_mechanisms,
    zhou2024_noise_tails,
    zhou2024_privacy,
    zhou2024_private_excess,
    zhou2024_risk_chain,
    zhou2024_risk_steps,
    zhou2024_setting,
    zhou2024_sgd,
)
COVERAGE = ROOT / "verify" / "coverage" / "zhou2024_theorems.csv"


def test_every_statement_has_a_claim_or_a_reason_and_every_claim_a_statement() -> None:
    with COVERAGE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    known = {claim.id for claim in all_claims()}
    named = {name for row in rows for name in row["claim"].split()}
    assert named <= known
    assert all(bool(row["claim"]) != bool(row["reason"]) for row in rows)
    assert {claim.id for module in MODULES for claim in module.CLAIMS} <= named


def test_first_inequality_of_lemma_a2() -> None:
    assert first_lines(1, 0) == (2, 0)
    assert first_lines(5, 3) == (16, 6)


def test_bernstein_coefficients_of_small_degree() -> None:
    assert of_loss(abs, 2, Fraction(1)) == [Fraction(1, 2), 0, Fraction(1, 2)]
    assert of_loss(lambda x: 1 - x, 3, Fraction(2)) == [1, -1, 0, 0]


def test_centre_of_absolute_value_by_the_central_binomial_coefficient() -> None:
    assert [centre_of_absolute_value(d) for d in (2, 4, 6)] == [Fraction(1, 2), Fraction(3, 8), Fraction(5, 16)]


def test_tables_with_equal_marginals_and_positive_excess() -> None:
    assert [moment(REAL, k) for k in (0, 1, 2)] == [moment(SYNTHETIC, k) for k in (0, 1, 2)] == [
        1, Fraction(21, 125), Fraction(9, 25)
    ]  # fmt: skip
    with precision(128):
        gap = Enclosure.of(slope_and_risk(REAL, Fraction(1))[1] - slope_and_risk(REAL, Fraction(959, 1000))[1])
    assert float(gap.lo) == pytest.approx(6.9755544e-5, rel=1e-7)


def test_bernstein_error_of_the_logistic_loss() -> None:
    with precision(128):
        assert float(centre_error(4, 1)) == pytest.approx(0.030479215, abs=1e-9)
        assert float(centre_error(4, 5)) == pytest.approx(0.544567298, abs=1e-9)
        assert all(centre_lower_bound(d, d) <= Enclosure.of(centre_error(d, d)).lo for d in (16, 64))


def test_numbers_of_sets_and_cells() -> None:
    assert [sets_up_to(3, 2), sets_up_to(4, 2), sets_up_to(2, 3)] == [11, 16, 8]
    assert [number_of_cells(2, 2, 2), number_of_cells(3, 2, 2), number_of_cells(5, 2, 1)] == [18, 32, 12]


@pytest.mark.parametrize(
    ("m", "d", "asked", "found"),
    [(1, 1, "1e-6", 9.1664e-6), (1, 2, "1e-6", 1.6244e-4), (3, 1, "1e-12", 1.8934e-12), (3, 2, "1e-40", 2.4289e-40)],
)
def test_noise_that_is_too_small(m: int, d: int, asked: str, found: float) -> None:
    assert float(marginal_delta(m, d, asked, "99/100").lo) == pytest.approx(found, rel=1e-4)


@pytest.mark.parametrize(("m", "d"), [(4, 2), (5, 2), (2, 3), (9, 3)])
def test_noise_that_is_enough(m: int, d: int) -> None:
    assert marginal_delta(m, d, "1e-40", "99/100").hi < Fraction(1, 10**40)


def test_the_classical_formula_is_private_up_to_a_limit() -> None:
    assert private_up_to(1)
    assert private_up_to(3)
    assert not private_up_to(4)


@pytest.mark.parametrize(("m", "levels"), [(1, 2), (2, 2), (3, 2), (2, 5), (5, 3)])
def test_cells_are_fewer_than_twice_the_stated_number(m: int, levels: int) -> None:
    sizes = [*[levels] * m, 2]
    for d in range(1, m + 2):
        sets = chain.from_iterable(combinations(sizes, k) for k in range(1, d + 1))
        cells = sum(prod(q) for q in sets)
        assert cells == number_of_cells(m, levels, d) <= 2 * (m * levels) ** d


def test_largest_distance_before_the_union() -> None:
    """The mechanism itself, d = 1: the nearest tables with the fewest ones, against the bound on the probability."""
    with precision(128):
        assert float(largest_of_many(10**6, Fraction(3))[0]) == pytest.approx(0.999969, abs=1e-6)
        bound, stated = (float(x) for x in largest_of_many(1000, Fraction(2)))
    assert stated == pytest.approx(4 * np.exp(-2))
    assert bound > 0.85
    rng = np.random.default_rng(7)
    sigma, draws, above = 400, 500, 0
    for _ in range(draws):
        z0, z1 = rng.normal(0, sigma, (2, 1000))
        low, high = np.minimum(-z0, z1), np.maximum(-z0, z1)
        gap = np.maximum(np.ceil(low) - high, 0)  # where no whole number lies between them
        least = np.abs(z0 + z1) + 2 * np.minimum(gap, np.where(gap > 0, low - np.floor(low), 0))
        largest = max(float(least.max()), abs(rng.normal(0, sigma)))
        shifts = np.ceil((z1 - z0 - largest) / 2)
        assert (np.abs(z0 + shifts) + np.abs(z1 - shifts) <= largest + 1e-6).all()
        above += 2 * np.abs(shifts).max() > 4 * 2 * sigma
    assert above / draws > bound - 0.05 > stated
