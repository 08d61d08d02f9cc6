"""The command that makes a synthetic table: from options to files, a document and its JSON twin."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bounds.errors import UsageError
from release.files.outputs import Outputs, require_place
from release.parameters import VALUES
from synthbounds.api.tables import synthesize
from synthbounds.cli.outcome import Outcome, call, inputs_of, is_said, require_options
from synthbounds.cli.progress import Progress

if TYPE_CHECKING:
    from lp.synthesis.run import Synthesis
    from mechanisms.synth.private_table import PrivateTable
    from release.data.schema import Schema

_TOO_FEW = (
    "the table has fewer records than --least-size says, so the error would not be certified "
    "(a release says nothing of that: it is about the data)"
)


def run(options: argparse.Namespace) -> Outcome:
    from mechanisms.synth.parameters import keeps_release
    from mechanisms.synth.private_table import PrivateTable
    from release.data.schema import read_schema
    from release.data.writing import require_suffix

    require_options(options, "mode", "epsilon", "schema", "synthetic")
    require_suffix(options.synthetic, name="synthetic")
    VALUES.choice(options.values)
    said = [name for name in options.declared.parameters if is_said(options, name)]
    beside = options.release
    if beside is None and keeps_release(options.method, said):
        beside = str(Path(options.synthetic).with_suffix(".release.json"))
        _require_own_place(beside, options)
    if options.distance is not None and beside is not None:
        _require_own_place(_distance_file(beside), options, what="distance")
    schema = read_schema(options.schema)
    with Progress() as progress:
        found = call(
            synthesize,
            options,
            schema=schema,
            with_certificate=options.certificate is not None,
            with_release=options.release is not None,
            progress=progress.callback,
        )
    if isinstance(found, PrivateTable):
        return _private_table(found, schema, options, beside)
    return _programme(found, schema, options)


def _require_own_place(beside: str, options: argparse.Namespace, *, what: str = "release") -> None:
    """The release, or the distance, goes where nothing else does, also where its place was not said."""
    place = require_place(beside, name=what, force=options.force)
    for name in ("output", "certificate", "synthetic", "account"):
        other = getattr(options, name)
        if other is not None and Path(other).resolve() == place:
            raise UsageError(f"{name} = {other}: is where the {what} goes; say where else it may go (--release)")


def _distance_file(release: str) -> str:
    """Beside the release, as its name says what it is."""
    stem = Path(release).name.removesuffix(".json").removesuffix(".release")
    return str(Path(release).with_name(f"{stem}.distance.json"))


def _programme(found: Synthesis, schema: Schema, options: argparse.Namespace) -> Outcome:
    """The answer of the linear programme."""
    from release.data.writing import write_table
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.certificates import checked_density
    from synthbounds.render.synthesis import FARTHER, synthesis_document, synthesis_payload

    release, values = found.seed is None, VALUES.choice(options.values)

    def stage(outputs: Outputs) -> None:
        stamp = None if release else NOT_A_RELEASE
        write_table(outputs, options.synthetic, found.rows, schema, name="synthetic", stamp=stamp, values=values)
        if options.certificate is not None:
            outputs.add(options.certificate, checked_density(found).encode(), name="certificate")

    warnings = _warnings(schema, simulated=not release, too_few=found.too_few)
    if not found.plan.promise.kept:
        warnings.append(f"no promise in advance: {found.plan.promise.broken}")
    if not found.promise_holds:
        warnings.append(FARTHER)
    return Outcome(
        lambda: synthesis_document(found, options.synthetic),
        lambda: synthesis_payload(found, options.synthetic),
        tuple(warnings),
        inputs=inputs_of(options),
        stage=stage,
        spent=release,
    )


def _private_table(found: PrivateTable, schema: Schema, options: argparse.Namespace, beside: str) -> Outcome:
    """The answer of a method that makes its table from a release."""
    from release.data.writing import write_table
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.render.private_table import private_table_document, private_table_payload

    values = VALUES.choice(options.values)
    compared = None if found.distance is None else _distance_file(beside)

    def stage(outputs: Outputs) -> None:
        stamp = NOT_A_RELEASE if found.is_simulated else None
        seed = int(found.release.digest[:16], 16)  # public, and never the same for two releases
        write_table(
            outputs, options.synthetic, found.rows, schema, name="synthetic", stamp=stamp, values=values, seed=seed
        )
        outputs.add(beside, found.release.to_text().encode(), name="release")
        if found.distance is not None:
            outputs.add(_distance_file(beside), found.distance.to_text().encode(), name="distance")

    return Outcome(
        lambda: private_table_document(found, options.synthetic, beside, compared),
        lambda: private_table_payload(found, options.synthetic, beside, compared),
        tuple(_warnings(schema, simulated=found.is_simulated, too_few=found.too_few)),
        inputs=inputs_of(options),
        stage=stage,
        spent=not found.is_simulated,
    )


def _warnings(schema: Schema, *, simulated: bool, too_few: bool) -> list[str]:
    """What is worth knowing, whatever the method; of the records themselves only a simulation speaks."""
    from release.data.writing import formula_labels
    from release.noise.kinds import NOT_A_RELEASE

    warnings = [NOT_A_RELEASE] if simulated else []
    if simulated and too_few:
        warnings.append(_TOO_FEW)
    if not schema.is_public:
        warnings.append("the schema was made from data: a release needs one from public knowledge")
    formulas = formula_labels(schema)
    if formulas:
        warnings.append(f"column {formulas[0][0]!r}: a spreadsheet would take a label for a formula")
    return warnings
