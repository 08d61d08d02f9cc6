"""The logistic loss and polynomials of degree 4 near it, as points for drawing, for Figures 1(a) and 1(b)."""

from __future__ import annotations

from math import exp, log1p
from typing import Any

import synthbounds as sb

RADIUS = 5
_POINTS = 201
_FINE = 4001


def xs(points: int = _POINTS) -> list[float]:
    return [RADIUS * (2 * i / (points - 1) - 1) for i in range(points)]


def loss(points: int = _POINTS) -> list[float]:
    """log(1 + exp(-x)), the negative of the log(sigmoid(x)) that the paper writes."""
    return [log1p(exp(-x)) for x in xs(points)]


def curve(coefficients: list[float], points: int = _POINTS) -> list[float]:
    return [sum(c * x**k for k, c in enumerate(coefficients)) for x in xs(points)]


def found(method: str) -> dict[str, Any]:
    """A polynomial computed by us, with the upper end of its certified error."""
    answer = sb.approximate("logistic", interval=(-RADIUS, RADIUS), degree=4, method=method)
    coefficients = [float(c.hi) for c in answer.coefficients]
    return {"coefficients": coefficients, "error": float(answer.error.hi), "values": curve(coefficients)}


def printed(coefficients: list[float], error: float) -> dict[str, Any]:
    """A polynomial as the paper prints it; `largest_difference_est` is the error of its printed coefficients."""
    largest = max(abs(v - f) for v, f in zip(curve(coefficients, _FINE), loss(_FINE), strict=True))
    entry = {"coefficients": coefficients, "error": error, "values": curve(coefficients)}
    return entry | {"largest_difference_est": largest}


def difference(entry: dict[str, Any], data: dict[str, Any]) -> list[float]:
    """Polynomial minus loss."""
    return [v - f for v, f in zip(entry["values"], data["loss"], strict=True)]
