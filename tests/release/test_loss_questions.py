"""Losses of models and least losses of classes as questions: the exact effect of one record, and what is proved.

In two dimensions a table is four counts and its least loss depends on two numbers: an oracle for every small table.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from bounds.errors import DataError, NotApplicable, ParameterError
from bounds.exact import root_at_least
from bounds.privacy.adjacency import Adjacency
from mechanisms.models.train.least_risk import least_risk
from release.data.columns import BINS, LevelColumn, NumberColumn
from release.data.schema import Schema
from release.files.strict_json import parse_json
from release.statistics import fixed_losses
from release.statistics.distinct import distinct_records
from release.statistics.enclosed_least import EnclosedLeast
from release.statistics.excess_over import ExcessOver
from release.statistics.features import FeatureMap, build_feature_map
from release.statistics.least_loss import LeastLoss
from release.statistics.linear_class import LinearClass
from release.statistics.model_loss import ModelLoss
from release.statistics.question import Asked, Question
from tests import moment_examples

LOSSES = ("logistic", "hinge", "squared")
REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE
SMALL = Schema((LevelColumn("x", ("0", "1")), LevelColumn("y", ("no", "yes"))), "public")
PLANE = build_feature_map(SMALL, label="y")
CORNERS = np.array([[1, 1], [0, 0], [1, 0], [0, 1]], dtype=np.uint8)
"""Signed features (1, 1), (1, -1), (-1, -1), (-1, 1): the first and the third are opposite, and so are the others."""
LINE = Schema((NumberColumn("x", BINS, 7, (Fraction(0), Fraction(7))), SMALL.columns[1]), "public")
ON_LINE = build_feature_map(LINE, label="y")
DOMAIN = np.array(list(itertools.product(range(7), range(2))), dtype=np.uint8)


def value(loss: str, m: Any) -> Any:
    return {
        "logistic": lambda: np.logaddexp(0, -m),
        "hinge": lambda: np.maximum(0, 1 - m),
        "squared": lambda: (1 - m) ** 2 / 2,
    }[loss]()


def models(loss: str) -> Iterator[tuple[tuple[Fraction, ...], bool]]:
    """Models on a line, and whether their margins have both ends of the range of losses."""
    generator = np.random.default_rng(3)
    for slope in ("3", "-3/2", "6", "1/10", "24"):  # features are multiples of 1/3: margins are 1, for the squared loss
        yield (Fraction(slope), Fraction(0)), loss != "squared" or slope not in ("6", "24")
    for _ in range(60):
        yield (
            (Fraction(int(generator.integers(-999, 999)), 97), Fraction(int(generator.integers(-999, 999)), 89)),
            False,
        )


def audit_of_sums(question: Question, adjacency: Adjacency) -> tuple[int, Fraction]:
    """Over all pairs of records: how far replacing one by the other, or adding one, moves the integer."""
    alone = np.array([question.of(Asked(record[None]))[0] for record in DOMAIN])
    moves = np.abs(alone[:, None] - alone[None, :]) if adjacency is REPLACE else np.abs(alone)
    largest = int(moves.max())
    assert largest <= question.moved(adjacency), "a record moves more than is said"
    return moves.size, largest / question.moved(adjacency)


@pytest.mark.parametrize("loss", LOSSES)
def test_no_record_moves_the_loss_of_a_model_by_more_than_is_said(loss: str) -> None:
    for model, reaches in models(loss):
        question = ModelLoss(ON_LINE, model, loss)
        for adjacency in (REPLACE, ADD):
            share = audit_of_sums(question, adjacency)[1]
            assert not reaches or share >= Fraction(99, 100)


@pytest.mark.parametrize("loss", LOSSES)
def test_no_record_moves_the_excess_over_a_set_by_more_than_is_said(loss: str) -> None:
    """One other model: the difference is a sum over records."""
    every = [model for model, _ in models(loss)]
    for model, other in zip(every, every[1:] + every[:1], strict=True):
        for adjacency in (REPLACE, ADD):
            audit_of_sums(ExcessOver(ON_LINE, model, (other,), loss), adjacency)
    three, zero, minus = ((Fraction(k), Fraction(0)) for k in (3, 0, -3))
    for adjacency in (REPLACE, ADD):
        assert audit_of_sums(ExcessOver(ON_LINE, three, (zero,), loss), adjacency)[1] >= Fraction(99, 100)
    if loss == "logistic":
        mirrored = ExcessOver(ON_LINE, three, (minus,), loss)
        far = Fraction(-40)
        near = ExcessOver(ON_LINE, (Fraction(3, 2), far), ((Fraction(-3, 2), far),), loss)
        assert audit_of_sums(mirrored, REPLACE)[1] >= Fraction(99, 100)
        assert near.moved(REPLACE) <= mirrored.moved(REPLACE), "of models with like scores the difference moves little"
        assert audit_of_sums(near, REPLACE)[1] >= Fraction(99, 100)


def test_the_excess_over_a_set_moves_no_more_than_its_largest_difference() -> None:
    """Many tables at once: sums of differences of each model, the largest of them, one record replaced."""
    generator = np.random.default_rng(5)
    every = [model for model, _ in models("logistic")][:6]
    question = ExcessOver(ON_LINE, every[0], tuple(every[1:]), "logistic")
    rows = np.array([[ExcessOver(ON_LINE, every[0], (other,)).of(Asked(DOMAIN[i : i + 1]))[0] for i in range(14)]
                     for other in every[1:]])  # fmt: skip
    counts = generator.multinomial(5, np.ones(14) / 14, size=2000)
    totals = counts @ rows.T
    table = np.repeat(DOMAIN, counts[0], axis=0)
    assert question.of(Asked(table))[0] <= totals[0].max() <= question.of(Asked(table))[0] + 0
    for old, new in itertools.permutations(range(14), 2):
        has = counts[:, old] > 0
        after = totals[has] - rows[:, old] + rows[:, new]
        assert np.abs(after.max(axis=1) - totals[has].max(axis=1)).max() <= question.moved(REPLACE)


def test_a_range_that_is_not_kept_to_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    question = ModelLoss(ON_LINE, (Fraction(3), Fraction(0)), "logistic")
    honest = fixed_losses.losses_at
    monkeypatch.setattr(fixed_losses, "losses_at", lambda loss, m: 1.5 * honest(loss, m))
    audit_of_sums(question, REPLACE)  # clipped: whatever a loss comes to, no record moves more
    monkeypatch.setattr(fixed_losses.np, "clip", lambda values, *_: values)
    with pytest.raises(AssertionError, match="moves more"):
        audit_of_sums(question, REPLACE)


@pytest.mark.parametrize("kind", [ModelLoss, LeastLoss])
def test_a_sensitivity_that_is_halved_is_noticed(kind: type[Question], monkeypatch: pytest.MonkeyPatch) -> None:
    honest = kind.moved
    monkeypatch.setattr(kind, "moved", lambda self, adjacency: honest(self, adjacency) / 2)
    model = ModelLoss(ON_LINE, (Fraction(3), Fraction(0)))
    with pytest.raises(AssertionError, match="moves more"):
        audit_of_sums(model, REPLACE) if kind is ModelLoss else audit_of_floors("logistic", Fraction(2), REPLACE)


def test_rounded_losses_are_within_their_error() -> None:
    for loss in LOSSES:
        for model, _ in models(loss):
            question = ModelLoss(ON_LINE, model, loss)
            features = ON_LINE.features(DOMAIN) / ON_LINE.one
            true = value(loss, ON_LINE.labels(DOMAIN) * (features @ np.array([float(c) for c in model])))
            found = np.array([question.of(Asked(DOMAIN[i : i + 1]))[0] for i in range(14)]) * float(question.unit)
            assert np.abs(found - true).max() <= float(question.error) * (1 + 1e-9) + 1e-12 * (1 + true.max())
            assert float(question.error) < 1e-9


def best_alone(loss: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Where a phi(s) + b phi(-s) is least, nearest to 0."""
    if loss == "logistic":
        return np.where(a + b > 0, np.log(np.maximum(a, 1e-300)) - np.log(np.maximum(b, 1e-300)), 0.0)
    return np.sign(a - b).astype(float) if loss == "hinge" else (a - b) / np.maximum(a + b, 1)


