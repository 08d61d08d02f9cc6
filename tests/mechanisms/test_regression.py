"""Regression by sums: exact sums, solutions against an independent library, singular matrices, AIM in public parts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bounds.errors import DataError, NotCertified, ParameterError
from bounds.privacy.adjacency import Adjacency
from mechanisms.mechanism import Public
from mechanisms.regression.adassp import run_adassp
from mechanisms.regression.excess import certified_excess
from mechanisms.regression.from_release import regress_release
from mechanisms.regression.from_table import read_table_request
from mechanisms.regression.instead import trained_instead
from mechanisms.regression.least_squares import least_squares, noise_ridge, raw_solution, spectral_edge
from mechanisms.regression.sums import Sums, sums_of_records, sums_of_release
from mechanisms.select.aim import run_aim
from mechanisms.select.aim_plan import neighbours_merged, plan_aim
from release.data.schema import Schema, parse_schema
from release.data.source import as_source
from release.log.read import parse_log
from release.log.structure import require_structure
from release.moments.make import make_release
from release.noise.randomness import read_randomness
from release.statistics.features import choose_features
from tests.cross_examples import SCHEMA, table

COLUMNS = (
    '{"name": "age", "range": ["0", "90"], "bins": 9, "missing": true}',
    '{"name": "job", "levels": ["none", "part", "full", "own"]}',
    '{"name": "ill", "levels": ["no", "yes"]}',
    '{"name": "pay", "range": ["0", "8"], "bins": 8}',
)
SMALL = (
    '{"synthbounds_schema": 1, "source": "public", "columns": [{"name": "a", "levels": ["0", "1"]}, '
    '{"name": "b", "levels": ["no", "yes"]}]}'
)
PEOPLE: Schema = parse_schema(f'{{"synthbounds_schema": 1, "source": "public", "columns": [{", ".join(COLUMNS)}]}}')


def people(n: int = 4000, seed: int = 1) -> Any:
    draws = np.random.Generator(np.random.Philox(seed))
    age, job = draws.integers(0, 10, n), draws.integers(0, 4, n)
    ill = (draws.random(n) < 0.2 + 0.05 * np.minimum(age, 8)).astype(int)
    pay = np.clip((age % 9) // 2 + job + draws.integers(-1, 2, n), 0, 7)
    return np.stack([age, job, ill, pay], axis=1).astype(PEOPLE.domain.code_type)


def asked(**more: Any) -> dict[str, Any]:
    return {
        "mode": "simulate",
        "epsilon": "2",
        "dp_delta": "1e-6",
        "adjacency": Adjacency.REPLACE_ONE,
        "seed": 1,
        **more,
    }


def test_sums_of_a_release_are_its_integers_and_without_noise_those_of_records() -> None:
    features = choose_features(PEOPLE, label="pay", reduced=["job"])
    codes = people()
    exact = sums_of_records(codes, features)
    release = make_release(
        codes, features, epsilon=1000, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=1
    )
    noisy = sums_of_release(release)
    assert np.abs(noisy.gram - exact.gram).max() < 8 * noisy.gram_sd < 2
    assert np.abs(noisy.cross - exact.cross).max() < 8 * noisy.cross_sd < 2
    assert noisy.count == len(codes)
    assert exact.gram[-1, -1] == len(codes)


def test_noise_of_the_stated_deviation_has_the_stated_spectrum() -> None:
    features = choose_features(PEOPLE, label="pay")
    p, stream = features.size, np.random.Generator(np.random.Philox(5))
    squares = []
    for _ in range(200):
        upper = np.triu(stream.standard_normal((p, p)), 1) / np.sqrt(2)
        noise = upper + upper.T + np.diag(stream.standard_normal(p))
        squares.append((np.linalg.eigvalsh(noise) ** 2).mean())
    unit = Sums(feature_map=features, gram=np.eye(p), cross=np.zeros(p), count=1.0, gram_sd=1.0)
    assert np.sqrt(np.mean(squares)) == pytest.approx(noise_ridge(unit) * np.sqrt(1 + 1 / p), rel=0.05)
    assert spectral_edge(unit) == 2 * noise_ridge(unit)


def test_least_squares_is_what_scikit_learn_says() -> None:
    from sklearn.linear_model import Ridge

    features = choose_features(PEOPLE, label="pay", reduced=["job"])
    codes = people()
    sums = sums_of_records(codes, features)
    x, y = features.features(codes) / features.one, features.labels(codes) / features.label_one
    theirs = Ridge(alpha=3.0, fit_intercept=False, solver="cholesky").fit(x, y).coef_
    assert np.abs(least_squares(sums, ridge=3.0) - theirs).max() < 1e-9
    inside = least_squares(sums, ridge=0.0, tau=0.5)
    assert np.sqrt(features.squared_norm) * np.linalg.norm(inside) == pytest.approx(0.5, rel=1e-9)
    for other in np.eye(features.size) * 0.5 / np.sqrt(features.squared_norm):  # no better model on the sphere

        def objective(v: Any) -> float:
            return float(v @ sums.gram @ v / 2 - sums.cross @ v)

        assert objective(inside) <= objective(other) + 1e-9


def test_a_singular_matrix_gives_the_least_solution() -> None:
    """One-hot columns and an intercept are never independent."""
    features = choose_features(PEOPLE, label="pay")
    sums = sums_of_records(people(), features)
    assert np.linalg.matrix_rank(sums.gram) < features.size
    for found in (least_squares(sums, ridge=0.0), least_squares(sums, ridge=1e-6), raw_solution(sums)):
        assert np.isfinite(found).all()
        assert np.abs(sums.gram @ found - sums.cross).max() < 1e-5 * len(people())
    shortest = np.linalg.lstsq(sums.gram, sums.cross, rcond=None)[0]
    assert np.abs(least_squares(sums, ridge=0.0) - shortest).max() < 1e-7


@pytest.mark.parametrize("label", ["pay", "ill"])
def test_with_next_to_no_noise_every_method_of_sums_finds_the_best_model(label: str) -> None:
    codes = people()
    best = None
    for method in ("ssp-edge", "ssp", "adassp"):
        request = read_table_request(
            PEOPLE, asked(label=label, method=method, loss="squared", reduced=("all",)) | {"epsilon": "1000"}
        )
        found = request.run(as_source(codes, PEOPLE.domain))
        features = found.model.feature_map
        best = least_squares(sums_of_records(codes, features), ridge=0.0)
        assert np.abs(np.array([float(c) for c in found.model.coefficients]) - best).max() < 1e-2, method


def test_the_surrogate_is_least_squares_times_a_number_and_train_is_better() -> None:
    codes, features = people(20_000), choose_features(PEOPLE, label="ill")
    release = make_release(
        codes, features, epsilon=8, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=1
    )
    squares = regress_release(release, {"loss": "squared"}).model.coefficients
    for surrogate, b2 in (("minimax", 0.06414801401605), ("chebyshev", 0.07075746607777)):
        surrogates = regress_release(release, {"surrogate": surrogate}).model.coefficients
        for one, other in zip(surrogates, squares, strict=True):
            assert float(one) == pytest.approx(float(other) / (4 * b2), rel=1e-9)
    held = regress_release(release, {"method": "dd-ssp", "tau": "2"})
    assert held.model.norm_squared <= 4
    instead = trained_instead(held)
    assert instead is not None
    assert instead.is_better
    assert instead.own_risk_est - instead.trained_risk_est < 0.1
    assert trained_instead(regress_release(release, {"loss": "squared"})) is None


def test_negative_eigenvalues_are_no_sums_of_records() -> None:
    features = choose_features(parse_schema(SMALL), label="b")
    sums = Sums(feature_map=features, gram=np.diag([4.0, -3.0]), cross=np.array([2.0, 1.0]), count=1.0)
    assert least_squares(sums, ridge=1.0) == pytest.approx([2 / 5, 1.0])


def test_the_eigenvalue_of_adassp_has_noise_of_its_own() -> None:
    """The first number of step 1 of the run, not one that the sums had."""
    from release.noise.simulated import stream_of
    from release.statistics.least_eigenvalue import least_eigenvalue
    from release.statistics.moments import moment_sums

    features, codes = choose_features(PEOPLE, label="ill"), people()
    found = run_adassp(
        codes, features, epsilon=1, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=9
    ).least_eigenvalue
    exact = least_eigenvalue(moment_sums(codes, features), features).values[0]
    assert isinstance(found.noise.scales, Fraction)
    drawn = (found.values[0] - exact) / float(found.noise.scales)
    step_0, step_1 = (stream_of(read_randomness("simulate", seed=9).at_step(step)).standard_normal() for step in (0, 1))
    assert drawn == pytest.approx(step_1, abs=1e-3)
    assert drawn != pytest.approx(step_0, abs=1e-3)


def test_a_model_of_fourth_moments_is_not_certified_by_them() -> None:
    """Its coefficients depend on their noise, so the file must not claim the release as that of a held-out model."""
    codes, features = people(8000), choose_features(PEOPLE, label="ill", linear=["job"])
    release = make_release(
        codes, features, epsilon=8, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=1, fourth=True
    )
    found = regress_release(release, {"method": "dd-ssp", "degree": 4, "tau": "3"})
    assert found.model.release is None
    answer = certified_excess(found, Fraction(1, 20)).answer
    assert answer is not None
    assert answer.degree == 2
    assert regress_release(release, {"method": "dd-ssp"}).model.release == release.digest


def test_whatever_a_proof_or_a_hint_runs_into_the_model_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    from mechanisms.regression import excess, instead

    release = make_release(
        people(),
        choose_features(PEOPLE, label="ill"),
        epsilon=1,
        dp_delta="1e-6",
        adjacency="replace-one",
        mode="simulate",
        seed=1,
    )
    found = regress_release(release, {})

    def fails(error: BaseException) -> Any:
        def raised(*_: object, **__: object) -> None:
            raise error

        return raised

    for error, reason in (
        (NotCertified("not proved"), "not proved"),
        (KeyboardInterrupt(), "interrupted"),
        (ValueError("cells of Ms Miller"), "a bug of ours: ValueError"),
    ):
        monkeypatch.setattr(excess, "certify_model", fails(error))
        monkeypatch.setattr(instead, "train_from_release", fails(error))
        assert certified_excess(found, Fraction(1, 20)).reason == reason
        assert trained_instead(found) is None


def test_neighbours_are_merged_by_the_schema_alone() -> None:
    merged = neighbours_merged(PEOPLE, 4, {"pay"})
    assert merged is not None
    assert merged[0] == (0, 0, 0, 1, 1, 2, 2, 3, 3, 4)  # the missing code stays apart
    assert merged[1] == (0, 1, 2, 3)  # values without an order
    assert merged[3] == tuple(range(8))  # kept whole
    assert neighbours_merged(PEOPLE, 9, ()) is None
    with pytest.raises(ParameterError, match="most_codes = 1"):
        neighbours_merged(PEOPLE, 1, ())


def test_aim_in_parts_measures_wide_tables_of_merged_codes_and_its_log_is_read_back() -> None:
    codes = people()
    public = Public(schema=PEOPLE, adjacency=Adjacency.ADD_REMOVE, size=3000)
    plan = plan_aim(
        public,
        epsilon=Fraction(2),
        dp_delta=Fraction(1, 10**6),
        mode="simulate",
        degree=2,
        most_codes=4,
        kept_whole=("pay",),
    )
    log = run_aim(codes, plan, read_randomness("simulate", seed=4))
    assert log.groups == plan.groups
    for step in log.tables:
        assert len(step.counts) == log.shape.cells(step.columns)
    assert any(len(step.columns) == 2 for step in log.tables)
    assert sum((step.rho for step in log.steps), Fraction(0)) == log.ledger.total
    again = parse_log(log.to_text())
    assert again == log
    found = regress_release(log, {"label": "pay", "reduced": ("all",)})
    best = least_squares(sums_of_records(codes, found.model.feature_map), ridge=0.0)
    assert np.abs(np.array([float(c) for c in found.model.coefficients]) - best).max() < 0.25


def test_aim_without_parts_is_as_before() -> None:
    """A table none of whose columns is merged has the log that it had."""
    public = Public(schema=SCHEMA, adjacency=Adjacency.ADD_REMOVE, size=500)
    logs = []
    for more in ({}, {"most_codes": 100}):
        plan = plan_aim(
            public, epsilon=Fraction(1), dp_delta=Fraction(1, 10**6), mode="simulate", degree=2, rounds=20, **more
        )
        logs.append(run_aim(table(500), plan, read_randomness("simulate", seed=3)))
    assert logs[1].groups is None
    assert logs[0].steps == logs[1].steps


@pytest.mark.parametrize(
    ("groups", "line"),
    [
        ([[0, 1, 0, 1, 2, 2, 3, 3, 3, 4], [0, 1, 2, 3], [0, 1], list(range(8))], "merges neighbours"),
        ([[0, 0, 0, 1, 1, 2, 2, 3, 3, 3], [0, 1, 2, 3], [0, 1], list(range(8))], "beside a missing one"),
        ([[0, 0, 1, 1, 2, 2, 3, 3, 4, 5], [0, 1, 2, 3], [0, 1], list(range(8))], "at most 4 codes"),
    ],
)
def test_a_log_with_other_groups_is_refused(groups: list[list[int]], line: str) -> None:
    public = Public(schema=PEOPLE, adjacency=Adjacency.ADD_REMOVE, size=300)
    plan = plan_aim(public, epsilon=Fraction(1), dp_delta=Fraction(1, 10**6), mode="simulate", degree=2, most_codes=4)
    log = run_aim(people(300), plan, read_randomness("simulate", seed=4))
    require_structure(log, "release")
    with pytest.raises(DataError, match=line):
        require_structure(replace(log, groups=tuple(tuple(group) for group in groups)), "release")
