"""DD-SSP: sums from tables are those of records, surrogates are used where they are concave, minima are minima."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import acosh, sqrt
from typing import Any

import numpy as np
import pytest

from bounds.enclosure import Enclosure, precision
from bounds.errors import NotApplicable, ParameterError
from bounds.privacy.adjacency import Adjacency
from mechanisms.mechanism import Public
from mechanisms.pgm.from_log import code_shares, estimate_log
from mechanisms.regression.ddssp import ddssp, plan_ddssp
from mechanisms.regression.even_moments import moments_of_model, moments_of_release, moments_of_rows
from mechanisms.regression.sums import Sums, sums_of_records
from mechanisms.regression.surrogate import KINDS, find_surrogate
from mechanisms.regression.table_sources import (
    pairs_not_shown,
    sums_of_marginals,
    sums_of_model,
    tables_of_records,
)
from mechanisms.regression.table_sums import moment_matrix, sums_of_tables
from mechanisms.select.mst import plan_mst, run_mst
from release.marginals.make import release_marginals
from release.moments.make import make_release
from release.noise.randomness import read_randomness
from release.statistics.features import FeatureMap, build_feature_map
from release.statistics.moments import moment_sums
from tests.cross_examples import SCHEMA, schema_of, table
from tests.mechanisms.test_aim import made
from verify.claims.ddssp2024_chebyshev import best, interpolated

FEATURES = build_feature_map(SCHEMA, label="pays", one_hot=(), reduced=("town",))
COUNTS = schema_of(
    [
        {"name": "age", "range": ["0", "70"], "bins": 7},
        {"name": "town", "levels": ["north", "south", "west"]},
        {"name": "calls", "levels": ["0", "1", "2", "4"]},
    ]
)
EVERY_ENCODING = (
    FEATURES,
    build_feature_map(SCHEMA, label="owns", by_value=("size",), one_hot=("town",)),
    FeatureMap(SCHEMA, "pays", "no", ("smooth", "one-hot", "none", "smooth")),
    build_feature_map(SCHEMA, label="age", reduced=("town",)),
)


def law_of(log: Any, model: Any) -> tuple[Any, Any]:
    """All records of the domain, and how many there are of each by the log's law, from its table of all columns."""
    sizes = log.schema.domain.sizes
    codes = np.array(list(product(*map(range, sizes))))
    groups = [np.arange(size) for size in sizes] if log.groups is None else [np.array(g) for g in log.groups]
    weights = model.marginal(range(len(sizes)))[tuple(group[codes[:, u]] for u, group in enumerate(groups))]
    for u, group in enumerate(groups):
        shares = code_shares(log, u) if log.groups is not None else np.ones(sizes[u])
        weights = weights * (shares / np.bincount(group, weights=shares)[group])[codes[:, u]]
    return codes, weights * log.total_est


@pytest.mark.parametrize("features", EVERY_ENCODING)
def test_tables_give_the_integers_of_records(features: FeatureMap) -> None:
    records = table(300)
    exact, plain = moment_sums(records, features), tables_of_records(records, features)
    whole = moment_matrix(features, lambda columns: plain(columns).astype(object))
    assert whole[:-1, -1].tolist() == list(exact.first)
    assert [whole[j, j:-1].tolist() for j in range(features.size)] == [list(row) for row in exact.second]
    thirds = moment_matrix(features, lambda columns: plain(columns).astype(object) * Fraction(1, 3))
    assert (thirds * 3 == whole).all()
    found, wanted = sums_of_tables(features, plain), sums_of_records(records, features)
    assert np.abs(found.gram - wanted.gram).max() <= 1e-9 * 300
    assert np.abs(found.cross - wanted.cross).max() <= 1e-9 * 300
    assert found.count == 300


