"""The Bernstein mechanism on a Gaussian kernel estimate as a reference measure (Algorithm 3 of bojkovic2024).

The kernel estimate is evaluated on the lattice {0, 1/k, ..., 1}^p, in integers; noise is added to all (k+1)^p values,
calibrated to how far one record moves them together; the noisy values become coefficients of a Bernstein polynomial,
are clipped and normalised. The polynomial is a mixture of products of Beta densities and is drawn from as such. The
scale that the paper prints is too small for p >= 2: it can be simulated, never released. All claims are proved in
docs/proofs/synthbounds.bernstein-measure.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.enclosure import decimal_text
from bounds.errors import NotApplicable, ParameterError, UsageError
from bounds.exact import Exact, parse_rational, require_range
from bounds.privacy.adjacency import Adjacency, read_adjacency
from bounds.privacy.sensitivity import l1_sensitivity
from bounds.solve import ceiling
from lp.measures import Paid, ReferencePoints, collapse
from lp.measures.draws import draw_generator, draw_indices, integer_weights, require_mode, require_points
from lp.measures.iterated import iterated_coefficients
from lp.measures.kernel import (
    AxisTable,
    KernelConstants,
    axis_table,
    kernel_constants,
    lattice_sensitivity,
    table_sensitivity,
    value_sensitivity,
)
from lp.measures.noisy import noisy_counts
from release.data.domain import Domain, require_records

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bounds.privacy.ledger import Ledger
    from release.data.domain import Codes

CALIBRATIONS = ("tight", "printed")
MOST_LATTICE = 2**20
"""Every lattice point gets its own noise, drawn exactly."""
_SUM_BITS, _LEAST_BITS, _MOST_BITS = 61, 4, 30
_SCALES = 64
"""Noise beyond this many scales has probability exp(-64); 64-bit integers leave room for it."""
_RECORDS_UNKNOWN = 2**32
"""Under add-remove nothing may depend on the number of records, not even the unit of the sums."""
_BLOCK = 2**20


@dataclass(frozen=True)
class BernsteinMeasure:
    """A mixture of products of Beta(l_i + 1, k - l_i + 1) densities with integer weights, last axis fastest."""

    domain: Domain
    degree: int
    weights: NDArray[np.int64]
    emptied: bool
    """Whether every coefficient was clipped to zero, so that the measure is uniform."""
    noise_scale: Fraction
    """Scale of the noise in the sum of kernels over the records; divide by their number for the density."""
    paid: Paid
    description: str

    def lattice(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        """The indices l_1, ..., l_p of these components."""
        return np.unravel_index(numbers, (self.degree + 1,) * self.domain.p)

    def density_est(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """The density at points of the unit cube, in floats."""
        from scipy.special import gammaln, xlog1py, xlogy

        k, ell = self.degree, np.arange(self.degree + 1)
        binomials = gammaln(k + 1) - gammaln(ell + 1) - gammaln(k - ell + 1)
        found = self.weights.astype(np.float64) / self.weights.sum() * (k + 1) ** self.domain.p
        found = np.broadcast_to(found.reshape(-1), (len(points), found.size))
        for axis in reversed(range(self.domain.p)):
            at = points[:, axis, None]
            basis = np.exp(binomials + xlogy(ell, at) + xlog1py(k - ell, -at))
            found = np.einsum("mal,ml->ma", found.reshape(len(points), -1, k + 1), basis)
        return np.asarray(found[:, 0], dtype=np.float64)

    def draw(self, m: int, generator: np.random.Generator | None = None) -> ReferencePoints:
        """m independent points, rounded to the nearest codes."""
        stream = draw_generator(simulated=self.paid.measurement.is_simulated, generator=generator)
        codes = np.empty((m, self.domain.p), dtype=self.domain.code_type)
        for axis, values in enumerate(self.draw_values(m, stream)):
            codes[:, axis] = np.rint(values * (self.domain.sizes[axis] - 1))
        said = f"{m} points from a {self.description}"
        return collapse(codes, self.domain, drawn=m, paid=self.paid, description=said)

    def draw_values(self, m: int, generator: np.random.Generator) -> list[NDArray[np.float64]]:
        """m independent points of the unit cube, one array per axis: a component by its weight, then its Betas."""
        require_points(m)
        indices = self.lattice(draw_indices(self.weights, m, generator))
        return [generator.beta(ell + 1, self.degree - ell + 1) for ell in indices]


def bernstein_measure(
    records: Codes,
    domain: Domain,
    *,
    degree: int,
    bandwidth: Exact,
    epsilon: Exact,
    adjacency: Adjacency | str,
    mode: str,
    generator: np.random.Generator | None = None,
    ledger: Ledger | None = None,
    order: int = 1,
    floor: Exact = 0,
    kernel: str = "reflected",
    calibration: str = "tight",
    most_lattice: int = MOST_LATTICE,
) -> BernsteinMeasure:
    """A private density on the unit cube of the attributes' scaled values.

    `degree` is k on every axis, `order` the number of iterations of the Bernstein operator, `floor` a density below
    which no coefficient is clipped (its use makes n public, so it needs replace-one). `calibration="printed"` takes the
    paper's scale S(k+1)/epsilon, which is for simulations only.
    """
    simulated = require_mode(mode)
    relation = read_adjacency(adjacency)
    budget, width = parse_rational(epsilon, "epsilon"), parse_rational(bandwidth, "bandwidth")
    require_range("epsilon", budget, epsilon, above=0)
    least = parse_rational(floor, "floor")
    _require_settings(domain, degree, least, relation, calibration, simulated=simulated, most_lattice=most_lattice)
    require_records(records, domain)
    constants = kernel_constants(degree=degree, bandwidth=width, kernel=kernel)
    bits = _unit_bits(constants, domain.p, degree, relation, budget, len(records))
    by_size = {
        size: axis_table(size=size, degree=degree, bandwidth=width, bits=bits, kernel=kernel)
        for size in sorted(set(domain.sizes))
    }
    tables = [by_size[size] for size in domain.sizes]
    unit = 2 ** (bits * domain.p)
    moved = max(1, table_sensitivity(tables, relation))
    used = moved if calibration == "tight" else (degree + 1) * ceiling(value_sensitivity(constants, p=domain.p) * unit)
    sensitivity = l1_sensitivity(
        value=used,
        adjacency=relation,
        n_is_public=relation is Adjacency.REPLACE_ONE,
        text=f"sums of kernels at {(degree + 1) ** domain.p} lattice points, in units of 2^-{bits * domain.p}",
    )
    paid = noisy_counts(
        lattice_sums(records, tables).tolist(),
        n=len(records),
        sensitivity=sensitivity,
        epsilon=budget,
        mode=mode,
        generator=generator,
        ledger=ledger,
    )
    whole = np.array([round(value) for value in paid.measurement.values], dtype=object).reshape(
        (degree + 1,) * domain.p
    )
    coefficients, denominator = iterated_coefficients(whole, degree, order)
    lowest = ceiling(least * len(records) * unit * denominator)
    clipped = [max(int(value), lowest) for value in coefficients.reshape(-1)]
    said = f"Bernstein density of degree {degree} and order {order}, {kernel} kernel of bandwidth {width}"
    if calibration == "printed":
        ratio = Fraction(largest_move_found(tables), used)
        said += f", NOT PRIVATE: with the printed noise scale the privacy loss is at least {_short(ratio)} epsilon"
    return BernsteinMeasure(
        domain=domain,
        degree=degree,
        weights=integer_weights(clipped),
        emptied=not any(clipped),
        noise_scale=paid.scale / unit,
        paid=paid,
        description=said + (", simulated" if simulated else ""),
    )


def lattice_sums(records: Codes, tables: Sequence[AxisTable]) -> NDArray[np.int64]:
    """The sum over all records of the product of table entries, at every lattice point: exact integers."""
    distinct, counts = np.unique(records, axis=0, return_counts=True)
    p, columns = len(tables), tables[0].entries.shape[1]
    left_axes = (p + 1) // 2
    total = np.zeros((columns**left_axes, columns ** (p - left_axes)), dtype=np.int64)
    step = max(1, _BLOCK // total.shape[0])
    for start in range(0, len(distinct), step):
        block = distinct[start : start + step]
        left = _row_products(counts[start : start + step, None], block, tables, range(left_axes))
        right = _row_products(np.ones((len(block), 1), dtype=np.int64), block, tables, range(left_axes, p))
        total += left.T @ right
    return total.reshape(-1)


def _row_products(
    start: NDArray[np.int64], block: Codes, tables: Sequence[AxisTable], axes: range
) -> NDArray[np.int64]:
    found = start
    for axis in axes:
        rows = tables[axis].entries[block[:, axis]]
        found = (found[:, :, None] * rows[:, None, :]).reshape(len(block), -1)
    return found


def largest_move_found(tables: Sequence[AxisTable]) -> int:
    """A lower bound on how far replacing one record moves them: the largest of a few pairs on the diagonal, exactly."""
    points = [
        _row_products(
            np.ones((1, 1), dtype=np.int64),
            np.array([[(len(table.entries) - 1) * step // 10 for table in tables]]),
            tables,
            range(len(tables)),
        )
        for step in range(11)
    ]
    return max(int(np.abs(a - b).sum()) for a in points for b in points)


def _unit_bits(
    constants: KernelConstants, p: int, degree: int, adjacency: Adjacency, epsilon: Fraction, records: int
) -> int:
    """Bits of a table entry after the point, from public numbers, such that sums and noise fit into 64 bits."""
    if adjacency is Adjacency.ADD_REMOVE:
        records = _RECORDS_UNKNOWN
    one = Fraction(1)
    moved = lattice_sensitivity(constants, p=p, degree=degree, adjacency=adjacency)
    largest = max(records * constants.sup.hi**p, _SCALES * max(moved, one) / min(epsilon, one))
    bits = min(_MOST_BITS, (_SUM_BITS - ceiling(largest).bit_length()) // p)
    if bits < _LEAST_BITS:
        raise NotApplicable(
            f"degree {degree} and {p} attributes: sums and noise do not fit into 64-bit integers; "
            "use a wider bandwidth, a larger epsilon or a grid histogram"
        )
    return bits


def _require_settings(
    domain: Domain,
    degree: int,
    floor: Fraction,
    adjacency: Adjacency,
    calibration: str,
    *,
    simulated: bool,
    most_lattice: int,
) -> None:
    if calibration not in CALIBRATIONS:
        raise ParameterError("calibration", calibration, "one of " + ", ".join(CALIBRATIONS))
    if calibration == "printed":
        if not simulated:
            raise UsageError("calibration = printed: the paper's noise scale is not private and is only simulated")
        if adjacency is not Adjacency.REPLACE_ONE:
            raise ParameterError("adjacency", adjacency.value, "replace-one", "the paper's noise scale is for it")
    require_range("floor", floor, floor, least=0, most=10**6)
    if floor and adjacency is not Adjacency.REPLACE_ONE:
        raise ParameterError("floor", floor, "0 under add-remove", "a floor needs the number of records")
    require_range("degree", degree, degree, least=1)
    if (degree + 1) ** domain.p > most_lattice:
        raise ParameterError(
            "degree",
            degree,
            f"such that the lattice has at most {most_lattice} points",
            f"each needs its own noise; here there are about 2^{((degree + 1) ** domain.p).bit_length() - 1}",
        )


def _short(value: Fraction) -> str:
    return decimal_text(value, 4, up=False)
