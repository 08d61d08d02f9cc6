"""The command that opens an account, or says what was spent on the people in it."""

from __future__ import annotations

import argparse
from pathlib import Path

from bounds.errors import UsageError
from release.account_parameters import ACCOUNT_PARAMETERS
from synthbounds.api.accounts import open_account, show_account
from synthbounds.cli.outcome import Outcome, call, inputs_of, is_said, require_options

_SHOWN = ("action", "file")


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.account import account_document, account_payload

    action = ACCOUNT_PARAMETERS["action"].choice(options.action)
    if action == "open":
        require_options(options, "name", "adjacency")
        if options.output is not None and Path(options.output).resolve() == Path(options.file).resolve():
            raise UsageError("output and file name the same file; the account itself is written in any case")
        found = call(open_account, options)
    else:
        for name in ACCOUNT_PARAMETERS:
            if name not in _SHOWN and is_said(options, name):
                raise UsageError(f"{name.replace('_', '-')} is for `synthbounds account open`")
        found = call(show_account, options)
    return Outcome(
        lambda: account_document(found, options.file),
        lambda: account_payload(found, options.file),
        inputs=inputs_of(options),
    )
