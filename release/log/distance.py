"""How far a table drawn from a log is from the real one: two noisy numbers, paid by a part that the log kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bounds.privacy.statements import GaussianDP
from release.distance.make import measure_distance
from release.distance.planned import DISTANCE

if TYPE_CHECKING:
    from release.data.domain import Codes
    from release.data.source import Source
    from release.log.file import MarginalLog
    from release.noise.randomness import Randomness
    from release.statistics.features import FeatureMap

_STEP = 2**63
"""Of the stream of a simulation: no log has this many steps."""


def with_distance(
    log: MarginalLog, records: Codes | Source, rows: Codes, feature_map: FeatureMap, randomness: Randomness
) -> MarginalLog:
    """The log with the distance of its finished table, paid for with all that it reserved.

    Gaussian privacy of mu^2 costs mu^2/2 in rho. Under add-remove the means are multiplied by the noisy number of
    records; the certified bounds are valid for any.
    """
    ledger = log.ledger
    cost = GaussianDP(mu_squared=2 * ledger.reservation(DISTANCE).amount, adjacency=log.adjacency)
    found, paid = measure_distance(
        records,
        rows,
        feature_map,
        ledger,
        cost,
        randomness.at_step(_STEP),
        least_size=None if log.size_is_exact else round(log.total_est),
        reserve=DISTANCE,
    )
    return replace(log, distance=found, ledger=paid)
