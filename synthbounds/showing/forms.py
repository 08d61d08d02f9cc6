"""Which document and which JSON show answers of each type; the functions are those of the commands."""

from __future__ import annotations

from typing import Any

from bounds.shown import Rows, Shown
from synthbounds.showing import beside
from synthbounds.showing.form import Form


def _sizes(document: str, payload: str, **more: Any) -> Form:
    return Form(
        more.pop("command", "require"), f"requirement.{document}", f"payload.{payload}", names_files=True, **more
    )


def _own(name: str, **more: Any) -> Form:
    """For what no command prints on its own: a file, or a part of an answer."""
    home = "synthbounds.showing.parts"
    return Form("", f"{home}.{name}_document", f"{home}.{name}_payload", **more)


def _certificate(document: str, payload: str, of: beside.Arguments = beside.alone, **more: Any) -> Form:
    return Form("certify", document, payload, of, **more)


def _inferred(module: str, question: str, blocks: str, *, plan: bool = False) -> Form:
    """Blocks and details of one question, in the same places for every answer of `infer`."""
    of = beside.planned(question, module, blocks) if plan else beside.inferred(question, module, blocks)
    kind = "planned" if plan else "inferred"
    return Form(
        "infer",
        "synthbounds.showing.beside.said_document",
        f"synthbounds.showing.beside.{kind}_payload",
        of,
        rows="" if plan else "conclusions",
        picture="" if plan else "intervals name interval_lo interval_hi estimate",
        uses_ledger=False,
    )


_WRITTEN = beside.with_files(beside.UNWRITTEN)
_TRAINED = beside.with_files(beside.GIVEN, beside.UNWRITTEN)
_LAW = "mechanisms.models"

_COEFFICIENTS: dict[str, Any] = {"rows": "features coefficients", "picture": "bars features coefficients"}

