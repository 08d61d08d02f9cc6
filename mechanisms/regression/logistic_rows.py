"""Distinct records of a logistic model, and an approximate minimum of its perturbed objective by Newton in floats.

The objective is the sum of log(1 + exp(-theta.z)) over records z = y f, plus strength/2 |theta|^2 + b.theta. Nothing
relies on the result: mechanisms.regression.certified_minimum proves how near it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from release.data.source import as_source
from release.one_thread import one_thread
from release.statistics.blocks import NONE
from release.statistics.distinct import distinct_records
from release.statistics.features import FeatureMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.data.source import Records

    Floats = NDArray[np.float64]

BLOCK = 2**14
"""Number of rows processed at a time."""
_MOST_STEPS = 200
_MOST_HALVINGS = 60
_KEEP_HESSIAN = 1 / 20
"""If a step shrinks the gradient by more than this, the Hessian is still good enough to keep."""


@dataclass(frozen=True)
class LogisticRows:
    """Each distinct record once, with its multiplicity; make it with `logistic_rows`."""

    feature_map: FeatureMap
    codes: Codes
    counts: NDArray[np.int64]

    @cached_property
    def blocks(self) -> tuple[NDArray[np.float32], ...]:
        """z for every row, some rows at a time; features of at most 20 bits are exact in single precision."""
        found = []
        for start in range(0, len(self.codes), BLOCK):
            part = self.codes[start : start + BLOCK]
            z = self.feature_map.features(part) * self.feature_map.labels(part)[:, None]
            found.append((z / self.feature_map.one).astype(np.float32))
        return tuple(found)

    def counts_of(self, block: int) -> NDArray[np.int64]:
        return self.counts[block * BLOCK : (block + 1) * BLOCK]


def logistic_rows(records: Records, feature_map: FeatureMap) -> LogisticRows:
    """All records, in one pass."""
    source = as_source(records, feature_map.schema.domain)
    empty = np.zeros((0, len(feature_map.schema.names)), dtype=np.uint8)
    codes = np.concatenate([empty, *source.batches()])
    used = [place for place, how in zip(feature_map.places, feature_map.encodings, strict=True) if how != NONE]
    used.append(feature_map.schema.names.index(feature_map.label))
    found, counts = distinct_records(codes, feature_map.schema.domain.sizes, used)
    return LogisticRows(feature_map, found, counts)


@dataclass(frozen=True, kw_only=True)
class Objective:
    """The perturbed objective in floats."""

    rows: LogisticRows
    strength: float
    linear: Floats

    def at(self, theta: Floats) -> _Point:
        """Value, gradient and the ingredients of the Hessian."""
        value = float(self.strength / 2 * theta @ theta + self.linear @ theta)
        gradient, weights = self.strength * theta + self.linear, []
        for place, block in enumerate(self.rows.blocks):
            z, counts = block.astype(np.float64), self.rows.counts_of(place)
            margins = z @ theta
            small = np.exp(-np.abs(margins))
            slopes = np.where(margins > 0, small, 1.0) / (1 + small)
            value += float(counts @ (np.maximum(-margins, 0.0) + np.log1p(small)))
            gradient -= (counts * slopes) @ z
            weights.append(counts * slopes * (1 - slopes))
        return _Point(theta, value, gradient, tuple(weights))

    def hessian(self, point: _Point) -> Floats:
        found = self.strength * np.eye(len(self.linear))
        for block, weights in zip(self.rows.blocks, point.weights, strict=True):
            # In doubles, because columns can be collinear: single precision would lose the strength entirely.
            rooted = block * np.sqrt(weights)[:, None]
            found += rooted.T @ rooted
        return found


@dataclass(frozen=True)
class _Point:
    theta: Floats
    value: float
    gradient: Floats
    weights: tuple[Floats, ...]

    @property
    def slope(self) -> float:
        return float(np.linalg.norm(self.gradient))


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """An approximate minimiser of the objective, and the number of steps."""

    theta: Floats
    steps: int


def search(objective: Objective, *, near: float) -> Candidate:
    """Newton's method with halved steps, until the gradient is so small that theta is about as near as asked.

    It also ends when the gradient is as small as its rounding errors, or when floats cannot solve the Hessian.
    """
    with one_thread():
        return _search(objective, near)


def _search(objective: Objective, near: float) -> Candidate:
    records, reach = float(objective.rows.counts.sum()), objective.rows.feature_map.squared_norm**0.5
    stop = near * objective.strength
    rounding = 2.0**-46 * (records * reach + float(np.linalg.norm(objective.linear)))
    here = objective.at(np.zeros(len(objective.linear)))
    hessian, steps = objective.hessian(here), 0
    while here.slope > stop and steps < _MOST_STEPS:
        try:
            move = -np.asarray(np.linalg.solve(hessian, here.gradient), dtype=np.float64)
        except np.linalg.LinAlgError:
            break
        there = _shorter(objective, here, move)
        if there is None or (here.slope <= rounding and there.slope > here.slope / 2):
            break
        if there.slope > _KEEP_HESSIAN * here.slope:
            hessian = objective.hessian(there)
        here, steps = there, steps + 1
    return Candidate(theta=here.theta, steps=steps)


def _shorter(objective: Objective, here: _Point, move: Floats) -> _Point | None:
    """The first of the step, its half, its quarter, ... that lowers the objective enough."""
    fall, rounding = float(here.gradient @ move), 2.0**-44 * abs(here.value)
    for halvings in range(_MOST_HALVINGS):
        share = 2.0**-halvings
        there = objective.at(here.theta + share * move)
        if there.value <= here.value + 1e-4 * share * fall + rounding:
            return there
    return None
