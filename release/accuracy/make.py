"""From a finished table, a workload and the real table to a release of accuracy: noise is drawn once, at the end.

Proof: docs/proofs/synthbounds.table-accuracy.md.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.exact import Exact
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import Statement
from release.accuracy.file import AccuracyRelease
from release.accuracy.planned import AccuracyPlan, SyntheticAnswers
from release.accuracy.workload import Workload, read_workload
from release.comparison.make import (
    drawn_from,
    measure_comparison,
    read_budget,
    read_synthetic_codes,
    require_affordable,
    require_size,
    table_digest,
)
from release.data.source import as_source
from release.noise.randomness import Randomness
from release.parameters import read_neighbours
from release.statistics.table_errors import error_steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.schema import Schema
    from release.data.source import Records
    from release.statistics.families import Family


def release_accuracy(
    records: Records,
    synthetic: Records,
    schema: Schema,
    workload: str | Path | Family | Workload,
    *,
    epsilon: Exact,
    dp_delta: Exact | None = None,
    adjacency: Adjacency | str,
    mode: str,
    least_size: Exact | None = None,
    seed: Exact | None = None,
    run: int = 0,
) -> AccuracyRelease:
    """The largest and the mean error of `synthetic`, codes of the same schema, over a workload, each with noise.

    With a dp_delta the noise is Gaussian, else Laplace. In release mode each call spends the budget.
    """
    asked = read_workload(workload, schema)
    budget = read_budget(
        schema,
        epsilon=epsilon,
        dp_delta=dp_delta,
        adjacency=adjacency,
        mode=mode,
        least_size=least_size,
        seed=seed,
        run=run,
    )
    found, _ = measure_accuracy(
        records, synthetic, asked, budget.ledger, budget.cost, budget.randomness, least_size=budget.least_size
    )
    return found


def measure_accuracy(
    records: Records,
    synthetic: Records,
    workload: Workload,
    ledger: Ledger,
    cost: Statement,
    randomness: Randomness,
    *,
    least_size: int | None = None,
    reserve: str | None = None,
    book: Callable[[Ledger], None] | None = None,
) -> tuple[AccuracyRelease, Ledger]:
    """The release and the ledger that paid `cost` for it: Gaussian privacy, or a pure epsilon.

    The synthetic table, codes of the schema, may depend on everything this ledger has paid for before. `reserve`
    names the reservation that pays; `book` writes the new ledger where it is kept, before the noise.
    """
    read_neighbours(ledger.adjacency, least_size=least_size)
    require_affordable(ledger, cost, AccuracyPlan.KIND, reserve=reserve)
    schema = workload.schema
    codes = read_synthetic_codes(synthetic, schema)
    ours = workload.sums(as_source(codes, schema.domain))
    source = as_source(records, schema.domain)
    theirs = workload.sums(source)
    plan = AccuracyPlan(
        workload=workload,
        synthetic=_answers(ours, len(codes), workload),
        mode=randomness.mode,
        ledger=ledger,
        price=cost,
        stated_size=require_size(source.n, least_size),
        synthetic_digest=table_digest(codes, schema),
        **drawn_from(randomness),
    )
    exact = error_steps(
        theirs,
        ours,
        denominator=workload.denominator,
        n=source.n,
        rows=len(codes),
        size=plan.stated_size,
        mean_moved=plan.mean_moved,
        adjacency=plan.adjacency,
    )
    fields, paid = measure_comparison(plan, exact, n=source.n, randomness=randomness, reserve=reserve, book=book)
    return AccuracyRelease(**fields), paid


def _answers(sums: list[NDArray[Any]], rows: int, workload: Workload) -> SyntheticAnswers:
    unit = rows * workload.denominator
    return SyntheticAnswers(
        rows=rows,
        largest_mean=Fraction(max(int(abs(group).max()) for group in sums), unit),
        average_mean=Fraction(sum(int(abs(group).sum()) for group in sums), unit * workload.count),
    )
