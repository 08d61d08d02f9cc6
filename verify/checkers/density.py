"""Check a certificate of a density programme: `python -m verify.checkers.density FILE`.

The programme: minimise the largest |h(q) - target(q)| over probability vectors h on the reference
points. Any h bounds the optimum from above, any dual weights bound it from below: part (a) of
docs/proofs/synthbounds.density-certificate.md. Only Python's integers are used, and queries are
evaluated at every reference point, those with a common beginning together. Queries on the same
attributes depend only on the density's table on these.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from math import comb, lcm, prod
from operator import mul
from typing import Any

from verify.checkers import (
    FRACTION,
    Work,
    allowed_steps,
    common_bits,
    entries,
    fields,
    number,
    parsed,
    require,
    run,
    steps,
    text,
    whole,
    whole_text,
)

KIND = "density"
VERSION = 1
STEPS_A_BYTE = 100
MOST_POINTS = 2**22
MOST_ATTRIBUTES = 1000
MOST_LEVELS = 2**16
MOST_DEGREE = 1000
MOST_LISTED = 10_000_000
MOST_DIGITS = 4000
PROBLEM = ("certificate", "version", "sizes", "family", "degree", "points", "queries", "targets")
PROOF = ("support", "weights", "dual", "lower", "upper")
POWERS = ("monomials", "moments")
"""Families whose factors are powers of code/(size - 1)."""
FAMILIES = (*POWERS, "parities", "cells", "thresholds")

Point = tuple[int, ...]
Factor = tuple[int, int]
"""An attribute, and a power or a level of it."""
Query = tuple[Factor, ...]


@dataclass(frozen=True)
class Programme:
    """The problem in a file; a query's value at a point is a product of factors over `below`."""

    family: str
    sizes: Point
    degree: int
    queries: list[Query]
    targets: list[Fraction]
    points: list[Point] | None
    """None for every point of the domain."""

    def below(self, query: Query) -> int:
        if self.family not in POWERS:
            return 1
        return prod((self.sizes[attribute] - 1) ** power for attribute, power in query)


def factor_value(family: str, code: int, parameter: int) -> int:
    """The value of a factor at a code, as an integer."""
    if family in POWERS:
        return int(code**parameter)
    if family == "parities":
        return 1 - 2 * code
    if family == "cells":
        return int(code == parameter)
    return int(code >= parameter)


def check(data: str | bytes, limit: int | None = None) -> tuple[Fraction, Fraction]:
    """The proved bounds, if they are those that the file claims or better."""
    body = fields(parsed(data), "certificate", (*PROBLEM, *PROOF), ("note",))
    require(body["certificate"] == KIND, "is not a certificate of a density programme")
    whole(body["version"], "version", VERSION, VERSION)
    text(body.get("note", ""), "note")
    programme = read_programme(body)
    support, weights = read_density(body, programme)
    dual = [whole_text(y, "dual", MOST_DIGITS) for y in one_a_query(body, "dual", programme)]
    claimed = [number(body[key], key, FRACTION, MOST_DIGITS) for key in ("lower", "upper")]
    work = Work(allowed_steps(data, STEPS_A_BYTE) if limit is None else limit)
    announce(programme, support, sum(weights), dual, work)
    lower, upper = lower_bound(programme, dual), upper_bound(programme, support, weights)
    require(lower >= claimed[0], "the lower bound is not proved")
    require(upper <= claimed[1], "the upper bound is not proved")
    return lower, upper


# reading


def read_programme(body: dict[str, Any]) -> Programme:
    family = text(body["family"], "family")
    require(family in FAMILIES, "family: is not known")
    listed = entries(body["sizes"], "sizes", 1, MOST_ATTRIBUTES)
    sizes = tuple(whole(size, "sizes", 2, MOST_LEVELS) for size in listed)
    require(family != "parities" or max(sizes) == 2, "parities need Boolean attributes")
    degree = whole(body["degree"], "degree", 1, MOST_DEGREE)
    queries = read_queries(body["queries"], family, sizes, degree)
    targets = entries(body["targets"], "targets", len(queries), len(queries))
    values = [number(target, "targets", FRACTION, MOST_DIGITS) for target in targets]
    points = None if body["points"] == "full" else read_points(body["points"], sizes, "points")
    small = points is not None or prod(sizes) <= MOST_POINTS
    require(small, "the domain is too large to check every point")
    return Programme(family, sizes, degree, queries, values, points)


def read_queries(value: Any, family: str, sizes: Point, degree: int) -> list[Query]:
    """All queries of the family, each once, in any order: each and their number are correct."""
    listed = entries(value, "queries", 1, MOST_LISTED)
    expected = number_of_queries(family, sizes, degree, len(listed))
    require(len(listed) == expected, "the queries are not those of the family")
    queries = [read_query(query, family, sizes, degree) for query in listed]
    require(len(set(queries)) == len(queries), "a query is listed twice")
    return queries


