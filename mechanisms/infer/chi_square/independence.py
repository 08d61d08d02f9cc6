"""Are two columns independent? The statistic of a noisy table with its own covariance, and what it is compared with.

The asymptotic p-value is that of chi-square; the simulated one redraws records and noise at the estimated margins, a
parametric bootstrap. Neither is proved at a finite n; the page docs/proofs/synthbounds.noisy-chi-square.md measures how
well both do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bounds.exact import Exact
from mechanisms.infer.chi_square.answers import ChiSquareTest, PValue
from mechanisms.infer.chi_square.common import Compared, answer_of, read_level, require_degrees, share_at_least
from mechanisms.infer.chi_square.draws import INDEPENDENCE, blocks, drawn_pairs, stream
from mechanisms.infer.chi_square.effect import measure_of_pair
from mechanisms.infer.chi_square.showing import shown_pair
from mechanisms.infer.chi_square.shown import ShownPair
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
"""Degrees of freedom up to which every drawn table gets its own covariance; beyond, all share that of the first."""


def independence_test(
    release: Release,
    columns: Sequence[str],
    *,
    level: Exact = "0.95",
    simulations: int,
    seed: int = 0,
) -> ChiSquareTest:
    """The test of two columns that one table of the release shows."""
    confidence, tables = read_level(level), tables_of(release)
    shown, counts = shown_pair(tables, columns)
    require_degrees(shown.degrees)
    apart, pearson = interaction_of(shown, counts), float(pearson_of(np.maximum(counts, 0)))
    found = Compared(
        question="independence",
        shown=shown,
        counts=counts,
        residual=apart.residual,
        sampling=apart.sampling,
        noise=apart.noise,
        measure=measure_of_pair(shown),
        pearson=pearson,
        effect_with_noise=min(1.0, (pearson / shown.size / (min(shown.levels) - 1)) ** 0.5),
    )
    value = simulated_p(shown, counts, apart, simulations=simulations, seed=seed, step=INDEPENDENCE)
    simulated = PValue(value=value, kind="simulated")
    return answer_of(tables, found, simulated=simulated, level=confidence, simulations=simulations, seed=seed)


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
    """The parametric bootstrap at the estimated margins; `run` keeps those of several tables apart."""
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
