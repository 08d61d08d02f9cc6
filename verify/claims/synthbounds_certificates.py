"""Our own statements about releases of moments and certificates of models, checked like those of papers.

Small tables and exact numbers: sensitivities with the records that attain them, certificates over the corners of their
event, constants that cannot be smaller, and how a bound that is promised beforehand compares on the same question.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from flint import arb, fmpq, fmpq_mat

from bounds.certify.excess import separable
from bounds.certify.floor import Records, excess_on, share_above
from bounds.certify.problem import Ball, Compared, KnownMoments, Matrix, Problem, Vector, dot
from bounds.certify.shape import Shape
from bounds.certify.value import Multipliers, bound
from bounds.enclosure import Enclosure, as_fmpq, as_fraction, decimal_text, precision
from bounds.registry import all_theorems
from bounds.values import evaluate_value
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if

RELEASE, CERTIFICATE, DUALITY, FLOOR = (
    "synthbounds.moment-release",
    "synthbounds.model-certificate",
    "synthbounds.fenchel-young",
    "synthbounds.certificate-floor",
)
HALF = Fraction(1, 2)
TABLE = ((1, 1, 5), (1, -1, 2), (-1, 1, 1), (-1, -1, 4))
"""Feature, label and number of records of a table with one feature beside the intercept."""


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
        f"records (1,0,0,0) and (-1,1,1,1)/2 differ by {attained} in squared norm, entry by entry; for product s it is "
        "at most 9/2 - 2(s + 1/2)^2"
    )
    return confirmed_if(attained == Fraction(9, 2) == stated.lo == stated.hi and same, text)


def rational_unit_vector(t: Fraction) -> Vector:
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)


def _fourth() -> Evidence:
    stated = _stated(first_weight=1, fourth_weight=1)["replace-one, fourth moments"]
    # the first coordinate of the second record is near -0.38546
    attained = moved((Fraction(1), Fraction(0)), rational_unit_vector(Fraction(1502, 1000)), (1, 1, 1))
    low, high = Fraction(25356, 10**4) ** 2, Fraction(25357, 10**4) ** 2
    text = (
        f"a pair of rational unit vectors differs by {decimal_text(attained, 9, up=False)} in squared norm, the "
        f"theorem's value is {stated.decimal(9)[1]}; 2.5356^2 = {float(low):.6f}, 2.5357^2 = {float(high):.6f}"
    )
    return confirmed_if(low < attained <= stated.hi < high, text)


def _add_remove() -> Evidence:
    z = rational_unit_vector(Fraction(1, 3))
    attained = moved(z, (Fraction(0), Fraction(0)), (1, 1, 1))
    stated = _stated(first_weight=1, fourth_weight=1)["add-remove"]
    return confirmed_if(attained == 3 == stated.hi, f"the record (4/5, 3/5) has squared norm {attained}")


def table_moments() -> tuple[Vector, Matrix]:
    """Exact E[y f] and E[f f'] of the table."""
    n = sum(count for _, _, count in TABLE)
    first = tuple(Fraction(sum(c * y * f for x, y, c in TABLE for f in [(x, 1)[j]]), n) for j in range(2))
    second = tuple(
        tuple(Fraction(sum(c * (x, 1)[i] * (x, 1)[j] for x, _, c in TABLE), n) for j in range(2)) for i in range(2)
    )
    return first, second


def squared_gap(model: Vector) -> Fraction:
    """By how much the best of all models is better than this one on the table, squared loss (1 - m)^2/2."""
    first, second = table_moments()
    rows = fmpq_mat(2, 2, [as_fmpq(x) for row in second for x in row])
    best = rows.solve(fmpq_mat(2, 1, [as_fmpq(x) for x in first]))
    step = [as_fraction(best[i, 0]) - model[i] for i in range(2)]
    return sum((step[i] * second[i][j] * step[j] for i in range(2) for j in range(2)), Fraction(0)) / 2


def dominating_form(t: Fraction) -> Matrix:
    """A form in (1, S, V) above both signs of (S^2 - V^2)/2: (t (S - V)^2 + (S + V)^2/t)/4."""
    same, mixed = (t + 1 / t) / 4, (1 / t - t) / 4
    zero = Fraction(0)
    return ((zero, zero, zero), (zero, same, mixed), (zero, mixed, same))


def squared_problem(model: Vector, shift1: Vector, shift2: Matrix, k1: Fraction, k2: Fraction) -> tuple[Problem, Shape]:
    """The certificate's question if noise has moved the moments of the table, and the loss itself as polynomial."""
    first, second = table_moments()
    known = KnownMoments(
        first=tuple(a + b for a, b in zip(first, shift1, strict=True)),
        second=tuple(tuple(a + b for a, b in zip(*rows, strict=True)) for rows in zip(second, shift2, strict=True)),
        first_radius=k1,
        second_radius=k2,
        failure=Fraction(1, 20),
        squared_norm=2,
    )
    compared = Compared(balls=(Ball(part="all", around_model=False, squared_radius=Fraction(1)),), reach=Fraction(2))
    reach = sum((abs(x) for x in model), Fraction(0))
    problem = Problem(known=known, model=model, loss="squared", compared=compared, scores=(-reach, reach))
    return problem, separable(problem, Fraction(-1), HALF, Fraction(0))


def corner_bounds(model: Vector, k1: Fraction, k2: Fraction, *, allowed: int = 1) -> list[Fraction]:
    """Certificates at corners of the event: extreme vectors and extreme symmetric matrices, all pairs.

    With `allowed` = 0 the certificates leave the noise out that is there.
    """
    a, b = Fraction(3, 5), Fraction(4, 5)
    vectors = [(s * x, s * y) for s in (1, -1) for x, y in ((1, 0), (0, 1), (a, b), (a, -b), (b, a), (b, -a))]
    matrices = [
        tuple(tuple(k2 * s * Fraction(x) for x in row) for row in rows)
        for s in (1, -1)
        for rows in (((1, 0), (0, 1)), ((1, 0), (0, -1)), ((0, 1), (1, 0)), ((a, b), (b, -a)), ((a, -b), (-b, -a)))
    ]
    found = []
    for x, y in vectors:
        for matrix in matrices:
            problem, shape = squared_problem(model, (k1 * x, k1 * y), matrix, allowed * k1, allowed * k2)
            multipliers = Multipliers((dominating_form(Fraction(4)),), Fraction(3, 20), (Fraction(0),))
            found.append(bound(problem, shape, multipliers, Fraction(0)).value.hi)
    return found


def _corners() -> Evidence:
    model, k1, k2 = (Fraction(2, 5), Fraction(-1, 10)), Fraction(1, 100), Fraction(1, 100)
    bounds, gap = corner_bounds(model, k1, k2), squared_gap(model)
    below = sum(value < gap for value in corner_bounds(model, k1, k2, allowed=0))
    text = (
        f"12 records, model (2/5, -1/10), both radii 1/100, {len(bounds)} corners: certificates from "
        f"{decimal_text(min(bounds), 5, up=False)} to {decimal_text(max(bounds), 5, up=True)}, real gap "
        f"{decimal_text(gap, 5, up=True)}; without the radii {below} of them would be below it"
    )
    return confirmed_if(min(bounds) >= gap > 0 and below > 0, text)


def _no_loss() -> Evidence:
    model = (Fraction(1, 3), Fraction(1, 7))
    zero = (Fraction(0), Fraction(0))
    problem, shape = squared_problem(model, zero, (zero, zero), Fraction(0), Fraction(0))
    multipliers = Multipliers((dominating_form(Fraction(1)),), Fraction(1), (Fraction(0),))
    value, gap = bound(problem, shape, multipliers, Fraction(0)).value, squared_gap(model)
    text = f"certificate {decimal_text(value.hi, 20, up=True)}, exact gap {gap} = {decimal_text(gap, 20, up=False)}"
    return confirmed_if(value.contains(gap) and value.hi - value.lo < Fraction(1, 10**30), text)


def _eighth() -> Evidence:
    """g = (x - a)(b - x) delta/2 has second derivative -delta and vanishes at both ends."""
    cases = [(Fraction(a), Fraction(b), Fraction(d)) for a, b, d in ((0, 1, 1), (-3, 2, 7), (5, 9, "1/3"))]
    equal = all(((a + b) / 2 - a) * (b - (a + b) / 2) * d / 2 == d * (b - a) ** 2 / 8 for a, b, d in cases)
    return confirmed_if(equal, "delta (x - a)(b - x)/2 exceeds its chord by exactly delta (b - a)^2/8 at the middle")


def _distance() -> Evidence:
    """L = 0: F = |v|^2 ridge/2, the model at distance (1 + e) d from the minimiser, which is 0."""
    ridge, d = Fraction(1, 10), Fraction(2)
    quotients, outside = [], True
    for e in (Fraction(1), Fraction(1, 10), Fraction(1, 1000)):
        far = (1 + e) * d
        on_ball = ridge / 2 * (far**2 - (far - d) ** 2)  # the best model within d of it
        outside = outside and on_ball < ridge / 2 * far**2
        quotients.append(on_ball / (ridge / 2 * d**2))
    text = (
        "minimiser 2, 11/10 and 1001/1000 times as far as d: the certified gain on the ball is "
        f"{', '.join(str(x) for x in quotients)} times ridge d^2/2 and smaller than the real one"
    )
    return confirmed_if(outside and all(x > 1 for x in quotients) and quotients[-1] < Fraction(101, 100), text)


def _conjugate() -> Evidence:
    """At the stated point the concave function has slope 0 and the stated value; u and R rational."""
    holds = True
    with precision(128):
        for u in (Fraction(1, 10), Fraction(-2, 5), Fraction(49, 100)):
            x = arb(as_fmpq(u))
            plus, minus = x + arb(fmpq(1, 2)), arb(fmpq(1, 2)) - x
            s = (plus / minus).log()
            value = s * x - ((s / 2).exp() + (-s / 2).exp()).log()
            holds = holds and (value - plus * plus.log() - minus * minus.log()).contains(0)
            holds = holds and ((s / 2).tanh() / 2 - x).contains(0) and bool((s / 2).tanh() ** 2 < 1)
            inside = [arb(k) / 4 * s for k in (-8, 0, 3, 5, 8)]
            holds = holds and all(bool(t * x - ((t / 2).exp() + (-t / 2).exp()).log() < value) for t in inside)
    return confirmed_if(holds, "u = 1/10, -2/5, 49/100: slope 0 and the negative entropy at s = log((1/2+u)/(1/2-u))")


def _beforehand() -> Evidence:
    n = 48842
    asked = {"slope": 1, "at_zero": "0.69314718056", "radius": 5, "features": 13, "n": n, "epsilon": 1}
    asked |= {"dp_delta": Fraction(1, n * n), "levels": 2, "failure": "0.05"}
    found: dict[int, dict[str, Fraction]] = {}
    for order in (2, 3, 4):
        rows = evaluate_value(all_theorems()["zhou2024.logistic-private"], {**asked, "order": order})
        found[order] = {r.edition: r.value.lo for r in rows if r.value is not None and r.edition != "sharp"}
    least = {edition: min(values[edition] for values in found.values()) for edition in ("printed", "corrected")}
    with precision(64):
        zero = Enclosure.of(arb(2).log()).hi
    shown = ", ".join(f"{edition} {decimal_text(value, 4, up=False)}" for edition, value in least.items())
    text = (
        f"least over the orders 2 to 4, two levels: {shown}; the zero model's risk is {decimal_text(zero, 4, up=True)}"
    )
    return confirmed_if(min(least.values()) > zero, text)


def _most_noise() -> Evidence:
    """|tr D (ww' - vv')| <= |w - v| |w + v| for D of norm 1, the least value of twice the form over t; attained."""
    w, v = (Fraction(1), Fraction(2)), (Fraction(2), Fraction(1))
    form = [[w[i] * w[j] - v[i] * v[j] for j in range(2)] for i in range(2)]  # diag(-3, 3)
    attained = -form[0][0] + form[1][1]
    minus, plus = tuple(a - b for a, b in zip(w, v, strict=True)), tuple(a + b for a, b in zip(w, v, strict=True))
    stated = dot(minus, minus) * dot(plus, plus)
    t = Fraction(3)  # |w + v|/|w - v|
    form_value = 2 * (t * dot(minus, minus) + dot(plus, plus) / t) / 4
    text = f"w = (1,2), v = (2,1): the matrix diag(-1, 1) gives {attained}, the form H gives {form_value}"
    return confirmed_if(attained**2 == stated and form_value == attained, text)


ALIKE = (
    Records(signed=((2, 2), (2, -2), (0, 2), (0, -2)), counts=(1, 1, 3, 3), one=2),
    Records(signed=((1, 2), (-1, -2), (1, -2), (-1, 2)), counts=(3, 1, 3, 1), one=2),
)
"""Two tables of 8 records, y (x, 1) in halves: x is 1, -1 or six times 0 in the first, 1/2 or -1/2 in the second."""


def same_moments() -> tuple[Enclosure, Enclosure]:
    """What the model (4, 0) has at least on the first of ALIKE, and on the second, within norm 6."""
    model, nearly = (Fraction(4), Fraction(0)), (Fraction(219722, 10**5), Fraction(0))
    steepest = (Fraction(4242, 1000), Fraction(0))
    first, second = (
        excess_on(table, model, better, tau=Fraction(6), squared_norm=2)
        for table, better in zip(ALIKE, (steepest, nearly), strict=True)
    )
    return first, second


def _same_moments() -> Evidence:
    sums = []
    for table in ALIKE:
        rows = list(zip(table.signed, table.counts, strict=True))
        products = [sum(c * r[i] * r[j] for r, c in rows) for i, j in ((0, 0), (0, 1), (1, 1))]
        sums.append([*(sum(c * r[j] for r, c in rows) for j in range(2)), *products])
    first, second = same_moments()
    share = share_above(squared_shift=Fraction(0), failure=Fraction(1, 20))
    with precision(128):
        low, high = arb(-2).exp().log1p(), arb(2).exp().log1p()
        by_hand = (3 * low + high) / 4 - (3 * (arb(4) / 3).log() + arb(4).log()) / 4
        near = Enclosure.of(by_hand - arb(as_fmpq(second.lo)))
    text = (
        f"sums {sums[0]} of both; the model (4, 0) is worse than another by {decimal_text(first.hi, 4, up=True)} on "
        f"one table and by {decimal_text(second.lo, 4, up=False)} on the other"
    )
    alike = sums[0] == sums[1] and share.contains(Fraction(19, 20))
    return confirmed_if(alike and first.hi < second.lo / 50 and near.lo >= 0 and near.hi < Fraction(1, 10**9), text)


def _more_than_total_variation() -> Evidence:
    share = share_above(squared_shift=Fraction(1), failure=Fraction(1, 20))
    with precision(128):
        variation = Enclosure.of(1 - arb(fmpq(1, 20)) - arb(fmpq(1, 8)).sqrt().erf())
    text = (
        f"one deviation apart, beta = 1/20: {decimal_text(share.lo, 4, up=False)} instead of "
        f"{decimal_text(variation.hi, 4, up=True)}"
    )
    return confirmed_if(share.lo > variation.hi + Fraction(1, 10), text)


CONFIRMED = Verdict.CONFIRMED
CLAIMS = (
    Claim("synthbounds.release.first-and-second", "synthbounds", "moment-release, (b)",
          "Replacing a record in the unit ball moves the sums of y x and x x' by at most sqrt(9/2), and some pair of "
          "records attains it.", CONFIRMED, Method.EXACT, _nine_halves, formula="D^2 = 2 + 2a^2 + a^4/2 at a = 1",
          theorems=(RELEASE,)),
    Claim("synthbounds.release.fourth", "synthbounds", "moment-release, (b)",
          "With the fourth moments at the same weight the sensitivity is between 2.5356 and 2.5357.", CONFIRMED,
          Method.EXACT, _fourth, formula="max over s of 2(1-s) + 2(1-s^2) + 2(1-s^4)", theorems=(RELEASE,)),
    Claim("synthbounds.release.add-remove", "synthbounds", "moment-release, (c)",
          "Adding or removing a record moves all three by at most sqrt 3, attained on the sphere.", CONFIRMED,
          Method.EXACT, _add_remove, formula="D^2 = a^2 + 1 + c^2", theorems=(RELEASE,)),
    Claim("synthbounds.certificate.corners", "synthbounds", "model-certificate, (a)",
          "At corners of its event the certificate of a small table is at least the real gap, computed exactly, and it "
          "would not be without its radii.", CONFIRMED, Method.BALL, _corners, theorems=(CERTIFICATE,)),
    Claim("synthbounds.certificate.no-loss", "synthbounds", "fenchel-young, (e)",
          "For the squared loss and exact moments the certificate is the exact gap to the best model.", CONFIRMED,
          Method.BALL, _no_loss, theorems=(CERTIFICATE, DUALITY)),
    Claim("synthbounds.certificate.cells", "synthbounds", "model-certificate, (c)",
          "The factor 1/8 of the lemma on cells cannot be smaller.", CONFIRMED, Method.EXACT, _eighth,
          theorems=(CERTIFICATE,)),
    Claim("synthbounds.certificate.near", "synthbounds", "model-certificate, (f)",
          "A bound on a ball around the model must be below ridge d^2/2 to hold for all models; no larger number would "
          "do in its place.", CONFIRMED, Method.EXACT, _distance, theorems=(CERTIFICATE,)),
    Claim("synthbounds.certificate.noise", "synthbounds", "model-certificate, (a)",
          "For the difference of two squared scores the form H gives exactly the most that noise of that operator norm "
          "can do.", CONFIRMED, Method.EXACT, _most_noise, theorems=(CERTIFICATE,)),
    Claim("synthbounds.duality.conjugate", "synthbounds", "fenchel-young, (a)",
          "The conjugate of log(2 cosh(s/2)) is the negative entropy of 1/2 + u and 1/2 - u.", CONFIRMED, Method.BALL,
          _conjugate, theorems=(DUALITY,)),
    Claim("synthbounds.certificate.beforehand", "synthbounds", "model-certificate, Numbers",
          "At the size of Adult, scores of at most 5 and epsilon 1, the bounds of zhou2024, Corollary 3.6, printed and "
          "corrected, are above the risk of the zero model; they are promised before any data are seen, a certificate "
          "is computed after a release.", CONFIRMED, Method.BALL, _beforehand,
          theorems=(CERTIFICATE, "zhou2024.logistic-private")),
    Claim("synthbounds.floor.same-moments", "synthbounds", "certificate-floor, (c) and (e)",
          "Two tables can have the same first and second moments, while the excess of a model is more than 50 times "
          "larger on one of them: certificates from these moments must be above it on both.", CONFIRMED, Method.BALL,
          _same_moments, theorems=(FLOOR,)),
    Claim("synthbounds.floor.share", "synthbounds", "certificate-floor, (c)",
          "The lemma of Neyman and Pearson gives a larger share of releases than total variation does.", CONFIRMED,
          Method.BALL, _more_than_total_variation, theorems=(FLOOR,)),
)  # fmt: skip
