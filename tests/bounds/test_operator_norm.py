"""The operator norm in an interval of a promised width: against numpy, exact eigenvalues, and every route alone."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds import operator_norm as module
from bounds.operator_norm import operator_norm
from tests.speeds import examples

WIDTHS = (Fraction(10), Fraction(1), Fraction(1, 2**40), Fraction(1, 2**120))


def norm_est(rows: list[list[int]]) -> float:
    return float(np.abs(np.linalg.eigvalsh(np.array(rows, dtype=float))).max())


@st.composite
def symmetric(draw: st.DrawFn) -> list[list[int]]:
    p = draw(st.integers(1, 5))
    size = draw(st.sampled_from((2, 1000, 2**50)))
    upper = [[draw(st.integers(-size, size)) for _ in range(p)] for _ in range(p)]
    return [[upper[min(i, j)][max(i, j)] for j in range(p)] for i in range(p)]


def require_enclosed(rows: list[list[int]], width: Fraction) -> None:
    found, near = operator_norm(rows, width), norm_est(rows)
    assert found.hi - found.lo <= width
    assert float(found.lo) <= near * (1 + 1e-12)
    assert near <= float(found.hi) * (1 + 1e-12) + 1e-300


@examples(200)
@given(rows=symmetric(), width=st.sampled_from(WIDTHS))
def test_the_norm_is_enclosed(rows: list[list[int]], width: Fraction) -> None:
    require_enclosed(rows, width)


@examples(60)
@given(rows=symmetric(), width=st.sampled_from(WIDTHS[:3]))
def test_elimination_alone_gives_the_same(rows: list[list[int]], width: Fraction) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_is_dominant", lambda *_: False)
        require_enclosed(rows, width)


@pytest.mark.parametrize(
    ("rows", "norm"),
    [
        ([[0] * 3] * 3, 0),
        ([[7]], 7),
        ([[-7]], 7),
        ([[3, 0], [0, -3]], 3),  # both ends of the spectrum at once
        ([[2] * 12] * 12, 24),  # rank 1, where the row sums are the norm
        ([[5 * (i == j) for j in range(9)] for i in range(9)], 5),  # one eigenvalue, nine times
    ],
)
def test_eigenvalues_that_are_known(rows: list[list[int]], norm: int) -> None:
    for width in WIDTHS:
        found = operator_norm(rows, width)
        assert found.contains(norm)
        assert found.hi - found.lo <= width


@pytest.mark.parametrize("sign", [1, -1])
def test_a_misleading_guess_is_not_believed(sign: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A vector that is not near the top eigenvector gives a poor lower bound, and elimination has to bisect."""
    rows = [[sign * x for x in row] for row in ([9, 1, 0], [1, -4, 2], [0, 2, 1])]
    guessed = module._guessed_basis(rows)
    for place in range(3):
        monkeypatch.setattr(module, "_guessed_basis", lambda _, place=place: (guessed[0], place))
        require_enclosed(rows, Fraction(1, 1000))


def test_an_eigenvalue_is_not_decided_but_stepped_around() -> None:
    assert module._is_above([[3, 0], [0, 1]], Fraction(3)) is None
    assert module._is_above([[1, 5], [5, 12]], Fraction(1)) is None  # of the leading part alone
    found = module._by_elimination([[3, 0], [0, 1]], Fraction(0), Fraction(1), Fraction(9), Fraction(1, 8))
    assert found.contains(3)
    assert found.hi - found.lo <= Fraction(1, 8)
