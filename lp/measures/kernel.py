"""The Gaussian kernel on one axis of the unit cube, reflected at its ends or not: certified constants, integer tables.

The reflected kernel r(y, u) integrates to 1 over [0, 1] for every u; without reflection half of the mass is lost at a
face. The constants bound what one record can move on a lattice, in ball arithmetic. The tables hold the kernel rounded
down to integers; how far one record can move them depends only on these integers, whatever floats they were made from.
Proofs: docs/proofs/synthbounds.bernstein-measure.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from flint import arb

from bounds.enclosure import Enclosure, as_fmpq
from bounds.errors import ParameterError
from bounds.exact import require_range
from bounds.privacy.adjacency import Adjacency
from bounds.solve import enclose
from bounds.special import theta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

KERNELS = ("reflected", "plain")
SMALLEST_BANDWIDTH, LARGEST_BANDWIDTH = Fraction(1, 1000), Fraction(10)
MOST_TABLE_ENTRIES = 2**24
_GUARD = 1 - 2.0**-32
"""Far above the relative error of the floats, so that a table entry is never above the kernel's value."""


@dataclass(frozen=True)
class KernelConstants:
    """Of one axis: supremum and infimum of the kernel, and a bound on its sum over the lattice 0, 1/k, ..., 1."""

    sup: Enclosure
    inf: Enclosure
    lattice_sum: Enclosure


def kernel_constants(*, degree: int, bandwidth: Fraction, kernel: str = "reflected") -> KernelConstants:
    """Certified constants of the kernel; attained by the reflected one, whose sum is largest at the ends.

    >>> found = kernel_constants(degree=144, bandwidth=Fraction("0.052221"))
    >>> found.sup.decimal(5)[1], round(float(found.lattice_sum.hi) * 0.052221, 4)
    ('15.279', 7.9188)
    """
    require_kernel(degree=degree, bandwidth=bandwidth, kernel=kernel)
    h = as_fmpq(bandwidth)

    def scaled(value: arb) -> arb:
        return value / ((2 * arb.pi()).sqrt() * h)

    fine, coarse, doubled = 1 / (2 * degree**2 * h**2), 1 / (2 * h**2), 2 / h**2
    if kernel == "plain":
        return KernelConstants(
            sup=enclose(lambda: scaled(arb(1))),
            inf=enclose(lambda: scaled((-arb(coarse)).exp())),
            lattice_sum=enclose(lambda: scaled(theta(arb(fine)))),
        )
    return KernelConstants(
        sup=enclose(lambda: scaled(2 * theta(arb(doubled)))),
        inf=enclose(lambda: scaled(2 * (theta(arb(coarse)) - theta(arb(doubled))))),
        lattice_sum=enclose(lambda: scaled(theta(arb(fine)) + theta(arb(coarse)))),
    )


def lattice_sensitivity(constants: KernelConstants, *, p: int, degree: int, adjacency: Adjacency) -> Fraction:
    """A certified bound on the L1 distance that one record moves the sum of product kernels on the whole lattice.

    The smaller of (k+1)^p times the exact sensitivity of one value, sup^p - inf^p, and twice the largest lattice sum.
    Under add-remove a record brings its own lattice sum, once.
    """
    lattice: int = (degree + 1) ** p
    largest: Fraction = constants.sup.hi**p
    by_sum: Fraction = constants.lattice_sum.hi**p
    if adjacency is Adjacency.ADD_REMOVE:
        return min(lattice * largest, by_sum)
    return min(lattice * value_sensitivity(constants, p=p), 2 * by_sum)


def value_sensitivity(constants: KernelConstants, *, p: int) -> Fraction:
    """A certified bound on what replacing one record moves one value of the sum of product kernels."""
    found: Fraction = constants.sup.hi**p - max(constants.inf.lo, Fraction(0)) ** p
    return found


def kernel_values(
    y: NDArray[np.float64], u: NDArray[np.float64], *, bandwidth: Fraction, kernel: str = "reflected"
) -> NDArray[np.float64]:
    """The kernel of one axis in floats: rows for u, columns for y."""
    h = float(bandwidth)
    at, of = y[None, :], u[:, None]
    if kernel == "plain":
        found = np.exp(-(((at - of) / h) ** 2) / 2)
        return np.asarray(found / (np.sqrt(2 * np.pi) * h))
    if bandwidth >= Fraction(1, 2):  # the cosine series is the short one for a wide kernel
        found = np.ones((u.size, y.size))
        for j in range(1, 20):  # the last term is below exp(-400)
            found += 2 * np.exp(-((np.pi * j * h) ** 2) / 2) * np.cos(np.pi * j * at) * np.cos(np.pi * j * of)
        return found
    found = np.zeros((u.size, y.size))
    for j in range(-3, 4):  # further images are at least 10 bandwidths away
        found += np.exp(-(((at - of - 2 * j) / h) ** 2) / 2) + np.exp(-(((at + of - 2 * j) / h) ** 2) / 2)
    return np.asarray(found / (np.sqrt(2 * np.pi) * h))


@dataclass(frozen=True)
class AxisTable:
    """The kernel of one axis as integers in units of 2^-bits: a row for every code, a column for a lattice point."""

    entries: NDArray[np.int64]

    @property
    def largest_sum(self) -> int:
        """The largest sum of a row: what one record can bring to the lattice."""
        return int(self.entries.sum(axis=1).max())

    @property
    def sum_of_largest(self) -> int:
        """The sum over the lattice of the largest entry there."""
        return int(self.entries.max(axis=0).sum())

    @property
    def sum_of_least(self) -> int:
        """The sum over the lattice of the least entry there."""
        return int(self.entries.min(axis=0).sum())


def axis_table(*, size: int, degree: int, bandwidth: Fraction, bits: int, kernel: str = "reflected") -> AxisTable:
    """The kernel between every code of an attribute and every lattice point, rounded down to units of 2^-bits."""
    require_kernel(degree=degree, bandwidth=bandwidth, kernel=kernel)
    if size * (degree + 1) > MOST_TABLE_ENTRIES:
        raise ParameterError(
            "degree", degree, f"at most {MOST_TABLE_ENTRIES // size - 1}", f"an attribute with {size} codes"
        )
    lattice, values = np.arange(degree + 1) / degree, np.arange(size) / (size - 1)
    floats = kernel_values(lattice, values, bandwidth=bandwidth, kernel=kernel)
    return AxisTable(np.floor(np.ldexp(floats * _GUARD, bits)).astype(np.int64))


def table_sensitivity(tables: Sequence[AxisTable], adjacency: Adjacency) -> int:
    """A bound, exact in integers, on the L1 distance that one record moves the sum of products of table entries."""
    largest = prod(table.largest_sum for table in tables)
    if adjacency is Adjacency.ADD_REMOVE:
        return largest
    common = prod(table.sum_of_least for table in tables)
    return min(prod(table.sum_of_largest for table in tables) - common, 2 * (largest - common))


def require_kernel(*, degree: int, bandwidth: Fraction, kernel: str) -> None:
    if kernel not in KERNELS:
        raise ParameterError("kernel", kernel, "one of " + ", ".join(KERNELS))
    require_range("degree", degree, degree, least=1, most=4096, reason="Bernstein degree on each axis")
    require_range("bandwidth", bandwidth, bandwidth, least=SMALLEST_BANDWIDTH, most=LARGEST_BANDWIDTH)
