"""The command that certifies a model from a release, or plans such a certificate: from options to a document."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bounds.certify.verdict import VACUOUS
from bounds.errors import UsageError
from mechanisms.models.parameters import CERTIFY, FEATURES, PLAN
from mechanisms.models.query_parameters import PREDICTED_ASKS
from release.files.outputs import Outputs
from release.parameters import ENCODING_PARAMETERS, FEATURE_PARAMETERS
from synthbounds.api.confirming import certify_excess, model_for, query_for
from synthbounds.api.cross_models import certify_cross_moments
from synthbounds.api.log_models import certify_log
from synthbounds.api.modelling import certify, certify_distance, certify_marginals, improvements, model_certificate
from synthbounds.api.planning import plan
from synthbounds.api.predictions import certify_predictions
from synthbounds.api.reach import over_tau
from synthbounds.api.releases import open_release
from synthbounds.cli.answer_proof import VACUOUS_WARNING, AnswerProof
from synthbounds.cli.outcome import Outcome, call, inputs_of, is_said
from synthbounds.cli.progress import Progress

if TYPE_CHECKING:
    from release.cross_moments.file import CrossMoments
    from release.distance.file import DistanceRelease
    from release.floors.file import FloorRelease
    from release.log.file import MarginalLog
    from release.marginals.file import Marginals
    from release.moments.file import MomentRelease
    from release.private_release import Release
    from release.scores.file import ScoreQuery
    from synthbounds.render.document import Document
    from synthbounds.report.sheet import Sheet

_NOT_FOR_A_PLAN = (
    "release", "model", "query", "certificate", *FEATURE_PARAMETERS, "held_out", "thorough",
)  # fmt: skip


def run(options: argparse.Namespace) -> Outcome:
    """From a release of whichever kind, or a plan."""
    from release.accuracy.file import AccuracyRelease
    from release.cross_moments.file import CrossMoments
    from release.distance.file import DistanceRelease
    from release.floors.file import FloorRelease
    from release.log.file import MarginalLog
    from release.moments.file import MomentRelease
    from release.scores.file import ScoreQuery

    if options.plan:
        return _plan(options)
    for parameter in CERTIFY:
        if parameter.group == PLAN and parameter.name != "fourth" and is_said(options, parameter.name):
            raise UsageError(f"{parameter.name.replace('_', '-')} is for planning: add --plan and leave the files out")
    if options.fourth:
        raise UsageError("fourth is for planning: fourth moments of a release are used whenever it has them")
    missing = "release and model are missing: give both files, or --plan (see `synthbounds certify --help`)"
    if options.release is None or (options.model is None and options.query is None):
        raise UsageError(missing)
    release = open_release(options.release)
    if isinstance(release, MomentRelease | FloorRelease) and options.query is not None:
        answer = query_for(options.query, release)
        if isinstance(answer, ScoreQuery) and answer.about.get("ask") in PREDICTED_ASKS:
            return _predictions(options, release, answer)
        if isinstance(answer, ScoreQuery) and options.model is not None:
            return _excess(options, release, answer)
    if options.model is None:
        raise UsageError(missing)
    if isinstance(release, FloorRelease):
        raise UsageError("release: floors certify a model by the answer to a query (--query; see `confirm`)")
    if isinstance(release, AccuracyRelease):
        raise UsageError(
            "release: errors of a table certify no model; a distance does (`synthbounds release distance`)"
        )
    if isinstance(release, MarginalLog):
        return _log(options, release)
    if isinstance(release, DistanceRelease):
        return _distance(options, release)
    if isinstance(release, CrossMoments):
        return _cross_moments(options, release)
    return _moments(options, release) if isinstance(release, MomentRelease) else _marginals(options, release)


def _predictions(options: argparse.Namespace, release: MomentRelease | FloorRelease, query: ScoreQuery) -> Outcome:
    """What the answer to a query about predictions proves, recomputed; the file of the model is only hashed."""
    from release.noise.kinds import NOT_A_RELEASE
    from synthbounds.render.any_model import scored_document, scored_payload

    for parameter in CERTIFY:
        if parameter.name not in ("release", "model", "query", "beta", "certificate") and is_said(
            options, parameter.name
        ):
            raise UsageError(f"{parameter.name.replace('_', '-')} does not apply: this query is about predictions")
    found = call(certify_predictions, options, release=release, query=query)
    proof = AnswerProof(options, release, query)
    return Outcome(
        lambda: scored_document(found, release),
        lambda: {**scored_payload(found, release), "by_query": True},
        ((NOT_A_RELEASE,) if release.is_simulated else ()) + proof.warnings,
        inputs=inputs_of(options),
        stage=proof.stage,
        report=lambda: _sheet(scored_document(found, release), release),
    )


def _excess(options: argparse.Namespace, release: MomentRelease | FloorRelease, query: ScoreQuery) -> Outcome:
    """What the answer to a query for an excess proves, recomputed."""
    from synthbounds.render.excess_query import excess_again_document, excess_again_payload

    for name in ("held_out", "thorough"):
        if is_said(options, name):
            raise UsageError(f"{name.replace('_', '-')} is for certificates from moments: this answer needs none")
    _refuse_features(options, "a release that pays for a query")
    model = model_for(options.model, release)
    found = call(certify_excess, options, release=release, query=query, model=model)
    proof = AnswerProof(options, release, query)
    return _outcome(
        options,
        release,
        found.verdict.word,
        lambda: excess_again_document(found, query, release, model),
        lambda: excess_again_payload(found, query, release, model),
        *proof.warnings,
        stage=proof.stage,
    )


def _moments(options: argparse.Namespace, release: MomentRelease) -> Outcome:
    from synthbounds.render.certification import certification_document, certification_payload

    _refuse_features(options, "a release of moments")
    with Progress() as progress:
        found = call(
            certify,
            options,
            release=release,
            with_certificate=options.certificate is not None,
            progress=progress.callback,
        )
        if progress.callback is not None:
            progress.callback("what would make it smaller")
        smaller = improvements(found)
        reached = over_tau(found)

    def stage(outputs: Outputs) -> None:
        if options.certificate is not None:
            outputs.add(options.certificate, model_certificate(found).encode(), name="certificate")

    warnings = []
    if release.fourth is not None and all(route.degree == 2 for route in found.routes):
        warnings.append("fourth moments were not used: add --held-out if the model does not depend on their noise")
    return _outcome(
        options,
        release,
        found.verdict,
        lambda: certification_document(found, smaller, options.certificate, reached),
        lambda: certification_payload(found, smaller, reached),
        *warnings,
        stage=stage,
    )


def _cross_moments(options: argparse.Namespace, release: CrossMoments) -> Outcome:
    from synthbounds.render.cross_models import cross_certification_document, cross_certification_payload

    for name in ("query", "held_out", "certificate", "thorough"):
        if is_said(options, name):
            raise UsageError(f"{name.replace('_', '-')} is for a release of moments, and these are cross moments")
    for name in ENCODING_PARAMETERS:
        if is_said(options, name):
            raise UsageError(
                f"{name.replace('_', '-')} is for marginals: a release of cross moments has its own features"
            )
    with Progress() as progress:
        found = call(certify_cross_moments, options, release=release, progress=progress.callback)
        reached = over_tau(found)
    return _outcome(
        options,
        release,
        found.verdict,
        lambda: cross_certification_document(found, reached),
        lambda: cross_certification_payload(found, reached),
    )


def _marginals(options: argparse.Namespace, release: Marginals) -> Outcome:
    from synthbounds.render.marginals import marginal_certification_document, marginal_certification_payload

    for name in ("query", "held_out", "certificate"):
        if is_said(options, name):
            raise UsageError(f"{name.replace('_', '-')} is for a release of moments, and these are marginals")
    with Progress() as progress:
        found = call(certify_marginals, options, release=release, progress=progress.callback)
    warnings = []
    if found.moments.missing_pairs:
        warnings.append(f"{len(found.moments.missing_pairs):,} pairs of columns are in no table; they widen the bound")
    return _outcome(
        options,
        release,
        found.verdict,
        lambda: marginal_certification_document(found),
        lambda: marginal_certification_payload(found),
        *warnings,
    )


def _log(options: argparse.Namespace, release: MarginalLog) -> Outcome:
    from synthbounds.render.log_certificate import log_certification_document, log_certification_payload

    for name in ("query", "held_out", "certificate", "thorough"):
        if is_said(options, name):
            raise UsageError(f"{name.replace('_', '-')} is for a release of moments, and this is a log")
    with Progress() as progress:
        found = call(certify_log, options, release=release, progress=progress.callback)
    return _outcome(
        options,
        release,
        found.verdict,
        lambda: log_certification_document(found),
        lambda: log_certification_payload(found),
    )


def _distance(options: argparse.Namespace, release: DistanceRelease) -> Outcome:
    from synthbounds.render.comparison import distance_certification_document, distance_certification_payload

    _refuse_features(options, "a release of distance")
    for name in ("query", "held_out", "certificate"):
        if is_said(options, name):
            raise UsageError(f"{name.replace('_', '-')} is for a release of moments, and this is a distance")
    with Progress() as progress:
        found = call(certify_distance, options, release=release, progress=progress.callback)
    return _outcome(
        options,
        release,
        found.verdict,
        lambda: distance_certification_document(found),
        lambda: distance_certification_payload(found),
    )


def _outcome(
    options: argparse.Namespace,
    release: Release,
    verdict: str,
    document: Callable[[], Document],
    payload: Callable[[], dict[str, Any]],
    *more: str,
    stage: Callable[[Outputs], None] | None = None,
) -> Outcome:
    """A certificate, with warnings about simulated noise and a vacuous bound, and any others."""
    from release.noise.kinds import NOT_A_RELEASE

    simulated = (NOT_A_RELEASE,) if release.is_simulated else ()
    vacuous = (VACUOUS_WARNING,) if verdict == VACUOUS else ()
    return Outcome(
        document,
        payload,
        (*simulated, *vacuous, *more),
        inputs=inputs_of(options),
        stage=stage,
        report=lambda: _sheet(document(), release),
    )


def _sheet(document: Document, release: Release) -> Sheet:
    from synthbounds.report.certificate_sheet import certificate_sheet

    return certificate_sheet(document, cost=release.cost, is_simulated=release.is_simulated)


def _refuse_features(options: argparse.Namespace, what: str) -> None:
    for parameter in CERTIFY:
        if parameter.group == FEATURES and is_said(options, parameter.name):
            name = parameter.name.replace("_", "-")
            raise UsageError(f"{name} is for marginals: {what} has its own features")


def _plan(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.certificate_plan import plan_document, plan_payload

    for name in _NOT_FOR_A_PLAN:
        if is_said(options, name):
            raise UsageError(f"{name.replace('_', '-')}: is not for a plan, which uses only the numbers of a release")
    found = call(plan, options)

    def report() -> Sheet:
        from synthbounds.render.sentences import plan_sentence
        from synthbounds.report.certificate_sheet import certificate_plan_sheet
        from synthbounds.report.one_person import stated

        question = found.plan.question
        privacy = stated(question.epsilon, question.delta, question.adjacency)
        document = plan_document(found.plan, found.solved, found.target)
        return certificate_plan_sheet(document, plan_sentence(found), privacy)

    return Outcome(
        lambda: plan_document(found.plan, found.solved, found.target),
        lambda: plan_payload(found.plan, found.solved, found.target),
        answer=found,
        inputs=inputs_of(options),
        report=report,
    )
