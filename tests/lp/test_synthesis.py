"""The algorithm from records to rows: promises kept, certificates true, privacy correctly stated, repeatable."""

from __future__ import annotations

import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bounds.errors import DataError, NotApplicable, NotCertified, ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.gaussian import gaussian_delta
from bounds.privacy.statements import GaussianDP
from lp.measures.histogram import shape
from lp.synthesis.ask import synthesize
from lp.synthesis.question import Question
from lp.synthesis.run import Synthesis
from lp.synthesis.synthesis_plan import plan_synthesis
from release.data.domain import Domain
from release.statistics.families import build_family
from tests.paths import ROOT, SHARED, sources

CUBE = Domain((2,) * 5)
SIMULATE: dict[str, Any] = {"mode": "simulate", "epsilon": "0.2", "accuracy": "0.4", "failure": "0.05"}
RELEASE: dict[str, Any] = {**SIMULATE, "mode": "release", "adjacency": "replace-one"}
SURELY: dict[str, Any] = {"failure": "1e-12", "accuracy": None, "anyway": True}
"""Releases have no seed: what is asked of their errors must not fail by chance."""


def records(domain: Domain, n: int, seed: int) -> np.ndarray:
    """Records from a distribution that is far from uniform: a Dirichlet draw over the points."""
    generator = np.random.default_rng(seed)
    weights = generator.dirichlet(np.full(domain.size, 0.5))
    return domain.points(generator.choice(domain.size, size=n, p=weights))


def true_error(found: Synthesis, real: np.ndarray) -> Fraction:
    """max over the queries of |synthetic - real|, exactly."""
    family = found.plan.question.family
    pairs = zip(family.sums(found.rows), family.sums(real), strict=True)
    return max(
        abs(Fraction(ours, len(found.rows)) - Fraction(theirs, len(real))) / family.denominator
        for ours, theirs in pairs
    )


@pytest.mark.parametrize("family", ["monomials", "parities", "cells", "thresholds"])
def test_promise_and_certificate_hold(family: str) -> None:
    kept = 0
    for seed in range(8):
        real = records(CUBE, 6000, seed)
        found = synthesize(real, CUBE, family=family, degree=2, seed=seed, **SIMULATE)
        error = true_error(found, real)
        assert found.plan.promise.kept
        assert found.promise_holds
        assert found.gap <= Fraction(1, 10**9)
        assert len(found.rows) == found.plan.k
        kept += error <= found.accuracy and error <= found.plan.promise.accuracy <= Fraction(2, 5)
        assert found.accuracy <= found.plan.promise.accuracy
    assert kept >= 7  # each fails with probability 0.05 at most


def test_too_few_records_are_refused_unless_told_to_go_on() -> None:
    real = records(CUBE, 100, 1)
    with pytest.raises(NotApplicable, match="asks for 322 records"):
        synthesize(real, CUBE, degree=2, seed=1, **SIMULATE)
    found = synthesize(real, CUBE, degree=2, seed=1, anyway=True, **SIMULATE)
    assert not found.plan.promise.kept
    assert true_error(found, real) <= found.accuracy


def test_a_vacuous_promise_is_refused() -> None:
    real = records(CUBE, 200, 1)
    with pytest.raises(NotApplicable, match=r"a table chosen without data is within 0\.5"):
        synthesize(real, CUBE, degree=2, seed=1, mode="simulate", epsilon="0.2", k=100)


def test_sizes_are_those_of_the_theorem() -> None:
    found = synthesize(records(CUBE, 730, 2), CUBE, degree=2, seed=2, k=40, rows="rounding", **SIMULATE)
    assert found.plan.promise.required_size == 730
    assert found.plan.noise.mechanism == "linf"
    assert found.plan.promise.accuracy == pytest.approx(0.4, abs=1e-3)


def test_as_many_rows_as_records() -> None:
    real = records(CUBE, 730, 2)
    for rows in ("sampling", "rounding"):
        found = synthesize(real, CUBE, seed=2, rows=rows, **SIMULATE)
        assert len(found.rows) == 730
        assert found.plan.row_error == Fraction(16, 4 * 730)
    private = {**SIMULATE, "adjacency": "add-remove", "least_size": 800, "anyway": True}
    assert len(synthesize(real, CUBE, seed=2, **private).rows) == 800  # never the true n
    assert len(synthesize(real, CUBE, seed=2, k=9, **private).rows) == 9


