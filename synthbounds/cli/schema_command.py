"""The command that drafts a schema. The draft is a JSON file, the same for the formats text and json."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError
from synthbounds.api.tables import draft_schema
from synthbounds.cli.outcome import Outcome, call


def run(options: argparse.Namespace) -> Outcome:
    if options.format not in ("text", "json"):
        raise UsageError(f"format {options.format} is not for a schema, which is JSON: leave --format out")
    draft = call(draft_schema, options)
    return Outcome(
        lambda: (),
        draft.to_json,
        (
            "this draft was made from the data and reveals values of it: replace levels and ranges by public knowledge "
            'and set "source" to "public" before a release',
        ),
        text=draft.to_text(),
    )
