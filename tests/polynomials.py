"""Shared by the tests of approximation: ask a question, compare an enclosure with published digits."""

from __future__ import annotations

from fractions import Fraction

import synthbounds as sb
from bounds.approximation.result import Approximation
from bounds.enclosure import Enclosure


def ask(function: str, interval: str, degree: int, method: str = "minimax", s: str | None = None) -> Approximation:
    return sb.approximate(function, interval=interval, degree=degree, method=method, marginal_error=s)


def relative_width(answer: Approximation) -> Fraction:
    least = answer.minimax_error
    assert least is not None
    return (least.hi - least.lo) / least.lo


def agrees(enclosure: Enclosure, text: str) -> bool:
    """Does an enclosure lie within one unit of the last digit of the text?"""
    unit = Fraction(1, 10 ** len(text.partition(".")[2].partition("e")[0]))
    if "e" in text:
        unit *= Fraction(10) ** int(text.partition("e")[2])
    return abs(enclosure.midpoint - Fraction(text)) <= unit
