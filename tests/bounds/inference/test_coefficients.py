"""Certified ends of coefficients: on adversarial tables, against an exact answer, and with parts of them removed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.certify import excess
from bounds.certify.classes import FREE, ModelClass
from bounds.certify.end_programme import EndProgramme
from bounds.certify.envelope import Scores
from bounds.certify.loss_balls import LossOnBalls
from bounds.certify.problem import HalfSpace, KnownMoments, Problem
from bounds.certify.search import search
from bounds.certify.value import admissible, bound
from bounds.errors import NotApplicable, NotCertified, ParameterError
from bounds.inference.coefficients import CoefficientEnd, CoefficientEnds, class_end, require_member
from mechanisms.models.splits import splits
from tests.mechanisms.test_model_certificate_holds import ROUNDING, Case, case
from tests.speeds import examples
from verify.certificate_attacks import worst_table
from verify.certificate_values import floats, quadratic, worst_model

seeds = st.integers(0, 2**32 - 1)


def near_the_best(asked: Case, share: float = 0.9) -> Case:
    """The same question about a model that is nearly the best of its class, so that ends say something."""
    best = asked.best(asked.weights, np.zeros(asked.known.dimension))
    model = share * best + (1 - share) * floats(asked.model)
    return replace(asked, model=tuple(Fraction(round(x * 2**30), 2**30) for x in asked.inside(model * 0.999).tolist()))


def ends_of(asked: Case, *, tried: int = 0) -> CoefficientEnds:
    features = asked.arena.feature_map
    told_apart = splits(features, asked.model) if tried else ()
    scores = features.margin_range(asked.model)
    return CoefficientEnds(asked.known, asked.model, asked.compared_with, scores, splits=told_apart, tried=tried)


def require_end_holds(asked: Case, found: CoefficientEnd) -> None:
    """The best model of the class is beyond the end, on the table itself and on tables chosen against the proof."""
    zero = np.zeros(asked.known.dimension)
    start, tables = zero, [asked.weights]
    if found.found is not None:
        proof = found.at(found.end)
        assert proof.value < 0
        start = asked.inside(worst_model(proof))
        exact = tuple(Fraction(x) for x in start.tolist())
        problem = replace(proof.problem, known=asked.known)
        tables.append(worst_table(asked.arena, problem, exact, asked.weights, mass=asked.mass))
    for weights in tables:
        tried = [asked.best(weights, s) for s in (zero, start, floats(asked.model))]
        best = min(tried, key=lambda v: asked.objective(v, weights))
        here = asked.objective(asked.model, weights)
        for v in (*tried, start):
            if found.sign * (v[found.feature] - float(found.end)) < -ROUNDING:
                assert asked.objective(v, weights) > here - ROUNDING
        assert found.sign * (best[found.feature] - float(found.end)) > -1e-6  # what the minimiser is found within


def require_all_hold(asked: Case, *, tried: int = 0) -> int:
    """How many ends of the first coefficient and the intercept were proved by something."""
    ends, proved = ends_of(asked, tried=tried), 0
    for feature in (0, asked.known.dimension - 1):
        for sign in (1, -1):
            found = ends.end(feature, sign)
            own = float(asked.model[feature])
            assert found.sign * (own - float(found.end)) > -ROUNDING  # the model may be the best itself
            proved += found.found is not None
            require_end_holds(asked, found)
    return proved


@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared", "squared-hinge"])
@given(seed=seeds)
@examples(4, of=2)
def test_ends_hold_within_a_norm(loss: str, seed: int) -> None:
    require_all_hold(near_the_best(case(seed, loss, largest=0.003)))


@given(seed=seeds)
@examples(4, of=2)
def test_ends_hold_where_records_are_told_apart(seed: int) -> None:
    require_all_hold(near_the_best(case(seed, largest=0.003)), tried=2)


@given(seed=seeds, tau=st.booleans())
@examples(4, of=2)
def test_ends_hold_with_a_penalty(seed: int, tau: bool) -> None:
    require_all_hold(near_the_best(case(seed, tau=Fraction(2) if tau else None, ridge=Fraction(1, 20), largest=0.003)))


@given(seed=seeds, loss=st.sampled_from(("logistic", "squared")), ridge=st.booleans())
@examples(4, of=2)
def test_ends_hold_for_a_free_intercept(seed: int, loss: str, ridge: bool) -> None:
    more: dict[str, Any] = {"tau": None, "ridge": Fraction(1, 2)} if ridge else {"tau": Fraction(1)}
    try:
        require_all_hold(near_the_best(case(seed, loss, intercept=FREE, largest=0.003, **more)))
    except NotApplicable:  # one label is too rare for the radii
        return


@given(seed=seeds, mass=st.sampled_from((Fraction(7, 10), Fraction(101, 100), Fraction(7, 5))), ridge=st.booleans())
@examples(4, of=2)
def test_ends_hold_where_the_number_of_records_is_private(seed: int, mass: Fraction, ridge: bool) -> None:
    require_all_hold(near_the_best(case(seed, ridge=Fraction(1, 2) if ridge else None, mass=mass, largest=0.003)))


def test_the_cases_prove_something() -> None:
    """Else the tests above would pass for ends that are those of the class."""
    assert require_all_hold(near_the_best(case(11, largest=0.003))) == 4


# an exact answer


EXACT = KnownMoments(
    first=(Fraction(1, 5), Fraction(-1, 10), Fraction(3, 10)),
    second=(
        (Fraction(1, 2), Fraction(1, 10), Fraction(1, 5)),
        (Fraction(1, 10), Fraction(2, 5), Fraction(0)),
        (Fraction(1, 5), Fraction(0), Fraction(1)),
    ),
    first_radius=Fraction(0),
    second_radius=Fraction(0),
    failure=Fraction(1, 20),
    squared_norm=3,
)
WIDE = ModelClass(loss="squared", tau=Fraction(20))
SCORES = (Fraction(-2), Fraction(2))


def ellipsoid(model: tuple[Fraction, ...], ridge: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Centre and half-widths of the models that are no worse than this one, for the squared loss without noise."""
    matrix, target = floats(EXACT.second) + ridge * np.eye(3), floats(EXACT.first)
    best = np.linalg.solve(matrix, target)
    away = floats(model) - best
    return best, np.sqrt(away @ matrix @ away * np.diag(np.linalg.inv(matrix)))


