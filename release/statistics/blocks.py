"""Codes of one column as a block of integer features of Euclidean norm at most 1, which is 2^bits: a public table.

Every block has that norm at most, whatever the number of codes, so what one record adds to sums of products does not
depend on it. `linear` is one feature that rises from -1 to 1 in equal steps; `value` is one that is linear in the
number that a code stands for, from -1 at the least to 1 at the largest; `smooth` adds two cosines to `linear`, so that
a distribution built from products can bend; `one-hot` is an indicator for each code, and `reduced` one for each but the
first, which the intercept stands for; `none` has no features. A missing code, if one is declared, is separate from the
ordered codes: its own indicator, and 0 in the other features.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

from bounds.enclosure import as_fmpq, precision
from release.data.columns import Column

LINEAR, SMOOTH, ONE_HOT, NONE, VALUE, REDUCED = "linear", "smooth", "one-hot", "none", "value", "reduced"
ENCODINGS = (LINEAR, SMOOTH, ONE_HOT, NONE)
"""Of every release."""
FEATURE_ENCODINGS = (*ENCODINGS, VALUE, REDUCED)
"""Of the features of a model."""
_COSINES = (2, 3)
"""Half-waves over the column: the first, nearly a straight line, is already in `linear`."""
_PRECISION = 128

Block = tuple[tuple[int, ...], ...]
"""For each code its features, as integers."""


def block_names(column: Column, encoding: str) -> tuple[str, ...]:
    """The names of the features: the column, its cosines, `column=level` or `column is missing` for an indicator."""
    if encoding == NONE:
        return ()
    gap = (f"{column.name} is missing",) if column.missing else ()
    if encoding in (ONE_HOT, REDUCED):
        names = (*(f"{column.name}={text}" for text in column.value_texts), *gap)
        return names[encoding == REDUCED :]
    ordered, apart = _ordered_codes(column)
    bends = (f"{column.name} cosine {wave}" for wave in _waves(ordered, encoding))
    return (column.name, *bends, *(gap if apart else ()))


def block_width(column: Column, encoding: str) -> int:
    """The number of features of a block."""
    if encoding in (NONE, ONE_HOT, REDUCED):
        return 0 if encoding == NONE else column.size - (encoding == REDUCED)
    ordered, apart = _ordered_codes(column)
    return 1 + len(_waves(ordered, encoding)) + apart


def ordered_numbers(column: Column, encoding: str) -> tuple[Fraction, ...] | None:
    """The values of the ordered codes: themselves, or in `value` the numbers they stand for; None if there are none."""
    ordered, _ = _ordered_codes(column)
    if encoding != VALUE or ordered > column.value_count:  # one value and the missing one have no other numbers
        return tuple(map(Fraction, range(ordered)))
    numbers = column.numbers
    return None if numbers is None or min(numbers) == max(numbers) else numbers


def block_of(column: Column, encoding: str, one: int) -> Block:
    """The features of every code over `one`, rounded so that no row is longer than `one`."""
    if encoding == NONE:
        return ((),) * column.size
    if encoding in (ONE_HOT, REDUCED):
        shown = range(encoding == REDUCED, column.size)
        return tuple(tuple(one if code == other else 0 for other in shown) for code in range(column.size))
    ordered, apart = _ordered_codes(column)
    # Rounded to the nearest integer, halves to the even one; the ends are -1 and 1 exactly.
    numbers = ordered_numbers(column, encoding)
    assert numbers is not None, "feature maps refuse columns that have no numbers"
    lo, hi = min(numbers), max(numbers)
    rows: list[tuple[int, ...]] = [(round((2 * x - lo - hi) * one / (hi - lo)),) for x in numbers]
    if waves := _waves(ordered, encoding):
        rows = _bent(ordered, waves, one)
    if not apart:
        return tuple(rows)
    zeros = (0,) * len(rows[0])
    return (*((*row, 0) for row in rows), (*zeros, one))


def _ordered_codes(column: Column) -> tuple[int, bool]:
    """How many codes are ordered, and whether a missing one is separate; two codes are -1 and 1, whatever they are."""
    if column.size == 2 or column.missing_code is None:
        return column.size, False
    return column.size - 1, True


def _waves(ordered: int, encoding: str) -> list[int]:
    """The cosines of a block: as many as its codes can distinguish."""
    return [wave for wave in _COSINES if wave < ordered] if encoding == SMOOTH else []


def _bent(count: int, waves: list[int], one: int) -> list[tuple[int, ...]]:
    """x and cosines of the middle of each code's rank, over the largest norm; rounded towards 0, so never longer."""
    with precision(_PRECISION):
        rows = []
        for code in range(count):
            middle = Fraction(2 * code + 1, 2 * count)
            x = arb(fmpq(2 * code - count + 1, count - 1))
            rows.append([x, *(arb.cos_pi_fmpq(as_fmpq(wave * middle)) for wave in waves)])
        squares = [sum((value * value for value in row), arb(0)) for row in rows]
        largest = squares[0]
        for square in squares[1:]:
            largest = largest.max(square)
        scale = arb(one) / largest.sqrt()
        return [tuple(_towards_zero(value * scale) for value in row) for row in rows]


def _towards_zero(value: arb) -> int:
    """A whole number not larger in size than any number of the ball; one less if the ball contains a whole number."""
    whole = value.abs_lower().floor().unique_fmpz()
    assert whole is not None
    return int(whole) if value > 0 else -int(whole)
