"""The command that lists theorems."""

from __future__ import annotations

import argparse

from synthbounds.api.statements import theorems
from synthbounds.cli.outcome import Outcome, call, inputs_of


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.statements import list_document, list_payload

    found = call(theorems, options)
    return Outcome(lambda: list_document(found), lambda: list_payload(found), answer=found, inputs=inputs_of(options))
