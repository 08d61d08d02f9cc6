"""Synthetic rows from the fitted density: how many, and how much error they add.

Rounding and drawing-until-it-fits never fail, because both the rows and the density are computed from the
noisy answers alone and can be compared. Proofs: docs/proofs/synthbounds.rows.md.
"""

from __future__ import annotations

from collections.abc import Callable

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Derived, Formula, Term
from bounds.quantities import Quantities

LABELS = {
    "rounding": "largest-remainder rounding of an LP vertex",
    "drawing": "independent draws, repeated until they fit",
    "sampling": "independent draws",
    "columns": "columns with the right shares (degree 1)",
    "shuffling": "columns with the right shares, shuffled until they fit",
}
FAILURE_FREE = ("rounding", "drawing")

RowFunction = Callable[[Quantities, Arithmetic, Number], Number]


def _rounding_error(q: Quantities, A: Arithmetic, k: Number) -> Number:
    return q.R * (q.rank + 1) / (4 * k)


def _rounding_count(q: Quantities, A: Arithmetic, error: Number) -> Number:
    return q.R * (q.rank + 1) / (4 * error)


def _drawing_error(q: Quantities, A: Arithmetic, k: Number) -> Number:
    return q.R * A.sqrt(A.log(4 * q.F_varying) / (2 * k))


def _drawing_count(q: Quantities, A: Arithmetic, error: Number) -> Number:
    return q.R**2 * A.log(4 * q.F_varying) / (2 * error**2)


def _sampling_error(q: Quantities, A: Arithmetic, k: Number) -> Number:
    return q.R * A.sqrt(A.log(2 * q.F_varying / q.gamma) / (2 * k))


def _sampling_count(q: Quantities, A: Arithmetic, error: Number) -> Number:
    return q.R**2 * A.log(2 * q.F_varying / q.gamma) / (2 * error**2)


def _shares(q: Quantities, A: Arithmetic) -> Number:
    """k times what whole rows add to the shares of columns, in a query of the highest degree."""
    return q.R * q.degree * A.max(A.ratio(1), q.t / 4)


def _columns_error(q: Quantities, A: Arithmetic, k: Number) -> Number:
    return _shares(q, A) / k


def _columns_count(q: Quantities, A: Arithmetic, error: Number) -> Number:
    return _shares(q, A) / error


def _order(q: Quantities, A: Arithmetic) -> Number:
    """sqrt(k) times what the order of the columns adds to the queries of several of them."""
    return q.R * A.sqrt(A.log(4 * (q.F_varying - q.one_F_varying)) / 2)


def _shuffling_error(q: Quantities, A: Arithmetic, k: Number) -> Number:
    return _shares(q, A) / k + _order(q, A) / A.sqrt(k)


def _shuffling_count(q: Quantities, A: Arithmetic, error: Number) -> Number:
    order = _order(q, A)
    return ((order + A.sqrt(order**2 + 4 * _shares(q, A) * error)) / (2 * error)) ** 2


_ERROR: dict[str, RowFunction] = {
    "rounding": _rounding_error,
    "drawing": _drawing_error,
    "sampling": _sampling_error,
    "columns": _columns_error,
    "shuffling": _shuffling_error,
}
_COUNT: dict[str, RowFunction] = {
    "rounding": _rounding_count,
    "drawing": _drawing_count,
    "sampling": _sampling_count,
    "columns": _columns_count,
    "shuffling": _shuffling_count,
}


def _row_error(q: Quantities, A: Arithmetic) -> Number:
    """e_k: 0 when the density is released, known when k is given, else a quarter of 8 delta."""
    if q.choices.density_released:
        return A.ratio(0)
    if q.choices.k_given:
        return least_row_error(q, A, q.k)
    return 2 * q.delta


def least_row_error(q: Quantities, A: Arithmetic, k: Number) -> Number:
    """e_k by the better of the constructions that are allowed."""
    return A.min(*(_ERROR[name](q, A, k) for name in q.choices.rows))


def row_error_at(name: str) -> Formula:
    """e_k of one construction at a given k."""
    return lambda q, A: _ERROR[name](q, A, q.k)


def _rows_needed(name: str) -> Formula:
    return lambda q, A: _COUNT[name](q, A, q.e_k)


def _least_rows(q: Quantities, A: Arithmetic) -> Number:
    return A.min(*(getattr(q, f"k_{name}") for name in q.choices.rows))


def row_quantities(allowed: tuple[str, ...] = FAILURE_FREE, error: Formula = _row_error) -> tuple[Derived, ...]:
    """e_k and the number of rows that each construction needs for it."""
    return (
        Derived("e_k", "error of the synthetic records", error),
        *(Derived(f"k_{name}", f"records by {LABELS[name]}", _rows_needed(name), name) for name in allowed),
    )


ROWS_TERM = Term("k", "synthetic records", _least_rows)
