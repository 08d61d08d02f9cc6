"""The lower confidence bound on epsilon that two counts of one event give.

If P(E) >= p and Q(E) <= q hold together with probability 1 - alpha, then (epsilon, delta)-privacy with
epsilon < log((p - delta)/q) is refuted at that confidence. The bounds are computed in floats.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds import clopper_pearson
from bounds.exact import require_range
from verify.audit.exact import Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALPHA = Fraction(1, 100)
CHOOSING = 100
"""Events are chosen at a confidence this much stricter than the test: small ones look good by chance."""
LEAST_SAMPLES, MOST_SAMPLES = 100, 10_000_000


@dataclass(frozen=True, kw_only=True)
class SampledLoss:
    """A lower confidence bound on epsilon at the claimed delta, by one event chosen on other samples."""

    epsilon_lower_est: float
    confidence: Fraction
    event: str
    probability_lower_est: float
    probability_upper_est: float
    """Occurrences of the event on the side where it is rare."""
    samples: int
    """Samples of each side, both halves together."""

    def verdict(self, *, epsilon: Fraction) -> Verdict:
        """A violation, or silence: samples are never evidence of privacy."""
        return Verdict.VIOLATION if self.epsilon_lower_est > float(epsilon) else Verdict.SILENT


def epsilon_lower(
    often: NDArray[np.int64], rarely: NDArray[np.int64], trials: int, *, delta: float, alpha: float
) -> NDArray[np.float64]:
    """log((p - delta)/q) with both ends at confidence 1 - alpha/2; minus infinity where p is at most delta."""
    low = clopper_pearson.lower(often, trials, alpha / 2) - delta
    high = clopper_pearson.upper(rarely, trials, alpha / 2)
    return np.where(low > 0, np.log(np.maximum(low, 1e-300) / high), -np.inf)


def tested(
    event: str, often: int, rarely: int, trials: int, *, delta: Fraction, alpha: Fraction, tests: int
) -> SampledLoss:
    """The bound of one event among `tests` that are tested on the same samples."""
    each = float(alpha) / tests
    pair = np.array([often]), np.array([rarely])
    return SampledLoss(
        epsilon_lower_est=max(0.0, float(epsilon_lower(*pair, trials, delta=float(delta), alpha=each)[0])),
        confidence=1 - alpha,
        event=event,
        probability_lower_est=float(clopper_pearson.lower(pair[0], trials, each / 2)[0]),
        probability_upper_est=float(clopper_pearson.upper(pair[1], trials, each / 2)[0]),
        samples=2 * trials,
    )


def require_samples(samples: int) -> int:
    """The number of samples of one half."""
    require_range("samples", samples, samples, least=LEAST_SAMPLES, most=MOST_SAMPLES, reason="of each input")
    return samples // 2