@pytest.mark.parametrize("ridge", [None, Fraction(1, 10)])
def test_without_noise_the_ends_of_the_squared_loss_are_those_of_an_ellipsoid(ridge: Fraction | None) -> None:
    """Half of the square of a score counts, so F(w) - F(v) is a form that is known exactly."""
    model = (Fraction(1, 2), Fraction(-1, 2), Fraction(1, 10))
    compared = replace(WIDE, ridge=ridge)
    centre, half_widths = ellipsoid(model, 0.0 if ridge is None else float(ridge) * EXACT.squared_norm)
    ends = CoefficientEnds(EXACT, model, compared, SCORES)
    for feature in range(3):
        for sign in (1, -1):
            exact = centre[feature] - sign * half_widths[feature]
            found = ends.end(feature, sign)
            assert sign * (exact - float(found.end)) >= -1e-12
            assert sign * (exact - float(found.end)) <= 0.02 * abs(float(model[feature]) - exact)


def test_signs_follow_from_the_ellipsoid() -> None:
    """Certain exactly where the ellipsoid is on one side, up to what the search leaves."""
    for model in (
        (Fraction(1, 2), Fraction(-1, 2), Fraction(1, 10)),
        (Fraction(3, 10), Fraction(-3, 10), Fraction(1, 4)),
    ):
        centre, half_widths = ellipsoid(model)
        ends = CoefficientEnds(EXACT, model, WIDE, SCORES)
        for feature in range(3):
            certain = [sign for sign in (1, -1) if ends.end(feature, sign).is_sign_certain]
            wanted = [s for s in (1, -1) if s * centre[feature] > half_widths[feature] * 1.02]
            assert certain == wanted


# the bound


def half_proof(asked: Case, feature: int = 0, sign: int = 1) -> excess.Certified:
    half = HalfSpace(feature=feature, sign=sign, threshold=Fraction(-1, 50))
    return excess.certified(replace(asked.problem, compared=replace(asked.problem.compared, half=half)))


@pytest.mark.parametrize("sign", [1, -1])
def test_the_bound_is_what_another_way_comes_to(sign: int) -> None:
    asked = near_the_best(case(11, largest=0.003))
    found = half_proof(asked, feature=1, sign=sign)
    assert found.multipliers.half > 0
    constant, linear, curvature = quadratic(found)
    assert float(found.value) == pytest.approx(constant + linear @ np.linalg.solve(curvature, linear), rel=1e-7)
    assert found.search.bound_est == pytest.approx(
        float(found.value), abs=0.02 * float(excess._size(found.problem, found.search))
    )


def test_the_bound_is_linear_in_the_threshold() -> None:
    ends = ends_of(near_the_best(case(11, largest=0.003)))
    for sign in (1, -1):
        found = ends.end(1, sign)
        assert found.found is not None
        slope = found.found.multipliers.half * sign
        for threshold in (Fraction(1, 3), Fraction(-1, 7), found.end):
            wanted = found.found.value + slope * threshold
            assert float(found.at(threshold).value) == pytest.approx(float(wanted), abs=1e-15)
        assert found.at(found.end).value < 0
        assert found.at(found.end + sign * Fraction(1, 10**6)).value > 0


