"""One formula, every arithmetic: each term of each edition agrees on balls, mpmath, sympy and numpy."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from bounds.arithmetic.multiprecision import MULTIPRECISION, to_mpf
from bounds.arithmetic.symbolic import SYMBOLIC
from bounds.arithmetic.vector import VECTOR
from bounds.errors import NotApplicable
from bounds.model import Edition, Formula, Route, Theorem
from bounds.quantities import Choices, Quantities
from bounds.registry import all_theorems
from bounds.sizes.routes import enclose_formula, run_route
from bounds.sizes.setting import build_setting
from tests.speeds import in_both, some

mpmath.mp.dps = 60
POINTS = some(8, of=4)
SYMBOLIC_POINTS = some(2, of=2)

CASES = [
    pytest.param(theorem, edition, route, id=f"{theorem.id}-{edition.name}-{route.name}")
    for theorem in all_theorems().values()
    for edition in theorem.editions
    for route in edition.routes
]


def _random_decimal(rng: random.Random, low: str, high: str) -> Fraction:
    return Fraction(rng.randint(int(Fraction(low) * 10**4), int(Fraction(high) * 10**4)), 10**4)


def _release_values(theorem: Theorem, edition: Edition, route: Route, rng: random.Random) -> tuple[Any, Choices]:
    p = rng.randint(2, 5)
    family = rng.choice(("monomials", "parities", "cells"))
    question: dict[str, Any] = {
        "p": p,
        "degree": rng.randint(1, 2),
        "family": family,
        "epsilon": _random_decimal(rng, "0.05", "2"),
        "delta": _random_decimal(rng, "0.02", "0.06"),
        "gamma": _random_decimal(rng, "0.01", "0.24"),
        "dp_delta": Fraction(1, rng.randint(10**3, 10**7)),
    }
    continuous = theorem.measure == "kde"
    if "L" in theorem.inputs:
        question |= {"tau": _random_decimal(rng, "0.2", "1"), "lipschitz": _random_decimal(rng, "0.1", "5")}
    if not continuous:
        if family != "parities":
            question["t"] = rng.randint(2, 3)
        size = question.get("t", 2) ** p
        if theorem.id.endswith(".histogram"):
            question |= {"tau1": Fraction(1, 2 * size), "tau2": Fraction(2, size)}
    if theorem.measure == "custom":
        question["kappa"] = _random_decimal(rng, "1", "9")
    setting = build_setting(continuous=continuous, **question)
    outcome = run_route(theorem, edition, route, setting)
    return dict(outcome.values), outcome.choices


_HELPERS: dict[str, tuple[str, str]] = {
    "sigma": ("0.1", "5"),
    "tv": ("0.01", "0.2"),
    "tv2": ("0.01", "0.2"),
    "beta": ("0.3", "0.7"),
    "beta2": ("0.3", "0.7"),
    "p_min": ("0.1", "0.4"),
    "q_min": ("0.3", "0.4"),
    "gap": ("0.01", "0.2"),
    "D_first": ("0", "3"),
    "D_second": ("0", "3"),
    "alpha": ("1.1", "6"),
    "deviation": ("0.9", "2"),
    "gamma": ("0.01", "0.24"),
    "delta": ("0.02", "0.06"),
    "epsilon": ("0.05", "2"),
    "observed": ("0", "1"),
    "K": ("1", "9"),
    "rho": ("1.1", "9"),
    "omega": ("0.1", "3"),
    "slope": ("0.1", "5"),
    "curvature": ("0.1", "5"),
    "norm": ("0.1", "5"),
    "width": ("0.1", "9"),
    "left": ("0.1", "4"),
    "right": ("1", "4"),
    "radius": ("0.5", "6"),
    "failure": ("0.001", "0.2"),
    "marginal_error": ("0.001", "0.5"),
    "at_zero": ("0", "2"),
    "oscillation": ("0.001", "1"),
    "coefficient_cost": ("0.1", "3"),
    "derivative_error": ("0.001", "2"),
    "convexity": ("0.3", "1"),
    "tilt": ("0.01", "0.14"),
    "linear_cost": ("0.1", "2"),
    "quadratic_cost": ("0.01", "2"),
    "split": ("0", "0.9"),
    "bias_error": ("0.001", "0.1"),
    "second_moment": ("0.1", "1"),
    "log_n": ("9000", "20000"),
    "query_constant": ("0.8", "3"),
    "margin": ("0.01", "0.9"),
    "error_rate": ("0.05", "0.9"),
    "zcdp": ("0.001", "3"),
    "weight": ("0.5", "9"),
    "selected_weight": ("0.5", "9"),
    "largest_weight": ("9", "12"),
    "residual": ("0", "900"),
    "noise_deviations": ("0.5", "5"),
    "choice_exponent": ("0.1", "9"),
    "class_norm": ("1", "9"),
    "model_norm": ("0.5", "9"),
    "model_score": ("0.2", "9"),
    "noisy_excess": ("0", "0.1"),
    "ridge": ("0.001", "0.5"),
    "multiplier": ("0", "0.5"),
    "fenchel_gap": ("0", "0.1"),
    "gradient_residual": ("0", "0.3"),
    "gradient_along": ("0.01", "0.2"),
    "gradient_across": ("0.01", "0.2"),
    "polynomial_mean": ("0", "0.2"),
    "first_radius": ("0.001", "0.1"),
    "second_radius": ("0.001", "0.1"),
    "label_norm": ("0.1", "5"),
    "label_scale": ("0.1", "5"),
    "absolute_form": ("0.1", "5"),
    "linear_norm": ("0.01", "0.5"),
    "least_curvature": ("0.01", "0.2"),
    "first_weight": ("0.1", "5"),
    "fourth_weight": ("0.1", "3"),
    "share": ("0.5", "0.75"),
    "proportion": ("0.05", "0.95"),
    "inverse_shares": ("4", "90"),
    "grid_error": ("0.1", "0.5"),
    "true_gap": ("0.01", "1"),
    "noisy_gap": ("600", "900"),
    "true_least": ("600", "900"),
    "noisy_least": ("600", "900"),
    "true_norm": ("0", "9"),
    "noisy_norm": ("0", "9"),
    "column_norm": ("0.1", "9"),
    "first_sd": ("0.1", "5"),
}


_SMALL_COUNTS = {"order": (2, 5), "features": (5, 40), "levels": (2, 4)}


def _helper_values(theorem: Theorem, route: Route, rng: random.Random) -> tuple[Any, Choices]:
    values: dict[str, Fraction] = {}
    for name in (*theorem.inputs, *route.inputs):
        if name in _HELPERS:
            values[name] = _random_decimal(rng, *_HELPERS[name])
        elif name in _SMALL_COUNTS:
            values[name] = Fraction(rng.randint(*_SMALL_COUNTS[name]))
        elif name == "dp_delta":
            values[name] = Fraction(1, rng.randint(10**3, 10**7))
        elif name == "n":
            values[name] = Fraction(rng.randint(100, 10**4))
        else:
            values[name] = Fraction(rng.randint(2, 60))
    values.setdefault("m", Fraction(rng.randint(100, 5000)))
    values.setdefault("Delta_2_squared", Fraction(rng.randint(2, 60)))
    return values, Choices()


def _formulas(route: Route, choices: Choices) -> list[tuple[str, Formula]]:
    used = (*choices.mechanisms, *choices.rows)
    derived = [(d.name, d.formula) for d in route.derived if not d.needs or d.needs in used]
    promise = route.promise
    promised = (
        []
        if promise is None
        else [("accuracy", promise.accuracy), ("failure", promise.failure), ("privacy", promise.privacy)]
    )
    return [(t.name, t.formula) for t in route.terms] + derived + promised


def _points(theorem: Theorem, edition: Edition, route: Route) -> list[tuple[Any, Choices]]:
    rng = random.Random(f"{theorem.id}/{edition.name}/{route.name}")
    found: list[tuple[Any, Choices]] = []
    for _ in range(100):
        try:
            point = (
                _helper_values(theorem, route, rng)
                if theorem.direction == "value"
                else _release_values(theorem, edition, route, rng)
            )
        except NotApplicable:
            continue
        found.append(point)
        if len(found) == POINTS:
            return found
    raise AssertionError(f"no admissible point found for {theorem.id} {edition.name} {route.name}")


@pytest.mark.share(3)
@in_both
@pytest.mark.parametrize(("theorem", "edition", "route"), CASES)
def test_every_formula_agrees_in_every_arithmetic(theorem: Theorem, edition: Edition, route: Route) -> None:
    for number, (values, choices) in enumerate(_points(theorem, edition, route)):
        high = {name: to_mpf(v) for name, v in values.items()}
        floats = {name: np.float64(float(v)) for name, v in values.items()}
        exact = {name: sympy.Rational(v.numerator, v.denominator) for name, v in values.items()}
        for name, formula in _formulas(route, choices):
            ball = enclose_formula(formula, route.derived, values, choices)
            reference = mpmath.mpf(formula(Quantities(MULTIPRECISION, high, route.derived, choices), MULTIPRECISION))
            slack = abs(reference) * mpmath.mpf(10) ** -45 + mpmath.mpf(10) ** -45
            assert to_mpf(ball.lo) - slack <= reference <= to_mpf(ball.hi) + slack, name
            estimate = float(formula(Quantities(VECTOR, floats, route.derived, choices), VECTOR))
            assert estimate == pytest.approx(float(reference), rel=1e-6, abs=1e-9), name
            if number < SYMBOLIC_POINTS:  # sympy is slow; two points of its own suffice beside the other arithmetics
                symbolic = _symbolic_value(formula, route, choices, exact)
                assert abs(symbolic - reference) <= slack * 10**10, name


def _symbolic_value(formula: Formula, route: Route, choices: Choices, exact: dict[str, Any]) -> Any:
    """Build the expression from symbols, with derived quantities expanded, and only then put numbers in."""
    table = {name: sympy.Symbol(name, positive=True) for name in exact}
    expression = sympy.sympify(formula(Quantities(SYMBOLIC, table, route.derived, choices), SYMBOLIC))
    value = expression.xreplace({table[name]: number for name, number in exact.items()})
    return mpmath.mpf(str(sympy.re(value.evalf(60))))