def floors(loss: str, tau: float, counts: np.ndarray) -> np.ndarray:
    """The least sums of losses of many tables of four counts; on the circle by fine search of an angle."""
    a, b, c, d = (counts[:, i, None] for i in (0, 2, 1, 3))
    best = np.full(len(counts), np.inf)

    def tried(s: np.ndarray, t: np.ndarray) -> np.ndarray:
        return a * value(loss, s) + b * value(loss, -s) + c * value(loss, t) + d * value(loss, -t)

    # Coordinates along (1, 1) and (1, -1) part; where both best ones fit into the disc they are the answer.
    s, t = best_alone(loss, a[:, 0], b[:, 0]), best_alone(loss, c[:, 0], d[:, 0])
    inside = s**2 + t**2 <= tau**2
    best[inside] = tried(s[:, None], t[:, None])[inside, 0]
    centre, width = np.zeros(len(counts)), np.pi
    for points in (181, 41, 41, 41):
        angles = centre[:, None] + np.linspace(-width, width, points)[None, :]
        found = tried(tau * np.cos(angles), tau * np.sin(angles))
        place = found.argmin(axis=1)
        centre, width = angles[np.arange(len(counts)), place], 3 * width / points
        best = np.minimum(best, found.min(axis=1))
    return best


def tables(most: int) -> np.ndarray:
    return np.array([c for c in itertools.product(range(most + 1), repeat=4) if 0 < sum(c) <= most])


