"""The search for the best polynomial: solve for some points, find where it fails to dominate, add those, repeat.

Everything here is an estimate in floating point; `certified` in `excess` rounds what is found and proves a bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bounds.certify.end_programme import EndProgramme
from bounds.certify.envelope import Interval, Scores
from bounds.certify.loss_balls import LossOnBalls
from bounds.certify.problem import Matrix, Problem
from bounds.certify.programme import Programme
from bounds.certify.shape import Shape
from bounds.certify.value import Multipliers
from bounds.errors import NotCertified

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
Touched: TypeAlias = "tuple[tuple[float, Floats], ...]"
"""Labels with points at which a polynomial had to dominate."""

_MOST_ROUNDS = 14
CLOSE = 1e-3
"""A violation below this part of the bound is not worth a round."""
_COUNTS: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {
    2: ((15, 15), (121, 121)),
    3: ((9, 11, 5), (31, 41, 17)),
}
"""Points along every axis of the coarse grid, where the polynomial must dominate at first, and of the fine one."""
_GROUP_COUNTS = (11, 11, 1), (81, 81, 1)
_ZOOMS = 3
_MOST_ADDED = 400
_WORTH_ADDING = -1e-7
_UNIT = 2**44
_LEAST_SCALE = 1e-6
"""Of the loss, relative to the multiplier of a half-space: below it only the class bounds the coefficient."""


@dataclass(frozen=True)
class Found:
    """A polynomial with its multipliers, rounded; the bound is an estimate until it is certified."""

    shape: Shape
    multipliers: Multipliers
    bound_est: float
    rounds: int
    touched: Touched = field(default=(), compare=False, repr=False)
    """Labels with the points at which it had to dominate."""


def search(
    problem: Problem,
    loss: LossOnBalls,
    scores: Scores,
    *,
    touched: list[tuple[float, Floats]] | None = None,
    close: float = CLOSE,
) -> Found:
    """The best polynomial and multipliers that the rounds find; for a half-space those of its farthest threshold.

    `touched` collects labels with points at which it had to dominate: they save rounds in another search of that box.
    """
    programme = _programme(problem)
    at_model = programme.at_model if isinstance(programme, EndProgramme) else 0.0
    faces = [_Face(programme, loss, y, *box) for box in scores.boxes() for y in (1.0, -1.0)]
    touched = [] if touched is None else touched
    if not touched:
        touched += [(face.y, face.grid(face.coarse)) for face in faces]
    features = [programme.features(np.full(len(points), y), points) for y, points in touched]
    least = [_difference(loss, y, points) for y, points in touched]
    best: tuple[float, Floats] | None = None
    rounds = 0
    while rounds < _MOST_ROUNDS:
        rounds += 1
        unknowns, value = programme.solve(np.concatenate(features), np.concatenate(least))
        scale = programme.loss_scale(unknowns)
        if scale < _LEAST_SCALE:
            raise NotCertified("the moments say no more about the coefficient than that the model is in the class")
        coefficients = unknowns[: programme.layout.shape_size] / scale
        worst = 0.0
        for face in faces:
            chosen, highest = face.violations(coefficients)
            worst = max(worst, highest)
            features.append(programme.features(np.full(len(chosen), face.y), chosen))
            least.append(_difference(loss, face.y, chosen))
            touched.append((face.y, chosen))
        if best is None or value + scale * worst < best[0]:
            best = value + scale * worst, unknowns
        if best[0] - value <= close * abs(best[0] - at_model):
            break
    assert best is not None
    bound_est = programme.bound_est(*best) if isinstance(programme, EndProgramme) else best[0]
    return Found(*_rounded(programme, best[1]), bound_est, rounds, tuple(touched))


def learned(where: tuple[tuple[int, tuple[float, ...]], ...]) -> list[tuple[float, Floats]]:
    """Labelled points as `search` takes them."""
    labelled = [(y, [point for label, point in where if label == y]) for y in (1, -1)]
    return [(float(y), np.array(points)) for y, points in labelled if points]


def _programme(problem: Problem) -> Programme:
    return Programme(problem) if problem.compared.half is None else EndProgramme(problem)


def multipliers_for(problem: Problem, shape: Shape) -> Found:
    """The best multipliers for a given polynomial."""
    programme = _programme(problem)
    layout = programme.layout
    fixed = np.array(
        [float(x) for x in (shape.constant, *shape.label)]
        + [float(form[i][j]) for form in shape.forms() for i, j in layout.pairs]
    )
    unknowns, value = programme.solve(np.zeros((0, layout.shape_size)), np.zeros(0), fixed)
    unknowns[: layout.shape_size] = fixed * programme.loss_scale(unknowns)
    bound_est = programme.bound_est(value, unknowns) if isinstance(programme, EndProgramme) else value
    return Found(shape, _rounded(programme, unknowns)[1], bound_est, 0)


class _Face:
    """One box for one label, with a fine grid on which violations are looked for; a group's last axis is a point."""

    def __init__(
        self, programme: Programme, loss: LossOnBalls, y: float, value: Fraction | None, axes: list[Interval]
    ) -> None:
        self.programme, self.loss, self.y = programme, loss, y
        self.axes = axes if value is None else [*axes, (float(value), float(value))]
        self.coarse, self.fine = _COUNTS[len(axes)] if value is None else _GROUP_COUNTS
        self.points = self.grid(self.fine)
        self.at_points = programme.features(np.full(len(self.points), y), self.points)
        self.wanted = _difference(loss, y, self.points)
        steps = [(high - low) / count for (low, high), count in zip(self.axes, self.fine, strict=True)]
        self.between = sum(step**2 for step in steps) / 16
        """How far a violation between points of the fine grid may exceed those at the points, roughly."""

    def grid(self, counts: tuple[int, ...]) -> Floats:
        """Points of the box, denser at its ends, where polynomials touch."""
        lines = []
        for (low, high), count in zip(self.axes, counts, strict=True):
            even = np.linspace(-1, 1, count)
            bent = np.sin(even * np.pi / 2)
            lines.append(low + (high - low) * ((even + bent) / 2 + 1) / 2)
        return np.stack([axis.ravel() for axis in np.meshgrid(*lines, indexing="ij")], axis=1)

    def violations(self, coefficients: Floats) -> tuple[Floats, float]:
        """Where the polynomial fails most, found on the grid and then between its points, and by how much."""
        violation = self.wanted - self.at_points @ coefficients
        chosen = self.points[_peaks(violation, self.fine, self.between)]
        chosen, highest = self._zoomed(chosen, coefficients)
        return chosen, max(highest, float(violation.max()))

    def _zoomed(self, points: Floats, coefficients: Floats) -> tuple[Floats, float]:
        """Every point moved to the largest violation around it, on finer and finer grids, and that violation."""
        if not len(points):
            return points, 0.0
        low, high = (np.array(ends) for ends in zip(*self.axes, strict=True))
        step = (high - low) / np.maximum(np.array(self.fine) - 1, 1) * (np.pi / 4 + 0.5)
        lines = [np.linspace(-1, 1, 5) if wide else np.zeros(1) for wide in high > low]
        offsets = np.stack([a.ravel() for a in np.meshgrid(*lines, indexing="ij")], axis=1)
        found = np.zeros(len(points))
        for _ in range(_ZOOMS):
            around = np.clip(points[:, None, :] + offsets[None] * step, low, high)
            flat = around.reshape(-1, len(low))
            at_flat = self.programme.features(np.full(len(flat), self.y), flat) @ coefficients
            violation = (_difference(self.loss, self.y, flat) - at_flat).reshape(len(points), -1)
            at = violation.argmax(axis=1)
            points = around[np.arange(len(points)), at]
            found = violation[np.arange(len(points)), at]
            step = step / 4
        return points[found > _WORTH_ADDING], float(found.max())


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


def _rounded(programme: Programme, unknowns: Floats) -> tuple[Shape, Multipliers]:
    """Binary fractions near the unknowns; forms that must dominate get a little more."""
    layout = programme.layout
    half = _near(programme.half_multiplier(unknowns)) if isinstance(programme, EndProgramme) else Fraction(0)
    unknowns = unknowns / programme.loss_scale(unknowns)
    if programme.problem.linear_in_other:
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
    return shape, Multipliers(absolute, scale, balls, half)


def _raised(absolute: Matrix, form: Matrix) -> Matrix:
    """A form above both signs of another: the found one plus what its rounding may have cost, on the diagonal."""
    values = np.array([[float(x) for x in row] for row in absolute])
    other = np.array([[float(x) for x in row] for row in form])
    lowest = min(float(np.linalg.eigvalsh(values + sign * other)[0]) for sign in (1, -1))
    extra = _near(max(-lowest, 0.0) * 2 + 1e-12 * (1 + float(np.abs(values).max())))
    return tuple(tuple(x + extra if i == j else x for j, x in enumerate(row)) for i, row in enumerate(absolute))


def _near(value: float) -> Fraction:
    return Fraction(round(Fraction(float(value)) * _UNIT), _UNIT)
