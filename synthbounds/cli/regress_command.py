"""The command of private regression: from options to the model, a document and its JSON twin."""

from __future__ import annotations

import argparse
from pathlib import Path

from bounds.errors import UsageError
from mechanisms.regression.parameters import SSP_EDGE, keeps_release
from release.files.outputs import Outputs, require_place
from synthbounds.api.regressing import regress, regression_excess
from synthbounds.api.releases import is_table
from synthbounds.cli.outcome import Outcome, call, inputs_of, require_options
from synthbounds.cli.progress import Progress


def run(options: argparse.Namespace) -> Outcome:
    from mechanisms.models.model import model_text
    from mechanisms.regression.instead import trained_instead
    from release.noise.kinds import NOT_A_RELEASE
    from release.parameters import BETA
    from synthbounds.render.regression import Files, regression_document, regression_payload

    require_options(options, "output")
    BETA.number(options.beta)
    beside = _release_file(options)
    notices: list[str] = []
    with Progress() as progress:
        found = call(
            regress,
            options,
            with_release=options.release is not None,
            notice=notices.append,
            progress=progress.callback,
        )
        excess = regression_excess(found, beta=options.beta)
    instead = trained_instead(found)
    kept = beside if found.is_new else options.given
    files = Files(model=options.output, release=kept if found.release is not None else None)

    def stage(outputs: Outputs) -> None:
        if beside is not None and found.release is not None:
            outputs.add(beside, found.release.to_text().encode(), name="release")
        outputs.add(options.output, model_text(found.model, with_features=True).encode(), name="output")

    stamp = (NOT_A_RELEASE,) if found.is_simulated else ()
    return Outcome(
        lambda: regression_document(found, excess, files, instead),
        lambda: regression_payload(found, excess, files, instead),
        (*stamp, *notices),
        inputs=inputs_of(options),
        stage=stage,
        stages_output=True,
        spent=found.is_new and not found.is_simulated,
    )


def _release_file(options: argparse.Namespace) -> str | None:
    """Where the noisy numbers go: next to the model by default, since they are paid for."""
    if is_table(options.given) and options.release is None:
        method = options.method or SSP_EDGE
        if keeps_release(method, options.edition):
            beside = str(Path(options.output).with_suffix(".release.json"))
            place = require_place(beside, name="release", force=options.force)
            if any(other and Path(other).resolve() == place for other in (options.output, options.account)):
                raise UsageError(f"output = {options.output}: also say where the release goes (--release)")
            return beside
    return str(options.release) if options.release is not None else None
