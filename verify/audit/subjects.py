"""The mechanisms of the papers, and the shipped ones, as subjects of an audit at neighbouring inputs.

The audit is of the noisy vector from which a mechanism computes everything else. Whatever is computed from it, such as
a synthetic table, cannot reveal more and may reveal less; the papers' proofs of privacy are about the vector.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import ceil
from typing import TypeVar

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq
from bounds.errors import ParameterError
from bounds.privacy.adjacency import Adjacency
from bounds.solve import enclose
from verify.audit.answer_subjects import ANSWER_SUBJECTS
from verify.audit.cases import ADD, REPLACE, gaussian_case, laplace_case
from verify.audit.exact import Size, Vector, laplace_loss, logarithm, worst_pair
from verify.audit.log_subjects import LOG_SUBJECTS
from verify.audit.mechanism import Mechanism
from verify.audit.objective_subjects import OBJECTIVE_SUBJECTS
from verify.audit.subject import DELTA, Subject

Input = TypeVar("Input")
QUERIES, ACCURACY, GAMMA = 4, Fraction(1, 4), Fraction(1, 20)
CELLS = 3
DEGREE, BANDWIDTH = 10, Fraction(3, 10)


def laplace_over(
    query: Callable[[Input], Vector],
    pairs: Sequence[tuple[str, Input, Input]],
    scale: Size,
    *,
    epsilon: Fraction,
    adjacency: Adjacency,
) -> Mechanism:
    """Laplace noise on a query, at the worst of these pairs."""
    width = len(query(pairs[0][1]))
    worst = worst_pair(
        query, pairs, lambda a, b: laplace_loss(a, b, [scale] * width, epsilon=epsilon, delta=Fraction(0))
    )
    _, one, other = next(pair for pair in pairs if pair[0] == worst.pair)
    made = laplace_case(query(one), query(other), scale, epsilon=epsilon, adjacency=adjacency)
    return replace(made, exact=lambda: worst)


def records_needed(epsilon: Fraction) -> int:
    """n of Theorem II.1, part 1, of bojkovic2024, rounded up."""
    return ceil(2 * QUERIES / (epsilon * ACCURACY) * logarithm(QUERIES / GAMMA).hi)


def _algorithm_1(epsilon: Fraction, n: int) -> Mechanism:
    """sigma = delta/log(F/gamma) does not depend on n; one record moves each mean by at most 2/n."""
    log = logarithm(QUERIES / GAMMA)
    sigma = Enclosure(ACCURACY / log.hi, ACCURACY / log.lo)
    records = list(product((-1, 1), repeat=QUERIES))
    pairs = [(f"{a} to {b}", a, b) for a, b in combinations(records, 2)]
    return laplace_over(lambda x: [Fraction(v, n) for v in x], pairs, sigma, epsilon=epsilon, adjacency=REPLACE)


def _histogram(epsilon: Fraction, scale: Fraction, adjacency: Adjacency) -> Mechanism:
    """Counts of three cells; a record is a cell, or absent (None)."""

    def counts(cell: int | None) -> list[int]:
        return [2 + (cell == j) for j in range(CELLS)]

    cells: list[int | None] = list(range(CELLS))
    if adjacency is REPLACE:
        pairs = [(f"cell {a} to cell {b}", a, b) for a, b in combinations(cells, 2)]
    else:
        pairs = [(f"absent to cell {b}", None, b) for b in cells]
    return laplace_over(counts, pairs, scale, epsilon=epsilon, adjacency=adjacency)


def _lattice_of_means(epsilon: Fraction) -> Mechanism:
    """F(X, y) = mean of the first coordinates, for every y: all lattice values move by S = 1 in the same direction."""
    size = (DEGREE + 1) ** 2
    ends = [Fraction(0), Fraction(1, 2), Fraction(1)]
    pairs = [(f"x = {a} to x = {b}", a, b) for a, b in combinations(ends, 2)]
    return laplace_over(lambda x: [x] * size, pairs, (DEGREE + 1) / epsilon, epsilon=epsilon, adjacency=REPLACE)


def _kernel_values(record: tuple[Fraction, ...]) -> list[Enclosure]:
    """The Gaussian product kernel at every lattice point, without its constant 1/(2 pi h^2)."""

    def at(point: tuple[int, ...]) -> Enclosure:
        square = sum(((Fraction(ell, DEGREE) - u) / BANDWIDTH) ** 2 for ell, u in zip(point, record, strict=True))
        return enclose(lambda: (-arb(as_fmpq(Fraction(square))) / 2).exp())

    return [at(point) for point in product(range(DEGREE + 1), repeat=len(record))]


def _kernel(epsilon: Fraction, *, corrected: bool) -> Mechanism:
    points = [Fraction(i, 10) for i in (0, 2, 3, 5, 7, 8, 10)]
    values = {u: _kernel_values((u, u)) for u in points}
    pairs = [(f"({a}, {a}) to ({b}, {b})", a, b) for a, b in combinations(points, 2)]
    scale = _corrected_scale(epsilon) if corrected else _printed_scale(epsilon)
    return laplace_over(lambda u: values[u], pairs, scale, epsilon=epsilon, adjacency=REPLACE)


def _printed_scale(epsilon: Fraction) -> Enclosure:
    """S(k+1)/epsilon, where one record moves one value by at most S."""
    least = enclose(lambda: (-arb(as_fmpq(2 / (2 * BANDWIDTH**2)))).exp())
    return Enclosure((1 - least.hi) * (DEGREE + 1) / epsilon, (1 - least.lo) * (DEGREE + 1) / epsilon)


def _corrected_scale(epsilon: Fraction) -> Fraction:
    """The library's sensitivity of the whole lattice, without the kernel's constant, rounded up."""
    from lp.measures.kernel import kernel_constants, lattice_sensitivity

    constants = kernel_constants(degree=DEGREE, bandwidth=BANDWIDTH, kernel="plain")
    whole = lattice_sensitivity(constants, p=2, degree=DEGREE, adjacency=REPLACE)
    found: Fraction = whole / constants.sup.lo**2 / epsilon
    return found


def _gaussian(releases: int, factor: Fraction, inside: Fraction, epsilon: Fraction, part: int) -> Mechanism:
    """Releases of (sigma/sensitivity)^2 = factor log(inside)/(epsilon/part)^2 that all move by their sensitivity."""
    log = logarithm(inside)
    unit = factor / (epsilon / part) ** 2
    variance = Enclosure(log.lo * unit, log.hi * unit)
    return gaussian_case([0] * releases, [1] * releases, variance, epsilon=epsilon, delta=DELTA, adjacency=ADD)


_ALL = "the worst of all pairs of records"
_BOJKOVIC = "bojkovic2024"

SUBJECTS: tuple[Subject, ...] = (
    Subject(
        name="algorithm-1", where=f"{_BOJKOVIC}, Theorem II.1", title="noisy means with the n of the theorem",
        inputs=f"four test functions with values -1 and 1, delta = 1/4, gamma = 1/20; {_ALL}",
        make=lambda e: _algorithm_1(e, records_needed(e)), violates=False,
    ),
    Subject(
        name="algorithm-1-few-records", where=f"{_BOJKOVIC}, Algorithm 1",
        title="the same noise with a quarter of the records: nothing in the algorithm stops it",
        inputs=f"four test functions with values -1 and 1, delta = 1/4, gamma = 1/20; {_ALL}",
        make=lambda e: _algorithm_1(e, max(1, records_needed(e) // 4)), violates=True,
    ),
    Subject(
        name="histogram", where=f"{_BOJKOVIC}, Algorithm 2", title="perturbed histogram, noise of scale 2/epsilon",
        inputs=f"three cells; {_ALL}", make=lambda e: _histogram(e, 2 / e, REPLACE), violates=False,
    ),
    Subject(
        name="histogram-half-scale", where=f"{_BOJKOVIC}, Algorithm 2",
        title="perturbed histogram, noise of scale 1/epsilon although a record can be replaced",
        inputs=f"three cells; {_ALL}", make=lambda e: _histogram(e, 1 / e, REPLACE), violates=True,
    ),
    Subject(
        name="histogram-add-remove", where=f"{_BOJKOVIC}, Algorithm 2",
        title="perturbed histogram, noise of scale 1/epsilon, a record is present or absent",
        inputs=f"three cells; {_ALL}", make=lambda e: _histogram(e, 1 / e, ADD), violates=False,
    ),
    Subject(
        name="bernstein-printed", where=f"{_BOJKOVIC}, Algorithm 3",
        title="Bernstein mechanism with the printed scale S(k+1)/epsilon, p = 2, k = 10",
        inputs="the mean of the first coordinates; other functions may lose less, but none more",
        make=_lattice_of_means, violates=True,
    ),
    Subject(
        name="bernstein-printed-kernel", where=f"{_BOJKOVIC}, Algorithm 3",
        title="the same on a Gaussian kernel estimate, p = 2, k = 10, h = 0.3",
        inputs="the worst of 21 pairs of records on the diagonal; others may be worse",
        make=lambda e: _kernel(e, corrected=False), violates=True,
    ),
    Subject(
        name="bernstein-corrected", where=f"{_BOJKOVIC}, Algorithm 3",
        title="the same with noise for the change of the whole lattice by a record",
        inputs="the worst of 21 pairs of records on the diagonal; the scale is proved for all",
        make=lambda e: _kernel(e, corrected=True), violates=False,
    ),
    Subject(
        name="gaussian-classical", where="the classical Gaussian mechanism",
        title="sigma = sqrt(2 log(1.25/delta))/epsilon, delta = 1e-5",
        inputs="one answer that moves by its sensitivity, which is the worst",
        make=lambda e: _gaussian(1, Fraction(2), Fraction(5, 4) / DELTA, e, 1), violates=True, epsilon=Fraction(10),
    ),
    Subject(
        name="ssp", where="ddssp2024, Section 2.2",
        title="both statistics with the printed noise, delta = 1e-5, if that is for both together: the text leaves it "
              "open",
        inputs="one feature, x = 1, y = 1: both answers move by their sensitivity, which is the worst",
        make=lambda e: _gaussian(2, Fraction(1), Fraction(5, 4) / DELTA, e, 1), violates=True,
    ),
    Subject(
        name="adassp", where="ddssp2024, Algorithm 5", title="AdaSSP as printed, delta = 1e-5",
        inputs="one feature, x = 1, y = 1: all three answers move by their sensitivity, which is the worst",
        make=lambda e: _gaussian(3, Fraction(1), 6 / DELTA, e, 3), violates=False,
    ),
    *ANSWER_SUBJECTS,
    *LOG_SUBJECTS,
    *OBJECTIVE_SUBJECTS,
)  # fmt: skip


def find_subject(name: str) -> Subject:
    for subject in SUBJECTS:
        if subject.name == name:
            return subject
    raise ParameterError("name", name, "one of " + ", ".join(subject.name for subject in SUBJECTS))