def test_a_negative_multiplier_is_not_admissible() -> None:
    found = half_proof(near_the_best(case(11, largest=0.003)))
    assert admissible(found.shape, found.multipliers)
    assert not admissible(found.shape, replace(found.multipliers, half=Fraction(-1)))


def test_where_the_number_of_records_is_private_the_larger_one_decides() -> None:
    """A bound below 0 is nearest to 0 where the moments are divided by the largest mass."""
    asked = near_the_best(case(11, mass=Fraction(101, 100), largest=0.003))
    found = ends_of(asked).end(1, 1 if asked.model[1] > 0 else -1).found
    assert found is not None
    lo, hi = asked.known.mass()
    assert lo < 1.01 < hi
    programme = EndProgramme(found.problem)
    assert programme._mass() == float(hi)
    proof = replace(found.problem, known=asked.known)
    assert bound(proof, found.shape, found.multipliers, found.excess.upper).value.hi == found.value


def test_turned_to_axes_the_programme_is_the_same() -> None:
    """A coefficient is no axis, but its constraint is linear in any coordinates."""
    asked = near_the_best(case(11, largest=0.003))
    half = HalfSpace(feature=1, sign=1, threshold=Fraction(0))
    problem = replace(asked.problem, compared=replace(asked.problem.compared, half=half))
    scores = Scores.of(problem)
    loss = LossOnBalls(problem.loss, scores.largest())
    turned = search(problem, loss, scores, close=1e-4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EndProgramme, "_turn_to_axes", lambda _: False)
        plain = search(problem, loss, scores, close=1e-4)
    ends = [-found.bound_est / float(found.multipliers.half) for found in (turned, plain)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-3 * abs(ends[0] - float(asked.model[1])) + 1e-9)


def test_what_was_found_before_changes_no_verdict() -> None:
    """Places and the loss of another search save time: the end is the same up to what a search leaves."""
    asked = near_the_best(case(11, largest=0.003))
    warm, own = ends_of(asked).end(1, 1), float(asked.model[1])
    cold = half_proof(asked, feature=1)
    assert warm.found is not None
    end = -(float(cold.value) + float(cold.multipliers.half) / 50) / float(cold.multipliers.half)
    assert float(warm.end) == pytest.approx(end, abs=0.03 * abs(own - end))


# what the class says, and what is refused


def test_where_nothing_is_known_the_end_is_that_of_the_class() -> None:
    known = replace(EXACT, first_radius=Fraction(100), second_radius=Fraction(100))
    ends = CoefficientEnds(
        known, (Fraction(1, 2), Fraction(0), Fraction(0)), ModelClass(loss="logistic", tau=Fraction(3)), SCORES
    )
    for sign in (1, -1):
        found = ends.end(0, sign)
        assert float(-sign * found.end) == pytest.approx(3**0.5, rel=0.05)
        assert -sign * found.end >= Fraction("1.732050807568") or found.found is not None
        assert not found.is_sign_certain
    nothing = CoefficientEnd(feature=0, sign=1, end=Fraction(-2), found=None)
    with pytest.raises(NotCertified, match="no more about the coefficient than"):
        nothing.at(Fraction(0))


def test_the_class_bounds_every_coefficient() -> None:
    asked = case(11, intercept=FREE, tau=Fraction(1), largest=0.003)
    p, compared = asked.known.dimension, asked.problem.compared
    assert class_end(compared, 0, p) ** 2 >= Fraction(1, asked.known.squared_norm)
    assert float(class_end(compared, 0, p)) == pytest.approx(asked.known.squared_norm**-0.5, rel=1e-9)
    assert class_end(compared, p - 1, p) >= compared.reach - 1


def test_a_model_outside_its_class_proves_nothing() -> None:
    """It may be better than all of the class, and then every half of the class is worse than it."""
    outside = (Fraction(2), Fraction(0), Fraction(0))
    small = ModelClass(loss="squared", tau=Fraction(1))
    with pytest.raises(ParameterError, match=r"^tau = 1: .*at least the norm of the model.*3\.46"):
        CoefficientEnds(EXACT, outside, small, SCORES)
    require_member((Fraction(0), Fraction(0), Fraction(9)), replace(small, intercept=FREE), 3)


@pytest.mark.parametrize(
    ("feature", "sign", "match"),
    [(3, 1, "^feature = 3: .*from 0 to 2"), (-1, 1, "^feature = -1"), (0, 0, "^sign = 0: .*1 or -1")],
)
def test_a_half_space_is_of_a_coefficient(feature: int, sign: int, match: str) -> None:
    model = (Fraction(0),) * 3
    whole = CoefficientEnds(EXACT, model, WIDE, SCORES).whole

    def ask() -> Problem:
        half = HalfSpace(feature=feature, sign=sign, threshold=Fraction(0))
        return replace(whole, compared=replace(whole.compared, half=half))

    with pytest.raises(ParameterError, match=match):
        ask()
