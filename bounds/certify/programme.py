"""The convex programme behind a certificate, in floating point: the polynomial, its multipliers and the bound at once.

The bound is a linear function of the polynomial's coefficients and the multipliers, under matrix inequalities; that the
polynomial dominates is a linear inequality at every point of the box. Clarabel solves it for finitely many points. It
is trusted for nothing: what it finds is rounded, and certified in `envelope` and `value`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.certify.problem import Problem
from bounds.certify.shape import DIRECTION, ONE, OTHER, SCORE
from bounds.errors import NotCertified

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_GAP, _FEASIBLE = 1e-9, 1e-9
_LARGEST = 100.0
_FIXED_WITHIN = 1e-9


@dataclass(frozen=True)
class Layout:
    """Where every unknown stands in the vector of the programme."""

    size: int
    """Of b = (1, S, V[, U])."""
    forms: int
    balls: int

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return [(i, j) for j in range(self.size) for i in range(j + 1)]

    @property
    def label(self) -> int:
        return 1

    def form(self, which: int) -> int:
        return 1 + self.size + which * len(self.pairs)

    @property
    def shape_size(self) -> int:
        """The coefficients of the polynomial come first."""
        return self.form(self.forms)

    def absolute(self, which: int) -> int:
        return self.form(self.forms + which)

    @property
    def label_form(self) -> int:
        return self.form(2 * self.forms)

    @property
    def label_scale(self) -> int:
        return self.form(2 * self.forms + 1)

    @property
    def ball(self) -> int:
        return self.label_scale + 1

    @property
    def peak(self) -> int:
        return self.ball + self.balls

    @property
    def count(self) -> int:
        return self.peak + 1


class Programme:
    """Minimise the bound over polynomials that dominate at given points."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        root = float(problem.known.squared_norm) ** 0.5  # on the unit ball the numbers are of one size
        # where E[1] is not 1, moments are divided by the least that it can be: there the bound is largest
        mass = float(problem.known.mass()[0])
        if mass <= 0:
            raise NotCertified("the noise on the number of records is larger than the number itself")
        self.first = np.array([float(x) for x in problem.known.first]) / root / mass
        self.first_radius = float(problem.known.first_radius) / root / mass
        self.matrices = [
            (np.array([[float(x) for x in row] for row in matrix]) / root**2 / mass, float(radius) / root**2 / mass)
            for matrix, radius in problem.forms()
        ]
        places = [ONE, SCORE, DIRECTION][: len(problem.basis())]
        self.fixed = [(i, np.array([float(x) for x in b]) * root) for i, b in zip(places, problem.basis(), strict=True)]
        self.p = len(self.first)
        self.layout = Layout(len(self.fixed) + 1, len(self.matrices), len(problem.compared.balls))
        self.root = root
        self._assemble()

    def _assemble(self) -> None:
        layout, p = self.layout, self.p
        self.cost = np.zeros(layout.count)
        self.offset = 0.0
        # [[curvature, linear], [linear', peak]] as a linear function of the unknowns, its constant last
        peak = np.zeros((layout.count + 1, p + 1, p + 1))
        self.cost[0] = 1.0
        for i, b in self.fixed:
            self.cost[layout.label + i] = b @ self.first
        peak[layout.label + OTHER, :p, p] += self.first / 2
        for which, (matrix, radius) in enumerate(self.matrices):
            self._add_form(peak, layout.form(which), matrix, 1.0)
            self._add_form(peak, layout.absolute(which), np.eye(p), radius)
        self._add_form(peak, layout.label_form, np.eye(p), self.first_radius / 2)
        self.cost[layout.label_scale] = self.first_radius / 2
        self._add_class(peak)
        peak[layout.peak, p, p] = 1.0
        self.cost[layout.peak] = 1.0
        peak[:, p, :p] = peak[:, :p, p]
        self._rows, self._right, self._cones = self._matrix_inequalities(peak)

    def _add_form(self, peak: Any, start: int, matrix: Any, factor: float) -> None:
        """factor * (b' X b under the matrix) for the symmetric unknown X, v being the vector at OTHER."""
        vectors = dict(self.fixed)
        for place, (i, j) in enumerate(self.layout.pairs):
            at = start + place
            if OTHER not in (i, j):
                self.cost[at] += factor * (1 if i == j else 2) * float(vectors[i] @ matrix @ vectors[j])
            elif i == j:
                peak[at, : self.p, : self.p] -= factor * matrix
            else:
                peak[at, : self.p, self.p] += factor * (matrix @ vectors[i if j == OTHER else j])

    def _add_class(self, peak: Any) -> None:
        p, layout, compared = self.p, self.layout, self.problem.compared
        model = dict(self.fixed)[SCORE]
        squared = self.root**2
        for place, ball in enumerate(compared.balls):
            mask = np.array([float(ball.holds(k, p)) for k in range(p)])
            centre = model * mask if ball.around_model else np.zeros(p)
            at = layout.ball + place
            peak[at, :p, :p] += np.diag(mask)
            peak[at, :p, p] += centre
            self.cost[at] = float(ball.squared_radius) * squared - float(centre @ centre)
        ridge = float(compared.ridge) / squared / 2
        if ridge:
            part = compared.ridge_part
            mask = np.array([float(part == "all" or (part == "intercept") == (k == p - 1)) for k in range(p)])
            peak[-1, :p, :p] += ridge * np.diag(mask)
            self.offset += ridge * float((model * mask) @ model)

    def _matrix_inequalities(self, peak: Any) -> tuple[Any, Any, list[Any]]:
        import clarabel

        layout, d = self.layout, self.layout.size
        blocks = [peak]
        for which in range(layout.forms):
            for sign in (1.0, -1.0):
                block = np.zeros((layout.count + 1, d, d))
                for place, (i, j) in enumerate(layout.pairs):
                    for a, b in ((i, j), (j, i)):
                        block[layout.absolute(which) + place, a, b] = 1.0
                        block[layout.form(which) + place, a, b] = sign
                blocks.append(block)
        block = np.zeros((layout.count + 1, d + 1, d + 1))
        for place, (i, j) in enumerate(layout.pairs):
            block[layout.label_form + place, i, j] = block[layout.label_form + place, j, i] = 1.0
        for i in range(d):
            block[layout.label + i, i, d] = block[layout.label + i, d, i] = 1.0
        block[layout.label_scale, d, d] = 1.0
        blocks.append(block)
        rows, right, cones = [], [], []
        for found in blocks:
            size = found.shape[1]
            column, row = np.tril_indices(size)  # the upper triangle, column by column
            flat = found[:, row, column] * np.where(row == column, 1.0, 2.0**0.5)
            rows.append(-flat[:-1].T)
            right.append(flat[-1])
            cones.append(clarabel.PSDTriangleConeT(size))
        signs = np.zeros((layout.balls, layout.count))
        signs[np.arange(layout.balls), layout.ball + np.arange(layout.balls)] = -1.0
        rows.append(signs)
        right.append(np.zeros(layout.balls))
        cones.append(clarabel.NonnegativeConeT(layout.balls))
        return np.concatenate(rows), np.concatenate(right), cones

    def features(self, y: Floats, points: Floats) -> Floats:
        """The polynomial at points (S, V[, U]), a row a point, as a linear function of its coefficients."""
        b = [np.ones(len(points)), *points.T]
        columns = [b[0], *(y * value for value in b)]
        for which in range(self.layout.forms):
            weight = b[SCORE] ** 2 if which else b[0]
            columns += [(1 if i == j else 2) * b[i] * b[j] * weight for i, j in self.layout.pairs]
        return np.stack(columns, axis=1)

    def solve(self, features: Floats, least: Floats, fixed: Floats | None = None) -> tuple[Floats, float]:
        """The best unknowns with features @ coefficients >= least, and the bound they promise (an estimate).

        With `fixed` coefficients only the multipliers are chosen.
        """
        import clarabel
        from scipy import sparse

        count = self.layout.shape_size
        dominate = np.zeros((len(features) + 2 * count, self.layout.count))
        dominate[: len(features), :count] = -features
        # few points leave directions without a bound: a box around the coefficients closes them
        dominate[len(features) :, :count] = np.concatenate([np.eye(count), -np.eye(count)])
        box = np.full(2 * count, _LARGEST) if fixed is None else np.concatenate([fixed, -fixed]) + _FIXED_WITHIN
        if fixed is None and not self.problem.known.size_is_exact:
            box[0] = 0.0  # a constant that the second moment of the intercept takes back costs where E[1] is largest
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.max_threads = 1
        settings.tol_gap_abs = settings.tol_gap_rel = _GAP
        settings.tol_feas = _FEASIBLE
        solver = clarabel.DefaultSolver(
            sparse.csc_matrix((self.layout.count, self.layout.count)),
            self.cost,
            sparse.csc_matrix(np.concatenate([self._rows, dominate])),
            np.concatenate([self._right, -least, box]),
            [*self._cones, clarabel.NonnegativeConeT(len(dominate))],
            settings,
        )
        found = solver.solve()
        unknowns = np.array(found.x)
        if not np.isfinite(unknowns).all() or not np.isfinite(found.obj_val):
            raise NotCertified(f"the search for a polynomial ended with {found.status}")
        return unknowns, float(found.obj_val) + self.offset
