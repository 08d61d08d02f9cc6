"""Certificates as JSON: everything an independent checker needs to prove the numbers again, and nothing it must trust.

The format is described in docs/certificates.md. Numbers are text: integers, fractions, m/2^k, or decimals.
"""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from typing import Any

from bounds.approximation.cells import LEAST_MARGIN, SupNorm, sup_norm
from bounds.approximation.result import Approximation, error_pieces, objective_ub
from bounds.enclosure import as_fraction, decimal_text, precision
from bounds.errors import ParameterError

VERSION = 1
HIGHEST_DEGREE = 200
_DIGITS = 30
_GUARD_BITS = 160
_ROOM_BITS = 64
"""No error is claimed to be smaller than 2^64 units of the checker, which it may lose at a kink."""


def require_certifiable(degree: int) -> None:
    """Refuse a degree for which the checker would take minutes."""
    if degree > HIGHEST_DEGREE:
        raise ParameterError("degree", degree, f"at most {HIGHEST_DEGREE} for a certificate", "checking takes too long")


def number_text(value: Fraction) -> str:
    """Exact text; a power of two in the denominator is written as one.

    >>> number_text(Fraction(5, 512)), number_text(Fraction(1, 3)), number_text(Fraction(-4))
    ('5/2^9', '1/3', '-4')
    """
    denominator = value.denominator
    if denominator > 1 and denominator & (denominator - 1) == 0:
        return f"{value.numerator}/2^{denominator.bit_length() - 1}"
    return str(value)


def certificate(found: Approximation, margin: Fraction = LEAST_MARGIN) -> dict[str, Any]:
    """What proves the error of the exact polynomial, and of the minimax or optimal one if there is a claim.

    A larger margin makes more and smaller cells, which a checker with wider intervals can close.
    """
    require_certifiable(found.degree)
    question, norm = found.question, on_whole_interval(found, margin)
    least = Fraction(1, 2 ** (_precision(found) - _ROOM_BITS))
    error = (norm.lo if found.error.lo else Fraction(0), norm.hi) if norm.hi > least else (Fraction(0), least)
    size = sum((abs(c) for c in found.polynomial), Fraction(0))
    body: dict[str, Any] = {
        "certificate": "polynomial approximation",
        "version": VERSION,
        "function": question.function.text,
        "interval": [number_text(question.left), number_text(question.right)],
        "degree": found.degree,
        "method": found.method,
        "polynomial": [number_text(c) for c in found.polynomial],
        "error": _ends(*error),
        "coefficient_sum": _ends(size, size),
        "precision": _precision(found),
        "attained": number_text(norm.at),
        "cells": [[*(number_text(as_fraction(x)) for x in (c.left, c.right, c.centre)), c.order] for c in norm.cells],
    }
    if found.lower is not None and found.method == "minimax":
        body["minimax"] = {
            **_ends(found.lower.value, Fraction(body["error"]["hi"])),
            "points": [number_text(x) for x in found.lower.points],
        }
    if found.objective is not None:
        s, radius = found.objective.marginal_error, found.objective.radius
        upper = objective_ub(found.polynomial, error_ub=Fraction(body["error"]["hi"]), s=s, radius=radius)
        body["objective"] = {
            **_ends(found.objective.lower, upper),
            "marginal_error": number_text(s),
            "points": [number_text(x) for x, _ in found.objective.measure],
        }
        if s != 0 or not found.objective.measure:  # otherwise they are those of the points, as for minimax
            body["objective"]["weights"] = [number_text(w) for _, w in found.objective.measure]
    body["sha256"] = digest(body)
    return body


def on_whole_interval(found: Approximation, margin: Fraction) -> SupNorm:
    """The cells; those of a symmetric error cover half the interval, and a checker knows nothing about symmetry."""
    if not found.norm.half_only and margin == LEAST_MARGIN:
        return found.norm
    with precision(found.precision):
        return sup_norm(
            error_pieces(found.question, found.polynomial),
            relative=found.question.relative_width,
            negligible=found.norm.hi,
            start=[] if found.lower is None else found.lower.points,
            margin=margin,
        )


def digest(body: dict[str, Any]) -> str:
    """A fingerprint that shows when a stored certificate was altered or damaged."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _ends(lo: Fraction, hi: Fraction) -> dict[str, str]:
    """Both ends in decimals, rounded outwards by a little more, so that a checker's own rounding fits in."""
    room = abs(hi) / 10 ** (_DIGITS - 2)
    return {
        "lo": decimal_text(max(lo - room, Fraction(0)), _DIGITS, up=False),
        "hi": decimal_text(hi + room, _DIGITS, up=True),
    }


def _precision(found: Approximation) -> int:
    """Enough bits after the point for a checker to have room to spare."""
    small = found.norm.hi or Fraction(1, 2**200)
    bits = max(0, small.denominator.bit_length() - small.numerator.bit_length())
    return bits + _GUARD_BITS + 2 * found.degree
