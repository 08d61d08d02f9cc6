"""The numbers behind the verdicts on ddssp2024, pinned."""

from __future__ import annotations

import csv
from fractions import Fraction
from math import prod
from pathlib import Path

import pytest

import verify
from bounds.enclosure import Enclosure, precision
from verify import real_tables
from verify.claims.ddssp2024_adassp import alone_is_private, gaussian_excess
from verify.claims.ddssp2024_aim import CLAIMS as AIM
from verify.claims.ddssp2024_aim import score_weight, spent_in_total
from verify.claims.ddssp2024_chebyshev import best, interpolated, series, uniform_errors
from verify.claims.ddssp2024_gaussian import integrated_delta, is_private, true_epsilon
from verify.claims.ddssp2024_glm import LEVELS, degree_four, from_marginal, interpolated_third, leading, marginal
from verify.claims.ddssp2024_orders import moved_together
from verify.claims.ddssp2024_settings import CLAIMS as SETTINGS
from verify.claims.ddssp2024_settings import TABLE_1, theorem_22
from verify.claims.ddssp2024_statistics import brackets, encoded_gram_shift
from verify.run import run_claim


@pytest.mark.parametrize(
    ("releases", "nominal", "true"),
    [(1, "1", 1.0982129), (2, "0.05", 0.0607038), (2, "0.1", 0.1298202), (2, "1", 1.6103161), (2, "2", 3.5111784)],
)
def test_printed_noise_of_section_2_2_spends_more_than_it_says(releases: int, nominal: str, true: float) -> None:
    assert float(true_epsilon(Fraction(1), Fraction(nominal), releases)) == pytest.approx(true, abs=1e-7)


@pytest.mark.parametrize(("releases", "holds", "fails"), [(1, ".364732", ".364733"), (2, ".009483", ".009484")])
def test_where_the_printed_noise_stops_being_private(releases: int, holds: str, fails: str) -> None:
    assert is_private(Fraction(1), Fraction(holds), releases) is True
    assert is_private(Fraction(1), Fraction(fails), releases) is False


def test_restoring_the_factor_moves_the_limit_of_the_pair_to_that_of_one_release() -> None:
    assert is_private(Fraction(2), Fraction(".364732"), 2) is True
    assert is_private(Fraction(2), Fraction(".364733"), 2) is False


@pytest.mark.parametrize(("attributes", "alone", "pair"), [(8, "5.880746", "0.029121"), (14, "6.865877", "0.031744")])
def test_encoded_records_move_the_gram_matrix_less(attributes: int, alone: str, pair: str) -> None:
    assert encoded_gram_shift(attributes) == (1 + Fraction(1, attributes)) / 2
    assert brackets(attributes, alone, with_cross=False)
    assert brackets(attributes, pair, with_cross=True)


def test_classical_noise_is_private_up_to_a_limit_alone() -> None:
    assert is_private(Fraction(2), Fraction("8.419771"), 1) is True
    assert is_private(Fraction(2), Fraction("8.419772"), 1) is False
    assert float(integrated_delta(2, "10", 1)) == pytest.approx(2.265374e-5, rel=1e-6)


def test_rho_of_a_statistic_of_sensitivity_14() -> None:
    claim = next(claim for claim in AIM if claim.id == "ddssp2024.2-3.zcdp")
    assert "rho is 0.0213018, while 1/(2 sigma^2) is 0.000108683" in claim.check().text


