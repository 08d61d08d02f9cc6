"""Fast, repeated estimates of what a certificate would give: for planning, when moments are only guessed.

The box of scores does not change with the noise, so points at which the polynomial must dominate serve every further
guess of the radii: one convex programme is then enough. Many features are compressed to the few directions that matter.
Everything here is an estimate in floating point; nothing is proved.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.certify.envelope import Scores
from bounds.certify.excess import Certified
from bounds.certify.loss_balls import LossOnBalls
from bounds.certify.problem import Matrix, Problem, Vector
from bounds.certify.search import search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_CLOSE, _CLOSE_WEIGHTED = 1e-2, 2e-2
"""An estimate is off by about this part of it, the second with weighted moments."""
_MOST_DIRECTIONS = 11
_FLAT = 1e-3
_INDEPENDENT = 1e-9


class Estimator:
    """Estimates for problems that share the loss, the scores of the model and the reach of the compared models."""

    def __init__(self) -> None:
        self._box: object = None
        self._touched: list[tuple[float, Floats]] = []

    def remember(self, found: Certified) -> None:
        """Begin where the search for a certificate ended: problems with its box then need few rounds."""
        self._box = (found.problem.loss, Scores.of(found.problem))
        self._touched = list(found.search.touched)

    def estimate(self, problem: Problem) -> float:
        """What `excess.certified` would give, to within about a percent."""
        scores = Scores.of(problem)
        box = (problem.loss, scores)
        if box != self._box:
            self._box, self._touched = box, []
        loss = LossOnBalls(problem.loss, scores.largest())
        close = _CLOSE if problem.known.weighted is None else _CLOSE_WEIGHTED
        return search(compressed(problem), loss, scores, touched=self._touched, close=close).bound_est


def compressed(problem: Problem) -> Problem:
    """The same problem on the few directions that the bound can distinguish, if there are many features.

    Intercept, model, its further direction and first moments, multiplied by the second moments a few times, span them;
    one more has the least curvature of all. The intercept stays the last coordinate.
    """
    p = problem.known.dimension
    if p <= _MOST_DIRECTIONS:
        return problem
    second = _floats(problem.known.second)
    weighted = None if problem.known.weighted is None else _floats(problem.known.weighted)
    matrices = [second] if weighted is None else [second, weighted]
    block = [np.array([float(x) for x in vector]) for vector in (*problem.basis(), problem.known.first)]
    basis: list[Floats] = []
    while len(basis) < _MOST_DIRECTIONS - 1:
        fresh: list[Floats] = []
        for vector in block:
            left = _orthogonal(vector / max(float(np.linalg.norm(vector)), _INDEPENDENT), basis)
            if np.linalg.norm(left) > _INDEPENDENT and len(basis) < _MOST_DIRECTIONS - 1:
                basis.append(left / np.linalg.norm(left))
                fresh.append(basis[-1])
        if not fresh:
            break
        block = [matrix @ vector for matrix in matrices for vector in fresh]
    flattest = _orthogonal(np.linalg.eigh(second)[1][:, 0], basis)
    if np.linalg.norm(flattest) > _FLAT:
        basis.append(flattest / np.linalg.norm(flattest))
    turn = np.array([*basis[1:], basis[0]])
    known = replace(
        problem.known,
        first=_vector(turn @ np.array([float(x) for x in problem.known.first])),
        second=_matrix(turn @ second @ turn.T),
        weighted=None if weighted is None else _matrix(turn @ weighted @ turn.T),
    )
    fixed = [_vector(turn @ np.array([float(x) for x in vector])) for vector in problem.basis()[1:]]
    return replace(problem, known=known, model=fixed[0], direction=None if problem.direction is None else fixed[1])


def _orthogonal(vector: Floats, basis: list[Floats]) -> Floats:
    for _ in range(2):  # once more, for what rounding left
        for other in basis:
            vector = vector - (other @ vector) * other
    return vector


def _floats(matrix: Matrix) -> Floats:
    return np.array([[float(x) for x in row] for row in matrix])


def _vector(values: Floats) -> Vector:
    return tuple(Fraction(x) for x in values.tolist())


def _matrix(values: Floats) -> Matrix:
    return tuple(_vector(row) for row in (values + values.T) / 2)
