"""The command that runs the ledger or the guarantees, says what falls with a claim, or writes all claims to a file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bounds.errors import UsageError
from synthbounds.api import SHOWN
from synthbounds.api.ledger import export_claims, verify, verify_guarantees, what_falls
from synthbounds.cli.outcome import Outcome, call, inputs_of, is_said
from synthbounds.cli.progress import Progress

if TYPE_CHECKING:
    from release.files.outputs import Outputs

_INSTEAD = {"export": "writes all claims", "falls": "is about one claim", "simulate": "runs the algorithm"}
_GO_WITH = {"simulate": {"id", "store", "workers", "scheduler", "certificates"}}


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.verification import verification_document, verification_payload

    for name, what in _INSTEAD.items():
        if is_said(options, name):
            for other in sorted(options.declared.parameters.keys() - SHOWN.keys() - {name, *_GO_WITH.get(name, ())}):
                if is_said(options, other):
                    raise UsageError(f"{other} is for claims: leave it out with --{name}, which {what}")
            return _OTHERWISE[name](options)
    if options.store is not None:
        raise UsageError("store is for --simulate: claims are checked again each time")
    with Progress() as progress:
        results = call(verify, options, progress=progress.callback)
    failed = [r for r in results if r.agrees is False]
    missing = sum(r.not_run for r in results)
    warnings = [f"{missing} claims were not run, because the tables that they need are missing"] if missing else []
    return Outcome(
        lambda: verification_document(results, one=options.id is not None),
        lambda: verification_payload(results),
        tuple(warnings),
        exit_code=1 if failed else 0,
        inputs=inputs_of(options),
    )


def _simulated(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.verification import guarantees_document, guarantees_payload

    with Progress() as progress:
        found = call(verify_guarantees, options, progress=progress.callback)
    return Outcome(
        lambda: guarantees_document(found),
        lambda: guarantees_payload(found),
        exit_code=1 if any(f.rejected for f in found) else 0,
        inputs=inputs_of(options),
    )


def _falls(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.claims import falls_document, falls_payload

    found = call(what_falls, options)
    return Outcome(lambda: falls_document(found), lambda: falls_payload(found), inputs=inputs_of(options))


def _exported(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.claims import export_document, export_payload

    found = call(export_claims, options)

    def stage(outputs: Outputs) -> None:
        outputs.add(options.export, found.to_text().encode(), name="export")

    return Outcome(
        lambda: export_document(found, options.export),
        lambda: export_payload(found, options.export),
        stage=stage,
        inputs=inputs_of(options),
    )


_OTHERWISE = {"export": _exported, "falls": _falls, "simulate": _simulated}
