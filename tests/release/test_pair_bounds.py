"""What shares of single columns say about pairs: valid bounds, as tight as exact fractions give."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.statistics import pair_bounds
from release.statistics.measured_shares import shares_of
from release.statistics.pair_bounds import frechet_errors

Rows = list[tuple[int, int]]
TABLES = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=9)


def shares(rows: Rows) -> dict[object, Fraction]:
    found: dict[object, Fraction] = {}
    for a, b in product(range(2), range(3)):
        found[a, b] = Fraction(rows.count((a, b)), len(rows))
    for a in range(2):
        found["u", a] = sum((found[a, b] for b in range(3)), Fraction(0))
    for b in range(3):
        found["v", b] = sum((found[a, b] for a in range(2)), Fraction(0))
    return found


@given(TABLES, TABLES, st.fractions(0, 1), st.fractions(0, 1))
def test_as_exact_fractions(
    real: list[tuple[int, int]], rows: list[tuple[int, int]], more_u: Fraction, more_v: Fraction
) -> None:
    """The bound by fractions is met within the rounding, and holds for the table that the errors are of."""
    one, other = shares(real), shares(rows)
    u = max(abs(one["u", a] - other["u", a]) for a in range(2)) + more_u / 10
    v = max(abs(one["v", b] - other["v", b]) for b in range(3)) + more_v / 10
    bound = frechet_errors(np.array(rows, dtype=np.uint8), (2, 3), (u, v), (0, 1))[(0, 1)]
    assert max(abs(one[cell] - other[cell]) for cell in product(range(2), range(3))) <= bound <= 1
    exact = Fraction(0)
    for a, b in product(range(2), range(3)):
        least = max(0, max(other["u", a] - u, 0) + max(other["v", b] - v, 0) - 1)
        most = min(other["u", a] + u, other["v", b] + v, Fraction(1))
        exact = max(exact, other[a, b] - least, most - other[a, b])
    assert min(exact, 1) <= bound <= exact + Fraction(1, 2**36)


def test_it_is_reached() -> None:
    """Two columns of halves, known exactly: all or none of a cell's share may be there."""
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8)
    assert frechet_errors(rows, (2, 2), (Fraction(0), Fraction(0)), (0, 1)) == {(0, 1): Fraction(1, 4)}
    assert frechet_errors(rows, (2, 2), (Fraction(0), Fraction(0)), (1,)) == {}
    assert frechet_errors(rows[:0], (2, 2), (Fraction(0), Fraction(0)), (0, 1)) == {(0, 1): Fraction(1)}

    alike = np.zeros((4, 2), dtype=np.uint8)
    assert frechet_errors(alike, (2, 2), (Fraction(1, 2), Fraction(0)), (0, 1)) == {(0, 1): Fraction(1, 2)}


def test_large_tables_are_left_out_and_many_go_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(1).integers(0, 2, (50, 4)).astype(np.uint16)
    sizes, errors = (2, 2, 2, pair_bounds.MOST_CELLS), (Fraction(1, 100),) * 4
    whole = frechet_errors(rows, sizes, errors, range(4))
    assert [pair for pair, error in whole.items() if error == 1] == [(0, 3), (1, 3), (2, 3)]
    monkeypatch.setattr(pair_bounds, "_AT_ONCE", 4)
    assert frechet_errors(rows, sizes, errors, range(4)) == whole


@given(st.lists(st.integers(0, 50), min_size=1, max_size=4), st.integers(0, 5), st.integers(0, 20), st.randoms())
def test_shares_of_counts(real: list[int], radius: int, more: int, random: object) -> None:
    """Whatever the noise within the radius and the size within its interval, the real share is within its own."""
    n = max(sum(real), 1)
    sizes = Fraction(max(n - more, 1)), Fraction(n + more)
    noisy = [count + random.randint(-radius, radius) for count in real]  # type: ignore[attr-defined]
    found = shares_of(noisy, Fraction(radius), sizes)
    assert all(
        abs(Fraction(count, n) - share) <= width
        for count, share, width in zip(real, found.shares, found.radius, strict=True)
    )
