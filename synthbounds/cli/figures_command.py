"""The command that makes the figures of the papers."""

from __future__ import annotations

import argparse
from pathlib import Path

from bounds.errors import OutputError, UsageError, how_to_install
from synthbounds.cli.commands import Outcome, inputs_of
from synthbounds.cli.progress import Progress


def figures_command(options: argparse.Namespace) -> Outcome:
    from paper_figures.registry import all_figures
    from synthbounds.render.figures import figures_document, figures_payload, made_document, made_payload

    known = all_figures()
    names = dict.fromkeys(_known_name(name, list(known)) for name in options.names)
    chosen = [known[name] for name in names or known]
    if options.list:
        return Outcome(lambda: figures_document(chosen), lambda: figures_payload(chosen), inputs=inputs_of(options))
    from paper_figures.make import FOLDER, make

    _require_matplotlib()
    folder = FOLDER if options.folder is None else _folder(options.folder)
    made = []
    with Progress() as progress:
        for place, figure in enumerate(chosen, start=1):
            if progress.callback is not None:
                progress.callback(f"figure {place} of {len(chosen)}: {figure.name}")
            made.append(make(figure, folder))
    missing = [m.name for m in made if m.not_run]
    warnings = (f"not run: {', '.join(missing)}",) if missing else ()
    return Outcome(lambda: made_document(made, folder), lambda: made_payload(made), warnings, inputs=inputs_of(options))


def _folder(text: str) -> Path:
    """Where figures go, made before anything is computed."""
    if not text:
        raise OutputError("output = '': give the name of a folder")
    folder = Path(text)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OutputError(f"output = {text[:60]}: is not a folder") from None
    except (OSError, ValueError) as error:
        raise OutputError(f"output = {text[:60]}: cannot be made a folder ({error})") from None
    return folder


def _require_matplotlib() -> None:
    """Before anything is computed: an installation without the extra says how to get it."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise UsageError(f"figures need matplotlib, which is not installed: {how_to_install('figures')}")


def _known_name(name: str, known: list[str]) -> str:
    if name in known:
        return name
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else "see `synthbounds figures --list`"
    raise UsageError(f"figure {name[:60]!r} is not known: {hint}")
