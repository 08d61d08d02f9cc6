"""The command that checks the installation."""

from __future__ import annotations

import argparse

from synthbounds.api.checkup import doctor
from synthbounds.cli.outcome import Outcome, call, inputs_of


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.checkup import doctor_document, doctor_payload

    results = call(doctor, options)
    code = 0 if all(c.fine for c in results) else 1
    return Outcome(
        lambda: doctor_document(results), lambda: doctor_payload(results), exit_code=code, inputs=inputs_of(options)
    )
