"""DP-SGD with settings from a grid, chosen on training rows alone at a stated cost. For simulations.

Each record is held out with a public probability, independently of the others. The candidates learn from the other
records, and together they cost (epsilon, dp_delta): all their steps in one accountant, or as printed in ddssp2024, by
advanced composition of equal parts. The held-out records score them, and the largest noisy score wins. A record is used
either for learning or for scoring, so a neighbour changes one of the two: the promise is the larger of both costs, not
their sum. No test set is needed.

Scores: each held-out record adds between 0 and 1 to each candidate, so all scores move the same way, by at most 1, and
report-noisy-max with geometric noise of rate epsilon is epsilon-private (docs/proofs/synthbounds.any-model.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log, sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np

from bounds.errors import NotApplicable, ParameterError
from bounds.privacy.statements import DP
from mechanisms.regression.stochastic_gradient import (
    NOT_RELEASED,
    StochasticFit,
    StochasticPlan,
    run_stochastic,
    single_precision,
)
from release.noise.draw import draw_geometric
from release.noise.randomness import Randomness, read_randomness
from release.statistics.statistic import RECORD_STEPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

Composition = Literal["one-accountant", "printed"]
HELD_OUT = 0.2


@dataclass(frozen=True, kw_only=True, eq=False)
class TunedFit:
    """The candidate that won, and the privacy of the whole search."""

    fit: StochasticFit
    winner: int
    candidates: tuple[StochasticPlan, ...]
    """The candidates with the noise that they had."""
    cost_est: DP
    """Cost of all candidates and the choice, under add-remove, by an accountant in floats."""


def printed_share(epsilon: Fraction, dp_delta: Fraction, runs: int) -> tuple[Fraction, Fraction]:
    """(e0, d0) for each of k runs: k e0^2/2 + e0 sqrt(2 k log(1/d')) = epsilon, k d0 + d' = dp_delta, d' half of it.

    The sum grows with e0, so its root is the largest e0 that is allowed; the fraction is rounded down.
    """
    slope = sqrt(2 * runs * log(2 / float(dp_delta)))
    largest = 2 * float(epsilon) / (slope + sqrt(slope**2 + 2 * runs * float(epsilon)))
    return Fraction(int(largest * 2**40), 2**40), dp_delta / (2 * runs)


def sharing(plans: Sequence[StochasticPlan], composition: Composition) -> tuple[StochasticPlan, ...]:
    """The candidates with noise such that all of them together cost the budget that each of them names."""
    first = plans[0] if plans else None
    if first is None or any(
        (p.epsilon, p.dp_delta, p.loss) != (first.epsilon, first.dp_delta, first.loss) for p in plans
    ):
        raise ParameterError("plans", f"{len(plans)} of them", "at least one, all of the same loss and budget")
    if composition == "one-accountant":
        uses = tuple(use for plan in plans for use in plan.uses)
        return tuple(replace(plan, runs=uses) for plan in plans)
    if composition == "printed":
        epsilon, dp_delta = printed_share(first.epsilon, first.dp_delta, len(plans))
        return tuple(replace(plan, epsilon=epsilon, dp_delta=dp_delta) for plan in plans)
    raise ParameterError("composition", composition, "one-accountant or printed")


def run_tuned(
    records: Codes,
    plans: Sequence[StochasticPlan],
    randomness: Randomness,
    *,
    held_out: float = HELD_OUT,
    composition: Composition = "one-accountant",
) -> TunedFit:
    """Run every candidate on the records that are not held out, and choose by those that are."""
    from release.noise.simulated import stream_of

    if not randomness.is_simulated:
        raise NotApplicable(NOT_RELEASED)
    if not 0 < held_out < 1:
        raise ParameterError("held_out", held_out, "between 0 and 1, a probability")
    candidates, stream = sharing(plans, composition), stream_of(randomness)
    drawn = read_randomness("simulate", stream=stream)  # one stream: a seed would give each candidate the same noise
    apart = stream.random(len(records)) < held_out
    fits = [run_stochastic(records[~apart], plan, drawn) for plan in candidates]
    scores = [_score(records[apart], fit) for fit in fits]
    asked = plans[0]
    noise = draw_geometric(asked.epsilon / RECORD_STEPS, len(fits), drawn)
    winner = max(range(len(fits)), key=lambda i: (scores[i] + noise[i], -i))
    return TunedFit(fit=fits[winner], winner=winner, candidates=candidates, cost_est=asked.cost_est)


def _score(records: Codes, fit: StochasticFit) -> int:
    """The sum of 1 - (y - prediction)^2/4 over records, each rounded to whole steps of a record."""
    return int(record_scores(records, fit).sum())


def record_scores(records: Codes, fit: StochasticFit) -> NDArray[np.int64]:
    """The contribution of each record, from 0 to RECORD_STEPS."""
    values, labels = single_precision(records, fit.plan.features)
    margins = values @ fit.coefficients
    predicted = np.tanh(margins / 2) if fit.plan.loss == "logistic" else np.clip(margins, -1, 1)
    return np.floor(RECORD_STEPS * (1 - (labels - predicted) ** 2 / 4)).astype(np.int64)
