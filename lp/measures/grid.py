"""The grid histogram for real attributes (IV.1'' and synthbounds.lipschitz-grid): cubes of the unit cube as cells.

A real attribute is a fine grid of codes, so a cube is a set of codes: code c of an attribute with `size` codes lies in
run floor(c q / size) of q. A point is drawn as a cell by weight and then uniformly among the codes of the cell. If q
divides the size this is exactly the theorem's cube, otherwise the faces of cells move by less than one code.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from bounds.enclosure import as_fmpq
from bounds.errors import ParameterError
from bounds.exact import Exact, parse_rational, require_range
from bounds.solve import ceiling, enclose
from lp.measures.cells import MOST_CELLS
from lp.measures.histogram import CellMeasure, histogram_measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from bounds.privacy.adjacency import Adjacency
    from bounds.privacy.ledger import Ledger
    from release.data.domain import Codes, Domain


def grid_measure(
    records: Codes,
    domain: Domain,
    *,
    cells_per_axis: int | Sequence[int],
    epsilon: Exact,
    adjacency: Adjacency | str,
    mode: str,
    generator: np.random.Generator | None = None,
    ledger: Ledger | None = None,
    variant: str = "covering",
    gamma: Exact = Fraction(1, 40),
    uniform_weight: Exact = Fraction(5, 14),
    most_cells: int = MOST_CELLS,
) -> CellMeasure:
    """A private histogram of cubes; `covering` needs no lower bound on the density, `plain` needs one (IV.1'')."""
    if cells_per_axis is None:
        raise ParameterError("cells_per_axis", cells_per_axis, "a number of cells, for all axes or for each")
    return histogram_measure(
        records,
        domain,
        epsilon=epsilon,
        adjacency=adjacency,
        mode=mode,
        generator=generator,
        ledger=ledger,
        cells_per_axis=cells_per_axis,
        variant=variant,
        gamma=gamma,
        uniform_weight=uniform_weight,
        most_cells=most_cells,
    )


def cells_for_lipschitz(p: int, lipschitz: Exact, *, tau: Exact | None = None) -> int:
    """The q of synthbounds.lipschitz-grid: part B without a lower bound tau on the density, part C with one.

    >>> cells_for_lipschitz(2, 6), cells_for_lipschitz(2, 6, tau="1/4"), cells_for_lipschitz(1, 4)
    (7, 7, 4)
    """
    slope = parse_rational(lipschitz, "lipschitz")
    require_range("lipschitz", slope, lipschitz, least=0, most=10**6)
    factor = Fraction(12)
    if tau is not None:
        least = parse_rational(tau, "tau")
        require_range("tau", least, tau, above=0, most=1)
        factor = 3 / least
    if slope == 0:
        return 1
    if p == 1:  # the Poincaré constant of an interval for Lipschitz functions, 1/12
        exact = factor * slope**2 / 12
        return max(1, ceiling(enclose(lambda: arb(as_fmpq(exact)).sqrt()).hi))
    return max(1, ceiling(enclose(lambda: arb(as_fmpq(factor * slope**2)).sqrt() / arb.pi()).hi))
