"""Exact products with a query matrix, for integer vectors of any size, from float64 operations that make no error.

A float64 product of integers is exact while every partial sum stays below 2^53. Larger vectors are cut into balanced
digits whose products stay below it, and the digits of the result are combined with carries. Nothing is rounded
anywhere, so the result is the integer itself. Which vectors are worth multiplying is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import add
from typing import TYPE_CHECKING, Protocol

import numpy as np

from release.statistics.families import Family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64] | Sequence[int]

FLOAT_BITS = 53
"""Integers below 2^53 in absolute value are float64 numbers."""
_LEAST_DIGIT_BITS = 8
"""With narrower digits the matrix itself is split into digits, too."""
_DENSE_DIGIT_BITS = 18
"""Products of two such balanced digits, summed over 20,000 queries or columns and three positions, stay below 2^52."""
_MANY = 8
"""With weight on more than one column in this many, all columns are multiplied."""
_BLOCK_CELLS = 2**21
_MOST_BLOCK_COLUMNS = 2**14


class ExactColumns(Protocol):
    """What is needed of a query matrix; products are exact while largest * sum|vector| < 2^53."""

    @property
    def family(self) -> Family: ...
    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def largest(self) -> int: ...
    def points_at(self, numbers: NDArray[np.int64], /) -> Codes: ...
    def columns_at(self, numbers: NDArray[np.int64], /) -> Floats: ...
    def price(self, y: Floats, /) -> Floats: ...
    def price_blocks(self, y: Floats, /) -> Iterator[tuple[int, Floats]]: ...
    def apply(self, h: Floats, /) -> Floats: ...
    def apply_at(self, numbers: NDArray[np.int64], weights: Floats, /) -> Floats: ...


def least_price(matrix: ExactColumns, y: Integers) -> tuple[int, int]:
    """The least entry of A^T y over all columns, exactly, and the number of the first column that attains it."""
    best: tuple[int, int] | None = None
    for start, parts, bits in _priced(matrix, y):
        least, where = _lexicographic_least(parts, bits)
        if best is None or least < best[0]:
            best = least, start + where
    assert best is not None
    return best


def first_below(matrix: ExactColumns, y: Integers, bound: int) -> int | None:
    """The first column whose entry of A^T y is less than the bound, exactly."""
    for start, parts, bits in _priced(matrix, y):
        if len(parts) == 1:
            below = parts[0] < float(max(-(2**FLOAT_BITS), min(2**FLOAT_BITS, bound)))
        else:
            steps = [float(digit[0]) for digit in balanced_digits([bound], bits)]
            longest = max(len(steps), len(parts))
            steps += [0.0] * (longest - len(steps))
            zero = np.zeros_like(parts[0])
            both = zip([*parts, *([zero] * (longest - len(parts)))], steps, strict=True)
            below = _carried([part - step for part, step in both], bits)[-1] < 0
        if below.any():
            return start + int(np.argmax(below))
    return None


def _priced(matrix: ExactColumns, y: Integers) -> Iterator[tuple[int, list[Floats], int]]:
    """A^T y in pieces: the first column, digits not yet carried, and the bits of a digit."""
    digits, bits = _digits_for(matrix.largest, y)
    if len(digits) == 1:
        for start, prices in matrix.price_blocks(digits[0]):
            yield start, [prices], bits
    elif digits:
        yield 0, [matrix.price(digit) for digit in digits], bits
    else:
        digits, start = balanced_digits(y, _DENSE_DIGIT_BITS), 0
        for block, parts in _dense_blocks(matrix, np.arange(matrix.columns, dtype=np.int64)):
            yield start, _convolve([part.T for part in parts], digits), _DENSE_DIGIT_BITS
            start += block.size


def combination(matrix: ExactColumns, numbers: NDArray[np.int64], weights: Integers) -> list[int]:
    """A h for integer weights h at these columns, exactly, one integer per query."""
    digits, base = _digits_for(matrix.largest, weights)
    if len(digits) == 1:
        return _integers(_applied(matrix, numbers, digits[0]))
    if base >= _LEAST_DIGIT_BITS:
        return _compose([_applied(matrix, numbers, digit) for digit in digits], base)
    totals = [0] * matrix.rows
    digits, done = balanced_digits(weights, _DENSE_DIGIT_BITS), 0
    for block, parts in _dense_blocks(matrix, numbers):
        here = [digit[done : done + block.size] for digit in digits]
        totals = list(map(add, totals, _compose(_convolve(parts, here), _DENSE_DIGIT_BITS)))
        done += block.size
    return totals


def _applied(matrix: ExactColumns, numbers: NDArray[np.int64], weights: Floats) -> Floats:
    """A h, by whichever of the two ways is the faster one."""
    if numbers.size * _MANY < matrix.columns:
        return matrix.apply_at(numbers, weights)
    every = np.zeros(matrix.columns)
    every[numbers] = weights
    return matrix.apply(every)


def balanced_digits(values: Integers, bits: int) -> list[Floats]:
    """Vectors of digits between -2^(bits-1) and 2^(bits-1), lowest first, that add up to the values in base 2^bits.

    >>> [part.tolist() for part in balanced_digits([7, -300], 4)]
    [[7.0, 4.0], [0.0, -3.0], [0.0, -1.0]]
    """
    half, mask = 1 << (bits - 1), (1 << bits) - 1
    digits: list[Floats] = []
    rest: NDArray[np.int64] | NDArray[np.object_] = np.asarray(values)
    if rest.dtype != np.int64:
        rest = np.array([int(value) for value in values], dtype=object)
    while not digits or np.any(rest != 0):
        digit = ((rest + half) & mask) - half
        digits.append(digit.astype(np.float64))
        rest = (rest - digit) >> bits
    return digits


def _digits_for(largest: int, values: Integers) -> tuple[list[Floats], int]:
    """The vector itself if its product is exact, else its digits and their bits; none if they are too many."""
    if isinstance(values, np.ndarray) and (values.size == 0 or float(np.abs(values).max()) * values.size < 2**62):
        total, count = int(np.abs(values).sum()), int(np.count_nonzero(values))
    else:
        values = [int(value) for value in values]
        total, count = sum(map(abs, values)), sum(map(bool, values))
    if largest * total < 1 << FLOAT_BITS:
        return [np.asarray(values, dtype=np.float64)], FLOAT_BITS
    bits = FLOAT_BITS - (largest * count).bit_length()  # so that largest * count * 2^(bits - 1) < 2^52
    return (balanced_digits(values, bits), bits) if bits >= _LEAST_DIGIT_BITS else ([], bits)


def _lexicographic_least(parts: Sequence[Floats], bits: int) -> tuple[int, int]:
    """The least of sum_i parts[i] 2^(bits i) over the entries, and the first position that attains it."""
    if len(parts) == 1:
        where = int(np.argmin(parts[0]))
        return int(parts[0][where]), where
    *low, top = _carried(parts, bits)
    least = int(top.min())
    alive = np.flatnonzero(top == top.min())
    for part in reversed(low):
        here = part[alive]
        least = (least << bits) + int(here.min())
        alive = alive[here == here.min()]
    return least, int(alive[0])


def _carried(parts: Sequence[Floats], bits: int) -> list[Floats]:
    """The same numbers with all digits but the top one between 0 and 2^bits - 1, so that they compare like words."""
    unit, found = float(1 << bits), [parts[0]]
    for part in parts[1:]:
        carry = np.floor(found[-1] / unit)  # a division by a power of two is exact
        found[-1] = found[-1] - carry * unit
        found.append(part + carry)
    return found


def _dense_blocks(matrix: ExactColumns, numbers: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], list[Floats]]]:
    """Columns in blocks, each with the digits of its integers."""
    step = max(1, min(_BLOCK_CELLS // matrix.rows, _MOST_BLOCK_COLUMNS))
    for start in range(0, numbers.size, step):
        block = numbers[start : start + step]
        values = matrix.columns_at(block).astype(np.int64)
        yield block, balanced_digits(values, _DENSE_DIGIT_BITS)


def _convolve(left: Sequence[Floats], right: Sequence[Floats]) -> list[Floats]:
    """Digits of the product, not yet carried: position k has the products of positions i + j = k."""
    found: list[Floats | None] = [None] * (len(left) + len(right) - 1)
    for i, matrix in enumerate(left):
        for j, vector in enumerate(right):
            product = matrix @ vector
            earlier = found[i + j]
            found[i + j] = product if earlier is None else earlier + product
    return [part for part in found if part is not None]


def _compose(parts: Sequence[Floats], bits: int) -> list[int]:
    found = _integers(parts[-1])
    for part in reversed(parts[:-1]):
        found = [(high << bits) + low for high, low in zip(found, _integers(part), strict=True)]
    return found


def _integers(values: Floats) -> list[int]:
    whole: list[int] = values.astype(np.int64).tolist()
    return whole
