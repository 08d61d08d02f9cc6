"""The convex programme behind a certificate, in floating point: the polynomial, its multipliers and the bound at once.

The bound is a linear function of the polynomial's coefficients and the multipliers, under matrix inequalities; that the
polynomial dominates is a linear inequality at every point of the box. Clarabel solves it for finitely many points.
Nothing relies on it: what it finds is rounded, and certified in `envelope` and `value`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bounds.certify.layout import Layout
from bounds.certify.problem import Problem
from bounds.certify.shape import DIRECTION, ONE, OTHER, SCORE
from bounds.errors import NotCertified

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Inequalities: TypeAlias = tuple[Floats, Floats, list[Any]]
    """Rows and right sides of `right - rows @ unknowns` in a product of cones."""

_GAP, _FEASIBLE = 1e-9, 1e-9
_LARGEST = 100.0
_FIXED_WITHIN = 1e-9


class Programme:
    """Minimise the bound over polynomials that dominate at given points."""

    constant_at_most_0 = True
    """Of the polynomial, if E[1] is not known; else at least 0. The second moment of the intercept takes a constant
    of the other sign back at no cost where E[1] is what `_mass` says, and costs much at its other end."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        root = float(problem.known.squared_norm) ** 0.5  # on the unit ball the numbers are of one size
        mass = self._mass()
        self.first = np.array([float(x) for x in problem.known.first]) / root / mass
        self.first_radius = float(problem.known.first_radius) / root / mass
        self.matrices = [
            (np.array([[float(x) for x in row] for row in matrix]) / root**2 / mass, float(radius) / root**2 / mass)
            for matrix, radius in problem.forms()
        ]
        places = [ONE, SCORE, DIRECTION][: len(problem.basis())]
        self.fixed = [(i, np.array([float(x) for x in b]) * root) for i, b in zip(places, problem.basis(), strict=True)]
        self.p = len(self.first)
        self.layout = self._laid_out()
        self.root = root
        self.is_diagonal = self._turn_to_axes()
        self._assemble()

    def _mass(self) -> float:
        """The value used for E[1]: if it is not known, the end at which a bound above 0 is largest."""
        mass = float(self.problem.known.mass()[0])
        if mass <= 0:
            raise NotCertified("the noise on the number of records is larger than the number itself")
        return mass

    def _laid_out(self) -> Layout:
        return Layout(len(self.fixed) + 1, len(self.matrices), len(self.problem.compared.balls))

    def _turn_to_axes(self) -> bool:
        """If one matrix meets only round balls, its axes make the quadratic function a sum over coordinates.

        Matrices are then kept as the vector of their diagonal, and one large cone becomes many small ones.
        """
        compared = self.problem.compared
        parts = {ball.part for ball in compared.balls} | ({compared.ridge_part} if compared.ridge else set())
        if len(self.matrices) > 1 or parts != {"all"}:
            return False
        matrix, radius = self.matrices[0]
        values, axes = np.linalg.eigh(matrix)
        self.axes = axes
        self.matrices = [(values, radius)]
        self.first = axes.T @ self.first
        self.fixed = [(i, axes.T @ b) for i, b in self.fixed]
        return True

    def _assemble(self) -> None:
        layout, p = self.layout, self.p
        self.cost = np.zeros(layout.count)
        self.offset = 0.0
        # the quadratic function 2 linear.v - v' curvature v as a linear function of the unknowns, its constant last
        self._linear = np.zeros((layout.count + 1, p))
        self._curvature = np.zeros((layout.count + 1, p) if self.is_diagonal else (layout.count + 1, p, p))
        identity = np.ones(p) if self.is_diagonal else np.eye(p)
        self.cost[0] = 1.0
        for i, b in self.fixed:
            self.cost[layout.label + i] = b @ self.first
        self._linear[layout.label + OTHER] += self.first / 2
        for which, (matrix, radius) in enumerate(self.matrices):
            self._add_form(layout.form(which), matrix, 1.0)
            self._add_form(layout.absolute(which), identity, radius)
        self._add_form(layout.label_form, identity, self.first_radius / 2)
        self.cost[layout.label_scale] = self.first_radius / 2
        self._add_class()
        self.cost[layout.peak] = 1.0
        peak = self._peak_by_axes() if self.is_diagonal else self._peak_at_once()
        parts = [peak, *self._matrix_inequalities()]
        self._rows = np.concatenate([_widened(rows, self.unknowns) for rows, _, _ in parts])
        self._right = np.concatenate([right for _, right, _ in parts])
        self._cones = [cone for _, _, cones in parts for cone in cones]

    @property
    def unknowns(self) -> int:
        """Of the layout, and by axes one height each."""
        return self.layout.count + (self.p if self.is_diagonal else 0)

    def _add_form(self, start: int, matrix: Floats, factor: float) -> None:
        """factor * (b' X b under the matrix) for the symmetric unknown X, v being the vector at OTHER."""
        images = {i: matrix * b if self.is_diagonal else matrix @ b for i, b in self.fixed}
        vectors = dict(self.fixed)
        for place, (i, j) in enumerate(self.layout.pairs):
            at = start + place
            if OTHER not in (i, j):
                self.cost[at] += factor * (1 if i == j else 2) * float(vectors[i] @ images[j])
            elif i == j:
                self._curvature[at] -= factor * matrix
            else:
                self._linear[at] += factor * images[i if j == OTHER else j]

    def _add_class(self) -> None:
        p, layout, compared = self.p, self.layout, self.problem.compared
        model = dict(self.fixed)[SCORE]
        squared = self.root**2

        def part(holds: Callable[[int], bool]) -> tuple[Floats, Floats]:
            mask = np.array([float(holds(k)) for k in range(p)])
            return mask, mask if self.is_diagonal else np.diag(mask)

        for place, ball in enumerate(compared.balls):
            mask, matrix = part(lambda k, ball=ball: ball.holds(k, p))  # type: ignore[misc]
            centre = model * mask if ball.around_model else np.zeros(p)
            at = layout.ball + place
            self._curvature[at] += matrix
            self._linear[at] += centre
            self.cost[at] = float(ball.squared_radius) * squared - float(centre @ centre)
        ridge = float(compared.ridge) / squared / 2
        if ridge:
            mask, matrix = part(lambda k: compared.ridge_part in ("all", "intercept" if k == p - 1 else "slopes"))
            self._curvature[-1] += ridge * matrix
            self.offset += ridge * float((model * mask) @ model)

    def _peak_at_once(self) -> Inequalities:
        """The largest value is at most the peak where [[curvature, linear], [linear', peak]] is semidefinite."""
        p = self.p
        block = np.zeros((self.layout.count + 1, p + 1, p + 1))
        block[:, :p, :p] = self._curvature
        block[:, :p, p] = block[:, p, :p] = self._linear
        block[self.layout.peak, p, p] = 1.0
        return _semidefinite(block)

    def _peak_by_axes(self) -> Inequalities:
        """linear_k^2 <= curvature_k height_k on every axis, and the heights add up to the peak."""
        import clarabel

        p, count = self.p, self.layout.count
        rows = np.zeros((p, 3, self.unknowns))
        right = np.zeros((p, 3))
        rows[:, 0, :count] = rows[:, 1, :count] = -self._curvature[:-1].T
        rows[:, 2, :count] = -2 * self._linear[:-1].T
        rows[np.arange(p), 0, count + np.arange(p)] = -1.0
        rows[np.arange(p), 1, count + np.arange(p)] = 1.0
        right[:, 0] = right[:, 1] = self._curvature[-1]
        right[:, 2] = 2 * self._linear[-1]
        total = np.zeros((1, self.unknowns))
        total[0, self.layout.peak] = -1.0
        total[0, count:] = 1.0
        cones = [clarabel.SecondOrderConeT(3) for _ in range(p)] + [clarabel.NonnegativeConeT(1)]
        return np.concatenate([rows.reshape(3 * p, -1), total]), np.append(right.ravel(), 0.0), cones

    def _matrix_inequalities(self) -> list[Inequalities]:
        import clarabel

        layout, d = self.layout, self.layout.size
        found = []
        for which in range(layout.forms):
            for sign in (1.0, -1.0):
                block = np.zeros((layout.count + 1, d, d))
                for place, (i, j) in enumerate(layout.pairs):
                    for a, b in ((i, j), (j, i)):
                        block[layout.absolute(which) + place, a, b] = 1.0
                        block[layout.form(which) + place, a, b] = sign
                found.append(_semidefinite(block))
        block = np.zeros((layout.count + 1, d + 1, d + 1))
        for place, (i, j) in enumerate(layout.pairs):
            block[layout.label_form + place, i, j] = block[layout.label_form + place, j, i] = 1.0
        for i in range(d):
            block[layout.label + i, i, d] = block[layout.label + i, d, i] = 1.0
        block[layout.label_scale, d, d] = 1.0
        found.append(_semidefinite(block))
        signs = np.zeros((layout.balls, layout.count))
        signs[np.arange(layout.balls), layout.ball + np.arange(layout.balls)] = -1.0
        found.append((signs, np.zeros(layout.balls), [clarabel.NonnegativeConeT(layout.balls)]))
        return found

    @property
    def square_of_other(self) -> int:
        """The place of the coefficient of V^2."""
        return self.layout.form(0) + self.layout.pairs.index((OTHER, OTHER))

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

        dominate, right = self._dominating(features, least, fixed)
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.max_threads = 1
        settings.tol_gap_abs = settings.tol_gap_rel = _GAP
        settings.tol_feas = _FEASIBLE
        solver = clarabel.DefaultSolver(
            sparse.csc_matrix((self.unknowns, self.unknowns)),
            np.append(self.cost, np.zeros(self.unknowns - self.layout.count)),
            sparse.csc_matrix(np.concatenate([self._rows, dominate])),
            np.concatenate([self._right, right]),
            [*self._cones, clarabel.NonnegativeConeT(len(dominate))],
            settings,
        )
        found = solver.solve()
        unknowns = np.array(found.x)
        if not np.isfinite(unknowns).all() or not np.isfinite(found.obj_val):
            raise NotCertified(f"the search for a polynomial ended with status {found.status}")
        return unknowns, float(found.obj_val) + self.offset

    def _dominating(self, features: Floats, least: Floats, fixed: Floats | None) -> tuple[Floats, Floats]:
        """Rows and right sides of the constraints on the coefficients: rows @ unknowns <= right."""
        count = self.layout.shape_size
        dominate = np.zeros((len(features) + 2 * count, self.unknowns))
        dominate[: len(features), :count] = -features
        # few points leave directions without a bound: a box around the coefficients closes them
        dominate[len(features) :, :count] = np.concatenate([np.eye(count), -np.eye(count)])
        box = np.full(2 * count, _LARGEST) if fixed is None else np.concatenate([fixed, -fixed]) + _FIXED_WITHIN
        if self.problem.linear_in_other:
            box[self.square_of_other] = box[count + self.square_of_other] = 0.0
        if fixed is None and not self.problem.known.size_is_exact:
            box[0 if self.constant_at_most_0 else count] = 0.0
        return dominate, np.concatenate([-least, box])

    def loss_scale(self, unknowns: Floats) -> float:
        """The divisor of the unknowns that gives a polynomial that dominates the loss itself."""
        return float(unknowns[self.layout.scale]) if self.layout.has_scale else 1.0


def _semidefinite(block: Floats) -> Inequalities:
    """A symmetric matrix that is a linear function of the unknowns, its constant last, is positive semidefinite."""
    import clarabel

    size = block.shape[1]
    column, row = np.tril_indices(size)  # the upper triangle, column by column
    flat = block[:, row, column] * np.where(row == column, 1.0, 2.0**0.5)
    return -flat[:-1].T, flat[-1], [clarabel.PSDTriangleConeT(size)]


def _widened(rows: Floats, count: int) -> Floats:
    return np.pad(rows, ((0, 0), (0, count - rows.shape[1])))
