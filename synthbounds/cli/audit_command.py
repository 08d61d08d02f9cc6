"""The command that audits the mechanisms of the papers and those of this package."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError
from synthbounds.api.ledger import audit, audit_all, audit_subjects
from synthbounds.cli.outcome import Outcome, call, inputs_of, is_said
from synthbounds.cli.progress import Progress

_ONE = "is for one subject: name it (`synthbounds audit` lists all)"
_SPREAD = ("workers", "scheduler", "certificates")


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.audit import audit_document, audit_payload, subjects_document, subjects_payload

    if options.all:
        return _all(options)
    _refuse(options, _SPREAD, "is for --all: one audit has one piece")
    if options.name is None:
        _refuse(options, ("epsilon", "layer", "samples", "seed"), _ONE)
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


def _all(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.audit import audits_document, audits_payload

    _refuse(options, ("epsilon",), "is for one subject: leave it out with --all")
    with Progress() as progress:
        results = call(audit_all, options, progress=progress.callback)
    return Outcome(
        lambda: audits_document(results),
        lambda: audits_payload(results),
        exit_code=0 if all(result.agrees for result in results) else 1,
        inputs=inputs_of(options),
    )


def _refuse(options: argparse.Namespace, names: tuple[str, ...], reason: str) -> None:
    for name in names:
        if is_said(options, name):
            raise UsageError(f"{name} {reason}")
