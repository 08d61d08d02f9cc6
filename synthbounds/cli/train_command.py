"""The command that trains a model from a release of moments: from options to files, a document and its JSON twin."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError
from mechanisms.models.parameters import TRAINING_PARAMETERS
from release.files.outputs import Outputs
from synthbounds.cli.commands import Outcome, inputs_of

_FILES = ("release", "synthetic", "query")


def train_command(options: argparse.Namespace) -> Outcome:
    from mechanisms.models.model import model_text
    from mechanisms.models.train.from_release import train_from_release
    from release.data.writing import formula_labels, require_suffix, write_table
    from release.moments.read import read_release
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.render.training import training_document, training_payload

    if options.output is None:
        raise UsageError("output is missing: say where the model goes (--output model.json)")
    if options.query is not None:
        return _correct(options)
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


def _correct(options: argparse.Namespace) -> Outcome:
    """The next model after the answer to a query, for a second round."""
    from mechanisms.models.confirm.correct import correct_from_query
    from mechanisms.models.model import model_text
    from release.gradient.read import read_query
    from release.moments.read import read_release
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.render.correction import correction_document, correction_payload

    if options.synthetic is not None or options.k is not None:
        raise UsageError("synthetic and k are for training from the release alone: leave --query out")
    release = read_release(options.release)
    query = read_query(options.query, release)
    given = {name: getattr(options, name) for name in TRAINING_PARAMETERS if name != "k"}
    found = correct_from_query(release, query, **given)

    def stage(outputs: Outputs) -> None:
        outputs.add(options.output, model_text(found.model).encode(), name="output")

    return Outcome(
        lambda: correction_document(found, options.release, options.query, options.output),
        lambda: correction_payload(found, options.output),
        (NOT_A_RELEASE,) if release.is_simulated else (),
        inputs={name: text for name, text in inputs_of(options).items() if name not in _FILES},
        stage=stage,
        stages_output=True,
    )
