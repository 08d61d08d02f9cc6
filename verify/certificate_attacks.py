"""Attacks on certificates of models: tables, noise and models chosen to break one, within what its event allows.

A certificate says that on every table whose moments are within the radii, no model of the class is better by more than
the bound. So an adversary may choose: the table, as weights on all records of a small domain, by a convex programme
that maximises the gain of one model over the other; the model, by training on that table; and the noise, on the
boundary of the event, where it lowers the bound most. Floating point: an attack succeeds or it does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.certify.excess import Certified, certified
from bounds.certify.problem import KnownMoments, Problem, norm_class
from bounds.certify.shape import DIRECTION, ONE, OTHER, SCORE
from lp.columns import LevelColumn
from lp.moments.feature_map import FeatureMap, build_feature_map
from lp.moments.training import mean_loss, train
from lp.schema import PUBLIC, Schema
from verify.certificate_runs import stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LOSSES = ("logistic", "logistic", "squared", "logistic", "hinge")
TAUS = (Fraction(1), Fraction(2), Fraction(5), Fraction(10))
ROUNDS = 5
"""Of choosing the table for a model and the model for the table."""
_MOST_RECORDS = 120
_DENOMINATOR = 2**40


@dataclass(frozen=True, eq=False)
class Arena:
    """All records of a small domain with both labels, features on the scale of f."""

    features: Floats
    labels: Floats
    feature_map: FeatureMap

    @property
    def first(self) -> Floats:
        """y f of every record."""
        found: Floats = self.features * self.labels[:, None]
        return found

    def moments(self, weights: Floats) -> tuple[Floats, Floats]:
        return weights @ self.first, (self.features * weights[:, None]).T @ self.features

    def risk(self, model: tuple[Fraction, ...], weights: Floats, loss: str) -> float:
        return mean_loss(model, self.features, self.labels, weights, loss=loss)

    def best(self, weights: Floats, loss: str, tau: Fraction) -> tuple[Fraction, ...]:
        kept = weights > 0
        return train(
            self.features[kept],
            self.labels[kept],
            weights[kept],
            squared_norm=self.feature_map.squared_norm,
            loss=loss,
            tau=tau,
        ).coefficients


@dataclass(frozen=True, kw_only=True)
class Attack:
    """The largest part of the bound that an adversary reached, by which means."""

    loss: str
    tau: Fraction
    features: int
    bound: float
    by_table: float
    """Gain over bound, for the table chosen after the noise."""
    by_noise: float
    """Gain over bound, for the noise chosen after the table."""

    @property
    def ratio(self) -> float:
        return max(self.by_table, self.by_noise)


def attack(number: int) -> Attack:
    """Trial number i: its own domain, table, radii, model, class and loss."""
    generator = stream(2, number)
    loss, tau = LOSSES[number % len(LOSSES)], TAUS[number // len(LOSSES) % len(TAUS)]
    arena = random_arena(generator)
    weights = generator.dirichlet(np.full(len(arena.labels), generator.choice([0.02, 0.1, 1.0])))
    radii = 10.0 ** generator.uniform(-5, -1, size=2) * arena.feature_map.squared_norm ** np.array([0.5, 1.0])
    model = _model(arena, weights, loss, tau, generator)
    scores = arena.feature_map.margin_range(model)
    problem = Problem(
        known=known_around(arena, *arena.moments(weights), radii),
        model=model,
        loss=loss,
        compared=norm_class(tau, arena.feature_map.squared_norm),
        scores=scores,
    )
    found = certified(problem)
    return Attack(
        loss=loss,
        tau=tau,
        features=arena.feature_map.size,
        bound=float(found.value),
        by_table=table_attack(arena, found, weights, tau, generator) / float(found.value),
        by_noise=noise_attack(arena, found, weights, tau),
    )


def random_arena(generator: np.random.Generator) -> Arena:
    """One to four columns of two to nine levels, linear or one-hot, with at most 120 records."""
    while True:
        sizes = generator.integers(2, 10, size=generator.integers(1, 5)).tolist()
        if np.prod(sizes) <= _MOST_RECORDS:
            break
    columns = tuple(LevelColumn(f"c{j}", tuple(str(i) for i in range(size))) for j, size in enumerate(sizes))
    schema = Schema((*columns, LevelColumn("label", ("no", "yes"))), PUBLIC)
    one_hot = [column.name for column in columns if column.size < 5 and generator.random() < 0.25]
    feature_map = build_feature_map(schema, label="label", one_hot=one_hot)
    codes = np.array(list(product(*(range(size) for size in (*sizes, 2)))))
    features = feature_map.features(codes) / float(feature_map.one)
    return Arena(features, feature_map.labels(codes).astype(float), feature_map)


def known_around(arena: Arena, first: Floats, second: Floats, radii: Floats) -> KnownMoments:
    """The event around given noisy moments, as exact numbers."""
    upper = [[_exact(x) for x in row] for row in second]
    p = len(first)
    return KnownMoments(
        first=tuple(_exact(x) for x in first),
        second=tuple(tuple(upper[min(i, j)][max(i, j)] for j in range(p)) for i in range(p)),
        first_radius=_exact(radii[0]),
        second_radius=_exact(radii[1]),
        failure=Fraction(1, 20),
        squared_norm=arena.feature_map.squared_norm,
    )


def table_attack(
    arena: Arena, found: Certified, weights: Floats, tau: Fraction, generator: np.random.Generator
) -> float:
    """The largest gain of a model of the class over the certified one, over tables in the event."""
    problem = found.problem
    worst = _within(worst_model(found), tau, problem.known.squared_norm)
    anywhere = _within(generator.normal(size=len(worst)) * 10, tau, problem.known.squared_norm)
    starts = [worst, arena.best(weights, problem.loss, tau), anywhere]
    largest = 0.0
    for other in starts:
        model, before = other, -np.inf
        for _ in range(ROUNDS):
            chosen = worst_table(arena, problem, model, weights)
            model = arena.best(chosen, problem.loss, tau)
            gain = arena.risk(problem.model, chosen, problem.loss) - arena.risk(model, chosen, problem.loss)
            largest = max(largest, gain)
            if gain <= before * (1 + 1e-4):
                break
            before = gain
    return largest


def noise_attack(arena: Arena, found: Certified, weights: Floats, tau: Fraction) -> float:
    """Gain over bound where the noise lowers the bound most: on the boundary, against the forms at the worst model."""
    problem = found.problem
    other = arena.best(weights, problem.loss, tau)
    gain = arena.risk(problem.model, weights, problem.loss) - arena.risk(other, weights, problem.loss)
    first, second = arena.moments(weights)
    radii = np.array([float(problem.known.first_radius), float(problem.known.second_radius)])
    largest, against = gain / float(found.value), found
    for _ in range(2):
        direction, form = label_vector(against, worst_model(against)), second_form(against, worst_model(against))
        values, vectors = np.linalg.eigh(form)
        # just inside, so that rounding does not leave the event
        inside = radii * (1 - 1e-9)
        noisy = known_around(
            arena,
            first - inside[0] * direction / max(float(np.linalg.norm(direction)), 1e-300),
            second - inside[1] * (vectors * np.sign(values)) @ vectors.T,
            radii,
        )
        against = certified(replace(problem, known=noisy))
        largest = max(largest, gain / float(against.value))
    return largest


def worst_table(arena: Arena, problem: Problem, other: tuple[Fraction, ...], centre: Floats) -> Floats:
    """Weights on all records, within the event around the moments of `centre`, that favour the other model most."""
    import clarabel
    from scipy import sparse

    gains = _losses(arena, problem.model, problem.loss) - _losses(arena, other, problem.loss)
    first, second = arena.moments(centre)
    p, count = len(first), len(gains)
    radii = float(problem.known.first_radius), float(problem.known.second_radius)
    column, row = np.tril_indices(p)
    scale = np.where(row == column, 1.0, 2.0**0.5)
    flat = arena.features[:, row] * arena.features[:, column] * scale
    target, identity = second[row, column] * scale, np.eye(p)[row, column]
    # radii are divided out: all cones are of the size of 1
    blocks = [
        (np.ones((1, count)), np.ones(1), clarabel.ZeroConeT(1)),
        (-np.eye(count), np.zeros(count), clarabel.NonnegativeConeT(count)),
        (
            np.vstack([np.zeros(count), -arena.first.T / radii[0]]),
            np.concatenate([[1.0], -first / radii[0]]),
            clarabel.SecondOrderConeT(p + 1),
        ),
        (flat.T / radii[1], identity + target / radii[1], clarabel.PSDTriangleConeT(p)),
        (-flat.T / radii[1], identity - target / radii[1], clarabel.PSDTriangleConeT(p)),
    ]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((count, count)),
        -gains,
        sparse.csc_matrix(np.vstack([matrix for matrix, _, _ in blocks])),
        np.concatenate([right for _, right, _ in blocks]),
        [cone for _, _, cone in blocks],
        settings,
    )
    found = np.array(solver.solve().x)
    if not np.isfinite(found).all():
        return centre
    found = np.maximum(found, 0)
    found /= found.sum()
    moved = arena.moments(found - centre)
    outside = max(np.linalg.norm(moved[0]) / radii[0], np.linalg.norm(moved[1], 2) / radii[1], 1.0)
    kept: Floats = centre + (found - centre) / outside
    return kept


def worst_model(found: Certified) -> Floats:
    """The model at which the quadratic function behind the bound is largest."""
    _, linear, curvature = quadratic(found)
    return np.asarray(np.linalg.solve(curvature, linear), dtype=np.float64)


def quadratic(found: Certified) -> tuple[float, Floats, Floats]:
    """constant + 2 linear.v - v' curvature v, with the excess of the loss, read off values at points."""
    p = found.problem.known.dimension
    unit = np.eye(p)
    constant = dual_value(found, np.zeros(p))
    up, down = (np.array([dual_value(found, sign * e) for e in unit]) for sign in (1, -1))
    both = np.array([[dual_value(found, a + b) for a in unit] for b in unit])
    curvature = -(both - up[:, None] - up[None, :] + constant) / 2
    return constant, (up - down) / 4, curvature


