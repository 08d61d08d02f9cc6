"""The command about excess risk, and its comparison: from options to a document and its JSON twin."""

from __future__ import annotations

import argparse

from bounds.errors import NotApplicable, UsageError
from bounds.parameters import PARAMETERS
from bounds.risk.parameters import RISK_PARAMETERS
from synthbounds.cli.commands import Outcome, inputs_of


def compare_risk_command(options: argparse.Namespace) -> Outcome:
    from bounds.risk.compare import compare_risk
    from synthbounds.render.risk import risk_comparison_document
    from synthbounds.render.risk_payload import risk_comparison_payload

    for name in ("measure", *PARAMETERS):
        if name not in RISK_PARAMETERS and getattr(options, name) is not None:
            raise UsageError(f"{name} is for sizes of a release: leave it out where --features asks for excess risk")
    rows = compare_risk(**{name: getattr(options, name, None) for name in RISK_PARAMETERS})
    if all(row.answer is None for row in rows):
        raise NotApplicable(f"no theorem applies: {rows[-1].reason}")
    return Outcome(
        lambda: risk_comparison_document(rows),
        lambda: risk_comparison_payload(rows),
        tuple(_intercept_warning(options)),
        inputs=inputs_of(options),
    )


def risk_command(options: argparse.Namespace) -> Outcome:
    from bounds.risk.evaluate import risk
    from synthbounds.render.risk import risk_document
    from synthbounds.render.risk_payload import risk_payload

    given = {name: getattr(options, name) for name in RISK_PARAMETERS}
    if options.theorem == "zhou2024.lower":
        return _paper_lower_bound(options)
    for name in ("log_n", "query_constant"):
        if given.pop(name) is not None:
            raise UsageError(f"{name} is for --theorem zhou2024.lower")
    answer = risk(**given)
    warnings = [f"vacuous bound: {answer.reason}"] if answer.vacuous else []
    warnings += [f"hypothesis violated: {text}" for text in answer.violated]
    if options.release != "moments":  # which counts an intercept as a feature
        warnings += _intercept_warning(options)
    return Outcome(
        lambda: risk_document(answer), lambda: risk_payload(answer), tuple(warnings), inputs=inputs_of(options)
    )


def _intercept_warning(options: argparse.Namespace) -> list[str]:
    if options.intercept is not None:
        return []
    return [
        "the bound is for models without an intercept: give its largest size with --intercept B, which adds to R, "
        "or --intercept 0"
    ]


def _paper_lower_bound(options: argparse.Namespace) -> Outcome:
    from bounds.risk.query_lower_bound import query_lower_bound
    from synthbounds.render.query_lower_bound import lower_document, lower_payload

    for name in RISK_PARAMETERS:
        if name not in ("theorem", "log_n", "query_constant") and getattr(options, name) is not None:
            raise UsageError(f"{name} is not for zhou2024.lower: it has --log-n and --query-constant")
    report = query_lower_bound(log_n=options.log_n, query_constant=options.query_constant)
    return Outcome(lambda: lower_document(report), lambda: lower_payload(report), inputs=inputs_of(options))
