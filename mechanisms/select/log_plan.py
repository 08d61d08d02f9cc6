"""The public side of a log that a mechanism is about to write: its budget in rho, the reserve, and its model.

Public facts about impossible combinations are factors of the model, like tables: their cells are counted before
anything is spent.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING

from bounds.errors import NotApplicable, ParameterError
from bounds.privacy.ledger import Ledger
from mechanisms.pgm.order import tree_cells
from release.data.counting import MOST_CELLS
from release.distance.planned import DISTANCE
from release.log.planned import LogPlan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mechanisms.mechanism import Public
    from release.log.impossible import Impossible
    from release.log.planned import Setting
    from release.noise.kinds import Mode
    from release.statistics.public_queries import PublicQueries

BYTES_A_CELL = 8


def plan_log(
    public: Public,
    *,
    method: str,
    settings: Mapping[str, Setting],
    always: Sequence[Sequence[int]] = (),
    epsilon: Fraction,
    dp_delta: Fraction,
    mode: Mode,
    reserve: Fraction,
    impossible: Sequence[Impossible],
    queries: Sequence[PublicQueries] = (),
) -> LogPlan:
    """A log of that method; `reserve` is the share of the budget kept for the distance of the finished rows.

    Single columns, public facts and tables that are measured in any case must fit into `model_mb`, a setting of all
    such methods.
    """
    cells = sum(public.schema.domain.sizes)
    if cells > MOST_CELLS:
        raise NotApplicable(f"schema: the columns have {cells} codes in all; one-way tables have at most {MOST_CELLS}")
    model_mb = settings.get("model_mb")
    least_mb = -(-tree_cells(public.schema.domain.sizes, [*always, *facts_of(impossible)]) * BYTES_A_CELL // 2**20)
    if isinstance(model_mb, int) and model_mb < least_mb:
        why = "one-way tables, impossible combinations and tables with a label need this much"
        raise ParameterError("model_mb", model_mb, f"at least {min(least_mb, 10**9)}", why)
    ledger = Ledger.in_rho(epsilon=epsilon, dp_delta=dp_delta, adjacency=public.adjacency)
    if reserve:
        ledger = ledger.reserve_share(reserve, DISTANCE)
    return LogPlan(
        schema=public.schema,
        method=method,
        settings=dict(settings),
        mode=mode,
        ledger=ledger,
        stated_size=public.size,
        impossible=tuple(impossible),
        queries=tuple(queries),
    )


def facts_of(impossible: Sequence[Impossible]) -> list[tuple[int, ...]]:
    """The columns of every public fact."""
    return [zeros.columns for zeros in impossible]


def cells_of(sizes: Sequence[int], columns: Sequence[int]) -> int:
    return prod(sizes[column] for column in columns)


def room_for_edges(sizes: Sequence[int], scopes: Sequence[Sequence[int]], *, model_mb: int, edges: int) -> int:
    """Cells that each edge of a tree may add to a model that has these scopes besides single columns."""
    return (cells_within(model_mb) - (tree_cells(sizes, scopes) if scopes else 0)) // max(edges, 1)


def cells_within(model_mb: int) -> int:
    """How many cells a model of this many MB may have, limited to the number that can be counted at once."""
    if model_mb < 1:
        raise ParameterError("model_mb", model_mb, "at least 1")
    return min(model_mb * 2**20 // BYTES_A_CELL, MOST_CELLS)