def audit_of_floors(loss: str, tau: Fraction, adjacency: Adjacency) -> tuple[int, float]:
    """All tables of up to 12 records: replace one, or add one."""
    question = LeastLoss(LinearClass(feature_map=PLANE, loss=loss, tau=tau))
    counts = tables(12)
    least = floors(loss, float(tau), counts)
    place = {tuple(c): i for i, c in enumerate(counts.tolist())}
    pairs = []
    for i, c in enumerate(counts.tolist()):
        for new in range(4):
            more = [x + (k == new) for k, x in enumerate(c)]
            for old in range(4) if adjacency is REPLACE else (None,):
                after = more if old is None else [x - (k == old) for k, x in enumerate(more)]
                if min(after) >= 0 and (j := place.get(tuple(after))) is not None and j != i:
                    pairs.append((i, j))
    left, right = np.array(pairs).T
    largest = float(np.abs(least[left] - least[right]).max())
    moved = float((question.moved(adjacency) - question.gap) * question.unit)
    assert largest <= moved * (1 + 1e-4), "a record moves more than is said"
    return len(pairs), largest / moved


@pytest.mark.parametrize("loss", LOSSES)
def test_no_record_moves_a_floor_by_more_than_is_said(loss: str) -> None:
    seen = 0
    for adjacency in (REPLACE, ADD):
        shares = {}
        for tau in ("1/2", "2"):
            pairs, shares[tau] = audit_of_floors(loss, Fraction(tau), adjacency)
            seen += pairs
        assert max(shares.values()) >= 0.99
    assert seen >= 40_000


@pytest.mark.parametrize("loss", LOSSES)
def test_a_record_may_move_a_floor_by_all_that_is_said_at_large_norms_too(loss: str) -> None:
    """Records of short features pull the best model to its norm; one of long features then has the largest loss."""
    radius = root_at_least(Fraction(9, 2))
    question = LeastLoss(LinearClass(feature_map=ON_LINE, loss=loss, tau=radius, intercept=Fraction(0)))
    pull, worst = np.repeat([[4, 1]], 60, axis=0), [6, 0]  # features 1/3 and 1, margins 1/2 and -3/2
    best = [5 if loss == "squared" else 6, 1]  # margins 1 and 3/2
    before, after, without = (
        question.of(Asked(np.array([*pull, *more], dtype=np.uint8), minimise=least_risk))[0]
        for more in ([best], [worst], [])
    )
    for adjacency, moved in ((REPLACE, after - before), (ADD, after - without)):
        stated = question.moved(adjacency)
        assert Fraction(99, 100) * (stated - question.gap) <= moved <= stated


@pytest.mark.parametrize("loss", LOSSES)
def test_answers_without_noise_are_between_the_floor_and_the_gap(loss: str) -> None:
    generator = np.random.default_rng(8)
    for tau in ("1/2", "2", "30"):
        question = LeastLoss(LinearClass(feature_map=PLANE, loss=loss, tau=Fraction(tau)))
        for counts in generator.integers(0, 40, (12, 4)) * generator.integers(0, 2, (12, 4)):
            found = question.of(Asked(np.repeat(CORNERS, counts, axis=0), minimise=least_risk))[0]
            true = floors(loss, float(Fraction(tau)), counts[None, :])[0] if counts.any() else 0.0
            above = found * float(question.unit) - true
            assert -1e-6 * true <= above <= question.gap * float(question.unit) + 1e-9


