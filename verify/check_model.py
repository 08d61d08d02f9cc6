"""Check a certificate of a model: `python -m verify.check_model FILE`. Proofs: docs/certificates.md.

Nothing comes from the code that makes certificates; Python and python-flint's rationals and balls are trusted. S is
the score of the model, V of any other, b = (1, S, V). Where phi(yS) - phi(yV) <= q + excess for all scores, with
q = constant + y label.b + b'Gb + S^2 b'G'b, the mean of q, which moments give, bounds the excess loss: a quadratic
function of the other model. `check` returns what it takes as given.
"""

import json
import sys
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from math import comb
from typing import Any

from flint import acb, arb, ctx, fmpq, fmpq_mat

FIELDS = """absolute adjacency ball_multipliers balls beta bits blocks bound certificate coefficients constant
contraction excess failures feature_map first forms fourth intercept label label_scale loss model near noise note radii
reach release ridge second size squared_norm statement tau version""".split()  # noqa: SIM905
LOSSES: dict[str, tuple[str, Any, Any]] = {  # name, phi with no kink but 1, and phi'', even and falling from 0 on
    "log(1+exp(-x))": ("logistic", lambda t: (1 + (-t).exp()).log(), lambda t: 1 / (2 + t.exp() + (-t).exp())),
    "max(0,1-x)": ("hinge", lambda t: (1 - t).max(arb(0)), lambda t: arb(0)),
    "(1-x)^2/2": ("squared", lambda t: (1 - t) ** 2 / 2, lambda t: arb(1)),
}
GRID, MOST_CELLS, MOST_FEATURES = 2**40, 200_000, 300


class Rejected(Exception):
    """The certificate does not prove what it claims."""


def require(holds: Any, reason: str) -> None:
    if not holds:
        raise Rejected(reason)


def numbers(value: Any, *shape: int) -> Any:
    """A number from text such as 7, 1/3, 5/2^9 or 0.25, or nested lists of them of that shape."""
    if shape:
        require(isinstance(value, list) and len(value) == shape[0], f"a list does not have {shape[0]} entries")
        return [numbers(part, *shape[1:]) for part in value]
    short = isinstance(value, str) and len(value) < 1000 and set(value) <= set("0123456789-./^")
    top, _, power = value.partition("/2^") if short else ("", "", "")
    require(top and len(power) < 5 and (power or "0").isdigit(), f"{str(value)[:40]!r} is not a number as text")
    return fmpq(*(Fraction(top) / 2 ** int(power or 0)).as_integer_ratio())


def positive_definite(rows: list[list[Any]]) -> bool:
    """By elimination in the upper triangle, in rationals or balls; every pivot must be certainly positive."""
    for k, row in enumerate(rows):
        if not row[k] > 0:
            return False
        for i in range(k + 1, len(rows)):
            factor = row[i] / row[k]
            rows[i][i:] = [x - factor * y for x, y in zip(rows[i][i:], row[i:], strict=True)]
    return True


