"""The command that makes a synthetic table: from options to files, a document and its JSON twin."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from bounds.errors import UsageError
from lp.outputs import Outputs
from lp.parameters import SYNTH_PARAMETERS
from synthbounds.cli.commands import Outcome, inputs_of

_FILES = ("table", "schema", "synthetic")


def synth_command(options: argparse.Namespace) -> Outcome:
    from lp.asking import check_choices, synthesize
    from lp.outputs import require_place
    from lp.schema import read_schema
    from lp.tables import IGNORE, REFUSE, read_batches
    from lp.writing import formula_labels, require_suffix, write_table
    from synthbounds.certificates import checked_density
    from synthbounds.render.synthesis import NOT_A_RELEASE, synthesis_document, synthesis_payload

    given = {name: getattr(options, name) for name in SYNTH_PARAMETERS if getattr(options, name) is not None}
    schema_file = given.pop("schema", None)
    check_choices(given)
    if schema_file is None:
        raise UsageError("schema is missing: give the public schema of the table (--schema; see `synthbounds schema`)")
    if options.synthetic is None:
        raise UsageError("synthetic is missing: say where the synthetic table goes (--synthetic FILE.csv or .parquet)")
    require_suffix(options.synthetic, name="synthetic")
    require_place(options.synthetic, name="synthetic", force=options.force)
    release = given["mode"] == "release"
    schema = read_schema(schema_file)
    if release:
        schema.require_public()
    extra = IGNORE if options.ignore_extra else REFUSE
    batches = read_batches(
        options.table,
        schema,
        extra=extra,
        echo_values=not release,
        allow_empty=given.get("adjacency") == "add-remove",  # there the number of records is private
    )
    found = synthesize(
        batches,
        schema.domain,
        family=given.pop("family", None),
        anyway=options.anyway,
        exact=options.exact,
        progress=_progress(),
        **given,
    )

    def stage(outputs: Outputs) -> None:
        stamp = None if release else NOT_A_RELEASE
        write_table(outputs, options.synthetic, found.rows, schema, name="synthetic", stamp=stamp)
        if options.certificate is not None:
            outputs.add(options.certificate, checked_density(found).encode(), name="certificate")

    warnings = [] if release else [NOT_A_RELEASE]
    if found.too_few:
        warnings.append(
            "the table has fewer records than --least-size says, so the error is not certified "
            "(this line is about the data: it is not part of the release)"
        )
    if not found.plan.promise.kept:
        warnings.append(f"no promise in advance: {found.plan.promise.broken}")
    if not found.promise_holds:
        warnings.append("the rows are farther from the density than the promise supposes; the certificate holds")
    if not schema.is_public:
        warnings.append("the schema was made from data: a release needs one from public knowledge")
    for name, _ in formula_labels(schema)[:1]:
        warnings.append(f"column {name!r}: a spreadsheet would take a label for a formula")
    return Outcome(
        lambda: synthesis_document(found, options.synthetic),
        lambda: synthesis_payload(found, options.synthetic),
        tuple(warnings),
        inputs={name: text for name, text in inputs_of(options).items() if name not in _FILES},
        stage=stage,
    )


def _progress() -> Callable[[str], None] | None:
    """One line that is overwritten, for a person at a terminal only."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None

    def say(text: str) -> None:
        sys.stderr.write(f"\r\033[K{text[:100]}")
        sys.stderr.flush()

    return say
