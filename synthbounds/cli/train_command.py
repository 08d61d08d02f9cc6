"""The command that trains a model from a release: from options to files, a document and its JSON twin."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from bounds.errors import DataError, UsageError
from release.files.outputs import Outputs
from release.parameters import ENCODING_PARAMETERS, FEATURE_PARAMETERS
from synthbounds.api.cross_models import train_cross_moments
from synthbounds.api.modelling import correct, train
from synthbounds.api.public_models import train_marginals, train_table
from synthbounds.api.reach import over_tau
from synthbounds.api.releases import is_table, open_release
from synthbounds.cli.outcome import Outcome, call, inputs_of, is_said, require_options
from synthbounds.cli.progress import Progress

if TYPE_CHECKING:
    from mechanisms.models.train.from_public import PublicTraining
    from release.cross_moments.file import CrossMoments
    from release.moments.file import MomentRelease


def run(options: argparse.Namespace) -> Outcome:
    from release.cross_moments.file import CrossMoments
    from release.files.strict_json import shown
    from release.marginals.file import Marginals
    from release.moments.file import MomentRelease

    require_options(options, "output")
    if is_table(options.release):
        _refuse(options, ("query", "seed", "points", "synthetic", "k"), "a release, and this is a table")
        return _public(options, call(train_table, options, finished=options.release), options.release)
    release = open_release(options.release)
    _refuse(options, ("schema", "ignore_extra"), "a finished table, .csv or .parquet")
    if isinstance(release, Marginals):
        _refuse(options, ("query", "synthetic", "k"), "a release of moments, and these are marginals")
        return _public(options, call(train_marginals, options, release=release), options.release)
    _refuse(options, ENCODING_PARAMETERS, "marginals and finished tables: this release has its own features")
    if isinstance(release, CrossMoments):
        return _cross_moments(options, release)
    if not isinstance(release, MomentRelease):
        where = f"release {shown(Path(options.release).name)}"
        raise DataError(f'{where}: kind = "{release.KIND}": must be "moments", "cross-moments" or "marginals"')
    for name in ("label", "positive"):
        if is_said(options, name):
            raise UsageError(f"{name} is for a release of cross moments: one of moments has its own")
    return _train(options, release) if options.query is None else _correct(options, release)


def _refuse(options: argparse.Namespace, names: tuple[str, ...], what: str) -> None:
    for name in names:
        if is_said(options, name):
            raise UsageError(f"{name.replace('_', '-')} is for {what}")


def _public(options: argparse.Namespace, found: PublicTraining, given: str) -> Outcome:
    from mechanisms.models.model import model_text
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.render.public_models import public_training_document, public_training_payload

    def stage(outputs: Outputs) -> None:
        outputs.add(options.output, model_text(found.model).encode(), name="output")

    asked = ""
    for name in FEATURE_PARAMETERS:
        if is_said(options, name):
            value = getattr(options, name)
            asked += f" --{name.replace('_', '-')} {shlex.join(value if isinstance(value, list) else [value])}"
    simulated = found.release is not None and found.release.is_simulated
    warnings = [NOT_A_RELEASE] if simulated else []
    if found.missing_pairs:
        warnings.append(f"{len(found.missing_pairs):,} pairs of columns are in no table and were left out")
    return Outcome(
        lambda: public_training_document(found, given, options.output, asked),
        lambda: public_training_payload(found, options.output),
        tuple(warnings),
        inputs=inputs_of(options),
        stage=stage,
        stages_output=True,
    )


def _cross_moments(options: argparse.Namespace, release: CrossMoments) -> Outcome:
    from mechanisms.models.model import model_text
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.render.cross_models import cross_training_document, cross_training_payload

    for name in ("query", "seed"):
        if is_said(options, name):
            raise UsageError(f"{name} is for a release of moments, and these are cross moments")
    for name in ("synthetic", "k"):
        if is_said(options, name):
            raise UsageError(f"{name} is for a release of moments; `synthbounds synth` makes the table of this one")
    found = call(train_cross_moments, options, release=release)
    reached = over_tau(found)

    def stage(outputs: Outputs) -> None:
        outputs.add(options.output, model_text(found.model).encode(), name="output")

    return Outcome(
        lambda: cross_training_document(found, options.release, options.output, reached),
        lambda: cross_training_payload(found, options.output, reached),
        (NOT_A_RELEASE,) if release.is_simulated else (),
        inputs=inputs_of(options),
        stage=stage,
        stages_output=True,
    )


def _train(options: argparse.Namespace, release: MomentRelease) -> Outcome:
    from mechanisms.models.model import model_text
    from release.data.writing import formula_labels, require_suffix, write_table
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.render.training import training_document, training_payload

    if options.synthetic is not None:
        require_suffix(options.synthetic, name="synthetic")
    with Progress() as progress:
        wanted = options.synthetic is not None
        found = call(train, options, release=release, with_synthetic=wanted, progress=progress.callback)
    reached = over_tau(found)
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
        lambda: training_document(found, options.release, options.output, options.synthetic, reached),
        lambda: training_payload(found, options.output, options.synthetic, reached),
        tuple(warnings),
        inputs=inputs_of(options),
        stage=stage,
        stages_output=True,
    )


def _correct(options: argparse.Namespace, release: MomentRelease) -> Outcome:
    """The next model after the answer to a query, for a second round."""
    from mechanisms.models.model import model_text
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.render.correction import correction_document, correction_payload

    if options.synthetic is not None or options.k is not None:
        raise UsageError("synthetic and k are for training from the release alone: leave --query out")
    found = call(correct, options, release=release)

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
