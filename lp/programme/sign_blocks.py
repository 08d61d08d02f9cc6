"""Large programmes of parities and of monomials of two levels, of degree at most three: a density near the optimum.

First a bound from tables (lp.programme.bit_bound). Then a least-squares fit without walls, whose share of entropy falls
while that brings the answers nearer. Then walls: groups with residuals beyond them are visited until none is left, and
the walls move towards the bound, as long as they are reached and the visits last. The density has weight on every point
and is meant to be used as it is; its certificate says how near it is to the optimum. Work is counted in visits, never
in seconds, so that the same programme has the same answer everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lp.programme.bit_bound import bit_bound
from lp.programme.block_newton import BlockFit
from lp.programme.matrix_bits import bits_matrix
from lp.programme.solve import Candidate

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lp.programme.matrices import QueryMatrix

    Vector = NDArray[np.float64]

GAP = 0.01
"""Nothing is tried nearer to the bound than this."""
ENOUGH = 0.5
"""Within this share of the bound the fit is good enough: the promise adds noise to both, and the exact
optimum takes a hundred times as long."""
_FIRST_RIDGE, _LESS = 0.0125, 1 / 3
"""For queries whose values are 1 apart; the share of entropy starts there and falls by this factor."""
_MOST_LEVELS, _SWEEPS_A_LEVEL, _WORTH = 8, 2, 0.85
"""It falls while the root mean square of the residuals falls to this share."""
_FIRST_ROOM, _SHARE = 1.25, 0.6
"""The first walls: this multiple of the bound, or this share of the largest residual without walls."""
_CLOSER, _MOST_CLOSER = 0.6, 0.85
"""Walls that are reached move to this share of their distance from the bound, not below this share of themselves."""
_REACHED, _SHARE_REACHED = 1.02, 0.25
"""Reached: no residual is beyond this multiple of the walls, nor by this share of their distance from the bound."""
_SWEEPS_IN_ALL, _LEAST_VISITS = 48, 400
_NOTHING = 1e-12
"""Residuals of this size are rounding."""
_STRIDE = 3
"""After this many sweeps the fit goes further in the direction of those sweeps."""
_FOCUS = 4
"""At most one group in this many is visited before all residuals are recomputed."""
_SEED = 20_240_301


def sign_blocks(matrix: QueryMatrix, target: Vector, *, say: Callable[[str], None] | None = None) -> Candidate:
    """A density with weight on every point, and the best dual weights found."""
    bits = bits_matrix(matrix)
    target = np.asarray(target, dtype=np.float64)
    bound = bit_bound(bits, target)
    fit = BlockFit(bits, target)
    order = np.random.Generator(np.random.Philox(_SEED))
    _settle(fit, order, apart=2.0 if matrix.family.name == "parities" else 1.0)
    best, h, y = float("inf"), fit.h, fit.y
    wall = max(_FIRST_ROOM * bound.value_est, _SHARE * float(np.abs(fit.residuals()).max()))
    rounds, left = 0, max(_SWEEPS_IN_ALL * len(fit.groups), _LEAST_VISITS)
    at_a_time = -(-len(fit.groups) // _FOCUS)
    while left > 0 and best > max((1 + GAP) * bound.value_est, _NOTHING):
        fit.wall, rounds = wall, rounds + 1
        start, since = fit.here(), 0
        reached = min(_REACHED * wall, wall + _SHARE_REACHED * (wall - bound.value_est))
        while left > 0:
            residuals = np.abs(fit.residuals())
            if residuals.max() < best:
                best, h, y = float(residuals.max()), fit.h.copy(), fit.y.copy()
            if best <= reached:
                break
            chosen = fit.groups_of(np.maximum(residuals - wall, 0.0), at_a_time)
            for group in chosen:
                fit.visit(group)
            left -= len(chosen)
            since += len(chosen)
            if since >= _STRIDE * len(fit.groups):
                fit.further(start)
                start, since = fit.here(), 0
        if say is not None:
            say(f"blocks: walls at {wall:.3e}, reached {best:.3e}, bound {bound.value_est:.3e}")
        wall = max(bound.value_est + _CLOSER * (wall - bound.value_est), _MOST_CLOSER * wall)
    dual, lower = bound.dual, bound.value_est
    ours = fit.lower_est(y)
    if ours > lower:
        dual, lower = y / np.abs(y).sum(), ours
    return Candidate(np.arange(bits.columns), h, dual, best, lower, "blocks", rounds, fit.visits, is_density=True)


def _settle(fit: BlockFit, order: np.random.Generator, *, apart: float) -> None:
    """The fit without walls."""
    fit.ridge, before = _FIRST_RIDGE * apart * apart, float("inf")
    for _ in range(_MOST_LEVELS):
        for _ in range(_SWEEPS_A_LEVEL):
            for i in order.permutation(len(fit.groups)):
                fit.visit(fit.groups[i])
        size = float(np.sqrt(np.mean(fit.residuals() ** 2)))
        if size > _WORTH * before:
            return
        fit.ridge, before = fit.ridge * _LESS, size
