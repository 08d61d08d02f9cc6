"""A reference that is nearly levelled, in floating point: a cheap start for the exchange, on which nothing relies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

from flint import fmpq

from bounds.approximation.expression import Expression, compile_expression
from bounds.approximation.rationals import rounded

_STEPS = 6
_LOOK = 0.003
"""How far beside a node the error is looked at, as a share of the way to the nearer neighbour."""
_NEAR = 1e-5
"""A move of all nodes by less than this share of that way is the last one."""
_LEAST_ERROR = 1e-10
"""Errors below this share of the values drown in rounding."""
_POINT_BITS = 60


class _Floats:
    """Calls on floats."""

    exp, log, sqrt, abs = math.exp, math.log, math.sqrt, abs
    max, min = max, min

    @staticmethod
    def constant(value: Fraction) -> Callable[[float], float]:
        number = float(value)
        return lambda _: number


def nearly_levelled(tree: Expression, nodes: Sequence[fmpq], *, slope: float | None) -> list[fmpq]:
    """The nodes moved towards the extrema of the levelled error, ends kept; unchanged if floats do not suffice.

    With a slope, f(x) - slope x is even and the polynomial is one in x^2.
    """
    try:
        found = _moved([float(x) for x in nodes], compile_expression(tree, _Floats), slope)
    except (ArithmeticError, ValueError):
        return list(nodes)
    if found is None:
        return list(nodes)
    scale = nodes[-1] - nodes[0]
    return [nodes[0], *(rounded(_exactly(x), scale, _POINT_BITS) for x in found[1:-1]), nodes[-1]]


def _exactly(x: float) -> fmpq:
    return fmpq(*x.as_integer_ratio())


def _moved(xs: list[float], f: Callable[[float], float], slope: float | None) -> list[float] | None:
    """Every node to the vertex of the parabola through the error at it and beside it, a few times."""
    middle = 0.0 if slope is not None else (xs[0] + xs[-1]) / 2

    def pair(x: float) -> tuple[float, float]:
        """The variable of the polynomial, and the value that it is to have."""
        return (x * x, f(x) - slope * x) if slope is not None else (x - middle, f(x))

    for _ in range(_STEPS):
        pairs = [pair(x) for x in xs]
        vs = [v for v, _ in pairs]
        half = (max(vs) - min(vs)) / 4  # products of differences in units of the capacity stay near 1
        weights = [1 / math.prod((v - u) / half for u in vs if u != v) for v in vs]
        signed = sum(w if i % 2 == 0 else -w for i, w in enumerate(weights))
        error = sum(w * y for w, (_, y) in zip(weights, pairs, strict=True)) / signed
        if not abs(error) > _LEAST_ERROR * max(abs(y) for _, y in pairs):
            return None
        # any n - 1 of the nodes determine the polynomial; the weights without the last node
        targets = [
            (v, w * (v - vs[-1]), y - error if i % 2 == 0 else y + error)
            for i, (v, w, (_, y)) in enumerate(zip(vs[:-1], weights, pairs, strict=False))
        ]

        def e(x: float, targets: list[tuple[float, float, float]] = targets) -> float:
            v, y = pair(x)
            top = bottom = 0.0
            for u, w, t in targets:
                share = w / (v - u)
                top += share * t
                bottom += share
            return y - top / bottom

        moved, largest = [xs[0]], 0.0
        for i in range(1, len(xs) - 1):
            x, gap = xs[i], min(xs[i] - xs[i - 1], xs[i + 1] - xs[i])
            h, here = _LOOK * gap, error if i % 2 == 0 else -error
            before, after = e(x - h), e(x + h)
            bend = before - 2 * here + after
            if not bend * here < 0:
                return None
            move = h * (before - after) / (2 * bend)
            if abs(move) > gap / 2:
                return None
            moved.append(x + move)
            largest = max(largest, abs(move) / gap)
        if not all(a < b for a, b in pairwise([*moved, xs[-1]])):
            return None
        xs = [*moved, xs[-1]]
        if largest < _NEAR:
            break
    return xs
