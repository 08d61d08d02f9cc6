"""Brute force against the theorems on excess risk: exact moments, and small data sets with their real minimisers."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

import synthbounds as sb

Record = tuple[Fraction, ...]
"""Features, then the label."""
VALUES = tuple(Fraction(v, 2) for v in (-2, -1, 0, 1, 2))


def marginal_distance(real: list[Record], synthetic: list[Record], order: int) -> Fraction:
    """Largest L1 distance of the tables of exactly `order` attributes, as shares."""
    largest = Fraction(0)
    for chosen in combinations(range(len(real[0])), order):
        tables = [Counter(tuple(r[i] for i in chosen) for r in data) for data in (real, synthetic)]
        cells = set(tables[0]) | set(tables[1])
        total = sum(
            (abs(Fraction(tables[0][c], len(real)) - Fraction(tables[1][c], len(synthetic))) for c in cells),
            Fraction(0),
        )
        largest = max(largest, total)
    return largest


def random_data(rng: random.Random, features: int, n: int, values: tuple[Fraction, ...]) -> list[Record]:
    labels = (Fraction(-1), Fraction(1))
    return [(*(rng.choice(values) for _ in range(features)), rng.choice(labels)) for _ in range(n)]


def altered(rng: random.Random, data: list[Record], values: tuple[Fraction, ...], n: int) -> list[Record]:
    """Another data set of n records, near the first."""
    kept = [rng.choice(data) if rng.random() < 0.2 else record for record in data][:n]
    while len(kept) < n:
        kept.append(rng.choice(data))
    for i in range(n):
        if rng.random() < 0.15:
            kept[i] = random_data(rng, len(data[0]) - 1, 1, values)[0]
    return kept


def test_the_polynomial_risk_moves_by_no_more_than_the_coefficients_cost() -> None:
    """|L'(w, D_r) - L'(w, D_s)| <= s sum_{k>=1} |a_k| |w|_1^k in exact rationals, also for unequal sizes."""
    rng = random.Random(20240601)
    largest, trials = Fraction(0), 0
    for _ in range(500):
        features, order = rng.randint(1, 3), rng.randint(2, 4)
        order = min(order, features + 1)
        values = rng.choice((VALUES, (Fraction(-1), Fraction(1))))
        real = random_data(rng, features, rng.randint(2, 7), values)
        synthetic = altered(rng, real, values, rng.choice((len(real), rng.randint(2, 8))))
        s = marginal_distance(real, synthetic, order)
        degree = 2 * (order // 2)
        polynomial = [Fraction(rng.randint(-9, 9), rng.randint(1, 5)) for _ in range(degree + 1)]
        weights = [Fraction(rng.randint(-6, 6), 4) for _ in range(features)]
        size = sum(map(abs, weights), Fraction(0))

        def risk(
            data: list[Record], polynomial: list[Fraction] = polynomial, weights: list[Fraction] = weights
        ) -> Fraction:
            margins = [sum((w * x for w, x in zip(weights, r, strict=False)), Fraction(0)) * r[-1] for r in data]
            return sum((sum(a * z**k for k, a in enumerate(polynomial)) for z in margins), Fraction(0)) / len(data)

        allowed = s * sum((abs(a) * size**k for k, a in enumerate(polynomial) if k), Fraction(0))
        moved = abs(risk(real) - risk(synthetic))
        assert moved <= allowed
        trials += 1
        if allowed:
            largest = max(largest, moved / allowed)
    print(f"{trials} exact problems, largest quotient {float(largest):.6f}")
    assert largest > Fraction(3, 4)


def test_marginals_of_order_d_do_not_carry_odd_degree_d() -> None:
    """Parity data agree in all marginals of 3 of 4 attributes and differ in the third power: D = 2 floor(d/2)."""
    signs = (Fraction(-1), Fraction(1))
    halves = [[r for r in product(signs, repeat=4) if r[0] * r[1] * r[2] * r[3] == sign] for sign in signs]
    assert marginal_distance(*halves, order=3) == 0
    cubes = [sum((sum(r[:3]) * r[3]) ** 3 for r in half) for half in halves]
    squares = [sum((sum(r[:3]) * r[3]) ** 2 for r in half) for half in halves]
    assert cubes[0] != cubes[1]
    assert squares[0] == squares[1]


def minimisers(data: np.ndarray, shares: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Minimisers of the mean logistic loss over |w|_2 <= tau, for many problems at once: accelerated projections.

    data has the vectors x y of every record, shape (problems, records, features).
    """
    problems, _, features = data.shape
    steps = 4 / np.maximum((shares[:, :, None] * data**2).sum(axis=(1, 2)), 1e-9)
    w = np.zeros((problems, features))
    ahead, momentum = w.copy(), 1.0
    for _ in range(4000):
        margins = np.einsum("pnf,pf->pn", data, ahead)
        slope = np.einsum("pn,pnf->pf", -shares / (1 + np.exp(margins)), data)
        moved = ahead - steps[:, None] * slope
        size = np.linalg.norm(moved, axis=1)
        moved *= np.minimum(1, tau / np.maximum(size, 1e-300))[:, None]
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = moved + (momentum - 1) / following * (moved - w)
        w, momentum = moved, following
    return w


