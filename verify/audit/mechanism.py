"""The object of an audit: a mechanism at one pair of neighbouring inputs, with the privacy that it claims.

Outputs are rows of floats. Nothing here decides anything; the three layers do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.privacy.adjacency import Adjacency
from verify.audit.exact import ExactLoss

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Outputs = NDArray[np.float64]
    Sampler = Callable[[int, int, np.random.Generator], Outputs]
    """Side (0 or 1), runs, generator; a row of outputs for every run."""
    LogRatio = Callable[[Outputs], Outputs]
    """log p(x)/q(x) of the two sides, for rows of outputs; infinite where one of them is impossible."""


@dataclass(frozen=True, kw_only=True)
class Mechanism:
    """A mechanism at a pair of neighbouring inputs; `exact` and `log_ratio` are None where they are not known."""

    epsilon: Fraction
    delta: Fraction
    adjacency: Adjacency
    sample: Sampler
    log_ratio: LogRatio | None = None
    exact: Callable[[], ExactLoss] | None = None


def stream(seed: int, audit: int, side: int) -> np.random.Generator:
    """The random numbers of one side of one audit; streams never overlap, whatever the order of the audits."""
    import numpy as np

    return np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, side, audit]))
