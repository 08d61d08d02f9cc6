"""The command that asks the holder of the data for one planned gradient: from options to files and a certificate."""

from __future__ import annotations

import argparse
from pathlib import Path

from release.files.outputs import Outputs, require_place
from release.files.strict_json import MOST_FILE_BYTES
from synthbounds.api.modelling import confirm
from synthbounds.cli.outcome import Outcome, call, inputs_of, require_options


def run(options: argparse.Namespace) -> Outcome:
    from mechanisms.models.model import read_model
    from release.gradient.read import read_query
    from release.moments.read import read_release
    from release.noise.kinds import NOT_A_RELEASE
    from release.query.make import Payer
    from synthbounds.render.confirmation import ConfirmFiles, confirmation_document, confirmation_payload

    require_options(options, "output")
    # What paid is marked as spent in the file that was read, unless another process has changed it meanwhile.
    marked = options.release if options.previous is None else options.previous
    as_read = _bytes_of(marked)
    release = read_release(options.release)
    previous = None if options.previous is None else read_query(options.previous, release)
    model = read_model(options.model, release.feature_map)
    require_place(marked, name="release" if previous is None else "previous", force=True)

    def mark(outputs: Outputs, payer: Payer) -> None:
        name = "release" if payer.previous is None else "previous"
        outputs.add(marked, payer.to_text().encode(), name=name, replaces=as_read)

    def book(payer: Payer) -> None:
        """Mark what pays as spent, in the file that was read: of two processes only one gets further than this."""
        with Outputs() as outputs:
            mark(outputs, payer)

    booking = None if release.is_simulated else book
    found = call(confirm, options, release=release, model=model, previous=previous, book=booking)

    def stage(outputs: Outputs) -> None:
        if release.is_simulated:  # nothing was spent: both files, or none
            mark(outputs, Payer(release=found.release, previous=found.booking.previous))
        outputs.add(options.output, found.query.to_text().encode(), name="output")

    files = ConfirmFiles(options.table, options.release, options.model, options.output, options.previous)
    return Outcome(
        lambda: confirmation_document(found, files),
        lambda: confirmation_payload(found, files),
        (NOT_A_RELEASE,) if release.is_simulated else (),
        inputs=inputs_of(options),
        stage=stage,
        stages_output=True,
        spent=not release.is_simulated,
    )


def _bytes_of(path: str) -> bytes:
    """The file as it is; one that cannot be read is complained about where it is parsed."""
    try:
        if not Path(path).is_file() or Path(path).stat().st_size > MOST_FILE_BYTES:
            return b""
        return Path(path).read_bytes()
    except (OSError, ValueError):
        return b""
