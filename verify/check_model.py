"""Check a certificate of a model: `python -m verify.check_model FILE`. Proofs: docs/certificates.md.

Only Python and python-flint's rationals and balls are trusted. S is the score of the model, V that of any other, U the
value of a feature if the file names one; b = (1, S, V, U). Where phi(yS) - phi(yV) <= q + excess for all scores, with
q = constant + y label.b + b'Gb + S^2 b'G'b, the mean of q, which moments give, bounds how much better V's model can be.
"""

import json
import sys
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from math import comb
from operator import mul
from typing import Any

from flint import acb, arb, ctx, fmpq, fmpq_mat

LOSSES: dict[str, tuple[str, Any, Any]] = {  # name, phi with no kink but 1, and phi'', even and falling from 0 on
    "log(1+exp(-x))": ("logistic", lambda t: (1 + (-t).exp()).log(), lambda t: 1 / (2 + t.exp() + (-t).exp())),
    "max(0,1-x)": ("hinge", lambda t: (1 - t).max(arb(0)), lambda t: arb(0)),
    "(1-x)^2/2": ("squared", lambda t: (1 - t) ** 2 / 2, lambda t: arb(1)),
}
FIELDS, GRID, MOST_CELLS, MOST_FEATURES = 37, 2**40, 200_000, 300  # all fields are read: one more would be unknown


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
    top, slash, power = value.partition("/2^") if short else ("", "", "")
    require(top and len(power) < 5 and power.isdigit() == bool(slash), f"{str(value)[:40]!r} is not a number as text")
    return fmpq(*(Fraction(top) / 2 ** int(power or 0)).as_integer_ratio())


def require_positive(matrix: fmpq_mat, reason: str) -> None:
    """Symmetric and positive definite, by elimination in the upper triangle: every ball of a pivot is above zero."""
    require(matrix == matrix.transpose(), reason)
    rows = [[arb(x) for x in row[i:]] for i, row in enumerate(matrix.tolist())]
    while rows:
        (pivot, *top), *rows = rows
        require(pivot > 0, reason)
        rows = [[x - y * top[i] / pivot for x, y in zip(row, top[i:], strict=True)] for i, row in enumerate(rows)]


