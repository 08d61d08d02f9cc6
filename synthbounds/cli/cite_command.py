"""The command that says how to cite."""

from __future__ import annotations

import argparse

from synthbounds.api.statements import cite
from synthbounds.cli.outcome import Outcome, call, inputs_of


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.statements import cite_bibtex, cite_document, cite_payload

    papers = call(cite, options)
    return Outcome(
        lambda: cite_document(papers),
        lambda: cite_payload(papers),
        answer=papers,
        article=lambda _: cite_bibtex(papers),
        inputs=inputs_of(options),
    )
