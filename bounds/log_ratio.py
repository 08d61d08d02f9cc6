"""When is log x / log y rational? Exactly when x and y are powers of one number, up to inversion.

Balls cannot decide a ceiling at an exact integer, and the paper's own setting with p = 5 has one:
log |Omega| / log(|F|/delta) = log 32 / log 32. Exponents over a coprime base settle it without factoring.
"""

from __future__ import annotations

from math import gcd

from flint import fmpq


def rational_log_ratio(x: fmpq, y: fmpq) -> fmpq | None:
    """log x / log y as a rational for positive rationals x and y != 1, or None if it is irrational.

    >>> rational_log_ratio(fmpq(32), fmpq(1, 8))
    -5/3
    >>> rational_log_ratio(fmpq(6), fmpq(2)) is None
    True
    """
    if x == 1:
        return fmpq(0)
    parts = [int(part) for z in (x, y) for part in (z.numer(), z.denom())]
    base = coprime_base(parts)
    first = [_exponent(parts[0], b) - _exponent(parts[1], b) for b in base]
    second = [_exponent(parts[2], b) - _exponent(parts[3], b) for b in base]
    if any((a == 0) != (b == 0) for a, b in zip(first, second, strict=True)):
        return None
    ratios = {fmpq(a, b) for a, b in zip(first, second, strict=True) if b != 0}
    return ratios.pop() if len(ratios) == 1 else None


def coprime_base(numbers: list[int]) -> list[int]:
    """Pairwise coprime integers above 1 of which every given number is a product of powers.

    >>> coprime_base([12, 18])
    [2, 3]
    """
    base: list[int] = []
    waiting = [number for number in numbers if number > 1]
    while waiting:
        number = waiting.pop()
        if number == 1:
            continue
        for i, other in enumerate(base):
            common = gcd(number, other)
            if common > 1:
                del base[i]
                waiting += [common, number // common, other // common]
                break
        else:
            base.append(number)
    return sorted(base)


def _exponent(number: int, base: int) -> int:
    count = 0
    while number % base == 0:
        number, count = number // base, count + 1
    return count