def number_of_queries(family: str, sizes: Point, degree: int, most: int) -> int:
    """How many products of factors of distinct attributes have at most the degree.

    Counted without listing them; for numbers above `most` only that is returned.
    """
    attributes = len(sizes)
    if family == "moments":  # exponents that add up to 1, ..., degree
        return comb(attributes + degree, degree) - 1
    if family in ("monomials", "parities"):
        return sum(comb(attributes, k) for k in range(1, min(attributes, degree) + 1))
    levels = [size if family == "cells" else size - 1 for size in sizes]
    counts = [1] + [0] * min(attributes, degree)  # by the number of factors
    for level in levels:
        for k in range(len(counts) - 1, 0, -1):
            counts[k] = min(counts[k] + level * counts[k - 1], most + 1)
        if counts[1] > most:
            return most + 1
    return sum(counts[1:])


def read_query(value: Any, family: str, sizes: Point, degree: int) -> Query:
    factors = entries(value, "queries", 1, min(degree, len(sizes)))
    query = tuple(read_factor(factor, family, sizes, degree) for factor in factors)
    increasing = all(first < second for (first, _), (second, _) in pairwise(query))
    require(increasing, "the factors of a query are not in the order of their attributes")
    if family == "moments":
        require(sum(power for _, power in query) <= degree, "a query is above the degree")
    return query


def read_factor(value: Any, family: str, sizes: Point, degree: int) -> Factor:
    first, second = entries(value, "queries: a factor", 2, 2)
    attribute = whole(first, "queries: an attribute", 0, len(sizes) - 1)
    if family == "cells":
        return attribute, whole(second, "queries: a level", 0, sizes[attribute] - 1)
    if family == "thresholds":
        return attribute, whole(second, "queries: a level", 1, sizes[attribute] - 1)
    return attribute, whole(second, "queries: a power", 1, degree if family == "moments" else 1)


def read_points(value: Any, sizes: Point, where: str) -> list[Point]:
    """Distinct points of the domain."""
    found = []
    for point in entries(value, where, 1, MOST_LISTED):
        codes = entries(point, f"{where}: a point", len(sizes), len(sizes))
        pairs = zip(codes, sizes, strict=True)
        found.append(tuple(whole(code, f"{where}: a code", 0, size - 1) for code, size in pairs))
    require(len(set(found)) == len(found), f"{where}: a point is listed twice")
    return found


def read_density(body: dict[str, Any], programme: Programme) -> tuple[list[Point], list[int]]:
    """Reference points, and positive integers in proportion to their probabilities."""
    support = read_points(body["support"], programme.sizes, "support")
    known = programme.points
    inside = known is None or set(support) <= set(known)
    require(inside, "a point of the support is not a reference point")
    listed = entries(body["weights"], "weights", len(support), len(support))
    weights = [whole_text(w, "weights", MOST_DIGITS) for w in listed]
    require(min(weights) > 0, "a point of the support needs one positive weight")
    return support, weights


def one_a_query(body: dict[str, Any], key: str, programme: Programme) -> list[Any]:
    return entries(body[key], key, len(programme.queries), len(programme.queries))


# work, counted before it is done


def announce(
    programme: Programme, support: list[Point], weight: int, dual: list[int], work: Work
) -> None:
    """`upper_bound` makes a table for every set of attributes; the remainder is `least_value`."""
    value_bits = programme.degree * max(programme.sizes).bit_length()
    longest = announce_fractions(programme, weight.bit_length() + value_bits, dual, work)
    total = 0
    for attributes, places in by_attributes(programme.queries).items():
        codes = min(len(support), prod(programme.sizes[attribute] for attribute in attributes))
        looked_at = 1 if programme.family == "cells" else codes
        total += steps(len(attributes) * len(support))
        total += steps(len(attributes) * looked_at * len(places), value_bits, 64)
    active = [query for query, y in zip(programme.queries, dual, strict=True) if y]
    terms = terms_left(active, len(programme.sizes))
    touched = {attribute for query in active for attribute, _ in query}
    for attribute, nodes in enumerate(beginnings(programme)):
        if attribute in touched:
            total += steps(nodes * (1 + terms[attribute]), longest + value_bits, 64)
    work.charge(total)


def announce_fractions(programme: Programme, bits: int, dual: list[int], work: Work) -> int:
    """Fractions of this many bits, minus the targets; and the bits of a term of `lower_bound`."""
    targets = [target.denominator for target in programme.targets]
    bits += max(targets).bit_length()
    work.charge(len(targets), bits, bits)
    active = [place for place, y in enumerate(dual) if y]
    longest = max(abs(y).bit_length() for y in dual)
    wanted = longest + common_bits((targets[place] for place in active), work)
    work.charge(len(active), wanted, wanted)
    terms = common_bits((programme.below(programme.queries[place]) for place in active), work)
    work.charge(len(active), longest + terms, terms)
    return longest + terms


def beginnings(programme: Programme) -> list[int]:
    """For each attribute, in how many ways the reference points begin up to it."""
    count = len(programme.sizes)
    if programme.points is None:
        return list(accumulate(programme.sizes, mul))
    fresh = [0] * count  # points that differ from the one before at that attribute first
    for before, point in pairwise([(-1,) * count, *sorted(programme.points)]):
        place = 0
        while before[place] == point[place]:
            place += 1
        fresh[place] += 1
    return list(accumulate(fresh))


