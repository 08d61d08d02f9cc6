"""Ball arithmetic: exact rationals as long as possible, python-flint balls after that.

The only arithmetic that may say "certified". Works at the precision of the surrounding context; a question
it cannot answer there raises Undecided.
"""

from __future__ import annotations

from functools import reduce

from flint import arb, fmpq, fmpz

from bounds import curves, half_normal, special
from bounds.arithmetic import MOST_EXACT_TRIALS
from bounds.enclosure import BallNumber, Truth, Undecided, at_most
from bounds.log_ratio import rational_log_ratio


class BallArithmetic:
    """Numbers are fmpq (exact) or arb (enclosed)."""

    name = "ball"
    certified = True

    def ratio(self, numerator: int, denominator: int = 1) -> fmpq:
        return fmpq(numerator, denominator)

    def settled(self, x: BallNumber) -> BallNumber:
        """A ball of radius zero becomes a rational, so that 9/5 (1 + 0 pi) stays exactly 9/5."""
        if isinstance(x, arb) and x.is_exact() and x.is_finite():
            mantissa, exponent = x.man_exp()
            return fmpq(mantissa) * fmpq(2) ** int(exponent)
        return x

    def pi(self) -> arb:
        return arb.pi()

    def log(self, x: BallNumber) -> BallNumber:
        return fmpq(0) if x == 1 else _ball(x).log()

    def log_ratio(self, x: fmpq, y: fmpq) -> BallNumber:
        exact = rational_log_ratio(x, y)
        return self.log(x) / self.log(y) if exact is None else exact

    def exp(self, x: BallNumber) -> BallNumber:
        return fmpq(1) if x == 0 else _ball(x).exp()

    def expm1(self, x: BallNumber) -> BallNumber:
        return fmpq(0) if x == 0 else _ball(x).expm1()

    def sqrt(self, x: BallNumber) -> BallNumber:
        if isinstance(x, fmpq):
            root = _rational_sqrt(x)
            if root is not None:
                return root
        return _ball(x).sqrt()

    def power(self, x: BallNumber, y: BallNumber) -> BallNumber:
        if isinstance(y, fmpq) and y.denom() == 1:
            return x ** int(y.numer())
        return (_ball(y) * _ball(x).log()).exp()

    def gamma(self, x: BallNumber) -> arb:
        return arb.gamma_fmpq(x) if isinstance(x, fmpq) else x.gamma()

    def max(self, *xs: BallNumber) -> BallNumber:
        return reduce(_larger, xs)

    def min(self, *xs: BallNumber) -> BallNumber:
        return -self.max(*(-x for x in xs))

    def ceil(self, x: BallNumber) -> fmpq:
        if isinstance(x, fmpq):
            return fmpq(-((-x.numer()) // x.denom()))
        whole = x.ceil().unique_fmpz()
        if whole is None:
            raise Undecided
        return fmpq(whole)

    def theta(self, x: BallNumber) -> arb:
        return special.theta(_ball(x))

    def laplace_max_quantile(self, count: BallNumber, failure: fmpq) -> BallNumber:
        if failure >= 1:
            return fmpq(0)
        return -((-(_ball(-failure).log1p() / count).expm1()).log())

    def gamma_quantile(self, shape: fmpq, failure: fmpq) -> BallNumber:
        if failure >= 1:
            return fmpq(0)
        return special.gamma_quantile(shape, failure)

    def normal_max_quantile(self, count: BallNumber, failure: fmpq) -> BallNumber:
        if failure >= 1:
            return fmpq(0)
        tail = -(_ball(-failure).log1p() / count).expm1()
        return tail.erfcinv() * arb(2).sqrt()

    def normal_within(self, x: BallNumber) -> BallNumber:
        return fmpq(0) if x == 0 else (_ball(x) / arb(2).sqrt()).erf()

    def gaussian_factor(self, epsilon: fmpq, dp_delta: fmpq) -> arb:
        return special.gaussian_factor(epsilon, dp_delta)

    def zcdp_epsilon(self, rho: fmpq, dp_delta: fmpq) -> arb:
        return curves.zcdp_epsilon(rho, dp_delta)

    def half_normal_sum_bound(self, count: BallNumber, exponent: BallNumber) -> arb:
        return special.half_normal_sum_bound(_ball(count), _ball(exponent))

    def half_normal_sum_quantile(self, count: fmpq, sums: fmpq, failure: fmpq) -> BallNumber:
        exact = half_normal.largest_sum_quantile(int(count), int(sums), failure)
        return self.half_normal_sum_bound(count, self.log(sums / failure)) if exact is None else exact

    def binomial_sum(self, n: fmpq, most: fmpq, x: fmpq) -> fmpq:
        total, term = fmpq(1), fmpq(1)
        for i in range(int(most)):
            term = term * (n - i) * x / (i + 1)
            total += term
        return total

    def binomial(self, n: fmpq, k: fmpq) -> fmpq:
        return fmpq(fmpz.bin_uiui(int(n), int(k)))

    def binomial_below(self, trials: fmpq, success: BallNumber, least: fmpq) -> BallNumber:
        if trials < least:
            return fmpq(1)
        if trials > MOST_EXACT_TRIALS:
            mean = _ball(trials) * success
            chernoff = (-((mean - least) ** 2) / (2 * mean)).exp() if mean > least else fmpq(1)
            return self.min(chernoff, self.binomial_below(fmpq(MOST_EXACT_TRIALS), success, least))
        failures = _ball(trials - least + 1)
        return _ball(1 - success).beta_lower(failures, _ball(least), regularized=True)

    def logistic_truncation(self, radius: fmpq, half_degree: fmpq) -> arb:
        return special.logistic_truncation(radius, int(half_degree))


def _ball(x: BallNumber | int) -> arb:
    return x if isinstance(x, arb) else arb(x)


def _larger(a: BallNumber, b: BallNumber) -> BallNumber:
    order = at_most(a, b)
    if order is Truth.UNKNOWN:
        return _ball(a).max(_ball(b))
    return b if order is Truth.TRUE else a


def _rational_sqrt(x: fmpq) -> fmpq | None:
    if x < 0:
        return None
    numerator, denominator = fmpz(x.numer()), fmpz(x.denom())
    top, bottom = numerator.isqrt(), denominator.isqrt()
    return fmpq(top, bottom) if top * top == numerator and bottom * bottom == denominator else None


BALL = BallArithmetic()
