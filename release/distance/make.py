"""From a finished table and the real one to a release of distance: all is decided first, then noise is drawn once.

`release_distance` spends its own budget; `measure_distance` part of a ledger that others spend from, too. Only
the exact moments see the real records. Proof: docs/proofs/synthbounds.table-distance.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bounds.errors import UsageError
from bounds.exact import Exact
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import Statement
from release.comparison.make import (
    drawn_from,
    measure_comparison,
    read_budget,
    read_synthetic_codes,
    require_affordable,
    require_size,
    table_digest,
)
from release.distance.file import DistanceRelease
from release.distance.planned import DistancePlan
from release.noise.randomness import Randomness
from release.parameters import read_neighbours
from release.statistics.features import FeatureMap
from release.statistics.moment_distance import distance_steps
from release.statistics.moments import MomentSums, moment_sums

if TYPE_CHECKING:
    from release.data.source import Records


def release_distance(
    records: Records,
    synthetic: Records,
    feature_map: FeatureMap,
    *,
    epsilon: Exact,
    dp_delta: Exact | None = None,
    adjacency: Adjacency | str,
    mode: str,
    least_size: Exact | None = None,
    seed: Exact | None = None,
    run: int = 0,
) -> DistanceRelease:
    """How far the moments of `synthetic`, codes of the same schema, are from those of the records.

    With a dp_delta the noise is Gaussian, else Laplace. In release mode each call spends the budget. Under add-remove
    `least_size` is a public number of records: the certified bounds are valid for any, and best near the real one.
    """
    budget = read_budget(
        feature_map.schema,
        epsilon=epsilon,
        dp_delta=dp_delta,
        adjacency=adjacency,
        mode=mode,
        least_size=least_size,
        seed=seed,
        run=run,
    )
    found, _ = measure_distance(
        records,
        synthetic,
        feature_map,
        budget.ledger,
        budget.cost,
        budget.randomness,
        least_size=budget.least_size,
    )
    return found


def measure_distance(
    records: Records | MomentSums,
    synthetic: Records,
    feature_map: FeatureMap,
    ledger: Ledger,
    cost: Statement,
    randomness: Randomness,
    *,
    least_size: int | None = None,
    reserve: str | None = None,
    book: Callable[[Ledger], None] | None = None,
) -> tuple[DistanceRelease, Ledger]:
    """The release and the ledger that paid `cost` for it: Gaussian privacy, or a pure epsilon.

    The synthetic table, codes of the schema, may depend on everything this ledger has paid for before. Records may be
    given by their exact moments, if those have been counted already. `reserve` names the reservation that pays; `book`
    writes the new ledger where it is kept, before the noise.
    """
    feature_map.require_two_values("distances are for labels +1 and -1")
    read_neighbours(ledger.adjacency, least_size=least_size)
    require_affordable(ledger, cost, DistancePlan.KIND, reserve=reserve)
    rows = read_synthetic_codes(synthetic, feature_map.schema)
    known, digest = moment_sums(rows, feature_map), table_digest(rows, feature_map.schema)
    real = records if isinstance(records, MomentSums) else moment_sums(records, feature_map)
    if len(real.first) != feature_map.size:
        raise UsageError("records: these moments belong to other features")
    plan = DistancePlan(
        feature_map=feature_map,
        synthetic=known,
        mode=randomness.mode,
        ledger=ledger,
        price=cost,
        stated_size=require_size(real.n, least_size),
        synthetic_digest=digest,
        **drawn_from(randomness),
    )
    exact = distance_steps(real, known, feature_map, plan.stated_size)
    fields, paid = measure_comparison(plan, exact, n=real.n, randomness=randomness, reserve=reserve, book=book)
    return DistanceRelease(**fields), paid
