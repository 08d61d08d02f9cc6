"""Attacks on certificates of models: tables, noise and models chosen to break one, within what its event allows.

A certificate says that on every table whose moments are within the radii, no model of the class is better by more than
the bound. So an adversary may choose the table, as weights on all records of a small domain, by a convex programme that
maximises the gain of one model over the other; the model, by training on that table; and the noise, on the boundary of
the event, where it lowers the bound most. Floating point: an attack succeeds or it does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from bounds.certify.excess import Certified, certified
from bounds.certify.loss_balls import LossOnBalls
from bounds.certify.problem import KnownMoments, Problem, norm_class
from bounds.errors import NotApplicable
from mechanisms.models.splits import splits
from mechanisms.models.train.newton import mean_loss, train
from release.data.columns import LevelColumn
from release.data.schema import PUBLIC, Schema
from release.statistics.features import FeatureMap, build_feature_map
from verify.certificate_runs import stream
from verify.certificate_values import floats, label_vector, second_form, worst_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LOSSES = ("logistic", "logistic", "squared", "logistic", "hinge")
TAUS = (Fraction(1), Fraction(2), Fraction(5), Fraction(10))
ROUNDS = 5
"""Rounds of choosing the table for a model and the model for the table."""
_MOST_RECORDS = 120
_WORTH_NOISE = 0.01
"""Noise cannot break a bound that is this far above the gain without noise."""
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

    def best(
        self, weights: Floats, loss: str, tau: Fraction, otherwise: tuple[Fraction, ...] | None = None
    ) -> tuple[Fraction, ...]:
        """A model trained on these weights; the other model, or zero, if training does not converge."""
        kept, squared_norm = weights > 0, self.feature_map.squared_norm
        try:
            return train(
                self.features[kept],
                self.labels[kept],
                weights[kept],
                squared_norm=squared_norm,
                loss=loss,
                tau=tau,
            ).coefficients
        except NotApplicable:
            return (Fraction(0),) * self.feature_map.size if otherwise is None else otherwise


@dataclass(frozen=True, kw_only=True)
class Attack:
    """The largest share of the bound that an adversary reached, and by which means."""

    loss: str
    tau: Fraction
    features: int
    groups: int
    bound: float
    by_table: float
    """Gain over bound, for the table chosen after the noise."""
    by_noise: float
    """Gain over bound, for the noise chosen after the table."""

    @property
    def ratio(self) -> float:
        return max(self.by_table, self.by_noise)


def attack(number: int, *, by_groups: bool = False) -> Attack:
    """Trial number i: its own domain, table, radii, model, class and loss.

    With groups the polynomial has a part for each value of a column, if some column has few.
    """
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
    if by_groups:
        for split in splits(arena.feature_map, model)[:1]:
            problem = replace(problem, direction=split.direction, groups=split.groups)
    found = certified(problem)
    return Attack(
        loss=loss,
        tau=tau,
        features=arena.feature_map.size,
        groups=len(problem.groups),
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
            model = arena.best(chosen, problem.loss, tau, otherwise=model)
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
    plain = gain / float(found.value)
    if plain < _WORTH_NOISE:
        return plain
    worst = worst_model(found)
    direction, (values, vectors) = label_vector(found, worst), np.linalg.eigh(second_form(found, worst))
    inside = radii * (1 - 1e-9)  # so that rounding stays within the event
    noisy = known_around(
        arena,
        first - inside[0] * direction / max(float(np.linalg.norm(direction)), 1e-300),
        second - inside[1] * (vectors * np.sign(values)) @ vectors.T,
        radii,
    )
    return max(plain, gain / float(certified(replace(problem, known=noisy)).value))


def worst_table(
    arena: Arena, problem: Problem, other: tuple[Fraction, ...], centre: Floats, *, mass: float = 1.0
) -> Floats:
    """Weights on all records, within the event around the moments of `centre`, that favour the other model most.

    With a mass the moments of the problem are those of the weights times it.
    """
    import clarabel
    from scipy import sparse

    gains = _losses(arena, problem.model, problem.loss) - _losses(arena, other, problem.loss)
    p, count = problem.known.dimension, len(gains)
    statistics = _statistics(arena, problem, mass)
    column, row = np.tril_indices(p)
    flat_scale, identity = np.where(row == column, 1.0, 2.0**0.5), np.eye(p)[row, column]
    # radii are divided out: all cones are of the size of 1
    blocks = [
        (np.ones((1, count)), np.ones(1), clarabel.ZeroConeT(1)),
        (-np.eye(count), np.zeros(count), clarabel.NonnegativeConeT(count)),
    ]
    for values in statistics:
        if values.ndim == 2:
            target = np.concatenate([[1.0], -(centre @ values)])
            blocks.append((np.vstack([np.zeros(count), -values.T]), target, clarabel.SecondOrderConeT(p + 1)))
            continue
        flat = values[:, row, column] * flat_scale
        for sign in (1.0, -1.0):
            blocks.append((sign * flat.T, identity + sign * (centre @ flat), clarabel.PSDTriangleConeT(p)))
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
    found = np.maximum(np.array(solver.solve().x), 0)
    if not np.isfinite(found).all() or not found.any():
        return centre
    found /= found.sum()
    moved = found - centre
    outside = max(1.0, *(float(np.linalg.norm(np.tensordot(moved, values, 1), 2)) for values in statistics))
    kept: Floats = centre + moved / outside
    return kept


def _statistics(arena: Arena, problem: Problem, mass: float) -> list[Floats]:
    """The quantities of the event, for every record and in units of its radius: y f, f f' and (w.f)^2 f f'."""
    known, squares = problem.known, np.einsum("ki,kj->kij", arena.features, arena.features)
    found = [arena.first * mass / float(known.first_radius), squares * mass / float(known.second_radius)]
    if known.weighted is not None:
        scores = (arena.features @ floats(problem.model)) ** 2
        found.append(squares * scores[:, None, None] * mass / float(known.weighted_radius))
    return found


def _model(
    arena: Arena, weights: Floats, loss: str, tau: Fraction, generator: np.random.Generator
) -> tuple[Fraction, ...]:
    """A model trained on the table, or with a smaller norm, or any model of the class."""
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
    margins = arena.labels * (arena.features @ floats(model))
    return floats(LossOnBalls(loss, _exact(np.abs(margins).max() + 1)).values_est(margins))


def _exact(value: float) -> Fraction:
    return Fraction(float(value))
