"""The command that drafts a schema: a table of all columns, and the schema itself in a file or, as JSON, alone."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from synthbounds.api.tables import describe_table
from synthbounds.cli.outcome import Outcome, call, inputs_of

if TYPE_CHECKING:
    from release.files.outputs import Outputs

_WARNING = (
    "this draft was made from the data and reveals some of its values: before a release, replace levels, ranges and "
    'spans from public knowledge and set "source" to "public"'
)


def run(options: argparse.Namespace) -> Outcome:
    """With --output the schema goes there and the table is printed; without it, --format json prints the schema."""
    from synthbounds.render.drafted_schema import draft_document, draft_payload

    draft = call(describe_table, options)
    text = draft.schema.to_text()
    if options.output is None and options.format == "json":
        return Outcome(lambda: (), draft.schema.to_json, (_WARNING,), text=text)

    def stage(outputs: Outputs) -> None:
        outputs.add(options.output, text.encode(), name="output")

    return Outcome(
        lambda: draft_document(draft, options.output),
        lambda: draft_payload(draft, options.output),
        (_WARNING,),
        stage=None if options.output is None else stage,
        stages_output=True,
        inputs=inputs_of(options),
        uses_ledger=False,
    )
