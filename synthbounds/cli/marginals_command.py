"""Marginals on the command line: their release, and certificates from one."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.errors import ParameterError, UsageError
from release.files.outputs import Outputs
from release.parameters import DEFAULT_BETA, MARGINAL_PARAMETERS, RELEASE_PARAMETERS, SHARED, read_marginal_numbers
from synthbounds.cli.commands import Outcome, inputs_of
from synthbounds.cli.progress import Progress

if TYPE_CHECKING:
    from release.data.domain import Codes
    from release.data.schema import Schema

_FILES = ("table", "schema", "kind", "pairs", "one_way", "release", "model", "one_hot")
_NEEDED = {
    "mode": "give --mode release, or --mode simulate for study only",
    "schema": "give the public schema of the table (--schema; see `synthbounds schema`)",
    "epsilon": "give the privacy to be spent in total (--epsilon)",
    "output": "say where the release goes (--output FILE.json)",
}
_MOMENTS_ONLY = (*(name for name in RELEASE_PARAMETERS if name not in SHARED), "fourth", "one_hot")


def release_marginals_command(options: argparse.Namespace) -> Outcome:
    from bounds.privacy.adjacency import Adjacency, read_adjacency
    from release.data.schema import read_schema
    from release.data.tables import IGNORE, REFUSE, read_batches
    from release.marginals.make import release_marginals
    from release.noise.kinds import NOT_A_RELEASE, read_mode
    from synthbounds.render.marginals import marginals_document, marginals_payload

    for name, hint in _NEEDED.items():
        if getattr(options, name) is None:
            raise UsageError(f"{name.replace('_', '-')} is missing: {hint}")
    for name in _MOMENTS_ONLY:
        if getattr(options, name):
            raise UsageError(f"{name.replace('_', '-')} is for moments: marginals know no label and no features")
    release = read_mode(options.mode) == "release"
    if release and options.adjacency is None:
        raise UsageError("adjacency is missing: a release must say replace-one or add-remove (--adjacency)")
    if release and options.seed is not None:
        raise UsageError("seed is for --mode simulate: a release takes its randomness from the operating system")
    numbers = read_marginal_numbers({name: getattr(options, name) for name in (*MARGINAL_PARAMETERS, *SHARED)})
    schema = read_schema(options.schema)
    if release:
        schema.require_public()
    adjacency = read_adjacency("replace-one" if options.adjacency is None else options.adjacency)
    batches = read_batches(
        options.table,
        schema,
        extra=IGNORE if options.ignore_extra else REFUSE,
        echo_values=not release,
        allow_empty=adjacency is Adjacency.ADD_REMOVE,  # there the number of records is private
    )
    counted = _Counted(batches)
    found = release_marginals(
        counted,
        schema,
        pairs=None if options.pairs is None else [_pair(text, schema) for text in options.pairs],
        one_way=options.one_way,
        epsilon=numbers["epsilon"],
        dp_delta=numbers.get("dp_delta"),
        adjacency=adjacency,
        mode=options.mode,
        beta=numbers.get("beta", DEFAULT_BETA),
        least_size=int(numbers["least_size"]) if "least_size" in numbers else None,
        mechanism=options.mechanism,
        seed=None if release else int(numbers.get("seed", 0)),
    )

    def stage(outputs: Outputs) -> None:
        outputs.add(options.output, found.to_text().encode(), name="output")

    warnings = [] if release else [NOT_A_RELEASE]
    if counted.n < found.size:
        warnings.append(
            "the table has fewer records than --least-size says, so nothing will be certified from it "
            "(this line is about the data: it is not part of the release)"
        )
    if not schema.is_public:
        warnings.append("the schema was made from data: a release needs one from public knowledge")
    return Outcome(
        lambda: marginals_document(found, options.output),
        lambda: marginals_payload(found, options.output),
        tuple(warnings),
        inputs=_inputs(options),
        stage=stage,
        stages_output=True,
        spent=release,
    )


class _Counted:
    """Batches that are counted while they are read; n is for the holder of the data alone."""

    def __init__(self, batches: Iterable[Codes]) -> None:
        self._batches, self.n = batches, 0

    def __iter__(self) -> Iterator[Codes]:
        for batch in self._batches:
            self.n += len(batch)
            yield batch


def _pair(text: str, schema: Schema) -> tuple[str, str]:
    """`a:b` as two columns; names may hold colons as long as only one reading is possible."""
    cuts = [i for i, c in enumerate(text) if c == ":" and text[:i] in schema.names and text[i + 1 :] in schema.names]
    if len(cuts) != 1:
        raise ParameterError("pairs", text, "two columns of the schema with a colon between them, such as age:income")
    return text[: cuts[0]], text[cuts[0] + 1 :]


def certify_marginals_command(options: argparse.Namespace, numbers: dict[str, Fraction]) -> Outcome:
    """The certificate of a model from a release of marginals; the caller has checked what is for planning."""
    from mechanisms.models.certify.from_marginals import certify_from_marginals
    from mechanisms.models.certify.from_moments import class_for
    from mechanisms.models.model import read_model
    from release.marginals.read import read_marginals
    from release.noise.kinds import NOT_A_RELEASE
    from release.statistics.features import build_feature_map
    from synthbounds.render.marginals import marginal_certification_document, marginal_certification_payload

    for name in ("query", "held_out", "certificate"):
        if getattr(options, name):
            raise UsageError(f"{name.replace('_', '-')} is for a release of moments, and these are marginals")
    if options.label is None:
        raise UsageError("label is missing: marginals know no label; name the column that the model predicts (--label)")
    marginals = read_marginals(options.release)
    features = build_feature_map(
        marginals.schema, label=options.label, positive=options.positive, one_hot=options.one_hot or ()
    )
    model = read_model(options.model, features)
    compared_with = class_for(
        model, tau=numbers.get("tau"), ridge=numbers.get("ridge"), loss=options.loss, intercept=options.intercept
    )
    with Progress() as progress:
        found = certify_from_marginals(
            marginals, model, compared_with, beta=numbers.get("beta", DEFAULT_BETA), progress=progress.callback
        )
    warnings = [NOT_A_RELEASE] if marginals.origin == "simulate" else []
    if found.verdict == "vacuous":
        warnings.append("vacuous certificate: the bound says no more than what holds without any data")
    if found.moments.missing_pairs:
        warnings.append(f"{len(found.moments.missing_pairs):,} pairs of columns are in no table; they widen the bound")
    return Outcome(
        lambda: marginal_certification_document(found),
        lambda: marginal_certification_payload(found),
        tuple(warnings),
        inputs=_inputs(options),
    )


def _inputs(options: argparse.Namespace) -> dict[str, str]:
    found = {name: text for name, text in inputs_of(options).items() if name not in _FILES}
    for name in ("pairs", "one_way", "one_hot"):
        given = getattr(options, name, None)
        if given is not None:
            found[name] = ", ".join(given)
    return found
