"""Certificates of models hold on the whole event, for adversarial tables and models; wrong constants are caught."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from bounds.certify import envelope, value
from bounds.certify.baselines import measured
from bounds.certify.classes import FREE, INSIDE, ModelClass, within_norm
from bounds.certify.envelope import Scores, largest_excess
from bounds.certify.excess import Certified, certified
from bounds.certify.loss_balls import LossOnBalls
from bounds.certify.problem import Ball, Compared, Group, KnownMoments, Problem, dot
from bounds.certify.routes import BY, LOCAL, all_routes, fenchel_young
from bounds.certify.search import Found
from bounds.certify.shape import OTHER, Shape, Slices
from bounds.certify.value import Multipliers, bound
from bounds.certify.verdict import INFORMATIVE, VACUOUS, WEAK
from bounds.errors import NotApplicable, NotCertified
from mechanisms.models.splits import MOST_VALUES, splits
from release.data.columns import LevelColumn
from release.data.schema import PUBLIC, Schema
from release.statistics.features import FeatureMap, build_feature_map
from tests.speeds import examples
from verify.certificate_attacks import Arena, worst_table
from verify.certificate_values import dual_value, floats, label_vector, quadratic, worst_model

Model = tuple[Fraction, ...]
NONCONVEX = "1/(1+exp(x))"
LOSSES = ("logistic", "hinge", "squared", "squared-hinge", "phi-gamma:0.5", NONCONVEX)
ROUNDING = 1e-9
seeds = st.integers(0, 2**32 - 1)


def generator_of(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=seed))


@dataclass(frozen=True)
class Case:
    """A table on a small domain, a model, a class, and the event around the moments of the table."""

    arena: Arena
    weights: np.ndarray
    model: Model
    known: KnownMoments
    compared_with: ModelClass
    mass: float = 1.0

    @property
    def tau(self) -> float | None:
        return None if self.compared_with.tau is None else float(self.compared_with.tau)

    @property
    def problem(self) -> Problem:
        return self.among(within_norm(self.compared_with, self.known))

    def among(self, compared: Compared) -> Problem:
        scores = self.arena.feature_map.margin_range(self.model)
        loss = self.compared_with.loss
        return Problem(known=self.known, model=self.model, loss=loss, compared=compared, scores=scores)

    def objective(self, v: Any, weights: np.ndarray) -> float:
        """Of the statement: mean loss plus penalty."""
        point = floats(v)
        margins = self.arena.labels * (self.arena.features @ point)
        counted = point if self.compared_with.intercept == INSIDE else point[:-1]
        ridge = float(self.compared_with.ridge or 0) / 2 * self.known.squared_norm
        return float(weights @ loss_values(self.compared_with.loss, margins) + ridge * counted @ counted)

    def inside(self, v: np.ndarray) -> np.ndarray:
        """Moved into the class, with a little room."""
        counted = v if self.compared_with.intercept == INSIDE else v[:-1]
        size = float(np.linalg.norm(counted)) * self.known.squared_norm**0.5
        shrink = 1.0 if self.tau is None else min(1.0, self.tau * (1 - 1e-12) / max(size, 1e-300))
        moved = v * shrink
        if self.compared_with.intercept == FREE:
            moved[-1] = v[-1]
        return moved

    def best(self, weights: np.ndarray, start: np.ndarray) -> np.ndarray:
        """A model of the class that is better, from a start, by a general method."""
        limits = []
        if self.tau is not None:
            most, last = self.tau**2 / self.known.squared_norm, len(start) - (self.compared_with.intercept == FREE)
            limits = [{"type": "ineq", "fun": lambda v: most - v[:last] @ v[:last]}]
        found = minimize(lambda v: self.objective(v, weights), start, method="SLSQP", constraints=limits, tol=1e-12)
        return self.inside(np.where(np.isfinite(found.x), found.x, start))


def loss_values(loss: str, margins: np.ndarray) -> np.ndarray:
    """The losses by their formulas, not by the code under test."""
    if loss == "logistic":
        return np.logaddexp(0, -margins)
    if loss == "squared":
        return (1 - margins) ** 2 / 2
    if loss == NONCONVEX:
        return 1 / (1 + np.exp(margins))
    if loss == "phi-gamma:0.5":
        return (1 - margins) ** 2 / 8 + 4 * (np.maximum(0.5 - margins, 0) ** 2 - np.maximum(-margins, 0) ** 2)
    return np.maximum(0, 1 - margins) ** (2 if loss == "squared-hinge" else 1)


def case(
    seed: int,
    loss: str = "logistic",
    *,
    tau: Fraction | None = Fraction(3),
    ridge: Fraction | None = None,
    intercept: str = INSIDE,
    weighted: bool = False,
    mass: Fraction | None = None,
    largest: float = 0.1,
) -> Case:
    """One to three columns, any weights on their records, any model of the class; radii up to `largest`."""
    generator = generator_of(seed)
    sizes = generator.integers(2, 5, size=generator.integers(1, 4)).tolist()
    columns = tuple(LevelColumn(f"c{j}", tuple(str(i) for i in range(size))) for j, size in enumerate(sizes))
    schema = Schema((*columns, LevelColumn("y", ("no", "yes"))), PUBLIC)
    feature_map = build_feature_map(schema, label="y", one_hot=("c0",) if generator.random() < 0.3 else ())
    codes = np.array(list(product(*(range(size) for size in (*sizes, 2)))))
    arena = Arena(feature_map.features(codes) / feature_map.one, feature_map.labels(codes).astype(float), feature_map)
    weights = generator.dirichlet(np.full(len(codes), 0.3))
    direction = generator.normal(size=feature_map.size)
    size = float(tau or 2) * generator.random() / feature_map.squared_norm**0.5
    model = tuple(Fraction(round(x * 2**20), 2**20) for x in direction / np.linalg.norm(direction) * size)
    first, second = arena.moments(weights)
    fourth = (arena.features * (weights * (arena.features @ floats(model)) ** 2)[:, None]).T @ arena.features
    radii = [Fraction(float(10.0 ** generator.uniform(-4, np.log10(largest)))) for _ in range(3)]
    scale = Fraction(1) if mass is None else mass
    known = KnownMoments(
        first=tuple(Fraction(float(x)) * scale for x in first),
        second=_symmetric(second, scale),
        first_radius=radii[0] * scale,
        second_radius=radii[1] * scale,
        failure=Fraction(1, 20),
        squared_norm=feature_map.squared_norm,
        size_is_exact=mass is None,
        weighted=_symmetric(fourth, scale) if weighted else None,
        weighted_radius=radii[2] * scale if weighted else Fraction(0),
    )
    compared = ModelClass(loss=loss, tau=tau, ridge=ridge, intercept=intercept)
    return Case(arena, weights, model, known, compared, float(scale))


def _symmetric(matrix: np.ndarray, scale: Fraction) -> tuple[tuple[Fraction, ...], ...]:
    p = len(matrix)
    return tuple(tuple(Fraction(float(matrix[min(i, j), max(i, j)])) * scale for j in range(p)) for i in range(p))


def require_holds(asked: Case, found: Certified, *, claimed: Fraction | None = None) -> None:
    """No model of the class is better by more, on the table itself and on tables chosen against the certificate."""
    limit = float(found.value if claimed is None else claimed)
    generator = np.random.default_rng(0)
    zero = np.zeros(asked.known.dimension)
    starts = [asked.inside(worst_model(found)), asked.inside(generator.normal(size=len(zero)) * 3)]
    problem = replace(found.problem, known=asked.known)
    for start in starts:
        weights, other = asked.weights, start
        for turn in range(3):
            if turn:
                exact = tuple(Fraction(x) for x in other.tolist())
                weights = worst_table(asked.arena, problem, exact, asked.weights, mass=asked.mass)
            here = asked.objective(asked.model, weights)
            better = min((asked.best(weights, s) for s in (other, zero)), key=lambda v: asked.objective(v, weights))
            for v in (other, better):
                assert here - asked.objective(v, weights) <= limit + ROUNDING * (1 + abs(limit))
            other = better


@pytest.mark.parametrize("loss", LOSSES)
@given(seed=seeds)
@examples(4, of=2)
def test_it_holds_within_a_norm(loss: str, seed: int) -> None:
    asked = case(seed, loss)
    require_holds(asked, certified(asked.problem))


@given(seed=seeds, share=st.sampled_from((0.3, 0.999)))
@examples(5, of=2)
def test_it_holds_for_noise_in_any_direction(seed: int, share: float) -> None:
    asked, generator = case(seed), generator_of(seed + 1)
    p = asked.known.dimension
    first, second = generator.normal(size=p), generator.normal(size=(p, p))
    second = second + second.T
    away = Fraction(share)
    noise = [Fraction(float(x)) * away for x in first / np.linalg.norm(first) * float(asked.known.first_radius)]
    change = _symmetric(second / np.linalg.norm(second, 2) * float(asked.known.second_radius), away)
    noisy = replace(
        asked.known,
        first=tuple(a + b for a, b in zip(asked.known.first, noise, strict=True)),
        second=tuple(
            tuple(a + b for a, b in zip(*rows, strict=True)) for rows in zip(asked.known.second, change, strict=True)
        ),
    )
    found = certified(replace(asked.problem, known=noisy))
    zero = np.zeros(p)
    gain = asked.objective(asked.model, asked.weights) - asked.objective(asked.best(asked.weights, zero), asked.weights)
    assert gain <= float(found.value) + ROUNDING


@given(seed=seeds, ridge=st.sampled_from((Fraction(1, 20), Fraction(1, 2), Fraction(3))))
@examples(4, of=2)
def test_it_holds_for_a_penalty_and_near_the_model(seed: int, ridge: Fraction) -> None:
    """Every route speaks of all models, however large."""
    asked = case(seed, tau=None, ridge=ridge, largest=0.01)
    asked = replace(
        asked, model=tuple(Fraction(x) for x in asked.best(asked.weights, floats(asked.model) / 4).tolist())
    )
    scores = asked.arena.feature_map.margin_range(asked.model)
    routes = all_routes(asked.known, asked.model, asked.compared_with, scores)
    for route in routes:
        if route.found is not None:
            require_holds(asked, route.found)
    assert any(route.name == LOCAL and route.found is not None for route in routes)


@given(seed=seeds, loss=st.sampled_from(("logistic", "hinge", "squared")), ridge=st.booleans())
@examples(6, of=2)
def test_it_holds_for_a_free_intercept(seed: int, loss: str, ridge: bool) -> None:
    more: dict[str, Any] = {"tau": None, "ridge": Fraction(1, 2)} if ridge else {"tau": Fraction(1)}
    asked = case(seed, loss, intercept=FREE, largest=0.01, **more)
    try:
        problem = asked.problem
    except NotApplicable:  # one label is too rare for the radii
        return
    require_holds(asked, certified(problem))


@given(seed=seeds, loss=st.sampled_from(("logistic", "hinge", NONCONVEX)))
@examples(5, of=2)
def test_it_holds_with_weighted_moments(seed: int, loss: str) -> None:
    asked = case(seed, loss, weighted=True)
    found = certified(asked.problem)
    assert found.shape.weighted is not None
    require_holds(asked, found)


@given(seed=seeds, weighted=st.booleans(), private=st.booleans())
@examples(6, of=2)
def test_it_holds_where_records_are_told_apart(seed: int, weighted: bool, private: bool) -> None:
    asked = case(seed, weighted=weighted, mass=Fraction(6, 5) if private else None, largest=0.03)
    split = splits(asked.arena.feature_map, asked.model)[0]
    found = certified(replace(asked.problem, direction=split.direction, groups=split.groups))
    scores, values = asked.arena.features @ floats(asked.model), asked.arena.features @ floats(split.direction)
    for score, at in zip(scores, values, strict=True):
        group = next(group for group in split.groups if abs(float(group.value) - at) < 1e-9)
        assert float(group.scores[0]) - ROUNDING <= score <= float(group.scores[1]) + ROUNDING
    require_holds(asked, found)


@given(seed=seeds)
@settings(max_examples=2)
def test_it_holds_by_the_fenchel_young_theorem(seed: int) -> None:
    asked = case(seed)
    route = fenchel_young(asked.known, asked.model, asked.compared_with, asked.arena.feature_map.margin_range)
    assert route.found is not None, route.reason
    assert route.found.shape.second[OTHER][OTHER] == 0
    require_holds(asked, route.found)


@given(seed=seeds, mass=st.sampled_from((Fraction(7, 10), Fraction(101, 100), Fraction(7, 5))), ridge=st.booleans())
@examples(8, of=2)
def test_it_holds_where_the_number_of_records_is_private(seed: int, mass: Fraction, ridge: bool) -> None:
    asked = case(seed, ridge=Fraction(1, 2) if ridge else None, mass=mass, largest=0.03)
    found = certified(asked.problem)
    require_holds(asked, found)
    risk = asked.weights @ loss_values("logistic", asked.arena.labels * (asked.arena.features @ floats(asked.model)))
    lines = measured(asked.problem)
    assert risk <= float(lines.model_risk)
    counted = floats(asked.model) * np.sqrt(asked.known.squared_norm)
    assert float(lines.penalty) == pytest.approx(float(counted @ counted) / 4 if ridge else 0)
    share = float(asked.weights @ (asked.arena.labels > 0))
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert lines.constant_risk is not None
    assert float(lines.constant_risk) <= entropy


def test_a_model_without_features_has_a_certificate() -> None:
    asked = case(1)
    constant = (*(Fraction(0),) * (asked.known.dimension - 1), Fraction(1, 8))
    for model in (constant, (Fraction(0),) * asked.known.dimension):
        bare = replace(asked, model=model)
        require_holds(bare, certified(bare.problem))
    route = fenchel_young(bare.known, bare.model, bare.compared_with, bare.arena.feature_map.margin_range)
    assert route.reason == "the zero model has no direction"


def test_a_loss_with_unbounded_curvature_gives_a_reason() -> None:
    asked = case(3, "sqrt(abs(x))")
    scores = asked.arena.feature_map.margin_range(asked.model)
    with pytest.raises(NotCertified, match=r"^loss = sqrt\(abs\(x\)\): its curvature is not bounded"):
        all_routes(asked.known, asked.model, asked.compared_with, scores)


def test_scores_beyond_exact_corners_are_refused() -> None:
    far = Fraction(2**32)
    assert Scores((-far, far), Fraction(1)).boxes()[0][1][0] == (-float(far), float(far))
    with pytest.raises(NotApplicable, match=r"exceed 2\^32"):
        Scores((-far, far + 1), Fraction(1)).boxes()


@pytest.mark.parametrize("loss", ["logistic", "hinge", NONCONVEX, "x^2/2-x", "log-sigmoid", "0-exp(-x^2)"])
def test_baselines_are_those_of_any_loss(loss: str) -> None:
    """Also of one that is negative or not convex: against dense samples of the loss."""
    asked = case(5, loss, tau=Fraction(2))
    formulas = {
        "x^2/2-x": lambda t: t * t / 2 - t,
        "log-sigmoid": lambda t: -np.logaddexp(0, -t),
        "0-exp(-x^2)": lambda t: -np.exp(-t * t),
    }
    phi = formulas.get(loss, lambda t: loss_values(loss, t))
    found = measured(asked.problem)
    values, zero = phi(np.linspace(-2, 2, 4001)), float(phi(np.zeros(1))[0])
    assert float(found.zero_risk) == pytest.approx(zero)
    assert float(found.largest_gap) == pytest.approx(values.max() - values.min(), abs=1e-6)
    assert float(found.zero_gap) == pytest.approx(zero - values.min(), abs=1e-6)
    risk = float(asked.weights @ phi(asked.arena.labels * (asked.arena.features @ floats(asked.model))))
    assert risk <= float(found.model_risk)
    assert (found.constant_risk is None) == (loss not in ("logistic", "hinge"))
    assert found.verdict(found.largest_gap).word == VACUOUS
    better = found.constant_risk is not None and found.constant_risk > found.model_risk
    assert found.verdict(Fraction(0)).word == (VACUOUS if found.zero_gap <= 0 else INFORMATIVE if better else WEAK)


def test_a_risk_that_cannot_be_certified_is_that_of_the_worst_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> Certified:
        raise NotCertified("no")

    asked = case(5, "0-exp(-x^2)")
    monkeypatch.setattr("bounds.certify.baselines.certified", refuse)
    low, high = map(float, asked.problem.scores)
    margins = np.concatenate([np.linspace(low, high, 2001), -np.linspace(low, high, 2001)])
    assert float(measured(asked.problem).model_risk) == pytest.approx(float((-np.exp(-(margins**2))).max()), abs=1e-6)


def test_a_penalty_needs_a_loss_that_is_convex_and_not_negative() -> None:
    for loss in (NONCONVEX, "log-sigmoid", "x^2/2-x"):
        with pytest.raises(NotApplicable, match="ridge: not for loss"):
            ModelClass(loss=loss, ridge=Fraction(1))


# The envelope.


def random_shape(generator: np.random.Generator, size: int, *, weighted: bool = False, scale: float = 1.0) -> Shape:
    def numbers(*shape: int) -> np.ndarray:
        return np.round(generator.normal(size=shape) * scale * 64) / 64

    def form() -> Any:
        upper = numbers(size, size)
        return tuple(tuple(Fraction(float(upper[min(i, j), max(i, j)])) for j in range(size)) for i in range(size))

    label = tuple(Fraction(float(x)) for x in numbers(size))
    return Shape(Fraction(float(numbers(1)[0])), label, form(), form() if weighted else None)


def differences(loss: str, shape: Shape, y: int, points: np.ndarray) -> np.ndarray:
    """phi(y S) - phi(y V) - q at points (S, V[, U])."""
    slices = Slices(shape, y, float)
    s, v, *rest = points.T
    u = rest[0] if rest else None
    q = slices.start(s, u) + (slices.slope(s, u) + slices.bend(s) * v) * v
    b = np.stack([np.ones_like(s), s, v, *rest])
    again = float(shape.constant) + y * floats(shape.label) @ b + np.einsum("ik,ij,jk->k", b, floats(shape.second), b)
    if shape.weighted is not None:
        again = again + s**2 * np.einsum("ik,ij,jk->k", b, floats(shape.weighted), b)
    assert np.allclose(q, again, rtol=1e-9, atol=1e-9)
    return loss_values(loss, y * s) - loss_values(loss, y * v) - again


def require_enclosed(seed: int, loss: str, *, weighted: bool = False, direction: bool = False) -> None:
    generator = generator_of(seed)
    shape = random_shape(generator, 4 if direction else 3, weighted=weighted, scale=0.25)
    low, high = sorted(Fraction(float(x)) for x in generator.uniform(-3, 3, size=2).round(2))
    reach = Fraction(round(float(generator.uniform(0.5, 4)), 2))
    box = Scores((low, high), reach, (Fraction(-1), Fraction(1, 2)) if direction else None)
    found = largest_excess(LossOnBalls(loss, box.largest()), shape, box, tolerance=Fraction(1, 100))
    lines = [np.linspace(a, b, 9 if direction else 61) for a, b in box.boxes()[0][1]]
    grid = np.stack([axis.ravel() for axis in np.meshgrid(*lines, indexing="ij")], axis=1)
    largest = -np.inf
    for y in (1, -1):
        values = differences(loss, shape, y, grid)
        start = grid[values.argmax()]
        climbed = minimize(
            lambda x, y=y: -differences(loss, shape, y, x[None])[0], start, method="L-BFGS-B", bounds=box.boxes()[0][1]
        )
        largest = max(largest, float(values.max()), -float(climbed.fun))
    assert largest <= float(found.upper) + ROUNDING
    assert float(found.lower) <= float(found.upper) <= float(found.lower) + 0.0101
    assert float(found.lower) <= largest + 0.02  # attained at a corner of a cell; the climb may stop a little below


@pytest.mark.parametrize("loss", LOSSES)
@given(seed=seeds)
@settings(max_examples=3)
def test_the_envelope_encloses_dense_samples(loss: str, seed: int) -> None:
    require_enclosed(seed, loss)


@pytest.mark.parametrize("more", [{"weighted": True}, {"direction": True}], ids=["weighted", "direction"])
@given(seed=seeds)
@settings(max_examples=2)
def test_so_it_does_with_more_terms(more: dict[str, bool], seed: int) -> None:
    require_enclosed(seed, "logistic", **more)


def test_an_envelope_that_runs_out_of_cells_is_still_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envelope, "MOST_CELLS", 40)
    shape = random_shape(generator_of(5), 3, scale=0.25)
    box = Scores((Fraction(-2), Fraction(2)), Fraction(3))
    loss = LossOnBalls("logistic", box.largest())
    short = largest_excess(loss, shape, box, tolerance=Fraction(1, 10**9))
    monkeypatch.undo()
    long = largest_excess(loss, shape, box, tolerance=Fraction(1, 10**4))
    assert short.cells < 50 < long.cells
    assert short.lower <= long.upper <= short.upper


# Groups: records told apart by the value of a feature.


def small_map(seed: int) -> FeatureMap:
    """One to four columns, each linear or one-hot, on a coarse grid on which codes of a column may share a value."""
    generator = generator_of(seed)
    sizes = generator.integers(2, 7, size=generator.integers(1, 5)).tolist()
    columns = tuple(LevelColumn(f"c{j}", tuple(str(i) for i in range(size))) for j, size in enumerate(sizes))
    hot = tuple(f"c{j}" for j in range(len(sizes)) if generator.random() < 0.4)
    schema = Schema((*columns, LevelColumn("y", ("no", "yes"))), PUBLIC)
    return build_feature_map(schema, label="y", one_hot=hot, bits=int(generator.choice((1, 2, 16))))


def every_record(feature_map: FeatureMap) -> list[list[Fraction]]:
    """The features of all records of the domain, exactly, by its blocks."""
    return [
        [Fraction(x, feature_map.one) for values in record for x in values] + [Fraction(1)]
        for record in product(*feature_map.blocks)
    ]


@given(seed=seeds)
@examples(25, of=5)
def test_groups_hold_every_record_once_and_exactly_its_scores(seed: int) -> None:
    feature_map, generator = small_map(seed), generator_of(seed + 1)
    model = tuple(Fraction(int(x), 16) for x in generator.integers(-40, 41, size=feature_map.size))
    records = every_record(feature_map)
    scores = [dot(model, record) for record in records]
    found = splits(feature_map, model)
    for split in found:
        values = [dot(split.direction, record) for record in records]
        assert sorted(set(values)) == [group.value for group in split.groups]  # none missing, none twice, none empty
        for group in split.groups:
            here = [score for score, value in zip(scores, values, strict=True) if value == group.value]
            assert group.scores == (min(here), max(here))
    few = [k for k in range(feature_map.size - 1) if len({record[k] for record in records}) <= MOST_VALUES]
    assert sorted(split.direction.index(1) for split in found) == few
    assert {split.name for split in found} == {feature_map.names[k] for k in few}
    assert all(sum(map(abs, split.direction)) == 1 for split in found)


def some_groups(generator: np.random.Generator) -> tuple[Group, ...]:
    ends = np.sort(generator.uniform(-3, 3, size=(3, 2)).round(2), axis=1).tolist()
    values = (Fraction(-1), Fraction(1, 3), Fraction(1))
    return tuple(Group(value, (Fraction(a), Fraction(b))) for value, (a, b) in zip(values, ends, strict=True))


def largest_on_groups(loss: str, shape: Shape, groups: tuple[Group, ...], reach: float) -> float:
    """The largest difference on fine grids, from the polynomial of three scores itself."""
    largest = -np.inf
    for group in groups:
        s, v = np.meshgrid(np.linspace(*map(float, group.scores), 81), np.linspace(-reach, reach, 81))
        b = np.stack([np.ones(s.size), s.ravel(), v.ravel(), np.full(s.size, float(group.value))])
        forms = [np.einsum("ik,ij,jk->k", b, floats(form), b) for form in shape.forms()]
        for y in (1, -1):
            q = float(shape.constant) + y * floats(shape.label) @ b + forms[0]
            q = q + (b[1] ** 2 * forms[1] if len(forms) > 1 else 0)
            largest = max(largest, float((loss_values(loss, y * b[1]) - loss_values(loss, y * b[2]) - q).max()))
    return largest


@given(seed=seeds, loss=st.sampled_from(LOSSES), weighted=st.booleans())
@examples(8, of=2)
def test_the_envelope_encloses_dense_samples_of_every_group(seed: int, loss: str, weighted: bool) -> None:
    generator = generator_of(seed)
    shape, groups = random_shape(generator, 4, weighted=weighted, scale=0.2), some_groups(generator)
    box = Scores((Fraction(-3), Fraction(3)), Fraction(2), groups=groups)
    found = largest_excess(LossOnBalls(loss, box.largest()), shape, box, tolerance=Fraction(1, 50))
    sampled = largest_on_groups(loss, shape, groups, 2.0)
    assert sampled <= float(found.upper) + ROUNDING
    assert float(found.lower) - 0.05 <= sampled
    assert found.lower <= found.upper <= found.lower + Fraction(21, 1000)
    if found.lower > 0:  # the places are where it is large
        assert found.where
        assert all(y in (1, -1) and u in {float(group.value) for group in groups} for y, (_, _, u) in found.where)


@given(
    seed=seeds,
    more=st.sampled_from(({"loss": "hinge"}, {"ridge": Fraction(1, 2)}, {"weighted": True, "loss": NONCONVEX})),
)
@examples(4, of=2)
def test_every_way_by_groups_holds(seed: int, more: dict[str, Any]) -> None:
    """Also for another loss, with a penalty, and with weighted moments."""
    asked = case(seed, largest=0.05, **more)
    features = asked.arena.feature_map
    scores = features.margin_range(asked.model)
    routes = all_routes(asked.known, asked.model, asked.compared_with, scores, splits=splits(features, asked.model)[:1])
    by_groups = [route for route in routes if route.name.startswith(BY)]
    assert by_groups
    for route in by_groups:
        assert route.found is not None, route.reason
        assert route.found.problem.groups
        require_holds(asked, route.found)


@given(seed=seeds, weighted=st.booleans())
@examples(4, of=2)
def test_a_polynomial_without_the_feature_serves_its_groups_too(seed: int, weighted: bool) -> None:
    """So telling records apart loses nothing but what a search leaves."""
    asked = case(seed, weighted=weighted)
    found = certified(asked.problem)

    def wider(form: Any) -> Any:
        return (*((*row, Fraction(0)) for row in form), (Fraction(0),) * 4)

    split = splits(asked.arena.feature_map, asked.model)[0]
    forms = [wider(form) for form in found.shape.forms()]
    shape = Shape(found.shape.constant, (*found.shape.label, Fraction(0)), forms[0], forms[1] if weighted else None)
    again = certified(replace(asked.problem, direction=split.direction, groups=split.groups), shape)
    assert again.excess.lower <= found.excess.upper
    multipliers = replace(found.multipliers, absolute=tuple(wider(form) for form in found.multipliers.absolute))
    same = bound(again.problem, shape, multipliers, found.excess.upper)
    assert float(same.value.hi) == pytest.approx(float(found.value), rel=1e-9)


# The value.


def any_proof(seed: int, *, weighted: bool = False, direction: bool = False, part: str = "all") -> Certified:
    """A random polynomial with random multipliers: nothing is best, everything is admissible."""
    asked, generator = case(seed, weighted=weighted), generator_of(seed + 1)
    p = asked.known.dimension
    near = Ball(part="all", around_model=True, squared_radius=Fraction(1, 2))
    parts = ("slopes", "intercept") if part == "slopes" else ("all",)
    balls = (near, *(Ball(part=name, around_model=False, squared_radius=Fraction(3, 4)) for name in parts))  # type: ignore[arg-type]
    compared = Compared(balls=balls, reach=Fraction(5), ridge=Fraction(1, 3), ridge_part=part)  # type: ignore[arg-type]
    problem = asked.among(compared)
    if direction:
        further = tuple(Fraction(float(x)) for x in generator.normal(size=p).round(2))
        problem = replace(problem, direction=further, directions=asked.arena.feature_map.margin_range(further))
    size = len(problem.basis()) + 1
    shape = random_shape(generator, size, weighted=weighted)
    absolute = []
    for form in shape.forms():
        values, vectors = np.linalg.eigh(floats(form))
        above = (vectors * np.abs(values)) @ vectors.T + np.diag(generator.uniform(0.001, 0.1, size))
        absolute.append(_symmetric(above, Fraction(1)))
    mus = tuple(Fraction(float(x)) for x in generator.uniform(8, 20, size=len(balls)).round(2))
    multipliers = Multipliers(tuple(absolute), Fraction(round(float(generator.uniform(0.1, 2)), 3)), mus)
    excess = envelope.Excess(Fraction(1, 7), Fraction(0), 1)
    value_found = bound(problem, shape, multipliers, excess.upper)
    return Certified(problem, shape, multipliers, excess, value_found, Found(shape, multipliers, 0.0, 0))


@given(seed=seeds, kind=st.sampled_from(("second", "weighted", "direction")), part=st.sampled_from(("all", "slopes")))
@examples(30, of=5)
def test_the_value_is_the_maximum_of_the_quadratic_function(seed: int, kind: str, part: str) -> None:
    found = any_proof(seed, weighted=kind == "weighted", direction=kind == "direction", part=part)
    constant, linear, curvature = quadratic(found)
    expected = constant + linear @ np.linalg.solve(curvature, linear)
    assert float(found.value) == pytest.approx(expected, rel=1e-7, abs=1e-7)
    assert dual_value(found, worst_model(found)) == pytest.approx(expected, rel=1e-7, abs=1e-7)
    parts = sum(float(part.lo + part.hi) / 2 for _, part in found.bound.parts)
    assert parts == pytest.approx(expected, rel=1e-7, abs=1e-7)


def event_value(found: Certified, v: np.ndarray) -> float:
    """The mean of the polynomial under the worst noise of the event at one model, with its excess and the penalty."""
    problem = found.problem
    a = label_vector(found, v)
    fixed = [floats(x) for x in problem.basis()]
    b = np.stack([*fixed[:2], v, *fixed[2:]])
    total = float(found.shape.constant) + float(found.excess.upper) + a @ floats(problem.known.first)
    total += float(problem.known.first_radius) * float(np.linalg.norm(a))
    for (matrix, radius), form in zip(problem.forms(), found.shape.forms(), strict=True):
        combined = b.T @ floats(form) @ b
        total += float((combined * floats(matrix)).sum())
        total += float(radius) * float(np.abs(np.linalg.eigvalsh(combined)).sum())
    if problem.compared.ridge:
        kept = slice(None) if problem.compared.ridge_part == "all" else slice(0, -1)
        total += float(problem.compared.ridge) / 2 * float((floats(problem.model)[kept] ** 2 - v[kept] ** 2).sum())
    return float(total)


def require_covers_the_event(found: Certified, radius: float, claimed: float) -> float:
    """The bound is above the worst noise at every model of a ball around zero; the largest value that was met."""
    p, largest = found.problem.known.dimension, -np.inf
    generator = np.random.default_rng(1)
    for v in (worst_model(found), *generator.normal(size=(20, p)), np.zeros(p)):
        inside = v * min(1.0, radius / max(float(np.linalg.norm(v)), 1e-300))
        largest = max(largest, event_value(found, inside))
        assert largest <= claimed + ROUNDING * (1 + abs(claimed))
    return largest


@given(seed=seeds, loss=st.sampled_from(LOSSES))
@examples(5, of=2)
def test_the_value_covers_the_worst_noise_and_no_more(seed: int, loss: str) -> None:
    asked = case(seed, loss)
    found = certified(asked.problem)
    radius = float(asked.compared_with.tau or 0) / asked.known.squared_norm**0.5
    largest = require_covers_the_event(found, radius, float(found.value))
    assert largest >= 0.9 * float(found.value)


# Wrong constants do not survive.

SEEDS = range(12)


def caught(asked: Case, found: Certified, claimed: Fraction) -> bool:
    try:
        require_holds(asked, found, claimed=claimed)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("mutant", ["first_radius", "second_radius", "weighted_radius"])
def test_half_a_radius_is_caught(mutant: str) -> None:
    def wrong(seed: int) -> bool:
        weighted = mutant == "weighted_radius"
        asked = case(seed, "logistic" if weighted else "squared", weighted=weighted)
        halved = replace(asked.problem, known=replace(asked.known, **{mutant: getattr(asked.known, mutant) / 2}))
        found = certified(halved)
        radius = float(asked.compared_with.tau or 0) / asked.known.squared_norm**0.5
        whole = replace(found, problem=asked.problem)
        try:
            require_covers_the_event(whole, radius, float(found.value))
        except AssertionError:
            return weighted or caught(asked, found, found.value)
        return False

    assert any(wrong(seed) for seed in SEEDS)


def test_a_form_that_is_not_above_both_signs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = any_proof(3)
    zero = tuple(tuple(Fraction(0) for _ in row) for row in found.shape.second)
    for wrong in (found.shape.second, zero):
        with pytest.raises(value.Undecided):
            bound(found.problem, found.shape, replace(found.multipliers, absolute=(wrong,)), Fraction(0))
    monkeypatch.setattr(value, "admissible", lambda *_: True)

    def wrong(seed: int) -> bool:
        """Without the check noise on second moments would cost nothing."""
        asked = case(seed, "squared")
        found = certified(asked.problem)
        free = replace(found.multipliers, absolute=(zero,))
        trusted = bound(asked.problem, found.shape, free, found.excess.upper).value.hi
        try:
            require_covers_the_event(found, 3 / asked.known.squared_norm**0.5, float(trusted))
        except AssertionError:
            return True
        return False

    assert any(wrong(seed) for seed in SEEDS)


def test_a_forgotten_excess_is_caught() -> None:
    def wrong(seed: int) -> bool:
        asked = case(seed)
        shape = Shape(Fraction(0), (Fraction(0),) * 3, ((Fraction(0),) * 3,) * 3)
        found = certified(asked.problem, shape)
        return caught(asked, found, found.value - found.excess.upper)

    assert any(wrong(seed) for seed in SEEDS)


@pytest.mark.parametrize("factor", [0, Fraction(1, 2)])
def test_too_little_slack_between_corners_is_caught(factor: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    slacks = envelope._Side._slacks
    share = float(factor)
    monkeypatch.setattr(envelope._Side, "_slacks", lambda self, cell: [share * slack for slack in slacks(self, cell)])

    def wrong(seed: int) -> bool:
        try:
            require_enclosed(seed, "logistic")
        except AssertionError:
            return True
        return False

    assert any(wrong(seed) for seed in SEEDS)


@pytest.mark.parametrize("mutant", ["narrower", "missing", "value"])
def test_wrong_groups_are_caught(mutant: str) -> None:
    """A range that is too narrow, a value that is left out, and a value that the feature does not have."""

    def mutated(groups: tuple[Group, ...]) -> tuple[Group, ...]:
        first, *rest = groups
        middle = sum(first.scores) / 2
        wrong = {
            "narrower": (replace(first, scores=(middle, middle)),),
            "missing": (),
            "value": (replace(first, value=first.value + Fraction(1, 2)),),
        }
        return (*wrong[mutant], *rest)

    def wrong(seed: int) -> bool:
        asked = case(seed, largest=0.001)
        split = splits(asked.arena.feature_map, asked.model)[0]
        problem = replace(asked.problem, direction=split.direction, groups=split.groups)
        found = certified(replace(problem, groups=mutated(split.groups)))
        right = certified(problem, found.shape)
        if not right.excess.lower > found.excess.upper:
            return False
        return caught(asked, replace(found, problem=problem), found.value)

    assert any(wrong(seed) for seed in SEEDS)


def test_forms_that_are_not_symmetric_are_refused() -> None:
    found = any_proof(3)
    assert value.admissible(found.shape, found.multipliers)

    def skew(form: Any) -> Any:
        return ((form[0][0], form[0][1] + 1, *form[0][2:]), *form[1:])

    lopsided = replace(found.shape, second=skew(found.shape.second))
    assert not value.admissible(lopsided, found.multipliers)
    for forms in (found.multipliers.absolute, (skew(found.multipliers.absolute[0]),)):
        wrong = replace(found.multipliers, absolute=(skew(forms[0]),))
        assert not value.admissible(found.shape, wrong)


def test_a_penalty_that_ignores_the_mass_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dividing by the least mass at the end is not the same as dividing moments alone."""

    def wrong(seed: int) -> bool:
        asked = case(seed, ridge=Fraction(1, 10), mass=Fraction(7, 10), largest=0.001)
        found = certified(asked.problem)
        exact = replace(asked.problem, known=replace(asked.known, size_is_exact=True))
        undivided = bound(exact, found.shape, found.multipliers, found.excess.upper).value.hi
        return caught(asked, found, undivided / asked.known.mass()[0])

    assert any(wrong(seed) for seed in SEEDS)
