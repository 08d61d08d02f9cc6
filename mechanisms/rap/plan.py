"""RAP and RAP++ before anything is spent: roles of columns, candidates, rounds and their costs.

The one-way tables of all columns come first. Then rounds of two kinds take turns: those that choose tables of some
columns of categories, with a label if there is one, and those that choose thresholds of numbers by labels (vietri2022,
Algorithm 2; RAP has no numbers, and therefore only the first kind). A round spends half on its choice and half on
measuring what it chose. If the number of rounds is not given, public facts decide it (mechanisms.rap.rounds).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from bounds.errors import ParameterError
from mechanisms.rap.roles import Roles
from mechanisms.rap.rounds import Round, Wanted, planned_rounds
from mechanisms.select.aim_plan import neighbours_merged
from mechanisms.select.log_plan import cells_of, plan_log
from mechanisms.select.settings import POINTS, RAP, RAP_PP, THRESHOLDS
from mechanisms.select.workload import MOST_TABLES
from release.log.steps import Shape
from release.statistics.mixed_marginals import MixedMarginals
from release.statistics.public_queries import named_places, number_places
from release.statistics.thresholds import Thresholds

if TYPE_CHECKING:
    from mechanisms.mechanism import Public
    from release.log.impossible import Impossible
    from release.log.planned import LogPlan, Setting
    from release.log.steps import Columns
    from release.noise.kinds import Mode
    from release.statistics.conditional_counts import ConditionalCounts

ONE_WAY = Fraction(1, 10)
"""Part of the budget for the one-way tables, from which points start and single columns are certified."""
MOST_CODES = 32
TABLE_CELLS = 2**17
"""Larger tables are not candidates: they would be mostly noise, and their products with points too large."""


@dataclass(frozen=True, kw_only=True)
class RapPlan:
    """What RAP or RAP++ would do with a table of this schema; everything in it is public."""

    log: LogPlan
    roles: Roles
    candidates: tuple[Columns, ...]
    """Tables that may be chosen."""
    start: Fraction
    """Total cost of the one-way tables."""
    rounds: tuple[Round, ...]
    points: int


def plan_rap(
    public: Public,
    *,
    method: str,
    labels: Sequence[str] = (),
    epsilon: Fraction,
    dp_delta: Fraction,
    mode: Mode,
    reserve: Fraction = Fraction(0),
    rounds: int | None = None,
    top: int | None = None,
    table_rounds: int | None = None,
    degree: int | None = None,
    thresholds: int = THRESHOLDS,
    mixed: int = 0,
    query_seed: int = 0,
    numbers: Sequence[str] | None = None,
    most_codes: int = MOST_CODES,
    points: int = POINTS,
    impossible: Sequence[Impossible] = (),
) -> RapPlan:
    """The plan; refuses what cannot be run, before any record is seen.

    RAP has `rounds` of tables, `top` at a time; RAP++ has `rounds` of thresholds, `top` at a time, and `table_rounds`
    of one table each. With `mixed` marginals, rounds choose among thresholds and these in turn. `reserve` is the share
    kept for a distance. Ordered columns of more than `most_codes` codes that are not numbers have that many in tables
    of several columns: neighbours are merged.
    """
    if impossible:
        why = f"{method} has no model that could keep them"
        raise ParameterError("impossible", f"{len(impossible)} facts", "none", why)
    if points < 1:
        raise ParameterError("points", points, "at least 1")
    schema, is_mixed = public.schema, method == RAP_PP
    places = named_places(schema, labels, "label" if len(labels) < 2 else "labels")
    if is_mixed and not places:
        raise ParameterError("label", "none", "a column", f"{RAP_PP} counts thresholds by its values; {RAP} needs none")
    if not is_mixed and numbers is not None:
        raise ParameterError("numbers", ", ".join(numbers), "not given", f"to {method} all columns are categories")
    names = tuple(schema.names[place] for place in places)
    taken = _numbers(public, places, numbers) if is_mixed else ()
    queries = _queries(public, taken, places, thresholds, mixed, query_seed) if is_mixed else ()
    groups = neighbours_merged(schema, most_codes, {*names, *(schema.names[place] for place in taken)})
    roles = Roles(Shape(schema.domain.sizes, groups), taken)
    wide = min(3 if places else 2, max(len(roles.categories), 1)) if degree is None else degree
    candidates = _candidates(roles, places, wide, is_needed=not is_mixed or degree is not None)
    log = plan_log(
        public,
        method=method,
        settings={},
        epsilon=epsilon,
        dp_delta=dp_delta,
        mode=mode,
        reserve=reserve,
        impossible=(),
        queries=queries,
    )
    rho = log.ledger.left
    planned = planned_rounds(
        Wanted(rounds=rounds, top=top, table_rounds=table_rounds),
        rho=(1 - ONE_WAY) * rho,
        roles=roles,
        candidates=candidates,
        queries=queries,
        size=public.size,
        adjacency=public.adjacency,
    )
    of_tables = [part for part in planned if part.workload is None]
    main = [part for part in planned if part.workload is not None] or of_tables
    settings: dict[str, Setting] = {"rounds": len(main), "top": main[0].top, "points": points}
    settings |= {"degree": wide, "most_codes": most_codes} | ({"labels": names} if names else {})
    if is_mixed and of_tables:
        settings["table_rounds"] = len(of_tables)
    return RapPlan(
        log=replace(log, settings=settings),
        roles=roles,
        candidates=candidates,
        start=ONE_WAY * rho,
        rounds=planned,
        points=points,
    )


def _numbers(public: Public, labels: tuple[int, ...], names: Sequence[str] | None) -> tuple[int, ...]:
    """Columns that are numbers, except labels."""
    found = number_places(public.schema, names)
    if names is None:
        found = tuple(place for place in found if place not in labels)
    if not found:
        allowed = "ordered columns of many values and without missing cells"
        raise ParameterError("numbers", "none", allowed, f"{RAP_PP} asks thresholds of them; {RAP} needs none")
    return found


def _queries(
    public: Public, numbers: tuple[int, ...], labels: tuple[int, ...], thresholds: int, mixed: int, seed: int
) -> tuple[ConditionalCounts, ...]:
    """Thresholds, and mixed marginals if they are asked for."""
    found: list[ConditionalCounts] = [Thresholds(public.schema, numbers, labels, thresholds, seed)]
    if mixed:
        found.append(MixedMarginals(public.schema, numbers, labels, mixed, seed))
    return tuple(found)


def _candidates(roles: Roles, labels: tuple[int, ...], degree: int, *, is_needed: bool) -> tuple[Columns, ...]:
    """Sets of this many columns of categories, with a label if there is one, whose tables are not too large."""
    among, sizes = roles.categories, roles.shape.merged
    if not 2 <= degree <= len(among):
        if not is_needed:
            return ()
        allowed = f"2 to the number of columns of categories, {len(among)}"
        raise ParameterError("degree", degree, allowed, "a table of one column is measured in any case")
    count = len(labels) * comb(len(among) - 1, degree - 1) if labels else comb(len(among), degree)
    if count > MOST_TABLES:
        why = f"{count:,} sets of columns are too many to choose from"
        raise ParameterError("degree", degree, f"such that there are at most {MOST_TABLES:,} sets", why)
    if labels:
        others = {label: [place for place in among if place != label] for label in labels}
        sets = {tuple(sorted((u, *rest))) for u in labels for rest in combinations(others[u], degree - 1)}
    else:
        sets = set(combinations(among, degree))
    found = tuple(columns for columns in sorted(sets) if cells_of(sizes, columns) <= TABLE_CELLS)
    if not found and is_needed:
        raise ParameterError("degree", degree, f"such that some table has at most {TABLE_CELLS:,} cells")
    return found