def test_a_least_loss_needs_a_minimiser() -> None:
    question = LeastLoss(LinearClass(feature_map=PLANE, tau=Fraction(2)))
    table = np.repeat(CORNERS, [9, 3, 4, 1], axis=0)
    with pytest.raises(NotApplicable, match="minimiser"):
        question.of(Asked(table))
    assert question.of(Asked(table[:0])) == (0,)


FEATURES = moment_examples.feature_map()
CLASSES: tuple[dict[str, Fraction], ...] = (
    {"tau": Fraction(1)},
    {"tau": Fraction(6)},
    {"ridge": Fraction(1, 20)},
    {"tau": Fraction(1, 2), "ridge": Fraction(1, 50)},
    {"tau": Fraction(1), "intercept": Fraction(3)},
    {"tau": Fraction(1), "intercept": Fraction(1, 8)},
    {"ridge": Fraction(1, 20), "intercept": Fraction(1, 8)},
)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("bounds", CLASSES)
def test_both_ends_hold_for_the_best_model_of_another_solver(loss: str, bounds: dict[str, Fraction]) -> None:
    compared = LinearClass(feature_map=FEATURES, loss=loss, **bounds)
    table = moment_examples.table(300, seed=2)
    least = EnclosedLeast(compared, table)
    width = 1e-4 if loss == "hinge" else None
    ends = least.enclose(least_risk(least, width=width, close=1e-9), width=width)
    assert 0 <= ends.upper - ends.lower <= (Fraction(1, 20) if loss == "hinge" else Fraction(1, 10**6))
    signed = (FEATURES.features(table) / FEATURES.one) * FEATURES.labels(table)[:, None]
    counted = FEATURES.size - (compared.intercept is not None)

    def objective(v: np.ndarray) -> float:
        ridge = float(compared.ridge or 0) * FEATURES.squared_norm * float(v[:counted] @ v[:counted])
        return float(value(loss, signed @ v).sum() + 300 * ridge / 2)

    def room(v: np.ndarray) -> float:
        return float(compared.radius) ** 2 / FEATURES.squared_norm - float(v[:counted] @ v[:counted])

    limits = [(None, None)] * FEATURES.size
    if compared.intercept is not None:
        limits[-1] = (-float(compared.intercept), float(compared.intercept))
    solved = minimize(
        objective,
        np.full(FEATURES.size, 0.01),
        method="SLSQP",
        bounds=limits,
        constraints=[{"type": "ineq", "fun": room}],
        options={"maxiter": 300, "ftol": 1e-12},
    )
    assert float(ends.lower) <= solved.fun + 1e-6
    assert loss == "hinge" or float(ends.upper) >= solved.fun - 1e-3
    assert float(ends.upper) <= solved.fun + float(ends.upper - ends.lower) + 1e-3


def random_questions(count: int) -> Iterator[tuple[FeatureMap, np.ndarray, str, LinearClass, tuple[Fraction, ...]]]:
    """Tables meant to be hard: few records, one label, huge weights on one corner, models far outside."""
    generator = np.random.default_rng(11)
    for i in range(count):
        loss = LOSSES[i % 3]
        weights = generator.dirichlet(np.full(14, 0.15))
        table = DOMAIN[generator.choice(14, int(generator.integers(1, 60)), p=weights)]
        tau = Fraction(int(generator.integers(1, 400)), 20)
        extra = [{}, {"ridge": Fraction(1, 50)}, {"intercept": Fraction(int(generator.integers(0, 30)), 7)}][i % 5 % 3]
        compared = LinearClass(feature_map=ON_LINE, loss=loss, tau=tau, **extra)
        model = tuple(Fraction(int(c), 16) for c in generator.integers(-120, 120, 2))
        yield ON_LINE, table, loss, compared, model


