"""Edges from releases: signs and ends true of the table, which columns are nodes, what stays open, and refusals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from bounds.certify.radii import normal_interval
from bounds.errors import NotApplicable, ParameterError, UsageError
from bounds.inference.linear_pivot import LinearPivot, joint_radius
from mechanisms.infer.noisy_matrix import noisy_matrix
from mechanisms.infer.regression import edges as room
from mechanisms.infer.regression.edges import edges_from_release
from mechanisms.infer.regression.edges_answer import Edge, EdgesAnswer
from mechanisms.infer.regression.equation import equations
from release.data.columns import LevelColumn
from release.data.schema import Schema
from release.moments.file import MomentRelease
from release.moments.make import MomentRequest
from release.statistics.features import FeatureMap, build_feature_map
from release.statistics.moments import moment_sums
from tests.bounds.inference.matrices import Floats, is_plausible
from tests.moment_examples import SCHEMA, feature_map, table

N = 4000
LEVEL = Fraction(19, 20)


@pytest.fixture
def without_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_SEARCHED", 0)


def release(
    *,
    epsilon: Fraction | int = 10,
    adjacency: str = "replace-one",
    features: FeatureMap | None = None,
    codes: Floats | None = None,
    run: int = 0,
) -> MomentRelease:
    features = feature_map(one_hot=False) if features is None else features
    codes = table(N) if codes is None else codes
    asked = MomentRequest(
        features,
        epsilon=epsilon,
        dp_delta="1e-6",
        adjacency=adjacency,
        mode="simulate",
        n0=N // 2 if adjacency == "add-remove" else None,
        seed=5,
        run=run,
    )
    return asked.release_sums(moment_sums(codes, features))


def real_correlations(features: FeatureMap, codes: Floats, nodes: tuple[str, ...]) -> dict[tuple[str, str], float]:
    """Of residuals after regression on all other nodes and the intercept, by numpy's least squares."""
    rows = np.column_stack([features.features(codes) / features.one, features.labels(codes) / features.label_one])
    places = {name: rows[:, (*features.names, features.label).index(name)] for name in nodes}
    found = {}
    for a in nodes:
        for b in nodes:
            if a != b:
                rest = np.column_stack([places[c] for c in nodes if c not in (a, b)] + [np.ones(len(rows))])
                pair = np.column_stack([places[a], places[b]])
                left = pair - rest @ np.linalg.lstsq(rest, pair, rcond=None)[0]
                found[a, b] = float(left[:, 0] @ left[:, 1] / np.prod(np.linalg.norm(left, axis=0)))
    return found


def is_true(edge: Edge, truth: float, least: Fraction) -> bool:
    lo, hi = edge.correlation.lo, edge.correlation.hi
    assert lo is not None
    assert hi is not None
    return (
        float(lo) - 1e-9 <= truth <= float(hi) + 1e-9
        and edge.sign * truth >= 0
        and (not edge.is_small or abs(truth) <= least)
    )


def test_all_statements_of_releases_are_true() -> None:
    features = feature_map(one_hot=False)
    nodes = (*(name for name in features.names if name != "intercept"), "pays")
    truth = real_correlations(features, table(N), nodes)
    told = searched = wrong = 0
    for run in range(4):
        found = edges_from_release(release(run=run), level=Fraction(9, 10))
        assert found.nodes == nodes
        assert len(found.edges) == len(nodes) * (len(nodes) - 1) // 2
        wrong += not all(is_true(edge, truth[edge.first, edge.second], found.least) for edge in found.edges)
        for edge in found.edges:
            assert edge.sharper is not None
            assert edge.sharper_sign * truth[edge.first, edge.second] >= 0
        told += len(found.certain)
        searched += len(found.sharper_certain)
    assert is_plausible(wrong, 4, 0.1)
    assert told >= 8
    assert searched >= told


