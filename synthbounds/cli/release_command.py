"""The command that releases private moments: from options to the release file, a document and its JSON twin."""

from __future__ import annotations

import argparse
from typing import Any

from bounds.errors import ParameterError, UsageError
from release.files.outputs import Outputs
from synthbounds.cli.commands import Outcome, inputs_of

_FILES = ("table", "schema", "kind", "one_hot", "pairs", "one_way")
_MARGINALS_ONLY = ("mechanism", "pairs", "one_way")
_NEEDED = {
    "mode": "give --mode release, or --mode simulate for study only",
    "schema": "give the public schema of the table (--schema; see `synthbounds schema`)",
    "label": "name the column that a model predicts (--label)",
    "epsilon": "give the privacy to be spent in total (--epsilon)",
    "dp_delta": "Gaussian noise needs a privacy parameter delta (--dp-delta)",
    "output": "say where the release goes (--output FILE.json)",
}


def release_command(options: argparse.Namespace) -> Outcome:
    """What is released is named first; each kind has a function of its own."""
    if options.kind not in _KINDS:
        raise ParameterError("kind", options.kind, "one of " + ", ".join(_KINDS))
    return _KINDS[options.kind](options)


def _moments(options: argparse.Namespace) -> Outcome:
    from bounds.privacy.adjacency import Adjacency
    from mechanisms.models.event import Radii
    from release.data.schema import read_schema
    from release.data.tables import IGNORE, REFUSE, read_batches
    from release.moments.file import release_text
    from release.moments.make import MomentRequest
    from release.noise.kinds import NOT_A_RELEASE, read_mode
    from release.parameters import read_marginal_numbers
    from release.statistics.features import build_feature_map
    from release.statistics.moments import moment_sums
    from synthbounds.render.moment_release import release_document, release_payload

    for name, hint in _NEEDED.items():
        if getattr(options, name) is None:
            raise UsageError(f"{name.replace('_', '-')} is missing: {hint}")
    for name in _MARGINALS_ONLY:
        if getattr(options, name) is not None:
            raise UsageError(f"{name.replace('_', '-')} is for marginals: `synthbounds release marginals`")
    release = read_mode(options.mode) == "release"
    if release and options.adjacency is None:
        raise UsageError("adjacency is missing: a release must say replace-one or add-remove (--adjacency)")
    if options.fourth_weight is not None and not options.fourth:
        raise UsageError("fourth-weight is for --fourth")
    beta = None if options.beta is None else read_marginal_numbers({"beta": options.beta})["beta"]
    schema = read_schema(options.schema)
    features = build_feature_map(schema, label=options.label, positive=options.positive, one_hot=options.one_hot or ())
    asked = MomentRequest(features, **_asked(options, release=release))
    batches = read_batches(
        options.table,
        schema,
        extra=IGNORE if options.ignore_extra else REFUSE,
        echo_values=not release,
        allow_empty=asked.adjacency is Adjacency.ADD_REMOVE,  # there the number of records is private
    )
    sums = moment_sums(batches, features, fourth=options.fourth)
    found = asked.release_sums(sums)

    def stage(outputs: Outputs) -> None:
        outputs.add(options.output, release_text(found).encode(), name="output")

    warnings = [] if release else [NOT_A_RELEASE]
    if sums.n < found.stated_size:
        warnings.append(
            "the table has fewer records than --least-size says, so nothing will be certified from it "
            "(this line is about the data: it is not part of the release)"
        )
    if not schema.is_public:
        warnings.append("the schema was made from data: a release needs one from public knowledge")
    radii = None if beta is None else Radii.of(found, beta)
    return Outcome(
        lambda: release_document(found, options.output, radii),
        lambda: release_payload(found, options.output, radii),
        tuple(warnings),
        inputs=_inputs(options),
        stage=stage,
        stages_output=True,
        spent=release,
    )


def _asked(options: argparse.Namespace, *, release: bool) -> dict[str, Any]:
    given = {name: getattr(options, name) for name in ("weight", "fourth_weight", "reserve", "seed")}
    if not release and given["seed"] is None:
        given["seed"] = "0"
    return {name: value for name, value in given.items() if value is not None} | {
        "mode": options.mode,
        "adjacency": "replace-one" if options.adjacency is None else options.adjacency,
        "epsilon": options.epsilon,
        "dp_delta": options.dp_delta,
        "n0": options.least_size,
        "fourth": options.fourth,
    }


def _inputs(options: argparse.Namespace) -> dict[str, str]:
    found = {name: text for name, text in inputs_of(options).items() if name not in _FILES}
    return found | ({"one_hot": ", ".join(options.one_hot)} if options.one_hot else {})


def _marginals(options: argparse.Namespace) -> Outcome:
    from synthbounds.cli.marginals_command import release_marginals_command

    return release_marginals_command(options)


_KINDS = {"moments": _moments, "marginals": _marginals}
