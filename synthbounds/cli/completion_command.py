"""The command that writes the script for completion in a shell."""

from __future__ import annotations

import argparse

from synthbounds.cli.outcome import Outcome


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.api.commands import COMMANDS
    from synthbounds.completion import script

    shell = options.declared.parameters["shell"].choice(options.shell)
    text = script(shell, tuple(COMMANDS.values()))
    return Outcome(lambda: (), dict, text=text, uses_ledger=False)
