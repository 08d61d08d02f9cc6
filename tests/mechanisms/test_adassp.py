"""AdaSSP from one budget and as printed: noise, sensitivities on all small tables, and the proved eigenvalue."""

from __future__ import annotations

from fractions import Fraction
from math import floor, log, sqrt

import numpy as np
import pytest
from flint import fmpz_mat

from bounds.errors import NotApplicable
from bounds.exact import root_at_least
from bounds.privacy.adjacency import Adjacency
from mechanisms.regression import adassp
from mechanisms.regression.adassp import eigenvalue_noise, eigenvalue_reach, run_adassp, solve_with_ridge
from mechanisms.regression.least_squares import least_squares
from mechanisms.regression.printed import PRINTED, PROGRAM, printed_adassp, printed_ssp
from mechanisms.regression.sums import Sums, sums_of_records
from release.account.book import write_account
from release.account.file import open_account
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.moments.make import MomentRequest
from release.noise.kinds import Noise
from release.noise.randomness import Randomness
from release.spending import in_account, spending
from release.statistics import least_eigenvalue as eigen
from release.statistics.features import build_feature_map
from release.statistics.moments import moment_sums
from release.statistics.statistic import RECORD_STEPS
from tests.moment_examples import feature_map, table
from verify.audit.small_tables import all_neighbours, all_tables

LEVELS = (3, 2)
SMALL = build_feature_map(schema_of_domain(Domain(LEVELS)), label=schema_of_domain(Domain(LEVELS)).names[1], one_hot=())
BUDGET = {"epsilon": 1, "dp_delta": "1e-5"}
SIMULATED = {**BUDGET, "mode": "simulate", "seed": 3}


def losses(adjacency: Adjacency, eigenvalue: Noise | None = None) -> tuple[Fraction, Fraction]:
    """The largest squared distance of neighbours in deviations of the noise, over mu^2; and that of the moments."""
    n0 = 1 if adjacency is Adjacency.ADD_REMOVE else None
    asked = MomentRequest(SMALL, adjacency=adjacency, weight=1, reserve=adassp.SHARE, n0=n0, **SIMULATED)
    plan = asked.plan(2)
    noise = eigenvalue or eigenvalue_noise(plan)
    assert isinstance(plan.noise.scales, tuple)
    assert isinstance(noise.scales, Fraction)
    tables = all_tables(adjacency, LEVELS)
    sums = [moment_sums(rows, SMALL) for rows in tables]
    steps = [eigen.least_eigenvalue(one, SMALL).values[0] for one in sums]
    values = [one.counted.values for one in sums]
    found = []
    for i, j in all_neighbours(tables, adjacency):
        moved = zip(values[i], values[j], plan.noise.scales, strict=True)
        moments = sum(((a - b) / sd) ** 2 for a, b, sd in moved)
        found.append((moments + Fraction(steps[i] - steps[j]) ** 2 / noise.scales**2, moments))
    total = plan.ledger.total
    return max(pair[0] for pair in found) / total, max(pair[1] for pair in found) / total


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_no_neighbours_are_further_apart_than_the_budget(adjacency: Adjacency) -> None:
    whole, moments = losses(adjacency)
    assert whole <= 1
    assert moments <= Fraction(2, 3)
    if adjacency is Adjacency.ADD_REMOVE:
        assert whole > Fraction(9995, 10000)


def test_a_forgotten_norm_is_found() -> None:
    plan = MomentRequest(SMALL, adjacency="add-remove", weight=1, reserve=adassp.SHARE, n0=1, **SIMULATED).plan(2)
    right = eigenvalue_noise(plan)
    assert isinstance(right.scales, Fraction)
    small = Noise(**{**vars(right), "scales": root_at_least(right.scales**2 / SMALL.squared_norm)})
    assert losses(Adjacency.ADD_REMOVE, small)[0] > Fraction(13, 10)


