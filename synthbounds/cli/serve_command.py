"""The command that opens the page on this machine, with the engine that is installed here."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError, how_to_install
from synthbounds.cli.outcome import Outcome, write


def run(options: argparse.Namespace) -> Outcome:
    port = int(options.declared.parameters["port"].number(options.port))
    try:
        from synthbounds.web.server import serve
    except ModuleNotFoundError as missing:
        raise UsageError(f"serve needs {missing.name}: {how_to_install('web')}") from None
    serve(port=port, announce=write, opens_browser=not options.no_browser)
    return Outcome(tuple, dict, text="")
