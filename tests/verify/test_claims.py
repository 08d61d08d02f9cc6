"""The ledger: every claim has the verdict we state, and its counterexample the numbers we print."""

from __future__ import annotations

from fractions import Fraction

import pytest

import synthbounds as sb
from bounds.papers import PAPERS
from bounds.registry import all_theorems
from verify.claim import Claim, Verdict
from verify.claims.bojkovic2024_histogram import multinomial_mode
from verify.claims.bojkovic2024_kde import corner_mean
from verify.claims.bojkovic2024_lemmas import expected_maximum, l1_tail_by_transform, l1_tail_of_uniform
from verify.ledger import all_claims
from verify.run import lacks_second_route, run_claim


@pytest.mark.parametrize("claim", all_claims(), ids=lambda c: c.id)
def test_the_verdict_is_the_one_we_state(claim: Claim) -> None:
    result = run_claim(claim)
    assert claim.paper in PAPERS
    assert claim.id.startswith(claim.paper + ".")
    assert set(claim.theorems) <= all_theorems().keys()
    assert claim.corrected or claim.expected is Verdict.CONFIRMED
    assert claim.statement.endswith(".")
    if result.not_run:
        pytest.skip(result.evidence.text)
    assert result.evidence.text
    assert "**" not in result.evidence.text + (result.again.text if result.again else ""), "powers are written ^"
    assert result.agrees, (result.evidence, result.again)


@pytest.mark.parametrize("claim", all_claims(), ids=lambda c: c.id)
def test_a_verdict_against_a_paper_has_two_routes(claim: Claim) -> None:
    assert not lacks_second_route(claim)


def test_lemma_a1_means_exactly() -> None:
    values = [Fraction(1, 2), Fraction(7, 8), Fraction(7, 6), Fraction(269, 192), Fraction(1531, 960)]
    assert [expected_maximum(n) for n in range(1, 6)] == values


def test_theorem_a5_exact_tail_lies_between_the_printed_and_the_corrected_bound() -> None:
    exact = l1_tail_of_uniform(10, 100, 32)
    assert float(exact) == pytest.approx(0.1172571162, abs=1e-10)
    bounds = {r.edition: r.value for r in sb.evaluate("bojkovic2024.empirical-tv", count=10, n=100, deviation=".319")}
    printed, corrected, sharp = bounds["printed"], bounds["corrected"], bounds["sharp"]
    assert printed is not None
    assert corrected is not None
    assert sharp is not None
    assert printed.hi < exact < sharp.lo <= corrected.lo


@pytest.mark.parametrize(("cells", "draws", "least"), [(10, 100, 16), (5, 40, 3), (3, 30, 8)])
def test_tails_by_the_transform_are_the_exact_ones(cells: int, draws: int, least: int) -> None:
    exact = float(l1_tail_of_uniform(cells, draws, 2 * least))
    assert l1_tail_by_transform(cells, draws, least) == pytest.approx(exact, abs=1e-10)


def test_theorem_a5_fails_by_more_with_more_points() -> None:
    assert l1_tail_by_transform(40, 400, 64) == pytest.approx(0.012577, abs=1e-6)


@pytest.mark.parametrize(
    ("cells", "draws", "value"), [(4, 400, 1.265911e-4), (8, 4096, 1.495939e-12), (2, 1000, 0.025225018)]
)
def test_multinomial_modes(cells: int, draws: int, value: float) -> None:
    assert float(multinomial_mode(cells, draws)) == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize(("p", "value"), [(1, 0.4995709397), (2, 0.2495711238), (3, 0.1246784808)])
def test_corner_means(p: int, value: float) -> None:
    assert float(corner_mean(p, Fraction(3, 10)).lo) == pytest.approx(value, abs=2e-10)


def test_theorem_iii_1_counterexample_numbers() -> None:
    claim = next(c for c in all_claims() if c.id == "bojkovic2024.III1.kappa")
    text = claim.check().text
    assert "n = 460518: K = 1.0210356, infinite with probability 0.99986753" in text


def test_a_check_reports_what_it_finds_not_what_is_expected() -> None:
    from verify.claim import refuted_if

    assert refuted_if(False, "").verdict is Verdict.UNDECIDABLE


@pytest.mark.parametrize("p", [1, 4, 9, 20])
@pytest.mark.parametrize("gamma", ["1e-9", ".05", ".25"])
@pytest.mark.parametrize("delta", ["1e-4", ".5"])
def test_theorem_b1_asks_for_more_points_than_the_domain_has(p: int, gamma: str, delta: str) -> None:
    answer = sb.require(edition="printed", p=p, degree=1, epsilon=1, delta=delta, gamma=gamma)
    assert answer.m is not None
    assert answer.m >= 16 * 2**p * (p + 1)