def no_violation(count: int, gaps: int = 1) -> None:
    """The certificate without noise: loss of the model minus floor, with gap and rounding, is at least the excess."""
    for features, table, loss, compared, model in random_questions(count):
        own, least = ModelLoss(features, model, loss), LeastLoss(compared)
        asked, n = Asked(table, minimise=least_risk), len(table)
        stated = (own.of(asked)[0] - least.of(asked)[0] + gaps * least.gap) * least.unit + n * own.error
        signed = (features.features(table) / features.one) * features.labels(table)[:, None]
        grid = np.linspace(-1, 1, 41)
        angles = np.linspace(0, 2 * np.pi, 181)
        radius = float(compared.radius) / np.sqrt(features.squared_norm)
        if compared.intercept is None:
            r, t = (part.ravel() for part in np.meshgrid(radius * grid[21:], angles))
            tried = np.column_stack([r * np.cos(t), r * np.sin(t)])
        else:
            s, t = (part.ravel() for part in np.meshgrid(grid, grid))
            tried = np.column_stack([radius * s, float(compared.intercept) * t])
        sums = value(loss, tried @ signed.T).sum(axis=1)
        if compared.ridge is not None:
            sums += n * float(compared.ridge) / 2 * features.squared_norm * (tried**2).sum(axis=1)
        true = value(loss, signed @ np.array([float(c) for c in model])).sum() - sums.min()
        assert float(stated) >= true - 1e-9 * (1 + abs(true)), "the certificate is violated"


def test_certificates_without_noise_hold_on_adversarial_tables() -> None:
    no_violation(30)


@pytest.mark.slow
def test_certificates_without_noise_hold_on_a_thousand_adversarial_tables() -> None:
    no_violation(1000)


def test_a_gap_that_is_left_out_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers well above the least sum, as the gap allows: without it certificates are violated."""
    honest = LeastLoss.of
    monkeypatch.setattr(LeastLoss, "of", lambda self, asked: (honest(self, asked)[0] + self.gap // 2,))
    no_violation(20)
    with pytest.raises(AssertionError, match="violated"):
        no_violation(20, gaps=0)


def test_questions_are_read_back_from_their_descriptions() -> None:
    model, other = ((Fraction(k), Fraction(1, 3)) for k in (1, 2))
    for question in (
        ModelLoss(PLANE, model, "hinge"),
        ExcessOver(PLANE, model, (other, model)),
        LeastLoss(LinearClass(feature_map=PLANE, tau=Fraction(5, 2), ridge=Fraction(1, 7), intercept=Fraction(3))),
        LeastLoss(LinearClass(feature_map=PLANE, ridge=Fraction(1, 7), loss="squared")),
    ):
        text = json.dumps(question.to_json())
        assert type(question).from_json(parse_json(text, "q"), SMALL, "q") == question
        for broken in (
            text.replace("1/3", "1/x"),
            text.replace('"gap": ', '"gap": 1'),
            text.replace('"loss": "', '"loss": "x'),
        ):
            if broken != text:
                with pytest.raises(DataError, match=r"^q"):
                    type(question).from_json(parse_json(broken, "q"), SMALL, "q")


def test_classes_without_a_range_are_refused() -> None:
    with pytest.raises(ParameterError, match="tau"):
        LinearClass(feature_map=PLANE)
    with pytest.raises(ParameterError, match="1024"):
        LinearClass(feature_map=PLANE, tau=Fraction(2000))
    with pytest.raises(ParameterError, match="1024"):
        ModelLoss(PLANE, (Fraction(2000), Fraction(0)))
    with pytest.raises(ParameterError, match="others"):
        ExcessOver(PLANE, (Fraction(1), Fraction(0)), ())
    ridge = LeastLoss(LinearClass(feature_map=PLANE, ridge=Fraction(1, 10)))
    with pytest.raises(NotApplicable, match="n is not public"):
        ridge.moved(ADD)
    assert ridge.compared.radius == pytest.approx(3.7233, abs=1e-4)


def test_alike_records_are_taken_once_whatever_the_number_of_columns() -> None:
    generator = np.random.default_rng(0)
    codes = generator.integers(0, 2, (500, 3)).repeat(30, axis=1).astype(np.uint8)
    rows, counts = distinct_records(codes, [200] * 90, range(90))
    wanted, by_numpy = np.unique(codes, axis=0, return_counts=True)
    assert sorted(map(tuple, rows.tolist())) == sorted(map(tuple, wanted.tolist()))
    assert sorted(counts.tolist()) == sorted(by_numpy.tolist())