def risks(w: np.ndarray, data: np.ndarray, shares: np.ndarray) -> np.ndarray:
    margins = np.einsum("pnf,pf->pn", data, w)
    return (shares * np.logaddexp(0, -margins)).sum(axis=1)


@pytest.mark.share(3)
@pytest.mark.parametrize("features", [1, 2, 3])
def test_no_small_problem_exceeds_the_bound(features: int) -> None:
    """400 problems for each number of features: both minimisers are computed and the excess compared with the bound."""
    rng = random.Random(f"excess risk {features}")
    problems = 400
    pairs, bounds, taus, distances = [], [], [], []
    for _ in range(problems):
        order = rng.choice([d for d in (2, 3, 4) if d <= features + 1])
        radius = rng.choice((Fraction(1, 2), Fraction(1), Fraction(2), Fraction(5)))
        values = rng.choice((VALUES, (Fraction(-1), Fraction(1))))
        real = random_data(rng, features, 12, values)
        synthetic = altered(rng, real, values, 12)
        distance = marginal_distance(real, synthetic, order)
        answer = sb.risk(features=features, radius=radius, marginals=order, marginal_error=distance)
        pairs.append((real, synthetic))
        bounds.append(float(answer.bound.hi))
        taus.append(float(radius) / np.sqrt(features))
        distances.append(distance)
    arrays = [np.array([[[float(x * r[-1]) for x in r[:-1]] for r in pair[i]] for pair in pairs]) for i in range(2)]
    shares = np.full((problems, 12), 1 / 12)
    tau = np.array(taus)
    best_real, best_synthetic = (minimisers(a, shares, tau) for a in arrays)
    excess = risks(best_synthetic, arrays[0], shares) - risks(best_real, arrays[0], shares)
    assert (excess >= -1e-9).all()
    limits = np.array(bounds)  # 0 where the data agree in all attributes
    assert (excess <= limits + 1e-9).all()
    quotients = np.where(limits > 0, excess - 1e-9, 0) / np.where(limits > 0, limits, 1)
    worst = int(np.argmax(quotients))
    print(f"{features} features: {problems} problems, largest excess/bound {quotients[worst]:.4f}")
    assert 0.1 < quotients[worst] <= 1


def test_the_class_is_one_of_the_sum_of_weights() -> None:
    """One-hot features and weights in a box: |<w, x>| <= 1 on every record, but |w|_1 is 10: R = 1 would be wrong."""
    m, one = 10, Fraction(1)

    def data(often: int) -> list[Record]:
        """Ten records for each feature; the label is that of the feature in `often` of them."""
        records = []
        for j in range(m):
            sign = one if j < m // 2 else -one
            labels = [sign] * often + [-sign] * (m - often)
            records += [(*(one if i == j else Fraction(0) for i in range(m)), y) for y in labels]
        return records

    distance = marginal_distance(data(9), data(1), 2)
    excess = 0.8 * float(np.logaddexp(0, 1) - np.logaddexp(0, -1))  # every weight at the wrong end of the box
    bounds = [sb.risk(features=m, radius=r, marginals=2, marginal_error=distance).bound.hi for r in (1, m)]
    assert bounds[0] < excess < bounds[1]
    assert any("|w|_1" in h.text for h in sb.risk(features=m, radius=1, marginals=2, marginal_error=0).hypotheses)


def test_identical_pair_marginals_with_an_excess() -> None:
    """Ten exchangeable Boolean features: their pair marginals follow from two moments of their mean, which agree."""
    real, synthetic = {Fraction(3, 5): ".64", Fraction(-3, 5): ".36"}, {1: ".264", -1: ".096", 0: ".64"}
    for power in (1, 2):
        moments = [sum(Fraction(z) ** power * Fraction(p) for z, p in law.items()) for law in (real, synthetic)]
        assert moments[0] == moments[1]

    def risk_at(t: float, law: dict[Fraction, str]) -> float:
        return float(sum(float(p) * np.logaddexp(0, -t * float(z)) for z, p in law.items()))

    grid = np.linspace(-1, 1, 200001)
    t_s = grid[np.argmin(sum(float(p) * np.logaddexp(0, -grid * float(z)) for z, p in synthetic.items()))]
    t_r = grid[np.argmin(sum(float(p) * np.logaddexp(0, -grid * float(z)) for z, p in real.items()))]
    excess = risk_at(t_s, real) - risk_at(t_r, real)
    assert excess == pytest.approx(6.97557e-5, rel=1e-4)
    bound = sb.risk(features=10, radius=1, marginals=2, marginal_error=0).bound
    assert excess < float(bound.hi) < 4 * excess
