"""A regression from noisy moments that is small enough to follow by hand, and constants of private regression."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import log1p
from typing import Any

import numpy as np

from bounds.inference.linear_pivot import LinearPivot, joint_radius
from bounds.inference.linear_region import Bounded, surround
from bounds.inference.penalised_region import penalised_region
from bounds.privacy.gaussian import gaussian_epsilon, gaussian_noise
from bounds.privacy.statements import GaussianDP
from mechanisms.infer.regression.coefficient_search import search_coefficients
from mechanisms.infer.regression.float_pivot import FloatPivot
from mechanisms.infer.regression.one_by_one import Split, first_order
from mechanisms.infer.regression.penalised import solved, subgradient
from mechanisms.regression.objective_perturbation import ObjectivePlan, plan_objective_perturbation
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.statistics.features import build_feature_map

LEVEL = Fraction(19, 20)
PENALTY = (Fraction(1, 20), Fraction(0))


def small() -> LinearPivot:
    one = Fraction(1, 10**4)
    return LinearPivot(
        matrix=((Fraction(1, 5), Fraction(1, 20)), (Fraction(1, 20), Fraction(1))),
        right=(Fraction(1, 10), Fraction(1, 4)),
        variances=((one, one / 2), (one / 2, Fraction(0))),
        right_variances=(2 * one, 2 * one),
    )


def by_hand() -> list[Any]:
    """The solution, then intervals: simultaneous, single, by the first order, and with a penalty."""
    pivot = small()
    floats, radius = FloatPivot.of(pivot), joint_radius(pivot, 1 - LEVEL)
    around, split = surround(pivot, radius), Split.of(pivot, LEVEL)
    assert isinstance(around, Bounded)
    alone = search_coefficients(floats, places=np.arange(2), radius=split.radius, z=split.z)
    point = solved(floats, PENALTY)
    assert point is not None
    region = penalised_region(pivot, radius, point=point, subgradient=subgradient(pivot, point, PENALTY))
    assert region is not None
    return [
        list(map(float, floats.solution)),
        [(float(lo), float(hi)) for lo, hi in zip(around.lo, around.hi, strict=True)],
        [(float(lo), float(hi)) for lo, hi in zip(alone.lo, alone.hi, strict=True)],
        [(float(one.lo), float(one.hi)) for one in first_order(floats, LEVEL)],
        PENALTY[0],
        [(float(b - w), float(b + w)) for b, w in zip(point, region.widths, strict=True)],
    ]


# --- objective perturbation ----------------------------------------------------------------------------------------


@cache
def _plan(epsilon: str, edition: Any) -> ObjectivePlan:
    features = build_feature_map(schema_of_domain(Domain((2, 2, 2, 2))), label="x4")
    assert features.squared_norm == 4  # so that sigma over its root is a decimal, too
    return plan_objective_perturbation(
        features, adjacency="add-remove", epsilon=epsilon, dp_delta="1e-5", edition=edition
    )


def objective(epsilon: str) -> list[Any]:
    """Sigma and Delta as printed and sharp, in units of the root of P and of P."""
    both = [_plan(epsilon, edition) for edition in ("printed", "sharp")]
    return [epsilon, [float(plan.sigma / 2) for plan in both], [float(plan.delta / 4) for plan in both]]


def worth(epsilon: str) -> float:
    """The epsilon of (b) with the printed constants."""
    plan = _plan(epsilon, "printed")
    noise = gaussian_noise(sigma=plan.sigma, sensitivity=plan.sensitivity)
    assert isinstance(noise, GaussianDP)
    least = gaussian_epsilon(noise, dp_delta=plan.dp_delta).epsilon.hi
    return float(least) + log1p(float(plan.sensitivity.squared / (4 * plan.strength)))
