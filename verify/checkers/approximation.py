"""Check a certificate of an approximation: `python -m verify.checkers.approximation FILE`.

The claims are bounds on e = f - P, from cells that cover the interval; that no polynomial of the
degree comes closer to f, from points; and bounds on the objective of the risk, from weights at
points. Each step names the section of docs/certificates.md, "Why it is a proof", that it uses.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from math import lcm
from typing import Any

from verify.checkers import (
    SCIENTIFIC,
    Work,
    allowed_steps,
    common_bits,
    entries,
    fields,
    number,
    parsed,
    require,
    run,
    text,
    whole,
)
from verify.checkers.expression import Node, read_function
from verify.checkers.taylor import ZERO, Points, Series, Taylor, subtracted

KIND = "polynomial approximation"
VERSION = 1
STEPS_A_BYTE = 2000
MOST_DEGREE = 200
MOST_ORDER = 100
MOST_PRECISION = 10_000
MOST_CELLS = 200_000
MOST_POINTS = 300
ALWAYS = (
    "certificate",
    "version",
    "function",
    "interval",
    "degree",
    "method",
    "polynomial",
    "error",
    "coefficient_sum",
    "precision",
    "attained",
    "cells",
    "sha256",
)
CLAIMS = {"minimax": 1, "objective": 4}
"""Further possible claims, and the total variation of the measure that proves each."""


@dataclass(frozen=True)
class Cell:
    ends: Points
    centre: Fraction
    order: int


@dataclass(frozen=True)
class Question:
    """The contents of a file, read and in range; nothing is proved yet."""

    f: Node
    interval: Points
    degree: int
    polynomial: list[Fraction]
    error: Points
    coefficient_sum: Points
    precision: int
    attained: Fraction
    cells: list[Cell]

    @property
    def radius(self) -> Fraction:
        return max(abs(end) for end in self.interval)


def check(data: str | bytes, limit: int | None = None) -> dict[str, Any]:
    """The certificate as it was read, if all its claims are proved."""
    body = fields(parsed(data), "certificate", ALWAYS, CLAIMS)
    require_fingerprint(body)
    question = read_question(body)
    work = Work(allowed_steps(data, STEPS_A_BYTE) if limit is None else limit)
    announce_sums(question, work)
    require_cover(question)
    require_affordable(question, work)
    taylor = Taylor(question.precision, work)
    for cell in question.cells:
        check_cell(question, cell, taylor)
    check_attained(question, taylor)
    low, high = question.coefficient_sum
    require(low <= sum(map(abs, question.polynomial)) <= high, "wrong coefficient sum")
    for claim in CLAIMS:
        if claim in body:
            check_claim(question, claim, body[claim], taylor)
    return body


# reading


def require_fingerprint(body: dict[str, Any]) -> None:
    """Require that the file is undamaged: the digest of all other fields is the one it states."""
    rest = {key: value for key, value in body.items() if key != "sha256"}
    digest = hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
    require(body["sha256"] == digest, "sha256: the file is damaged or was changed")


def read_question(body: dict[str, Any]) -> Question:
    require(body["certificate"] == KIND, f"is not a certificate of a {KIND}")
    whole(body["version"], "version", VERSION, VERSION)
    text(body["method"], "method")
    degree = whole(body["degree"], "degree", 1, MOST_DEGREE)
    coefficients = entries(body["polynomial"], "polynomial", degree + 1, degree + 1)
    ends = entries(body["interval"], "interval", 2, 2)
    left, right = (read_number(end, "interval") for end in ends)
    require(left < right, "interval: is empty")
    return Question(
        f=read_function(text(body["function"], "function", 100_000)),
        interval=(left, right),
        degree=degree,
        polynomial=[read_number(a, "polynomial") for a in coefficients],
        error=read_ends(fields(body["error"], "error", ("lo", "hi")), "error"),
        coefficient_sum=read_ends(
            fields(body["coefficient_sum"], "coefficient_sum", ("lo", "hi")), "coefficient_sum"
        ),
        precision=whole(body["precision"], "precision", 1, MOST_PRECISION),
        attained=read_number(body["attained"], "attained"),
        cells=[read_cell(cell) for cell in entries(body["cells"], "cells", 1, MOST_CELLS)],
    )


def read_number(value: Any, where: str) -> Fraction:
    return number(value, where, SCIENTIFIC)


def read_ends(claim: dict[str, Any], where: str) -> Points:
    return read_number(claim["lo"], where), read_number(claim["hi"], where)


def read_cell(value: Any) -> Cell:
    left, right, centre, order = entries(value, "cells", 4, 4)
    start, stop, middle = (read_number(end, "cells") for end in (left, right, centre))
    return Cell((start, stop), middle, whole(order, "cells: order", 2, MOST_ORDER))


def announce_sums(question: Question, work: Work) -> None:
    """P at a point and at the radius, and the sum of its coefficients, in fractions."""
    bits = common_bits((a.denominator for a in question.polynomial), work)
    bits += question.degree * longest([question.radius, question.attained])
    work.charge(4 * (question.degree + 1), bits, bits)


def require_affordable(question: Question, work: Work) -> None:
    """Refuse immediately what would take long.

    One coefficient is computed on every cell, and its products counted; n of them take n(n+1)/2
    times as many, and are needed twice.
    """
    planned = Work(work.limit)
    for cell in question.cells:
        sample = Work(work.limit)
        Taylor(question.precision, sample).coefficients(question.f, cell.ends, cell.ends, 1)
        planned.charge(sample.spent * cell.order * (cell.order + 1))


# cells: section "Cells"


def require_cover(question: Question) -> None:
    """The cells join without a gap, from one end of the interval to the other."""
    reached = question.interval[0]
    for cell in question.cells:
        start, stop = cell.ends
        require(start == reached, f"the cell at {start} does not begin where the previous one ends")
        require(start < stop, f"the cell at {start} is empty")
        require(start <= cell.centre <= stop, f"the centre of the cell at {start} is outside")
        reached = stop
    require(reached == question.interval[1], "the cells do not cover the interval")


def check_cell(question: Question, cell: Cell, taylor: Taylor) -> None:
    """|e| <= error.hi on the cell."""
    most = question.error[1] * 2**question.precision
    e = coefficients_of_e(question, cell, taylor)
    require(bound_on_cell(e, cell, taylor) <= most, f"the cell at {cell.ends[0]} fails")


def coefficients_of_e(question: Question, cell: Cell, taylor: Taylor) -> Series:
    """e_k: f's coefficients at the centre, the last on the whole cell; P is expanded completely."""
    at_centre = taylor.coefficients(question.f, cell.ends, (cell.centre,), cell.order)
    on_cell = taylor.coefficients(question.f, cell.ends, cell.ends, cell.order + 1)
    f = [*at_centre, on_cell[cell.order]]
    p = polynomial_at(question.polynomial, cell.centre, taylor)
    pairs = list(zip_longest(f, p, fillvalue=ZERO))
    return subtracted([a for a, _ in pairs], [b for _, b in pairs])


