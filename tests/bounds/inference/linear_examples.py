"""Noisy linear equations for tests: truths with unequal noise, exact entries among them, drawn as often as wanted."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from bounds.inference.linear_pivot import LinearPivot

UNIT = 2**40


@dataclass(frozen=True)
class Truth:
    """A b = c, and the variances of what is added to A (symmetric) and c."""

    matrix: np.ndarray
    right: np.ndarray
    variances: np.ndarray
    right_variances: np.ndarray

    @property
    def size(self) -> int:
        return len(self.right)

    @property
    def solution(self) -> np.ndarray:
        return np.asarray(np.linalg.solve(self.matrix, self.right))

    def draws(self, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Noisy matrices and right sides."""
        source = np.random.default_rng(seed)
        upper = np.triu(source.standard_normal((count, self.size, self.size)) * np.sqrt(self.variances))
        noise = upper + np.transpose(np.triu(upper, 1), (0, 2, 1))
        shift = source.standard_normal((count, self.size)) * np.sqrt(self.right_variances)
        return self.matrix + noise, self.right + shift

    def pivot(self, matrix: np.ndarray, right: np.ndarray) -> LinearPivot:
        """The equations in rationals."""
        rows = exact(matrix)
        both = tuple(tuple(rows[min(i, j)][max(i, j)] for j in range(self.size)) for i in range(self.size))
        noise = exact(self.variances)
        return LinearPivot(
            matrix=both,
            right=exact([right])[0],
            variances=tuple(tuple(noise[min(i, j)][max(i, j)] for j in range(self.size)) for i in range(self.size)),
            right_variances=exact([self.right_variances])[0],
        )

    def drawn(self, seed: int) -> LinearPivot:
        matrices, rights = self.draws(1, seed)
        return self.pivot(matrices[0], rights[0])


def exact(rows: object) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(Fraction(round(float(x) * UNIT), UNIT) for x in row) for row in np.asarray(rows))


def truth(size: int, *, noise: float, seed: int = 0, public: bool = True) -> Truth:
    """A well-conditioned problem; with `public` the last diagonal entry and one off the diagonal have no noise."""
    source = np.random.default_rng(seed)
    points = source.standard_normal((6 * size, size))
    matrix = points.T @ points / (6 * size)
    root = np.exp(source.uniform(-0.5, 0.5, (size, size)))
    variances = (noise * (root + root.T) / 2) ** 2
    right_variances = (noise * np.exp(source.uniform(-0.5, 0.5, size))) ** 2
    if public:
        variances[-1, -1] = 0
        if size > 2:
            variances[0, 1] = variances[1, 0] = 0
    return Truth(matrix, matrix @ source.uniform(-1, 1, size), variances, right_variances)


def entries_image(b: np.ndarray) -> np.ndarray:
    """What each independent entry adds to the residual: columns for G on and above the diagonal, then for m."""
    size = len(b)
    columns = []
    for i in range(size):
        for k in range(i, size):
            column = np.zeros(size)
            column[i] += b[k]
            if k != i:
                column[k] += b[i]
            columns.append(column)
    return np.column_stack([*columns, *-np.eye(size)])


def entries_variances(found: Truth) -> np.ndarray:
    return np.concatenate([found.variances[np.triu_indices(found.size)], found.right_variances])


def largest_gap(values: np.ndarray, distribution: object) -> float:
    """Kolmogorov's distance of a sample from a law."""
    ordered = np.sort(values)
    below = distribution.cdf(ordered)  # type: ignore[attr-defined]
    count = len(ordered)
    return float(max((np.arange(1, count + 1) / count - below).max(), (below - np.arange(count) / count).max()))


def allowed_gap(count: int, failure: float = 1e-6) -> float:
    """Exceeded with at most that probability (Dvoretzky, Kiefer, Wolfowitz; Massart's constant)."""
    return float(np.sqrt(np.log(2 / failure) / (2 * count)))
