"""Scales of coefficients that make the noise on equations about even, and the direction about which they say least.

Scales a are valid where V_ik <= a_i a_k / 2 for i != k and V_ii <= a_i^2. Then C(b) <= (s + sum_k a_k b_k^2) diag(a),
s the largest ratio of a variance of the right side and its scale. An entry without noise, such as the intercept's
square, leaves room: its scale may be smaller if the others are larger. The best ones are searched for in floats; they
are valid because of how they are then made, in rationals.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.exact import root_at_least
from bounds.inference.linear_pivot import LinearPivot, Vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_FACTORS = (0.5, 0.5, 0.7, 0.7, 1.4, 0.8, 1.25, 0.8, 1.25, 0.9, 1.1, 0.9, 1.1)
_UNIT = 10**4
_SMALL = Fraction(1, 10**9)
LARGEST_SEARCHED = 40
"""Above this many coefficients only equal scales and their first repair are tried."""


def scalings(pivot: LinearPivot) -> list[Vector]:
    """Valid scales to try, the most equal first."""
    plain = _repaired(pivot)
    if pivot.size > LARGEST_SEARCHED:
        return [plain]
    found = _searched(pivot, plain)
    return [plain] if found == plain else [plain, found]


def weakest_direction(pivot: LinearPivot) -> tuple[float, ...]:
    """Of Euclidean norm 1, its largest entry positive: an estimate."""
    import numpy as np

    scaled, roots = _scaled(pivot, _repaired(pivot))
    values, vectors = np.linalg.eigh(scaled)
    found = vectors[:, np.argmin(np.abs(values))] / roots
    largest = found[np.argmax(np.abs(found))]
    return tuple(float(x) for x in found * np.sign(largest) / np.linalg.norm(found))


def signal(pivot: LinearPivot, scales: Vector) -> float:
    """The least singular value of the equations in units of the noise; above the radius the set is bounded: an
    estimate."""
    import numpy as np

    return float(np.abs(np.linalg.eigvalsh(_scaled(pivot, scales)[0])).min())


def _repaired(pivot: LinearPivot) -> Vector:
    """Equal scales, each then lowered as far as the others let it."""
    v, p = pivot.variances, pivot.size
    most = max(v[i][i] if i == k else 2 * v[i][k] for i in range(p) for k in range(p))
    if most == 0:  # any scales are valid; small ones bound the set where the right side alone has noise
        largest = max(abs(x) for row in pivot.matrix for x in row)
        return (largest * _SMALL or Fraction(1),) * p
    found = [root_at_least(most)] * p
    for i in reversed(range(p)):
        others = max((2 * v[i][k] / found[k] for k in range(p) if k != i), default=Fraction(0))
        own = root_at_least(v[i][i]) if v[i][i] else Fraction(0)
        found[i] = max(others, own) or found[i]
    return tuple(found)


def _searched(pivot: LinearPivot, start: Vector) -> Vector:
    """Scales with a larger least singular value, one coordinate after the other; then made valid, exactly."""
    import numpy as np

    if not any(map(any, pivot.variances)):
        return start
    matrix = np.array([[float(x) for x in row] for row in pivot.matrix])
    needed = 2 * np.array([[float(x) for x in row] for row in pivot.variances])
    needed[np.diag_indices_from(needed)] /= 2

    def value_of(weights: Floats) -> float:
        outer = np.outer(weights, weights)
        scaled = matrix / np.sqrt(outer) / np.sqrt((needed / outer).max())
        return float(np.abs(np.linalg.eigvalsh(scaled)).min())

    best = np.array([float(x / max(start)) for x in start])
    value = value_of(best)
    for factor in _FACTORS:
        for i in range(pivot.size):
            tried = best.copy()
            tried[i] *= factor
            found = value_of(tried)
            if found > value:
                best, value = tried, found
    v, p = pivot.variances, pivot.size
    weights = [Fraction(max(1, round(x * _UNIT)), _UNIT) for x in best]
    square = max(
        (v[i][i] if i == k else 2 * v[i][k]) / (weights[i] * weights[k]) for i in range(p) for k in range(i + 1)
    )
    return tuple(root_at_least(square) * x for x in weights)


def _scaled(pivot: LinearPivot, scales: Vector) -> tuple[Floats, Floats]:
    import numpy as np

    roots = np.array([float(x) for x in scales]) ** 0.5
    return np.array([[float(x) for x in row] for row in pivot.matrix]) / np.outer(roots, roots), roots
