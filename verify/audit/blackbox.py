"""The third layer: samples only.

The first half of the samples is searched for events: thresholds, unions of classes and atoms of coordinates, of the
projection on the difference of the means, of differences of neighbouring coordinates, and of low bits. The best few are
tested on the second half, at a confidence that accounts for testing several. A violation that it does not find may
still exist.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from verify.audit.mechanism import Mechanism, stream
from verify.audit.statistics import ALPHA, CHOOSING, SampledLoss, epsilon_lower, require_samples, tested

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from verify.audit.mechanism import Outputs

TESTS = 5
_CLASSES, _ATOMS, _COORDINATES = 32, 8, 32
_LOW_BITS = 2.0**20


@dataclass(frozen=True)
class _Feature:
    name: str
    values: Callable[[Outputs], Outputs]


@dataclass(frozen=True)
class _Event:
    """Classes `chosen` of a feature's values, cut at `edges`, or the atom `atom`; frequent on side `side`."""

    feature: _Feature
    side: int
    score: float
    text: str
    edges: Outputs | None = None
    chosen: NDArray[np.bool_] | None = None
    atom: float | None = None

    def count(self, outputs: Outputs) -> int:
        values = self.feature.values(outputs)
        if self.edges is None or self.chosen is None:
            return int(np.count_nonzero(values == self.atom))
        return int(np.count_nonzero(self.chosen[np.searchsorted(self.edges, values, side="right")]))


def blackbox_audit(
    mechanism: Mechanism, *, samples: int, seed: int, audit: int = 0, alpha: Fraction = ALPHA
) -> SampledLoss:
    """A lower bound on epsilon at the claimed delta, with confidence 1 - alpha."""
    half = require_samples(samples)
    sides = [mechanism.sample(side, 2 * half, stream(seed, audit, side)) for side in (0, 1)]
    seen = sides[0][:half], sides[1][:half]
    delta, each = float(mechanism.delta), float(alpha) / TESTS / CHOOSING
    events = [e for feature in _features(*seen) for e in _events(feature, *seen, delta=delta, alpha=each)]
    events.sort(key=lambda event: -event.score)
    results = []
    for event in events[:TESTS]:
        often, rarely = (event.count(side[half:]) for side in (sides[event.side], sides[1 - event.side]))
        results.append(tested(event.text, often, rarely, half, delta=mechanism.delta, alpha=alpha, tests=TESTS))
    return max(results, key=lambda result: result.epsilon_lower_est)


def _coordinate(j: int, x: Outputs) -> Outputs:
    return x[:, j]


def _low_bits(j: int, x: Outputs) -> Outputs:
    """The part of a number beyond 20 binary places."""
    return np.asarray(np.round(np.mod(x[:, j] * _LOW_BITS, 1.0), 6), dtype=np.float64)


def _step(j: int, x: Outputs) -> Outputs:
    """Rounded, so that cancelling noise leaves a single number."""
    return np.round(x[:, j] - x[:, j - 1], 9)


def _features(first: Outputs, second: Outputs) -> list[_Feature]:
    width = min(first.shape[1], _COORDINATES)
    found = [_Feature(f"coordinate {j + 1}", partial(_coordinate, j)) for j in range(width)]
    found += [_Feature(f"low bits of coordinate {j + 1}", partial(_low_bits, j)) for j in range(width)]
    found += [_Feature(f"coordinate {j + 1} minus coordinate {j}", partial(_step, j)) for j in range(1, width)]
    if first.shape[1] > 1:
        spread = np.maximum(first.var(axis=0) + second.var(axis=0), 1e-12)
        difference = first.mean(axis=0) - second.mean(axis=0)
        found.append(_Feature("projection on the difference of means", lambda x: x @ (difference / spread)))
        sign = np.sign(difference)
        found.append(_Feature("least coordinate, with signs", lambda x: (x * sign).min(axis=1)))
        found.append(_Feature("sum", lambda x: np.round(x.sum(axis=1), 9)))
    return found


def _events(feature: _Feature, first: Outputs, second: Outputs, *, delta: float, alpha: float) -> list[_Event]:
    """The best event of each kind, for either side."""
    values = feature.values(first), feature.values(second)
    half = len(values[0])
    pooled = np.concatenate(values)
    tails = np.array([0.001, 0.003, 0.01])
    levels = np.concatenate([tails, np.arange(1, _CLASSES) / _CLASSES, 1 - tails[::-1]])
    edges = np.unique(np.quantile(pooled, levels, method="lower"))
    counts = [np.bincount(np.searchsorted(edges, v, side="right"), minlength=len(edges) + 1) for v in values]
    atoms, sizes = np.unique(pooled, return_counts=True)
    frequent = atoms[sizes > max(4, half // 1000)]
    if len(frequent) > _ATOMS:
        frequent = atoms[np.argsort(-sizes, kind="stable")[:_ATOMS]]
    found = []
    for side in (0, 1):
        ours, theirs = counts[side], counts[1 - side]
        by_ratio = np.argsort(-(ours + 0.5) / (theirs + 0.5), kind="stable")
        upward, downward = np.arange(len(ours)), np.arange(len(ours))[::-1]
        for order, kind in ((upward, "below"), (downward, "above"), (by_ratio, "in classes")):
            scores = epsilon_lower(np.cumsum(ours[order]), np.cumsum(theirs[order]), half, delta=delta, alpha=alpha)
            at = int(np.argmax(scores))
            chosen = np.zeros(len(ours), dtype=np.bool_)
            chosen[order[: at + 1]] = True
            text = _described(feature.name, kind, edges, at, len(ours))
            found.append(_Event(feature, side, float(scores[at]), text, edges=edges, chosen=chosen))
        if len(frequent):
            hits = [np.array([np.count_nonzero(v == a) for a in frequent]) for v in values]
            scores = epsilon_lower(hits[side], hits[1 - side], half, delta=delta, alpha=alpha)
            at = int(np.argmax(scores))
            text = f"{feature.name} is exactly {frequent[at]:.10g}"
            found.append(_Event(feature, side, float(scores[at]), text, atom=float(frequent[at])))
    return found


def _described(name: str, kind: str, edges: Outputs, at: int, classes: int) -> str:
    if at == classes - 1:
        return f"{name} is anything"
    if kind == "below":
        return f"{name} is below {edges[at]:.6g}"
    if kind == "above":
        return f"{name} is at least {edges[classes - 2 - at]:.6g}"
    return f"{name} is in {at + 1} of {classes} classes"
