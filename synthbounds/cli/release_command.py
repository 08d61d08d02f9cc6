"""The command that releases private moments or marginals: from options to the file, a document and its JSON twin."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError
from release.files.outputs import Outputs
from release.parameters import BETA, MARGINAL_PARAMETERS, RELEASE_PARAMETERS, SHARED
from synthbounds.api.releases import release_marginals, release_moments
from synthbounds.cli.outcome import Outcome, call, inputs_of, is_said, require_options


def run(options: argparse.Namespace) -> Outcome:
    """What is released is named first; each kind has a function of its own."""
    kind = options.declared.parameters["kind"].choice(options.kind)
    return _moments(options) if kind == "moments" else _marginals(options)


def _moments(options: argparse.Namespace) -> Outcome:
    from mechanisms.models.event import Radii
    from release.moments.file import release_text
    from synthbounds.render.moment_release import release_document, release_payload

    require_options(options, "mode", "schema", "label", "epsilon", "dp_delta", "output")
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
        release_text(found),
    )


def _marginals(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.marginals import marginals_document, marginals_payload

    require_options(options, "mode", "schema", "epsilon", "output")
    for name in RELEASE_PARAMETERS:
        if name not in SHARED and is_said(options, name):
            raise UsageError(f"{name.replace('_', '-')} is for moments: marginals know no label and no features")
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
        found.to_text(),
    )


def _outcome(options: argparse.Namespace, made: Outcome, text: str) -> Outcome:
    """With the file that both kinds write, and what both say of it."""
    from dataclasses import replace

    from release.noise.kinds import NOT_A_RELEASE

    def stage(outputs: Outputs) -> None:
        outputs.add(options.output, text.encode(), name="output")

    stamp = () if made.spent else (NOT_A_RELEASE,)
    inputs = {name: said for name, said in inputs_of(options).items() if name != "kind"}
    return replace(made, warnings=(*stamp, *made.warnings), inputs=inputs, stage=stage, stages_output=True)
