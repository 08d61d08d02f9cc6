"""The command that plans a release: from a schema and n to errors by epsilon, and their picture."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from release.files.outputs import Outputs
from synthbounds.api.planning import plan_release
from synthbounds.cli.outcome import Outcome, call, inputs_of, require_options

if TYPE_CHECKING:
    from synthbounds.report.sheet import Sheet


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.error_plan import error_plan_document
    from synthbounds.render.error_plan_payload import error_plan_payload

    require_options(options, "schema")
    if options.picture is not None:
        from synthbounds.render.error_picture import picture_format

        picture_format(options.picture)  # refused before anything is computed
    found = call(plan_release, options)

    def stage(outputs: Outputs) -> None:
        from synthbounds.render.error_picture import error_picture

        outputs.add(options.picture, error_picture(found, Path(options.picture)), name="picture")

    def report() -> Sheet:
        from synthbounds.report.plan_sheet import plan_sheet

        return plan_sheet(found, error_plan_document(found))

    return Outcome(
        lambda: error_plan_document(found),
        lambda: error_plan_payload(found),
        inputs=inputs_of(options, files=True),
        stage=None if options.picture is None else stage,
        report=report,
    )