def test_each_part_has_the_noise_of_a_third() -> None:
    found = run_adassp(table(400), feature_map(), adjacency="add-remove", n0=100, **SIMULATED)
    norm, s = found.release.feature_map.squared_norm, 6.46164354
    scale = found.least_eigenvalue.noise.scales
    assert isinstance(scale, Fraction)
    assert found.sums.gram_sd == pytest.approx(s * norm, rel=1e-8)
    assert found.sums.cross_sd == pytest.approx(s * sqrt(norm), rel=1e-8)
    assert float(scale) == pytest.approx(s * (norm * RECORD_STEPS + 2), rel=1e-8)
    replaced = run_adassp(table(400), feature_map(), adjacency="replace-one", **SIMULATED)
    assert replaced.sums.gram_sd == pytest.approx(1.5 * found.sums.gram_sd, rel=1e-8)
    assert replaced.least_eigenvalue.noise.scales == scale


def test_the_ridge_and_the_model_are_those_of_the_algorithm() -> None:
    found = run_adassp(table(4000), feature_map(), adjacency="add-remove", n0=1000, **SIMULATED)
    p, noisy = found.release.feature_map.size, found.least_eigenvalue.values[0] / RECORD_STEPS
    sd = float(found.least_eigenvalue.noise.scales) / RECORD_STEPS  # type: ignore[arg-type]
    lowered = max(0, noisy - sd * sqrt(2 * log(20)))
    ridge = max(0, found.sums.gram_sd * sqrt(p * log(40 * p**2)) - lowered)
    assert found.ridge_est == pytest.approx(ridge, rel=1e-12)
    model = np.linalg.inv(found.sums.gram + ridge * np.eye(p)) @ found.sums.cross
    assert found.coefficients == pytest.approx(model, rel=1e-9)
    assert found.release.reservation_state == "spent"
    assert not found.release.ledger.left
    assert not found.release.ledger.reserved


def test_an_indefinite_matrix_is_projected() -> None:
    sums = Sums(feature_map=feature_map(), gram=np.diag([4.0, -3.0]), cross=np.array([2.0, 1.0]), count=4.0)
    assert solve_with_ridge(sums, 1.0) == pytest.approx(least_squares(sums, ridge=1.0))
    assert solve_with_ridge(sums, 5.0) == pytest.approx([2 / 9, 1 / 2])


def test_a_release_is_in_the_account_before_its_noise(tmp_path) -> None:
    book = tmp_path / "account.json"
    write_account(book, open_account(name="people", adjacency="add-remove", epsilon=4, dp_delta="1e-5"))
    asked = {**BUDGET, "mode": "release", "adjacency": "add-remove", "n0": 10}
    with spending(beside=tmp_path / "release.json", account=book):
        found = run_adassp(table(40), feature_map(), **asked)
        booked = in_account()
    assert booked is not None
    spent = found.release.mu_squared / 2
    assert not booked.account.ledger.reserved
    assert float(booked.account.ledger.spent) == pytest.approx(float(spent), rel=1e-12)
    kept = (tmp_path / "release.json.recovery.json").read_text()
    assert '"least eigenvalue"' in kept
    assert str(found.least_eigenvalue.values[0]) in kept
    assert found.least_eigenvalue.mode == "release"


def matrices() -> list[tuple[fmpz_mat, int]]:
    generator = np.random.default_rng(5)
    found = []
    for rows, columns, size in ((3, 5, 9), (5, 5, 9), (9, 4, 50), (40, 6, 1000)):
        x = generator.integers(-size, size, (rows, columns))
        found += [(fmpz_mat((x.T @ x).tolist()), step) for step in (1, 7)]
    found.append((fmpz_mat([[7, 0], [0, 21]]), 7))  # exactly one step
    return found


@pytest.mark.parametrize(("gram", "step"), matrices())
def test_the_steps_of_the_eigenvalue_are_within_one(gram: fmpz_mat, step: int) -> None:
    exact = eigen._floor(gram, step)
    least = min(float(root.real) for root, _ in gram.charpoly().complex_roots())
    assert floor(least / step + 1e-9) == exact
    assert abs(eigen.steps_of(gram, step) - exact) <= 1


def test_where_floats_are_too_coarse_the_polynomial_decides() -> None:
    """The least eigenvalue is 1, beside entries of 2^70 that hide it from doubles."""
    large = 2**70
    gram = fmpz_mat([[large + 1, large], [large, large + 1]])
    assert not eigen._is_at_least(gram, 0, np.array(gram.tolist(), dtype=np.float64))
    assert eigen.steps_of(gram, 1) in (0, 1, 2)
    assert eigen._floor(gram, 1) == 1


