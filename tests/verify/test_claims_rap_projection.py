"""Numbers that the claims of vietri2022 and wang2023 print, computed apart from the ledger where that is short."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log, sqrt

import pytest

from verify.claim import AGAINST
from verify.claims.vietri2022_accounting import paper_rho
from verify.claims.vietri2022_mechanisms import gumbel_cost
from verify.claims.wang2023_moments import largest_changes, moment_queries
from verify.claims.wang2023_projection import tilted
from verify.claims.wang2023_tables import ROWS
from verify.ledger import all_claims


def evidence(name: str) -> str:
    return next(c for c in all_claims() if c.id == name).check().text


def test_findings_and_what_repeats_them() -> None:
    against = {c.id: c for c in all_claims() if c.expected in AGAINST and c.paper in ("vietri2022", "wang2023")}
    assert {c.id: c.severity.value for c in against.values() if c.is_finding} == {
        "vietri2022.D11.direction": "slip",
        "vietri2022.D12.coordinates": "slip",
        "wang2023.A1.increase": "slip",
        "wang2023.A1.replacement": "slip",
        "wang2023.A2.log-domain": "constant or condition",
        "wang2023.S3.denoise": "constant or condition",
        "wang2023.T1": "constant or condition",
    }
    assert {c.id: c.root for c in against.values() if c.root} == {
        "vietri2022.D4.above": "vietri2022.D11.direction",
        "vietri2022.D12.direction": "vietri2022.D11.direction",
        "wang2023.B.lp": "wang2023.S3.denoise",
        "wang2023.T1.gamma": "wang2023.T1",
    }


@pytest.mark.parametrize("epsilon", ["3/20", "1"])
def test_rho_of_algorithm_2_solves_its_line_2(epsilon: str) -> None:
    rho = float(paper_rho(Fraction(epsilon), 100_000).lo)
    assert rho + 2 * sqrt(rho * 2 * log(100_000)) == pytest.approx(float(Fraction(epsilon)), rel=1e-12)


def test_the_printed_gumbel_scale_costs_a_small_part_of_rho() -> None:
    rho = Fraction(1, 10)
    assert gumbel_cost(Fraction(10**2) / (2 * rho * 48_842), 10, 48_842) == rho / 488_420
    assert gumbel_cost(Fraction(10) / (2 * rho * 48_842**2), 10, 48_842) == rho
    assert gumbel_cost(Fraction(9) / (2 * rho * 48_842**2), 10, 48_842) > rho


def test_the_sigmoid_of_definition_11_rises_where_the_query_falls() -> None:
    assert 1 / (1 + exp(20)) < 2.07e-9
    assert "f(tau - 1) < 2.07e-9" in evidence("vietri2022.D11.direction")


def test_numerical_features_have_no_coordinate_among_the_relaxed_ones() -> None:
    assert "d' = 7 coordinates" in evidence("vietri2022.D12.coordinates")


def test_theorem_1_two_point_counterexample() -> None:
    text = evidence("wang2023.T1")
    for lam in (-1, -10):
        assert f"{log((exp(lam) + 1) / 2):.12f}"[:12] in text
    assert tilted((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 10**9), Fraction(1)))[0] > 0


@pytest.mark.parametrize(("d", "l1"), [(1, 2), (2, 5), (3, 9), (4, 14)])
def test_sensitivities_of_moments(d: int, l1: int) -> None:
    assert largest_changes(d) == (l1, l1)
    assert len(moment_queries(d)) == l1


def test_means_of_the_tables() -> None:
    means = [sum(r.improvement for r in ROWS[t]) / 16 for t in ("Table 1", "Table 3")]
    assert means == [Fraction(3, 8), Fraction(23, 64)]
    assert [len(rows) for rows in ROWS.values()] == [16, 2, 16]


def test_a_denoised_answer_of_the_open_simplex_need_not_exist() -> None:
    inside = [k / 10_000 for k in range(1, 10_000)]
    assert min(inside, key=lambda p: abs(p - 1.2)) == max(inside)
    assert "e.g. 3/10, 21/100" in evidence("wang2023.S3.denoise")


def test_an_optimum_of_the_dual_that_a_double_cannot_hold() -> None:
    lam = -200 * log(499)
    weights = [exp(-lam * (x - 1 / 200)) for x in (0, 1 / 200)]
    mean = weights[1] / sum(weights) / 200
    assert 1 / 200 - mean == pytest.approx(1e-5, rel=1e-9)
    assert exp(lam) == 0
    assert f"lambda = {lam:.2f}" in evidence("wang2023.A2.log-domain")


def test_the_printed_pair_keeps_neither_difference_nor_product() -> None:
    plus, minus = 2, 1
    least = min(plus, minus)
    assert (plus - least, plus - least) == (1, 1)
    assert "(2, 1) becomes (1, 1)" in evidence("wang2023.A1.replacement")


def test_definition_4_counts_fewer_points_when_they_move_up() -> None:
    points = [(x, y) for x in range(-2, 3) for y in range(-2, 3)]
    assert [sum(x + y + 2 * up <= 1 for x, y in points) for up in range(4)] == [19, 10, 3, 0]
