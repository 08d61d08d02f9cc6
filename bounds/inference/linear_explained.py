"""How much of a noisy least squares problem's response is explained: certified bounds on 2 m'b - b'G b at the true b.

With A b = c for the true A and c that is c'b, what b explains of the mean square of the response. Its noise at the
true b is one Gaussian variable, and what the noisy equations explain at their own solution differs from it by a
quadratic form over the confidence set, which is small. Proof: docs/proofs/synthbounds.noisy-regression.md, (e).
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from bounds.certify.inputs import RADIUS_DIGITS
from bounds.certify.radii import normal_interval
from bounds.enclosure import Enclosure, Undecided, decimal_text, precision
from bounds.inference.balls import ball, column, diagonal, form, is_positive_definite
from bounds.inference.linear_pivot import LinearPivot, joint_radius
from bounds.inference.linear_region import BITS, Surrounded

Ends = tuple[Fraction, Fraction]


def explained_square(pivot: LinearPivot, *, failure: Fraction, set_failure: Fraction) -> Ends | None:
    """Ends of c'b, which hold with probability at least 1 - failure - set_failure; None where the set is unbounded.

    Nothing may have been added to G without noise: the equations are those of least squares.
    """
    return explained_within(pivot, joint_radius(pivot, set_failure), normal_interval(failure) + pivot.rounding)


def explained_within(pivot: LinearPivot, radius: Fraction, z: Fraction) -> Ends | None:
    """Ends of c'b where the true b is in the set of the radius and the noise of 2 m'b - b'G b there is at most z of
    its deviations; None where the set is unbounded."""
    with precision(BITS):
        try:
            found = Surrounded(pivot, radius)
            most = ball(z) * _deviation(found)
            zero = column([arb(0)] * pivot.size)
            below = found.largest(found.matrix, zero, arb(0))
            above = arb(0)
            if not is_positive_definite(found.matrix):
                above = found.largest(-1 * found.matrix, zero, arb(0)).max(arb(0))
        except Undecided:
            return None
        own = (found.center.transpose() * found.right)[0, 0]
        lo, hi = Enclosure.of(own - below - most).lo, Enclosure.of(own + above + most).hi
    return Fraction(decimal_text(lo, RADIUS_DIGITS, up=False)), Fraction(decimal_text(hi, RADIUS_DIGITS, up=True))


def _deviation(found: Surrounded) -> arb:
    """Upper bound on the deviation over the set of 2 z'b - b'W b: its variance is 4 sum v_i b_i^2 + b' spread(b) b."""
    rights = diagonal([4 * ball(v) for v in found.pivot.right_variances])
    curved = rights + found.spread_bound()
    variance = found.largest(curved, curved * found.center, form(curved, found.center))
    return arb(variance.upper()).sqrt()
