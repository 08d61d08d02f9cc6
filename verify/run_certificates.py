"""Run the study of certificates in pieces that survive interruption: finished runs are kept and not repeated."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from verify.spread.store import Store, run_studies
from verify.spread.workers import HERE, Workers, add_options, said, told

VERSION = 1
"""Increase this when the computation of a run changes: results of another version are not counted."""
CHUNK = 20
"""Runs between two writes to the store, and runs given to a worker at a time."""
PIPELINES, EVENTS, ATTACKS, GROUP_ATTACKS = "pipelines", "events", "attacks", "group attacks"

Row = dict[str, Any]
Rows = dict[int, Row]


def row_of(item: tuple[str, int]) -> Row:
    """The result of a run of a study: from a table to a certificate, a release, or an attack on a certificate.

    Group attacks are attacks on certificates that distinguish records by a column with few values.
    """
    study, run = item
    if study == PIPELINES:
        return _pipeline_row(run)
    if study == EVENTS:
        from verify.certificate_runs import event_holds

        return {"holds": event_holds(run)}
    return _attack_row(run, by_groups=study == GROUP_ATTACKS)


def run_certificates(
    counts: dict[str, int],
    *,
    store: Store | None = None,
    workers: Workers = HERE,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Rows]:
    """Runs 0 to count - 1 of each study whose tables are available."""
    from verify.certificate_runs import can_run

    wanted = {
        study: [run for run in range(count) if study not in (PIPELINES, EVENTS) or can_run(run)]
        for study, count in counts.items()
    }
    found: dict[str, Rows] = run_studies(
        "verify.run_certificates:row_of", wanted, size=CHUNK, store=store, workers=workers, progress=progress
    )
    if GROUP_ATTACKS in found:
        found[GROUP_ATTACKS] = {run: row for run, row in found[GROUP_ATTACKS].items() if row["groups"]}
    return found


def _pipeline_row(run: int) -> Row:
    from verify.certificate_runs import pipeline

    found = pipeline(run)
    asked = found.setting
    return {
        "table": asked.table,
        "epsilon": str(asked.epsilon),
        "tau": str(asked.tau),
        "loss": asked.loss,
        "n": found.n,
        "features": found.features,
        "bound": found.bound,
        "excess": found.excess,
        "gap": found.gap,
    }


def _attack_row(number: int, *, by_groups: bool) -> Row:
    from verify.certificate_attacks import attack

    found = attack(number, by_groups=by_groups)
    return {
        "loss": found.loss,
        "tau": str(found.tau),
        "features": found.features,
        "groups": found.groups,
        "bound": found.bound,
        "by_table": found.by_table,
        "by_noise": found.by_noise,
    }


def ratios(rows: dict[int, Row]) -> list[float]:
    """The true excess, or the one an adversary reached, over the bound; above 1 a certificate is broken."""
    return [
        max(row["by_table"], row["by_noise"]) if "by_table" in row else row["excess"] / row["bound"]
        for row in rows.values()
    ]


def main() -> int:
    import argparse

    parser = argparse.ArgumentParser(prog="python -m verify.run_certificates", description=__doc__)
    parser.add_argument("--pipelines", type=int, default=0, help="how many runs from table to certificate")
    parser.add_argument("--attacks", type=int, default=0, help="how many attacks on a certificate")
    parser.add_argument("--group-attacks", type=int, default=0, help="how many on certificates that tell groups apart")
    parser.add_argument("--store", required=True, metavar="FILE", help="keep finished runs in FILE, to continue later")
    add_options(parser)
    options = parser.parse_args()

    def say(text: str) -> None:
        sys.stderr.write(f"{text}\n")

    counts = {PIPELINES: options.pipelines, ATTACKS: options.attacks, GROUP_ATTACKS: options.group_attacks}
    broken = 0
    with told(parser):
        rows_of = run_certificates(counts, store=Store(options.store, VERSION), workers=said(options), progress=say)
    for name, rows in rows_of.items():
        found = ratios(rows)
        failed = sum(ratio > 1 for ratio in found)
        broken += failed
        say(f"{len(found)} {name}, {failed} certificates broken, largest ratio {max(found, default=0):.9f}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
