"""Check a certificate of a polynomial approximation: `python -m verify.check_approximation FILE`.

Nothing here comes from the code that makes certificates: Python's integers and mpmath's exp and log do everything.
Numbers are intervals (lo, hi) of integers in units of 2^-p, rounded outwards; exp and log are widened by two units.
What is checked, and why it proves what the certificate claims, is in docs/certificates.md.
"""

import ast
import hashlib
import json
import sys
from fractions import Fraction
from functools import reduce
from math import lcm, prod
from typing import Any

from mpmath import mp

Interval = tuple[int, int]
Series = list[Interval]
Points = tuple[Fraction, ...]


class Rejected(Exception):
    """The certificate does not prove what it claims."""


def require(holds: bool, reason: str) -> None:
    if not holds:
        raise Rejected(reason)


def number(text: str) -> Fraction:
    """Exact rational from "7", "1/3", "5/2^9" or decimal text."""
    head, slash, tail = text.partition("/2^")
    short = len(text) < 20_000 and len(head.lower().partition("e")[2]) < 5 and (not slash or int(tail) <= 20_000)
    require(short and text.isascii(), "a number is too long")
    return Fraction(int(head), 1 << int(tail)) if slash else Fraction(head)


def plus(u: Series, v: Series, sign: int = 1) -> Series:
    return [(a + c, b + d) if sign > 0 else (a - d, b - c) for (a, b), (c, d) in zip(u, v, strict=True)]