@pytest.mark.parametrize("wrong", [-2, 2])
def test_a_wrong_number_of_steps_is_not_proved(wrong: int) -> None:
    x = np.random.default_rng(1).integers(-99, 99, (40, 4))
    gram = fmpz_mat((x.T @ x).tolist())
    claimed = eigen._floor(gram, 1) + wrong
    vectors = np.linalg.eigh(np.array(gram.tolist(), dtype=np.float64))[1]
    below = eigen._is_at_most(gram, claimed + 1, vectors[:, 0])
    above = eigen._is_at_least(gram, claimed - 1, np.array(gram.tolist(), dtype=np.float64))
    assert (below, above) == ((False, True) if wrong < 0 else (True, False))


def test_few_bits_have_the_same_steps() -> None:
    schema = schema_of_domain(Domain(LEVELS))
    coarse = build_feature_map(schema, label=schema.names[1], one_hot=(), bits=2)
    rows = all_tables(Adjacency.REPLACE_ONE, LEVELS)[7]
    found = [eigen.least_eigenvalue(moment_sums(rows, one), one) for one in (coarse, SMALL)]
    assert abs(found[0].values[0] - found[1].values[0]) <= 2


TRUE = {"0.05": 0.060704, "0.1": 0.12982, "0.5": 0.750977, "1": 1.610316, "2": 3.511178}


@pytest.mark.parametrize("epsilon", TRUE)
def test_the_printed_noise_of_ssp_is_not_enough(epsilon: str) -> None:
    found = printed_ssp(table(50), feature_map(), epsilon=epsilon, dp_delta="1e-5", mode="simulate", seed=1)
    assert not found.keeps_promise
    assert "NOT kept" in found.text
    assert float(found.epsilon_ub) == pytest.approx(TRUE[epsilon], abs=1e-6)


def test_the_printed_noise_of_adassp_is_enough() -> None:
    asked = {**SIMULATED, "epsilon": 1}
    printed = printed_adassp(table(400), feature_map(), split=PRINTED, **asked)
    program = printed_adassp(table(400), feature_map(), split=PROGRAM, **asked)
    assert (float(printed.epsilon_ub), float(program.epsilon_ub)) == pytest.approx((0.561944, 0.7265), abs=1e-6)
    assert printed.keeps_promise
    assert program.keeps_promise
    small = printed_ssp(table(50), feature_map(), epsilon="0.009", dp_delta="1e-5", mode="simulate", seed=1)
    assert small.keeps_promise


def test_the_printed_noise_has_the_printed_scales() -> None:
    """By the same stream: the noise that was added, over the sensitivity."""
    records, features = table(400), feature_map()
    stream = np.random.Generator(np.random.Philox(key=3, counter=[0, 0, 0, 0]))
    exact, p, norm = sums_of_records(records, features), features.size, features.squared_norm
    ratio = sqrt(log(6e5)) * 3
    least = np.linalg.eigvalsh(exact.gram)[0] + norm * ratio * (stream.standard_normal() - sqrt(log(6e5)))
    ridge = max(0, ratio * norm * eigenvalue_reach(p) - max(0, least))
    z = np.triu(stream.standard_normal((p, p)))
    gram = exact.gram + norm * ratio * (z + np.triu(z, 1).T) + ridge * np.eye(p)
    cross = exact.cross + ratio * sqrt(norm) * stream.standard_normal(p)
    found = printed_adassp(records, features, **SIMULATED)
    assert found.coefficients == pytest.approx(np.linalg.solve(gram, cross), rel=1e-9)


@pytest.mark.parametrize("printed", [printed_ssp, printed_adassp])
def test_what_is_printed_is_not_released(printed) -> None:
    with pytest.raises(NotApplicable, match="mode = release"):
        printed(None, feature_map(), **BUDGET, mode="release")


def test_simulated_noise_of_both_parts_is_independent() -> None:
    """The eigenvalue's is from a stream of its own, not the first number of the moments' again."""
    asked = MomentRequest(feature_map(), adjacency="replace-one", reserve=adassp.SHARE, **SIMULATED)
    assert asked.randomness.at_step(1) == Randomness(mode="simulate", seed=3, step=1)
