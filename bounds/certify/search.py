"""The search for the best polynomial: solve for some points, find where it fails to dominate, add those, repeat.

Everything here is an estimate in floating point; `certified` in `excess` rounds what is found and proves a bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.certify.envelope import Scores
from bounds.certify.loss_balls import LossOnBalls
from bounds.certify.problem import Matrix, Problem
from bounds.certify.programme import Programme
from bounds.certify.shape import Shape
from bounds.certify.value import Multipliers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MOST_ROUNDS = 14
_CLOSE = 1e-3
"""A violation below this part of the bound is not worth a round."""
_COARSE = {2: (15, 15), 3: (9, 11, 5)}
_FINE = {2: (121, 121), 3: (31, 41, 17)}
_ZOOMS = 3
_MOST_ADDED = 400
_WORTH_ADDING = -1e-7
_UNIT = 2**44


@dataclass(frozen=True)
class Found:
    """A polynomial with its multipliers, rounded; the bound is an estimate until it is certified."""

    shape: Shape
    multipliers: Multipliers
    bound_est: float
    rounds: int


def search(
    problem: Problem,
    loss: LossOnBalls,
    scores: Scores,
    *,
    touched: list[tuple[float, Floats]] | None = None,
    close: float = _CLOSE,
) -> Found:
    """The best polynomial and multipliers that the rounds come to.

    `touched` collects labels with points at which it had to dominate: they save rounds in another search of that box.
    """
    programme = Programme(problem)
    axes = scores.axes()
    labels = (1.0, -1.0)
    touched = [] if touched is None else touched
    if not touched:
        touched += [(y, _grid(axes, _COARSE[len(axes)], loss, y)) for y in labels]
    features = [programme.features(np.full(len(points), y), points) for y, points in touched]
    least = [_difference(loss, y, points) for y, points in touched]
    looks = [(y, _grid(axes, _FINE[len(axes)], loss, y)) for y in labels]
    between = sum(((high - low) / count) ** 2 for (low, high), count in zip(axes, _FINE[len(axes)], strict=True)) / 16
    """How far a violation between points of the fine grid may exceed those at the points, roughly."""
    known = [
        (y, points, programme.features(np.full(len(points), y), points), _difference(loss, y, points))
        for y, points in looks
    ]
    best: tuple[float, Floats] | None = None
    rounds = 0
    while rounds < _MOST_ROUNDS:
        rounds += 1
        unknowns, value = programme.solve(np.concatenate(features), np.concatenate(least))
        coefficients = unknowns[: programme.layout.shape_size]
        worst = 0.0
        for y, points, at_points, wanted in known:
            violation = wanted - at_points @ coefficients
            worst = max(worst, float(violation.max()))
            chosen = points[_peaks(violation, _FINE[len(axes)], between)]
            chosen, highest = _zoomed(programme, loss, y, chosen, axes, coefficients)
            worst = max(worst, highest)
            features.append(programme.features(np.full(len(chosen), y), chosen))
            least.append(_difference(loss, y, chosen))
            touched.append((y, chosen))
        if best is None or value + worst < best[0]:
            best = value + worst, unknowns
        if best[0] - value <= close * abs(best[0]):
            break
    assert best is not None
    return Found(*_rounded(programme, best[1]), best[0], rounds)


def multipliers_for(problem: Problem, shape: Shape) -> Found:
    """The best multipliers for a given polynomial."""
    programme = Programme(problem)
    layout = programme.layout
    fixed = np.array(
        [float(x) for x in (shape.constant, *shape.label)]
        + [float(form[i][j]) for form in shape.forms() for i, j in layout.pairs]
    )
    unknowns, value = programme.solve(np.zeros((0, layout.shape_size)), np.zeros(0), fixed)
    unknowns[: layout.shape_size] = fixed
    return Found(shape, _rounded(programme, unknowns)[1], value, 0)


def _grid(axes: list[tuple[float, float]], counts: tuple[int, ...], loss: LossOnBalls, y: float) -> Floats:
    """Points of the box, denser at its ends, where polynomials touch."""
    lines = []
    for (low, high), count in zip(axes, counts, strict=True):
        even = np.linspace(-1, 1, count)
        bent = np.sin(even * np.pi / 2)
        lines.append(low + (high - low) * ((even + bent) / 2 + 1) / 2)
    return np.stack([axis.ravel() for axis in np.meshgrid(*lines, indexing="ij")], axis=1)


def _difference(loss: LossOnBalls, y: float, points: Floats) -> Floats:
    found: Floats = loss.values_est(y * points[:, 0]) - loss.values_est(y * points[:, 1])
    return found


def _peaks(violation: Floats, shape: tuple[int, ...], between: float) -> NDArray[np.intp]:
    """The places of a grid where the violation is positive, or nearly, and no neighbour has a larger one."""
    values = violation.reshape(shape)
    peak = np.ones(shape, dtype=bool)
    for axis in range(len(shape)):
        ends = [(0, 0)] * len(shape)
        ends[axis] = (1, 1)
        padded = np.pad(values, ends, constant_values=-np.inf)
        length = shape[axis]
        for shift in (0, 2):
            peak &= values >= padded.take(range(shift, shift + length), axis=axis)
    chosen = np.flatnonzero(peak.ravel() & (violation > -between))
    return chosen[np.argsort(-violation[chosen])[:_MOST_ADDED]]


def _zoomed(
    programme: Programme,
    loss: LossOnBalls,
    y: float,
    points: Floats,
    axes: list[tuple[float, float]],
    coefficients: Floats,
) -> tuple[Floats, float]:
    """Every point moved to the largest violation around it, on finer and finer grids, and that violation."""
    counts = _FINE[len(axes)]
    low, high = (np.array(ends) for ends in zip(*axes, strict=True))
    step = (high - low) / (np.array(counts) - 1) * (np.pi / 4 + 0.5)
    highest = 0.0
    for _ in range(_ZOOMS):
        if not len(points):
            break
        offsets = np.stack(
            [a.ravel() for a in np.meshgrid(*[np.linspace(-1, 1, 5)] * len(axes), indexing="ij")], axis=1
        )
        around = np.clip(points[:, None, :] + offsets[None] * step, low, high)
        flat = around.reshape(-1, len(axes))
        violation = _difference(loss, y, flat) - programme.features(np.full(len(flat), y), flat) @ coefficients
        violation = violation.reshape(len(points), -1)
        at = violation.argmax(axis=1)
        points = around[np.arange(len(points)), at]
        found = violation[np.arange(len(points)), at]
        step = step / 4
    if len(points):
        points = points[found > _WORTH_ADDING]
        highest = float(found.max())
    return points, highest


def _rounded(programme: Programme, unknowns: Floats) -> tuple[Shape, Multipliers]:
    """Binary fractions near the unknowns; forms that must dominate get a little more."""
    layout = programme.layout
    if programme.problem.linear_in_other:
        unknowns = unknowns.copy()
        unknowns[programme.square_of_other] = 0.0

    def matrix(start: int) -> Matrix:
        rows = [[Fraction(0)] * layout.size for _ in range(layout.size)]
        for place, (i, j) in enumerate(layout.pairs):
            rows[i][j] = rows[j][i] = _near(unknowns[start + place])
        return tuple(tuple(row) for row in rows)

    forms = [matrix(layout.form(which)) for which in range(layout.forms)]
    shape = Shape(
        _near(unknowns[0]),
        tuple(_near(x) for x in unknowns[layout.label : layout.label + layout.size]),
        forms[0],
        forms[1] if len(forms) > 1 else None,
    )
    absolute = tuple(_raised(matrix(layout.absolute(w)), forms[w]) for w in range(layout.forms))
    root = programme.root
    scale = max(_near(unknowns[layout.label_scale] / root), Fraction(1, _UNIT))
    balls = tuple(max(_near(x * root**2), Fraction(0)) for x in unknowns[layout.ball : layout.peak])
    return shape, Multipliers(absolute, scale, balls)


def _raised(absolute: Matrix, form: Matrix) -> Matrix:
    """A form above both signs of another: the found one plus what its rounding may have cost, on the diagonal."""
    values = np.array([[float(x) for x in row] for row in absolute])
    other = np.array([[float(x) for x in row] for row in form])
    lowest = min(float(np.linalg.eigvalsh(values + sign * other)[0]) for sign in (1, -1))
    extra = _near(max(-lowest, 0.0) * 2 + 1e-12 * (1 + float(np.abs(values).max())))
    return tuple(tuple(x + extra if i == j else x for j, x in enumerate(row)) for i, row in enumerate(absolute))


def _near(value: float) -> Fraction:
    return Fraction(round(Fraction(float(value)) * _UNIT), _UNIT)
