"""Commands about tables: from options to what is printed or written."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError
from synthbounds.cli.commands import Outcome


def schema_command(options: argparse.Namespace) -> Outcome:
    """The draft is a JSON file, the same for the formats text and json."""
    from release.data.template import template_from_table

    if options.format not in ("text", "json"):
        raise UsageError(f"format {options.format} is not for a schema, which is JSON: leave --format out")
    draft = template_from_table(options.table, bins=options.bins, most_levels=options.most_levels)
    return Outcome(
        lambda: (),
        draft.to_json,
        (
            "this draft was made from the data and reveals values of it: replace levels and ranges by public knowledge "
            'and set "source" to "public" before a release',
        ),
        text=draft.to_text(),
    )
