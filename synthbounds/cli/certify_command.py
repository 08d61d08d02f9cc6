"""The command that certifies a model from a release, or plans such a certificate: from options to a document."""

from __future__ import annotations

import argparse
from fractions import Fraction

from bounds.errors import UsageError
from mechanisms.models.parameters import CERTIFY_PARAMETERS, CLASS, DEFAULT_TAU, SURE, read_certify_numbers
from release.files.outputs import Outputs
from synthbounds.cli.commands import Outcome, inputs_of
from synthbounds.cli.progress import Progress

_ANY_SIZE = 1000
"""Stands for n while it is solved for."""
_FILES = ("release", "model", "like", "query")


def certify_command(options: argparse.Namespace) -> Outcome:
    given = {name: getattr(options, name) for name in CERTIFY_PARAMETERS if getattr(options, name) is not None}
    numbers = read_certify_numbers(given)
    return _plan(options, numbers) if options.plan else _certify(options, numbers)


def _certify(options: argparse.Namespace, numbers: dict[str, Fraction]) -> Outcome:
    from mechanisms.models.certify.from_marginals import holds_marginals
    from mechanisms.models.certify.from_moments import certify_model, class_for
    from mechanisms.models.model import read_model
    from mechanisms.models.plan.improve import improvements
    from release.gradient.read import read_query
    from release.moments.read import read_release
    from release.noise.kinds import NOT_A_RELEASE
    from release.parameters import DEFAULT_BETA
    from synthbounds.certificates import checked_model, require_checkable_loss
    from synthbounds.cli.marginals_command import certify_marginals_command
    from synthbounds.render.certification import certification_document, certification_payload

    for name, parameter in CERTIFY_PARAMETERS.items():
        if parameter.group not in (CLASS, SURE) and getattr(options, name) is not None:
            raise UsageError(f"{name.replace('_', '-')} is for planning: add --plan and leave the files out")
    if options.fourth:
        raise UsageError("fourth is for planning: a release has fourth moments or not; what it has is used")
    if options.release is None or options.model is None:
        raise UsageError("release and model are missing: give both files, or --plan (see `synthbounds certify --help`)")
    if holds_marginals(options.release):
        return certify_marginals_command(options, numbers)
    for name in ("label", "positive", "one_hot"):
        if getattr(options, name) is not None:
            raise UsageError(f"{name.replace('_', '-')} is for marginals: a release of moments has its own features")
    release = read_release(options.release)
    model = read_model(options.model, release.feature_map)
    query = None if options.query is None else read_query(options.query, release)
    if query is not None and options.certificate is not None:
        raise UsageError("certificate: a file holds the proof from the release alone; leave --query out")
    compared_with = class_for(
        model, tau=numbers.get("tau"), ridge=numbers.get("ridge"), loss=options.loss, intercept=options.intercept
    )
    if options.certificate is not None:
        require_checkable_loss(compared_with.loss)
    with Progress() as progress:
        found = certify_model(
            release,
            model,
            compared_with,
            beta=numbers.get("beta", DEFAULT_BETA),
            held_out=True if options.held_out else None,
            query=query,
            thorough=options.thorough,
            progress=progress.callback,
        )
        if progress.callback is not None:
            progress.callback("what would make it smaller")
        smaller = improvements(found)

    def stage(outputs: Outputs) -> None:
        if options.certificate is not None:
            outputs.add(options.certificate, checked_model(found).encode(), name="certificate")

    warnings = [NOT_A_RELEASE] if release.is_simulated else []
    if found.verdict == "vacuous":
        warnings.append("vacuous certificate: the bound says no more than what holds without any data")
    if release.fourth is not None and all(route.degree == 2 for route in found.routes):
        warnings.append(
            "fourth moments were not used: the file of the model does not say that it was trained by `train` on this "
            "release alone; add --held-out if it does not depend on their noise"
        )
    return Outcome(
        lambda: certification_document(found, smaller, options.certificate),
        lambda: certification_payload(found, smaller),
        tuple(warnings),
        inputs={name: text for name, text in inputs_of(options).items() if name not in _FILES},
        stage=stage,
    )


def _plan(options: argparse.Namespace, numbers: dict[str, Fraction]) -> Outcome:
    from bounds.certify.classes import INSIDE, ModelClass
    from bounds.privacy.adjacency import read_adjacency
    from mechanisms.models.plan.certificate_plan import Planner, Question
    from mechanisms.models.plan.reference import like, reference
    from release.moments.read import read_release
    from release.parameters import DEFAULT_BETA
    from synthbounds.render.certificate_plan import plan_document, plan_payload

    for name in ("release", "model", "query", "certificate", "label", "positive", "one_hot", "held_out", "thorough"):
        if getattr(options, name):
            raise UsageError(f"{name.replace('_', '-')}: not for a plan, which knows the numbers of a release alone")
    if options.like is not None and "features" in numbers:
        raise UsageError("features and like are both given: an earlier release has its own features")
    if options.like is None and "features" not in numbers:
        raise UsageError("features: give how many there are with the intercept, or --like with an earlier release")
    target = numbers.get("target")
    missing = [name for name in ("n", "epsilon") if name not in numbers]
    if len(missing) != (0 if target is None else 1):
        wanted = "both n and epsilon" if target is None else "exactly one of n and epsilon: the other is solved for"
        raise UsageError(f"{' and '.join(missing) or 'n and epsilon'}: a plan needs {wanted}")
    compared_with = ModelClass(
        loss=options.loss or "logistic",
        tau=numbers.get("tau", None if "ridge" in numbers else DEFAULT_TAU),
        ridge=numbers.get("ridge"),
        intercept=options.intercept or INSIDE,
    )
    guess = reference(int(numbers["features"])) if options.like is None else like(read_release(options.like))
    question = Question(
        n=int(numbers.get("n", _ANY_SIZE)),
        epsilon=numbers.get("epsilon", Fraction(1)),
        dp_delta=numbers.get("dp_delta"),
        adjacency=read_adjacency(options.adjacency or "replace-one"),
        reserve=numbers.get("reserve", Fraction(0)),
        fourth=options.fourth,
        compared_with=compared_with,
        beta=numbers.get("beta", DEFAULT_BETA),
    )
    planner, solved = Planner(guess, compared_with), missing[0] if missing else None
    if target is None or solved is None:
        found = planner.plan(question)
    else:
        found = planner.with_records(question, target) if solved == "n" else planner.with_epsilon(question, target)
    return Outcome(
        lambda: plan_document(found, solved, target),
        lambda: plan_payload(found, solved, target),
        inputs={name: text for name, text in inputs_of(options).items() if name not in _FILES},
    )
