"""What to expect of a regression before anything is spent: widths from public facts and one assumption.

The assumption: columns are independent with equally frequent values, and the regressors explain half of the response's
variance, all equally. The equations are then known, and the answer is computed from them with the noise that a release
would have. Real columns depend on each other, and say less.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from bounds.errors import NotApplicable, UsageError
from bounds.inference.linear_pivot import joint_radius
from bounds.privacy.adjacency import Adjacency
from bounds.shown import Shown
from mechanisms.infer.noisy_matrix import noisy_matrix
from mechanisms.infer.regression.ask import DEFAULT_LEVEL, coefficients_from_release
from mechanisms.infer.regression.design import Design, design_of
from mechanisms.infer.regression.equation import equations
from mechanisms.infer.regression.formula import parse_formula
from mechanisms.infer.regression.units import Unit
from release.data.schema import Schema
from release.moments.file import MomentRelease
from release.moments.make import MomentRequest
from release.moments.planned import MomentPlan
from release.parameters import DEFAULT_WEIGHT
from release.statistics.features import FeatureMap, choose_features

_SHARE = Fraction(1, 2)
"""The part of the response's variance that is assumed to be explained."""
_NUMBER_VARIANCE = Fraction(1, 3)
"""Variance of a numeric response, from -1 to 1 with all values equally frequent."""
_UNIT = 2**30


@dataclass(frozen=True, kw_only=True)
class PlannedCoefficient:
    """Half-widths to expect, estimates; None if the set would have no bounds."""

    name: str
    unit: Unit | None
    alone: float | None
    joint: float | None
    population: float | None
    without_privacy: float | None
    """Half-width for the population, from exact numbers."""


@dataclass(frozen=True, kw_only=True)
class RegressionPlan(Shown):
    """What a release of moments would say about a formula, from public facts and the assumption above."""

    formula: str
    response: str
    level: Fraction
    ridge: Fraction
    size: int
    n_is_public: bool
    coefficients: tuple[PlannedCoefficient, ...]
    signal: float
    """The least singular value of the equations in units of their noise, under the assumption."""
    needed: float
    """The value above which the set of all coefficients has bounds, whatever the columns are."""
    least_eigenvalue: float
    """What the least eigenvalue of the regressors' second moments must be for that, features from -1 to 1."""
    notes: tuple[str, ...]

    @property
    def is_bounded(self) -> bool:
        return all(found.joint is not None for found in self.coefficients)


def plan_coefficients(
    schema: Schema,
    formula: str,
    *,
    n: int | None = None,
    epsilon: Fraction,
    dp_delta: Fraction,
    adjacency: Adjacency | str,
    least_size: int | None = None,
    weight: Fraction = DEFAULT_WEIGHT,
    ridge: Fraction | None = None,
    one_hot: Iterable[str] = (),
    linear: Iterable[str] = (),
    by_value: Iterable[str] = (),
    reduced: Iterable[str] = (),
    level: Fraction = DEFAULT_LEVEL,
) -> RegressionPlan:
    """The plan for a release of moments whose label is the response; n is not used under add-remove."""
    label = _response(schema, formula)
    features = choose_features(schema, label=label, one_hot=one_hot, linear=linear, by_value=by_value, reduced=reduced)
    request = MomentRequest(
        features,
        epsilon=epsilon,
        dp_delta=dp_delta,
        adjacency=adjacency,
        mode="simulate",
        seed=0,
        n0=least_size,
        weight=weight,
    )
    if n is None and least_size is None:
        raise NotApplicable("replace-one makes the number of records public: give n")
    plan = request.plan(0 if n is None else n)
    supposed = _supposed(plan, formula, keeps_all=bool(ridge))
    answer = coefficients_from_release(supposed, formula, ridge=ridge, level=level)
    matrix = noisy_matrix(supposed)
    design = design_of(formula, features, matrix, keeps_all=bool(ridge))
    pivot = equations(matrix, response=design.response_place, regressors=design.places, ridge=Fraction(ridge or 0))
    needed = float(joint_radius(pivot, 1 - level))
    least = float(np.linalg.eigvalsh(np.array(pivot.matrix, dtype=float)).min())
    population = answer.population or (None,) * len(answer.names)
    return RegressionPlan(
        formula=answer.formula,
        response=answer.response_text,
        level=level,
        ridge=answer.ridge,
        size=plan.size,
        n_is_public=plan.size_is_exact,
        coefficients=tuple(
            PlannedCoefficient(
                name=name,
                unit=unit,
                alone=_half(alone.width),
                joint=_half(joint.width),
                population=None if drawn is None else _half(drawn.width),
                without_privacy=None if drawn is None else _half(drawn.width_without_privacy),
            )
            for name, unit, alone, joint, drawn in zip(
                answer.names, answer.units, answer.coefficients, answer.joint, population, strict=True
            )
        ),
        signal=answer.signal,
        needed=needed,
        least_eigenvalue=least * needed / answer.signal,
        notes=answer.notes,
    )


