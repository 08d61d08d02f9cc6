"""Numbers behind the verdicts on Section 4, Section 5 and Appendix B of zhou2024, pinned one by one."""

from __future__ import annotations

import csv
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from bounds.enclosure import precision
from verify import random_splits, real_tables
from verify.claim import Verdict
from verify.claims import (
    zhou2024_captions,
    zhou2024_experiments,
    zhou2024_lower,
    zhou2024_lower_conditions,
    zhou2024_lower_steps,
    zhou2024_runs,
    zhou2024_runs_table2,
    zhou2024_table1,
    zhou2024_table2,
    zhou2024_theorem41,
    zhou2024_theorem41_halves,
    zhou2024_upper_steps,
)
from verify.claims.zhou2024_captions import distance
from verify.claims.zhou2024_experiments import attainable, drop, excess
from verify.claims.zhou2024_lower import cells, few_cells, power_of_gamma, power_of_m, threshold
from verify.claims.zhou2024_lower_conditions import at_smallest
from verify.claims.zhou2024_theorem41 import loss, slope
from verify.claims.zhou2024_upper_steps import binomial_tail

MODULES = (
    zhou2024_captions,
    zhou2024_experiments,
    zhou2024_lower,
    zhou2024_lower_conditions,
    zhou2024_lower_steps,
    zhou2024_runs,
    zhou2024_runs_table2,
    zhou2024_table1,
    zhou2024_table2,
    zhou2024_theorem41,
    zhou2024_theorem41_halves,
    zhou2024_upper_steps,
)
COVERAGE = Path(zhou2024_lower.__file__).parents[1] / "coverage" / "zhou2024_lower.csv"
needs_tables = pytest.mark.skipif(not real_tables.all_here(), reason=real_tables.MISSING)


def test_the_exponent_as_printed_and_as_needed() -> None:
    assert (power_of_gamma(-1), power_of_gamma(1)) == (Fraction(-3, 5), Fraction(-3, 7))
    assert (power_of_m(-1), power_of_m(1)) == (5, 7)


@pytest.mark.parametrize(("m", "d", "count"), [(6, 1, 15), (2, 2, 19), (3, 2, 33), (6, 2, 99)])
def test_cells_of_all_marginals(m: int, d: int, count: int) -> None:
    subsets = [q for q in product((0, 1), repeat=m + 1) if sum(q) <= d]
    assert cells(m, d) == count == sum(2 ** sum(q) for q in subsets)


def test_the_start_is_too_small() -> None:
    """m = 6 is above 2e, and so is m = 2 15^5, where n = e^15."""
    with precision(96):
        gamma, log_n = (float(x) for x in at_smallest())
    assert gamma == pytest.approx(3**-0.6)
    assert gamma > 1 / 64
    assert log_n == pytest.approx(3**0.2)
    assert gamma ** (1 / 6) > 1 / 4 < 15**-0.5
    assert np.exp(log_n) / log_n**2 < 800 / gamma**2


def test_what_holds_for_large_n_is_not_against_the_paper() -> None:
    """Definition B.1 stands in the proof of a theorem for sufficiently large n."""
    claims = {c.id: c for module in MODULES for c in module.CLAIMS}
    for name in ("4.cells", "B4.eta", "B4.margin", "B.deviation-size"):
        assert claims[f"zhou2024.{name}"].expected is Verdict.CONFIRMED_WITH_CONDITIONS
        assert "for sufficiently large n" in claims[f"zhou2024.{name}"].hypotheses[0]


def test_what_hangs_on_the_constant_of_a_source_that_was_not_read_is_open() -> None:
    """1/n >= n^-c asks for c >= 1, and 5/3 min{1/5, c/8} < 1/4 for c < 6/5."""
    claims = {c.id: c for module in MODULES for c in module.CLAIMS}
    assert all(claims[f"zhou2024.{name}"].expected is Verdict.OPEN for name in ("B4.tolerance", "B.quarter"))
    held = [c for c in (Fraction(k, 10) for k in range(1, 30)) if Fraction(5, 3) * min(Fraction(1, 5), c / 8) < 0.25]
    assert max(held) == Fraction(11, 10)


@pytest.mark.parametrize("ln_n", [10.0, 100.0])
def test_line_four_covers_what_lines_two_and_three_lose(ln_n: float) -> None:
    """The second term without (12 ln^5 n)^d/sqrt n: with the true factor, and as lines 2, 3 and 4 have it."""
    gamma, drop = ln_n**-3, 1 / (6 * ln_n**5)
    true = (2 + 13 * gamma / 8) * ln_n**2 * drop
    second, third, fourth = gamma * ln_n**2 * drop, ln_n * drop, ln_n
    assert second < third < true < fourth
    assert true / third == pytest.approx(2 * ln_n, rel=0.01)


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_cells_from_order_two_on(d: int) -> None:
    assert few_cells()
    assert all(cells(m, d) <= (2 * m) ** d for m in range(3, 60))


