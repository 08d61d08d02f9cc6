"""A loss of the margin for envelopes: values and second derivatives in balls, values in floating point, kinks.

Losses are those of `bounds.approximation` by name or as text, and the squared loss. A loss is only assumed to be twice
differentiable between its kinks; convexity only makes envelopes cheaper.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb

from bounds.approximation.balls import BallFunction
from bounds.approximation.expression import compile_expression
from bounds.approximation.functions import Function, find_function
from bounds.approximation.pieces import Piece
from bounds.enclosure import as_fmpq
from bounds.errors import NotApplicable, ParameterError

SHORTEST_STEP = 2**20
"""Ranges begin and end at multiples of its reciprocal, so that cells have exact floating-point corners."""
_ALSO_KNOWN = {"squared": "(1-x)^2/2"}


@lru_cache(maxsize=64)
def margin_function(name: str) -> Function:
    """The loss as a function of the margin x."""
    try:
        return find_function(_ALSO_KNOWN.get(name, name), "loss")
    except ParameterError as error:  # an error about the text names it a function
        raise ParameterError("loss", name, f"logistic, hinge, squared or {error.allowed}", error.reason) from None


class _FloatOperations:
    """Calls on arrays, for searches."""

    @staticmethod
    def constant(value: Fraction) -> Any:
        number = float(value)
        return lambda _: number

    def __getattr__(self, name: str) -> Any:
        import numpy as np

        return {"max": np.maximum, "min": np.minimum, "abs": np.abs}.get(name) or getattr(np, name)


class LossOnBalls:
    """A loss on [-reach, reach], with values and curvatures kept, because cells share their corners."""

    def __init__(self, name: str, reach: Fraction) -> None:
        self.name = name
        self.function = margin_function(name)
        self.pieces: tuple[Piece, ...] = self.function.pieces(-reach, reach)
        if any(not piece.is_smooth for piece in self.pieces):
            raise NotApplicable(f"loss = {name[:60]}: its kinks could not be located exactly")
        if any(Fraction(float(kink)) != kink or (kink * SHORTEST_STEP).denominator != 1 for kink in self.kinks):
            raise NotApplicable(f"loss = {name[:60]}: a kink is not a multiple of 2^-20")
        self._functions = [BallFunction(piece.expression) for piece in self.pieces]
        self._ends = [as_fmpq(piece.right) for piece in self.pieces]
        self._float_ends = [float(kink) for kink in self.kinks]
        self._values: dict[float, arb] = {}
        self._curvatures: dict[tuple[float, float], tuple[arb, arb]] = {}
        try:
            self._compiled = compile_expression(self.function.expression, _FloatOperations())
            finite = self._is_finite(float(reach))
        except (ArithmeticError, ValueError):
            finite = False
        if not finite:
            raise NotApplicable(
                f"loss = {name[:60]}: has no finite value, in floating point, at every score up to {float(reach):.6g}"
            )

    def _is_finite(self, reach: float) -> bool:
        import numpy as np

        with np.errstate(all="ignore"):
            return bool(np.isfinite(self.values_est(np.linspace(-reach, reach, 65))).all())

    @property
    def kinks(self) -> tuple[Fraction, ...]:
        return tuple(piece.right for piece in self.pieces[:-1])

    def value(self, t: float) -> arb:
        """phi(t) at a binary fraction."""
        found = self._values.get(t)
        if found is None:
            found = self._functions[self._piece(t)](arb(t))
            self._values[t] = found
        return found

    def at(self, t: Fraction) -> arb:
        """phi(t) at any point of the range, not kept."""
        piece = next((i for i, end in enumerate(self._ends[:-1]) if as_fmpq(t) <= end), len(self._ends) - 1)
        return self._functions[piece](arb(as_fmpq(t)))

    def curvature(self, low: float, high: float) -> tuple[arb, arb]:
        """Bounds below and above of phi'' on [low, high], inside which there is no kink."""
        found = self._curvatures.get((low, high))
        if found is None:
            ball = arb(low).union(arb(high))
            coefficients, _ = self._functions[self._piece((low + high) / 2)].taylor(ball, 2)
            twice = 2 * coefficients[2]
            found = twice.lower(), twice.upper()
            self._curvatures[low, high] = found
        return found

    def values_est(self, t: Any) -> Any:
        """phi on an array of floats."""
        import numpy as np

        return np.broadcast_to(self._compiled(t), np.shape(t))

    def _piece(self, t: float) -> int:
        return next((i for i, end in enumerate(self._float_ends) if t <= end), len(self._ends) - 1)
