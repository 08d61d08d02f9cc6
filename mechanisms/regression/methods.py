"""Every method for a table: what it asks of the records, what that costs, and the model made from the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bounds.privacy.ledger import Ledger
from bounds.privacy.sensitivity import Sensitivity, l2_sensitivity
from mechanisms.mechanism import Public
from mechanisms.models.model import Model
from mechanisms.regression.fit import Fit, plan_fit, scaled_by_surrogate
from mechanisms.regression.from_release import fit_release, model_of_fit
from mechanisms.regression.parameters import (
    ADASSP,
    AIM_SYNTH,
    DD_SSP,
    DP_SGD,
    MST_SYNTH,
    OBJPERT,
    PRINTED,
    ROWS,
    SSP,
    SSP_EDGE,
    is_study,
)
from mechanisms.regression.regression import Regression, Source, Spent
from mechanisms.select.settings import AIM
from mechanisms.synth.make import hold_records, public_size, read_records
from mechanisms.synth.parameters import LOG_OPTIONS
from release.statistics.statistic import RECORD_STEPS

if TYPE_CHECKING:
    from mechanisms.regression.from_table import TableRegression
    from release.data.domain import Codes
    from release.data.source import Source as Records
    from release.log.file import MarginalLog

COUNTS = "each table of counts that is measured, or that scores a choice"
TUNED = (0.25, 1.0, 4.0)
"""Factors for the rate of DP-SGD, if it is chosen on records."""
Say = Callable[[str], None]
Sensitivities = tuple[tuple[str, Sensitivity], ...]


def _made(
    asked: TableRegression,
    fit: Fit,
    *,
    size: int,
    n: int,
    moved: Sensitivities,
    release: Source | None = None,
    model: Model | None = None,
) -> Regression:
    return Regression(
        method=asked.wish.method,
        model=model_of_fit(fit, asked.features, asked.wish, release) if model is None else model,
        mode=asked.randomness.mode,
        spent=Spent(
            epsilon=asked.epsilon,
            dp_delta=asked.dp_delta,
            adjacency=asked.adjacency,
            size=size,
            sensitivities=moved,
        ),
        release=release,
        facts=fit.facts,
        can_be_released=asked.wish.method != DP_SGD
        and not is_study(asked.wish.method, asked.wish.choices.get("edition")),
        too_few=asked.randomness.is_simulated and n < size,
    )


def _by_sums(asked: TableRegression, source: Records, say: Say | None) -> Regression:
    """SSP, with or without a ridge: it asks only for a release of moments."""
    from release.moments.make import MomentRequest

    if asked.wish.method == SSP and asked.wish.choice("edition") == PRINTED:
        return _printed(asked, source)
    request = MomentRequest(
        asked.features,
        epsilon=asked.epsilon,
        dp_delta=asked.dp_delta,
        adjacency=asked.adjacency,
        mode=asked.randomness.mode,
        n0=asked.least_size,
        weight=asked.wish.number("weight"),
        seed=asked.randomness.seed,
        run=asked.randomness.run,
    )
    release = request.release(source)
    fit = fit_release(release, asked.features, asked.wish, say=say)
    moved = (("weighted moments of features in the unit ball", release.sensitivity),)
    return _made(asked, fit, size=release.stated_size, n=source.n, moved=moved, release=release)


def _adassp(asked: TableRegression, source: Records, _: Say | None) -> Regression:
    """Noisy sums and a noisy least eigenvalue, which decides the ridge."""
    from mechanisms.regression.adassp import run_adassp

    if asked.wish.choice("edition") == PRINTED:
        return _printed(asked, source)
    found = run_adassp(
        source,
        asked.features,
        epsilon=asked.epsilon,
        dp_delta=asked.dp_delta,
        adjacency=asked.adjacency,
        mode=asked.randomness.mode,
        n0=asked.least_size,
        seed=asked.randomness.seed,
        run=asked.randomness.run,
    )
    plan = plan_fit(asked.features, asked.wish, of_tables=False)
    eigenvalue = found.least_eigenvalue.noise.sensitivity
    noisy, noise = found.least_eigenvalue.values[0], found.least_eigenvalue.noise
    assert isinstance(noise.scales, Fraction)
    facts = (
        ("Eigenvalue", f"the least one, noisy: {noisy} steps of 1/{RECORD_STEPS}, deviation {float(noise.scales):.8g}"),
        ("Ridge", f"{found.ridge_est:.6g}, for an eigenvalue of at least about {found.least_eigenvalue_est:.4g}"),
    )
    fit = Fit(coefficients=found.coefficients * scaled_by_surrogate(plan), tau=None, facts=facts)
    moved = (
        ("weighted moments of features in the unit ball", found.release.sensitivity),
        ("least eigenvalue of the sums, in steps", eigenvalue),
    )
    return _made(asked, fit, size=found.release.stated_size, n=source.n, moved=moved, release=found.release)


def _printed(asked: TableRegression, source: Records) -> Regression:
    """SSP and AdaSSP with the noise that ddssp2024 prints: for study."""
    from mechanisms.regression.printed import printed_adassp, printed_ssp

    records = hold_records(source)
    run = printed_ssp if asked.wish.method == SSP else printed_adassp
    found = run(
        records,
        asked.features,
        epsilon=asked.epsilon,
        dp_delta=asked.dp_delta,
        mode=asked.randomness.mode,
        seed=asked.randomness.seed,
        run=asked.randomness.run,
    )
    plan = plan_fit(asked.features, asked.wish, of_tables=False)
    fit = Fit(coefficients=found.coefficients * scaled_by_surrogate(plan), tau=None, facts=(("Printed", found.text),))
    size = public_size(records, asked.adjacency, asked.least_size)
    moved = _parts_of_sums(asked)
    return _made(asked, fit, size=size, n=len(records), moved=moved)


def _parts_of_sums(asked: TableRegression) -> Sensitivities:
    """Sensitivities of X'X and X'y separately, on the scale of the features."""
    norm = asked.features.squared_norm

    def moved(squared: int) -> Sensitivity:
        return l2_sensitivity(squared=squared, adjacency=asked.adjacency, n_is_public=False)

    return (("sums of f f'", moved(norm**2)), ("sums of y f", moved(norm)))


def _by_log(asked: TableRegression, source: Records, say: Say | None) -> Regression:
    """DD-SSP and models of rows: tables of counts by AIM or MST, and everything else from their log."""
    records = read_records(source)
    log = _log(asked, records, say)
    fit = fit_release(log, asked.features, asked.wish, say=say)
    squared = 1 if not log.n_is_public else 2
    moved = l2_sensitivity(squared=squared, adjacency=asked.adjacency, n_is_public=log.n_is_public)
    return _made(
        asked,
        fit,
        size=log.stated_size,
        n=len(records),
        moved=(("each table of counts that is measured, or that scores a choice", moved),),
        release=log,
    )


def _log(asked: TableRegression, records: Codes | Records, say: Say | None) -> MarginalLog:
    from mechanisms.synth.make import TableRequest
    from mechanisms.synth.make_by_log import plan_method

    wish = asked.wish
    mechanism = ROWS.get(wish.method) or wish.choice("marginals")
    whole = (option.name for option in LOG_OPTIONS)
    settings: dict[str, Any] = {name: int(wish.numbers[name]) for name in whole if name in wish.numbers}
    if mechanism == AIM:
        settings["degree"] = min(int(wish.number("degree")), len(asked.features.schema.columns))
        settings["most_codes"], settings["kept_whole"] = int(wish.number("most_codes")), (asked.features.label,)
    request = TableRequest(
        adjacency=asked.adjacency,
        least_size=asked.least_size,
        epsilon=asked.epsilon,
        dp_delta=asked.dp_delta,
        failure=Fraction(1, 20),
        randomness=asked.randomness,
        settings=settings,
    )
    size = public_size(records, asked.adjacency, asked.least_size)
    public = Public(schema=asked.features.schema, adjacency=asked.adjacency, size=size)
    plan, run = plan_method(mechanism, public, request, ())
    return run(records, plan, asked.randomness, say=say)


def _objective_perturbation(asked: TableRegression, source: Records, _: Say | None) -> Regression:
    from mechanisms.regression.objective_perturbation import (
        plan_objective_perturbation,
        run_objective_perturbation,
    )

    edition: Any = asked.wish.choice("edition")
    plan = plan_objective_perturbation(
        asked.features,
        adjacency=asked.adjacency,
        epsilon=asked.epsilon,
        dp_delta=asked.dp_delta,
        edition=edition,
    )
    found, _ledger = run_objective_perturbation(plan, source, Ledger.of(plan.cost), randomness=asked.randomness)
    model = Model(
        feature_map=asked.features,
        coefficients=found.coefficients,
        loss=asked.wish.loss,
        made=f"by synthbounds regress, method {asked.wish.method}",
    )
    facts = (
        ("Objective", f"a linear term of deviation {float(plan.sigma):.6g}, a ridge of {float(plan.strength):.6g}"),
        ("Minimum", f"certified, rounded to {plan.decimals} decimals"),
    )
    fit = Fit(coefficients=model_floats(model), tau=None, facts=facts)
    size = asked.least_size
    assert size is not None
    moved = (("the linear term of the objective", plan.sensitivity),)
    return _made(asked, fit, size=size, n=source.n, moved=moved, model=model)


def model_floats(model: Model) -> Any:
    import numpy as np

    return np.array([float(c) for c in model.coefficients])


def _stochastic(asked: TableRegression, source: Records, _: Say | None) -> Regression:
    """DP-SGD, with settings given by the user, fixed by public facts, or chosen on a part of the records."""
    from mechanisms.regression.stochastic_gradient import plan_stochastic, run_stochastic
    from mechanisms.regression.tuned_gradient import run_tuned

    wish = asked.wish
    assert asked.least_size is not None
    settings: dict[str, Any] = {"clip": float(wish.number("clip")), "epochs": int(wish.number("epochs"))}
    settings |= {"rate": float(wish.numbers["rate"])} if "rate" in wish.numbers else {}
    settings |= {"batch": int(wish.numbers["batch"])} if "batch" in wish.numbers else {}
    loss: Any = wish.loss
    plan = plan_stochastic(
        asked.features, size=asked.least_size, epsilon=asked.epsilon, dp_delta=asked.dp_delta, loss=loss, **settings
    )
    records = hold_records(source)
    if wish.tune:
        tuned = run_tuned(records, [replace(plan, rate=plan.rate * times) for times in TUNED], asked.randomness)
        fit, chosen = tuned.fit, f"; the rate is the best of {len(TUNED)}, chosen on a fifth of the records"
    else:
        fit, chosen = run_stochastic(records, plan, asked.randomness), ""
    facts = (
        (
            "Descent",
            f"{fit.plan.steps} steps on about {fit.plan.batch:,} records, gradients no longer than {fit.plan.clip:g}, "
            f"rate {fit.plan.rate:.4g}{chosen}",
        ),
        ("Accounting", f"noise of {fit.plan.noise_multiplier_est:.4g} times that length, by an accountant in floats"),
    )
    squared = wish.number("clip") ** 2
    moved = l2_sensitivity(squared=squared, adjacency=asked.adjacency, n_is_public=False)
    made = Fit(coefficients=fit.coefficients, tau=None, facts=facts)
    parts = (("the sum of clipped gradients of a step", moved),)
    return _made(asked, made, size=asked.least_size, n=len(records), moved=parts)


RUN: dict[str, Callable[[TableRegression, Records, Say | None], Regression]] = {
    SSP_EDGE: _by_sums,
    SSP: _by_sums,
    ADASSP: _adassp,
    DD_SSP: _by_log,
    AIM_SYNTH: _by_log,
    MST_SYNTH: _by_log,
    OBJPERT: _objective_perturbation,
    DP_SGD: _stochastic,
}
