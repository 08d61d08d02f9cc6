"""Coefficients of the requested model: from sums, by the loss itself or its surrogate, or from rows of a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable, UsageError
from bounds.exact import show_rational
from mechanisms.regression.ask import Wish
from mechanisms.regression.ddssp import DdsspPlan, ddssp, plan_ddssp, sums_to_solve
from mechanisms.regression.least_squares import public_ridge, raw_solution
from mechanisms.regression.parameters import LOGISTIC, POISSON, SSP
from mechanisms.regression.sums import Sums
from release.statistics.features import FeatureMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.pgm.from_log import HasRows
    from mechanisms.regression.even_moments import EvenMoments
    from release.log.file import MarginalLog

    Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """Coefficients in floats, intercept last; the bound on their norm; and how they were found."""

    coefficients: Floats
    tau: Fraction | None
    facts: tuple[tuple[str, str], ...]
    uses_fourth: bool = False
    """Whether moments of degree 4 were used: the model then depends on their noise."""


def plan_fit(features: FeatureMap, wish: Wish, *, of_tables: bool) -> DdsspPlan:
    """The problem to solve, or an error with the reason: from public facts, so before anything is spent."""
    if wish.method == SSP and wish.loss == POISSON:
        raise NotApplicable(
            f"loss = {POISSON}: not for {SSP}, which cannot keep scores where a quadratic stands for e^s"
        )
    if wish.method == SSP and wish.tau is not None:
        raise UsageError("tau is not for --method ssp, which does not bound the norm of its model")
    return plan_ddssp(
        features,
        loss=wish.loss,
        degree=int(wish.number("degree")),
        surrogate=wish.choice("surrogate"),
        reach=wish.numbers.get("reach"),
        tau=wish.tau,
        of_tables=of_tables,
    )


def fit_sums(sums: Sums, wish: Wish, moments: Callable[[int], EvenMoments] | None = None) -> Fit:
    """The model that the sums determine; `moments` gives those of a higher degree, if there are any."""
    plan = plan_fit(sums.feature_map, wish, of_tables=False)
    if wish.method == SSP:
        found = raw_solution(sums_to_solve(plan, sums))
        solved = ("Solved", "the noisy sums as they are, whatever their eigenvalues")
        return Fit(coefficients=found, tau=None, facts=(*_surrogate_fact(plan), solved))
    ridge = public_ridge(sums)
    higher = moments(plan.degree) if plan.degree > 2 and moments is not None else None
    found = ddssp(plan, sums, higher, ridge=ridge)
    held = f"{ridge:.6g}, on sums over about {sums.count:,.0f} records"
    if sums.gram_sd:
        held += f": the root mean square of the eigenvalues of their noise, of deviation {sums.gram_sd:.4g}"
    facts = (*_surrogate_fact(plan), ("Ridge", held))
    return Fit(coefficients=found, tau=plan.tau, facts=facts, uses_fourth=plan.degree > 2)


def _surrogate_fact(plan: DdsspPlan) -> tuple[tuple[str, str], ...]:
    if plan.surrogate is None:
        return ()
    found = plan.surrogate
    text = f"{found.kind} polynomial of degree {found.degree} for scores up to {float(found.reach):g} in size"
    found_facts = (("Surrogate", f"{text}, in place of the {plan.loss} loss"),)
    if plan.loss != POISSON or plan.tau is None:
        return found_facts
    ends = exp(-float(plan.tau)), exp(float(plan.tau))
    return (
        *found_facts,
        ("Rates", f"only from {ends[0]:.3g} to {ends[1]:.3g}, by the bound on the norm: it allows no others"),
    )


def fit_rows(log: MarginalLog, features: FeatureMap, wish: Wish, law: HasRows) -> Fit:
    """Minimise the loss itself, on as many rows of the model of a log as it has records."""
    from mechanisms.regression.trained_rows import SMALL, train_on_log

    found = train_on_log(log, features, loss=wish.loss, tau=wish.tau, law=law, seed=wish.seed)
    facts = [("Trained", f"on about {log.total_est:,.0f} synthetic rows, with the {wish.loss} loss itself")]
    if wish.tau is None and wish.loss == LOGISTIC:
        facts.append(("Ridge", f"{show_rational(SMALL)}/2 norm^2, added to the mean loss"))
    return Fit(coefficients=found, tau=wish.tau, facts=tuple(facts))


def scaled_by_surrogate(plan: DdsspPlan) -> float:
    """The factor that turns coefficients of least squares on y into those of the surrogate."""
    return 1.0 if plan.surrogate is None else plan.surrogate.factor