def terms_left(active: list[Query], count: int) -> list[int]:
    """For each attribute, the number of different query ends once all earlier ones have codes."""
    first: dict[Query, int] = {}  # where an end first stands alone
    for query in active:
        for i in range(len(query) + 1):
            alone = query[i - 1][0] + 1 if i else 0
            first[query[i:]] = min(first.get(query[i:], count), alone)
    changes = [0] * (count + 2)
    for end, start in first.items():
        stop = end[0][0] if end else count
        changes[start] += 1
        changes[stop + 1] -= 1
    return list(accumulate(changes))


# the two bounds: part (a) of the proof


def upper_bound(programme: Programme, support: list[Point], weights: list[int]) -> Fraction:
    """The largest |h(q) - target(q)| of the density of the file."""
    total, worst = sum(weights), Fraction(0)
    for attributes, places in by_attributes(programme.queries).items():
        table: dict[Point, int] = {}  # the weight of every combination of codes of these attributes
        columns = [[point[attribute] for point in support] for attribute in attributes]
        for codes, weight in zip(zip(*columns, strict=True), weights, strict=True):
            table[codes] = table.get(codes, 0) + weight
        for place in places:
            query, target = programme.queries[place], programme.targets[place]
            mean = Fraction(
                table_value(programme.family, query, table), total * programme.below(query)
            )
            worst = max(worst, abs(mean - target))
    return worst


def by_attributes(queries: list[Query]) -> dict[Point, list[int]]:
    """The places of the queries on each set of attributes."""
    found: dict[Point, list[int]] = {}
    for place, query in enumerate(queries):
        found.setdefault(tuple(attribute for attribute, _ in query), []).append(place)
    return found


def table_value(family: str, query: Query, table: dict[Point, int]) -> int:
    """The sum of a query over a table of its attributes; a cell is one entry of it."""
    if family == "cells":
        return table.get(tuple(level for _, level in query), 0)
    answer = 0
    for codes, weight in table.items():
        value = weight
        for code, (_, parameter) in zip(codes, query, strict=True):
            value *= factor_value(family, code, parameter)
        answer += value
    return answer


def lower_bound(programme: Programme, dual: list[int]) -> Fraction:
    """(least sum of y_q q(x) - sum of y_q target(q)) / sum of |y_q|, and at least 0."""
    active = [i for i, y in enumerate(dual) if y]
    if not active:
        return Fraction(0)
    scale = lcm(*(programme.below(programme.queries[i]) for i in active))
    terms: dict[Query, int] = {}
    for i in active:
        query = programme.queries[i]
        terms[query] = dual[i] * (scale // programme.below(query))
    least = Fraction(least_value(programme, terms), scale)
    wanted = sum((dual[i] * programme.targets[i] for i in active), Fraction(0))
    return max(Fraction(0), (least - wanted) / sum(abs(dual[i]) for i in active))


def least_value(programme: Programme, terms: dict[Query, int]) -> int:
    """The smallest value, over all reference points, of a sum of multiples of queries.

    Points with the same first codes are treated together: once an attribute has its code, its
    factor is a number, which leaves a shorter sum in the later attributes.
    """
    least: int | None = None
    waiting: list[tuple[int, list[Point] | None, dict[Query, int]]] = [(0, programme.points, terms)]
    while waiting:
        attribute, group, rest = waiting.pop()
        if attribute == len(programme.sizes):
            value = rest.get((), 0)
            least = value if least is None else min(least, value)
        elif not any(query and query[0][0] == attribute for query in rest):
            waiting.append((attribute + 1, group, rest))  # its code does not matter
        else:
            for code, part in by_code(group, attribute, programme.sizes[attribute]):
                left = fixed(rest, attribute, code, programme.family)
                waiting.append((attribute + 1, part, left))
    assert least is not None  # there is at least one reference point
    return least


def by_code(
    group: list[Point] | None, attribute: int, size: int
) -> list[tuple[int, list[Point] | None]]:
    """The codes that an attribute has in a group of points, with their points; None for all."""
    if group is None:
        return [(code, None) for code in range(size)]
    parts: dict[int, list[Point]] = {}
    for point in group:
        parts.setdefault(point[attribute], []).append(point)
    return list(parts.items())


def fixed(terms: dict[Query, int], attribute: int, code: int, family: str) -> dict[Query, int]:
    """The sum that remains once an attribute has that code; queries begin with their first one."""
    found: dict[Query, int] = {}
    for query, multiple in terms.items():
        rest = query
        if query and query[0][0] == attribute:
            multiple = multiple * factor_value(family, code, query[0][1])
            rest = query[1:]
        found[rest] = found.get(rest, 0) + multiple
    return found


def said(data: bytes, limit: int | None) -> str:
    low, high = check(data, limit)
    return f": the optimum lies between {float(low):.12g} and {float(high):.12g}"


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], said))
