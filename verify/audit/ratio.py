"""The second layer: densities are known, probabilities are sampled.

By the lemma of Neyman and Pearson no event tells two inputs apart better than {log-ratio >= t}. The threshold and the
side are chosen on the first half of the samples; the second half tests only that event.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from bounds.errors import NotApplicable
from verify.audit.mechanism import Mechanism, stream
from verify.audit.statistics import ALPHA, CHOOSING, SampledLoss, epsilon_lower, require_samples, tested

_LEVELS = 128
_ROUNDING = 1e-9
"""The log-ratio of Laplace noise takes its largest value with positive probability, up to rounding."""


def ratio_audit(
    mechanism: Mechanism, *, samples: int, seed: int, audit: int = 0, alpha: Fraction = ALPHA
) -> SampledLoss:
    """A lower bound on epsilon at the claimed delta, with confidence 1 - alpha."""
    if mechanism.log_ratio is None:
        raise NotApplicable("layer ratio: the density of this mechanism is not known here")
    half = require_samples(samples)
    sides = [mechanism.log_ratio(mechanism.sample(side, 2 * half, stream(seed, audit, side))) for side in (0, 1)]
    # On the other side the roles are exchanged, and so is the sign of the ratio.
    ways = [(sides[0], sides[1]), (-sides[1], -sides[0])]
    best: tuple[float, int, float] | None = None
    for way, (ours, theirs) in enumerate(ways):
        values = np.sort(np.concatenate([ours[:half], theirs[:half]]))  # infinite ones too
        levels = np.unique(values[np.linspace(0, len(values) - 1, _LEVELS).astype(np.int64)])
        thresholds = levels - _ROUNDING
        counts = [half - np.searchsorted(np.sort(side[:half]), thresholds) for side in (ours, theirs)]
        scores = epsilon_lower(counts[0], counts[1], half, delta=float(mechanism.delta), alpha=float(alpha) / CHOOSING)
        at = int(np.argmax(scores))
        if best is None or scores[at] > best[0]:
            best = float(scores[at]), way, float(thresholds[at])
    assert best is not None
    _, way, threshold = best
    often, rarely = (int(np.count_nonzero(side[half:] >= threshold)) for side in ways[way])
    said = f"log-ratio of {('first to second', 'second to first')[way]} input at least {threshold:.6g}"
    return tested(said, often, rarely, half, delta=mechanism.delta, alpha=alpha, tests=1)
