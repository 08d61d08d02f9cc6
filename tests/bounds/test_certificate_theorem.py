"""The bound of a model certificate is the one that its proof page states, computed again in exact rationals."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from flint import fmpq_mat

import synthbounds as sb
from bounds.certify.problem import Ball, Compared, KnownMoments, Matrix, Problem, Vector, dot
from bounds.certify.shape import DIRECTION, ONE, OTHER, SCORE, Shape
from bounds.certify.value import Multipliers, bound
from bounds.enclosure import as_fmpq, as_fraction
from bounds.exact import root_at_least
from verify.claims.synthbounds_certificates import corner_bounds, squared_gap

SIZE = 3
P = 5


def _number(rng: random.Random) -> Fraction:
    return Fraction(rng.randint(-40, 40), 37)


def _vector(rng: random.Random, size: int = SIZE) -> Vector:
    return tuple(_number(rng) for _ in range(size))


def _symmetric(rng: random.Random, size: int) -> Matrix:
    rows = [[_number(rng) for _ in range(size)] for _ in range(size)]
    return tuple(tuple(rows[min(i, j)][max(i, j)] for j in range(size)) for i in range(size))


def _above(form: Matrix) -> Matrix:
    """A form above both signs of another, by dominance of its diagonal, with entries off the diagonal, too."""
    size = len(form)
    extra = [[Fraction(1, 3 + i + j) for j in range(size)] for i in range(size)]
    sums = [sum(map(abs, row), Fraction(0)) + sum(extra[i], Fraction(0)) for i, row in enumerate(form)]
    return tuple(tuple(sums[i] if i == j else extra[i][j] for j in range(size)) for i in range(size))


def _times(matrix: Matrix, vector: Vector) -> Vector:
    return tuple(dot(row, vector) for row in matrix)


def _case(seed: int, kind: str) -> tuple[Problem, Shape, Multipliers]:
    rng = random.Random(seed)
    directed, weighted = kind == "direction", kind == "weighted"
    known = KnownMoments(
        first=_vector(rng),
        second=tuple(
            tuple(x + (5 if i == j == SIZE - 1 else 0) for j, x in enumerate(row))
            for i, row in enumerate(_symmetric(rng, SIZE))
        ),
        first_radius=Fraction(1, 7),
        second_radius=Fraction(1, 11),
        failure=Fraction(1, 20),
        squared_norm=P,
        size_is_exact=kind != "private size",
        weighted=_symmetric(rng, SIZE) if weighted else None,
        weighted_radius=Fraction(1, 13) if weighted else Fraction(0),
    )
    balls = (
        Ball(part="slopes", around_model=True, squared_radius=Fraction(3)),
        Ball(part="intercept", around_model=False, squared_radius=Fraction(2)),
        Ball(part="all", around_model=False, squared_radius=Fraction(7)),
    )
    problem = Problem(
        known=known,
        model=_vector(rng),
        loss="logistic",
        compared=Compared(balls=balls, reach=Fraction(4), ridge=Fraction(2, 3), ridge_part="slopes"),
        scores=(Fraction(-4), Fraction(4)),
        direction=_vector(rng) if directed else None,
        directions=(Fraction(-9), Fraction(9)) if directed else None,
    )
    size = 4 if directed else 3
    forms = [_symmetric(rng, size) for _ in range(2 if weighted else 1)]
    shape = Shape(_number(rng), _vector(rng, size), forms[0], forms[1] if weighted else None)
    multipliers = Multipliers(
        tuple(_above(form) for form in forms), Fraction(3, 2), (Fraction(40), Fraction(60), Fraction(50))
    )
    return problem, shape, multipliers


def _stated(problem: Problem, shape: Shape, multipliers: Multipliers, excess: Fraction, mass: Fraction) -> Fraction:
    """X of part (a), with moments and radii divided by `mass`."""
    known, w, s = problem.known, problem.model, multipliers.label_scale
    fixed = {ONE: (Fraction(0), Fraction(0), Fraction(1)), SCORE: w}
    if problem.direction is not None:
        fixed[DIRECTION] = problem.direction
    m1, k1 = tuple(x / mass for x in known.first), known.first_radius / mass
    alpha = shape.label
    a = tuple(sum((alpha[i] * b[k] for i, b in fixed.items()), Fraction(0)) for k in range(SIZE))
    slopes = range(SIZE - 1)
    c = shape.constant + dot(a, m1) + k1 / 2 * (dot(a, a) / s + s)
    c += problem.compared.ridge / 2 * sum(w[k] ** 2 for k in slopes)
    line = [alpha[OTHER] / 2 * m1[k] + k1 * alpha[OTHER] / (2 * s) * a[k] for k in range(SIZE)]
    curve = [[Fraction(0)] * SIZE for _ in range(SIZE)]
    for k in range(SIZE):
        curve[k][k] -= k1 * alpha[OTHER] ** 2 / (2 * s)
        curve[k][k] += problem.compared.ridge / 2 if k in slopes else 0
    for (matrix, radius), g, h in zip(problem.forms(), shape.forms(), multipliers.absolute, strict=True):
        scaled: Matrix = tuple(tuple(x / mass for x in row) for row in matrix)
        k2 = radius / mass
        for (i, b), (j, d) in product(fixed.items(), repeat=2):
            c += g[i][j] * dot(b, _times(scaled, d)) + k2 * h[i][j] * dot(b, d)
        for i, b in fixed.items():
            image = _times(scaled, b)
            for k in range(SIZE):
                line[k] += g[i][OTHER] * image[k] + k2 * h[i][OTHER] * b[k]
        for k, j in product(range(SIZE), repeat=2):
            curve[k][j] -= g[OTHER][OTHER] * scaled[k][j] + (k2 * h[OTHER][OTHER] if k == j else 0)
    parts = {"slopes": slopes, "intercept": range(SIZE - 1, SIZE), "all": range(SIZE)}
    for ball, mu in zip(problem.compared.balls, multipliers.balls, strict=True):
        c += mu * ball.squared_radius
        for k in parts[ball.part]:
            centre = w[k] if ball.around_model else Fraction(0)
            curve[k][k] += mu
            line[k] += mu * centre
            c -= mu * centre**2
    column = fmpq_mat(SIZE, 1, [as_fmpq(x) for x in line])
    solved = fmpq_mat(SIZE, SIZE, [as_fmpq(x) for row in curve for x in row]).solve(column)
    return excess + c + sum((line[k] * as_fraction(solved[k, 0]) for k in range(SIZE)), Fraction(0))


@pytest.mark.parametrize("kind", ["plain", "direction", "weighted", "private size"])
@pytest.mark.parametrize("seed", range(6))
def test_the_bound_is_the_stated_one(kind: str, seed: int) -> None:
    problem, shape, multipliers = _case(seed, kind)
    excess = Fraction(1, 9)
    found = bound(problem, shape, multipliers, excess).value
    ends = problem.known.mass()
    assert (ends[0] < ends[1]) == (kind == "private size")
    stated = max(_stated(problem, shape, multipliers, excess, mass) for mass in ends)
    assert found.contains(stated)
    assert found.hi - found.lo < Fraction(1, 10**25)


@pytest.mark.parametrize(("h", "kappa"), [("0.2", "0.05"), ("0.2", "0.5"), ("0.1", "-0.3")])
def test_the_closed_form_is_the_least_over_multipliers(h: str, kappa: str) -> None:
    asked: dict[str, Any] = {
        "polynomial_mean": 0,
        "first_radius": 0,
        "label_norm": 1,
        "label_scale": 1,
        "second_radius": 0,
    }
    row = sb.evaluate("synthbounds.model-certificate", **asked, absolute_form=1, class_norm=2, linear_norm=h,
                      least_curvature=kappa)[0]  # fmt: skip
    slope, curvature = Fraction(h), Fraction(kappa)
    grid = [Fraction(k, 1000) for k in range(2000) if Fraction(k, 1000) + curvature > 0]
    least = min(4 * mu + slope**2 / (curvature + mu) for mu in grid)
    assert row.value is not None
    assert row.value.lo <= least + Fraction(1, 10**15)
    assert least - row.value.hi < Fraction(1, 1000)


@pytest.mark.parametrize("seed", range(4))
def test_the_theorem_is_the_bound_where_curvature_is_the_same_in_all_directions(seed: int) -> None:
    """One ball, second moments a multiple of the unit matrix, the best multiplier: nothing is lost to norms then."""
    problem, shape, given = _case(seed, "plain")
    unit: Matrix = tuple(tuple(Fraction(5 * (i == j)) for j in range(SIZE)) for i in range(SIZE))
    ball = Ball(part="all", around_model=False, squared_radius=Fraction(4))
    known = replace(problem.known, second=unit)
    problem = replace(problem, known=known, compared=Compared(balls=(ball,), reach=Fraction(4)))
    fixed = {ONE: (Fraction(0), Fraction(0), Fraction(1)), SCORE: problem.model}
    (g,), (h,), alpha, s = shape.forms(), given.absolute, shape.label, given.label_scale
    k1, k2 = known.first_radius, known.second_radius
    a = tuple(sum((alpha[i] * b[k] for i, b in fixed.items()), Fraction(0)) for k in range(SIZE))
    line = [
        alpha[OTHER] / 2 * (known.first[k] + k1 / s * a[k])
        + sum((5 * g[i][OTHER] + k2 * h[i][OTHER]) * b[k] for i, b in fixed.items())
        for k in range(SIZE)
    ]
    pairs = [(i, j, dot(b, d)) for (i, b), (j, d) in product(fixed.items(), repeat=2)]
    curvature = -k1 * alpha[OTHER] ** 2 / (2 * s) - 5 * g[OTHER][OTHER] - k2 * h[OTHER][OTHER]
    norm = root_at_least(sum((x * x for x in line), Fraction(0)), 40)
    multiplier = max(norm / 2 - curvature, Fraction(0))
    excess = Fraction(1, 9)
    found = bound(problem, shape, replace(given, balls=(multiplier,)), excess).value
    row = sb.evaluate(
        "synthbounds.model-certificate",
        polynomial_mean=excess + shape.constant + dot(a, known.first) + sum(5 * g[i][j] * x for i, j, x in pairs),
        first_radius=k1,
        label_norm=root_at_least(dot(a, a), 40),
        label_scale=s,
        second_radius=k2,
        absolute_form=sum((h[i][j] * x for i, j, x in pairs), Fraction(0)),
        linear_norm=norm,
        least_curvature=curvature,
        class_norm=2,
    )[0]
    assert row.value is not None
    assert abs(found.midpoint - row.value.midpoint) < Fraction(1, 10**15)


def test_numbers_of_the_small_table() -> None:
    assert squared_gap((Fraction(1, 3), Fraction(1, 7))) == Fraction(157, 4410)
    model, radius = (Fraction(2, 5), Fraction(-1, 10)), Fraction(1, 100)
    bounds = corner_bounds(model, radius, radius)
    assert len(bounds) == 120
    assert float(min(bounds)) == pytest.approx(0.0071046, abs=1e-6)
    assert float(squared_gap(model)) == pytest.approx(0.0069048, abs=1e-6)
