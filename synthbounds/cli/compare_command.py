"""The command that compares theorems: about sizes or, with --features, about excess risk."""

from __future__ import annotations

import argparse

from bounds.errors import NotApplicable, UsageError
from bounds.parameters import PARAMETERS
from bounds.risk.parameters import RISK_PARAMETERS
from synthbounds.api.risk import compare_risk
from synthbounds.api.sizes import compare
from synthbounds.cli.outcome import Outcome, call, inputs_of, is_said
from synthbounds.cli.risk_command import intercept_warning


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.payload import comparison_payload
    from synthbounds.render.requirement import comparison_document
    from synthbounds.render.stated import in_form
    from synthbounds.render.stated_answers import stated_requirement

    if options.features is not None:
        return _risks(options)
    for name in RISK_PARAMETERS:
        if name not in PARAMETERS and hasattr(options, name) and is_said(options, name):
            raise UsageError(f"{name} is for bounds on excess risk: give --features with it")
    rows = call(compare, options)
    if all(row.requirement is None for row in rows):
        reasons = [row.reason for row in rows]
        telling = next((reason for reason in reasons if "is missing" not in reason), reasons[0])
        raise NotApplicable(f"no theorem applies: {telling}")
    return Outcome(
        lambda: comparison_document(rows),
        lambda: comparison_payload(rows),
        answer=rows,
        article=lambda form: in_form(form, [stated_requirement(r.requirement) for r in rows if r.requirement]),
        inputs=inputs_of(options, files=True),
    )


def _risks(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.risk import risk_comparison_document
    from synthbounds.render.risk_payload import risk_comparison_payload
    from synthbounds.render.stated import in_form
    from synthbounds.render.stated_answers import stated_risk

    for name in ("measure", "schema", *PARAMETERS):
        if name not in RISK_PARAMETERS and is_said(options, name):
            raise UsageError(f"{name} is for sizes of a release: leave it out, since --features asks for excess risk")
    rows = call(compare_risk, options)
    if all(row.answer is None for row in rows):
        raise NotApplicable(f"no theorem applies: {rows[-1].reason}")
    return Outcome(
        lambda: risk_comparison_document(rows),
        lambda: risk_comparison_payload(rows),
        answer=rows,
        article=lambda form: in_form(form, [stated_risk(row.answer) for row in rows if row.answer]),
        warnings=tuple(intercept_warning(options)),
        inputs=inputs_of(options),
    )
