"""The command that audits the mechanisms of the papers and those that are shipped."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError
from synthbounds.api.ledger import audit, audit_subjects
from synthbounds.cli.outcome import Outcome, call, inputs_of, is_said
from synthbounds.cli.progress import Progress


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.audit import audit_document, audit_payload, subjects_document, subjects_payload

    if options.name is None:
        for name in ("epsilon", "layer", "samples", "seed"):
            if is_said(options, name):
                raise UsageError(f"{name} is for one subject: name it, `synthbounds audit` lists all")
        subjects = audit_subjects()
        return Outcome(
            lambda: subjects_document(subjects), lambda: subjects_payload(subjects), inputs=inputs_of(options)
        )
    with Progress() as progress:
        result = call(audit, options, progress=progress.callback)
    return Outcome(
        lambda: audit_document(result),
        lambda: audit_payload(result),
        exit_code=1 if result.verdict.value == "violation" else 0,
        inputs=inputs_of(options),
    )