def test_more_rows_where_the_accuracy_asks_for_them() -> None:
    """At a large epsilon n rows would cost more than the noise."""
    asked = {**SIMULATE, "epsilon": "50", "accuracy": "0.01"}
    found = synthesize(records(CUBE, 250, 2), CUBE, seed=2, **asked)
    assert found.plan.promise.kept
    assert len(found.rows) > 250
    assert found.plan.promise.accuracy <= Fraction(1, 100)


def test_a_simulation_is_repeatable_and_depends_on_its_seed() -> None:
    real = records(CUBE, 3000, 3)
    first, again, other = (synthesize(real, CUBE, seed=seed, **SIMULATE) for seed in (7, 7, 8))
    assert np.array_equal(first.rows, again.rows)
    assert first.observed == again.observed
    assert first.observed != other.observed


def test_records_in_batches_are_the_same_records() -> None:
    real = records(CUBE, 3000, 4)
    whole = synthesize(real, CUBE, seed=1, **SIMULATE)
    parts = synthesize(iter([real[:1000], real[1000:1001], real[1001:]]), CUBE, seed=1, **SIMULATE)
    assert np.array_equal(whole.rows, parts.rows)


def test_an_exact_vertex_has_no_gap() -> None:
    real = records(CUBE, 900, 5)
    found = synthesize(real, CUBE, seed=5, exact=True, rows="rounding", **SIMULATE)
    rough = synthesize(real, CUBE, seed=5, **SIMULATE)
    assert found.gap == 0
    assert (found.way, found.way_reason) == ("rounding", "")
    assert rough.optimum.lo <= found.optimum.lo <= rough.optimum.hi
    assert found.support <= found.plan.question.family.facts.dimension + 1


@pytest.mark.parametrize("solver", ["interior-point", "columns", "simplex"])
def test_every_solver_is_certified_to_the_same_optimum(solver: str) -> None:
    real = records(CUBE, 900, 5)
    usual, other = (synthesize(real, CUBE, seed=5, solver=name, **SIMULATE) for name in ("auto", solver))
    assert usual.optimum.lo <= other.optimum.hi
    assert other.optimum.lo <= usual.optimum.hi
    assert other.gap <= Fraction(1, 10**9)


def test_a_release_says_what_it_spent() -> None:
    real = records(CUBE, 3000, 6)
    for mechanism in ("laplace", "linf"):
        found = synthesize(real, CUBE, mechanism=mechanism, **{**RELEASE, "accuracy": None})
        assert Fraction(199, 1000) < found.epsilon_spent <= Fraction(1, 5)
        assert found.dp_delta_spent == 0
        assert found.seed is None
    gaussian = synthesize(real, CUBE, mechanism="gaussian", dp_delta="1e-6", **{**RELEASE, "accuracy": None})
    assert gaussian.epsilon_spent <= Fraction(1, 5)
    assert gaussian.dp_delta_spent == Fraction(1, 10**6)


@pytest.mark.parametrize("sizes", [(2,) * 5, (3, 2, 4)])
@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_releases_through_contrasts(sizes: tuple[int, ...], adjacency: str) -> None:
    """Answers computed from noisy contrasts are as near to the records as is said, and nothing more is spent."""
    domain = Domain(sizes)
    real = records(domain, 3000, 6)
    size = {} if adjacency == "replace-one" else {"least_size": 2900}
    common = {**RELEASE, "adjacency": adjacency, "epsilon": "1", "family": "cells", **size, **SURELY}
    gaussian = synthesize(real, domain, dp_delta="1e-6", **common)
    pure = synthesize(real, domain, mechanism="contrast-linf", **common)
    assert gaussian.plan.noise.mechanism == "contrast-gaussian"
    for found in (gaussian, pure):
        assert found.epsilon_spent == 1
        assert true_error(found, real) <= found.accuracy
        least = min(a.quantile for a in found.plan.noise.alternatives)
        assert found.plan.noise.quantile == least
    assert gaussian.dp_delta_spent == Fraction(1, 10**6)
    booked = gaussian.plan.noise.noise.additive_cost
    assert isinstance(booked, GaussianDP)
    assert gaussian_delta(booked, epsilon=1).delta.hi <= Fraction(1, 10**6)


