"""Run guarantees many times: how often each is missed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from bounds.registry import registry_digest
from verify.guarantee import Frequency, Guarantee, guarantees
from verify.spread.store import Store, run_studies
from verify.spread.workers import HERE, Workers

CHUNK = 25
"""Runs between two writes to the store, and runs given to a worker at a time."""


def store_at(path: str | Path) -> Store:
    """Only runs of the same mathematics count."""
    return Store(path, registry_digest())


def run_guarantees(
    chosen: Sequence[Guarantee],
    runs: int,
    *,
    store: Store | None = None,
    workers: Workers = HERE,
    progress: Callable[[str], None] | None = None,
) -> tuple[Frequency, ...]:
    """Runs 0 to runs - 1 of each, unless they are in the store."""
    found = run_studies(
        "verify.run_guarantees:fails",
        {guarantee.id: range(runs) for guarantee in chosen},
        size=CHUNK,
        store=store,
        workers=workers,
        progress=progress,
    )
    return tuple(Frequency(guarantee, runs, sum(found[guarantee.id].values())) for guarantee in chosen)


def fails(item: tuple[str, int]) -> bool:
    """Whether a run of a guarantee missed it."""
    name, run = item
    return next(guarantee for guarantee in guarantees() if guarantee.id == name).fails(run)
