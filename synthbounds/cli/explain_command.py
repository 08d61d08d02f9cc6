"""The command that explains a theorem."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from synthbounds.api.statements import explain
from synthbounds.cli.outcome import Outcome, call, inputs_of

if TYPE_CHECKING:
    from bounds.model import Theorem


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.statements import explain_document, explain_payload

    found = call(explain, options)
    return Outcome(
        lambda: explain_document(found.theorem, found.values),
        lambda: explain_payload(found.theorem, found.values),
        answer=found,
        article=lambda form: _in_form(form, found.theorem),
        inputs=inputs_of(options),
    )


def _in_form(form: str, theorem: Theorem) -> str:
    from synthbounds.render.stated_theorems import explained_in_form

    return explained_in_form(form, theorem)