def test_little_noise_tells_every_sign_and_which_are_small() -> None:
    features = feature_map(one_hot=False)
    found = edges_from_release(release(epsilon=1000), least=Fraction(1, 5))
    truth = real_correlations(features, table(N), found.nodes)
    for edge in found.edges:
        exact = truth[edge.first, edge.second]
        assert edge.correlation.width is not None
        assert edge.correlation.width < 0.05
        assert is_true(edge, exact, found.least)
        assert edge.sign == np.sign(exact) or abs(exact) < 0.03
        assert edge.is_small == (abs(exact) <= 0.2) or abs(abs(exact) - 0.2) < 0.03
        assert edge.correlation.estimate == pytest.approx(exact, abs=0.01)
        assert edge.sharper is not None
        assert edge.sharper.kind == "exact"
        assert not edge.sharper.is_certified
    assert not found.untold
    assert found.notes == ()


def test_sets_have_all_regressions_at_once_as_often_as_they_say() -> None:
    """The real regressions in their joint sets, in rationals, at level 1/2: the level is shared by the nodes."""
    features, count, missed = feature_map(one_hot=False), 60, 0
    rows = np.column_stack([features.features(table(N)) / features.one, features.labels(table(N))])
    whole = rows.T @ rows / N
    for run in range(count):
        matrix = noisy_matrix(release(epsilon=1, run=run))
        nodes = [i for i in range(len(matrix.names)) if i != matrix.intercept]
        inside = True
        for node in nodes:
            others = [*(j for j in nodes if j != node), matrix.intercept]
            pivot = equations(matrix, response=node, regressors=others)
            b = np.linalg.solve(whole[np.ix_(others, others)], whole[others, node])
            inside &= pivot.contains(
                [Fraction(x) for x in b.tolist()], joint_radius(pivot, Fraction(1, 2) / len(nodes))
            )
        missed += not inside
    assert is_plausible(missed, count, 0.5)
    assert missed > count // 10


def test_the_level_is_shared_by_the_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, normal = [], []

    def noted(pivot: LinearPivot, failure: Fraction) -> Fraction:
        asked.append(failure)
        return joint_radius(pivot, failure)

    def normal_noted(failure: Fraction) -> Fraction:
        normal.append(failure)
        return normal_interval(failure)

    monkeypatch.setattr(room, "joint_radius", noted)
    monkeypatch.setattr(room, "normal_interval", normal_noted)
    found = edges_from_release(release(), level=LEVEL)
    many = len(found.nodes)
    assert sum(asked) == (1 - LEVEL) * Fraction(5, 4)  # joint sets, and a quarter for those that are searched
    assert max(asked) == (1 - LEVEL) / many
    assert normal == [(1 - LEVEL) * Fraction(3, 4) / (many * (many - 1))]


@pytest.mark.usefixtures("without_search")
def test_the_label_is_a_node_where_its_square_is_public() -> None:
    assert edges_from_release(release()).nodes[-1] == "pays"
    private = edges_from_release(release(adjacency="add-remove"))
    assert "pays" not in private.nodes
    assert any("pays is not a node" in note for note in private.notes)
    assert not private.n_is_public
    number = build_feature_map(SCHEMA, label="age", one_hot=())
    found = edges_from_release(release(features=number))
    assert "age" not in found.nodes
    assert any("age is not a node" in note for note in found.notes)


@pytest.mark.usefixtures("without_search")
def test_a_private_size_changes_no_correlation() -> None:
    features = feature_map(one_hot=False)
    found = edges_from_release(release(adjacency="add-remove", epsilon=50))
    truth = real_correlations(features, table(N), found.nodes)
    assert all(is_true(edge, truth[edge.first, edge.second], found.least) for edge in found.edges)
    assert found.certain


@pytest.mark.usefixtures("without_search")
def test_indicators_that_add_up_are_not_all_nodes() -> None:
    found = edges_from_release(release(features=feature_map(one_hot=True), epsilon=100))
    assert "town=north" not in found.nodes
    assert {"town=south", "town=west"} <= set(found.nodes)
    assert any("without town=north" in note for note in found.notes)
    truth = real_correlations(feature_map(one_hot=True), table(N), found.nodes)
    assert all(is_true(edge, truth[edge.first, edge.second], found.least) for edge in found.edges)