class Checker:
    def __init__(self, tree: ast.AST, polynomial: list[Fraction], p: int) -> None:
        self.tree, self.polynomial, self.p = tree, polynomial, p

    def units(self, value: Fraction) -> Interval:
        scaled = value * (1 << self.p)
        return scaled.__floor__(), scaled.__ceil__()

    def taylor(self, node: ast.AST, cell: Points, here: Points, n: int) -> Series:
        """n coefficients, each an interval that holds at every point of `here`, a part of the cell.

        A max takes the branch that is the larger on the cell, up to a slack: adding (0, slack) to its value gives the
        coefficients of a family of smooth functions, one of which agrees with f at each point of the cell.
        """
        match node:
            case ast.Constant(value=int(value)) if value is not True and value is not False:
                return [self.units(Fraction(value)), *[(0, 0)] * (n - 1)]
            case ast.Name(id="x"):
                return [(self.units(here[0])[0], self.units(here[-1])[1]), (1 << self.p,) * 2, *[(0, 0)] * n][:n]
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return plus([(0, 0)] * n, self.taylor(inner, cell, here, n), -1)
            case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int(exponent))) if 0 < exponent <= 64:
                require(ast.dump(base).count("Pow()") < 3, "too many powers inside a power")
                return reduce(self.times, [self.taylor(base, cell, here, n)] * exponent)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as op, right=right):
                u, v = self.taylor(left, cell, here, n), self.taylor(right, cell, here, n)
                if isinstance(op, ast.Mult | ast.Div):
                    return self.times(u, v) if isinstance(op, ast.Mult) else self.quotient(u, v)
                return plus(u, v, 1 if isinstance(op, ast.Add) else -1)
            case ast.Call(func=ast.Name(id="exp" | "log" as name), args=[inner], keywords=[]):
                return (self.exp if name == "exp" else self.log)(self.taylor(inner, cell, here, n))
            case ast.Call(func=ast.Name(id="max"), args=[left, right], keywords=[]):
                slack = 4 << 8 * ast.dump(node).count("'max'")  # more than the slack of the arguments
                require(slack < 1 << 43, "too many max inside a max")
                low, high = self.range(ast.BinOp(left, ast.Sub(), right), cell)
                require(low >= -slack or high <= slack, "a cell contains a kink")
                (first, last), *rest = self.taylor(left if low >= -slack else right, cell, here, n)
                return [(first, last + slack), *rest]
        raise Rejected("the function is not in the grammar")

    def range(self, node: ast.AST, cell: Points) -> Interval:
        """Values on the cell; where the slope keeps its sign the ends decide."""
        value, slope = self.taylor(node, cell, cell, 2)
        monotone = not slope[0] < 0 < slope[1]
        values = [self.taylor(node, cell, (x,), 1)[0] for x in cell] if monotone else [value]
        return min(v[0] for v in values), max(v[1] for v in values)

    def dot(self, u: Series, v: Series) -> Interval:
        products = [(a * c, a * d, b * c, b * d) for (a, b), (c, d) in zip(u, v, strict=True)]
        return sum(map(min, products)) >> self.p, -(-sum(map(max, products)) >> self.p)

    def times(self, u: Series, v: Series) -> Series:
        return [self.dot(u[: k + 1], v[k::-1]) for k in range(len(u))]

    def quotient(self, u: Series, v: Series) -> Series:
        require(v[0][0] > 0 or v[0][1] < 0, "a divisor may vanish")
        result: Series = []
        for k in range(len(u)):
            rest = plus([u[k]], [self.dot(v[1 : k + 1], result[::-1])], -1)[0]
            shares = [((r << self.p) // d, -((-r << self.p) // d)) for r in rest for d in v[0]]
            result.append((min(s[0] for s in shares), max(s[1] for s in shares)))
        return result

    def exp(self, u: Series) -> Series:
        require(max(map(abs, u[0])) >> self.p < 10**4, "the argument of exp is too large")
        result = [self.increasing(mp.exp, u[0], extra=2 * max(u[0][1] >> self.p, 0))]
        for k in range(1, len(u)):  # k g_k = sum of j u_j g_(k-j)
            low, high = self.dot([(j * u[j][0], j * u[j][1]) for j in range(1, k + 1)], result[::-1])
            result.append((low // k, -(-high // k)))
        return result

    def log(self, u: Series) -> Series:
        require(u[0][0] > 0, "the argument of a logarithm may vanish")
        slopes = self.quotient([*((k * u[k][0], k * u[k][1]) for k in range(1, len(u))), (0, 0)], u)  # u'/u
        return [self.increasing(mp.log, u[0]), *((s[0] // k, -(-s[1] // k)) for k, s in enumerate(slopes[:-1], 1))]

    def increasing(self, function: Any, at: Interval, extra: int = 0) -> Interval:
        with mp.workprec(2 * self.p + 64 + extra):
            low, high = (int(mp.ldexp(function(mp.ldexp(x, -self.p)), self.p)) for x in at)
        return low - 2, high + 2

    def bound(self, cell: Points, c: Fraction, order: int) -> int:
        """At least |e|, e = f - P, on the cell, in units, from the Taylor coefficients at c."""
        f = self.taylor(self.tree, cell, (c,), order) + self.taylor(self.tree, cell, cell, order + 1)[order:]
        size, scale = len(self.polynomial), lcm(*(a.denominator for a in self.polynomial))
        shifted = [int(a * scale) * c.denominator ** (size - k) for k, a in enumerate(self.polynomial)]
        for start in range(size):
            for k in range(size - 2, start - 1, -1):
                shifted[k] += c.numerator * shifted[k + 1]
        exact = [self.units(Fraction(s, scale * c.denominator ** (size - k))) for k, s in enumerate(shifted)]
        n = max(len(f), size, 3)
        e = plus(f + [(0, 0)] * (n - len(f)), exact + [(0, 0)] * (n - size), -1)
        h, sizes = self.units(max(c - cell[0], cell[1] - c))[1], [max(-low, high) for low, high in e]

        def beyond(first: int, weight: Any) -> int:  # at least the sum of weight(k) |e_k| h^(k - first + 1), k >= first
            return reduce(lambda s, k: -(-(s + weight(k) * sizes[k]) * h >> self.p), range(n - 1, first - 1, -1), 0)

        variation, slope, bend = beyond(1, lambda _: 1), *(max(e[k][0], -e[k][1]) for k in (1, 2))
        bounds, least = [sizes[0] + variation], max(e[0][0], -e[0][1])
        grows = least > 0 and ((e[1][0] > 0) == (e[0][0] > 0)) == (c == cell[1])  # |e| at c, towards that end
        if c in cell and grows and slope > beyond(2, lambda k: k):
            bounds.append(max(sizes[0], variation - least))
        curvature = 2 * bend - beyond(3, lambda k: k * (k - 1))  # at most |e''| on the cell
        if curvature > 0:
            top, bottom = (e[0][1], e[0][0]) if e[2][1] < 0 else (-e[0][0], -e[0][1])  # of e(c), with e concave
            bounds.append(max(top + sizes[1] ** 2 // (2 * curvature) + 1, variation - bottom))
        return min(bounds)


def check(text: str) -> None:
    """Raise Rejected, or another exception where the text is not even a certificate."""
    c = json.loads(text)
    same = c.pop("sha256") == hashlib.sha256(json.dumps(c, sort_keys=True).encode()).hexdigest()
    p, degree, polynomial = c["precision"], c["degree"], [number(a) for a in c["polynomial"]]
    (left, right), lo, hi = map(number, c["interval"]), number(c["error"]["lo"]), number(c["error"]["hi"])
    known = same and (c["certificate"], c["version"], type(degree)) == ("polynomial approximation", 1, int)
    require(set(c["function"]) <= set("0123456789x+-*/^(),aeglmop"), "the function is not in the grammar")
    require(known and 0 < p <= 10_000 and 0 < degree == len(polynomial) - 1 <= 200 and left < right, "malformed")
    checker = Checker(ast.parse(c["function"].replace("^", "**"), mode="eval").body, polynomial, p)
    reached = left
    for *ends, order in c["cells"]:
        start, stop, centre = map(number, ends)
        covers = reached == start <= centre <= stop != start and 2 <= order <= 100
        require(covers and checker.bound((start, stop), centre, order) <= hi * 2**p, f"the cell at {ends[0]} fails")
        reached = stop
    at, size, radius = number(c["attained"]), sum(map(abs, polynomial)), max(abs(left), abs(right))
    exact = checker.units(sum((a * at**k for k, a in enumerate(polynomial)), Fraction(0)))
    low, high = plus(checker.taylor(checker.tree, (at,), (at,), 1), [exact], -1)[0]
    require(reached == right, "the cells do not cover the interval")
    require(left <= at <= right and max(low, -high, 0) >= lo * 2**p, "|f - P| does not reach error.lo there")
    require(number(c["coefficient_sum"]["lo"]) <= size <= number(c["coefficient_sum"]["hi"]), "wrong coefficient sum")
    for claim, variation in [(name, v) for name, v in (("minimax", 1), ("objective", 4)) if name in c]:
        s, points = number(c[claim].get("marginal_error", "0")), [number(x) for x in c[claim]["points"][:300]]
        if "weights" not in c[claim]:  # those whose moments vanish up to degree len(points) - 2
            weights = [1 / prod((x - y for y in points if y != x), start=Fraction(1)) for x in points]
            weights = [variation * w / total for total in [sum(map(abs, weights))] for w in weights]
            moments = [Fraction(len(set(points)) < max(degree + 2, len(points)))]
        else:
            weights = [number(w) for w in c[claim]["weights"]]
            pairs = list(zip(points, weights, strict=True))
            moments = [sum((w * (x / radius) ** k for x, w in pairs), Fraction(0)) for k in range(degree + 1)]
        bounded = moments[0] == 0 and max(map(abs, moments)) <= 2 * s and sum(map(abs, weights)) <= variation
        require(bounded and all(left <= x <= right for x in points), f"{claim}: the measure does not obey its bounds")
        values = [checker.taylor(checker.tree, (x,), (x,), 1)[0] for x in points]
        low, high = checker.dot(values, [checker.units(w) for w in weights])
        require(max(low, -high, 0) >= number(c[claim]["lo"]) * 2**p, f"{claim}.lo is not proved")
        cost = variation * hi + 2 * s * sum(abs(a) * radius**k for k, a in enumerate(polynomial) if k)
        require(cost <= number(c[claim]["hi"]), f"{claim}.hi is not proved")


if __name__ == "__main__":
    try:
        check(open(sys.argv[1], encoding="utf-8").read())  # noqa: SIM115 - the process ends with it
    except Exception as error:
        sys.exit(f"rejected: {str(error) or type(error).__name__}")