def test_sums_of_a_model_are_those_of_its_law() -> None:
    log = made(2000)
    model = estimate_log(log)
    found, wanted = sums_of_model(log, model, FEATURES), sums_of_records(*_with(law_of(log, model)))
    assert found.gram == pytest.approx(wanted.gram, abs=1e-6)
    assert found.cross == pytest.approx(wanted.cross, abs=1e-6)
    assert found.count == log.total_est


def _with(law: tuple[Any, Any]) -> tuple[Any, FeatureMap, Any]:
    return law[0], FEATURES, law[1]


def test_codes_that_were_merged_share_by_their_own_table() -> None:
    public = Public(schema=SCHEMA, adjacency=Adjacency.ADD_REMOVE, size=100)
    asked = plan_mst(public, epsilon=Fraction(1, 20), dp_delta=Fraction(1, 10**6), mode="simulate")
    log = run_mst(table(300), asked, read_randomness("simulate", seed=2))
    assert log.groups is not None
    assert log.shape.merged != SCHEMA.domain.sizes
    model = estimate_log(log)
    found, wanted = sums_of_model(log, model, FEATURES), sums_of_records(*_with(law_of(log, model)))
    assert found.gram == pytest.approx(wanted.gram, abs=1e-6)
    assert found.cross == pytest.approx(wanted.cross, abs=1e-6)


def marginals(epsilon: object = 10**6, **asked: Any) -> Any:
    return release_marginals(
        table(300), SCHEMA, epsilon=epsilon, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=1, **asked
    )


def test_tables_of_a_release() -> None:
    found, wanted = sums_of_marginals(marginals(), FEATURES), sums_of_records(table(300), FEATURES)
    assert np.abs(found.gram - wanted.gram).max() < 0.1
    assert np.abs(found.cross - wanted.cross).max() < 0.1
    assert found.gram[-1, -1] == found.count == 300


def test_pairs_that_no_table_shows() -> None:
    release = marginals(pairs=[("age", "pays"), ("town", "pays"), ("owns", "pays"), ("size", "pays")])
    assert len(pairs_not_shown(release, FEATURES)) == 6
    with pytest.raises(NotApplicable, match="no table shows age x town: 6 pairs"):
        sums_of_marginals(release, FEATURES)
    found = sums_of_marginals(release, FEATURES, independent=True)
    exact = sums_of_records(table(300), FEATURES)
    age, owns = FEATURES.names.index("age"), FEATURES.names.index("owns")
    assert found.gram[age, owns] == pytest.approx(exact.gram[age, -1] * exact.gram[owns, -1] / 300, abs=0.1)
    with pytest.raises(NotApplicable, match="the column size"):
        sums_of_marginals(marginals(pairs=[("age", "pays")], one_way=["town", "owns"]), FEATURES)


def test_noise_that_is_said_of_tables_is_the_noise_they_have() -> None:
    """The deviation of y f of a linear column of 7 codes: cells times the norms of both columns, over 20 releases."""
    exact = sums_of_records(table(300), FEATURES)
    draws = [sums_of_marginals(replace(marginals(1), tables=_noisy(seed)), FEATURES) for seed in range(20)]
    errors = np.array([draw.cross - exact.cross for draw in draws])
    said = draws[0].cross_sd
    assert 0.6 < errors.std(axis=0)[:-1].max() / said < 1.4
    edges = [np.linalg.eigvalsh(draw.gram - exact.gram)[-1] for draw in draws]
    assert max(edges) < 1.5 * draws[0].gram_sd * sqrt(2 * FEATURES.size)


def _noisy(seed: int) -> Any:
    release = release_marginals(
        table(300), SCHEMA, epsilon=1, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=seed
    )
    return release.tables