@pytest.mark.parametrize("places", [(0, 1, 2, 3), (1, 1, 3, 4), (2, 2, 2, 2)])
def test_moments_of_degree_four_come_from_counts(places: tuple[int, ...]) -> None:
    table = [(i % 2, i % 3, i // 2 % 2, i // 5 % 2, i // 3 % 2) for i in range(17)]
    direct = sum(prod(LEVELS[j][record[j]] for j in places) for record in table)
    assert from_marginal(marginal(table, places), places) == direct


def test_without_tables_nothing_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(real_tables, "FOLDER", tmp_path)
    results = {claim.id: run_claim(claim) for claim in SETTINGS}
    assert {name for name, result in results.items() if result.not_run} == {"ddssp2024.T1.adult", "ddssp2024.T1.acs"}
    assert all(result.agrees is not False for result in results.values())


def test_withdrawn_claims_point_to_what_is_left() -> None:
    from verify.ledger import all_withdrawn

    see = {entry.id: entry.see for entry in all_withdrawn()}
    assert see["ddssp2024.2-2.one-release"] == see["ddssp2024.2-2.both-releases"] == "ddssp2024.2-2.factor"


def test_one_axis_is_the_worst_encoding() -> None:
    assert encoded_gram_shift(1) == 1
    assert brackets(1, "0.009483", with_cross=True)
    assert not brackets(1, "0.031744", with_cross=True)


def test_orders_of_marginals() -> None:
    assert [moved_together(k) for k in range(1, 5)] == [{4}, {6}, {4}, {1}]


def test_delta_by_integration() -> None:
    assert float(integrated_delta(1, "1", 1)) == pytest.approx(3.73605513e-5, rel=1e-8)
    assert float(integrated_delta(2, "1", 1)) == pytest.approx(4.11369195e-8, rel=1e-8)


def test_adassp() -> None:
    assert alone_is_private(Fraction("0.965336"))
    assert not alone_is_private(Fraction("0.965337"))
    assert float(gaussian_excess(Fraction(1))) == pytest.approx(1.69348, abs=1e-5)


def test_degree_two_coefficients_and_errors() -> None:
    with precision(128):
        found = [Enclosure.of(value) for value in (interpolated(), series(), best(), *uniform_errors())]
    expected = [-0.07075746607777, -0.06214183476743, -0.06414801401605, 0.2379402742, 0.1515479841]
    assert [float(e.midpoint) for e in found] == pytest.approx(expected, abs=1e-9)
    assert all(e.hi - e.lo < Fraction(1, 10**12) for e in found)


def test_degree_two_interpolation_agrees_with_numpy() -> None:
    import numpy as np

    fit = np.polynomial.Chebyshev.interpolate(lambda s: -np.log1p(np.exp(-s)), 2, domain=[-6, 6])
    b0, b1, b2 = fit.convert(kind=np.polynomial.Polynomial).coef
    with precision(64):
        assert b2 == pytest.approx(float(Enclosure.of(interpolated()).midpoint), abs=1e-14)
    assert (b0, b1) == pytest.approx((-np.log(2), 0.5), abs=1e-14)


def test_degree_four_has_no_cubic_term_and_a_positive_leading_one() -> None:
    with precision(128):
        b4, same = (Enclosure.of(value) for value in (degree_four()[1], leading(4)))
        third, sixth = interpolated_third(), Enclosure.of(leading(6))
    assert float(b4.midpoint) == pytest.approx(0.001090127810928, abs=1e-14)
    assert b4.lo <= same.hi
    assert same.lo <= b4.hi
    assert third.contains(0)
    assert float(sixth.midpoint) == pytest.approx(-2.896169339374e-5, abs=1e-15)


@pytest.mark.parametrize(("pattern", "rounds"), [(0, 226), (1, 5), (5, 16)])
def test_aim_spends_its_budget_exactly(pattern: int, rounds: int) -> None:
    assert spent_in_total(15, lambda t: pattern > 0 and t % pattern == 0) == (Fraction(1), rounds)


def test_weights_of_scores() -> None:
    assert score_weight(15, (0,)) == 14
    assert score_weight(15, (3, 7)) == 28


def test_advanced_composition_of_the_grid() -> None:
    assert float(theorem_22(Fraction("0.005"), 108, Fraction("1e-5")).lo) == pytest.approx(0.25068872044, abs=1e-10)


def test_table_1_is_read_whole() -> None:
    assert [len(attributes) for _, _, _, attributes, _ in TABLE_1] == [15, 9, 15, 11, 20, 17, 19]


def test_every_statement_has_a_claim_or_a_reason() -> None:
    from verify.ledger import all_claims

    with (Path(verify.__path__[0]) / "coverage" / "ddssp2024.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    ids = {claim.id for claim in all_claims() if claim.paper == "ddssp2024"}
    assert {row["claim"] for row in rows if row["claim"]} == ids
    assert all(bool(row["claim"]) != bool(row["reason"]) for row in rows)
