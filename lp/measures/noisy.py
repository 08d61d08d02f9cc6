"""Noisy counts for a reference measure: exact counts, Laplace noise, and the ledger that pays."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.enclosure import Enclosure
from bounds.exact import require_range
from bounds.privacy.ledger import Ledger
from bounds.privacy.sensitivity import Sensitivity
from bounds.privacy.statements import DP
from lp.measures import Paid
from release.measure import measure
from release.noise.laplace import laplace_noise
from release.noise.randomness import read_randomness
from release.statistics.statistic import Counted

if TYPE_CHECKING:
    import numpy as np

REFERENCE = "reference measure"


def noisy_counts(
    counts: Sequence[int],
    *,
    n: int,
    sensitivity: Sensitivity,
    epsilon: Fraction,
    mode: str,
    generator: np.random.Generator | None = None,
    ledger: Ledger | None = None,
) -> Paid:
    """Counts with Laplace noise of scale sensitivity / epsilon, paid by the ledger, or by one for this epsilon only.

    A simulation needs a `generator`; a release refuses one.
    """
    require_range("epsilon", epsilon, epsilon, above=0)
    randomness = read_randomness(mode, stream=generator)
    noise = laplace_noise(len(counts), sensitivity=sensitivity, epsilon=epsilon, mode=randomness.mode)
    if ledger is None:
        alone = Enclosure.of(epsilon)
        ledger = Ledger.of(DP(epsilon=alone, delta=Enclosure.of(0), adjacency=sensitivity.adjacency))
    exact = Counted(n=n, values=tuple(int(count) for count in counts))
    measurement, paid = measure(exact, noise, ledger, what=REFERENCE, randomness=randomness)
    return Paid(measurement=measurement, ledger=paid)
