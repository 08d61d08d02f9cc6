"""The command that makes a synthetic table: from options to files, a document and its JSON twin."""

from __future__ import annotations

import argparse

from release.files.outputs import Outputs
from synthbounds.api.tables import synthesize
from synthbounds.cli.outcome import Outcome, call, inputs_of, require_options
from synthbounds.cli.progress import Progress


def run(options: argparse.Namespace) -> Outcome:
    from release.data.schema import read_schema
    from release.data.writing import formula_labels, require_suffix, write_table
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.certificates import checked_density
    from synthbounds.render.synthesis import FARTHER, synthesis_document, synthesis_payload

    require_options(options, "mode", "epsilon", "schema", "synthetic")
    require_suffix(options.synthetic, name="synthetic")
    schema = read_schema(options.schema)
    with Progress() as progress:
        found = call(
            synthesize,
            options,
            schema=schema,
            with_certificate=options.certificate is not None,
            progress=progress.callback,
        )
    release = found.seed is None

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
        inputs=inputs_of(options),
        stage=stage,
        spent=release,
    )
