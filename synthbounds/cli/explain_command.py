"""The command that explains a theorem."""

from __future__ import annotations

import argparse

from synthbounds.api.statements import explain
from synthbounds.cli.outcome import Outcome, call, inputs_of


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.statements import explain_document, explain_payload

    found = call(explain, options)
    return Outcome(
        lambda: explain_document(found.theorem, found.values),
        lambda: explain_payload(found.theorem, found.values),
        answer=found,
        inputs=inputs_of(options),
    )