def _response(schema: Schema, formula: str) -> str:
    """The label of the release, a column."""
    indicators = (f"{column.name}={text}" for column in schema.columns for text in column.texts)
    response = parse_formula(formula, {*schema.names, *indicators}).response
    if response not in schema.names:
        raise UsageError(f"formula: {response}: a plan can explain only a column, the label of the planned release")
    return response


def _supposed(plan: MomentPlan, formula: str, *, keeps_all: bool) -> MomentRelease:
    """A release without noise, of a table as assumed."""
    features, p = plan.feature_map, plan.feature_map.size
    second = _second_moments(features)
    still = _release(plan, second, [Fraction(0)] * p)
    design = design_of(formula, features, noisy_matrix(still), keeps_all=keeps_all)
    coefficients = _coefficients(features, design, second)
    first = [sum((second[j][k] * coefficients[k] for k in range(p)), Fraction(0)) for j in range(p)]
    return _release(plan, second, first)


def _release(plan: MomentPlan, second: list[list[Fraction]], first: list[Fraction]) -> MomentRelease:
    features, n, p = plan.feature_map, plan.size, plan.feature_map.size
    unit = n * features.one
    return MomentRelease(
        feature_map=features,
        mode=plan.mode,
        ledger=plan.ledger,
        stated_size=plan.stated_size,
        weight=plan.weight,
        fourth_weight=None,
        seed=plan.seed,
        run=plan.run,
        first_sums=tuple(round(x * unit * features.label_one) for x in first),
        second_sums=tuple(tuple(round(second[j][k] * unit * features.one) for k in range(j, p)) for j in range(p)),
        fourth_sums=None,
    )


def _second_moments(features: FeatureMap) -> list[list[Fraction]]:
    """Second moments of independent columns whose values are equally frequent."""
    means: list[Fraction] = []
    blocks: list[tuple[int, list[list[Fraction]]]] = []
    one = features.one
    for block in features.blocks:
        width, count = len(block[0]), len(block)
        blocks.append(
            (
                len(means),
                [
                    [Fraction(sum(row[i] * row[k] for row in block), count * one**2) for k in range(width)]
                    for i in range(width)
                ],
            )
        )
        means += [Fraction(sum(row[i] for row in block), count * one) for i in range(width)]
    means.append(Fraction(1))
    found = [[a * b for b in means] for a in means]
    for start, inner in blocks:
        for i, row in enumerate(inner):
            for k, value in enumerate(row):
                found[start + i][start + k] = value
    return found


def _coefficients(features: FeatureMap, design: Design, second: list[list[Fraction]]) -> list[Fraction]:
    """Coefficients, equal in units of each regressor's deviation, that explain half of the variance; mean 0."""
    last = features.size - 1
    places = [place for place in design.places if place != last]
    spread = np.array(
        [[float(second[i][k] - second[i][last] * second[k][last]) for k in places] for i in places], dtype=float
    )
    raw = 1 / np.sqrt(np.maximum(np.diag(spread), 1e-9))
    variance = float(_SHARE * (_NUMBER_VARIANCE if features.label_is_number else 1))
    sized = raw * np.sqrt(variance / float(raw @ spread @ raw))
    found = [Fraction(0)] * features.size
    for place, value in zip(places, sized, strict=True):
        found[place] = Fraction(round(float(value) * _UNIT), _UNIT)
    if design.has_intercept:
        found[last] = -sum((found[place] * second[place][last] for place in places), Fraction(0))
    return found


def _half(width: float | None) -> float | None:
    return None if width is None else width / 2
