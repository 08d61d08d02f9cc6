"""Numbers that the claims of vietri2022 and wang2023 print, computed apart from the ledger where that is short."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log, sqrt

import pytest

from verify.claims import vietri2022_queries, vietri2022_sigmoid, wang2023_projection
from verify.claims.vietri2022_accounting import paper_rho
from verify.claims.vietri2022_mechanisms import gumbel_cost
from verify.claims.wang2023_moments import largest_changes, moment_queries
from verify.claims.wang2023_projection import tilted
from verify.claims.wang2023_tables import ROWS


def evidence(name: str) -> str:
    claims = vietri2022_queries.CLAIMS + vietri2022_sigmoid.CLAIMS + wang2023_projection.CLAIMS
    return next(c for c in claims if c.id == name).check().text


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
