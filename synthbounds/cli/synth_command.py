"""The command that makes a synthetic table: from options to files, a document and its JSON twin."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError
from bounds.privacy.adjacency import Adjacency
from lp.synthesis.parameters import SYNTH_PARAMETERS
from release.files.outputs import Outputs
from synthbounds.cli.commands import Outcome, inputs_of
from synthbounds.cli.progress import Progress

_FILES = ("table", "schema", "synthetic")


def synth_command(options: argparse.Namespace) -> Outcome:
    from lp.synthesis.ask import adjacency_of, check_choices, synthesize
    from release.data.schema import read_schema
    from release.data.tables import IGNORE, REFUSE, read_batches
    from release.data.writing import formula_labels, require_suffix, write_table
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.certificates import checked_density, require_checkable
    from synthbounds.render.synthesis import FARTHER, synthesis_document, synthesis_payload

    given = {name: getattr(options, name) for name in SYNTH_PARAMETERS if getattr(options, name) is not None}
    schema_file = given.pop("schema", None)
    check_choices(given)
    if schema_file is None:
        raise UsageError("schema is missing: give the public schema of the table (--schema; see `synthbounds schema`)")
    if options.synthetic is None:
        raise UsageError("synthetic is missing: say where the synthetic table goes (--synthetic FILE.csv or .parquet)")
    require_suffix(options.synthetic, name="synthetic")
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
        allow_empty=adjacency_of(given) is Adjacency.ADD_REMOVE,  # there the number of records is private
    )
    if options.certificate is not None:
        require_checkable(schema.domain, given)
    with Progress() as progress:
        found = synthesize(
            batches,
            schema.domain,
            family=given.pop("family", None),
            anyway=options.anyway,
            exact=options.exact,
            progress=progress.callback,
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
        warnings.append(FARTHER)
    if not schema.is_public:
        warnings.append("the schema was made from data: a release needs one from public knowledge")
    formulas = formula_labels(schema)
    if formulas:
        warnings.append(f"column {formulas[0][0]!r}: a spreadsheet would take a label for a formula")
    return Outcome(
        lambda: synthesis_document(found, options.synthetic),
        lambda: synthesis_payload(found, options.synthetic),
        tuple(warnings),
        inputs={name: text for name, text in inputs_of(options).items() if name not in _FILES},
        stage=stage,
        spent=release,
    )
