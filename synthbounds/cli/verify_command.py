"""The command that runs the ledger."""

from __future__ import annotations

import argparse
import os

from synthbounds.cli.commands import Outcome, inputs_of
from synthbounds.cli.progress import Progress


def verify_command(options: argparse.Namespace) -> Outcome:
    from bounds.exact import parse_integer, require_range
    from synthbounds.render.verification import verification_document, verification_payload
    from verify.run import choose, run_claims

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
