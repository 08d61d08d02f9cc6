"""The command that says what can be concluded from a release: one question, its answer as a document and as JSON."""

from __future__ import annotations

import argparse
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.errors import UsageError
from mechanisms.infer.parameters import INFER_PARAMETERS, NOT_PLANNED, PLANNED, QUESTIONS, TAKEN_BY
from synthbounds.api.moment_inferences import coefficient_certificate
from synthbounds.api.releases import open_release
from synthbounds.cli.infer_questions import ASKS, PLANS
from synthbounds.cli.outcome import Outcome, inputs_of, is_said, require_options
from synthbounds.cli.progress import Progress
from synthbounds.render.document import Block, Facts

if TYPE_CHECKING:
    from release.files.outputs import Outputs
    from synthbounds.report.sheet import Sheet

_PLANNED_INSTEAD = {
    "difference": ": plan the share in either group (--given)",
    "odds_ratio": ": plan the share in either group (--given)",
    "centred": ": it plans only second moments",
    "lasso": ": plan least squares or a ridge",
    "any_formula": ": it plans one formula",
    "release": ": it needs no release",
}
"""The nearest alternative to what was asked."""


def run(options: argparse.Namespace) -> Outcome:
    """From a release, or a plan of one."""
    question = _question(options)
    _require_place(options, question)
    if options.plan:
        return _plan(options, question)
    from release.noise.kinds import NOT_A_RELEASE

    require_options(options, "release")
    release = open_release(options.release)
    with Progress() as progress:
        found, said = ASKS[question](options, release, progress.callback)
        proof = coefficient_certificate(found, options.coefficient) if options.certificate is not None else ""

    if proof:
        written = f"{options.certificate}: re-prove it by `synthbounds check`"
        said = replace(said, blocks=_with_fact(said.blocks, "Certificate", written))

    def stage(outputs: Outputs) -> None:
        outputs.add(options.certificate, proof.encode(), name="certificate")

    def sheet() -> Sheet:
        from synthbounds.report.inference_sheet import inference_sheet

        return inference_sheet(found, said, release)

    return Outcome(
        lambda: said.document(release),
        lambda: said.payload(release),
        (NOT_A_RELEASE,) if release.is_simulated else (),
        inputs=inputs_of(options),
        stage=stage if proof else None,
        report=sheet,
        uses_ledger=False,
    )


def _with_fact(blocks: tuple[Block, ...], name: str, text: str) -> tuple[Block, ...]:
    """The blocks with one more row in the facts at the end."""
    *others, facts = blocks
    assert isinstance(facts, Facts)
    return (*others, replace(facts, rows=(*facts.rows, (name, text))))


def _plan(options: argparse.Namespace, question: str) -> Outcome:
    if question not in PLANS:
        known = ", ".join(INFER_PARAMETERS[name].option for name in PLANS)
        raise UsageError(f"plan: {INFER_PARAMETERS[question].option} cannot be planned without a table; {known} can")
    require_options(options, "schema")
    said = PLANS[question](options)

    def sheet() -> Sheet:
        from bounds.parameters import PARAMETERS
        from bounds.privacy.adjacency import read_adjacency
        from synthbounds.report.inference_sheet import inference_plan_sheet
        from synthbounds.report.one_person import stated

        adjacency = read_adjacency(options.adjacency or PARAMETERS["adjacency"].default)
        delta = Fraction(0) if options.dp_delta is None else INFER_PARAMETERS["dp_delta"].number(options.dp_delta)
        return inference_plan_sheet(
            said.blocks, stated(INFER_PARAMETERS["epsilon"].number(options.epsilon), delta, adjacency)
        )

    return Outcome(lambda: said.blocks, said.plan_payload, inputs=inputs_of(options), report=sheet, uses_ledger=False)


def _question(options: argparse.Namespace) -> str:
    said = [name for name in QUESTIONS if is_said(options, name)]
    if not said:
        asked = ", ".join(INFER_PARAMETERS[name].option for name in QUESTIONS)
        raise UsageError(f"the question is missing: give one of {asked}")
    if len(said) > 1:
        given = " and ".join(INFER_PARAMETERS[name].option for name in said)
        raise UsageError(f"{given} are {len(said)} questions: ask one at a time")
    return said[0]


def _require_place(options: argparse.Namespace, question: str) -> None:
    """Refuse what belongs to another question, or to a plan."""
    for name, parameter in INFER_PARAMETERS.items():
        if not is_said(options, name) or name == question:
            continue
        if question not in TAKEN_BY.get(name, QUESTIONS):
            others = " and ".join(INFER_PARAMETERS[other].option for other in TAKEN_BY[name])
            raise UsageError(f"{parameter.option} is for {others}, not for {INFER_PARAMETERS[question].option}")
        if name in PLANNED and not options.plan:
            raise UsageError(f"{parameter.option} is for a plan: add --plan and leave the release out")
        if name in NOT_PLANNED and options.plan:
            what = name if parameter.positional else parameter.option
            raise UsageError(f"{what} is not for a plan{_PLANNED_INSTEAD.get(name, '')}")
