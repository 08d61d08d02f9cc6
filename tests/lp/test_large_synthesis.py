"""Programmes too large to be solved exactly: still certified, with their gap; impossible ones are refused first."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from bounds.errors import NotApplicable, OutOfMemory, ParameterError, UsageError
from lp.programme.forecast import memory_at_hand, programme_cost
from lp.synthesis import run as run_module
from lp.synthesis.ask import synthesize
from lp.synthesis.run import Synthesis
from release.data.domain import Domain
from release.statistics.families import build_family
from tests.lp.test_synthesis import records, true_error
from verify.checkers import density

SMALL = Domain((3, 2, 4, 2, 3))
LARGE = Domain((9, 12, 8, 10, 11, 7, 9))
"""1,924 cells, and about 5 million points."""


def large_records(n: int = 4000) -> np.ndarray:
    generator = np.random.Generator(np.random.Philox(5))
    kind = generator.integers(3, size=n)
    columns = [np.minimum(generator.poisson(1 + kind + j % 3), size - 1) for j, size in enumerate(LARGE.sizes)]
    return np.stack(columns, axis=1).astype(np.uint8)


@pytest.fixture(scope="module")
def fitted() -> Synthesis:
    return synthesize(large_records(), LARGE, mode="simulate", epsilon=8, m=5000, seed=3)


def test_a_large_table_is_fitted_and_certified(fitted: Synthesis) -> None:
    assert fitted.is_fitted
    assert fitted.plan.question.measure == "tree"
    assert fitted.plan.measure_epsilon == 0
    assert fitted.plan.promise.accuracy is None
    assert fitted.promise_holds  # there is none to be broken
    assert fitted.within is not None
    assert 0 <= fitted.within == fitted.optimum.hi / fitted.optimum.lo - 1 < Fraction(1, 10)
    assert fitted.columns == 5000
    assert len(fitted.rows) == 4000
    assert fitted.way == "sampling"
    assert fitted.observed <= fitted.optimum.hi * Fraction(11, 10)  # rows cost next to nothing
    assert true_error(fitted, large_records()) <= fitted.accuracy


def test_the_proof_of_a_large_programme_is_checked_by_the_standard_library(fitted: Synthesis) -> None:
    low, high = density.check(fitted.proof(""))
    assert (low, high) == (fitted.optimum.lo, fitted.optimum.hi)


def test_a_release_spends_on_the_answers_alone() -> None:
    found = synthesize(
        large_records(), LARGE, mode="release", adjacency="replace-one", epsilon=8, m=3000, failure="1e-12"
    )
    assert found.is_fitted
    assert len(found.ledger.entries) == 1
    assert found.epsilon_spent <= 8
    assert true_error(found, large_records()) <= found.accuracy


def test_rows_that_are_asked_to_be_rounded_are_drawn_and_that_is_said() -> None:
    found = synthesize(large_records(), LARGE, mode="simulate", epsilon=8, m=2000, seed=3, rows="rounding", k=500)
    assert (found.way, len(found.rows)) == ("sampling", 500)
    assert "a vertex for this many queries" in found.way_reason


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"exact": True}, ParameterError, "at most 1000 for --exact"),
        ({"accuracy": "0.1"}, NotApplicable, "no theorem covers"),
        ({"epsilon": "0.001"}, NotApplicable, "^the noise alone, 148, is no better than 131/132, which"),
        ({"measure": "uniform"}, NotApplicable, "drawn uniformly from part of a domain"),
        ({"solver": "simplex"}, ParameterError, "another one here"),
        ({"family": "monomials", "solver": "proportional"}, ParameterError, "it is for cells"),
    ],
)
def test_what_cannot_be_is_refused_before_noise_is_drawn(
    more: dict[str, Any], error: type[Exception], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lp.synthesis.run.answer", lambda *_, **__: pytest.fail("noise was drawn"))
    asked = {"mode": "simulate", "epsilon": 8, "m": 20_000, "seed": 1, **more}
    with pytest.raises(error, match=words):
        synthesize(large_records(), LARGE, **asked)


def test_too_little_memory_is_said_before_noise_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lp.synthesis.run.answer", lambda *_, **__: pytest.fail("noise was drawn"))
    monkeypatch.setattr(run_module, "memory_at_hand", lambda: 10**8)
    with pytest.raises(
        OutOfMemory, match=r"1,924 queries at 5,000 points need about 0\.1 GB, and 0\.1 GB are available"
    ):
        synthesize(large_records(), LARGE, mode="simulate", epsilon=8, m=5000, seed=1)


def test_costs_are_told_in_advance_from_public_sizes() -> None:
    said: list[str] = []
    found = synthesize(large_records(), LARGE, mode="simulate", epsilon=8, m=2000, seed=1, progress=said.append)
    assert said[0] == f"1,924 queries at 2,000 points: {found.cost.text}"
    family = build_family("cells", LARGE, 2)
    small, large = (programme_cost(family, points, fitted=True) for points in (10**4, 10**6))
    assert small.seconds_est < large.seconds_est
    assert small.bytes_est < large.bytes_est
    assert programme_cost(build_family("thresholds", Domain((9,) * 20), 2), 10**4, fitted=False).bytes_est > 4 * 10**9
    there = memory_at_hand()
    assert there is None or there > 10**8


def test_a_promise_in_advance_is_kept_by_the_optimum_where_a_fit_falls_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole domain carries a promise, which supposes the optimum."""
    from lp.programme import solve

    monkeypatch.setattr(solve, "MOST_EXACT", 20)
    real, asked = records(SMALL, 3000, 12), {"mode": "simulate", "epsilon": 1, "seed": 2}
    near = synthesize(real, SMALL, **asked)
    assert near.plan.promise.kept
    assert near.promise_holds
    monkeypatch.setattr("lp.programme.exchanged_rows.exchanged_rows", lambda matrix, *_, k, **__: np.eye(72)[0] * k)
    solved = synthesize(real, SMALL, **asked)
    assert not solved.is_fitted
    assert solved.promise_holds
    assert solved.gap <= Fraction(1, 10**9)
    kept = synthesize(real, SMALL, solver="proportional", **asked)  # as asked, and the report says that it is farther
    assert kept.is_fitted
    assert not kept.promise_holds