def dual_value(found: Certified, v: Floats) -> float:
    """What is maximised over v: mean of the polynomial, noise by the quadratic forms, penalty, multipliers, excess."""
    problem, shape, multipliers = found.problem, found.shape, found.multipliers
    a, b = label_vector(found, v), _basis(found, v)
    scale, model = float(multipliers.label_scale), _floats(problem.model)
    total = float(shape.constant) + a @ _floats(problem.known.first) + float(found.excess.upper)
    total += float(problem.known.first_radius) / 2 * (a @ a / scale + scale)
    for (matrix, radius), form, absolute in zip(problem.forms(), shape.forms(), multipliers.absolute, strict=True):
        total += float(np.trace(_floats(matrix) @ b.T @ _floats(form) @ b))
        total += float(radius) * float(np.trace(b.T @ _floats(absolute) @ b))
    compared = problem.compared
    penalised = _part(compared.ridge_part, len(v))
    total += float(compared.ridge) / 2 * float(penalised @ (model**2 - v**2))
    for ball, mu in zip(compared.balls, multipliers.balls, strict=True):
        away = _part(ball.part, len(v)) * (v - _floats(problem.centre(ball)))
        total += float(mu) * (float(ball.squared_radius) - away @ away)
    return float(total)


def label_vector(found: Certified, v: Floats) -> Floats:
    """What the polynomial multiplies the first moments with."""
    combined: Floats = _floats(found.shape.label) @ _basis(found, v)
    return combined


