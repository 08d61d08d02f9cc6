"""Do the shares of a column, or of two, fit given ones? The shares fix the distribution of the noisy counts completely.

If the number of records is public and the distribution of the noise is known, the simulated p-value is exact for every
n and noise, whatever the statistic: the observed counts and the drawn ones are exchangeable. Under add-remove the
public least size stands for n: larger tables vary less, so the test is conservative, in the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite, sqrt
from typing import TYPE_CHECKING

import numpy as np

from bounds.exact import Exact
from mechanisms.infer.chi_square.algebra import contrasts, spread
from mechanisms.infer.chi_square.answers import ChiSquareTest, PValue
from mechanisms.infer.chi_square.common import Compared, answer_of, read_level, require_degrees, share_at_least
from mechanisms.infer.chi_square.draws import FIT, blocks, drawn_columns, drawn_pairs, stream
from mechanisms.infer.chi_square.effect import Measure
from mechanisms.infer.chi_square.share_file import Shares
from mechanisms.infer.chi_square.showing import shown_column, shown_pair
from mechanisms.infer.chi_square.shown import ShownColumn, ShownPair
from mechanisms.infer.chi_square.tables import tables_of
from release.private_release import Release

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats


@dataclass(frozen=True, eq=False)
class Fitted:
    """Counts in contrasts that diagonalise the noise, and how records and noise make them vary."""

    basis: Floats
    noise: Floats
    """Its variance in each contrast."""
    shares: Floats
    """The shares to be tested, in the order of the cells."""
    size: int

    @cached_property
    def sampling(self) -> Floats:
        return self.size * spread(self.shares, self.basis)

    @cached_property
    def _axes(self) -> tuple[Floats, Floats]:
        """Variances and directions of the independent components of records and noise together."""
        variances, directions = np.linalg.eigh(self.sampling + np.diag(self.noise))
        return np.maximum(variances, self.noise.min()), directions

    def statistics(self, counts: Floats) -> Floats:
        """The statistic of many vectors of counts, one per row."""
        apart = (counts - self.size * self.shares) @ self.basis
        variances, directions = self._axes
        found: Floats = ((apart @ directions) ** 2 / variances).sum(axis=1)
        return found


def fit_test(
    release: Release,
    shares: Shares,
    *,
    level: Exact = "0.95",
    simulations: int,
    seed: int = 0,
) -> ChiSquareTest:
    """The test of the shares against what the release shows of their columns."""
    confidence = read_level(level)
    wanted = np.array([float(share) for share in shares.shares])
    tables = tables_of(release)
    shown: ShownColumn | ShownPair
    shown, counts = (
        shown_column(tables, shares.columns[0])
        if len(shares.columns) == 1
        else shown_pair(tables, shares.columns, what="fit")
    )
    # if one of the tested shares is 0, fewer contrasts vary from record to record, but all are tested
    require_degrees(len(wanted) - 1)
    fitted, cells = fitted_of(shown, wanted), counts.ravel()
    pearson = _pearson(np.maximum(cells, 0), shown.size * wanted)
    found = Compared(
        question="fit",
        shown=shown,
        counts=counts,
        residual=(cells - shown.size * wanted) @ fitted.basis,
        sampling=fitted.sampling,
        noise=np.diag(fitted.noise),
        measure=Measure(name="Cohen's w", size=shown.size, size_is_public=shown.size_is_public, divisor=1, most=None),
        pearson=pearson,
        effect_with_noise=sqrt(pearson / shown.size) if isfinite(pearson) else None,
    )
    value = share_at_least(_drawn(shown, fitted, simulations, seed), found.statistic)
    simulated = PValue(value=value, kind="exact" if shown.law_is_known else "simulated")
    return answer_of(tables, found, simulated=simulated, level=confidence, simulations=simulations, seed=seed)


def fitted_of(shown: ShownColumn | ShownPair, shares: Floats) -> Fitted:
    """Contrasts of a column; for two columns first their interaction, then each of them."""
    if isinstance(shown, ShownColumn):
        basis = contrasts(shown.levels)
        noise = np.full(shown.levels - 1, shown.variance)
        return Fitted(basis, noise, shares, shown.size)
    r, c = shown.levels
    rows, columns = contrasts(r), contrasts(c)
    even_r, even_c = np.full((r, 1), 1 / sqrt(r)), np.full((c, 1), 1 / sqrt(c))
    basis = np.hstack([np.kron(rows, columns), np.kron(rows, even_c), np.kron(even_r, columns)])
    noise = np.concatenate(
        [
            np.full(shown.degrees, shown.cell.variance),
            np.full(r - 1, shown.rows.variance / c),
            np.full(c - 1, shown.columns.variance / r),
        ]
    )
    return Fitted(basis, noise, shares, shown.size)


def _drawn(shown: ShownColumn | ShownPair, fitted: Fitted, count: int, seed: int) -> Floats:
    """Statistics of counts drawn from the distribution that the shares fix."""
    found = []
    for block, size in blocks(count, numbers=len(fitted.shares)):
        source = stream(seed=seed, step=FIT, block=block)
        if isinstance(shown, ShownColumn):
            counts = drawn_columns(shown, fitted.shares, size, source)
        else:
            drawn = drawn_pairs(shown, fitted.shares.reshape(shown.levels), size, source)
            counts = drawn.combined.reshape(size, -1)
        found.append(fitted.statistics(counts))
    return np.concatenate(found)


def _pearson(counts: Floats, expected: Floats) -> float:
    """Pearson's statistic; infinite if there are counts that the shares exclude."""
    if np.any((expected == 0) & (counts > 0)):
        return float("inf")
    inside = expected > 0
    return float((((counts - expected) ** 2)[inside] / expected[inside]).sum())