def test_coefficients_of_degree_two() -> None:
    with precision(128):
        known = {"chebyshev": Enclosure.of(interpolated()), "minimax": Enclosure.of(best())}
    for kind, value in known.items():
        found = find_surrogate("logistic", kind=kind)
        assert abs(found.exact[2] - value.midpoint) < Fraction(1, 10**15)
        assert found.exact[1] == Fraction(1, 2)
        assert found.concave_to is None
    assert find_surrogate("logistic", kind="chebyshev").b[2] == pytest.approx(-0.07075746607777, abs=1e-14)
    assert find_surrogate("logistic", kind="minimax").b[2] == pytest.approx(-0.06414801401605, abs=1e-14)
    printed, right = find_surrogate("logistic", kind="published"), find_surrogate("logistic", kind="chebyshev")
    assert (printed.exact[1] / printed.exact[2]) * 3 == right.exact[1] / right.exact[2]
    assert printed.b == pytest.approx((-3.933563, 3.0, -1.273634), abs=1e-6)


@pytest.mark.parametrize(
    ("kind", "degree", "end"),
    [("chebyshev", 4, 3.9477109), ("chebyshev", 6, 3.4934679), ("chebyshev", 8, 5.2882053), ("minimax", 4, 4.1196923)],
)
def test_higher_degrees_are_concave_up_to_their_end(kind: str, degree: int, end: float) -> None:
    with pytest.raises(NotApplicable, match=f"tau = none: must be at most {str(end)[:8]}"):
        find_surrogate("logistic", kind=kind, degree=degree)
    found = find_surrogate("logistic", kind=kind, degree=degree, tau=Fraction(3))
    assert found.concave_to is not None
    assert float(found.concave_to) == pytest.approx(end, abs=1e-7)

    def bend(s: Fraction) -> Fraction:
        return sum((m * (m - 1) * b * s ** (m - 2) for m, b in enumerate(found.exact) if m > 1), Fraction(0))

    assert all(bend(found.concave_to * share / 50) < 0 for share in range(51))
    assert bend(found.concave_to + Fraction(1, 10**11)) > 0
    assert find_surrogate("logistic", kind=kind, degree=degree, tau=found.concave_to) == found
    with pytest.raises(NotApplicable, match="stops being concave"):
        find_surrogate("logistic", kind=kind, degree=degree, tau=found.concave_to + Fraction(1, 10**12))


def test_the_rate_of_a_count_is_positive() -> None:
    """Interpolation at 0 and +-R sqrt(3)/2 is positive exactly where cosh(R sqrt(3)/2) < 3."""
    assert Fraction("2.0354") < 2 * acosh(3) / sqrt(3) < Fraction("2.0355")
    assert find_surrogate("poisson", kind="chebyshev", reach=Fraction("2.0354")).b[0] == 1
    with pytest.raises(NotApplicable, match=r"only for R up to 2\.0354"):
        find_surrogate("poisson", kind="chebyshev", reach=Fraction("2.0355"))
    with pytest.raises(NotApplicable, match=r"only for R up to 1\.9341"):
        find_surrogate("poisson", kind="minimax", reach=Fraction(2))
    places = np.linspace(-1, 1, 201)
    for kind in ("chebyshev", "minimax"):
        values = np.polynomial.polynomial.polyval(places, find_surrogate("poisson", kind=kind).b)
        assert np.abs(values - np.exp(places)).max() < 0.06


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"loss": "hinge"}, "loss = hinge"),
        ({"kind": "taylor"}, "surrogate = taylor"),
        ({"degree": 3}, "degree = 3: must be even"),
        ({"degree": 14}, "degree = 14"),
        ({"reach": Fraction(0)}, "reach = 0"),
        ({"kind": "published", "degree": 4, "tau": Fraction(1)}, "published program"),
        ({"loss": "poisson", "degree": 4}, "degree = 4"),
        ({"loss": "poisson", "kind": "published"}, "published program"),
        ({"loss": "poisson", "tau": Fraction(2)}, "must be at most 1, so that no score leaves"),
    ],
)
def test_what_has_no_surrogate(asked: dict[str, Any], said: str) -> None:
    given = {"loss": "logistic"} | asked
    with pytest.raises((ParameterError, NotApplicable), match=said):
        find_surrogate(given.pop("loss"), **given)


