"""From noisy one-way answers to a synthetic table with independent columns: the tables, the rows, the certificate.

The rows aim not at the noisy answers but at those of the product of consistent one-way tables. How far that is from the
truth is known in advance, how far the rows are from it is observed, and the two are certified together.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from lp.programme.balanced import balanced_rows
from lp.programme.density_certificate import DensityCertificate, ExactTarget, certify, primal_value
from lp.programme.matrices import QueryMatrix, build_matrix, full_matrix
from lp.programme.rounding import round_rows
from lp.programme.solve import Candidate
from lp.synthesis.answers import Answers
from lp.synthesis.columns import TOTAL, columns_of, product_answers
from lp.synthesis.points import ROW_DRAWS, stream_for
from lp.synthesis.question import ROUNDING, SAMPLING, Plan
from lp.synthesis.rows import Density, MadeRows, vertex_rows
from release.statistics.families import ProductFamily

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes, Domain

METHOD = "product"
_MOST_SHUFFLES = 60
"""Half of them fit at least, so all of them fail with probability 2^-60 at most."""


def product_rows(
    release: Answers, plan: Plan
) -> tuple[QueryMatrix, tuple[Fraction, ...], DensityCertificate, MadeRows]:
    """The queries at the points that count, their target answers, the proof, and the rows."""
    family, product = plan.question.family, plan.product
    assert isinstance(family, ProductFamily)
    assert product is not None
    one_way = product.one_way.family
    assert isinstance(one_way, ProductFamily)
    columns = columns_of(one_way, release.answers, centred_to=plan.question.degree if product.centred else None)
    answers = product_answers(family, columns)
    target = ExactTarget.of(answers)
    stream = stream_for(release.seed, release.run, ROW_DRAWS)
    generator = stream or np.random.Generator(np.random.Philox(np.random.SeedSequence()))
    if product.whole:
        matrix = full_matrix(family)
        weights = _weights(matrix, columns)
        certificate = certify(matrix, target, _candidate(np.arange(matrix.columns), weights, family.count))
        return matrix, answers, certificate, _rounded(plan, matrix, target, weights, certificate, generator)
    matrix, made = _shuffled(plan, family, columns, target, generator)
    counts = np.array(made.counts, dtype=np.float64)
    return matrix, answers, certify(matrix, target, _candidate(made.numbers, counts / plan.k, family.count)), made


def _candidate(numbers: NDArray[np.int64], weights: NDArray[np.float64], queries: int) -> Candidate:
    """A density that nothing is nearer than, so that no dual weights are needed."""
    return Candidate(numbers, weights, np.zeros(queries), 0.0, 0.0, METHOD, 0, 0)


def _weights(matrix: QueryMatrix, columns: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """The product of the columns at every point of the domain."""
    points = matrix.points_at(np.arange(matrix.columns))
    weights = np.ones(matrix.columns)
    for j, column in enumerate(columns):
        weights *= np.array(column, dtype=np.float64)[points[:, j]] / TOTAL
    return weights


def _rounded(
    plan: Plan,
    matrix: QueryMatrix,
    target: ExactTarget,
    weights: NDArray[np.float64],
    certificate: DensityCertificate,
    generator: np.random.Generator,
) -> MadeRows:
    """Rows of the density on the whole domain: drawn so that they balance, or else rounded from few points of it."""
    if plan.rows == SAMPLING:
        found = balanced_rows(matrix, weights, k=plan.k, error=float(plan.row_error), generator=generator)
        if found is not None:
            observed = primal_value(matrix, target, *found, plan.k)
            if observed <= plan.row_error:
                return MadeRows(*found, SAMPLING, "", observed)
    density = Density(certificate.numbers, certificate.weights, certificate.weight_total)
    most_support = plan.question.family.facts.dimension + 1
    numbers, counts = vertex_rows(matrix, density, k=plan.k, most_support=most_support)
    reason = "" if plan.rows == ROUNDING else "no rows that balance were found"
    return MadeRows(numbers, counts, ROUNDING, reason, primal_value(matrix, target, numbers, counts, plan.k))


def _shuffled(
    plan: Plan,
    family: ProductFamily,
    columns: Sequence[Sequence[int]],
    target: ExactTarget,
    generator: np.random.Generator,
) -> tuple[QueryMatrix, MadeRows]:
    """Rows whose columns have the right shares, each in its own order, redrawn until they fit."""
    domain = family.domain
    codes = np.empty((plan.k, domain.p), dtype=domain.code_type)
    for j, column in enumerate(columns):
        codes[:, j] = np.repeat(np.arange(len(column)), round_rows(column, plan.k))
    for _ in range(_MOST_SHUFFLES):
        for j in range(domain.p):
            generator.shuffle(codes[:, j])
        if _distance(family, codes, target) <= plan.row_error:
            break
    points, counts = _distinct(domain, codes)
    matrix, numbers, whole = build_matrix(family, points), np.arange(len(points)), [int(count) for count in counts]
    observed = primal_value(matrix, target, numbers, whole, plan.k)
    return matrix, MadeRows(numbers, whole, SAMPLING, plan.rows_reason, observed)


def _distance(family: ProductFamily, codes: Codes, target: ExactTarget) -> Fraction:
    """max over the queries of |rows - target|, exactly."""
    scale = family.denominator * len(codes)
    sums = zip(family.sums(codes), target.numerators, strict=True)
    return Fraction(
        max(abs(found * target.denominator - wanted * scale) for found, wanted in sums), scale * target.denominator
    )


def _distinct(domain: Domain, codes: Codes) -> tuple[Codes, NDArray[np.int64]]:
    """Different rows and how often each occurs; by their numbers if those fit, which is far faster."""
    if domain.size >= 2**62:
        return np.unique(codes, axis=0, return_counts=True)
    numbers, counts = np.unique(domain.numbers(codes), return_counts=True)
    return domain.points(numbers), counts
