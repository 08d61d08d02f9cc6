"""Taylor coefficients of a function on a cell, each as an interval that certainly contains it.

An interval is a pair of integers (lo, hi) in units of 2^-p. Sums, products and quotients are exact
in Python's integers and rounded outwards; exp and log come from python-flint's balls, which contain
the true value. So the coefficients that a function has at any point in question lie in the
intervals.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx, fmpq

from verify.checkers import Rejected, Work, require, steps
from verify.checkers.expression import NEGATIVE, NUMBER, POWER, VARIABLE, Node, node

Interval = tuple[int, int]
Series = list[Interval]
Points = tuple[Fraction, ...]
"""The two ends of a cell, or a single point."""
ZERO: Interval = (0, 0)
LARGEST_EXPONENT = 10_000
SMALL_SLACK = 4
SLACK_GROWTH_BITS = 8


def added(u: Series, v: Series) -> Series:
    return [(a + c, b + d) for (a, b), (c, d) in zip(u, v, strict=True)]


def subtracted(u: Series, v: Series) -> Series:
    return [(a - d, b - c) for (a, b), (c, d) in zip(u, v, strict=True)]


def times_index(u: Series) -> Series:
    """k u_k in place of u_k: the derivative, up to a shift."""
    return [(k * a, k * b) for k, (a, b) in enumerate(u)]


def width_bits(u: Series) -> int:
    """Bits of the largest number in a series."""
    return max(max(abs(a), abs(b)) for a, b in u).bit_length()


class Taylor:
    """Arithmetic with p bits after the point, and the coefficients of functions in it."""

    def __init__(self, p: int, work: Work) -> None:
        self.p = p
        self.work = work

    # arithmetic of intervals and series

    def units(self, value: Fraction) -> Interval:
        """A rational number, in units, rounded both ways."""
        scaled = value.numerator << self.p
        return scaled // value.denominator, -(-scaled // value.denominator)

    def dot(self, u: Series, v: Series) -> Interval:
        """The sum of the products of two lists of intervals."""
        low = high = 0
        for (a, b), (c, d) in zip(u, v, strict=True):
            products = (a * c, a * d, b * c, b * d)
            low += min(products)
            high += max(products)
        return low >> self.p, -(-high >> self.p)

    def charge(self, u: Series, v: Series) -> None:
        """Announce that two series will be multiplied or divided."""
        pairs = len(u) * (len(u) + 1) // 2
        self.work.charge(4 * pairs, width_bits(u), width_bits(v))

    def product(self, u: Series, v: Series) -> Series:
        self.charge(u, v)
        return [self.dot(u[: k + 1], v[k::-1]) for k in range(len(u))]

    def quotient(self, u: Series, v: Series) -> Series:
        """w with u = v w: each coefficient of w is the remainder of u's, over v_0."""
        low, high = v[0]
        require(low > 0 or high < 0, "a divisor may vanish")
        self.charge(u, v)
        found: Series = []
        for k in range(len(u)):
            known = self.dot(v[1 : k + 1], found[::-1])
            rest = (u[k][0] - known[1], u[k][1] - known[0])
            shifted = [end << self.p for end in rest]
            lows = [end // divisor for end in shifted for divisor in v[0]]
            highs = [-(-end // divisor) for end in shifted for divisor in v[0]]
            found.append((min(lows), max(highs)))
        return found

    def power(self, u: Series, exponent: int) -> Series:
        """By the binary digits of the exponent, the first of which is 1: square, multiply by u."""
        found = u
        for digit in bin(exponent)[3:]:
            found = self.product(found, found)
            if digit == "1":
                found = self.product(found, u)
        return found

    def exp(self, u: Series) -> Series:
        """g = exp(u) has g' = u' g, that is k g_k = sum of j u_j g_(k-j)."""
        largest = max(abs(end) for end in u[0])
        require(largest >> self.p < LARGEST_EXPONENT, "the argument of exp is too large")
        self.charge(u, u)
        slopes = times_index(u)
        found = [(self.ball(u[0][0], "exp")[0], self.ball(u[0][1], "exp")[1])]
        for k in range(1, len(u)):
            low, high = self.dot(slopes[1 : k + 1], found[::-1])
            found.append((low // k, -(-high // k)))
        return found

    def log(self, u: Series) -> Series:
        """g = log(u) has g' = u'/u."""
        require(u[0][0] > 0, "the argument of a logarithm may vanish")
        slopes = self.quotient([*times_index(u)[1:], ZERO], u)
        found = [(self.ball(u[0][0], "log")[0], self.ball(u[0][1], "log")[1])]
        for k, (low, high) in enumerate(slopes[:-1], start=1):
            found.append((low // k, -(-high // k)))
        return found

    def ball(self, at: int, name: str) -> Interval:
        """exp or log at a whole number of units, between two whole numbers of units."""
        size = max(abs(at) >> self.p, 1) if name == "exp" else at.bit_length()
        bits = 2 * self.p + 64 + 2 * size
        self.work.charge(10 + steps(1, bits, bits))
        with ctx.workprec(bits):
            argument = arb(fmpq(at, 1 << self.p))
            value = (argument.exp() if name == "exp" else argument.log()) * (1 << self.p)
            low, high = value.lower().floor().unique_fmpz(), value.upper().ceil().unique_fmpz()
        if low is None or high is None:
            raise Rejected(f"{name} has no value")
        return int(low), int(high)

    # functions

    def coefficients(self, f: Node, cell: Points, here: Points, n: int) -> Series:
        """n coefficients of f, each an interval valid at every point of `here` in the cell."""
        if f.kind == NUMBER:
            return [self.units(Fraction(f.value)), *[ZERO] * (n - 1)]
        if f.kind == VARIABLE:
            value = (self.units(here[0])[0], self.units(here[-1])[1])
            return [value, (1 << self.p, 1 << self.p), *[ZERO] * n][:n]
        if f.kind == "max":
            return self.larger(f, cell, here, n)
        parts = [self.coefficients(part, cell, here, n) for part in f.parts]
        return self.combined(f, parts)

    def combined(self, f: Node, parts: list[Series]) -> Series:
        if f.kind == NEGATIVE:
            return [(-b, -a) for a, b in parts[0]]
        if f.kind == POWER:
            return self.power(parts[0], f.value)
        if f.kind == "exp":
            return self.exp(parts[0])
        if f.kind == "log":
            return self.log(parts[0])
        operations = {"+": added, "-": subtracted, "*": self.product, "/": self.quotient}
        if f.kind not in operations:
            raise Rejected("the function is not in the grammar")
        return operations[f.kind](*parts)

    def larger(self, f: Node, cell: Points, here: Points, n: int) -> Series:
        """max(u, v) by the branch that is larger on the whole cell, up to a slack.

        Section Kinks of docs/certificates.md: for each number d from 0 to the slack, the branch
        plus d is smooth, and at each point of the cell one of them is the maximum. The slack is
        more than what the maxima inside u and v may have lost.
        """
        left, right = f.parts
        slack = SMALL_SLACK << SLACK_GROWTH_BITS * f.switches
        low, high = self.values(node("-", left, right), cell)
        require(low >= -slack or high <= slack, "a cell contains a kink")
        branch = left if low >= -slack else right
        (first, last), *rest = self.coefficients(branch, cell, here, n)
        return [(first, last + slack), *rest]

    def values(self, f: Node, cell: Points) -> Interval:
        """All values on the cell; if the slope keeps its sign, the ends decide."""
        whole, slope = self.coefficients(f, cell, cell, 2)
        if slope[0] < 0 < slope[1]:
            return whole
        ends = [self.value(f, x, cell) for x in cell]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def value(self, f: Node, x: Fraction, cell: Points = ()) -> Interval:
        """The value at one point, on the branches taken on the cell if one is given."""
        return self.coefficients(f, cell or (x,), (x,), 1)[0]