@pytest.mark.parametrize("kind", KINDS)
def test_degree_two_is_least_squares_over_four_b(kind: str) -> None:
    sums = sums_of_records(table(400), FEATURES)
    records = FEATURES.features(table(400)) / FEATURES.one
    ols = np.linalg.lstsq(records, FEATURES.labels(table(400)).astype(float), rcond=None)[0]
    b = find_surrogate("logistic", kind=kind).b
    found = ddssp(plan_ddssp(FEATURES, surrogate=kind), sums, ridge=0.0)
    assert found == pytest.approx(ols * b[1] / (-2 * b[2]), abs=1e-9)
    if kind != "published":
        assert found == pytest.approx(ols / (4 * abs(b[2])), abs=1e-9)
    assert ddssp(plan_ddssp(FEATURES, loss="squared"), sums, ridge=0.0) == pytest.approx(ols, abs=1e-9)


def test_a_norm_bound_gives_the_best_of_its_models_and_not_a_shorter_one() -> None:
    sums, tau = sums_of_records(table(400), FEATURES), Fraction(1)
    free, held = ddssp(plan_ddssp(FEATURES), sums), ddssp(plan_ddssp(FEATURES, tau=tau), sums)
    radius = 1 / sqrt(FEATURES.squared_norm)
    b = find_surrogate("logistic").b

    def loss(v: Any) -> float:
        return float(-b[1] * sums.cross @ v - b[2] * v @ sums.gram @ v)

    assert np.linalg.norm(held) == pytest.approx(radius)
    assert loss(held) < loss(free * radius / np.linalg.norm(free)) - 1e-6
    slope = -b[1] * sums.cross - 2 * b[2] * sums.gram @ held
    assert -slope @ held == pytest.approx(np.linalg.norm(slope) * radius, rel=1e-4)


def test_a_singular_matrix_gives_finite_coefficients_of_least_norm() -> None:
    features = build_feature_map(SCHEMA, label="pays", one_hot=("town",))
    sums = sums_of_records(table(400), features)
    assert np.linalg.matrix_rank(sums.gram) < features.size
    least = np.linalg.pinv(sums.gram, rcond=1e-9) @ sums.cross
    assert ddssp(plan_ddssp(features, loss="squared"), sums) == pytest.approx(least, abs=1e-4)


def polynomial_loss(values: Any, labels: Any, weights: Any, b: tuple[float, ...]) -> Any:
    return lambda v: float(-weights @ np.polynomial.polynomial.polyval(labels * (values @ v), b) / weights.sum())


@pytest.mark.parametrize("degree", [4, 6])
@pytest.mark.parametrize("tau", ["1/2", "17/5"])
def test_higher_degrees_reach_the_least_of_the_polynomial(degree: int, tau: str) -> None:
    from scipy.optimize import minimize

    records = table(400)
    values, labels = FEATURES.features(records) / FEATURES.one, FEATURES.labels(records).astype(float)
    plan = plan_ddssp(FEATURES, degree=degree, tau=Fraction(tau))
    assert plan.surrogate is not None
    moments = moments_of_rows(values, np.ones(400), degree)
    found = ddssp(plan, sums_of_records(records, FEATURES), moments, ridge=0.0)
    radius = float(Fraction(tau)) / sqrt(FEATURES.squared_norm)
    assert np.linalg.norm(found) <= radius * (1 + 1e-9)
    loss = polynomial_loss(values, labels, np.ones(400), plan.surrogate.b)
    ball = {"type": "ineq", "fun": lambda v: radius**2 - v @ v}
    other = minimize(loss, np.zeros(len(found)), method="SLSQP", constraints=[ball], options={"ftol": 1e-12})
    assert loss(found) <= loss(other.x) + 1e-8


