"""The command that compares a synthetic table with the real one: errors, scores and their picture, never private."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from release.files.outputs import Outputs
from synthbounds.api.evaluating import evaluate_table
from synthbounds.cli.outcome import Outcome, call, inputs_of, require_options
from synthbounds.cli.progress import Progress

if TYPE_CHECKING:
    from synthbounds.report.sheet import Sheet


def run(options: argparse.Namespace) -> Outcome:
    from mechanisms.evaluate.evaluation import NEVER_PRIVATE
    from synthbounds.render.evaluation import evaluation_document, evaluation_payload

    require_options(options, "schema")
    if options.picture is not None:
        from synthbounds.render.error_picture import picture_format

        picture_format(options.picture)  # refused before anything is computed
    with Progress() as progress:
        found = call(evaluate_table, options, progress=progress.callback)

    def stage(outputs: Outputs) -> None:
        from synthbounds.render.evaluation_picture import evaluation_picture

        outputs.add(options.picture, evaluation_picture(found, Path(options.picture)), name="picture")

    def sheet() -> Sheet:
        from synthbounds.report.evaluation_sheet import evaluation_sheet

        return evaluation_sheet(found, evaluation_document(found))

    return Outcome(
        lambda: evaluation_document(found),
        lambda: evaluation_payload(found),
        (NEVER_PRIVATE,),
        inputs=inputs_of(options, files=True),
        stage=None if options.picture is None else stage,
        uses_ledger=False,
        report=sheet,
    )
