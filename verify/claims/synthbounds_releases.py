"""Our own statements about releases of moments, checked like those of papers: sensitivities and the records that attain
them.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from bounds.certify.problem import Vector
from bounds.enclosure import Enclosure, decimal_text
from bounds.registry import all_theorems
from bounds.values import evaluate_value
from verify.claim import Claim, Evidence, Method, Scope, Verdict, confirmed_if

RELEASE = "synthbounds.moment-release"
HALF = Fraction(1, 2)


def moved(z: Vector, other: Vector, weights: tuple[int, int, int]) -> Fraction:
    """Squared distance of the weighted tensors z, zz' and z^(x)4 of two records, entry by entry."""
    total = Fraction(0)
    for weight, order in zip(weights, (1, 2, 4), strict=True):
        if weight:
            for places in product(range(len(z)), repeat=order):
                left = right = Fraction(1)
                for i in places:
                    left, right = left * z[i], right * other[i]
                total += weight * (left - right) ** 2
    return total


def _stated(**numbers: object) -> dict[str, Enclosure]:
    """What the theorem says about the squared sensitivity, by route."""
    found = evaluate_value(all_theorems()[RELEASE], numbers)
    return {row.route: row.value for row in found if row.value is not None}


def _nine_halves() -> Evidence:
    z = (Fraction(1), Fraction(0), Fraction(0), Fraction(0))
    other = (-HALF, HALF, HALF, HALF)
    attained = moved(z, other, (1, 1, 0))
    # 2(1 - s) + 2(1 - s^2) and 9/2 - 2(s + 1/2)^2 are parabolas: equal at three points, equal everywhere
    same = all(2 * (1 - s) + 2 * (1 - s * s) == Fraction(9, 2) - 2 * (s + HALF) ** 2 for s in (-1, 0, 1))
    stated = _stated(first_weight=1)["replace-one"]
    text = (
        f"records (1,0,0,0) and (-1,1,1,1)/2 differ by {attained} in squared norm, entry by entry; for unit vectors of "
        "product s it is 2(1 - s) + 2(1 - s^2) = 9/2 - 2(s + 1/2)^2, and shorter vectors of product s give less"
    )
    return confirmed_if(attained == Fraction(9, 2) == stated.lo == stated.hi and same, text)


def rational_unit_vector(t: Fraction) -> Vector:
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)


def _fourth() -> Evidence:
    stated = _stated(first_weight=1, fourth_weight=1)["replace-one, fourth moments"]
    # the first coordinate of the second record is near -0.38546
    attained = moved((Fraction(1), Fraction(0)), rational_unit_vector(Fraction(1502, 1000)), (1, 1, 1))
    low, high = Fraction(25356, 10**4) ** 2, Fraction(25357, 10**4) ** 2
    # h(s) = 2(1 - s) + 2(1 - s^2) + 2(1 - s^4) is concave: on [-1, 1] it is at most its tangent, 2 |h'| away at most
    s = Fraction(-38546, 10**5)
    most = 2 * (1 - s) + 2 * (1 - s**2) + 2 * (1 - s**4) + 2 * abs(-2 - 4 * s - 8 * s**3)
    text = (
        f"a pair of rational unit vectors differs by {decimal_text(attained, 9, up=False)} in squared norm; for unit "
        f"vectors of product s it is a concave function of s, below {decimal_text(most, 9, up=True)} by its tangent at "
        f"{s}, and shorter vectors give less; 2.5356^2 = {float(low):.6f}, 2.5357^2 = {float(high):.6f}"
    )
    return confirmed_if(low < attained <= stated.hi < high and stated.lo <= most < high, text)


def _add_remove() -> Evidence:
    z = rational_unit_vector(Fraction(1, 3))
    attained = moved(z, (Fraction(0), Fraction(0)), (1, 1, 1))
    stated = _stated(first_weight=1, fourth_weight=1)["add-remove"]
    shorter = [moved((z[0] * r, z[1] * r), (Fraction(0), Fraction(0)), (1, 1, 1)) for r in (HALF, Fraction(9, 10))]
    text = (
        f"the record (4/5, 3/5) has squared norm {attained}; in general it is y^2 |z|^2 + |z|^4 + |z|^8, which grows "
        "to 3 with |y| and |z| up to 1"
    )
    return confirmed_if(attained == 3 == stated.hi and all(size < 3 for size in shorter), text)


CLAIMS = (
    Claim(
        "synthbounds.release.first-and-second", "synthbounds", "moment-release, (b)",
        "Replacing a record in the unit ball moves the sums of y x and x x' by at most sqrt(9/2), and some pair of "
        "records attains it.",
        Verdict.CONFIRMED, Method.EXACT, _nine_halves, formula="D^2 = 2 + 2a^2 + a^4/2 at a = 1",
        theorems=(RELEASE,),
        quote=r"For $c=0$ this is $D^2=2+2a^2+\frac{a^4}2$; for $a=1$, $c=0$ it is $\frac92$.", scope=Scope.REASONED,
    ),
    Claim(
        "synthbounds.release.fourth", "synthbounds", "moment-release, (b) and Numbers",
        "With the fourth moments at the same weight the sensitivity is between 2.5356 and 2.5357.",
        Verdict.CONFIRMED, Method.EXACT, _fourth, formula="max over s of 2(1-s) + 2(1-s^2) + 2(1-s^4)",
        theorems=(RELEASE,),
        quote="with fourth moments | 1 | 1 | 2.53567", scope=Scope.REASONED,
    ),
    Claim(
        "synthbounds.release.add-remove", "synthbounds", "moment-release, (c)",
        "Adding or removing a record moves all three moments by at most sqrt 3, attained on the sphere.",
        Verdict.CONFIRMED, Method.EXACT, _add_remove, formula="D^2 = a^2 + 1 + c^2", theorems=(RELEASE,),
        quote=r"$|v(x,y)|^2\le D^2=a^2+1+c^2$, attained by every record with $|x|=|y|=1$.", scope=Scope.REASONED,
    ),
)  # fmt: skip
