"""The perturbed histogram as a reference measure (Algorithm 2 of bojkovic2024), plain, mixed, shifted or covering.

Counts of all cells with Laplace noise, lifted by a public constant, clipped at zero, normalised, and perhaps mixed with
the uniform measure. Proofs: bojkovic2024.histogram (plain), bojkovic2024.histogram-floor (mixed, weight 5/14),
synthbounds.shifted-histogram (shifted), synthbounds.lipschitz-grid, part B (covering). If every cell is emptied the
measure is uniform. The theorems say how many records or points are enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from flint import arb

from bounds.enclosure import as_fmpq
from bounds.errors import ParameterError
from bounds.exact import Exact, parse_rational, require_range
from bounds.privacy.adjacency import Adjacency, read_adjacency
from bounds.privacy.sensitivity import l1_sensitivity
from bounds.solve import ceiling, enclose
from lp.measures import Paid, ReferencePoints, collapse
from lp.measures.cells import MOST_CELLS, Cells, cells_of
from lp.measures.draws import draw_flags, draw_generator, draw_indices, integer_weights, require_mode, require_points
from lp.measures.noisy import noisy_counts
from release.data.domain import Domain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bounds.privacy.ledger import Ledger
    from release.data.domain import Codes

VARIANTS = ("plain", "mixed", "shifted", "covering")
MIXING_WEIGHT = Fraction(5, 14)
"""Weight of the uniform measure in `mixed` that bounds the density ratio by 14/5."""
COVERING_WEIGHT = Fraction(1, 5)
"""a / (1 + a) for a = 1/4."""
COVERING_ETA = Fraction(1, 4)


@dataclass(frozen=True)
class CellMeasure:
    """Integer weights of cells, mixed with the uniform measure over cells; uniform inside each cell."""

    cells: Cells
    weights: NDArray[np.int64]
    uniform_weight: Fraction
    emptied: bool
    """Whether every cell was clipped to zero, so that the measure is uniform."""
    paid: Paid
    description: str

    def probability(self, cell: int) -> Fraction:
        """The exact probability of a cell."""
        own = Fraction(int(self.weights[cell]), int(self.weights.sum()))
        return (1 - self.uniform_weight) * own + self.uniform_weight / self.cells.count

    def probabilities_est(self) -> NDArray[np.float64]:
        """The probabilities of all cells in floats."""
        found = normalised(self.weights.astype(np.float64), uniform_weight=float(self.uniform_weight))
        assert found is not None
        return found

    def draw(self, m: int, generator: np.random.Generator | None = None) -> ReferencePoints:
        """m independent points: a cell by its exact probability, then a uniform point of the cell."""
        require_points(m)
        stream = draw_generator(simulated=self.paid.measurement.is_simulated, generator=generator)
        numbers = draw_indices(self.weights, m, stream)
        if self.uniform_weight:
            uniform = draw_flags(self.uniform_weight, m, stream)
            numbers[uniform] = stream.integers(self.cells.count, size=int(uniform.sum()))
        codes = self.cells.draw_inside(numbers, stream)
        said = f"{m} points from a {self.description}"
        return collapse(codes, self.cells.domain, drawn=m, paid=self.paid, description=said)


def histogram_measure(
    records: Codes,
    domain: Domain,
    *,
    epsilon: Exact,
    adjacency: Adjacency | str,
    mode: str,
    generator: np.random.Generator | None = None,
    ledger: Ledger | None = None,
    cells_per_axis: int | Sequence[int] | None = None,
    variant: str = "plain",
    gamma: Exact = Fraction(1, 20),
    uniform_weight: Exact = MIXING_WEIGHT,
    most_cells: int = MOST_CELLS,
) -> CellMeasure:
    """A private histogram of the records on every point of the domain, or on a grid of cells.

    `gamma` is the probability with which `shifted` and `covering` may be lifted too little; `uniform_weight` is used by
    `mixed`. Noise is added in a release exactly, on integers; in a simulation by numpy.
    """
    simulated = require_mode(mode)
    relation = read_adjacency(adjacency)
    budget = parse_rational(epsilon, "epsilon")
    cells = cells_of(domain, cells_per_axis, most_cells=most_cells)
    moved = 2 if relation is Adjacency.REPLACE_ONE else 1
    lift, weight = shape(
        variant, cells=cells.count, scale=moved / _positive(budget), gamma=gamma, uniform_weight=uniform_weight
    )
    counts = cells.counts(records)
    # The number of records is shown nowhere: under add-remove it is not public.
    sensitivity = l1_sensitivity(
        value=moved,
        adjacency=relation,
        n_is_public=relation is Adjacency.REPLACE_ONE,
        text=f"counts of {cells.count} cells",
    )
    paid = noisy_counts(
        counts.tolist(),
        n=len(records),
        sensitivity=sensitivity,
        epsilon=budget,
        mode=mode,
        generator=generator,
        ledger=ledger,
    )
    zero = 0.0 if simulated else 0
    clipped = [max(value + lift, zero) for value in paid.measurement.values]
    where = "points" if cells.are_points else "grid cells"
    return CellMeasure(
        cells=cells,
        weights=integer_weights(clipped),
        uniform_weight=weight,
        emptied=not any(clipped),
        paid=paid,
        description=f"{variant} perturbed histogram of {cells.count} {where}{', simulated' if simulated else ''}",
    )


def shape(
    variant: str, *, cells: int, scale: Fraction, gamma: Exact = Fraction(1, 20), uniform_weight: Exact = MIXING_WEIGHT
) -> tuple[int, Fraction]:
    """By how much counts are lifted, and the weight of the uniform measure.

    The lift is at least scale log(cells / gamma), rounded up to an integer: discrete noise of that scale exceeds an
    integer B with probability at most exp(-B / scale), as continuous noise does.

    >>> shape("shifted", cells=32, scale=Fraction(10))
    (65, Fraction(0, 1))
    """
    if variant not in VARIANTS:
        raise ParameterError("variant", variant, "one of " + ", ".join(VARIANTS))
    if variant == "plain":
        return 0, Fraction(0)
    if variant == "mixed":
        weight = parse_rational(uniform_weight, "uniform_weight")
        require_range("uniform_weight", weight, uniform_weight, least=0, most=1)
        require_range("uniform_weight", weight.denominator, uniform_weight, most=2**62, reason="its denominator")
        return 0, weight
    failure = parse_rational(gamma, "gamma")
    require_range("gamma", failure, gamma, above=0, below=1)
    log = enclose(lambda: arb(as_fmpq(cells / failure)).log()).hi
    if variant == "shifted":
        return ceiling(scale * log), Fraction(0)
    return ceiling(scale * log) + ceiling(
        log / (2 * COVERING_ETA)
    ), COVERING_WEIGHT  # noise and counts, each on its own


def normalised(clipped: NDArray[np.float64], *, uniform_weight: float = 0.0) -> NDArray[np.float64] | None:
    """Clipped counts as probabilities, mixed with the uniform measure; None if all are zero and nothing is mixed in."""
    total = clipped.sum()
    if total > 0:
        return np.asarray((1 - uniform_weight) * (clipped / total) + uniform_weight / clipped.size)
    return np.full(clipped.size, 1 / clipped.size) if uniform_weight else None


def _positive(epsilon: Fraction) -> Fraction:
    require_range("epsilon", epsilon, epsilon, above=0)
    return epsilon