def matrix_tail(p: int, r: arb) -> arb:
    """At least P(||W|| > r), W symmetric Gaussian, sd 1 and 1/sqrt 2 off the diagonal: the density of eigenvalues."""

    def density(x: acb, _: bool) -> acb:  # phi: Hermite functions; half: half their integrals up to x less those beyond
        root, before, half_before, total = acb.pi().sqrt(), acb(0), acb(0), acb(0)
        phi, half = (-x * x / 2).exp() / root.sqrt(), (root / 2).sqrt() * (x / acb(2).sqrt()).erf()
        for j in range(1, p + 1):
            up, keep, total = arb(fmpq(2, j)).sqrt(), arb(fmpq(j - 1, j)).sqrt(), total + phi * phi
            half_before, half = half, keep * half_before - up * phi
            before, phi = phi, up * x * phi - keep * before
        total += arb(fmpq(p, 2)).sqrt() * before * half
        return total + before / (2 * root * comb(p - 1, p // 2) / 2 ** (p - 1)).sqrt() if p % 2 else total

    edge, tiny = arb(2 * p).sqrt(), arb(2) ** -80
    end = r.upper() + edge.upper() + 20  # beyond it, p times the Gaussian tail of the largest eigenvalue
    within = acb.integral(density, acb(r), acb(end), rel_tol=tiny, abs_tol=tiny**2).real
    return 2 * (within + p * (-((end - edge) ** 2) / 2).exp())


def contraction_tail(p: int, r: arb, block: fmpq, touching: fmpq, x: fmpq) -> arb:
    """At least P(||C|| > r), C a symmetric Gaussian tensor of order four with two places taken by a unit vector."""
    m, c, low, normal = p - 1, arb(block), arb(touching), (arb(x) / arb(2).sqrt()).erfc() / 2
    t = (-(arb(x) ** 2) / 2).exp() / (2 * arb.pi()).sqrt() / normal
    ends, slope = [((r - v) / (r - t / 2 - v)).log() / 2 for v in (low, c)], (1 / (r - t / 2 - low) - 1 / (r - low)) / 2
    a2 = (ends[1] - ends[0] - slope * (c - low)) / (c - low) ** 2
    a1, a0, kept = slope - 2 * a2 * low, ends[0] - slope * low + a2 * low**2, 1 - a2 / 3
    require(c > 0 and c > low and r - t / 2 > c and kept > 0, "contraction: the tail bound does not apply")
    exponent = t * (x - r) + m * a0 + a1**2 * m / (12 * kept) - kept.log() * (m * (m + 1)) / 4
    return matrix_tail(m, c * arb(6).sqrt()) + 2 * normal * exponent.exp()


def require_domination(phi: Any, phi_bend: Any, q: Any, box: list[tuple[fmpq, fmpq]], excess: fmpq) -> None:
    """A function is below its largest corner plus, for each axis of a cell, width^2/8 times its downward curvature."""
    a0, label, g, h = q
    axes = [(arb((low * GRID).floor()) / GRID, arb((high * GRID).ceil()) / GRID) for low, high in box]
    cuts, count = [[low, *(x for x in (arb(-1), arb(1)) if low < x < high), high] for low, high in axes], 0
    waiting: list[Any] = list(product((1, -1), *map(pairwise, cuts)))
    while waiting:
        (y, *cell), count, corner = waiting.pop(), count + 1, arb("-inf")
        for b in ((1, s, v) for s, v in product(*cell)):
            rows = [y * label[i] + sum((g[i][j] + b[1] ** 2 * h[i][j]) * b[j] for j in range(3)) for i in range(3)]
            above = phi(y * b[1]) - phi(y * b[2]) - a0 - sum(x * row for x, row in zip(b, rows, strict=True))
            corner = max(corner, above.upper())
        (s, v), far = (x.union(z) for x, z in cell), max(-cell[0][0], cell[0][1])
        near = max(cell[1][0], -cell[1][1], arb(0))
        in_s = 2 * (g[1][1] + h[0][0] + v * (2 * h[0][2] + v * h[2][2])) + 12 * s * (
            h[0][1] + v * h[1][2] + s * h[1][1]
        )
        bends = in_s - phi_bend(far), 2 * (g[2][2] + s * s * h[2][2]) + phi_bend(near)
        slack = [(x - z) ** 2 / 8 * bend.upper().max(arb(0)) for (x, z), bend in zip(cell, bends, strict=True)]
        if not corner + slack[0] + slack[1] <= excess:
            require(corner <= excess and count < MOST_CELLS, "excess: the polynomial is not proved to dominate")
            axis = int(slack[1] > slack[0])
            middle = sum(cell[axis]) / 2
            for half in ((cell[axis][0], middle), (middle, cell[axis][1])):
                waiting.append((y, cell[0], half) if axis else (y, half, cell[1]))


@ctx.workprec(160)
def check(text: str) -> list[str]:
    """What is taken as given; raise Rejected where the rest is not proved, or another exception at no certificate."""
    c: Any = json.loads(text)
    require(isinstance(c, dict) and sorted(c) == FIELDS, "fields are missing or unknown")
    require((c["certificate"], c["version"]) == ("model", 1), "not a certificate of a model, version 1")
    p, d, inside, private = len(c["first"]), len(c["forms"]), c["intercept"] == "inside", c["adjacency"] == "add-remove"
    whole = all(type(c[k]) is int and 0 < c[k] < 2**63 for k in ("version", "size", "squared_norm", "bits"))
    named = (
        (inside or c["intercept"] == "free") and (private or c["adjacency"] == "replace-one") and c["loss"] in LOSSES
    )
    texts = all(isinstance(c[k], str) for k in ("note", "release", "model", "feature_map"))
    fits = 1 < p <= MOST_FEATURES and [d == 2] * 2 == [c[k] is not None for k in ("fourth", "contraction")]
    require(whole and named and texts and fits and 1 <= d <= 2 and c["bits"] <= 64, "not a certificate of a model")
    shapes = {"bound beta excess reach label_scale constant": (), "label": (3,), "coefficients first": (p,)}
    shapes |= {"failures radii": (d + 1,), "noise": (5 * d - 2,), "forms absolute": (d, 3, 3)}
    shapes |= {"balls ball_multipliers": (1 if inside else 2,)}
    read = [numbers(c[key], *shape) for keys, shape in shapes.items() for key in keys.split()]
    bound, beta, excess, reach, scale, a0, label, w, first, failures, radii, sds, forms, absolute, balls, mu = read
    tau, ridge, close = (None if c[k] is None else numbers(c[k]) for k in ("tau", "ridge", "near"))
    one, unit, norm = 2 ** c["bits"], c["size"] * 2 ** c["bits"], c["squared_norm"]
    name, phi, bend = LOSSES[c["loss"]]
    # scores over the public domain, column by column; the intercept is always 1
    low, high, place, squared = w[-1], w[-1], 0, sum(x * x for x in w)
    for block in c["blocks"]:
        require(all(type(x) is int for row in block for x in row), "blocks: not integers")
        small = all(len(row) == len(block[0]) and sum(x * x for x in row) <= one**2 for row in block)
        scores = [sum(a * x for a, x in zip(w[place:], row, strict=False)) / one for row in block]
        low, high, place = low + min(scores), high + max(scores), place + len(block[0])
        require(small and place < p, "blocks: not those of the coefficients, or a norm above 1")
    require(place == p - 1 and norm == len(c["blocks"]) + 1, "blocks: not those of the coefficients")
    # radii: a chi variable and the norms of Gaussian matrices; every sum is rounded by half a step
    first, rows = [x / unit for x in first], [numbers(row, p - i) for i, row in enumerate(c["second"])]
    moments = [fmpq_mat([[rows[min(i, j)][abs(i - j)] / (unit * one) for j in range(p)] for i in range(p)])]
    r = ((radii[0] * unit - arb(p).sqrt() / 2) / sds[0]).max(arb(0))
    tails = [(r * r / 2).gamma_upper(arb(p) / 2, regularized=1)]
    tails.append(matrix_tail(p, (radii[1] * unit * one - fmpq(p, 2)) / arb(sds[1]).max(sds[2] * arb(2).sqrt())))
    if d == 2:  # E[(w.f)^2 f f']
        keys, pairs, step = combinations_with_replacement(range(p), 4), list(product(range(p), repeat=2)), unit * one**3
        sums: Any = dict(zip(keys, numbers(c["fourth"], comb(p + 3, 4)), strict=True))
        terms = [(k, m, w[k] * w[m] / step) for k, m in pairs]
        entries = [sum(x * sums[tuple(sorted((i, j, k, m)))] for k, m, x in terms) for i, j in pairs]
        moments.append(fmpq_mat(p, p, entries))
        sd = max((arb(m).sqrt() * sd for m, sd in zip((1, 4, 6, 12, 24), sds[3:], strict=True)), key=arb.upper)
        r = (radii[2] * step - sum(map(abs, w)) ** 2 * fmpq(p, 2)) / (sd * squared)
        tails.append(contraction_tail(p, r, *numbers(c["contraction"], 3)))
    proved = min(sds) > 0 and all(tail <= failure for tail, failure in zip(tails, failures, strict=True))
    require(proved and sum(failures) <= beta < 1, "radii: too small for these failures, or these exceed beta")
    # the class: E[1] is 1 or near it; beyond `length` and `spread` the zero model is better, with `share` of a label
    masses = [moments[0][p - 1, p - 1] + k if private else fmpq(1) for k in (-radii[1], radii[1])]
    zero, share = phi(arb(0)).upper().fmpq(), (masses[0] - abs(first[-1]) - radii[0]) / (2 * masses[1])
    positive = masses[0] > 0 and (inside or share > 0) and all(x is None or x > 0 for x in (tau, ridge, close))
    length = min(x for x in (tau, ridge and arb(2 * zero / ridge).sqrt().upper().fmpq()) if x is not None)
    spread = fmpq(0) if inside else length + zero / share
    needed, farthest = [length**2 / norm, spread**2], length + spread
    if close is not None:  # on the way to a best model farther away the objective would fall by ridge close^2/2
        member = inside and (tau is None or norm * squared <= tau**2)
        positive = positive and member and 2 * bound < (ridge or 0) * close**2
        needed, farthest = [close**2 / norm], max(-low, high) + close
    kept = reach >= farthest and min(mu) >= 0 and all(x >= y for x, y in zip(balls, needed, strict=False))
    require(positive and kept and scale > 0 and bound >= 0, "the balls and the reach are not proved to be the class")
    # the bound: b maps (v, 1) to the vectors whose scores are 1, S and V
    t, last, mark = fmpq_mat.transpose, fmpq_mat([[0] * p + [1]]), [0] * (p - 1) + [1]
    unity = fmpq_mat([[int(i == j) for j in range(p + 1)] for i in range(p)])
    b = [*(fmpq_mat([[x] for x in fixed]) * last for fixed in (mark, w)), unity]
    a = b[0] * label[0] + b[1] * label[1] + b[2] * label[2]
    said = t(last) * (fmpq_mat([first]) * a) + (t(a) * a * (1 / scale) + t(last) * last * scale) * (radii[0] / 2)
    for g, h, matrix, radius in zip(forms, absolute, moments, radii[1:], strict=True):
        same = all(x[i][j] == x[j][i] for x in (g, h) for i in range(3) for j in range(i))
        both = [[[h[i][j] + sign * g[i][j] for j in range(3)] for i in range(3)] for sign in (1, -1)]
        require(same and all(map(positive_definite, both)), "absolute: not above the form and its negative")
        for i, j in product(range(3), repeat=2):
            said += t(b[i]) * matrix * b[j] * g[i][j] + t(b[i]) * b[j] * (radius * h[i][j])
    rest = a0 + excess - bound + sum(x * y for x, y in zip(balls, mu, strict=True))
    known, gap = t(last) * last * rest, b[2] - b[1] * int(close is not None)
    for i in range(p):  # one coordinate of w, v and v - centre at a time
        of_w, of_v, of_gap = (fmpq_mat([row.tolist()[i]]) for row in (b[1], b[2], gap))
        known -= t(of_gap) * of_gap * mu[0 if inside or i < p - 1 else 1]
        known += (t(of_w) * of_w - t(of_v) * of_v) * (norm * (ridge or fmpq(0)) / 2 * int(inside or i < p - 1))
    for mass in masses:  # linear in its reciprocal, so it is enough to look at both ends
        total = said * (1 / mass) + known
        rows = [[-arb(x) for x in row] for row in (total + t(total)).tolist()]
        require(positive_definite(rows), "bound: is not proved")
    polynomial = [a0, label, *forms, [[fmpq(0)] * 3] * 3][:4]
    require_domination(phi, bend, polynomial, [(low, high), (-reach, reach)], excess)
    models = ("" if tau is None else f" of norm at most {c['tau']}") + ("" if inside else ", intercept not counted,")
    loss = f"mean {name} loss" + ("" if ridge is None else f" plus {c['ridge']}/2 times its squared norm")
    sentence = f"Except with probability at most {c['beta']}, no linear model{models} has a {loss} on the real table"
    sentence += f" that is smaller than that of the certified model by more than {c['bound']}."
    require(c["statement"] == sentence, "statement: is not what the numbers say")
    size = "near the number of records, which is private" if private else "the number of records, which is public"
    given = [
        f"release {c['release']} ({c['adjacency']}): these are its sums, over a real table on the domain of the blocks",
        f"the noise of every sum is Gaussian with this deviation, independent, and rounded; {c['size']} is {size}",
        f"model {c['model']} and feature map {c['feature_map']} are these coefficients and blocks",
        "failures, beta and the class were not chosen by the noise",
    ]
    given += ["the model was fixed without the noise of the fourth moments"] if d == 2 else []
    return given + [f"note: {c['note']}"] * bool(c["note"])


if __name__ == "__main__":
    try:
        given = check(open(sys.argv[1], encoding="utf-8").read())  # noqa: SIM115 - the process ends with it
    except Exception as error:
        sys.exit(f"rejected: {str(error) or type(error).__name__}")
    sys.stdout.write("accepted; taken as given:\n" + "".join(f"- {line}\n" for line in given))
