"""Least squares from a private release of moments: every coefficient, all at once, R squared, and the population.

Nothing is spent: the release is asked, not the table. The set of all coefficients is certified; the interval of a
single one has an exact level, and its ends are found by search. Both hold for a formula that was chosen without looking
at the release; with a larger radius the set holds for all formulas at once.
Proof: docs/proofs/synthbounds.noisy-regression.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.errors import NotApplicable
from bounds.exact import require_range
from bounds.inference.linear_pivot import LinearPivot, joint_radius
from bounds.inference.linear_region import Bounded, Unbounded, surround
from bounds.inference.scales import scalings, signal
from mechanisms.infer.findings import Interval
from mechanisms.infer.noisy_matrix import NoisyMatrix, noisy_matrix
from mechanisms.infer.regression.answer import RegressionAnswer, Weakness
from mechanisms.infer.regression.any_formula import ANY_NOTE, radius_of_any
from mechanisms.infer.regression.design import Design, design_of
from mechanisms.infer.regression.equation import equations
from mechanisms.infer.regression.explained import explained_share
from mechanisms.infer.regression.float_pivot import FloatPivot
from mechanisms.infer.regression.one_by_one import Split, first_order, one_by_one, require_noise
from mechanisms.infer.regression.population import population_anyhow, population_intervals
from mechanisms.infer.regression.rounding import Rounding
from release.moments.file import MomentRelease
from release.statistics.features import FeatureMap

LARGEST = 200
"""Most coefficients of one regression."""
LEAST_LEVEL = Fraction(1, 2)
DEFAULT_LEVEL = Fraction(19, 20)


def coefficients_from_release(
    release: MomentRelease,
    formula: str,
    *,
    ridge: Fraction | None = None,
    any_formula: bool = False,
    level: Fraction = DEFAULT_LEVEL,
) -> RegressionAnswer:
    """The least squares coefficients of a formula on the table of a release, with a ridge as in `train` if given.

    With `any_formula` the level is that of all formulas and ridges together, even if chosen after seeing the release.
    """
    require_range("level", level, level, least=LEAST_LEVEL, below=1, reason="a probability")
    release.require_plausible_size()
    features, matrix = release.feature_map, noisy_matrix(release)
    added = Fraction(ridge or 0)
    require_range("ridge", added, added, least=0, reason="weight of half the squared norm")
    design = design_of(formula, features, matrix, keeps_all=added > 0)
    if len(design.places) > LARGEST:
        raise NotApplicable(f"formula: it has {len(design.places)} coefficients: at most {LARGEST} can be asked for")
    pivot = equations(matrix, response=design.response_place, regressors=design.places, ridge=added)
    floats = FloatPivot.of(pivot)
    require_noise(floats)
    of_any = radius_of_any(matrix, 1 - level) if any_formula else None
    joint, found = _joint(pivot, design, level, of_any)
    is_bounded = isinstance(found, Bounded)
    explained: tuple[Interval, ...] = ()
    if not added:
        explained = explained_share(matrix, design, pivot, level, is_bounded=is_bounded, radius=of_any)
    alone = _Alone() if any_formula else _alone(features, matrix, design, pivot, level, draws=not added)
    return RegressionAnswer(
        release=release,
        formula=design.formula,
        response=design.response,
        response_text=features.label_text if design.response == features.label else design.response,
        names=design.regressors,
        references=design.references,
        units=design.units,
        ridge=added,
        level=level,
        any_formula=any_formula,
        coefficients=alone.table,
        joint=joint,
        population=alone.population,
        population_anyhow=alone.anyhow,
        first_order=() if any_formula or not is_bounded else first_order(floats, level),
        explained=explained,
        weakness=None if isinstance(found, Bounded) else _weakness(matrix, design, pivot, found, added, level, of_any),
        signal=_signal(pivot),
        scale=float(matrix.squared_norm) ** 0.5,
        notes=design.notes,
    )


@dataclass(frozen=True)
class _Alone:
    """Intervals of single coefficients."""

    table: tuple[Interval, ...] = ()
    population: tuple[Interval, ...] = ()
    anyhow: tuple[Interval, ...] = ()


def _alone(
    features: FeatureMap, matrix: NoisyMatrix, design: Design, pivot: LinearPivot, level: Fraction, *, draws: bool
) -> _Alone:
    rounding = Rounding.of(matrix, response=design.response_place, regressors=design.places)
    split = Split.of(pivot, level, rounding.variation)
    is_bounded = isinstance(surround(pivot, joint_radius(pivot, split.set_failure)), Bounded)
    # with a single coefficient its set is the joint one, which needs no half steps
    floats = FloatPivot.of(pivot)
    shifted = floats if pivot.size == 1 else rounding.added(floats)
    table = one_by_one(shifted, design.regressors, split, level=level, about="table", is_bounded=is_bounded)
    if not draws:
        return _Alone(table)
    usual = population_intervals(matrix, design, pivot, split, level, is_bounded=is_bounded)
    return _Alone(table, usual, population_anyhow(matrix, design, features, pivot, split, level, is_bounded=is_bounded))


def _joint(
    pivot: LinearPivot, design: Design, level: Fraction, of_any: Fraction | None
) -> tuple[tuple[Interval, ...], Bounded | Unbounded]:
    found = surround(pivot, of_any or joint_radius(pivot, 1 - level))
    center = FloatPivot.of(pivot).solution
    note = "" if isinstance(found, Bounded) else "no bounds: the equations say too little about some combination"
    if of_any and not note:
        note = ANY_NOTE
    return tuple(
        Interval(
            name=f"{name}, all at once",
            about="table",
            kind="exact",
            level=level,
            estimate=float(center[j]),
            lo=found.lo[j] if isinstance(found, Bounded) else None,
            hi=found.hi[j] if isinstance(found, Bounded) else None,
            is_certified=True,
            simultaneous=True,
            note=note,
        )
        for j, name in enumerate(design.regressors)
    ), found


def _weakness(
    matrix: NoisyMatrix,
    design: Design,
    pivot: LinearPivot,
    found: Unbounded,
    ridge: Fraction,
    level: Fraction,
    of_any: Fraction | None,
) -> Weakness:
    return Weakness(
        direction=found.direction,
        is_proved=found.is_proved,
        signal=_signal(pivot),
        needed=float(of_any or joint_radius(pivot, 1 - level)),
        drop=_drops(matrix, design, found, ridge, level, of_any),
    )


def _drops(
    matrix: NoisyMatrix, design: Design, found: Unbounded, ridge: Fraction, level: Fraction, of_any: Fraction | None
) -> tuple[str, ...]:
    """Regressors without which the set is bounded: one after the other, the one that weighs most in the weakest
    direction. Only a suggestion, since it was found by looking at the release."""
    dropped: list[str] = []
    at: Bounded | Unbounded = found
    while isinstance(at, Unbounded):
        regular = [
            (abs(weight), name)
            for weight, name in zip(at.direction, design.regressors, strict=True)
            if name != matrix.names[matrix.intercept]
        ]
        if len(regular) < 2:
            return ()
        name = max(regular)[1]
        dropped.append(name)
        design = design.without(name)
        pivot = equations(matrix, response=design.response_place, regressors=design.places, ridge=ridge)
        at = surround(pivot, of_any or joint_radius(pivot, 1 - level))
    return tuple(dropped)


def _signal(pivot: LinearPivot) -> float:
    return max(signal(pivot, scales) for scales in scalings(pivot))
