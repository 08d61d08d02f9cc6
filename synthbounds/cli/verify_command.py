"""The command that runs the ledger."""

from __future__ import annotations

import argparse
import os

from bounds.errors import UsageError
from synthbounds.cli.commands import Outcome, inputs_of
from synthbounds.cli.progress import Progress


def verify_command(options: argparse.Namespace) -> Outcome:
    from bounds.exact import parse_integer, require_range
    from synthbounds.render.verification import verification_document, verification_payload
    from verify.run import choose, run_claims

    if options.simulate is not None:
        return _simulated(options)
    if options.store is not None:
        raise UsageError("store is for --simulate: claims are checked anew each time")
    workers = min(2, os.cpu_count() or 1) if options.workers is None else parse_integer(options.workers, "workers")
    require_range("workers", workers, options.workers, least=1, most=256, reason="processes")
    claims = choose(paper=options.paper, claim_id=options.id)
    with Progress() as progress:
        results = run_claims(claims, workers=1 if len(claims) < 8 else workers, progress=progress.callback)
    failed = [r for r in results if r.agrees is False]
    missing = sum(r.not_run for r in results)
    warnings = [f"{missing} claims were not run, because the tables they need are not here"] if missing else []
    return Outcome(
        lambda: verification_document(results, one=options.id is not None),
        lambda: verification_payload(results),
        tuple(warnings),
        exit_code=1 if failed else 0,
        inputs=inputs_of(options),
    )


def _simulated(options: argparse.Namespace) -> Outcome:
    from bounds.exact import parse_integer, require_range
    from synthbounds.render.verification import guarantees_document, guarantees_payload
    from verify.guarantee import guarantees
    from verify.run_guarantees import Store, run_all

    for name in ("paper", "workers"):
        if getattr(options, name) is not None:
            raise UsageError(f"{name} is for claims: leave it out with --simulate")
    runs = parse_integer(options.simulate, "simulate")
    require_range("simulate", runs, options.simulate, least=1, most=10**7, reason="runs of each guarantee")
    chosen = [g for g in guarantees() if options.id is None or g.id.startswith(options.id)]
    if not chosen:
        raise UsageError(
            f"id = {options.id[:60]}: must begin the name of a guarantee: {', '.join(g.id for g in guarantees())}"
        )
    with Progress() as progress:
        store = None if options.store is None else Store(options.store)
        found = run_all(chosen, runs, store=store, progress=progress.callback)
    return Outcome(
        lambda: guarantees_document(found),
        lambda: guarantees_payload(found),
        exit_code=1 if any(f.rejected for f in found) else 0,
        inputs=inputs_of(options),
    )
