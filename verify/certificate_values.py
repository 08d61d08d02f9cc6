"""What a certificate maximises, evaluated in floating point in another way: by values at single models.

Nothing of bounds.certify.value is used. The function of v is quadratic, so its coefficients are read off its values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.certify.excess import Certified
from bounds.certify.shape import DIRECTION, ONE, OTHER, SCORE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


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
    """The maximised function of v: mean of the polynomial, noise by quadratic forms, penalty, multipliers, excess."""
    problem, shape, multipliers = found.problem, found.shape, found.multipliers
    a, b = label_vector(found, v), basis_of(found, v)
    scale, model = float(multipliers.label_scale), floats(problem.model)
    total = float(shape.constant) + a @ floats(problem.known.first) + float(found.excess.upper)
    total += float(problem.known.first_radius) / 2 * (a @ a / scale + scale)
    for (matrix, radius), form, absolute in zip(problem.forms(), shape.forms(), multipliers.absolute, strict=True):
        total += float(np.trace(floats(matrix) @ b.T @ floats(form) @ b))
        total += float(radius) * float(np.trace(b.T @ floats(absolute) @ b))
    compared = problem.compared
    penalised = part_of(compared.ridge_part, len(v))
    total += float(compared.ridge) / 2 * float(penalised @ (model**2 - v**2))
    for ball, mu in zip(compared.balls, multipliers.balls, strict=True):
        away = part_of(ball.part, len(v)) * (v - floats(problem.centre(ball)))
        total += float(mu) * (float(ball.squared_radius) - away @ away)
    if compared.half is not None:
        room = compared.half.sign * (float(compared.half.threshold) - float(v[compared.half.feature]))
        total += float(multipliers.half) * room
    return float(total)


def label_vector(found: Certified, v: Floats) -> Floats:
    """The polynomial's multipliers of the first moments."""
    combined: Floats = floats(found.shape.label) @ basis_of(found, v)
    return combined


def second_form(found: Certified, v: Floats) -> Floats:
    """The polynomial's multipliers of the second moments."""
    b = basis_of(found, v)
    form: Floats = b.T @ floats(found.shape.second) @ b
    return form


def basis_of(found: Certified, v: Floats) -> Floats:
    """The vectors of the scores (1, S, V[, U]), one per row."""
    fixed = dict(zip([ONE, SCORE, DIRECTION], found.problem.basis(), strict=False))
    rows = {place: floats(vector) for place, vector in fixed.items()} | {OTHER: v}
    return np.stack([rows[place] for place in sorted(rows)])


def part_of(part: str, size: int) -> Floats:
    """1 at the coordinates that belong to the part."""
    last = np.arange(size) == size - 1
    chosen = {"all": np.ones(size, dtype=bool), "slopes": ~last, "intercept": last}[part]
    found: Floats = chosen.astype(float)
    return found


def floats(values: Any) -> Floats:
    found: Floats = np.array(values, dtype=float)
    return found