FORMS: dict[str, Form] = {
    "bounds.sizes.requirement.Requirement": _sizes(
        "requirement_document", "requirement_payload", rows="terms", precision="precision", picture="bars name required"
    ),
    "bounds.sizes.solve_for.Inversion": _sizes(
        "inversion_document",
        "inversion_payload",
        rows="terms",
        precision="requirement.precision",
        picture="bars name required",
    ),
    "rows of bounds.sizes.require.ComparisonRow": _sizes(
        "comparison_document", "comparison_payload", command="compare", rows="rows", picture="bars theorem,edition n"
    ),
    "bounds.risk.answer.RiskAnswer": Form(
        "risk", "risk.risk_document", "risk_payload.risk_payload", rows="terms", picture="bars name enclosure_hi"
    ),
    "rows of bounds.risk.compare.RiskRow": Form(
        "compare",
        "risk.risk_comparison_document",
        "risk_payload.risk_comparison_payload",
        rows="rows",
        picture="bars theorem,edition bound_hi",
    ),
    "bounds.risk.query_lower_bound.QueryLowerBound": Form(
        "risk", "query_lower_bound.lower_document", "query_lower_bound.lower_payload", rows="conditions"
    ),
    "bounds.approximation.result.Approximation": Form(
        "approx",
        "approximation.approximation_document",
        "approximation.approximation_payload",
        beside.in_context,
        rows="coefficients",
        picture="polynomial",
        precision="precision",
    ),
    "bounds.renyi.RenyiReport": Form("renyi", "renyi.renyi_document", "renyi.renyi_payload", *beside.RENYI),
    "synthbounds.api.measures.PerturbedHistogram": Form(
        "renyi", "renyi.renyi_document", "renyi.renyi_payload", *beside.PERTURBED
    ),
    "bounds.model.Theorem": Form(
        "explain", "statements.explain_document", "statements.explain_payload", beside.of_theorem, rows="editions"
    ),
    "synthbounds.api.statements.Explained": Form(
        "explain", "statements.explain_document", "statements.explain_payload", beside.explained, rows="editions"
    ),
    "rows of bounds.model.Theorem": Form(
        "list", "statements.list_document", "statements.list_payload", rows="theorems"
    ),
    "rows of bounds.papers.Paper": Form("cite", "statements.cite_document", "statements.cite_payload", rows="papers"),
    "synthbounds.api.proofs.CheckResult": Form(
        "check",
        "synthbounds.cli.check_command.check_document",
        "synthbounds.cli.check_command.check_payload",
        uses_ledger=False,
        names_files=True,
    ),
    "rows of synthbounds.api.checkup.Check": Form(
        "doctor", "checkup.doctor_document", "checkup.doctor_payload", rows="checks"
    ),
    "release.data.template.Draft": Form(
        "schema",
        "drafted_schema.draft_document",
        "drafted_schema.draft_payload",
        beside.with_files(None),
        rows="columns",
        uses_ledger=False,
    ),
    "release.account.file.Account": Form(
        "account",
        "account.account_document",
        "account.account_payload",
        beside.with_files(beside.GIVEN),
        rows="entries",
    ),
    "release.moments.file.MomentRelease": Form(
        "release",
        "moment_release.release_document",
        "moment_release.release_payload",
        beside.moments,
        rows="noise",
    ),
    "release.marginals.file.Marginals": Form(
        "release", "marginals.marginals_document", "marginals.marginals_payload", _WRITTEN
    ),
    "release.floors.file.FloorRelease": Form(
        "release",
        "floors.floors_document",
        "floors.floors_payload",
        beside.floors,
        rows="floors",
        picture="intervals tau least_loss_lo least_loss_hi",
    ),
    "release.distance.file.DistanceRelease": Form(
        "release", "comparison.distance_document", "comparison.distance_payload", beside.compared
    ),
    "release.accuracy.file.AccuracyRelease": Form(
        "release", "comparison.accuracy_document", "comparison.accuracy_payload", beside.compared
    ),
    "lp.synthesis.run.Synthesis": Form(
        "synth", "synthesis.synthesis_document", "synthesis.synthesis_payload", _WRITTEN
    ),
    "mechanisms.synth.private_table.PrivateTable": Form(
        "synth",
        "private_table.private_table_document",
        "private_table.private_table_payload",
        beside.with_files(beside.UNWRITTEN, beside.KEPT),
        rows="known.share_errors",
        picture="bars name value",
    ),
    f"{_LAW}.model.Model": _own("model", rows="names coefficients", picture="bars names coefficients"),
    f"{_LAW}.train.over_tau.OverTau": _own("reach", rows="over_tau", picture="lines tau loss_est"),
    "bounds.sizes.sweep.SweepResult": _own("estimates", rows="n_est m_est k_est"),
    "release.data.schema.Schema": _own("schema", rows="columns"),
    f"{_LAW}.train.from_release.ReleaseTraining": Form(
        "train",
        "training.training_document",
        "training.training_payload",
        beside.with_files(beside.GIVEN, beside.UNWRITTEN, None),
        beside.with_files(beside.UNWRITTEN, None),
        beside.reach,
        **_COEFFICIENTS,
    ),
    f"{_LAW}.train.from_cross_moments.CrossTraining": Form(
        "train",
        "cross_models.cross_training_document",
        "cross_models.cross_training_payload",
        _TRAINED,
        _WRITTEN,
        beside.reach,
        **_COEFFICIENTS,
    ),
    f"{_LAW}.train.from_public.PublicTraining": Form(
        "train",
        "public_models.public_training_document",
        "public_models.public_training_payload",
        beside.with_files(beside.GIVEN, beside.UNWRITTEN, ""),
        _WRITTEN,
        **_COEFFICIENTS,
    ),
    f"{_LAW}.confirm.correct.ReleaseCorrection": Form(
        "train",
        "correction.correction_document",
        "correction.correction_payload",
        beside.with_files(beside.GIVEN, beside.GIVEN, beside.UNWRITTEN),
        _WRITTEN,
        **_COEFFICIENTS,
    ),
    f"{_LAW}.certify.from_moments.ModelCertificate": _certificate(
        "certification.certification_document",
        "certification.certification_payload",
        more_of=beside.improvements_and_reach,
    ),
    f"{_LAW}.certify.from_cross_moments.CrossCertificate": _certificate(
        "cross_models.cross_certification_document",
        "cross_models.cross_certification_payload",
        more_of=beside.reach,
    ),
    f"{_LAW}.certify.from_marginals.MarginalCertificate": _certificate(
        "marginals.marginal_certification_document", "marginals.marginal_certification_payload"
    ),
    f"{_LAW}.certify.from_distance.DistanceCertificate": _certificate(
        "comparison.distance_certification_document", "comparison.distance_certification_payload"
    ),
    f"{_LAW}.certify.from_log.LogCertificate": _certificate(
        "log_certificate.log_certification_document", "log_certificate.log_certification_payload"
    ),
    f"{_LAW}.confirm.prove_excess.ProvedExcess": _certificate(
        "excess_query.excess_again_document", "excess_query.excess_again_payload", beside.asked_again
    ),
    f"{_LAW}.confirm.scored.Scored": _certificate(
        "any_model.scored_document", "synthbounds.showing.beside.scored_again", beside.scored_by
    ),
    f"{_LAW}.confirm.ask.Confirmed": Form(
        "confirm", "confirmation.confirmation_document", "confirmation.confirmation_payload", beside.confirmed
    ),
    f"{_LAW}.confirm.excess.ConfirmedExcess": Form(
        "confirm", "excess_query.excess_document", "excess_query.excess_payload", beside.confirmed
    ),
    f"{_LAW}.confirm.any_model.ScoredModel": Form(
        "confirm", "any_model.scored_document", "any_model.scored_payload", beside.scored_now
    ),
    "synthbounds.api.planning.PlannedCertificate": Form(
        "certify", "certificate_plan.plan_document", "certificate_plan.plan_payload", beside.plan_of, rows="queries"
    ),
    "mechanisms.planning.error_plan.ErrorPlan": Form(
        "plan",
        "error_plan.error_plan_document",
        "error_plan_payload.error_plan_payload",
        rows="rows",
        picture="lines epsilon two_way.error method,dp_delta",
        names_files=True,
    ),
    "mechanisms.regression.regression.Regression": Form(
        "regress",
        "regression.regression_document",
        "regression.regression_payload",
        beside.regressed,
        rows="coefficients",
    ),
    "mechanisms.improve.improvement.Improvement": Form(
        "improve",
        "improvement.improvement_document",
        "improvement.improvement_payload",
        beside.improved,
        uses_ledger=False,
    ),
    "mechanisms.evaluate.evaluation.Evaluation": Form(
        "evaluate",
        "evaluation.evaluation_document",
        "evaluation.evaluation_payload",
        rows="errors.columns",
        names_files=True,
        uses_ledger=False,
    ),
    **dict.fromkeys(
        (
            "mechanisms.infer.shares.share.ShareAnswer",
            "mechanisms.infer.shares.conditional.ConditionalAnswer",
            "mechanisms.infer.shares.difference.DifferenceAnswer",
            "mechanisms.infer.shares.rows.RowsAnswer",
            "mechanisms.infer.shares.uncounted.UncountedAnswer",
        ),
        _inferred("inferred_shares", "proportion", "shares"),
    ),
    "mechanisms.infer.chi_square.answers.ChiSquareTest": _inferred("inferred_tests", "chi2", "chi_square"),
    "mechanisms.infer.spectrum_answer.Spectrum": _inferred("inferred_spectrum", "pca", "spectrum"),
    "mechanisms.infer.regression.answer.RegressionAnswer": _inferred("inferred_regression", "ols", "regression"),
    "mechanisms.infer.regression.penalised.LassoAnswer": _inferred("inferred_lasso", "ols", "lasso"),
    "mechanisms.infer.regression.edges_answer.EdgesAnswer": _inferred("inferred_edges", "edges", "edges"),
    "mechanisms.infer.signs.SignsAnswer": _inferred("inferred_signs", "signs", "signs"),
    "mechanisms.infer.shares.plan.SharePlan": _inferred("inferred_shares", "proportion", "shares_plan", plan=True),
    "mechanisms.infer.chi_square.answers.PowerPlan": _inferred(
        "inferred_tests_plan", "chi2", "chi_square_plan", plan=True
    ),
    "mechanisms.infer.spectrum_plan.SpectrumPlan": _inferred("inferred_spectrum", "pca", "spectrum_plan", plan=True),
    "mechanisms.infer.regression.plan.RegressionPlan": _inferred(
        "inferred_regression_plan", "ols", "regression_plan", plan=True
    ),
    "rows of verify.run.ClaimResult": Form(
        "verify", "synthbounds.showing.beside.verified", "verification.verification_payload", rows="claims"
    ),
    "rows of verify.guarantee.Frequency": Form(
        "verify", "verification.guarantees_document", "verification.guarantees_payload", rows="guarantees"
    ),
    "verify.graph.Fallen": Form("verify", "claims.falls_document", "claims.falls_payload", rows="falls"),
    "verify.export.Export": Form("verify", "claims.export_document", "claims.export_payload", _WRITTEN),
    "verify.audit.run.AuditResult": Form("audit", "audit.audit_document", "audit.audit_payload"),
    "rows of verify.audit.subject.Subject": Form(
        "audit", "audit.subjects_document", "audit.subjects_payload", rows="subjects"
    ),
    "rows of paper_figures.figure.Figure": Form(
        "figures", "figures.figures_document", "figures.figures_payload", rows="figures"
    ),
    "rows of paper_figures.make.Made": Form(
        "figures", "figures.made_document", "figures.made_payload", beside.drawn, beside.alone, rows="figures"
    ),
}
"""By the name of the type or, for a tuple of answers, by that of its items."""


def form_of(answer: Shown) -> Form | None:
    """The form of an answer; None if no command prints it on its own."""
    if isinstance(answer, Rows):
        return _form(answer.of, "rows of ") or _form(answer.of, "")
    return _form(type(answer), "")


def _form(kind: Any, prefix: str) -> Form | None:
    names = (f"{prefix}{each.__module__}.{each.__qualname__}" for each in kind.__mro__)
    return next((FORMS[name] for name in names if name in FORMS), None)
