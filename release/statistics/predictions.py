"""Predictions of any model, one for each record, exactly: whole numbers over one power of ten.

A prediction depends only on its record and the model; so one record moves one prediction. They are made from records,
so no message shows one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from numbers import Complex, Real
from pathlib import Path

from bounds.errors import DataError
from release.data.decimals import is_decimal, parse_decimal
from release.data.number_lines import number_lines

MOST_PLACES = 400
"""After the decimal point, and digits before it: any double has fewer that matter."""


@dataclass(frozen=True)
class Predictions:
    """The numbers `numerators[i] / denominator`, in the order of the table."""

    numerators: tuple[int, ...]
    denominator: int

    def __len__(self) -> int:
        return len(self.numerators)

    @property
    def are_probabilities(self) -> bool:
        return not self.numerators or (min(self.numerators) >= 0 and max(self.numerators) <= self.denominator)

    def require_probabilities(self, where: str) -> None:
        """Refuse numbers below 0 or above 1; the first such row is named, its value is not."""
        if not self.are_probabilities:
            row = next(i for i, value in enumerate(self.numerators, start=1) if not 0 <= value <= self.denominator)
            raise DataError(f"{where}: row {row} is not a probability; it must be at least 0 and at most 1")


def read_predictions(path: str | Path, where: str = "predictions") -> Predictions:
    """One number per row below a header, in the order of the table."""
    said = f"{where} {Path(path).name}"
    return predictions_of(number_lines(path, said), said)


def predictions_of(values: Iterable[object], where: str = "predictions") -> Predictions:
    """Numbers as text, as fractions, or as floats, which mean their shortest decimal."""
    known: dict[str, tuple[int, int]] = {}
    cells = []
    for row, value in enumerate(values, start=1):
        found = known.get(value) if isinstance(value, str) else None
        if found is None:
            found = _decimal(value, row, where)
            if isinstance(value, str):
                known[value] = found  # a file of one digit per row has few texts, and long numbers are made once
        cells.append(found)
    most = max((places for _, places in cells), default=0)
    whole = {(value, places): value * 10 ** (most - places) for value, places in set(cells)}
    return Predictions(tuple(whole[cell] for cell in cells), 10**most)


def _decimal(value: object, row: int, where: str) -> tuple[int, int]:
    """The number as a whole one over a power of ten: both of them."""
    text = value if isinstance(value, str) else _text(value)
    whole, dot, after = text.partition(".")
    if whole in ("0", "1") and dot and after.isdecimal() and after.isascii() and len(after) <= MOST_PLACES:
        return int(whole + after), len(after)  # as nearly all are
    too_long = f"{where}: row {row} has more than {MOST_PLACES} digits before or after the decimal point"
    number = parse_decimal(text)
    if number is None and is_decimal(text):
        raise DataError(too_long)
    if number is None:
        reason = "is empty" if not text else "is not one finite decimal number"
        raise DataError(f"{where}: row {row} {reason}")
    places = _places(number)
    if places > MOST_PLACES or abs(number) >= 10**MOST_PLACES:
        raise DataError(too_long)
    return int(number * 10**places), places


def _text(value: object) -> str:
    """Numbers of numpy and of Python; others are not decimals."""
    is_complex = isinstance(value, Complex) and not isinstance(value, Real)  # those of numpy have a float
    if isinstance(value, bool) or is_complex or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        return "?"
    if isinstance(value, Fraction):
        found = _places(value)
        return f"{int(value * 10**found)}e-{found}" if found <= MOST_PLACES else "?"
    return str(int(value)) if hasattr(value, "__index__") else repr(float(value))  # type: ignore[arg-type]


def _places(number: Fraction) -> int:
    """How many decimals a fraction has; more than are allowed if it has no end."""
    rest, twos, fives = number.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else MOST_PLACES + 1
