"""The command that runs the ledger, or with --simulate the guarantees."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError
from synthbounds.api.ledger import verify, verify_guarantees
from synthbounds.cli.outcome import Outcome, call, inputs_of, is_said
from synthbounds.cli.progress import Progress


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.verification import verification_document, verification_payload

    if options.simulate is not None:
        return _simulated(options)
    if options.store is not None:
        raise UsageError("store is for --simulate: claims are checked anew each time")
    with Progress() as progress:
        results = call(verify, options, progress=progress.callback)
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
    from synthbounds.render.verification import guarantees_document, guarantees_payload

    for name in ("paper", "workers", "thorough"):
        if is_said(options, name):
            raise UsageError(f"{name} is for claims: leave it out with --simulate")
    with Progress() as progress:
        found = call(verify_guarantees, options, progress=progress.callback)
    return Outcome(
        lambda: guarantees_document(found),
        lambda: guarantees_payload(found),
        exit_code=1 if any(f.rejected for f in found) else 0,
        inputs=inputs_of(options),
    )
