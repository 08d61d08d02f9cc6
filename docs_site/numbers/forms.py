"""How a number is written: found in text, and written anew for another value in the form that it had.

The page says how: 0.0079 has four places, 5,000 is grouped, .97 has no zero before its point, and 2.3e-5, 2^-30, 57/16,
`8.64\\cdot10^{9}` and `\\frac{5}{14}` are forms, too. Integers, and fractions with few decimals, are never rounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Any

from bounds.enclosure import Enclosure

_POWER = r"\^(?:\{-?\d+\}|-?\d+)"
_PLAIN = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)?(?:(?<=\d)\.\d+|(?<!\d)\.\d+)?(?:e-?\d+)?"
_TOKEN = re.compile(
    r"\\t?frac(?:\d|\{\d+\})(?:\d|\{\d+\})"  # \frac14
    rf"|(?<![\w.\\^_])\d+(?:\.\d+)?\\cdot\s?10{_POWER}"  # 8.64\cdot10^9
    rf"|(?<![\w.\\^_])\d+{_POWER}"  # 2^-30
    r"|(?<![\w.\\^_/])\d+/\d+(?![/\w])"  # 57/16
    rf"|(?:(?<![^\s$(|={{,\[~<>*])-)?(?<![\w.\\^_])(?=\.?\d){_PLAIN}"
)
_BESIDE_A_NAME = re.compile(r"[A-Za-z\\^_!(]")
_EXACT_PLACES = 4


@dataclass(frozen=True)
class Token:
    """A number in a text: its place, and what stands there."""

    start: int
    end: int
    text: str

    @property
    def counts(self) -> bool:
        """Whether it must be tied to something; one digit alone need not: "two rounds", "norm 2"."""
        parts = re.sub(r"frac(\d)(?=\d)", r"frac{\1}", self.text)
        return re.search(r"\d\d|\d,\d|\d?\.\d|\de-?\d", parts) is not None


def tokens(text: str) -> list[Token]:
    """The numbers of a text; a digit that is written onto a name, as in 2x, is part of the formula."""
    found = (Token(*match.span(), match.group()) for match in _TOKEN.finditer(text))
    return [one for one in found if not (len(one.text) == 1 and _BESIDE_A_NAME.match(text, one.end))]


def written(value: Any, shown: str) -> str:
    """The value in the form of the number that is shown in its place."""
    if isinstance(value, str):
        return value
    if isinstance(value, Enclosure):
        ends = {written(value.lo, shown), written(value.hi, shown)}
        if len(ends) > 1:
            raise ValueError(f"is not enclosed to these digits: {' or '.join(sorted(ends))}")
        return ends.pop()
    if match := re.match(r"\\t?frac", shown):
        ratio = Fraction(value)
        return match[0] + "".join(str(n) if n < 10 else f"{{{n}}}" for n in ratio.as_integer_ratio())
    if match := re.fullmatch(r"\d+(?:\.(\d+))?(\\cdot\s?)10\^(\{?).*", shown):
        mantissa, exponent = f"{float(value):.{len(match[1] or '')}e}".split("e")
        power = str(int(exponent))
        return f"{mantissa}{match[2]}10^" + (power if len(power) == 1 else f"{{{power}}}")
    if match := re.fullmatch(r"(\d+)\^(\{?).*", shown):
        return _power(Fraction(value), int(match[1]), braces=bool(match[2]))
    if "/" in shown:
        ratio = Fraction(value)
        return f"{ratio.numerator}/{ratio.denominator}" if ratio.denominator > 1 else str(ratio)
    if match := re.fullmatch(r"-?\d+(?:\.(\d+))?e.*", shown):
        mantissa, exponent = f"{float(value):.{len(match[1] or '')}e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    return _plain(value, shown)


def _power(value: Fraction, base: int, *, braces: bool) -> str:
    if value <= 0:
        raise ValueError(f"{value} is no power of {base}")
    found, left, step = 0, value, 1 if value >= 1 else -1
    while left != 1:
        left = left / base if step > 0 else left * base
        found += step
        if (left < 1) == (step > 0) and left != 1:
            raise ValueError(f"{value} is no power of {base}")
    return f"{base}^{{{found}}}" if braces else f"{base}^{found}"


def _plain(value: Any, shown: str) -> str:
    places = len(shown.partition(".")[2])
    grouped = "," in shown or sum(map(str.isdigit, shown.partition(".")[0])) < 4
    exact = Fraction(value) if isinstance(value, int | Fraction | Decimal) else Fraction(float(value))
    number = _rounded(exact, places)
    if not isinstance(value, float) and Fraction(number) != exact and _is_short(exact):
        number = Decimal(exact.numerator) / Decimal(exact.denominator)
    text = f"{number:,f}" if grouped else f"{number:f}"
    return re.sub(r"^(-?)0\.", r"\1.", text) if re.match(r"-?\.", shown) else text


def _rounded(value: Fraction, places: int) -> Decimal:
    scaled = round(value * 10**places)
    return Decimal(scaled).scaleb(-places).quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN)


def _is_short(value: Fraction) -> bool:
    return int((value * 10**_EXACT_PLACES).denominator) == 1
