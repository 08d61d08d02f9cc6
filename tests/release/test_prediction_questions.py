"""Questions about predictions: exact values against other libraries, and how far one record really moves them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import isclose, log, sqrt
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from bounds.errors import DataError, ParameterError
from bounds.privacy.adjacency import Adjacency
from release.statistics.area_under_curve import AREA_STEPS, AreaUnderCurve
from release.statistics.calibration import Calibration
from release.statistics.of_predictions import OfPredictions
from release.statistics.predicted_loss import STEPS, PredictedLoss
from release.statistics.predictions import Predictions, predictions_of
from release.statistics.question import Asked
from tests.release.test_feature_map import schema_of_sizes

SCHEMA = schema_of_sizes(3)
LABEL = ("y", SCHEMA.columns[-1].texts[1])
CLIP = Fraction(1, 100)
ASKED: tuple[OfPredictions, ...] = (
    PredictedLoss(SCHEMA, *LABEL, loss="log", clip=CLIP),
    PredictedLoss(SCHEMA, *LABEL, loss="zero-one"),
    PredictedLoss(SCHEMA, *LABEL, loss="brier"),
    AreaUnderCurve(SCHEMA, *LABEL, least_positive=3, least_other=2),
    Calibration(SCHEMA, *LABEL, bins=4),
)
Rows = list[tuple[int, int]]
"""Prediction in hundredths, label."""


def asked_of(rows: Rows) -> Asked:
    codes = np.array([(0, y) for _, y in rows], dtype=np.uint8).reshape(-1, 2)
    return Asked(codes, Predictions(tuple(p for p, _ in rows), 100))


def distance(question: OfPredictions, one: tuple[int, ...], other: tuple[int, ...]) -> float:
    return sqrt(sum((a - b) ** 2 for a, b in zip(one, other, strict=True)))


def tables(count: int, key: int) -> Iterator[Rows]:
    stream = np.random.default_rng(key)
    hundredths = (0, 1, 20, 50, 51, 99, 100)
    for _ in range(count):
        size = int(stream.integers(1, 8))
        yield [(int(stream.choice(hundredths)), int(stream.integers(2))) for _ in range(size)]


RECORDS = [(p, y) for p in (0, 1, 30, 50, 99, 100) for y in (0, 1)]


@pytest.mark.parametrize("question", ASKED, ids=lambda q: f"{q.KIND}-{getattr(q, 'loss', '')}")
@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_one_record_never_moves_more_than_stated(question: OfPredictions, adjacency: Adjacency) -> None:
    stated, largest, pairs = float(question.moved(adjacency)), 0.0, 0
    for rows in tables(180, 5):
        before = question.of(asked_of(rows))
        for record in RECORDS:
            neighbours = (
                [[*rows, record]]
                if adjacency is Adjacency.ADD_REMOVE
                else [[*rows[:i], record, *rows[i + 1 :]] for i in range(len(rows))]
            )
            for other in neighbours:
                largest = max(largest, distance(question, before, question.of(asked_of(other))))
                pairs += 1
    assert largest <= stated
    assert pairs >= 2000
    if not isinstance(question, AreaUnderCurve):  # whose supremum needs large classes; below
        assert largest >= 0.99 * stated


def auc_of(plus: int, other: int, order: str, least: tuple[int, int]) -> int:
    """All positives above all others, or the reverse."""
    high = order == "best"
    rows = [(100 if high else 0, 1)] * plus + [(0 if high else 100, 0)] * other
    return AreaUnderCurve(SCHEMA, *LABEL, *least).of(asked_of(rows))[0]


@pytest.mark.parametrize("least", [(300, 200), (200, 400)])
def test_the_bound_of_the_area_is_reached(least: tuple[int, int]) -> None:
    question = AreaUnderCurve(SCHEMA, *LABEL, *least)
    plus, other = least
    perfect = [(90, 1)] * plus + [(10, 0)] * other
    worse = [*perfect[1:], (100, 0)]  # a positive that won against all becomes one of the others that beats all
    moved = abs(question.of(asked_of(perfect))[0] - question.of(asked_of(worse))[0])
    assert 0.99 * float(question.moved(Adjacency.REPLACE_ONE)) <= moved <= question.moved(Adjacency.REPLACE_ONE)
    fewer = perfect[1:] if plus <= other else perfect[:-1]
    gone = abs(question.of(asked_of(perfect))[0] - question.of(asked_of(fewer))[0])
    assert 0.99 * float(question.moved(Adjacency.ADD_REMOVE)) <= gone <= question.moved(Adjacency.ADD_REMOVE)


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_a_hundred_thousand_neighbours(adjacency: Adjacency) -> None:
    """Random tables and records, all questions, least class sizes below, at and above those of the table."""
    stream = np.random.default_rng(17)
    questions = [*ASKED, *(AreaUnderCurve(SCHEMA, *LABEL, a, b) for a, b in ((1, 1), (2, 5), (6, 1)))]
    pairs = 0
    for rows in tables(1600, 23):
        before = [question.of(asked_of(rows)) for question in questions]
        for _ in range(8):
            record = (int(stream.integers(101)), int(stream.integers(2)))
            place = int(stream.integers(len(rows)))
            other = [*rows, record]
            if adjacency is Adjacency.REPLACE_ONE:
                other = [*rows[:place], record, *rows[place + 1 :]]
            for question, was in zip(questions, before, strict=True):
                assert distance(question, was, question.of(asked_of(other))) <= question.moved(adjacency)
                pairs += 1
    assert pairs >= 100_000


def test_values_agree_with_scikit_learn() -> None:
    stream = np.random.default_rng(3)
    p = np.round(stream.beta(1, 2, 400), 3)
    y = (stream.random(400) < p).astype(np.uint8)
    asked = Asked(np.stack([y, y], axis=1), predictions_of(p))
    loss, errors, brier, area, bins = (question.of(asked) for question in ASKED)
    assert isclose(loss[0] / STEPS / 400, log_loss(y, np.clip(p, 0.01, 0.99)), abs_tol=1 / STEPS)
    assert errors[0] == int(np.count_nonzero((p > 0.5) != y))
    assert isclose(brier[0] / STEPS / 400, brier_score_loss(y, p), abs_tol=1 / STEPS)
    assert isclose(area[0] / AREA_STEPS, roc_auc_score(y, p), abs_tol=1e-9)
    place = np.minimum((p * 4 + 1e-12).astype(int), 3)
    assert bins == tuple(int(np.count_nonzero((place == j) & (y == label))) for j in range(4) for label in (1, 0))


def test_the_area_is_a_lower_bound_where_classes_are_smaller() -> None:
    assert auc_of(2, 3, "best", (4, 3)) * 2 == AREA_STEPS
    assert auc_of(4, 3, "best", (4, 3)) == AREA_STEPS
    assert auc_of(4, 3, "worst", (1, 1)) == 0
    assert auc_of(0, 3, "best", (4, 3)) == 0


def test_log_losses_are_rounded_down_and_stay_in_their_range() -> None:
    question = ASKED[0]
    assert isinstance(question, PredictedLoss)
    lo, hi = question.range
    assert (lo, hi) == (int(-log(0.99) * STEPS), int(-log(0.01) * STEPS))
    for hundredths in range(101):
        steps = question.of(asked_of([(hundredths, 1)]))[0]
        true = -log(min(max(hundredths / 100, 0.01), 0.99)) * STEPS
        assert lo <= steps <= hi
        assert -1e-4 < true - steps < 1 + 1e-4


@pytest.mark.parametrize("question", ASKED, ids=lambda q: f"{q.KIND}-{getattr(q, 'loss', '')}")
def test_descriptions_are_read_back(question: OfPredictions) -> None:
    from release.files.digest import canonical_json
    from release.files.strict_json import parse_json

    body = parse_json(canonical_json(question.to_json()), "question")
    assert type(question).from_json(body, SCHEMA, "question") == question


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: PredictedLoss(SCHEMA, *LABEL, loss="hinge"), "loss = hinge"),
        (lambda: PredictedLoss(SCHEMA, *LABEL, loss="log"), "clip"),
        (lambda: PredictedLoss(SCHEMA, *LABEL, loss="log", clip=Fraction(1, 2)), "clip"),
        (lambda: PredictedLoss(SCHEMA, *LABEL, loss="brier", clip=CLIP), "clip"),
        (lambda: AreaUnderCurve(SCHEMA, *LABEL, 0, 1), "least_positive = 0"),
        (lambda: Calibration(SCHEMA, *LABEL, bins=0), "bins = 0"),
        (lambda: Calibration(SCHEMA, "c0", "v0"), "label = c0"),
    ],
)
def test_bad_questions(make: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        make()


CANARY = "0.7771234"


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([CANARY, "nan"], "row 2 is not one finite"),
        ([CANARY, "inf"], "row 2 is not one finite"),
        (["", CANARY], "row 1 is empty"),
        ([f"{CANARY},{CANARY}"], "row 1 is not one finite"),
        ([f"x{CANARY}"], "row 1 is not one finite"),
        (["1e-3000"], "row 1 has more than"),
        ([float("nan")], "row 1 is not one finite"),
        ([True], "row 1 is not one finite"),
        ([Fraction(1, 3)], "row 1 is not one finite"),
        ([None], "row 1 is not one finite"),
    ],
)
def test_bad_predictions_name_the_row_and_not_the_value(cells: list[Any], said: str) -> None:
    with pytest.raises(DataError, match=said) as caught:
        predictions_of(cells)
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("question", [ASKED[0], ASKED[4]], ids=lambda q: q.KIND)
def test_probabilities_and_lengths_are_checked(question: OfPredictions) -> None:
    codes = np.zeros((2, 2), dtype=np.uint8)
    for cells, said in (
        ([f"1{CANARY}", "0"], "row 1 is not a probability"),
        (["0", f"-{CANARY}"], "row 2 is not a probability"),
        ([CANARY], "number of rows"),
    ):
        with pytest.raises(DataError, match=said) as caught:
            question.of(Asked(codes, predictions_of(cells)))
        assert CANARY not in str(caught.value)


def test_numbers_are_read_exactly() -> None:
    found = predictions_of(["0.1", ".25", "1e-3", "1", "-2.5", 0.3, np.float64(0.7), Fraction(1, 8), 1])
    assert [Fraction(value, found.denominator) for value in found.numerators] == [
        Fraction(text) for text in ("0.1", "0.25", "0.001", "1", "-2.5", "0.3", "0.7", "0.125", "1")
    ]
