"""The command that fits a finished table to a release: from options to files, a document and its JSON twin."""

from __future__ import annotations

import argparse

from release.files.outputs import Outputs
from synthbounds.api.improving import improve
from synthbounds.cli.outcome import Outcome, call, inputs_of, require_options
from synthbounds.cli.progress import Progress


def run(options: argparse.Namespace) -> Outcome:
    from bounds.errors import UsageError
    from release.data.row_copies import copy_rows, require_same_format
    from release.data.weights import weights_text
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.render.improvement import Files, improvement_document, improvement_payload

    require_options(options, "release")
    if options.k is not None and options.synthetic is None:
        raise UsageError("k is for --synthetic: the number of its rows")
    if options.synthetic is not None:
        require_same_format(options.table, options.synthetic, name="synthetic")
    with Progress() as progress:
        found = call(improve, options, progress=progress.callback)
    files = Files(table=options.table, release=options.release, weights=options.weights, synthetic=options.synthetic)

    def stage(outputs: Outputs) -> None:
        if options.weights is not None:
            outputs.add(options.weights, weights_text(found.weights).encode(), name="weights")
        if options.synthetic is not None:
            copy_rows(outputs, options.table, options.synthetic, found.chosen, name="synthetic")

    stamp = (NOT_A_RELEASE,) if found.is_simulated else ()
    return Outcome(
        lambda: improvement_document(found, files),
        lambda: improvement_payload(found, files),
        warnings=(*stamp, *found.warnings),
        inputs=inputs_of(options),
        stage=stage if options.weights is not None or options.synthetic is not None else None,
        uses_ledger=False,
    )
