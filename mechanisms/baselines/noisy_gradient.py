"""Noisy gradient descent for logistic regression on all records, the baseline used instead of DP-SGD. For simulations.

Algorithm 6 of zhou2024 draws minibatches and states a noise level that is not always enough. Here every step sees all
records, so each is one Gaussian measurement and their composition is exact: the squares of mu add up in a ledger.
All computations on records use whole numbers: features over 2^bits, coefficients on a grid, slopes from a table,
gradients clipped in exact arithmetic. So the effect of one record is known exactly, and is the same on any machine.

All settings are public: they follow from the number of records, the budget and the features alone, and were fixed
before any table was run. The rate is the inverse of the largest curvature that the features allow. Momentum makes it
ten times as fast, and accumulates noise too: the number of steps is the largest at which the noise in a coefficient
adds up to no more than a half. The model is the mean of the later half of all steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import UsageError
from bounds.exact import Exact, root_at_least
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.sensitivity import Sensitivity, l2_sensitivity
from bounds.privacy.statements import GaussianDP
from release.measure import measure
from release.noise.kinds import Noise
from release.statistics.features import FeatureMap
from release.statistics.statistic import Counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.noise.randomness import Randomness

    Floats = NDArray[np.float64]

CLIP = 1
"""Bound on the norm of a record's gradient, with every feature between -1 and 1; as in the paper."""
MOMENTUM = Fraction(9, 10)
FEWEST_STEPS, MOST_STEPS = 20, 200
ADDED_UP = Fraction(1, 2)
"""Largest standard deviation that all the noise in a coefficient may have; it limits the number of steps."""
_GRID = 2**12
"""Denominator of coefficients and slopes."""
_LARGEST = 2**8
_REACH, _CELL = 16, 2**8
"""The table of slopes ends at these margins, and has this many cells per unit of margin."""


@dataclass(frozen=True, kw_only=True)
class DescentPlan:
    """What is decided before a record is seen; `size` is n, or under add-remove a public number near it."""

    features: FeatureMap
    adjacency: Adjacency
    size: int
    epsilon: Exact
    dp_delta: Exact

    def __post_init__(self) -> None:
        self.features.require_two_values("logistic loss")

    @cached_property
    def ledger(self) -> Ledger:
        """The budget in mu^2: Gaussian noise alone is drawn."""
        return Ledger.in_mu_squared(epsilon=self.epsilon, dp_delta=self.dp_delta, adjacency=self.adjacency)

    @property
    def rate(self) -> Fraction:
        """The second derivative of the loss is at most 1/4, and the squared norm of the features at most P."""
        return Fraction(4, self.features.squared_norm)

    @property
    def moved(self) -> int:
        """How much one record changes the sum of the clipped gradients."""
        return CLIP if self.adjacency is Adjacency.ADD_REMOVE else 2 * CLIP

    @cached_property
    def steps(self) -> int:
        noise = self.moved / (self.size * sqrt(self.ledger.total))  # of the whole budget on one mean gradient
        wanted = int(float(ADDED_UP * (1 - MOMENTUM) / self.rate) / noise)
        return min(max(wanted, FEWEST_STEPS), MOST_STEPS)

    @property
    def unit(self) -> int:
        """Denominator of sums of gradients."""
        return self.features.one * _GRID

    @property
    def sensitivity(self) -> Sensitivity:
        return l2_sensitivity(
            squared=(self.moved * self.unit) ** 2,
            adjacency=self.adjacency,
            n_is_public=self.adjacency is Adjacency.REPLACE_ONE,
            text="sums of clipped gradients",
        )

    @cached_property
    def noise(self) -> Noise:
        """Noise of one step: all steps share the budget equally."""
        share = self.ledger.total / self.steps
        return Noise(
            kind="rounded-gaussian",
            scales=root_at_least(self.sensitivity.squared / share),
            count=self.features.size,
            sensitivity=self.sensitivity,
            cost=GaussianDP(mu_squared=share, adjacency=self.adjacency),
            mode="simulate",
        )


@dataclass(frozen=True, kw_only=True)
class Descended:
    """The model on the features of the plan, intercept last, and the ledger, with nothing left in it."""

    coefficients: tuple[Fraction, ...]
    ledger: Ledger


def descend(records: Codes, plan: DescentPlan, randomness: Randomness) -> Descended:
    """The whole descent; refused outside simulations, since no one should publish a baseline."""
    if not randomness.is_simulated:
        raise UsageError("mode = release: noisy gradient descent is a baseline for simulations only")
    gradients, ledger, stream = ClippedGradients(records, plan.features), plan.ledger, _one_stream(randomness)
    place, speed = np.zeros(plan.features.size), np.zeros(plan.features.size)
    later, first = np.zeros(plan.features.size), plan.steps // 2
    for step in range(plan.steps):
        counted = Counted(n=len(records), values=gradients.at(place))
        noisy, ledger = measure(counted, plan.noise, ledger, what=f"gradient {step + 1}", randomness=stream)
        gradient = np.array(noisy.values, dtype=np.float64) / (plan.unit * plan.size)
        speed = float(MOMENTUM) * speed - float(plan.rate) * gradient
        place = np.clip(np.rint((place + speed) * _GRID) / _GRID, -_LARGEST, _LARGEST)
        if step >= first:
            later += place
    count = (plan.steps - first) * _GRID
    return Descended(coefficients=tuple(Fraction(round(c * _GRID), count) for c in later.tolist()), ledger=ledger)


class ClippedGradients:
    """Records with the sums of their clipped gradients: whole numbers, exactly, at any model on the grid."""

    def __init__(self, records: Codes, features: FeatureMap) -> None:
        signed = features.features(records) * features.labels(records)[:, None]
        squares = (signed**2).sum(axis=1)
        self.limits = _largest_slopes(squares, CLIP * features.one * _GRID)
        self._signed: Floats = signed.astype(np.float64)  # products and sums below stay under 2^53: exact
        margins = (np.arange(-_REACH * _CELL, _REACH * _CELL + 1) + 0.5) / _CELL
        self._slopes = np.rint(_GRID / (1 + np.exp(margins))).astype(np.int64)
        self._cell = features.one * _GRID // _CELL

    def slopes(self, place: Floats) -> NDArray[np.int64]:
        """|slope| of each record's loss over the grid, as large as clipping allows."""
        margins = (self._signed @ np.rint(place * _GRID)).astype(np.int64) // self._cell
        cells = np.clip(margins, -_REACH * _CELL, _REACH * _CELL) + _REACH * _CELL
        return np.minimum(self._slopes[cells], self.limits)

    def at(self, place: Floats) -> tuple[int, ...]:
        """The sum over all records of the gradient of the logistic loss, clipped."""
        return tuple(-int(value) for value in self.slopes(place) @ self._signed)


def _largest_slopes(squares: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """The largest whole s with s^2 times the squared norm at most length^2, for each record."""
    found = np.sqrt(float(length) ** 2 / squares).astype(np.int64) + 1
    for _ in range(2):  # the root of a rounded number is off by one at most
        found -= found**2 * squares > length**2
    return found


def _one_stream(randomness: Randomness) -> Randomness:
    """One stream for all steps: a seed alone would give each of them the same noise."""
    from release.noise.randomness import read_randomness
    from release.noise.simulated import stream_of

    return read_randomness("simulate", stream=stream_of(randomness))
