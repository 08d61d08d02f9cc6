"""The privacy cost of an improved table: the release plus what the user states for the table, under one adjacency.

The table and the release are two private outputs about the same records; which statistics were released may have
depended on the table. Adaptive composition adds both costs up, and whatever is computed from them costs nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.errors import ParameterError, UsageError
from bounds.exact import parse_rational, require_range
from bounds.parameters import PARAMETERS
from bounds.privacy.adjacency import Adjacency, read_adjacency
from bounds.privacy.amounts import Currency
from bounds.privacy.composition import compose_basic
from bounds.privacy.statements import DP

if TYPE_CHECKING:
    from release.private_release import Release


@dataclass(frozen=True, kw_only=True)
class Cost:
    """None if it is not known."""

    adjacency: Adjacency
    """The adjacency of the release."""
    table: DP | None
    release: DP | None
    total: DP | None
    is_started: bool = False
    """Whether weights were given to start from, whose cost counts with that of the table."""


def cost_of(release: Release, spent: str | None, adjacency: str | None, *, is_started: bool = False) -> Cost:
    """The cost of both together; different adjacencies are refused."""
    said = _read_spent(spent, adjacency)
    if said is not None and said.adjacency is not release.adjacency:
        raise UsageError(
            f"table-adjacency = {said.adjacency.value}: the release is private under {release.adjacency.value}, and "
            "costs under different adjacencies cannot be added up"
        )
    own = _promise(release)
    total = None if said is None or own is None else compose_basic(said, own)
    return Cost(adjacency=release.adjacency, table=said, release=own, total=total, is_started=is_started)


def _read_spent(spent: str | None, adjacency: str | None) -> DP | None:
    if (spent is None) != (adjacency is None):
        missing, given = ("table-adjacency", "table-spent") if adjacency is None else ("table-spent", "table-adjacency")
        raise UsageError(f"{missing} is missing: it goes with {given}")
    if spent is None or adjacency is None:
        return None
    parts = [part.strip() for part in str(spent).split(",")]
    if len(parts) > 2:
        raise ParameterError("table_spent", spent, "EPSILON or EPSILON,DELTA")
    if not all(parts):
        raise ParameterError("table_spent", spent, "EPSILON or EPSILON,DELTA", "a number is missing")
    epsilon = parse_rational(parts[0], "table_spent")
    delta = parse_rational(parts[1], "table_spent") if len(parts) == 2 else Fraction(0)
    epsilons = PARAMETERS["epsilon"].range
    assert epsilons is not None
    epsilons.check("table_spent", epsilon, parts[0])
    require_range("table_spent", delta, parts[-1], least=0, below=1, reason="a privacy parameter delta")
    return DP(epsilon=epsilon, delta=delta, adjacency=read_adjacency(adjacency))  # type: ignore[arg-type]


def _promise(release: Release) -> DP | None:
    """The total privacy that a release promises, including what it reserves for later questions."""
    ledger = release.cost
    if ledger is None:
        return None
    if ledger.target is not None:
        return ledger.target
    if ledger.currency in (Currency.EPSILON, Currency.EPSILON_DELTA):
        return DP(epsilon=ledger.total, delta=ledger.dp_delta, adjacency=ledger.adjacency)  # type: ignore[arg-type]
    return None
