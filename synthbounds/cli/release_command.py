"""The command that releases private numbers about a table: from options to the file, a document and its JSON twin."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.errors import UsageError
from release.files.outputs import Outputs
from release.parameters import (
    BETA,
    FEATURE_PARAMETERS,
    FLOOR_PARAMETERS,
    MARGINAL_PARAMETERS,
    RELEASE_PARAMETERS,
    SHARED,
    SYNTHETIC,
    WORKLOAD,
)
from synthbounds.api.comparisons import release_accuracy, release_distance
from synthbounds.api.releases import release_floors, release_marginals, release_moments
from synthbounds.cli.outcome import Outcome, call, inputs_of, is_said, require_options

if TYPE_CHECKING:
    from synthbounds.report.release_sheet import NamedRelease
    from synthbounds.report.sheet import Sheet


def run(options: argparse.Namespace) -> Outcome:
    """The kind of release is named first; each has its own function."""
    kind = options.declared.parameters["kind"].choice(options.kind)
    runs = {
        "moments": _moments,
        "marginals": _marginals,
        "floors": _floors,
        "distance": _distance,
        "accuracy": _accuracy,
    }
    if kind != "floors":
        for name in FLOOR_PARAMETERS:
            if is_said(options, name):
                raise UsageError(f"{name} is for floors: `synthbounds release floors`")
    return runs[kind](options)


def _moments(options: argparse.Namespace) -> Outcome:
    from mechanisms.models.event import Radii
    from synthbounds.render.moment_release import release_document, release_payload

    require_options(options, "mode", "schema", "label", "epsilon", "dp_delta", "output")
    _refuse_comparison(options)
    for name in MARGINAL_PARAMETERS:
        if name != "beta" and is_said(options, name):
            raise UsageError(f"{name.replace('_', '-')} is for marginals: `synthbounds release marginals`")
    beta = None if options.beta is None else BETA.number(options.beta)
    notices: list[str] = []
    found = call(release_moments, options, notice=notices.append)
    radii = None if beta is None else Radii.of(found, beta)
    return _outcome(
        options,
        Outcome(
            lambda: release_document(found, options.output, radii),
            lambda: release_payload(found, options.output, radii),
            tuple(notices),
            spent=not found.is_simulated,
        ),
        found,
        beta or BETA.number(),
    )


def _marginals(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.marginals import marginals_document, marginals_payload

    require_options(options, "mode", "schema", "epsilon", "output")
    _refuse_comparison(options)
    for name in RELEASE_PARAMETERS:
        if name not in SHARED and is_said(options, name):
            raise UsageError(f"{name.replace('_', '-')} is for moments: marginals have no label and no features")
    notices: list[str] = []
    found = call(release_marginals, options, notice=notices.append)
    return _outcome(
        options,
        Outcome(
            lambda: marginals_document(found, options.output),
            lambda: marginals_payload(found, options.output),
            tuple(notices),
            spent=found.origin == "release",
        ),
        found,
        found.beta,
    )


def _floors(options: argparse.Namespace) -> Outcome:
    from release.floors.intervals import floor_intervals
    from synthbounds.render.floors import floors_document, floors_payload

    require_options(options, "mode", "schema", "label", "epsilon", "dp_delta", "output")
    _refuse_comparison(options)
    _refuse_others(options, "floors", "reserve", *FEATURE_PARAMETERS)
    beta = BETA.number(options.beta)
    notices: list[str] = []
    found = call(release_floors, options, notice=notices.append)
    floors = floor_intervals(found, beta)
    return _outcome(
        options,
        Outcome(
            lambda: floors_document(found, floors, options.output),
            lambda: floors_payload(found, floors, options.output),
            (*notices, *((f"nothing is certified: {found.contradiction}",) if found.contradiction else ())),
            spent=not found.is_simulated,
        ),
        found,
        beta,
    )


def _distance(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.comparison import distance_document, distance_payload

    require_options(options, "synthetic", "mode", "schema", "label", "epsilon", "output")
    _refuse_others(options, "distance", *FEATURE_PARAMETERS)
    beta = BETA.number(options.beta)
    notices: list[str] = []
    found = call(release_distance, options, notice=notices.append)
    return _outcome(
        options,
        Outcome(
            lambda: distance_document(found, options.output, options.synthetic, beta),
            lambda: distance_payload(found, options.output, options.synthetic, beta),
            tuple(notices),
            spent=not found.is_simulated,
        ),
        found,
        beta,
    )


def _accuracy(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.comparison import accuracy_document, accuracy_payload

    require_options(options, "synthetic", "workload", "mode", "schema", "epsilon", "output")
    _refuse_others(options, "accuracy", WORKLOAD.name)
    beta = BETA.number(options.beta)
    notices: list[str] = []
    found = call(release_accuracy, options, notice=notices.append)
    return _outcome(
        options,
        Outcome(
            lambda: accuracy_document(found, options.output, options.synthetic, beta),
            lambda: accuracy_payload(found, options.output, options.synthetic, beta),
            tuple(notices),
            spent=not found.is_simulated,
        ),
        found,
        beta,
    )


def _refuse_others(options: argparse.Namespace, kind: str, *own: str) -> None:
    """Refuse options that belong to other kinds of a release."""
    allowed = {*SHARED, BETA.name, *own}
    for name in (*RELEASE_PARAMETERS, *MARGINAL_PARAMETERS, WORKLOAD.name):
        if name not in allowed and is_said(options, name):
            raise UsageError(f"{name.replace('_', '-')} is not for a release of {kind}")


def _refuse_comparison(options: argparse.Namespace) -> None:
    """Refuse what only a comparison of two tables takes."""
    for name, kind in ((SYNTHETIC.name, "distance"), (WORKLOAD.name, "accuracy")):
        if is_said(options, name):
            raise UsageError(f"{name} is for a comparison of two tables: `synthbounds release {kind}`")


def _outcome(options: argparse.Namespace, made: Outcome, found: NamedRelease, beta: Fraction) -> Outcome:
    """The outcome with the file that every kind writes, the common warnings, and its page."""
    from dataclasses import replace

    from release.noise.kinds import NOT_A_RELEASE

    def stage(outputs: Outputs) -> None:
        outputs.add(options.output, found.to_text().encode(), name="output")

    def sheet() -> Sheet:
        from synthbounds.report.release_sheet import release_sheet

        return release_sheet(found, made.document(), beta)

    stamp = () if made.spent else (NOT_A_RELEASE,)
    inputs = {name: said for name, said in inputs_of(options).items() if name != "kind"}
    warnings = (*stamp, *made.warnings)
    return replace(made, warnings=warnings, inputs=inputs, stage=stage, stages_output=True, report=sheet)
