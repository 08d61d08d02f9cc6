"""The exact optimum of a density programme: a rational vertex and dual weights that prove it, with gap zero.

A candidate shows which columns carry weight and which rows are tight. The systems that they determine are solved
exactly; if density and dual weights have the same value, both are optimal, and that equality of two exact numbers is
all that counts. If the first guess fails, HiGHS finds a basis on the promising columns, and exact pivots finish. Meant
for vertices with up to some hundreds of columns, out of any number; for others there is
lp.programme.density_certificate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotCertified
from lp.programme.density_certificate import ExactTarget, Proposal, clean, dual_value, primal_value
from lp.programme.exact_products import ExactColumns
from lp.programme.exact_simplex import Basis, ExactSimplex, SingularBasis, TightRow
from lp.programme.rounding import round_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Vertex", "exact_vertex", "round_rows"]

_CARRIES = 1e-7
"""A weight above this is taken to be positive at the optimum, a residual within this of the largest one to be tight."""
_PROMISING = 6
"""HiGHS sees about this many columns per query."""
_FEW_STEPS = 12
"""This many exact pivots are cheaper than another solver."""
_MOST_STEPS = 5000


@dataclass(frozen=True, eq=False)
class Vertex:
    """A density weights / weight_total on these columns with this value, which is the optimum: the dual proves it."""

    value: Fraction
    numbers: NDArray[np.int64]
    weights: tuple[int, ...]
    weight_total: int
    dual: tuple[int, ...]
    pivots: int

    @property
    def lower(self) -> Fraction:
        return self.value

    @property
    def upper(self) -> Fraction:
        return self.value

    @property
    def support(self) -> int:
        return len(self.weights)

    @property
    def density(self) -> tuple[Fraction, ...]:
        return tuple(Fraction(weight, self.weight_total) for weight in self.weights)


def exact_vertex(
    matrix: ExactColumns,
    target: Sequence[Fraction] | ExactTarget,
    candidate: Proposal,
    *,
    most_steps: int = _MOST_STEPS,
) -> Vertex:
    """The optimum, exactly; NotCertified when the pivots allowed do not reach it."""
    exact = target if isinstance(target, ExactTarget) else ExactTarget.of(target)
    simplex = ExactSimplex(matrix, exact)
    numbers, weights = clean(candidate.numbers, candidate.weights)
    wanted = np.array([float(Fraction(value, exact.denominator)) for value in exact.numerators])
    residual = matrix.apply_at(numbers, weights) / matrix.family.denominator - wanted
    found = _from(simplex, _active_set(residual, numbers, weights), most_steps=_FEW_STEPS)
    if found is None and numbers.size <= matrix.rows + 1 and np.abs(residual).max() < _CARRIES:
        found = _attained(simplex, tuple(numbers.tolist()))
    if found is None:
        promising = _promising(matrix, numbers, weights, candidate.dual)
        columns, tight, value_est = _basis_by_highs(matrix, wanted, promising)
        found = _from(simplex, Basis(columns, tight), most_steps=most_steps)
        if found is None and columns and value_est < _CARRIES:
            found = _attained(simplex, columns)
    if found is None:
        heaviest = int(numbers[np.argmax(weights)])
        found = _from(simplex, simplex.trivial_basis(heaviest), most_steps=most_steps)
    if found is None:
        raise NotCertified(f"pivots = {simplex.steps}: no exact vertex within {most_steps} pivots")
    return found


def _from(simplex: ExactSimplex, basis: Basis | None, *, most_steps: int) -> Vertex | None:
    """The vertex reached from a basis, if that is feasible and the pivots suffice."""
    if basis is None or not 0 < len(basis.columns) == len(basis.tight):
        return None
    try:
        if not simplex.point(basis).is_feasible:
            return None
        reached = simplex.run(basis, most_steps=simplex.steps + most_steps)
    except SingularBasis:
        return None
    if reached is None:
        return None
    columns, point, dual = reached[0].columns, reached[1], reached[2]
    return _proved(simplex, columns, point.weights, point.total, dual)


def _attained(simplex: ExactSimplex, columns: tuple[int, ...]) -> Vertex | None:
    """A density that meets every target exactly, if these columns determine one."""
    fit = simplex.attaining(columns)
    if fit is None or min(fit[0]) < 0:
        return None
    return _proved(simplex, columns, *fit, [0] * simplex.matrix.rows)


def _proved(simplex: ExactSimplex, columns: tuple[int, ...], weights: list[int], total: int, dual: list[int]) -> Vertex:
    """The vertex, after the one check that matters: density and dual weights have the same value."""
    kept = [i for i, weight in enumerate(weights) if weight]
    numbers, heavy = np.array([columns[i] for i in kept], dtype=np.int64), tuple(weights[i] for i in kept)
    value = primal_value(simplex.matrix, simplex.target, numbers, heavy, total)
    if min(heavy) < 0 or sum(heavy) != total or dual_value(simplex.matrix, simplex.target, dual) != value:
        raise NotCertified("the exact vertex is not optimal: density and dual weights differ in value")
    return Vertex(value, numbers, heavy, total, tuple(dual), simplex.steps)


def _active_set(
    residual: NDArray[np.float64], numbers: NDArray[np.int64], weights: NDArray[np.float64]
) -> Basis | None:
    """The basis that the candidate suggests, if as many columns carry weight as rows are tight."""
    size = np.abs(residual)
    rows = np.flatnonzero(size > size.max() - _CARRIES)
    columns = numbers[weights > _CARRIES]
    if rows.size != columns.size:
        return None
    return Basis(tuple(columns.tolist()), tuple((int(i), 1 if residual[i] > 0 else -1) for i in rows))


def _promising(
    matrix: ExactColumns, numbers: NDArray[np.int64], weights: NDArray[np.float64], dual: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The columns with most weight and those with the lowest prices."""
    most = _PROMISING * matrix.rows + 50
    heavy = numbers[np.argsort(-weights, kind="stable")[:most]]
    if matrix.columns <= most:
        return np.arange(matrix.columns)
    prices = matrix.price(np.where(np.isfinite(dual), dual, 0.0))
    cheap = np.argsort(prices, kind="stable")[:most]
    return np.unique(np.concatenate([heavy, cheap])).astype(np.int64)


def _basis_by_highs(
    matrix: ExactColumns, wanted: NDArray[np.float64], numbers: NDArray[np.int64]
) -> tuple[tuple[int, ...], tuple[TightRow, ...], float]:
    """Basic columns, tight rows and the value in the final basis of HiGHS. None of it is trusted."""
    import highspy

    from lp.programme.small_simplex import solved_by_highs

    entries = matrix.columns_at(numbers) / matrix.family.denominator
    solver = solved_by_highs(entries, wanted)
    basis = solver.getBasis()
    basic = highspy.HighsBasisStatus.kBasic
    columns = tuple(int(number) for number, s in zip(numbers, basis.col_status, strict=False) if s == basic)
    signs = [(i, sign) for sign in (1, -1) for i in range(matrix.rows)]
    tight = tuple(row for row, s in zip(signs, basis.row_status, strict=False) if s != basic)
    return columns, tight, float(solver.getObjectiveValue())
