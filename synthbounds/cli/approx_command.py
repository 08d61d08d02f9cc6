"""The command that approximates a function by a polynomial, and writes the certificate."""

from __future__ import annotations

import argparse

from release.files.outputs import Outputs
from synthbounds.api.approximation import approximate, certificate, require_certifiable
from synthbounds.cli.outcome import Outcome, call, inputs_of, require_options


def run(options: argparse.Namespace) -> Outcome:
    from bounds.approximation.context import context
    from synthbounds.render.approximation import approximation_document, approximation_payload

    require_options(options, "function", "interval", "degree")
    if options.certificate is not None:
        require_certifiable(options.degree)
    answer = call(approximate, options)
    stage = None
    if options.certificate is not None:
        proof = certificate(answer).encode()

        def stage(outputs: Outputs) -> None:
            outputs.add(options.certificate, proof, name="certificate")

    known = context(answer)
    return Outcome(
        lambda: approximation_document(answer, known),
        lambda: approximation_payload(answer, known),
        answer=answer,
        stage=stage,
        inputs=inputs_of(options),
        precision=answer.precision,
    )