def test_two_releases_differ() -> None:
    real = records(CUBE, 3000, 6)
    first, second = (synthesize(real, CUBE, **RELEASE) for _ in range(2))
    assert first.observed != second.observed


def test_add_remove_uses_a_public_least_size_and_says_nothing_of_n() -> None:
    real = records(CUBE, 3000, 7)
    common = {**RELEASE, "adjacency": "add-remove", "least_size": 2000}
    found = synthesize(real, CUBE, **{**common, **SURELY})
    assert found.plan.question.size == 2000
    assert true_error(found, real) <= found.accuracy
    with pytest.raises(UsageError, match="least-size"):
        synthesize(real, CUBE, **{**common, "least_size": None})
    with pytest.raises(UsageError, match="least-size"):
        synthesize(real, CUBE, least_size=10, **RELEASE)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"mode": None}, "mode is missing"),
        ({"mode": "publish"}, "release or simulate"),
        ({"mode": "release", "seed": 1, "adjacency": "replace-one"}, "operating system"),
        ({"mode": "release"}, "adjacency is missing"),
        ({"epsilon": "0"}, "epsilon = 0"),
        ({"epsilon": None}, "epsilon is missing"),
        ({"failure": "1"}, "failure = 1"),
        ({"measure": "prior"}, "one of uniform, tree, histogram, grid, bernstein"),
        ({"bandwidth": "0.1"}, "bandwidth is for --measure bernstein"),
        ({"rows": "drawing"}, "sampling, rounding"),
        ({"solver": "cbc"}, "one of auto"),
        ({"family": "words"}, "one of monomials"),
        ({"degree": 6}, "between 1 and"),
        ({"k": 0}, "k = 0"),
        ({"mechanism": "gaussian"}, "without a dp_delta"),
        ({"accuracies": "1"}, "not a parameter"),
    ],
)
def test_bad_questions_are_refused_in_words(more: dict[str, Any], message: str) -> None:
    asked = {**SIMULATE, "seed": 0, **more}
    family = asked.pop("family", None)
    if asked.get("mode") == "release" and "seed" not in more:
        asked.pop("seed")
    with pytest.raises((UsageError, ParameterError), match=message):
        synthesize(records(CUBE, 3000, 8), CUBE, family=family, **asked)


def test_a_private_histogram_as_measure_keeps_its_promise() -> None:
    domain = Domain((2, 2, 2))
    real = records(domain, 40_000, 9)
    asked = {**SIMULATE, "epsilon": "1", "measure": "histogram"}
    for seed in range(3):
        found = synthesize(real, domain, seed=seed, **asked)
        assert found.plan.promise.kept
        assert found.plan.promise.theorem == "synthbounds.shifted-histogram"
        assert 0 < found.plan.measure_epsilon < 1
        assert true_error(found, real) <= found.plan.promise.accuracy <= Fraction(2, 5)