def test_moments_of_a_model_are_those_of_its_law() -> None:
    log = made(2000)
    model = estimate_log(log)
    codes, weights = law_of(log, model)
    wanted = moments_of_rows(FEATURES.features(codes) / FEATURES.one, weights, 4)
    assert moments_of_model(log, model, FEATURES, 4).sums[4] == pytest.approx(wanted.sums[4], abs=1e-6)


def test_fourth_moments_of_a_release() -> None:
    records = table(400)
    release = make_release(
        records, FEATURES, epsilon=1000, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=1, fourth=True
    )
    wanted = moments_of_rows(FEATURES.features(records) / FEATURES.one, np.ones(400), 4)
    assert moments_of_release(release).sums[4] == pytest.approx(wanted.sums[4], abs=5)


def test_too_many_products_are_refused_before_anything_is_spent() -> None:
    wide = schema_of([{"name": f"c{i}", "levels": list("abcdefghij")} for i in range(5)] + [SCHEMA_LABEL])
    features = build_feature_map(wide, label="pays")
    with pytest.raises(NotApplicable, match="51 features have too many products: at most 40"):
        plan_ddssp(features, degree=4, tau=Fraction(1))
    long = schema_of([{"name": f"c{i}", "range": ["0", "1"], "bins": 40} for i in range(4)] + [SCHEMA_LABEL])
    features = build_feature_map(long, label="pays")
    with pytest.raises(NotApplicable, match="2,560,000 cells: at most 1,000,000"):
        plan_ddssp(features, degree=4, tau=Fraction(1))
    assert plan_ddssp(features, degree=4, tau=Fraction(1), of_tables=False).degree == 4


SCHEMA_LABEL = {"name": "pays", "levels": ["no", "yes"]}


def test_counts_are_solved_in_their_own_unit() -> None:
    features = build_feature_map(COUNTS, label="calls", reduced=("town",))
    generator = np.random.default_rng(1)
    records = np.column_stack(
        [generator.integers(0, 7, 500), generator.integers(0, 3, 500), generator.integers(0, 4, 500)]
    )
    values, labels = features.features(records) / features.one, np.array([0, 1, 2, 4])[records[:, 2]]
    sums = sums_of_records(records, features)
    plan = plan_ddssp(features, loss="poisson", surrogate="chebyshev", reach=Fraction(2))
    assert plan.tau == 2
    found, b = ddssp(plan, sums, ridge=0.0), find_surrogate("poisson", kind="chebyshev", reach=Fraction(2)).b
    slope = values.T @ (b[1] + 2 * b[2] * (values @ found) - labels)
    radius = 2 / sqrt(features.squared_norm)
    inside = np.linalg.norm(found) < radius * (1 - 1e-9)
    assert np.abs(slope).max() < 1e-6 if inside else -slope @ found == pytest.approx(np.linalg.norm(slope) * radius)


def test_what_is_no_count_is_refused() -> None:
    with pytest.raises(NotApplicable, match=r"needs numbers$"):
        plan_ddssp(FEATURES, loss="poisson")
    below = schema_of([{"name": "a", "levels": ["0", "1"]}, {"name": "b", "levels": ["-1", "0", "1"]}])
    with pytest.raises(NotApplicable, match="at least 0"):
        plan_ddssp(build_feature_map(below, label="b"), loss="poisson")
    with pytest.raises(ParameterError, match="two values"):
        plan_ddssp(build_feature_map(COUNTS, label="calls"))


def test_noise_gets_a_ridge_as_large_as_itself() -> None:
    sums = sums_of_records(table(400), FEATURES)
    noisy = Sums(**{**sums.__dict__, "gram_sd": 3.0})
    plan = plan_ddssp(FEATURES)
    assert ddssp(plan, noisy) == pytest.approx(ddssp(plan, sums, ridge=3 * sqrt(2 * FEATURES.size) / 2))
    assert ddssp(plan, sums) == pytest.approx(ddssp(plan, sums, ridge=400e-6))
