"""The common preparation of every comparison of a finished table with the real one, and its one measurement."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bounds.errors import DataError
from bounds.exact import Exact
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import DP, GaussianDP, Statement
from release.comparison.file import cost_json
from release.comparison.planned import ComparisonPlan
from release.data.source import as_source
from release.files.digest import canonical_json
from release.measure import measure
from release.noise.randomness import Randomness, read_randomness
from release.parameters import read_neighbours, read_release_numbers
from release.spending import spending
from release.statistics.statistic import Counted

if TYPE_CHECKING:
    from release.data.domain import Codes
    from release.data.schema import Schema
    from release.data.source import Records


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What pays for two numbers, in full, and the source of the noise."""

    ledger: Ledger
    cost: Statement
    randomness: Randomness
    least_size: int | None


def read_budget(
    schema: Schema,
    *,
    epsilon: Exact,
    dp_delta: Exact | None,
    adjacency: Adjacency | str,
    mode: str,
    least_size: Exact | None,
    seed: Exact | None,
    run: int = 0,
) -> Budget:
    """A budget that two numbers spend in full, before any record is seen: in mu^2, or pure if there is no dp_delta."""
    neighbours = read_neighbours(adjacency, least_size=least_size)
    given = {"epsilon": epsilon, "dp_delta": dp_delta, "least_size": least_size, "seed": seed}
    numbers = read_release_numbers(given)
    randomness = read_randomness(mode, seed=None if seed is None else int(numbers["seed"]), run=run)
    if not randomness.is_simulated:
        schema.require_releasable()
    cost: Statement
    if dp_delta is None:
        cost = DP(epsilon=numbers["epsilon"], delta=Fraction(0), adjacency=neighbours)  # type: ignore[arg-type]
        ledger = Ledger.of(cost)
    else:
        ledger = Ledger.in_mu_squared(epsilon=numbers["epsilon"], dp_delta=numbers["dp_delta"], adjacency=neighbours)
        cost = GaussianDP(mu_squared=ledger.total, adjacency=neighbours)
    return Budget(
        ledger=ledger,
        cost=cost,
        randomness=randomness,
        least_size=None if least_size is None else int(numbers["least_size"]),
    )


def read_synthetic_codes(records: Records, schema: Schema) -> Codes:
    """All rows of the synthetic table, which is public, checked against the schema; it may not be empty."""
    import numpy as np

    batches = list(as_source(records, schema.domain).batches())
    if not sum(map(len, batches)):
        raise DataError("synthetic: the table has no rows")
    found: Codes = np.concatenate(batches)
    return found


def table_digest(codes: Codes, schema: Schema) -> str:
    """SHA-256 of a table as its schema reads it: columns, and all rows in order, whatever file they were in."""
    import numpy as np

    found = hashlib.sha256(canonical_json([column.to_json() for column in schema.columns]).encode())
    found.update(np.ascontiguousarray(codes, dtype="<u4").tobytes())
    return found.hexdigest()


def require_size(n: int, least_size: int | None) -> int:
    """The public number N: n if it is public, which is then at least 1; else the number that was stated."""
    if least_size is not None:
        return least_size
    if n == 0:
        raise DataError("the table has no rows")
    return n


def require_affordable(ledger: Ledger, cost: Statement, what: str, *, reserve: str | None) -> None:
    """Refuse, before any table is read, a cost that the ledger or its reservation does not have."""
    if not ledger.affords(cost, reserve=reserve):
        ledger.spend(cost, what, reserve=reserve)  # which says what is left


def measure_comparison(
    plan: ComparisonPlan,
    exact: tuple[int, int],
    *,
    n: int,
    randomness: Randomness,
    reserve: str | None,
    book: Callable[[Ledger], None] | None,
) -> tuple[dict[str, Any], Ledger]:
    """Draw the noise on both integers, once: all fields of the release of this plan, and the ledger that paid."""
    with spending(is_private=not plan.is_simulated):
        measurement, ledger = measure(
            Counted(n=n, values=exact),
            plan.noise,
            plan.ledger,
            what=plan.KIND,
            randomness=randomness,
            reserve=reserve,
            header=_header(plan),
            book=book,
        )
        first, second = (round(value) for value in measurement.values)
        return plan.public() | {"ledger": ledger, "numbers": (first, second)}, ledger


def drawn_from(randomness: Randomness) -> dict[str, int | None]:
    """Seed and run of a simulation, as a plan states them."""
    simulated = randomness.is_simulated
    return {"seed": randomness.seed if simulated else None, "run": randomness.run if simulated else None}


def _header(plan: ComparisonPlan) -> dict[str, object]:
    """The public fields around the numbers, from which an interrupted release can be finished."""
    return {
        "kind": plan.KIND,
        "mode": plan.mode,
        "statistic": plan.statistic_text,
        "stated_size": plan.stated_size,
        "cost": cost_json(plan.price),
        "schema": plan.schema.to_json(),
        **plan.said_besides(),
        "synthetic": {"rows": plan.synthetic_size, "digest": plan.synthetic_digest},
    }
