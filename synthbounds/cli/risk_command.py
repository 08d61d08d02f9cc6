"""The command about excess risk, and about Theorem 4.1 of zhou2024."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError
from bounds.risk.parameters import RISK_PARAMETERS
from synthbounds.api.risk import query_lower_bound, risk
from synthbounds.cli.outcome import Outcome, call, inputs_of, is_said

_LOWER = "zhou2024.lower"
_FOR_LOWER = ("log_n", "query_constant")


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.risk import risk_document
    from synthbounds.render.risk_payload import risk_payload
    from synthbounds.render.stated import in_form
    from synthbounds.render.stated_answers import stated_risk

    if options.theorem == _LOWER:
        return _paper_lower_bound(options)
    for name in _FOR_LOWER:
        if is_said(options, name):
            raise UsageError(f"{name} is for --theorem {_LOWER}")
    answer = call(risk, options)
    warnings = [f"vacuous bound: {answer.reason}"] if answer.vacuous else []
    warnings += [f"hypothesis violated: {text}" for text in answer.violated]
    if options.release != "moments":  # which counts an intercept as a feature
        warnings += intercept_warning(options)
    return Outcome(
        lambda: risk_document(answer),
        lambda: risk_payload(answer),
        answer=answer,
        warnings=tuple(warnings),
        article=lambda form: in_form(form, [stated_risk(answer)]),
        inputs=inputs_of(options),
    )


def intercept_warning(options: argparse.Namespace) -> list[str]:
    if options.intercept is not None:
        return []
    return ["no intercept assumed: give --intercept 0, or its bound B"]


def _paper_lower_bound(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.query_lower_bound import lower_document, lower_payload

    for name in RISK_PARAMETERS:
        if name not in ("theorem", *_FOR_LOWER) and is_said(options, name):
            raise UsageError(f"{name} is not for {_LOWER}: it has --log-n and --query-constant")
    report = call(query_lower_bound, options)
    return Outcome(
        lambda: lower_document(report), lambda: lower_payload(report), answer=report, inputs=inputs_of(options)
    )
