"""Errors of a synthetic table against rows counted one by one, and scores against scikit-learn's own."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats.contingency import association as scipy_association

import synthbounds as sb
from bounds.errors import DataError, NotApplicable, ParameterError, UsageError
from mechanisms.evaluate import evaluation, learners, tables
from mechanisms.evaluate.evaluation import Compared, Evaluation
from mechanisms.evaluate.evaluation import evaluate as evaluated
from mechanisms.evaluate.learners import LOGISTIC, TREES, Scores, features_of, logistic_on_codes, score
from mechanisms.evaluate.relations import (
    ASSOCIATIONS,
    CORRELATIONS,
    MEANS,
    PAIRS,
    PRODUCTS,
    THRESHOLDS,
    association,
    correlation,
)
from release.data.columns import BINS, LevelColumn, NumberColumn
from release.data.schema import PUBLIC, Schema

AGE = NumberColumn("age", BINS, 4, (Fraction(0), Fraction(80)), missing=("?",))
TOWN = LevelColumn("town", ("a", "b", "c"), ordered=False, missing=("?",))
GRADE = LevelColumn("grade", ("1", "2", "5"))
ILL = LevelColumn("ill", ("no", "yes"))
SCHEMA = Schema((AGE, TOWN, GRADE, ILL), PUBLIC)


def evaluate(real: Any, synthetic: Any, schema: Schema, *, degree: int) -> Evaluation:
    return evaluated(Compared(real=real, synthetic=synthetic, schema=schema, degree=degree))


def rows_of(n: int, seed: int, *, schema: Schema = SCHEMA) -> Any:
    stream = np.random.default_rng(seed)
    return np.column_stack([stream.integers(0, c.size, n) for c in schema.columns]).astype(np.uint8)


def share(rows: Any, holds: Any) -> Fraction:
    return Fraction(sum(1 for row in rows.tolist() if holds(row)), len(rows))


def exact_distance(real: Any, made: Any, columns: tuple[int, ...]) -> Fraction:
    cells = product(*(range(SCHEMA.columns[u].size) for u in columns))
    shares = [[share(rows, lambda r, c=c: tuple(r[u] for u in columns) == c) for rows in (real, made)] for c in cells]
    return sum((abs(a - b) for a, b in shares), Fraction(0)) / 2


@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 10**6))
def test_distances_are_half_the_l1_of_shares(n: int, k: int, seed: int) -> None:
    real, made = rows_of(n, seed), rows_of(k, seed + 1)
    found = evaluate(real, made, SCHEMA, degree=3)
    for ways, table in enumerate(found.tables, start=1):
        sets = list(combinations(range(4), ways))
        exact = {one: exact_distance(real, made, one) for one in sets}
        assert table.sets.chosen == tuple(sets)
        assert table.errors.mean == pytest.approx(float(sum(exact.values()) / len(sets)), abs=1e-12)
        assert table.errors.largest == float(max(exact.values()))
        assert [error for _, error in table.worst] == sorted(map(float, exact.values()), reverse=True)[:5]
        assert all(float(exact[one]) == error for one, error in table.worst)
    assert found.by_column == tuple(float(exact_distance(real, made, (u,))) for u in range(4))


def test_thresholds_count_rows_one_by_one() -> None:
    real, made = rows_of(40, 1), rows_of(25, 2)
    found = evaluate(real, made, SCHEMA, degree=1).relations
    ordered = {0: range(4), 2: range(2)}  # a missing age is below no threshold; all grades are below the last
    singles, pairs = [], []
    for u, tops in ordered.items():
        below = [[share(rows, lambda r, u=u, t=t: r[u] <= t) for rows in (real, made)] for t in tops]
        singles += [abs(a - b) for a, b in below]
    for s, t in product(ordered[0], ordered[2]):
        a, b = (share(rows, lambda r, s=s, t=t: r[0] <= s and r[2] <= t) for rows in (real, made))
        pairs.append(abs(a - b))
    for kind, exact in ((THRESHOLDS, singles), (PAIRS, pairs)):
        assert found[kind].count == len(exact)
        assert found[kind].mean == pytest.approx(float(sum(exact) / len(exact)), abs=1e-12)
        assert found[kind].largest == pytest.approx(float(max(exact)), abs=1e-12)


def test_thresholds_are_named_by_where_cells_end() -> None:
    young = np.array([[0, 0, 0, 0]] * 3 + [[1, 0, 2, 0]], dtype=np.uint8)
    old = np.array([[2, 0, 2, 0]] * 3 + [[1, 0, 2, 0]], dtype=np.uint8)
    found = evaluate(young, old, SCHEMA, degree=1).relations
    assert found[THRESHOLDS].where == "age < 20"
    assert found[PAIRS].where == "age < 20 and grade <= 1"


def test_moments_and_correlations_are_those_of_the_rows_with_values() -> None:
    real, made = rows_of(60, 3), rows_of(50, 4)
    values = {0: np.array([0, 1, 2, 3]) / 3, 2: np.array([0, 0.25, 1]), 3: np.array([0.0, 1.0])}

    def columns(rows: Any, *places: int) -> list[Any]:
        kept = rows[(rows[:, 0] != 4) | (0 not in places)]
        return [values[u][kept[:, u]] for u in places]

    found = evaluate(real, made, SCHEMA, degree=2).relations
    means = [abs(columns(real, u)[0].mean() - columns(made, u)[0].mean()) for u in values]
    assert found[MEANS].largest == pytest.approx(max(means))
    products, correlations = [], []
    for u, v in (*((u, u) for u in values), *combinations(values, 2)):
        both = [columns(rows, u, v) for rows in (real, made)]
        products.append(abs(np.subtract(*[np.mean(x * y) for x, y in both])))
        if u != v:
            correlations.append(abs(np.subtract(*[np.corrcoef(x, y)[0, 1] for x, y in both])))
    assert (found[PRODUCTS].count, found[CORRELATIONS].count, found[ASSOCIATIONS].count) == (6, 3, 3)
    assert found[PRODUCTS].mean == pytest.approx(np.mean(products))
    assert found[CORRELATIONS].largest == pytest.approx(max(correlations))
    assert found[CORRELATIONS].mean == pytest.approx(np.mean(correlations))


def test_association_agrees_with_scipy() -> None:
    stream = np.random.default_rng(5)
    for _ in range(20):
        table = stream.integers(1, 30, (stream.integers(2, 6), stream.integers(2, 6)))
        assert association(table) == pytest.approx(scipy_association(table, method="cramer"))
        padded = np.pad(table, ((0, 1), (1, 0)))  # values that do not occur change nothing
        assert association(padded) == pytest.approx(association(table))


def test_what_never_changes_has_no_correlation() -> None:
    assert association(np.array([[3, 4]])) is None
    assert correlation(np.array([[3, 4], [0, 0]]), np.array([0.0, 1.0]), np.array([0.0, 1.0])) is None
    constant = np.zeros((6, 4), dtype=np.uint8)
    found = evaluate(rows_of(50, 1), constant, SCHEMA, degree=2).relations
    assert (found[CORRELATIONS].count, found[CORRELATIONS].undefined) == (0, 3)
    assert (found[CORRELATIONS].mean, found[CORRELATIONS].largest) == (None, None)
    no_age = constant + np.array([4, 0, 0, 0], dtype=np.uint8)
    assert evaluate(rows_of(50, 1), no_age, SCHEMA, degree=2).relations[MEANS].undefined == 1


def test_equal_tables_have_no_error_and_disjoint_ones_all() -> None:
    rows = rows_of(30, 1)
    same = evaluate(rows, np.vstack([rows, rows]), SCHEMA, degree=4)
    assert {table.errors.largest for table in same.tables} == {0.0}
    assert all(errors.largest == pytest.approx(0, abs=1e-12) for errors in same.relations.values())
    apart = evaluate(np.zeros((3, 4), np.uint8), np.ones((7, 4), np.uint8), SCHEMA, degree=4)
    assert {table.errors.mean for table in apart.tables} == {1.0}


def test_one_column_alone() -> None:
    schema = Schema((GRADE,), PUBLIC)
    found = evaluate(np.array([[0], [1]]), np.array([[0], [2]]), schema, degree=3)
    assert [table.sets.ways for table in found.tables] == [1]
    assert (found.by_pair, found.relations[PAIRS].count, found.relations[THRESHOLDS].largest) == ({}, 0, 0.5)


def test_too_many_tables_are_sampled_and_too_large_ones_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [2] * 60
    chosen = tables.choose_sets(many, 3)
    assert (chosen.there_are, len(chosen.chosen), chosen.too_large) == (comb(60, 3), tables.MOST_SETS, None)
    assert len(set(chosen.chosen)) == tables.MOST_SETS
    assert chosen == tables.choose_sets(many, 3)
    assert len(tables.choose_sets([2] * 10_000, 1).chosen) == 10_000
    large = tables.choose_sets([2, 1001, 1001, 3], 2)
    assert (large.there_are, large.too_large, len(large.chosen)) == (6, 1, 5)
    monkeypatch.setattr(tables, "MOST_SETS", 2)
    small = tables.choose_sets([2] * 5, 2)
    assert (small.there_are, len(small.chosen), small.too_large) == (10, 2, None)


def test_tables_are_counted_in_parts_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    real, made = rows_of(40, 6), rows_of(40, 7)
    whole = evaluate(real, made, SCHEMA, degree=3)
    monkeypatch.setattr(tables, "_AT_ONCE", 1)
    assert evaluate(real, made, SCHEMA, degree=3).tables == whole.tables


def scored(real: Any, made: Any, test: Any, **options: Any) -> Evaluation:
    return sb.evaluate_table(real, made, SCHEMA, label="ill", test=test, **options)


def of(found: Evaluation, place: int = 0) -> tuple[Scores, Scores]:
    assert found.scores is not None
    return found.scores.rows[place].real, found.scores.rows[place].synthetic


def test_scores_are_those_of_scikit_learn() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

    real, made, test = rows_of(300, 1), rows_of(300, 2), rows_of(200, 3)
    found = scored(real, made, test)
    assert [row.learner for row in found.scores.rows] == [LOGISTIC, TREES]  # type: ignore[union-attr]
    for rows, scores in zip((real, made), of(found), strict=True):
        features = [features_of(r[:, :3], SCHEMA.columns[:3]) for r in (rows, test)]
        model = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(features[0], rows[:, 3])
        chances = model.predict_proba(features[1])[:, 1]
        assert scores.accuracy == accuracy_score(test[:, 3], chances > 0.5)
        assert scores.auc == pytest.approx(roc_auc_score(test[:, 3], chances), abs=1e-4)
        assert scores.log_loss == pytest.approx(log_loss(test[:, 3], chances), abs=1e-5)


def test_features_are_indicators_and_scaled_codes() -> None:
    features = features_of(np.array([[4, 3, 2], [3, 0, 1]]), SCHEMA.columns[:3])
    assert features.tolist() == [[0, 1, 0, 0, 0, 1, 1], [1, 0, 1, 0, 0, 0, 0.5]]


def test_a_label_that_never_changes_has_a_reason_instead_of_scores() -> None:
    real, made, test = rows_of(80, 1), rows_of(80, 2), rows_of(80, 3)
    made[:, 3] = 1
    fine, none = of(scored(real, made, test))
    assert (none.accuracy, none.auc, none.log_loss) == (None, None, None)
    assert "only one value in the training rows" in none.reason
    assert fine.auc is not None
    test[:, 3] = 0
    fine, _ = of(scored(real, rows_of(80, 4), test))
    assert (fine.auc, "no AUC" in fine.reason) == (None, True)
    assert fine.accuracy is not None


def test_rows_without_a_label_are_left_out() -> None:
    schema = Schema((AGE, LevelColumn("ill", ("no", "yes"), missing=("?",))), PUBLIC)
    real, made, test = (rows_of(60, seed, schema=schema) for seed in (1, 2, 3))
    found = sb.evaluate_table(real, made, schema, label="ill", test=test)
    gone = sum(int((rows[:, 1] == 2).sum()) for rows in (real, made, test))
    assert found.scores is not None
    assert (found.scores.without_label, gone > 0) == (gone, True)
    test[:, 1] = 2
    assert "no test rows" in of(sb.evaluate_table(real, made, schema, label="ill", test=test))[0].reason


def test_the_label_alone_predicts_nothing() -> None:
    schema = Schema((ILL,), PUBLIC)
    codes = np.array([[0], [1]] * 5)
    assert "no column beside" in of(sb.evaluate_table(codes, codes, schema, label="ill", held_out="1/2"))[0].reason


def test_too_many_features_are_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learners, "_MOST_FEATURES", 3)
    assert "7 features" in score(learners.logistic, rows_of(9, 1), rows_of(9, 2), SCHEMA.columns[:3]).reason
    assert score(logistic_on_codes, rows_of(9, 1), rows_of(9, 2), SCHEMA.columns[:3]).accuracy is not None


def test_test_rows_are_read_by_nothing_else() -> None:
    """Whatever the test rows are, errors and training do not move; the split is the one that Python tells."""
    real, made = rows_of(50, 1), rows_of(40, 2)
    chosen = sb.held_out_rows(50, "1/5", 9)
    found = sb.evaluate_table(real, made, SCHEMA, label="ill", held_out="1/5", seed=9)
    other = real.copy()
    other[chosen] = rows_of(10, 8)
    moved = sb.evaluate_table(other, made, SCHEMA, label="ill", held_out="1/5", seed=9)
    assert found.scores is not None
    assert np.array_equal(found.scores.test.codes, real[chosen])
    assert (found.n, int(chosen.sum())) == (40, 10)
    assert (found.tables, found.relations) == (moved.tables, moved.relations)
    assert (found.tables, found.relations) == (
        (alone := evaluate(real[~chosen], made, SCHEMA, degree=2)).tables,
        alone.relations,
    )


def test_protocols_are_supposed_or_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "LEARNERS", {})
    real, made, test = rows_of(40, 1), rows_of(40, 2), rows_of(40, 3)
    cases: list[tuple[dict[str, Any], str, bool]] = [
        ({"test": test}, "out-of-sample", False),
        ({"held_out": "1/4"}, "in-sample", False),
        ({"held_out": "1/4", "protocol": "out-of-sample"}, "out-of-sample", True),
        ({"test": test, "protocol": "in-sample"}, "in-sample", True),
    ]
    for options, protocol, stated in cases:
        report = sb.evaluate_table(real, made, SCHEMA, label="ill", **options).scores
        assert report is not None
        assert (report.test.protocol, report.test.is_stated) == (protocol, stated)


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    real, empty = rows_of(10, 1), rows_of(0, 1)
    wrong: list[tuple[type[Exception], str, tuple[Any, Any], dict[str, Any]]] = [
        (UsageError, "test rows that are used for nothing else", (real, real), {"label": "ill"}),
        (UsageError, "not both", (real, real), {"label": "ill", "test": real, "held_out": "1/2"}),
        (UsageError, "held_out is for scores", (real, real), {"held_out": "1/2"}),
        (UsageError, "seed is for held_out", (real, real), {"seed": 1}),
        (ParameterError, "label = oil: must be the name of a column", (real, real), {"label": "oil", "test": real}),
        (NotApplicable, "has 3 values", (real, real), {"label": "town", "test": real}),
        (ParameterError, "degree = 7", (real, real), {"degree": 7}),
        (ParameterError, "held_out = 1", (real, real), {"label": "ill", "held_out": 1}),
        (DataError, "synthetic: there are no rows", (real, empty), {}),
        (DataError, "real: there are no rows", (empty, real), {}),
        (DataError, "4 columns are needed", (real, real[:, :3]), {}),
    ]
    for kind, says, pair, options in wrong:
        with pytest.raises(kind, match=says):
            sb.evaluate_table(*pair, SCHEMA, **options)
    monkeypatch.setattr(learners, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"scikit-learn, which is not installed: .*evaluate"):
        sb.evaluate_table(real, real, SCHEMA, label="ill", test=real)
