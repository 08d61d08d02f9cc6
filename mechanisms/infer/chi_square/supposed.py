"""What a plan supposes: the shares of all cells, or those of the margins and an effect."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError, UsageError
from bounds.exact import Exact, parse_rational, require_range

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats

Table = Sequence[Sequence[Exact]]
Margins = tuple[Sequence[Exact], Sequence[Exact]]


def supposed_shares(
    levels: tuple[int, int], *, effect: Exact | None, shares: Table | None, margins: Margins | None
) -> tuple[Floats, float]:
    """The shares that are supposed and their phi; a product where only an effect is given."""
    r, c = levels
    if shares is not None:
        if margins is not None:
            raise UsageError("margins: follow from the shares")
        cells = [_shares(row, c, "shares", total=None) for row in shares]
        if len(cells) != r or sum(map(sum, cells)) != 1:
            raise ParameterError("shares", f"{len(cells)} rows", f"{r} rows of {c} shares that add up to 1")
        found = np.array(cells, dtype=np.float64)
        a, b = found.sum(1), found.sum(0)
        if not (a.all() and b.all()):
            raise ParameterError("shares", "a margin of 0", "above 0 in every row and column")
        product = np.outer(a, b)
        return found, float(np.sqrt(((found - product) ** 2 / product).sum()))
    parsed = parse_rational(effect, "effect")
    require_range("effect", parsed, effect, above=0, most=1, reason="Cramér's V")
    given = margins or ([Fraction(1, r)] * r, [Fraction(1, c)] * c)
    first, second = (
        np.array(_shares(m, k, "margins", total=1), dtype=np.float64) for m, k in zip(given, levels, strict=True)
    )
    if not (first.all() and second.all()):
        raise ParameterError("margins", "0", "above 0 for every value")
    return np.outer(first, second), float(parsed) * sqrt(min(r, c) - 1)


def _shares(values: Sequence[Exact], count: int, name: str, *, total: int | None) -> list[Fraction]:
    found = [parse_rational(value, name) for value in values]
    if len(found) != count or min(found) < 0 or (total is not None and sum(found) != total):
        raise ParameterError(name, f"{len(found)} shares", f"{count} shares of at least 0 that add up to 1")
    return found