def test_the_histograms_budget_is_enough_for_whole_counts() -> None:
    """The theorem's n is for continuous noise; a lift by whole counts may need some records more, never fewer."""
    for p in (3, 10, 12):
        family = build_family("monomials", Domain((2,) * p), 2)
        asked: dict[str, Any] = {
            "family": family, "degree": 2, "measure": "histogram", "mode": "release",
            "adjacency": Adjacency.REPLACE_ONE, "epsilon": Fraction(1), "failure": Fraction(1, 20),
            "accuracy": Fraction(2, 5),
        }  # fmt: skip
        least = plan_synthesis(Question(size=1, **asked)).promise.required_size
        assert least is not None
        at_least, more = (plan_synthesis(Question(size=n, **asked)) for n in (least, least + least // 10))
        for plan in (at_least, more):
            assert 0 < plan.measure_epsilon < 1
            if plan.m != 100_000:  # the theorem's
                lift, _ = shape("shifted", cells=2**p, scale=2 / plan.measure_epsilon, gamma=plan.gamma)
                assert 1 + Fraction(2 * 2**p * lift, plan.question.size) <= Fraction(9, 5)
        assert more.promise.kept


def test_a_grid_has_equal_cells_and_a_promise_for_lipschitz_densities_alone() -> None:
    domain = Domain((64, 60))
    generator = np.random.default_rng(14)
    real = np.floor(generator.beta(2, 2, size=(60_000, 2)) * [64, 60]).astype(np.uint8)
    asked = {**SIMULATE, "epsilon": "2", "measure": "grid", "lipschitz": "6"}
    found = synthesize(real, domain, family="moments", degree=2, seed=1, **asked)
    assert found.plan.cells_per_axis == (8, 10)  # the least divisors that are at least the theorem's 7
    assert found.plan.promise.kept
    assert any("equal bins" in text for text in found.plan.promise.hypotheses)
    assert true_error(found, real) <= found.plan.promise.accuracy <= Fraction(2, 5)
    with pytest.raises(NotApplicable, match="another variant or grid"):
        synthesize(real, domain, family="moments", degree=2, seed=1, cells_per_axis=1, **asked)
    with pytest.raises(NotApplicable, match="without --lipschitz"):
        synthesize(real, domain, family="moments", degree=2, seed=1, **{**asked, "lipschitz": None})


def test_no_records_at_all_are_records_under_add_remove() -> None:
    nobody = np.empty((0, 5), dtype=np.uint8)
    common = {**RELEASE, "adjacency": "add-remove", "least_size": 2000}
    assert len(synthesize(nobody, CUBE, **common).rows) > 0
    assert len(synthesize(iter([nobody]), CUBE, **common).rows) > 0


def test_codes_outside_the_domain_are_refused() -> None:
    for wrong in (np.full((2000, 5), 2, dtype=np.uint8), np.full((2000, 4), 0, dtype=np.uint8), np.zeros((2000, 5))):
        with pytest.raises(DataError):
            synthesize(wrong, CUBE, seed=1, **SIMULATE)


def test_what_can_be_refused_is_refused_before_noise_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(*_: object, **__: object) -> None:
        raise AssertionError("noise was drawn")

    monkeypatch.setattr("release.noise.exact.with_exact_noise", drawn)
    monkeypatch.setattr("lp.measures.bernstein.noisy_counts", drawn)
    monkeypatch.setattr("lp.programme.solve._MOST_SIMPLEX_CELLS", 10)
    real = records(CUBE, 3000, 6)
    for more in (
        {"solver": "simplex"},
        {"measure": "bernstein", "bernstein_degree": 2, "bandwidth": "0.5", "bernstein_order": 17},
        {"measure": "bernstein", "bernstein_degree": 2},
        {"mechanism": "staircase"},
        {"measure": "histogram", "variant": "odd"},
    ):
        with pytest.raises(UsageError):
            synthesize(real, CUBE, anyway=True, **{**RELEASE, "accuracy": None, **more})


def test_a_failure_after_the_noise_says_that_epsilon_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise NotCertified("gap = 1")

    monkeypatch.setattr("lp.synthesis.run.require_gap", fails)
    real = records(CUBE, 3000, 6)
    with pytest.raises(NotCertified, match="count epsilon as spent"):
        synthesize(real, CUBE, **RELEASE)
    with pytest.raises(NotCertified, match=r"^gap = 1$"):
        synthesize(real, CUBE, seed=1, **SIMULATE)


def test_every_measure_gives_a_certified_table() -> None:
    domain = Domain((65, 65))
    generator = np.random.default_rng(10)
    real = np.clip(np.rint(generator.beta(2, 3, size=(20_000, 2)) * 64), 0, 64).astype(np.uint8)
    settings: dict[str, dict[str, Any]] = {
        "uniform": {"m": 2000},
        "histogram": {"variant": "mixed"},
        "grid": {"cells_per_axis": 4},
        "bernstein": {"bernstein_degree": 6, "bandwidth": "0.2"},
    }
    for measure, more in settings.items():
        for mode in (SIMULATE, RELEASE):
            asked = {**mode, **SURELY, "epsilon": "2", "k": 200, "measure": measure, "m": 2000, **more}
            if mode is SIMULATE:
                asked["seed"] = 11
            found = synthesize(real, domain, family="moments", degree=2, **asked)
            assert true_error(found, real) <= found.accuracy < Fraction(1, 4)
            assert found.epsilon_spent <= 2
            assert found.columns <= 2000


def test_simulated_noise_cannot_be_reached_from_a_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the module of simulated noise gone every release still runs, and numpy draws noise nowhere else."""
    monkeypatch.setitem(sys.modules, "release.noise.simulated", None)
    domain = Domain((9, 8))
    real = np.random.default_rng(15).integers(0, 8, size=(3000, 2)).astype(np.uint8)
    for measure, more in (
        ("uniform", {}),
        ("histogram", {}),
        ("grid", {"cells_per_axis": 4}),
        ("bernstein", {"bernstein_degree": 4, "bandwidth": "0.3"}),
    ):
        for mechanism in ("laplace", "linf", "gaussian"):
            asked = {
                **RELEASE,
                "epsilon": "2",
                "dp_delta": "1e-6",
                "accuracy": None,
                "k": 50,
                "measure": measure,
                **more,
            }
            if measure != "uniform":
                asked["m"] = 50
            synthesize(real, domain, family="moments", degree=1, mechanism=mechanism, anyway=True, **asked)
    with pytest.raises(ImportError):
        synthesize(real, domain, family="moments", degree=1, seed=1, anyway=True, **SIMULATE)
    noise = re.compile(r"\.(laplace|normal|standard_normal|gamma|exponential|geometric|logistic|gumbel)\(")
    everywhere = [path for package in ("release", "lp", "mechanisms") for path in sources(package)]
    drawing = {str(path.relative_to(ROOT)) for path in everywhere if noise.search(path.read_text())}
    simulations = {f"mechanisms/regression/{name}.py" for name in ("printed", "stochastic_gradient")}
    starts = {
        "mechanisms/regression/mixture.py",
        "mechanisms/generators/network.py",
        "mechanisms/infer/regression/coefficient_search.py",
    }  # of searches on what is published
    p_values = {f"mechanisms/infer/chi_square/{name}.py" for name in ("cell_noise", "power")}
    assert drawing == {
        "release/noise/simulated.py",
        "lp/study/perturbed_histogram.py",
        *simulations,
        *starts,
        *p_values,
    }


def test_rows_are_drawn_from_all_points_and_as_near_as_rounded_ones() -> None:
    domain = Domain((3, 2, 4, 2, 3))
    real = records(domain, 3000, 12)
    asked: dict[str, Any] = {"mode": "simulate", "epsilon": "1", "seed": 12}
    drawn, again, rounded = (synthesize(real, domain, rows=rows, **asked) for rows in (None, "sampling", "rounding"))
    assert np.array_equal(drawn.rows, again.rows)
    assert drawn.way == "sampling"
    assert drawn.promise_holds
    assert drawn.support > 2 * rounded.support
    most = drawn.plan.question.family.facts.dimension + 1
    assert rounded.support <= most < drawn.support
    allowed = drawn.optimum.hi * Fraction(101, 100) + drawn.plan.noise.quantile / 100 + drawn.plan.row_error
    assert drawn.observed <= allowed


@pytest.mark.parametrize(
    ("more", "patched", "reason"),
    [
        ({"epsilon": "1000"}, {"lp.synthesis.plan_parts.LEAST_SLACK": 1e-7}, "too little noise"),
        ({}, {"lp.synthesis.plan_parts.MOST_SECONDS": 1e-9}, "should take .* for 15 queries at 32 points"),
        ({"m": 20}, {"lp.synthesis.plan_parts.MOST_SECONDS": 1e-9}, "should take .* for 15 queries at 20 points"),
        ({}, {"lp.programme.balanced._MOST_STARTS": 0}, "no rows"),
        ({}, {"lp.programme.entropy.MOST_STEPS": 1}, "no rows"),
        ({}, {"lp.programme.balanced.balanced_rows": lambda *_, k, **__: (np.array([3]), [k])}, "no rows"),
    ],
)
def test_a_vertex_is_rounded_where_rows_cannot_be_drawn_and_that_is_said(
    more: dict[str, Any], patched: dict[str, Any], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in patched.items():
        monkeypatch.setattr(name, value)
    real = records(CUBE, 3000, 14)
    found = synthesize(real, CUBE, seed=1, anyway=True, **{**SIMULATE, "accuracy": None, **more})
    assert found.way == "rounding"
    assert re.search(reason, found.way_reason)
    assert found.promise_holds
    assert found.support <= 16
    before = reason != "no rows"
    assert (found.plan.rows == "rounding") == before
    assert (found.plan.rows_reason == found.way_reason) == before


def test_what_rows_cost_is_in_the_promise() -> None:
    """The density may be a hundredth farther away than the optimum, whatever the measure."""
    real = records(Domain((2, 2, 2)), 40_000, 9)
    for more in ({}, {"measure": "histogram"}):
        asked = {**SIMULATE, "epsilon": "1", **more}
        drawn, rounded = (
            synthesize(real, Domain((2, 2, 2)), seed=1, rows=rows, **asked).plan for rows in ("sampling", "rounding")
        )
        assert drawn.promise.accuracy is not None
        assert rounded.promise.accuracy is not None
        bound = rounded.promise.accuracy - rounded.row_error
        assert drawn.promise.accuracy - drawn.row_error == bound * Fraction(101, 100)


def test_supplied_queries() -> None:
    from release.statistics.custom_family import CustomFamily

    family = CustomFamily(
        CUBE,
        [
            ("majority", lambda codes: (codes.sum(axis=1) >= 3).astype(np.int64)),
            ("odd", lambda codes: codes.sum(axis=1) % 2),
        ],
        denominator=1,
        ranges=[(0, 1), (0, 1)],
    )
    # the two answers never move together by their whole ranges and back: all pairs of records are compared
    assert family.facts.l1_sensitivity == 2
    opposite = CustomFamily(
        Domain((3,)),
        [(f"is {v}", lambda codes, v=v: (codes[:, 0] == v).astype(np.int64)) for v in range(3)],  # type: ignore[misc]
        denominator=1,
        ranges=[(0, 1)] * 3,
    )
    assert (opposite.facts.l1_sensitivity, opposite.facts.l2_sensitivity_squared) == (2, 2)
    with pytest.raises(DataError, match="declared range"):
        CustomFamily(CUBE, [("sum", lambda codes: codes.sum(axis=1))], denominator=5, ranges=[(0, 4)])
    real = records(CUBE, 5000, 13)
    for domain, more in ((Domain((2,) * 6), {}), (CUBE, {"degree": 2})):
        with pytest.raises(UsageError, match="a family of your own"):
            synthesize(real, domain, family=family, seed=1, mode="simulate", epsilon="1", **more)
    found = synthesize(real, CUBE, family=family, seed=1, mode="simulate", epsilon="1", failure="0.05", accuracy="0.1")
    assert true_error(found, real) <= found.plan.promise.accuracy <= Fraction(1, 10)


@pytest.mark.skipif(not (SHARED / "compas.csv").exists(), reason="not run: the tables are not here")
def test_compas_with_coarse_public_bins(tmp_path: Path) -> None:
    import json

    from release.data.schema import read_schema
    from release.data.tables import read_codes

    levels = json.loads((SHARED / "compas_domain.json").read_text())
    columns = [{"name": name, "range": ["0", str(size)], "bins": min(size, 3)} for name, size in levels.items()]
    schema_file = tmp_path / "schema.json"
    schema_file.write_text(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))
    schema = read_schema(schema_file)
    real = read_codes(SHARED / "compas.csv", schema)
    for seed in range(3):
        found = synthesize(real, schema.domain, seed=seed, mode="simulate", epsilon="1", accuracy="0.4")
        assert found.plan.promise.kept
        assert true_error(found, real) <= found.accuracy <= found.plan.promise.accuracy <= Fraction(2, 5)


def test_a_family_is_exact_about_what_it_counts() -> None:
    family = build_family("moments", Domain((5, 3)), 2)
    real = Domain((5, 3)).points(np.arange(15))
    slow = [0] * family.count
    for point in real:
        for i, row in enumerate(family.rows):
            value = family.row_scale[i]
            for a in row:
                value *= family.features[a].table[int(point[family.features[a].attribute])]
            slow[i] += value
    assert family.sums(real) == slow