def polynomial_at(polynomial: list[Fraction], c: Fraction, taylor: Taylor) -> Series:
    """The coefficients of P(c + t) in t, exact in integers over a common denominator, then rounded.

    With a_k = A_k/D and c = u/v, the numbers A_k v^(n-k) are those of P(s/v) v^n D; adding u to the
    argument s is repeated Horner's scheme.
    """
    n = len(polynomial)
    common = lcm(*(a.denominator for a in polynomial))
    u, v = c.numerator, c.denominator
    largest = max(abs(a.numerator) for a in polynomial).bit_length() + common.bit_length()
    bits = u.bit_length() + v.bit_length()
    taylor.work.charge(n * n, largest + n * bits, bits)
    shifted = [int(a * common) * v ** (n - k) for k, a in enumerate(polynomial)]
    for start in range(n):
        for k in range(n - 2, start - 1, -1):
            shifted[k] += u * shifted[k + 1]
    found = []
    for k, s in enumerate(shifted):
        below = common * v ** (n - k)
        found.append(((s << taylor.p) // below, -((-s << taylor.p) // below)))
    return found


def bound_on_cell(e: Series, cell: Cell, taylor: Taylor) -> int:
    """The smallest applicable bound on |e|, in units: any, from an end, under a parabola."""
    p, c = taylor.p, cell.centre
    h = taylor.units(max(c - cell.ends[0], cell.ends[1] - c))[1]
    e = e + [ZERO] * (3 - len(e))
    sizes = [max(-low, high) for low, high in e]

    def beyond(first: int) -> int:
        """An upper bound on the sum of |e_k| h^(k - first + 1) over k >= first."""
        total = 0
        for k in range(len(e) - 1, first - 1, -1):
            total = -(-(total + sizes[k]) * h >> p)
        return total

    v = beyond(1)
    bounds = [sizes[0] + v]
    if grows_to_centre(e, cell) and least_size(e[1]) >= beyond(2):
        bounds.append(max(sizes[0], v - least_size(e[0])))
    m = least_size(e[2]) - beyond(3)
    if m > 0:
        turned = e[2][1] < 0
        top, bottom = (e[0][1], e[0][0]) if turned else (-e[0][0], -e[0][1])
        bounds.append(max(top + sizes[1] ** 2 // (4 * m) + 1, v - bottom))
    return min(bounds)


def least_size(interval: tuple[int, int]) -> int:
    """At most |x| for every x of the interval, or not positive if its sign is open."""
    return max(interval[0], -interval[1])


def grows_to_centre(e: Series, cell: Cell) -> bool:
    """The centre is an end of the cell, e(c) and e_1 have certain signs, and |e| grows to c."""
    if cell.centre not in cell.ends or least_size(e[0]) <= 0 or least_size(e[1]) <= 0:
        return False
    away_from_zero = (e[1][0] > 0) == (e[0][0] > 0)
    return away_from_zero == (cell.centre == cell.ends[1])


def check_attained(question: Question, taylor: Taylor) -> None:
    """|e| >= error.lo at the named point."""
    at = question.attained
    left, right = question.interval
    require(left <= at <= right, "attained: is outside the interval")
    value = Fraction(0)
    for a in reversed(question.polynomial):
        value = value * at + a
    (e,) = subtracted([taylor.value(question.f, at)], [taylor.units(value)])
    reached = max(least_size(e), 0)
    least = question.error[0] * 2**question.precision
    require(reached >= least, "|f - P| does not reach error.lo there")


# the claims about all polynomials: sections "From below" and "The objective"


def check_claim(question: Question, claim: str, value: Any, taylor: Taylor) -> None:
    """lo by weights whose moments vanish, or nearly do; hi by the polynomial of the file."""
    more = ("marginal_error",) if claim == "objective" else ()
    optional = ("weights",) if claim == "objective" else ()
    said = fields(value, claim, ("lo", "hi", "points", *more), optional)
    low, high = read_ends(said, claim)
    s = read_number(said["marginal_error"], claim) if more else Fraction(0)
    require(s >= 0, f"{claim}: a negative marginal_error")
    listed = entries(said["points"], f"{claim}: points", 0, MOST_POINTS)
    points = [read_number(x, f"{claim}: points") for x in listed]
    left, right = question.interval
    require(all(left <= x <= right for x in points), f"{claim}: a point is outside the interval")
    variation = CLAIMS[claim]
    if "weights" in said:
        weights = read_weights(said["weights"], points, claim)
        require_moments(question, points, weights, s, variation, taylor.work)
    else:
        weights = divided_differences(question, points, variation, taylor.work)
    values = [taylor.value(question.f, x) for x in points]
    proved = taylor.dot(values, [taylor.units(w) for w in weights])
    reached = max(least_size(proved), 0)
    require(reached >= low * 2**question.precision, f"{claim}.lo is not proved")
    powers = enumerate(question.polynomial)
    marginals = sum((abs(a) * question.radius**k for k, a in powers if k), Fraction(0))
    require(variation * question.error[1] + 2 * s * marginals <= high, f"{claim}.hi is not proved")


def read_weights(value: Any, points: list[Fraction], claim: str) -> list[Fraction]:
    listed = entries(value, f"{claim}: weights", len(points), len(points))
    return [read_number(w, f"{claim}: weights") for w in listed]


def require_moments(
    question: Question,
    points: list[Fraction],
    weights: list[Fraction],
    s: Fraction,
    variation: int,
    work: Work,
) -> None:
    """Total variation as allowed, mass 0, and every other moment of x/R at most 2s."""
    bits = common_bits((x.denominator for x in points), work) + longest([*points, question.radius])
    bits = bits * question.degree + common_bits((w.denominator for w in weights), work)
    work.charge(len(points) * (question.degree + 2), bits, bits)
    require(sum(map(abs, weights)) <= variation, "weights: larger in total than allowed")
    require(sum(weights) == 0, "weights: do not add up to 0")
    scaled = [x / question.radius for x in points]
    moments = list(weights)
    for _ in range(question.degree):
        moments = [m * z for m, z in zip(moments, scaled, strict=True)]
        require(abs(sum(moments, Fraction(0))) <= 2 * s, "weights: a moment is too large")


def divided_differences(
    question: Question, points: list[Fraction], variation: int, work: Work
) -> list[Fraction]:
    """1/prod (x_i - x_j), scaled: all moments up to the number of points minus two vanish."""
    require(len(points) >= question.degree + 2, "points: too few for the degree")
    require(len(set(points)) == len(points), "points: one appears twice")
    work.charge(len(points) ** 3, longest(points))  # before the common denominator, which is long
    common = lcm(*(x.denominator for x in points))
    work.charge(len(points) ** 3, common.bit_length())
    places = [int(x * common) for x in points]
    inverse = []
    for x in places:
        product = 1
        for y in places:
            product *= x - y if x != y else 1
        inverse.append(product)
    shared = lcm(*inverse)
    weights = [shared // product for product in inverse]
    total = sum(map(abs, weights))
    return [Fraction(variation * w, total) for w in weights]


def longest(values: list[Fraction]) -> int:
    """Bits of the longest of some numbers."""
    return max((x.numerator.bit_length() + x.denominator.bit_length() for x in values), default=1)


def said(data: bytes, limit: int | None) -> str:
    body = check(data, limit)
    return f": {body['error']['lo']} <= max |f - P| <= {body['error']['hi']}"


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], said))
