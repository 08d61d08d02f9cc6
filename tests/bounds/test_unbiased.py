"""The bound for unbiased mechanisms: the nuclear norm computed plainly, and mechanisms that must obey it."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import sinh, sqrt

import numpy as np
import pytest

import synthbounds as sb
from bounds.unbiased import records_for_all_contrasts, unbiased_factor


def plain_factor(family: str, p: int, t: int, degree: int, changed: int) -> float:
    """From all pairs of points that differ in so many attributes, with weights as on the page."""
    points = list(product(range(t), repeat=p))
    if family == "cells":
        tables = [(s, a) for s in combinations(range(p), degree) for a in product(range(t), repeat=degree)]
        values = np.array(
            [[float(all(x[j] == v for j, v in zip(s, a, strict=True))) for x in points] for s, a in tables]
        )
    else:
        sets = [s for size in range(1, degree + 1) for s in combinations(range(p), size)]
        values = np.array([[(-1.0) ** sum(x[j] for j in s) for x in points] for s in sets])
    apart = [
        (i, j)
        for i, x in enumerate(points)
        for j, y in enumerate(points)
        if sum(a != b for a, b in zip(x, y, strict=True)) == changed
    ]
    moves = np.array([values[:, j] - values[:, i] for i, j in apart])
    second = moves.T @ moves / len(moves)
    weights = np.full(len(values), 1 / len(values)) if family == "cells" else np.diag(second) / np.trace(second)
    scaled = np.sqrt(weights)
    spectrum = np.linalg.eigvalsh(scaled[:, None] * second * scaled)
    return float(np.sqrt(np.clip(spectrum, 0, None)).sum())


@pytest.mark.parametrize(
    ("family", "p", "t", "degree"),
    [("cells", 3, 2, 1), ("cells", 3, 2, 2), ("cells", 4, 2, 3), ("cells", 3, 3, 2), ("parities", 4, 2, 2)],
)
def test_the_factor_is_the_nuclear_norm(family: str, p: int, t: int, degree: int) -> None:
    found = unbiased_factor(family, p, t, degree)
    assert found is not None
    best = max(plain_factor(family, p, t, degree, changed) for changed in range(1, p + 1))
    assert float(found) == pytest.approx(best, rel=1e-6)


def test_randomised_response_attains_it() -> None:
    factor = unbiased_factor("parities", 1, 2, 1)
    assert factor is not None
    for epsilon in (0.1, 1.0, 4.0):
        size = (np.exp(epsilon) + 1) / (np.exp(epsilon) - 1)
        assert float(factor) / (2 * sinh(epsilon / 2)) == pytest.approx(sqrt(size**2 - 1))


def test_few_points_average_like_the_domain() -> None:
    """The points of the page for seven attributes and degree 2, over the field of eight elements."""

    def times(a: int, b: int) -> int:
        found = 0
        for bit in range(3):
            found ^= (a << bit) * (b >> bit & 1)
        for high in (4, 3):
            found ^= (0b1011 << (high - 3)) * (found >> high & 1)
        return found

    marks = [a | times(a, times(a, a)) << 3 for a in range(1, 8)]
    points = np.array([[(z & h).bit_count() % 2 for h in marks] for z in range(64)])
    assert len(points) == records_for_all_contrasts(7, 2, 2)
    for chosen in combinations(range(7), 4):
        counts = np.unique(points[:, chosen], axis=0, return_counts=True)[1]
        assert counts.tolist() == [4] * 16


def test_where_it_is_printed() -> None:
    asked = {"p": 6, "degree": 2, "epsilon": "1/2", "accuracy": ".05", "failure": ".05", "family": "cells"}
    answer = sb.require(**asked)
    assert answer.unbiased_limit is not None
    factor = unbiased_factor("cells", 6, 2, 2)
    assert factor is not None
    assert float(answer.unbiased_limit.lo) == pytest.approx(float(factor) / (2 * answer.n * sinh(0.25)))
    for other in (
        asked | {"family": "monomials"},
        asked | {"adjacency": "add-remove"},
        asked | {"dp_delta": "1e-6", "mechanism": "gaussian"},
        asked | {"epsilon": 40, "accuracy": Fraction(9, 20)},  # fewer records than the proof needs
    ):
        assert sb.require(**other).unbiased_limit is None
