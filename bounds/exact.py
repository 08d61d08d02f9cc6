"""Exact parsing at the edge: decimal text, integers, fractions and floats become Fraction; inside, all is exact.

A float stands for the shortest decimal that reads as it: 0.2 is one fifth, as typed, and not the binary number nearest
to it. Numbers computed in floats keep their rounding, so `strict` refuses them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, isqrt, lcm
from numbers import Real
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

from bounds.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np

    Exact: TypeAlias = str | Fraction | Decimal | float | SupportsIndex | np.floating[Any]
else:
    Exact = int | str | Fraction | Decimal | float

LARGEST_JSON_INTEGER = 2**53
"""Larger integers are written as text: other readers of JSON would round them."""

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_COMMA = re.compile(r"[+-]?\d+(,\d+)+", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+", re.ASCII)
_RATIO = re.compile(r"[+-]?\d+/\d+", re.ASCII)
_MOST_CHARACTERS = 1200
_MOST_EXPONENT = 1000
MOST_BITS = 4000
_MOST_SHOWN_BITS = 4096
_ROOT_DIGITS = 15


class strict:  # noqa: N801 - called as a function is
    """Refuse floats from now on, or only in a `with` block: only exact numbers are accepted."""

    refuses_floats = False
    """For the whole process: the cells of a notebook share it, and so do threads."""

    def __init__(self, on: bool = True) -> None:
        self._before, strict.refuses_floats = strict.refuses_floats, on

    def __enter__(self) -> None:
        """In force since it was made."""

    def __exit__(self, *_: object) -> None:
        strict.refuses_floats = self._before


def parse_rational(value: object, name: str) -> Fraction:
    """The exact rational that `value` denotes.

    >>> parse_rational(".2", "epsilon"), parse_rational(0.2, "epsilon")
    (Fraction(1, 5), Fraction(1, 5))
    >>> parse_rational("1/1024", "tau1")
    Fraction(1, 1024)
    """
    if isinstance(value, bool):
        raise ParameterError(name, value, "a number")
    if not isinstance(value, int | float | str | Fraction | Decimal) and hasattr(value, "__index__"):
        try:
            value = index(value)  # numpy integers are exact too
        except TypeError:
            raise ParameterError(name, type(value).__name__, "one number") from None
    if isinstance(value, Real) and not isinstance(value, int | Fraction):
        value = _shortest_decimal(value, name)
    if isinstance(value, int | Fraction):
        number = Fraction(value)
        if max(number.numerator.bit_length(), number.denominator.bit_length()) > MOST_BITS:
            raise ParameterError(name, "a number of too many digits", f"of at most {_MOST_CHARACTERS} digits")
        return number
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ParameterError(name, value, "a finite number")
        value = str(value)[: _MOST_CHARACTERS + 1]
    if not isinstance(value, str):
        raise ParameterError(name, type(value).__name__, "a number, or decimal text")
    return _parse_text(value.strip(), name)


def _shortest_decimal(value: Real, name: str) -> str:
    """Of all decimals that read as this float the shortest; a numpy scalar has its own, at its own precision."""
    text = float.__repr__(value) if isinstance(value, float) else str(value)
    if strict.refuses_floats:
        allowed = f"exact: write '{text}' in quotes or Fraction(...)"
        raise ParameterError(name, text, allowed, "floats are refused in strict mode")
    return text


def _parse_text(text: str, name: str) -> Fraction:
    example = "a number such as 0.2, 1e-6 or 1/3"
    if len(text) > _MOST_CHARACTERS:
        raise ParameterError(name, text, f"a number of at most {_MOST_CHARACTERS} characters")
    if text.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        raise ParameterError(name, text, "a finite number")
    if _RATIO.fullmatch(text):
        numerator, denominator = text.split("/")
        if int(denominator) == 0:
            raise ParameterError(name, text, example, "the denominator is zero")
        return Fraction(int(numerator), int(denominator))
    if not _DECIMAL.fullmatch(text):
        raise ParameterError(name, repr(text), example, _without_comma(text))
    exponent = re.split("[eE]", text)[1] if re.search("[eE]", text) else "0"
    if len(exponent) > 6 or abs(int(exponent)) > _MOST_EXPONENT:
        raise ParameterError(name, text, f"a number with exponent within +-{_MOST_EXPONENT}")
    return Fraction(text)


def _without_comma(text: str) -> str:
    """What 1,0 may mean; 1,000 is a thousand to some."""
    found = _COMMA.fullmatch(text)
    if found is None:
        return ""
    grouped = [text.replace(",", "")] if _THOUSANDS.fullmatch(text) else []
    pointed = [text.replace(",", ".")] if text.count(",") == 1 else []
    return f"write {' or '.join([*grouped, *pointed])}" if grouped or pointed else ""


def common_denominator(numbers: Iterable[Fraction], most_bits: int) -> int | None:
    """Of all numbers together, or None if it is longer than that: sums of such fractions would take forever."""
    common = 1
    for below in {number.denominator for number in numbers}:
        common = lcm(common, below)
        if common.bit_length() > most_bits:
            return None
    return common


def parse_integer(value: object, name: str) -> int:
    """The exact integer that `value` denotes; 1e6 is one, 2.5 is not.

    >>> parse_integer("1e6", "n")
    1000000
    """
    number = parse_rational(value, name)
    if number.denominator != 1:
        raise ParameterError(name, value, "a whole number")
    return number.numerator


def require_range(
    name: str,
    value: Fraction | int,
    shown: object,
    *,
    above: Fraction | int | None = None,
    least: Fraction | int | None = None,
    below: Fraction | int | None = None,
    most: Fraction | int | None = None,
    reason: str = "",
) -> None:
    """Raise ParameterError unless value lies in the range; `above`/`below` are strict."""
    fine = (
        (above is None or value > above)
        and (least is None or value >= least)
        and (below is None or value < below)
        and (most is None or value <= most)
    )
    if not fine:
        raise ParameterError(name, shown, _range_text(above, least, below, most), reason)


def _range_text(
    above: Fraction | int | None,
    least: Fraction | int | None,
    below: Fraction | int | None,
    most: Fraction | int | None,
) -> str:
    parts = [
        f"{word} {show_rational(bound)}"
        for word, bound in (
            ("greater than", above),
            ("at least", least),
            ("less than", below),
            ("at most", most),
        )
        if bound is not None
    ]
    return " and ".join(parts)


def root_at_least(square: Fraction, digits: int = _ROOT_DIGITS) -> Fraction:
    """The least decimal with this many digits, give or take one, that is at least the root of a positive number.

    >>> root_at_least(Fraction(2), 5), root_at_least(Fraction(9, 4), 5)
    (Fraction(70711, 50000), Fraction(3, 2))
    """
    return root_on_grid(square, _root_unit(square, digits))


def root_at_most(square: Fraction, digits: int = _ROOT_DIGITS) -> Fraction:
    """The largest decimal with this many digits, give or take one, that is at most the root of a positive number.

    >>> root_at_most(Fraction(2), 5), root_at_most(Fraction(9, 4), 5)
    (Fraction(141421, 100000), Fraction(3, 2))
    """
    unit = _root_unit(square, digits)
    return isqrt(floor(square / unit**2)) * unit


def _root_unit(square: Fraction, digits: int) -> Fraction:
    """The decimal step that gives a root this many digits, give or take one."""
    return 1 / Fraction(10) ** (digits - (len(str(square.numerator)) - len(str(square.denominator))) // 2)


def root_on_grid(square: Fraction, unit: Fraction) -> Fraction:
    """The least multiple of the unit that is at least the root of a positive number."""
    return (isqrt(ceil(square / unit**2) - 1) + 1) * unit


def show_rational(value: Fraction | int) -> str:
    """Shortest exact text: a decimal if it terminates and is short, else a/b.

    >>> show_rational(Fraction(1, 5)), show_rational(Fraction(1, 3)), show_rational(Fraction(1, 10**12))
    ('0.2', '1/3', '1e-12')
    """
    value = Fraction(value)
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_SHOWN_BITS:
        return "...(a number of very many digits)"
    if value.denominator == 1:
        digits = str(value.numerator)
        short = digits.rstrip("0")
        if len(digits) > 15 and len(short) <= 3:
            return f"{short[0]}{'.' + short[1:] if len(short) > 1 else ''}e{len(digits) - 1}"
        return digits if len(digits) <= 40 else f"{digits[:3]}...({len(digits)} digits)"
    twos, fives, rest = 0, 0, value.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest != 1 or places > 320:
        text = f"{value.numerator}/{value.denominator}"
        return text if len(text) <= 60 else f"{text[:24]}..."
    scaled = value.numerator * 10**places // value.denominator
    sign, digits = ("-" if scaled < 0 else ""), str(abs(scaled))
    stripped = digits.rstrip("0")
    if places > 8 and len(stripped) <= 3:
        exponent = len(digits) - 1 - places
        mantissa = stripped[0] + ("." + stripped[1:] if len(stripped) > 1 else "")
        return f"{sign}{mantissa}e{exponent}"
    digits = digits.rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"
