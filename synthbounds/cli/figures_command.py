"""The command that makes the figures of the papers."""

from __future__ import annotations

import argparse
from pathlib import Path

from synthbounds.api.ledger import figures, known_figures
from synthbounds.cli.outcome import Outcome, call, inputs_of
from synthbounds.cli.progress import Progress


def run(options: argparse.Namespace) -> Outcome:
    from paper_figures.make import FOLDER
    from synthbounds.render.figures import figures_document, figures_payload, made_document, made_payload

    if options.list:
        chosen = list(call(known_figures, options))
        return Outcome(lambda: figures_document(chosen), lambda: figures_payload(chosen), inputs=inputs_of(options))
    with Progress() as progress:
        made = list(call(figures, options, progress=progress.callback))
    folder = FOLDER if options.folder is None else Path(options.folder)
    missing = [m.name for m in made if m.not_run]
    warnings = (f"not run: {', '.join(missing)}",) if missing else ()
    return Outcome(lambda: made_document(made, folder), lambda: made_payload(made), warnings, inputs=inputs_of(options))
