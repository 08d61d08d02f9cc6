"""What small errors of all queries imply for shares and cells: for every family, and any two tables."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lp.synthesis.cell_errors import cell_errors
from release.data.counting import counts
from release.data.domain import Domain
from release.statistics.families import FAMILIES, build_family

SIZES = {
    "cells": (2, 3, 4),
    "thresholds": (2, 3, 4),
    "monomials": (2, 3, 2),
    "moments": (2, 3, 2),
    "parities": (2, 2, 2),
}


def found(name: str, degree: int, rows: Any, real: Any) -> Any:
    """As a programme leaves it: every query is as near as the accuracy says."""
    family = build_family(name, Domain(SIZES[name]), degree)
    answers = [[Fraction(s, len(codes) * family.denominator) for s in family.sums(codes)] for codes in (rows, real)]
    accuracy = max(abs(a - b) for a, b in zip(*answers, strict=True))
    question = SimpleNamespace(domain=family.domain, family=family, degree=degree)
    return SimpleNamespace(plan=SimpleNamespace(question=question), rows=rows, accuracy=accuracy, noise_exceeded=False)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("name", FAMILIES)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 40), k=st.integers(1, 40))
def test_no_share_is_farther_off(name: str, degree: int, seed: int, n: int, k: int) -> None:
    stream, sizes = np.random.default_rng(seed), SIZES[name]
    real, rows = (np.column_stack([stream.integers(0, t, m) for t in sizes]).astype(np.uint8) for m in (n, k))
    known = cell_errors(found(name, degree, rows, real), range(3))
    sets = [(u,) for u in range(3)] + list(combinations(range(3), 2))
    one, other = counts(real, sizes, sets), counts(rows, sizes, sets)
    for columns in sets:
        cells = zip(one[columns].ravel().tolist(), other[columns].ravel().tolist(), strict=True)
        error = max(abs(Fraction(a, n) - Fraction(b, k)) for a, b in cells)
        assert error <= (known.columns[columns[0]] if len(columns) == 1 else known.pairs[columns])


def test_how_many_queries_a_cell_needs() -> None:
    """Cells are queries; a sign is off by twice a share; a cell of both first codes is 1 less two queries and one."""
    rows, real = np.array([[0, 0, 0]], dtype=np.uint8), np.array([[0, 0, 0], [1, 1, 1]], dtype=np.uint8)
    half, most = Fraction(1, 2), Fraction(1)
    for name, pair in {"cells": half, "parities": Fraction(3, 4), "monomials": most, "thresholds": most}.items():
        known = cell_errors(found(name, 2, rows, real), range(3))
        assert known.columns[0] == half
        assert known.columns[1] == (half if name in ("cells", "parities") else most)
        assert known.pairs[(0, 2)] == pair
    assert cell_errors(found("cells", 1, rows, real), range(3)).weak == {(0, 1), (0, 2), (1, 2)}


def test_noise_beyond_its_quantile_certifies_nothing() -> None:
    rows = np.array([[0, 0, 0], [1, 1, 1]], dtype=np.uint8)
    broken = found("cells", 2, rows, rows)
    broken.noise_exceeded = True
    assert set(cell_errors(broken, ()).columns) == {Fraction(1)}
