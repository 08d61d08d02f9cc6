"""The cost under one adjacency of a statement under the other: by a stated factor, or refused.

To replace a record is to add one and to remove one, so replace-one follows from add-remove in two steps. Nothing goes
the other way: under replace-one the number of records is public, and add-remove protects it.
Proof: docs/proofs/synthbounds.account.md.
"""

from __future__ import annotations

from bounds.enclosure import Enclosure
from bounds.errors import UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.statements import DP, ZCDP, GaussianDP, Statement

EPSILON_FACTOR = 2
"""Of a pure epsilon, for two steps."""
SQUARE_FACTOR = 4
"""Of rho and of mu^2, for two steps."""


def under_adjacency(cost: Statement, adjacency: Adjacency) -> Statement:
    """The cost as a statement under this adjacency.

    >>> under_adjacency(ZCDP(rho="0.01", adjacency="add-remove"), Adjacency.REPLACE_ONE).text()
    '0.04-zCDP for replace-one'
    """
    if cost.adjacency is adjacency:
        return cost
    if cost.adjacency is Adjacency.REPLACE_ONE:
        raise UsageError(
            f"adjacency = {cost.adjacency.value}: is not a cost for {adjacency.value}, which protects the number of "
            "records; replace-one treats it as public"
        )
    if isinstance(cost, GaussianDP):
        return GaussianDP(mu_squared=SQUARE_FACTOR * cost.mu_squared, adjacency=adjacency)
    if isinstance(cost, ZCDP):
        return ZCDP(rho=_times(cost.rho, SQUARE_FACTOR), adjacency=adjacency)
    if not cost.is_pure:
        raise UsageError(f"{cost.text()}: a cost with a delta cannot be converted to {adjacency.value}")
    return DP(epsilon=_times(cost.epsilon, EPSILON_FACTOR), delta=Enclosure.of(0), adjacency=adjacency)


def _times(number: Enclosure, factor: int) -> Enclosure:
    return Enclosure(factor * number.lo, factor * number.hi)
