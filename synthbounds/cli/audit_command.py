"""The command that audits the mechanisms of the papers."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError
from synthbounds.cli.commands import Outcome, inputs_of
from synthbounds.cli.progress import Progress


def audit_command(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.audit import audit_document, audit_payload, subjects_document, subjects_payload
    from verify.audit.exact import Verdict
    from verify.audit.run import SAMPLES, audit
    from verify.audit.subjects import SUBJECTS

    layer = "exact" if options.layer is None else options.layer
    if options.name is None:
        for name in ("epsilon", "layer", "samples", "seed"):
            if getattr(options, name) is not None:
                raise UsageError(f"{name} is for one subject: name it, `synthbounds audit` lists all")
        return Outcome(
            lambda: subjects_document(SUBJECTS), lambda: subjects_payload(SUBJECTS), inputs=inputs_of(options)
        )
    if layer == "exact" and (options.samples is not None or options.seed is not None):
        raise UsageError("samples and seed are for --layer ratio and blackbox: the exact layer draws nothing")
    with Progress() as progress:
        if progress.callback is not None:
            progress.callback(f"auditing {options.name}, layer {layer}")
        result = audit(
            options.name,
            epsilon=options.epsilon,
            layer=layer,
            samples=SAMPLES if options.samples is None else options.samples,
            seed=0 if options.seed is None else options.seed,
        )
    return Outcome(
        lambda: audit_document(result),
        lambda: audit_payload(result),
        exit_code=1 if result.verdict is Verdict.VIOLATION else 0,
        inputs=inputs_of(options),
    )