def matrix_tail(p: int, r: arb) -> arb:
    """At least P(||W|| > r), W symmetric Gaussian, sd 1 and 1/sqrt 2 off the diagonal: the density of eigenvalues."""

    def density(x: acb, _: bool) -> acb:  # phi: Hermite functions; half: half their integrals up to x less those beyond
        root, before, half_before, total = acb.pi().sqrt(), acb(0), acb(0), acb(0)
        phi, half = (-x * x / 2).exp() / root.sqrt(), (root / 2).sqrt() * (x / acb(2).sqrt()).erf()
        for j in range(1, p + 1):
            up, keep, total = arb(fmpq(2, j)).sqrt(), arb(fmpq(j - 1, j)).sqrt(), total + phi * phi
            half_before, half, before, phi = half, keep * half_before - up * phi, phi, up * x * phi - keep * before
        total += arb(fmpq(p, 2)).sqrt() * before * half
        return total + before / (2 * root * comb(p - 1, p // 2) / 2 ** (p - 1)).sqrt() if p % 2 else total

    edge, tiny, r = arb(2 * p).sqrt(), arb(2) ** -80, r.max(arb(0))  # left of all eigenvalues no tail would be seen
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


def require_domination(phi: Any, phi_bend: Any, q: Any, boxes: Any, reach: fmpq, excess: fmpq) -> None:
    """A function is below its largest corner plus, for each axis of a cell, width^2/8 times its downward curvature."""
    (a0, a, g, h), places, waiting, count = q, [*product(range(len(q[1])), repeat=2)], list[Any](), 0
    for u, *scores in boxes:  # cells end at points of a grid, where polynomials are exact, and at kinks of phi
        axes = [(arb((x * GRID).floor()) / GRID, arb((z * GRID).ceil()) / GRID) for x, z in (scores, (-reach, reach))]
        cuts = [(low, *(k for k in (arb(-1), arb(1)) if low < k < high), high) for low, high in axes]
        waiting += product((1, -1), [arb(u)], *map(pairwise, cuts))
    while waiting:
        (y, u, *cell), count, corner = waiting.pop(), count + 1, arb("-inf")
        for b in ((1, s, v, u) for s, v in product(*cell)):
            value = a0 + y * sum(map(mul, a, b)) + sum(b[i] * b[j] * (g[i][j] + b[1] ** 2 * h[i][j]) for i, j in places)
            corner = corner.max((phi(y * b[1]) - phi(y * b[2]) - value).upper())  # not Python's max, which drops NaN
        (s, v), far, near = (x.union(z) for x, z in cell), (-cell[0][0]).max(cell[0][1]), cell[1][0].max(-cell[1][1])
        rows = [sum(map(mul, row, (1, 0, v, u))) for row in h]
        in_s = g[1][1] + sum(map(mul, rows, (1, 0, v, u))) + 6 * s * (rows[1] + s * h[1][1])
        bends = 2 * in_s - phi_bend(far), 2 * (g[2][2] + s * s * h[2][2]) + phi_bend(near.max(arb(0)))
        slack = [(x - z) ** 2 / 8 * bend.upper().max(arb(0)) for (x, z), bend in zip(cell, bends, strict=True)]
        if not corner + slack[0] + slack[1] <= excess:
            require(corner <= excess and count < MOST_CELLS, "excess: the polynomial is not proved to dominate")
            axis = int(slack[1] > slack[0])
            for half in pairwise((cell[axis][0], sum(cell[axis]) / 2, cell[axis][1])):
                waiting.append((y, u, cell[0], half) if axis else (y, u, half, cell[1]))


@ctx.workprec(160)
def check(text: str | bytes) -> list[str]:
    """What is taken as given; raise Rejected where the rest is not proved, or another exception at no certificate."""
    c: Any = json.loads(text, object_pairs_hook=lambda pairs: dict(pairs) if len(dict(pairs)) == len(pairs) else {})
    require(len(c) == FIELDS and (c["certificate"], repr(c["version"])) == ("model", "1"), "no certificate of a model")
    p, d, feature, (name, phi, bend) = len(c["first"]), len(c["forms"]), c["feature"], LOSSES[c["loss"]]
    private, free = ["replace-one", "add-remove"].index(c["adjacency"]), ["inside", "free"].index(c["intercept"])
    fits = 1 < p <= MOST_FEATURES and 0 < d < 3 and feature in (None, *range(p - 1)) and 0 < c["bits"] <= 64
    n, both = 4 - (feature is None), [d == 2] * 2 == [c[key] is not None for key in ("fourth", "contraction")]
    both &= all(c[key].isprintable() for key in ("release", "model", "feature_map", "note"))
    require(fits and both and type(c["bits"]) is type(c["size"]) is int and c["size"] > 0, "a field is malformed")
    shapes = {"bound beta excess reach label_scale constant": (), "balls ball_multipliers": (1 + free,), "label": (n,)}
    shapes |= {"coefficients first": (p,), "failures radii": (d + 1,), "forms absolute": (d, n, n)}
    read = [numbers(c[key], *shape) for keys, shape in shapes.items() for key in keys.split()]
    bound, beta, excess, reach, scale, a0, balls, mu, label, w, first, failures, radii, forms, absolute = read
    tau, ridge, close = (None if c[key] is None else numbers(c[key]) for key in ("tau", "ridge", "near"))
    one, unit, norm, sds = 2 ** c["bits"], c["size"] * 2 ** c["bits"], c["squared_norm"], numbers(c["noise"], 5 * d - 2)
    # scores over the public domain for every value of U, column by column; the intercept is always 1
    boxes, place, marks = [(fmpq(0), w[-1], w[-1])], 0, [int(i == feature) for i in range(p)]
    for block in c["blocks"]:
        part, groups = slice(place, place := place + len(block[0])), dict[fmpq, list[fmpq]]()
        for row in ([fmpq(x, one) for x in codes] for codes in block):
            require(len(row) == len(block[0]) and sum(map(mul, row, row)) <= 1, "blocks: uneven, or of a norm above 1")
            groups.setdefault(sum(map(mul, marks[part], row)), []).append(sum(map(mul, w[part], row)))
        boxes = [(u + x, low + min(s), high + max(s)) for u, low, high in boxes for x, s in groups.items()]
    require(place == p - 1 and norm == len(c["blocks"]) + 1, "blocks: not those of the coefficients")
    # radii: a chi variable and the norms of Gaussian matrices; every sum is rounded by half a step
    first, rows = [x / unit for x in first], [numbers(row, p - i) for i, row in enumerate(c["second"])]
    moments = [fmpq_mat([[rows[min(i, j)][abs(i - j)] / (unit * one) for j in range(p)] for i in range(p)])]
    r, squared = ((radii[0] * unit - arb(p).sqrt() / 2) / sds[0]).max(arb(0)), sum(map(mul, w, w))
    tails = [(r * r / 2).gamma_upper(arb(p) / 2, regularized=1)]
    tails.append(matrix_tail(p, (radii[1] * unit * one - fmpq(p, 2)) / arb(sds[1]).max(sds[2] * arb(2).sqrt())))
    if d == 2:  # E[(w.f)^2 f f']
        keys, pairs, step = combinations_with_replacement(range(p), 4), [*product(range(p), repeat=2)], unit * one**3
        sums: Any = dict(zip(keys, numbers(c["fourth"], comb(p + 3, 4)), strict=True))
        entries = [sum(w[k] * w[m] * sums[*sorted((i, j, k, m))] for k, m in pairs) / step for i, j in pairs]
        moments.append(fmpq_mat(p, p, entries))
        sd = max((arb(m).sqrt() * sd for m, sd in zip((1, 4, 6, 12, 24), sds[3:], strict=True)), key=arb.upper)
        r = (radii[2] * step - sum(map(abs, w)) ** 2 * fmpq(p, 2)) / (sd * squared)
        tails.append(contraction_tail(p, r, *numbers(c["contraction"], 3)))
    proved = min(sds) > 0 and all(tail <= failure for tail, failure in zip(tails, failures, strict=True))
    require(proved and sum(failures) <= beta < 1, "radii: too small for these failures, or these exceed beta")
    # the class: E[1] is 1 or near it; beyond `length` and `spread` the zero model is better, with `share` of a label
    masses = {moments[0][p - 1, p - 1] + k if private else fmpq(1) for k in (-radii[1], radii[1])}
    zero, share = phi(arb(0)).upper().fmpq(), (min(masses) - abs(first[-1]) - radii[0]) / (2 * max(masses))
    length = min(x for x in (tau, ridge and arb(2 * zero / ridge).sqrt().upper().fmpq()) if x is not None)
    spread = length + zero / share if free else fmpq(0)
    needed, far, fits = [length**2 / norm, spread**2], length + spread, not free or share > 0
    if close is not None:  # on the way to a best model farther away the objective would fall by ridge close^2/2
        fits = not free and (tau is None or norm * squared <= tau**2) and 2 * bound < (ridge or 0) * close**2
        needed, far = [close**2 / norm], max(abs(x) for _, *scores in boxes for x in scores) + close
    require(min(*masses, *radii, scale, *({tau, ridge, close} - {None})) > 0 <= min(bound, *mu), "a wrong sign")
    require(fits and reach >= far and all(x >= y for x, y in zip(balls, needed, strict=False)), "not the whole class")
    # the bound: b maps (v, 1) to the vectors whose scores are 1, S, V and U
    t, last, of_v = fmpq_mat.transpose, fmpq_mat([[0] * p + [1]]), fmpq_mat(p, p + 1, ([1, *[0] * (p + 1)] * p)[:-p])
    of_1, of_w, of_u = (fmpq_mat(p, 1, x) * last for x in ([0] * (p - 1) + [1], w, marks))
    b, gap = [of_1, of_w, of_v, of_u][:n], of_v - of_w * int(close is not None)
    a = sum(map(mul, b, label), fmpq_mat(p, p + 1))
    said = t(last) * (fmpq_mat([first]) * a) + (t(a) * a * (1 / scale) + t(last) * last * scale) * (radii[0] / 2)
    for g, h, matrix, radius in zip(forms, absolute, moments, radii[1:], strict=True):
        four = [x + y for x, y in zip(h + g, g + h, strict=True)]  # ((H, G), (G, H)), which turns into H + G and H - G
        require_positive(fmpq_mat(four), "absolute: not above the form and its negative")
        for i, j in product(range(n), repeat=2):
            said += t(b[i]) * matrix * b[j] * g[i][j] + t(b[i]) * b[j] * (radius * h[i][j])
    sides = [(mu[0], mu[-1]), [norm * (ridge or fmpq(0)) / 2 * k for k in (1, 1 - free)]]  # of slopes and intercept
    ball, penalty = (fmpq_mat([[x[i == p - 1] * int(i == j) for j in range(p)] for i in range(p)]) for x in sides)
    rest = t(last) * last * (a0 + excess - bound + sum(map(mul, balls, mu))) - t(gap) * ball * gap
    rest += t(of_w) * penalty * of_w - t(of_v) * penalty * of_v
    for total in (said * (1 / mass) + rest for mass in masses):  # linear in 1/mass: both ends are enough
        require_positive(-total - t(total), "bound: is not proved")
    require_domination(phi, bend, [a0, label, *forms, [[fmpq(0)] * n] * n][:4], boxes, reach, excess)
    models = ("" if tau is None else f" of norm at most {c['tau']}") + ", intercept not counted," * free
    loss = f"mean {name} loss" + ("" if ridge is None else f" plus {c['ridge']}/2 times its squared norm")
    sentence = f"Except with probability at most {c['beta']}, no linear model{models} has a {loss} on the real table"
    sentence += f" that is smaller than that of the certified model by more than {c['bound']}."
    require(c["statement"] == sentence, "statement: is not what the numbers say")
    return [
        f"release {c['release']:s} ({c['adjacency']}): these are its sums of {'about ' * private}{c['size']} records",
        "the records are of the domain of the blocks; noise is Gaussian of these deviations, independent, and rounded",
        f"model {c['model']:s} and feature map {c['feature_map']:s} are these coefficients and blocks",
        "failures, beta and class were not chosen by the noise" + ", nor the model by that of fourth moments" * (d - 1),
        *[f"note: {c['note']:s}"][: len(c["note"])],
    ]


if __name__ == "__main__":
    try:
        sys.stdout.write("\n- ".join(["accepted if:", *check(open(sys.argv[1], "rb").read())]) + "\n")  # noqa: SIM115
    except Exception as error:
        sys.exit(f"rejected: {str(error) or type(error).__name__}")
