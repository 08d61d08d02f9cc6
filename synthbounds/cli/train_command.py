"""The command that trains a model from a release of moments: from options to files, a document and its JSON twin."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError
from release.files.outputs import Outputs
from synthbounds.api.modelling import correct, train
from synthbounds.cli.outcome import Outcome, call, inputs_of, require_options


def run(options: argparse.Namespace) -> Outcome:
    require_options(options, "output")
    return _train(options) if options.query is None else _correct(options)


def _train(options: argparse.Namespace) -> Outcome:
    from mechanisms.models.model import model_text
    from release.data.writing import formula_labels, require_suffix, write_table
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.render.training import training_document, training_payload

    if options.synthetic is not None:
        require_suffix(options.synthetic, name="synthetic")
    found = call(train, options, with_synthetic=options.synthetic is not None)
    schema, simulated = found.release.feature_map.schema, found.release.is_simulated

    def stage(outputs: Outputs) -> None:
        if found.rows is not None:
            stamp = NOT_A_RELEASE if simulated else None
            write_table(outputs, options.synthetic, found.rows.codes, schema, name="synthetic", stamp=stamp)
        outputs.add(options.output, model_text(found.model).encode(), name="output")

    warnings = [NOT_A_RELEASE] if simulated else []
    formulas = formula_labels(schema) if found.rows is not None else ()
    if formulas:
        warnings.append(f"column {formulas[0][0]!r}: a spreadsheet would take a label for a formula")
    return Outcome(
        lambda: training_document(found, options.release, options.output, options.synthetic),
        lambda: training_payload(found, options.output, options.synthetic),
        tuple(warnings),
        inputs=inputs_of(options),
        stage=stage,
        stages_output=True,
    )


def _correct(options: argparse.Namespace) -> Outcome:
    """The next model after the answer to a query, for a second round."""
    from mechanisms.models.model import model_text
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.render.correction import correction_document, correction_payload

    if options.synthetic is not None or options.k is not None:
        raise UsageError("synthetic and k are for training from the release alone: leave --query out")
    found = call(correct, options)

    def stage(outputs: Outputs) -> None:
        outputs.add(options.output, model_text(found.model).encode(), name="output")

    return Outcome(
        lambda: correction_document(found, options.release, options.query, options.output),
        lambda: correction_payload(found, options.output),
        (NOT_A_RELEASE,) if found.release.is_simulated else (),
        inputs=inputs_of(options),
        stage=stage,
        stages_output=True,
    )