def second_form(found: Certified, v: Floats) -> Floats:
    """What the polynomial multiplies the second moments with."""
    b = _basis(found, v)
    form: Floats = b.T @ _floats(found.shape.second) @ b
    return form


def _basis(found: Certified, v: Floats) -> Floats:
    """The vectors of the scores (1, S, V[, U]), a row each."""
    fixed = dict(zip([ONE, SCORE, DIRECTION], found.problem.basis(), strict=False))
    rows = {place: _floats(vector) for place, vector in fixed.items()} | {OTHER: v}
    return np.stack([rows[place] for place in sorted(rows)])


def _part(part: str, size: int) -> Floats:
    """1 at the coordinates that belong to the part."""
    last = np.arange(size) == size - 1
    chosen = {"all": np.ones(size, dtype=bool), "slopes": ~last, "intercept": last}[part]
    return chosen.astype(float)


def _model(
    arena: Arena, weights: Floats, loss: str, tau: Fraction, generator: np.random.Generator
) -> tuple[Fraction, ...]:
    """Trained on the table, or with a smaller norm, or any of the class."""
    kind = generator.integers(4)
    if kind == 3:
        return _within(generator.normal(size=arena.feature_map.size), tau, arena.feature_map.squared_norm)
    return arena.best(weights, loss, tau / 2 if kind == 2 else tau)


def _within(values: Floats, tau: Fraction, squared_norm: int) -> tuple[Fraction, ...]:
    """Moved into the class, and rounded toward zero."""
    size = float(np.linalg.norm(values)) * squared_norm**0.5
    scaled = values * min(1.0, float(tau) * (1 - 1e-9) / max(size, 1e-300))
    return tuple(Fraction(int(x * _DENOMINATOR), _DENOMINATOR) for x in scaled.tolist())


def _losses(arena: Arena, model: tuple[Fraction, ...], loss: str) -> Floats:
    from lp.moments.losses import find_training_loss

    return find_training_loss(loss).value(arena.labels * (arena.features @ _floats(model)))


def _floats(values: Any) -> Floats:
    found: Floats = np.array(values, dtype=float)
    return found


def _exact(value: float) -> Fraction:
    return Fraction(float(value))
