"""The command that opens the page on this machine, with the engine that is installed here."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError, how_to_install
from synthbounds.cli.outcome import Outcome, write


def run(options: argparse.Namespace) -> Outcome:
    declared = options.declared.parameters
    port, most = (int(declared[name].number(getattr(options, name))) for name in ("port", "most_upload"))
    try:
        from synthbounds.web.server import serve
    except ModuleNotFoundError as missing:
        raise UsageError(f"serve needs {missing.name}: {how_to_install('web')}") from None
    told = serve(
        port=port,
        announce=write,
        opens_browser=not options.no_browser,
        folder=options.folder,
        most_upload=most,
        demo=options.demo,
    )
    return Outcome(tuple, dict, tuple(told), text="")
