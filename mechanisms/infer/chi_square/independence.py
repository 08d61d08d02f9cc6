"""Are two columns independent? The statistic of a noisy table with its own covariance, and what it is compared with.

The asymptotic p-value is that of chi-square; the simulated one draws records and noise anew at the margins that were
estimated, a parametric bootstrap. Neither is proved at a finite n; how both do is measured on the page
docs/proofs/synthbounds.noisy-chi-square.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bounds.exact import Exact
from mechanisms.infer.chi_square.answers import ChiSquareTest, PValue
from mechanisms.infer.chi_square.chi2_law import critical_value, upper_tail
from mechanisms.infer.chi_square.common import (
    DEFAULT_SIMULATIONS,
    drowned_values,
    effective_size,
    read_level,
    read_simulations,
    require_degrees,
    shape_of_pair,
    share_at_least,
)
from mechanisms.infer.chi_square.draws import INDEPENDENCE, blocks, drawn_pairs, stream
from mechanisms.infer.chi_square.effect import effect_of_residual, measure_of_pair
from mechanisms.infer.chi_square.shown import ShownPair, shown_pair
from mechanisms.infer.chi_square.statistic import (
    Interaction,
    interaction_of,
    margins_of,
    pearson_of,
    residual_of,
    statistics_of,
)
from mechanisms.infer.chi_square.tables import tables_of
from release.private_release import Release

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats

MOST_RESTUDIED = 64
"""Degrees of freedom up to which every drawn table gets a covariance of its own; beyond, all have that of the first."""


def independence_test(
    release: Release,
    columns: Sequence[str],
    *,
    level: Exact = "0.95",
    simulations: Exact = DEFAULT_SIMULATIONS,
    seed: int = 0,
) -> ChiSquareTest:
    """The test of two columns that one table of the release shows."""
    confidence, count = read_level(level), read_simulations(simulations)
    tables = tables_of(release)
    shown, counts = shown_pair(tables, columns)
    require_degrees(shown.degrees)
    found = interaction_of(shown, counts)
    total = found.sampling + found.noise
    statistic = float(found.residual @ np.linalg.solve(total, found.residual))
    degrees, fewest = shown.degrees, min(shown.levels) - 1
    effective = effective_size(shown.size, found.sampling, found.noise)
    critical = critical_value(float(1 - confidence), degrees)
    shift = max(0.0, statistic - degrees)
    naive = float(pearson_of(np.maximum(counts, 0)))
    simulated = None
    if count:
        value = simulated_p(shown, counts, found, simulations=count, seed=seed, step=INDEPENDENCE)
        simulated = PValue(value=value, kind="simulated")
    return ChiSquareTest(
        question="independence",
        shape=shape_of_pair(shown),
        is_simulated=tables.is_simulated,
        statistic=statistic,
        degrees=degrees,
        level=confidence,
        critical=critical,
        asymptotic=PValue(value=upper_tail(statistic, degrees), kind="asymptotic"),
        simulated=simulated,
        simulations=count,
        seed=seed,
        ignoring_noise_p=upper_tail(naive, degrees),
        effect=effect_of_residual(
            measure_of_pair(shown),
            residual=found.residual,
            sampling=found.sampling,
            noise=found.noise,
            level=confidence,
        ),
        effect_with_noise=min(1.0, (naive / shown.size / fewest) ** 0.5),
        noncentrality_est=shift,
        power_est=upper_tail(critical, degrees, shift),
        effective_size_est=effective,
        drowned=(
            *drowned_values(tables.schema, shown.rows, counts.sum(1)),
            *drowned_values(tables.schema, shown.columns, counts.sum(0)),
        ),
    )


def simulated_p(
    shown: ShownPair,
    counts: Floats,
    found: Interaction,
    *,
    simulations: int,
    seed: int,
    step: int,
    run: int = 0,
) -> float:
    """The parametric bootstrap at the estimated margins; `run` tells those of several tables apart."""
    a, b = margins_of(counts)
    total = found.sampling + found.noise
    statistic = float(found.residual @ np.linalg.solve(total, found.residual))
    degrees = shown.degrees
    room = max(counts.size, degrees**2 if degrees <= MOST_RESTUDIED else degrees)
    drawn = []
    for block, size in blocks(simulations, numbers=room):
        source = stream(seed=seed, step=step, block=run * 2**20 + block)
        tables = drawn_pairs(shown, np.outer(a, b), size, source).combined
        drawn.append(statistics_of(shown, tables) if degrees <= MOST_RESTUDIED else _with(shown, tables, total))
    return share_at_least(np.concatenate(drawn), statistic)


def _with(shown: ShownPair, tables: Floats, total: Floats) -> Floats:
    """Statistics with one covariance for all tables."""
    residuals = residual_of(tables, *margins_of(tables), shown.size)
    found: Floats = np.einsum("ni,in->n", residuals, np.linalg.solve(total, residuals.T))
    return found