@pytest.mark.usefixtures("without_search")
def test_named_columns_are_all_that_is_given() -> None:
    found = edges_from_release(release(), columns=["owns", "size", "pays"])
    truth = real_correlations(feature_map(one_hot=False), table(N), ("owns", "size", "pays"))
    assert found.nodes == ("owns", "size", "pays")
    assert all(is_true(edge, truth[edge.first, edge.second], found.least) for edge in found.edges)
    assert any("before looking" in note for note in found.notes)
    assert found.columns_are_named
    assert not edges_from_release(release()).columns_are_named


def binary(codes: Floats, **more: int) -> EdgesAnswer:
    columns = tuple(LevelColumn(name, ("0", "1")) for name in "abcy")
    features = build_feature_map(Schema(columns, "public"), label="y", one_hot=())
    return edges_from_release(release(features=features, codes=codes.astype(np.uint8), **more))


def test_what_the_noise_hides_is_an_answer() -> None:
    """A column that is the same in all records, and one that repeats another: nothing is told of them, in words."""
    generator = np.random.default_rng(0)
    a, y = generator.integers(0, 2, 400), generator.integers(0, 2, 400)
    found = binary(np.column_stack([a, a, np.zeros(400), y]), epsilon=1)
    assert {node.name for node in found.untold} == set(found.nodes)
    assert not found.certain
    assert all((edge.correlation.lo, edge.correlation.hi) == (-1, 1) for edge in found.edges)
    assert any("cannot be told from the noise" in note for note in found.notes)
    assert all(edge.sharper is None or edge.sharper.kind == "simulated" for edge in found.edges)
    assert all(len(node.weakest) == 3 for node in found.untold)


@pytest.mark.usefixtures("without_search")
def test_a_repeated_column_is_never_told_apart() -> None:
    """However little noise there is: with b = a the regression on both has no one solution."""
    generator = np.random.default_rng(0)
    a, c = generator.integers(0, 2, 400), generator.integers(0, 2, 400)
    y = np.where(generator.random(400) < 0.8, a, c)
    found = binary(np.column_stack([a, a, c, y]), epsilon=100)
    assert {"c", "y"} <= {node.name for node in found.untold}
    assert any(name in ("a", "b") for node in found.untold for name, _ in node.weakest)


def test_conclusions_are_certified_ones_and_then_those_of_the_search() -> None:
    found = edges_from_release(release())
    many = len(found.edges)
    assert len(found.conclusions) == 2 * many
    assert all(one.is_certified and one.kind == "exact" for one in found.conclusions[:many])
    assert not any(one.is_certified for one in found.conclusions[many:])
    assert all(one.simultaneous and one.about == "table" for one in found.conclusions)
    signs = [abs(edge.sign) for edge in found.edges]
    assert signs == sorted(signs, reverse=True)


def test_many_nodes_are_not_searched_and_too_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_SEARCHED", 3)
    found = edges_from_release(release())
    assert all(edge.sharper is None and edge.sharper_sign == 0 for edge in found.edges)
    assert len(found.conclusions) == len(found.edges)
    monkeypatch.setattr(room, "MOST_NODES", 3)
    with pytest.raises(NotApplicable, match="at most 3; name fewer"):
        edges_from_release(release())


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"least": Fraction(1)}, ParameterError, "least = 1"),
        ({"least": Fraction(0)}, ParameterError, "least = 0"),
        ({"level": Fraction(1)}, ParameterError, "level = 1"),
        ({"columns": ["age"]}, NotApplicable, "two columns"),
        ({"columns": ["age", "age"]}, UsageError, "named twice"),
        ({"columns": ["age", "intercept"]}, UsageError, "is not a node"),
        ({"columns": ["age", "height"]}, UsageError, "height is not a feature of the release"),
    ],
)
def test_wrong_questions_are_refused(asked: dict[str, object], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        edges_from_release(release(), **asked)  # type: ignore[arg-type]


def test_a_label_without_a_square_cannot_be_named() -> None:
    with pytest.raises(UsageError, match="pays is not a node"):
        edges_from_release(release(adjacency="add-remove"), columns=["age", "pays"])
