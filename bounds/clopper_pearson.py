"""Clopper-Pearson bounds of a probability from a count, in floats: right in at least the stated share of all cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def lower(counts: NDArray[np.int64], trials: int, alpha: float) -> NDArray[np.float64]:
    """Below the probability except with probability alpha."""
    import numpy as np
    from scipy.special import betaincinv

    found = betaincinv(np.maximum(counts, 1), trials - counts + 1, alpha)
    return np.where(counts == 0, 0.0, found)


def upper(counts: NDArray[np.int64], trials: int, alpha: float) -> NDArray[np.float64]:
    """Above the probability except with probability alpha."""
    return 1 - lower(trials - counts, trials, alpha)


def interval(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Covers the true probability with at least the stated confidence."""
    import numpy as np

    count, tail = np.array(successes), (1 - confidence) / 2
    return float(lower(count, trials, tail)), float(upper(count, trials, tail))
