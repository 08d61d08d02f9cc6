"""The command that makes a synthetic table: from options to files, a document and its JSON twin."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bounds.errors import UsageError
from mechanisms.synth.parameters import INDEPENDENT, LOG_FILE, RELEASE_FILE
from release.files.outputs import Outputs, require_place
from release.parameters import VALUES
from synthbounds.api.releases import schema_warnings
from synthbounds.api.tables import redraw, synthesize
from synthbounds.cli.outcome import Outcome, call, inputs_of, is_said, require_options
from synthbounds.cli.progress import Progress

if TYPE_CHECKING:
    from lp.synthesis.run import Synthesis
    from mechanisms.synth.private_table import PrivateTable
    from release.data.schema import Schema
    from synthbounds.render.document import Document
    from synthbounds.report.sheet import Sheet

_TOO_FEW = "fewer records than --least-size: the error would not be certified, and a release would not tell"


def run(options: argparse.Namespace) -> Outcome:
    from mechanisms.synth.private_table import PrivateTable
    from release.data.schema import read_schema
    from release.data.writing import require_suffix

    said = [name for name in options.declared.parameters if is_said(options, name)]
    if options.redraw is not None:
        return _redrawn(options, said)
    require_options(options, "table", "mode", "epsilon", "schema", "synthetic")
    require_suffix(options.synthetic, name="synthetic")
    VALUES.choice(options.values)
    beside = _files_beside(options, said)
    schema = read_schema(options.schema)
    with Progress() as progress:
        found = call(
            synthesize,
            options,
            schema=schema,
            with_certificate=options.certificate is not None,
            with_release=options.release is not None,
            with_log=options.log is not None,
            progress=progress.callback,
        )
    if isinstance(found, PrivateTable):
        return _private_table(found, options, beside)
    return _programme(found, schema, options)


def _redrawn(options: argparse.Namespace, said: list[str]) -> Outcome:
    """New rows from a log, which contains everything else that could be given."""
    from mechanisms.synth.parameters import require_redraw
    from release.data.writing import require_suffix

    require_redraw(said)
    require_options(options, "synthetic")
    require_suffix(options.synthetic, name="synthetic")
    VALUES.choice(options.values)
    with Progress() as progress:
        found = call(redraw, options, log=options.redraw, progress=progress.callback)
    return _private_table(found, options, {LOG_FILE.name: options.redraw})


def _files_beside(options: argparse.Namespace, said: list[str]) -> dict[str, str]:
    """Where a release, a distance and a log will go, if there will be any; determined before anything is spent."""
    from mechanisms.synth.parameters import LOGGED, MOMENTS, may_take

    found: dict[str, str] = {}
    table = Path(options.synthetic)
    for name, methods in ((RELEASE_FILE.name, (MOMENTS, INDEPENDENT)), (LOG_FILE.name, LOGGED)):
        if not any(may_take(method, options.method, said) for method in methods):
            continue
        found[name] = getattr(options, name) or str(table.with_suffix(f".{name}.json"))
        if getattr(options, name) is None:
            _require_own_place(found[name], options, what=name)
    if options.distance is not None and RELEASE_FILE.name in found:
        found["distance"] = _distance_file(found[RELEASE_FILE.name])
        _require_own_place(found["distance"], options, what="distance")
    return found


def _require_own_place(beside: str, options: argparse.Namespace, *, what: str) -> None:
    """The release, the log or the distance goes where nothing else does, even if its place was not given."""
    place = require_place(beside, name=what, force=options.force)
    option = LOG_FILE.name if what == LOG_FILE.name else RELEASE_FILE.name
    for name in ("output", "report", "certificate", "synthetic", "account", "impossible"):
        other = getattr(options, name)
        if other is not None and Path(other).resolve() == place:
            raise UsageError(f"{name} = {other}: is where the {what} goes; give another place for it (--{option})")


def _distance_file(release: str) -> str:
    """Next to the release, with a name that says what it is."""
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

    def document() -> Document:
        return synthesis_document(found, options.synthetic)

    def sheet() -> Sheet:
        from synthbounds.report.table_sheet import programme_sheet

        return programme_sheet(found, schema, document())

    return Outcome(
        document,
        lambda: synthesis_payload(found, options.synthetic),
        tuple(warnings),
        inputs=inputs_of(options),
        stage=stage,
        spent=release,
        report=sheet,
    )


def _private_table(found: PrivateTable, options: argparse.Namespace, beside: dict[str, str]) -> Outcome:
    """The answer of a method that makes its table from a release."""
    from release.data.writing import write_table
    from release.log.file import MarginalLog
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.render.private_table import private_table_document, private_table_payload

    values, schema = VALUES.choice(options.values), found.schema
    is_log = isinstance(found.release, MarginalLog)
    kept = beside[LOG_FILE.name if is_log else RELEASE_FILE.name]
    compared = None if found.distance is None else kept if is_log else beside["distance"]

    def stage(outputs: Outputs) -> None:
        stamp = NOT_A_RELEASE if found.is_simulated else None
        seed = int(found.release.digest[:16], 16)  # public, and never the same for two releases
        write_table(
            outputs, options.synthetic, found.rows, schema, name="synthetic", stamp=stamp, values=values, seed=seed
        )
        if found.is_redrawn:
            return
        outputs.add(kept, found.release.to_text().encode(), name=LOG_FILE.name if is_log else RELEASE_FILE.name)
        if found.distance is not None and not is_log:
            outputs.add(beside["distance"], found.distance.to_text().encode(), name="distance")

    def document() -> Document:
        return private_table_document(found, options.synthetic, kept, compared)

    def sheet() -> Sheet:
        from synthbounds.report.table_sheet import private_table_sheet

        return private_table_sheet(found, document())

    return Outcome(
        document,
        lambda: private_table_payload(found, options.synthetic, kept, compared),
        (*_warnings(schema, simulated=found.is_simulated, too_few=found.too_few), *_lost_relations(found)),
        inputs=inputs_of(options),
        stage=stage,
        spent=found.is_spent,
        report=sheet,
    )


def _lost_relations(found: PrivateTable) -> tuple[str, ...]:
    """That columns became independent because no delta was given, which nobody asked for."""
    if found.method != INDEPENDENT or found.choice.advice is None:
        return ()
    return ("relations between columns are lost, because without a delta each is made on its own: add --dp-delta",)


def _warnings(schema: Schema, *, simulated: bool, too_few: bool) -> list[str]:
    """What is worth knowing, whatever the method; only a simulation says anything about the records themselves."""
    from release.data.writing import formula_labels
    from release.noise.kinds import NOT_A_RELEASE

    warnings = [NOT_A_RELEASE] if simulated else []
    if simulated and too_few:
        warnings.append(_TOO_FEW)
    warnings += schema_warnings(schema)
    formulas = formula_labels(schema)
    if formulas:
        warnings.append(f"column {formulas[0][0]!r}: a spreadsheet would take a label for a formula")
    return warnings
