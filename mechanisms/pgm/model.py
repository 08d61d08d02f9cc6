"""A fitted model: the shares of any columns, and rows drawn from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bounds.errors import ParameterError
from mechanisms.pgm.algebra import Underflow
from mechanisms.pgm.cover import cover
from mechanisms.pgm.layout import project
from mechanisms.pgm.rows import draw
from release.one_thread import one_thread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mechanisms.pgm.law import Law
    from mechanisms.pgm.measured import MeasuredTable
    from mechanisms.pgm.plan import Scope
    from release.data.domain import Codes

    Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """A distribution over records with codes below `sizes`; `total` is the number of records it stands for."""

    sizes: tuple[int, ...]
    total: float
    tables: tuple[MeasuredTable, ...]
    """All that was measured."""
    bases: tuple[Floats, ...]
    law: Law
    gap_est: float
    """Duality gap in nats, computed in floats."""
    evaluations: int

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Columns of the measured tables, each set once."""
        return tuple(dict.fromkeys(table.columns for table in self.tables))

    def marginal(self, columns: Sequence[int]) -> Floats:
        """Shares of the cells of some columns (increasing numbers), measured or not."""
        wanted = tuple(columns)
        return self.marginals([wanted])[wanted]

    def marginals(self, sets: Iterable[Sequence[int]]) -> dict[tuple[int, ...], Floats]:
        """Shares for many sets of columns at once, from few projections on unions of them."""
        wanted = [tuple(columns) for columns in sets]
        for columns in wanted:
            if list(columns) != sorted(set(columns)) or not all(0 <= u < len(self.sizes) for u in columns):
                raise ParameterError("columns", columns, "different column numbers of the model in increasing order")
        with one_thread():
            found, missing = {}, []
            for columns in wanted:
                home = next((k for k, h in enumerate(self.law.layout.homes) if set(columns) <= set(h)), None)
                if home is None:
                    missing.append(columns)
                else:
                    found[columns] = project(self.law.home_shares[home], self.law.layout.homes[home], columns)
            for union, inside in cover(self.sizes, missing):
                table = self.law.joint(union)
                found.update((columns, project(table, union, columns)) for columns in inside)
        return found

    def rows(self, k: int, stream: np.random.Generator) -> Codes:
        """k records of the model, as near to its tables as systematic sampling brings them."""
        with one_thread():
            try:
                return draw(self.law.sweep, k, stream)
            except Underflow:
                return draw(replace(self.law, in_logs=True).sweep, k, stream)
