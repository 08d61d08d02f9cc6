"""The command that trains a model from a release of moments: from options to files, a document and its JSON twin."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError
from lp.moments.training_parameters import TRAINING_PARAMETERS
from lp.outputs import Outputs
from synthbounds.cli.commands import Outcome, inputs_of

_FILES = ("release", "synthetic")


def train_command(options: argparse.Namespace) -> Outcome:
    from lp.moments.model import model_text
    from lp.moments.reading import read_release
    from lp.moments.train_release import train_from_release
    from lp.noise.plan import NOT_A_RELEASE
    from lp.writing import formula_labels, require_suffix, write_table
    from synthbounds.render.training import training_document, training_payload

    if options.output is None:
        raise UsageError("output is missing: say where the model goes (--output model.json)")
    if options.synthetic is not None:
        require_suffix(options.synthetic, name="synthetic")
    release = read_release(options.release)
    given = {name: getattr(options, name) for name in TRAINING_PARAMETERS}
    found = train_from_release(release, with_rows=options.synthetic is not None, **given)
    schema = release.feature_map.schema

    def stage(outputs: Outputs) -> None:
        if found.rows is not None:
            stamp = NOT_A_RELEASE if release.is_simulated else None
            write_table(outputs, options.synthetic, found.rows.codes, schema, name="synthetic", stamp=stamp)
        outputs.add(options.output, model_text(found.model).encode(), name="output")

    warnings = [NOT_A_RELEASE] if release.is_simulated else []
    formulas = formula_labels(schema) if found.rows is not None else ()
    if formulas:
        warnings.append(f"column {formulas[0][0]!r}: a spreadsheet would take a label for a formula")
    return Outcome(
        lambda: training_document(found, options.release, options.output, options.synthetic),
        lambda: training_payload(found, options.output, options.synthetic),
        tuple(warnings),
        inputs={name: text for name, text in inputs_of(options).items() if name not in _FILES},
        stage=stage,
        stages_output=True,
    )