def test_certificates_that_would_be_too_large_are_refused_first(monkeypatch: pytest.MonkeyPatch) -> None:
    import synthbounds as sb

    monkeypatch.setattr("lp.synthesis.run.answer", lambda *_, **__: pytest.fail("noise was drawn"))
    for m, words in ((2 * 10**6, "bytes, and the checker takes 50,000,000"), (10**6, "bytes, and")):
        with pytest.raises(UsageError, match=words):
            sb.synthesize(
                large_records(), LARGE, mode="simulate", epsilon=8, method="lp", m=m, seed=1, with_certificate=True
            )
    monkeypatch.setattr("verify.checkers.MOST_STEPS", 10**6)
    with pytest.raises(UsageError, match="about 2,450,000 steps of work, and the checker takes 1,000,000"):
        sb.synthesize(
            large_records(), LARGE, mode="simulate", epsilon=8, method="lp", m=50_000, seed=1, with_certificate=True
        )


def test_so_are_those_of_rows_with_independent_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    import synthbounds as sb

    monkeypatch.setattr("lp.synthesis.run.answer", lambda *_, **__: pytest.fail("noise was drawn"))
    asked: dict[str, Any] = {"mode": "simulate", "epsilon": 8, "method": "lp", "degree": 1, "seed": 1}
    with pytest.raises(UsageError, match=r"66 queries at 1,000,000 points .* bytes, .*; give fewer rows \(k\)"):
        sb.synthesize(large_records(), LARGE, k=10**6, with_certificate=True, **asked)


@pytest.mark.slow
def test_certificates_of_tree_points_fail_as_seldom_as_they_say() -> None:
    """The true error is within the quantile of what was observed; benchmarks/guarantee.py has more runs."""
    real, misses = records(SMALL, 300, 21), 0
    for seed in range(300):
        found = synthesize(
            real, SMALL, mode="simulate", epsilon=1, failure="0.2", m=40, k=150, seed=seed, mechanism="laplace"
        )
        error, quantile = true_error(found, real), found.plan.noise.quantile
        misses += not found.observed - quantile <= error <= found.accuracy
    assert misses <= binom.isf(1e-6, 300, 0.2)
