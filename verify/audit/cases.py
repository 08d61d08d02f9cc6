"""Mechanisms to audit, built from their noise: sampler, log-ratio and exact loss from one description."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.enclosure import Enclosure
from bounds.privacy.adjacency import Adjacency
from verify.audit.exact import Size, Vector, Weight, finite_loss, gaussian_loss, laplace_loss
from verify.audit.mechanism import Mechanism

if TYPE_CHECKING:
    from verify.audit.mechanism import Outputs

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE


def floats(vector: Vector) -> Outputs:
    return np.array([float(x.midpoint) if isinstance(x, Enclosure) else float(x) for x in vector])


def laplace_case(
    first: Vector,
    second: Vector,
    scales: Vector | Size,
    *,
    epsilon: Fraction | int = 1,
    delta: Fraction | int = 0,
    adjacency: Adjacency = ADD,
) -> Mechanism:
    """Independent Laplace noise; a scale of 0 leaves its coordinate unchanged."""
    sizes = list(scales) if isinstance(scales, Sequence) else [scales] * len(first)
    ends, scale = [floats(first), floats(second)], floats(sizes)
    claimed = Fraction(epsilon), Fraction(delta)

    def log_ratio(x: Outputs) -> Outputs:
        noisy = scale > 0
        terms = (np.abs(x - ends[1]) - np.abs(x - ends[0]))[:, noisy] / scale[noisy]
        return np.asarray(terms.sum(axis=1) + _of_constants(x[:, ~noisy], ends[0][~noisy], ends[1][~noisy]))

    return Mechanism(
        epsilon=claimed[0],
        delta=claimed[1],
        adjacency=adjacency,
        sample=lambda side, runs, g: ends[side] + g.laplace(size=(runs, len(scale))) * scale,
        log_ratio=log_ratio,
        exact=lambda: laplace_loss(first, second, sizes, epsilon=claimed[0], delta=claimed[1]),
    )


def gaussian_case(
    first: Vector,
    second: Vector,
    variances: Vector | Size,
    *,
    epsilon: Fraction | int = 1,
    delta: Fraction | int = Fraction(1, 10**5),
    adjacency: Adjacency = ADD,
) -> Mechanism:
    """Independent Gaussian noise of positive variances."""
    sizes = list(variances) if isinstance(variances, Sequence) else [variances] * len(first)
    ends, variance = [floats(first), floats(second)], floats(sizes)
    claimed = Fraction(epsilon), Fraction(delta)
    return Mechanism(
        epsilon=claimed[0],
        delta=claimed[1],
        adjacency=adjacency,
        sample=lambda side, runs, g: ends[side] + g.standard_normal((runs, len(variance))) * np.sqrt(variance),
        log_ratio=lambda x: np.asarray(
            (((x - ends[1]) ** 2 - (x - ends[0]) ** 2) / (2 * variance)).sum(axis=1), dtype=np.float64
        ),
        exact=lambda: gaussian_loss(first, second, sizes, epsilon=claimed[0], delta=claimed[1]),
    )


def finite_case(
    first: Sequence[Weight],
    second: Sequence[Weight],
    *,
    epsilon: Fraction | int = 1,
    delta: Fraction | int = 0,
    adjacency: Adjacency = ADD,
) -> Mechanism:
    """A choice from finitely many outcomes, which are numbered from 0."""
    claimed = Fraction(epsilon), Fraction(delta)
    sizes = [np.array([float(f) * np.exp(float(e)) for f, e in side]) for side in (first, second)]
    chances = [size / size.sum() for size in sizes]

    def log_ratio(x: Outputs) -> Outputs:
        with np.errstate(divide="ignore"):
            return np.asarray((np.log(chances[0]) - np.log(chances[1]))[x[:, 0].astype(np.int64)])

    return Mechanism(
        epsilon=claimed[0],
        delta=claimed[1],
        adjacency=adjacency,
        sample=lambda side, runs, g: g.choice(len(first), size=(runs, 1), p=chances[side]).astype(np.float64),
        log_ratio=log_ratio,
        exact=lambda: finite_loss(first, second, epsilon=claimed[0], delta=claimed[1]),
    )


def density_case(
    sample: Callable[[int, int, np.random.Generator], Outputs],
    log_density: Callable[[int, Outputs], Outputs] | None = None,
    *,
    epsilon: Fraction | int = 1,
    delta: Fraction | int = 0,
    adjacency: Adjacency = ADD,
) -> Mechanism:
    """A sampler, with the log-densities of both sides if they are known; no exact loss."""

    def log_ratio(x: Outputs) -> Outputs:
        assert log_density is not None
        one, other = log_density(0, x), log_density(1, x)
        impossible = np.isneginf(one) & np.isneginf(other)
        with np.errstate(invalid="ignore"):
            return np.where(impossible, 0.0, one - other)

    return Mechanism(
        epsilon=Fraction(epsilon),
        delta=Fraction(delta),
        adjacency=adjacency,
        sample=sample,
        log_ratio=None if log_density is None else log_ratio,
    )


def _of_constants(x: Outputs, first: Outputs, second: Outputs) -> Outputs:
    """What coordinates without noise reveal: everything, if they differ."""
    if x.shape[1] == 0 or np.array_equal(first, second):
        return np.zeros(len(x))
    return np.where((x == first).all(axis=1), np.inf, -np.inf)