def test_thresholds() -> None:
    assert float(threshold("deviations").lo) == pytest.approx(35.16502833, abs=1e-8)
    assert float(threshold("d >= 1").lo) == pytest.approx(61.87730116, abs=1e-8)
    assert float(threshold("d >= 1", "1").lo) == pytest.approx(113.58022623, abs=1e-8)


@pytest.mark.parametrize("gamma", [Fraction(1, 64), Fraction(1, 1000)])
def test_the_loss(gamma: Fraction) -> None:
    assert loss(gamma, Fraction(-1)) == 2 + 3 * gamma / 2
    assert loss(gamma, Fraction(0)) == 9 * gamma / 8
    assert loss(gamma, Fraction(1)) == 0
    assert slope(gamma, Fraction(-1), Fraction(-1, 2)) == -(2 + 7 * gamma / 16)


def test_binomial_tail() -> None:
    assert binomial_tail(2, Fraction(1, 2), Fraction(1), Fraction(1, 2)) == Fraction(1, 2)
    assert binomial_tail(3, Fraction(1, 3), Fraction(1), Fraction(1)) == Fraction(1, 27)


def test_table_2_against_the_text() -> None:
    assert excess("churn") == Fraction(21, 1000)
    assert (drop("heart"), excess("heart"), drop("churn")) == (
        Fraction(22, 1000),
        Fraction(32, 1000),
        Fraction(9, 1000),
    )
    assert excess("dutch") == Fraction(-1, 1000)


def test_means_of_whole_answers() -> None:
    assert attainable(Fraction("0.802"), 10, 61)
    assert not attainable(Fraction("0.701"), 10, 61)
    assert attainable(Fraction("0.701"), 100, 61)


def test_marginals_that_agree_one_by_one() -> None:
    real, synthetic = [(0, 0), (1, 1)], [(0, 1), (1, 0)]
    assert distance(real, synthetic, (0,)) == distance(real, synthetic, (1,)) == 0
    assert distance(real, synthetic, (0, 1)) == 2


@pytest.mark.parametrize("seed", range(3))
def test_area_under_the_curve_counts_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, labels = rng.integers(-4, 5, 60) / 2, rng.integers(0, 2, 60)
    pairs = [(a > b) + (a == b) / 2 for a in scores[labels == 1] for b in scores[labels == 0]]
    accuracy, auc, risk = random_splits.metrics(scores, labels)
    assert auc == pytest.approx(np.mean(pairs))
    assert accuracy == pytest.approx(np.mean([(s > 0) == (y == 1) for s, y in zip(scores, labels, strict=True)]))
    assert risk == pytest.approx(np.mean(np.log1p(np.exp(-scores * (2 * labels - 1)))))


def test_the_regression_is_at_its_optimum() -> None:
    """One binary feature: the model is compared with a minimum found by another method."""
    from scipy.optimize import minimize

    x = np.array([0] * 30 + [3] * 50)
    y = np.array([1] * 10 + [0] * 20 + [1] * 35 + [0] * 15)
    table = np.column_stack([x, y])
    scores = random_splits._scores(table, np.array([[0, 0], [3, 0]]))

    def objective(w: np.ndarray) -> float:
        z = w[0] * x + w[1]
        return float(np.logaddexp(0, z).sum() - z @ y + w[0] ** 2 / 2)

    best = minimize(objective, np.zeros(2), method="BFGS", options={"gtol": 1e-9}).x
    assert scores == pytest.approx([best[1], 3 * best[0] + best[1]], abs=1e-6)


@needs_tables
def test_churn() -> None:
    assert real_tables.line_count("churn") == len(real_tables.codes("churn")) == 4824
    assert 4824 - -(-4824 // 5) == 3859


@needs_tables
def test_heart_by_another_solver() -> None:
    """All records as training data, weights in units of the codes, minimised without second derivatives."""
    from scipy.optimize import minimize

    table = real_tables.codes("heart")
    x, y = table[:, :-1].astype(float), table[:, -1].astype(float)
    scale = x.max(axis=0)

    def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
        z = x / scale @ w[:-1] + w[-1]
        residual = 1 / (1 + np.exp(-z)) - y
        value = np.logaddexp(0, z).sum() - z @ y + ((w[:-1] / scale) ** 2).sum() / 2
        return float(value), np.append((x / scale).T @ residual + w[:-1] / scale**2, residual.sum())

    options = {"maxiter": 20000, "maxfun": 40000, "ftol": 1e-15, "gtol": 1e-8}
    best = minimize(objective, np.zeros(14), jac=True, method="L-BFGS-B", options=options).x
    assert random_splits._scores(table, table) == pytest.approx(x / scale @ best[:-1] + best[-1], abs=1e-3)


def test_without_tables_nothing_is_decided(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(real_tables, "FOLDER", tmp_path)
    for claim in zhou2024_table1.CLAIMS:
        if "smallest" not in claim.id:
            assert claim.check().verdict is None


def test_the_coverage_names_every_claim_and_no_other() -> None:
    with COVERAGE.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    named = {row["claim"] for row in rows if row["claim"]}
    assert named == {claim.id for module in MODULES for claim in module.CLAIMS}
    assert all(row["claim"] or row["reason"] for row in rows)
