"""The pivots of noisy linear equations in floats, for many points at once: values and slopes, all estimates.

The search for sets of single coefficients and simulations of coverage use it. Each row is a point. Names are those of
docs/proofs/synthbounds.noisy-regression.md: residual xi, covariance C(b), h = C^-1 xi, E = E[noise of G | xi], and
v = (G - E)^-1 e_j, of which xi is independent at the true b.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bounds.inference.linear_pivot import LinearPivot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FloatPivot:
    """Equations G b = m in floats; `halved` are the variances of G with those on the diagonal halved.

    `added` is a further covariance of the residual that does not depend on b: that of drawing the records.
    """

    matrix: Floats
    right: Floats
    variances: Floats
    right_variances: Floats
    halved: Floats
    added: Floats

    @classmethod
    def of(cls, pivot: LinearPivot, *, added: Floats | None = None) -> FloatPivot:
        return cls.made(
            matrix=np.array([[float(x) for x in row] for row in pivot.matrix]),
            right=np.array([float(x) for x in pivot.right]),
            variances=np.array([[float(x) for x in row] for row in pivot.variances]),
            right_variances=np.array([float(x) for x in pivot.right_variances]),
            added=added,
        )

    @classmethod
    def made(
        cls,
        *,
        matrix: Floats,
        right: Floats,
        variances: Floats,
        right_variances: Floats,
        added: Floats | None = None,
    ) -> FloatPivot:
        halved = variances.copy()
        halved[np.diag_indices_from(halved)] /= 2
        more = np.zeros_like(matrix) if added is None else added
        return cls(matrix, right, variances, right_variances, halved, more)

    @property
    def size(self) -> int:
        return len(self.right)

    @property
    def solution(self) -> Floats:
        return np.asarray(np.linalg.solve(self.matrix, self.right), np.float64)

    def covariance(self, points: Floats) -> Floats:
        """C(b) of every row b."""
        found: Floats = self.variances * points[:, :, None] * points[:, None, :]
        places = np.arange(self.size)
        found[:, places, places] = points**2 @ self.variances + self.right_variances
        return found + self.added

    def expected_noise(self, first: Floats, second: Floats) -> Floats:
        """E for b and h, or any other two rows of vectors in their place: it is bilinear and symmetric."""
        outer = first[:, :, None] * second[:, None, :]
        found: Floats = self.halved * (outer + outer.transpose(0, 2, 1))
        return found

    def first_order(self) -> Floats:
        """Deviations of the solution if the noise is small: those of G^-1 C G^-1 there."""
        back = np.asarray(np.linalg.inv(self.matrix), np.float64)
        covariance = self.covariance(self.solution[None])[0]
        return np.asarray(np.sqrt(np.einsum("ij,jk,ik->i", back, covariance, back)), np.float64)

    def distances(self, points: Floats) -> Floats:
        """xi' C^-1 xi of every row."""
        residual = points @ self.matrix - self.right
        found: Floats = (residual * _solve(self.covariance(points), residual)).sum(axis=1)
        return found

    def statistics(self, points: Floats, places: Places) -> Floats:
        """v' xi / sqrt(v' C v) of every row for the coefficient of its place: normal at the true b."""
        return self.with_slopes(points, places)[2]

    def with_slopes(self, points: Floats, places: Places) -> tuple[Floats, Floats, Floats, Floats]:
        """Distances and statistics, each with their slopes in b."""
        residual = points @ self.matrix - self.right
        covariance = self.covariance(points)
        h = _solve(covariance, residual)
        expected = self.expected_noise(points, h)
        inner = self.matrix - expected
        distances = (residual * h).sum(axis=1)
        distance_slopes = 2 * np.einsum("nij,nj->ni", inner, h)

        units = np.eye(self.size)[places]
        both = np.asarray(np.linalg.solve(inner, np.stack([units, residual], axis=2)), np.float64)
        v, image = both[:, :, 0], both[:, :, 1]
        spread = np.einsum("nij,nj->ni", covariance, v)
        pulled = _solve(inner, spread)
        above, below = (v * residual).sum(axis=1), (v * spread).sum(axis=1)
        root = np.sqrt(below)
        # d(v' xi) = image' dE v + v' G db and d(v' C v) = 2 pulled' dE v + v' dC v, with dE bilinear in (b, h)
        mixed: Floats = image / root[:, None] - (above / (below * root))[:, None] * pulled
        own = np.einsum("nij,nj->ni", self.expected_noise(mixed, v), h)  # through b, h held
        through = np.einsum("nij,nj->ni", self.expected_noise(mixed, v), points)  # through h
        # C dh = (G - E - N) db with N db = [V (h db' + db h')] b
        back = _solve(covariance, through)
        weights = (h * points) @ self.halved
        carried = np.einsum("nij,nj->ni", inner, back) - weights * back - points * ((back * h) @ self.halved)
        turned = np.einsum("nij,nj->ni", self.expected_noise(points, v), v)
        slopes = own + carried + v @ self.matrix / root[:, None] - (above / (below * root))[:, None] * turned
        return distances, distance_slopes, above / root, slopes


def _solve(matrices: Floats, rows: Floats) -> Floats:
    return np.asarray(np.linalg.solve(matrices, rows[:, :, None])[:, :, 0], np.float64)
