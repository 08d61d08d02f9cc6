"""Check a certificate of a density programme: `python -m verify.check_density FILE`.

Nothing here comes from the code that makes certificates, and only the standard library is used: queries are evaluated
one at a time in Python's integers, at every reference point. The programme: minimise max_q |h(q) - target(q)| over
probability vectors h on the reference points. Any h bounds its optimum from above. For dual weights y, which may be
negative, the optimum is at least (min_x sum_q y_q q(x) - sum_q y_q target(q)) / sum_q |y_q|, because the average over
h of the first sum is at least its minimum. It is at least 0, too.
"""

import json
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, product
from math import lcm, prod
from typing import Any

Point = tuple[int, ...]
Query = tuple[tuple[int, int], ...]
"""Factors: an attribute and a level, or an attribute and a power."""

PROBLEM = ("certificate", "version", "sizes", "family", "degree", "points", "queries", "targets")
PROOF = ("support", "weights", "dual", "lower", "upper")
MOST_POINTS = 2**22

# what a factor is worth at a code, as an integer; over (size - 1)^power for monomials and moments
FACTORS: dict[str, Callable[[int, int], int]] = {
    "monomials": lambda code, power: code,
    "moments": lambda code, power: code**power,
    "parities": lambda code, power: 1 - 2 * code,
    "cells": lambda code, level: int(code == level),
    "thresholds": lambda code, level: int(code >= level),
}


class Rejected(Exception):
    """The certificate does not prove what it claims."""


def require(holds: bool, reason: str) -> None:
    if not holds:
        raise Rejected(reason)


def number(text: Any) -> Fraction:
    require(isinstance(text, str) and len(text) < 4000 and text.isascii(), "a number is not short text")
    require(set(text) <= set("0123456789-/"), "a number is not an integer or a ratio of integers")
    return Fraction(text)


def whole(text: Any) -> int:
    value = number(text)
    require(value.denominator == 1, "a weight is not a whole number")
    return value.numerator


def integers(values: Any, reason: str) -> tuple[int, ...]:
    require(isinstance(values, list) and all(type(value) is int for value in values), reason)
    return tuple(values)


def parameters(family: str, size: int, degree: int) -> range:
    """The levels or powers that a factor of the family may have."""
    if family == "cells":
        return range(size)
    return range(1, {"moments": degree + 1, "thresholds": size}.get(family, 2))


def all_queries(family: str, sizes: Point, degree: int) -> Iterator[Query]:
    """Every query of the family: products of factors of distinct attributes, of order at most `degree`."""
    for factors in range(1, min(degree, len(sizes)) + 1):
        for attributes in combinations(range(len(sizes)), factors):
            choices = [[(j, value) for value in parameters(family, sizes[j], degree)] for j in attributes]
            for query in product(*choices):
                if family != "moments" or sum(power for _, power in query) <= degree:
                    yield query


class Programme:
    """Queries in integers: the value of a query at a point is `value` / `scale`."""

    def __init__(self, family: str, sizes: Point, queries: list[Query]) -> None:
        self.factor, self.queries = FACTORS[family], queries
        scaled = family in ("monomials", "moments")
        below = [prod((sizes[j] - 1) ** power for j, power in query) if scaled else 1 for query in queries]
        self.scale = lcm(*below)
        self.multiples = [self.scale // each for each in below]

    def value(self, q: int, point: Point) -> int:
        found = self.multiples[q]
        for attribute, parameter in self.queries[q]:
            found *= self.factor(point[attribute], parameter)
        return found

    def lower(self, points: Iterator[Point], targets: list[Fraction], dual: list[int]) -> Fraction:
        active = [(q, y) for q, y in enumerate(dual) if y]
        if not active:
            return Fraction(0)
        least = min(sum(y * self.value(q, point) for q, y in active) for point in points)
        excess = Fraction(least, self.scale) - sum(y * targets[q] for q, y in active)
        return max(Fraction(0), excess / sum(abs(y) for _, y in active))

    def upper(self, support: list[Point], weights: list[int], targets: list[Fraction]) -> Fraction:
        total, worst = sum(weights) * self.scale, Fraction(0)
        for q, target in enumerate(targets):
            answer = sum(w * self.value(q, point) for point, w in zip(support, weights, strict=True))
            worst = max(worst, abs(Fraction(answer, total) - target))
        return worst


def check(text: str) -> tuple[Fraction, Fraction]:
    """The bounds that the certificate proves; raise Rejected where they are not the ones it claims, or better."""
    c = json.loads(text)
    require(isinstance(c, dict) and set(c) - {"note"} == {*PROBLEM, *PROOF}, "fields are missing or unknown")
    known = c["certificate"] == "density" and type(c["version"]) is int and c["version"] == 1
    require(known and isinstance(c["family"], str) and c["family"] in FACTORS, "malformed")
    sizes, degree = integers(c["sizes"], "sizes are not integers"), c["degree"]
    require(0 < len(sizes) <= 1000 and min(sizes) >= 2, "an attribute has fewer than two levels")
    require(c["family"] != "parities" or max(sizes) == 2, "parities need Boolean attributes")
    require(type(degree) is int and 1 <= degree <= 1000, "the degree is not a positive integer")

    def points_of(listed: Any, what: str) -> list[Point]:
        require(isinstance(listed, list) and len(listed) > 0, f"no {what} points")
        found = [integers(point, f"a {what} point is not a list of integers") for point in listed]
        inside = all(len(x) == len(sizes) and all(0 <= v < s for v, s in zip(x, sizes, strict=True)) for x in found)
        require(inside and len(set(found)) == len(found), f"a {what} point is outside the domain or listed twice")
        return found

    require(isinstance(c["queries"], list) and len(c["queries"]) > 0, "no queries")
    queries = [tuple((pair[0], pair[1]) for pair in (integers(p, "malformed query") for p in q)) for q in c["queries"]]
    listed, expected = set(queries), 0
    for query in all_queries(c["family"], sizes, degree):
        expected += 1
        require(query in listed and expected <= len(queries), "the queries are not those of the family")
    require(expected == len(queries), "the queries are not those of the family")
    targets, dual = [number(t) for t in c["targets"]], [whole(y) for y in c["dual"]]
    require(len(targets) == len(dual) == len(queries), "a query needs one target and one dual weight")
    support, weights = points_of(c["support"], "support"), [whole(w) for w in c["weights"]]
    require(len(weights) == len(support) and min(weights) > 0, "a point of the support needs one positive weight")
    full = c["points"] == "full"
    require(not full or prod(sizes) <= MOST_POINTS, "the domain is too large to check every point")
    points = [] if full else points_of(c["points"], "reference")
    require(full or set(support) <= set(points), "a point of the support is not a reference point")

    programme = Programme(c["family"], sizes, queries)
    lower = programme.lower(product(*map(range, sizes)) if full else iter(points), targets, dual)
    upper = programme.upper(support, weights, targets)
    require(lower >= number(c["lower"]), "the lower bound is not proved")
    require(upper <= number(c["upper"]), "the upper bound is not proved")
    return lower, upper


if __name__ == "__main__":
    try:
        low, high = check(open(sys.argv[1], encoding="utf-8").read())  # noqa: SIM115 - the process ends with it
    except Exception as error:
        sys.exit(f"rejected: {str(error) or type(error).__name__}")
    sys.stdout.write(f"accepted: the optimum lies between {float(low):.12g} and {float(high):.12g}\n")
