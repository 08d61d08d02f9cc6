"""Check a certificate of a model: `python -m verify.checkers.model FILE`.

The claim: except with probability beta, no model of a class has an objective that is smaller than
that of the certified model by more than a bound. Letters and parts are those of the theorem,
docs/proofs/synthbounds.model-certificate.md; the distributions of the noise are in moment-radii
there. With a half, the bound is below 0 for the models in it, so a best one lies outside: see
docs/proofs/synthbounds.coefficient-signs.md. What the file takes as given is stated, and can be
compared with its release: see `given`.
"""

from __future__ import annotations

import sys
from itertools import combinations_with_replacement, product
from typing import Any

from flint import arb, ctx, fmpq, fmpq_mat

from verify.checkers import Work, allowed_steps, common_bits, parsed, require, run, shown
from verify.checkers.domination import LOSSES, Box, require_domination, score_boxes
from verify.checkers.model_file import (
    MULTIPLICITIES,
    Compared,
    Proof,
    Released,
    Vector,
    numbers,
    read_compared,
    read_fields,
    read_proof,
    read_released,
    read_sizes,
)
from verify.checkers.tails import contraction_tail, matrix_tail, vector_tail

STEPS_A_BYTE = 2000
PRECISION = 160


@ctx.workprec(PRECISION)
def check(data: str | bytes, limit: int | None = None) -> list[str]:
    """What is taken as given, provided the rest of the certificate is proved."""
    body = read_fields(parsed(data))
    p, degree = read_sizes(body)
    work = Work(allowed_steps(data, STEPS_A_BYTE) if limit is None else limit)
    work.charge(p**3 + (p**4 if degree == 4 else 0))
    w = numbers(body["coefficients"], "coefficients", p)
    bits = common_bits((int(x.q) for x in w), work)
    work.charge(p ** (degree if degree == 4 else 2), bits, bits)
    released = read_released(body, p, degree)
    compared = read_compared(body)
    proof = read_proof(body, p, degree)
    require_radii(proof, released, w)
    boxes = score_boxes(released.blocks, w, proof.feature, work)
    require_class(proof, compared, released, w, boxes)
    require_forms(proof)
    require_bound(proof, compared, released, w)
    require_domination(compared.loss, proof.q, boxes, compared.reach, proof.excess, work)
    require(body["statement"] == statement(body), "statement: is not what the numbers say")
    return taken_as_given(body, degree)


def dot(u: Vector, v: Vector) -> fmpq:
    return sum((x * y for x, y in zip(u, v, strict=True)), fmpq(0))


# radii: part (h) of the theorem


def require_radii(proof: Proof, released: Released, w: Vector) -> None:
    """Each radius fails with at most its stated probability, and all together with at most beta.

    A radius, minus half a step of rounding for every sum and divided by the deviation of the noise,
    is put into the tail of its distribution. Deviations not in the proportion of that distribution
    are raised to it, which makes no symmetric convex set more likely.
    """
    tails = [first_tail(proof, released), second_tail(proof, released)]
    if released.fourth is not None:
        tails.append(weighted_tail(proof, released, w))
    for tail, failure in zip(tails, proof.failures, strict=True):
        require(tail <= failure, "radii: one is too small for its failure probability")
    require(sum(proof.failures, fmpq(0)) <= proof.beta, "failures: exceed beta")
    require(proof.beta < 1, "beta: is not a probability below 1")


def first_tail(proof: Proof, released: Released) -> arb:
    p, steps = len(released.first), released.size * released.one * released.label_one
    left = proof.radii[0] * steps - arb(p).sqrt() / 2
    return vector_tail(p, left / released.noise[0])


def second_tail(proof: Proof, released: Released) -> arb:
    p, steps = len(released.first), released.size * released.one**2
    left = proof.radii[1] * steps - fmpq(p, 2)
    deviation = arb(released.noise[1]).max(released.noise[2] * arb(2).sqrt())
    return matrix_tail(p, left / deviation)


def weighted_tail(proof: Proof, released: Released, w: Vector) -> arb:
    """Of E[(w.f)^2 f f']: an entry at m places of the tensor has a deviation of 1/sqrt m there."""
    p, steps = len(released.first), released.size * released.one**4
    left = proof.radii[2] * steps - sum(map(abs, w), fmpq(0)) ** 2 * fmpq(p, 2)
    deviation = arb(0)
    for m, noise in zip(MULTIPLICITIES, released.noise[3:], strict=True):
        deviation = deviation.max(arb(m).sqrt() * noise)
    assert proof.contraction is not None
    return contraction_tail(p, left / (deviation * dot(w, w)), *proof.contraction)


# the class: parts (d), (e), (f) and (g)


def shares(proof: Proof, released: Released) -> tuple[fmpq, fmpq]:
    """(b): the smallest and the largest n/N; both are 1 if n is public."""
    if not released.private:
        return fmpq(1), fmpq(1)
    p = len(released.first)
    middle = released.second[p - 1, p - 1]
    return middle - proof.radii[1], middle + proof.radii[1]


def require_class(
    proof: Proof, compared: Compared, released: Released, w: Vector, boxes: list[Box]
) -> None:
    """Balls and reach are no smaller than the class, or than a sufficient part of it.

    If models are left out because the certified one is better, it must be in the class.
    """
    if compared.half is not None:
        counted = w[:-1] if compared.free else w
        norm = released.squared_norm * dot(counted, counted)
        inside = compared.tau is None or norm <= compared.tau**2
        require(inside, "half: the model itself is not in the class")
    least, _ = shares(proof, released)
    require(least > 0, "radii: there may be no records")
    if compared.near is not None:
        needed, far = near_the_model(proof, compared, released, w, boxes)
    else:
        needed, far = whole_class(proof, compared, released)
    holds = all(ball >= radius for ball, radius in zip(compared.balls, needed, strict=True))
    require(holds and compared.reach >= far, "balls, reach: not the whole class")


def whole_class(proof: Proof, compared: Compared, released: Released) -> tuple[Vector, fmpq]:
    """(d), (e): beyond `length` the zero model is better; (g): so it is beyond `spread`."""
    zero = compared.loss.value(arb(0)).upper().fmpq()
    lengths = [] if compared.tau is None else [compared.tau]
    if compared.ridge is not None:
        lengths.append(arb(2 * zero / compared.ridge).sqrt().upper().fmpq())
    length = min(lengths)
    slopes = length**2 / released.squared_norm
    if not compared.free:
        return [slopes], length
    spread = length + beyond_length(proof, compared, released, zero)
    return [slopes, spread**2], length + spread


def beyond_length(proof: Proof, compared: Compared, released: Released, zero: fmpq) -> fmpq:
    """(g): an intercept that exceeds the length by more has a larger loss than zero.

    A score beyond 2 has a squared loss above 1/2 for every label from -1 to 1; for labels of +1 and
    -1 records of the rarer one lose enough.
    """
    least, most = shares(proof, released)
    rarer = (least - abs(released.first[-1]) - proof.radii[0]) / (2 * most)
    by_label = zero / rarer if rarer > 0 and released.label_one == 1 else None
    enough = [by_label, fmpq(2) if compared.loss.name == "squared" else None]
    found = [distance for distance in enough if distance is not None]
    require(found, "intercept: one label may be missing, so a free intercept has no bound")
    return min(found)


def near_the_model(
    proof: Proof, compared: Compared, released: Released, w: Vector, boxes: list[Box]
) -> tuple[Vector, fmpq]:
    """(f): on the way to a best model farther away the objective would fall by ridge near^2/2."""
    near = compared.near or fmpq(0)
    require(not compared.free, "near: is not allowed with a free intercept")
    inside = compared.tau is None or released.squared_norm * dot(w, w) <= compared.tau**2
    require(inside, "near: the model itself is not in the class")
    falls = (compared.ridge or fmpq(0)) * near**2
    require(2 * proof.bound < falls, "near: the bound does not show that the best model is near")
    largest = max(max(abs(box.low), abs(box.high)) for box in boxes)
    return [near**2 / released.squared_norm], largest + near


# the bound: part (a), and (b) where n is private


def require_forms(proof: Proof) -> None:
    """H + G and H - G are positive definite: ((H, G), (G, H)) is, which turns into both."""
    for g, h in zip(proof.forms, proof.absolute, strict=True):
        upper = [left + right for left, right in zip(h, g, strict=True)]
        lower = [left + right for left, right in zip(g, h, strict=True)]
        require_positive(fmpq_mat(upper + lower), "absolute: not above the form and its negative")


def require_bound(proof: Proof, compared: Compared, released: Released, w: Vector) -> None:
    """bound - (c + 2 l.v - v'Kv) > 0 for all v: a form of (v, 1) that is positive definite.

    Terms from moments are divided by n/N, in which the rest is constant: both ends are enough.
    """
    moments = [released.second]
    if released.fourth is not None:
        moments.append(weighted_moments(released, w))
    said = said_by_moments(proof, released, moments, w)
    for share in set(shares(proof, released)):
        form = said * (1 / share) + rest_of_bound(proof, compared, released, w)
        require_positive(form * fmpq(-1), "bound: is not proved")


def weighted_moments(released: Released, w: Vector) -> fmpq_mat:
    """m4 = E[(w.f)^2 f f'], from sums listed by increasing indices."""
    assert released.fourth is not None
    p, steps = len(w), released.size * released.one**4
    indices = combinations_with_replacement(range(p), 4)
    sums = dict(zip(indices, released.fourth, strict=True))
    found = fmpq_mat(p, p)
    for i, j in combinations_with_replacement(range(p), 2):
        entry = fmpq(0)
        for k, m in product(range(p), repeat=2):
            a, b, c, d = sorted((i, j, k, m))
            entry += w[k] * w[m] * sums[a, b, c, d]
        found[i, j] = found[j, i] = entry / steps
    return found


def said_by_moments(
    proof: Proof, released: Released, moments: list[fmpq_mat], w: Vector
) -> fmpq_mat:
    """The parts of c, l and K that contain m1, m2, m4 and their radii, as a form of (v, 1).

    b_i is written as a matrix that takes (v, 1) to the vector whose score is 1, S, V or U.
    """
    p = len(w)
    b = vectors_of_scores(w, proof.feature)
    last = fmpq_mat(1, p + 1, [fmpq(0)] * p + [fmpq(1)])
    a = fmpq_mat(p, p + 1)
    for alpha, vector in zip(proof.q.label, b, strict=True):
        a += vector * alpha
    m1 = last.transpose() * (fmpq_mat(1, p, released.first) * a)
    s, k1 = proof.label_scale, proof.radii[0]
    found = symmetric(m1)
    found += (a.transpose() * a * (1 / s) + last.transpose() * last * s) * (k1 / 2)
    parts = zip(proof.forms, proof.absolute, moments, proof.radii[1:], strict=True)
    for g, h, moment, radius in parts:
        for i, j in product(range(len(b)), repeat=2):
            inner = moment * b[j] * g[i][j] + b[j] * (radius * h[i][j])
            found += symmetric(b[i].transpose() * inner)
    return found


def vectors_of_scores(w: Vector, feature: int | None) -> list[fmpq_mat]:
    """e, w, v and, if a feature is named, its unit vector, as matrices applied to (v, 1)."""
    p = len(w)

    def fixed(vector: Vector) -> fmpq_mat:
        found = fmpq_mat(p, p + 1)
        for i, x in enumerate(vector):
            found[i, p] = x
        return found

    def unit(place: int) -> Vector:
        return [fmpq(int(i == place)) for i in range(p)]

    of_v = fmpq_mat(p, p + 1)
    for i in range(p):
        of_v[i, i] = fmpq(1)
    found = [fixed(unit(p - 1)), fixed(w), of_v]
    return found if feature is None else [*found, fixed(unit(feature))]


def rest_of_bound(proof: Proof, compared: Compared, released: Released, w: Vector) -> fmpq_mat:
    """Constant, excess, penalty, balls and half minus the bound, as a form of (v, 1)."""
    p, free = len(w), compared.free
    penalty = released.squared_norm * (compared.ridge or fmpq(0)) / 2
    centre = w if compared.near is not None else [fmpq(0)] * p
    constant = proof.q.constant + proof.excess - proof.bound
    constant += dot(compared.balls, proof.multipliers)
    found = fmpq_mat(p + 1, p + 1)
    for i in range(p):
        counted = fmpq(0) if free and i == p - 1 else penalty
        mu = proof.multipliers[-1] if i == p - 1 else proof.multipliers[0]
        found[i, i] = -counted - mu
        found[i, p] = found[p, i] = mu * centre[i]
        constant += counted * w[i] ** 2 - mu * centre[i] ** 2
    if compared.half is not None:
        place, push = compared.half.place, compared.half.multiplier * compared.half.sign
        found[place, p] -= push / 2
        found[p, place] -= push / 2
        constant += push * compared.half.threshold
    found[p, p] = constant
    return found


def symmetric(matrix: fmpq_mat) -> fmpq_mat:
    """The form given by a symmetric matrix."""
    return (matrix + matrix.transpose()) * fmpq(1, 2)


def require_positive(matrix: fmpq_mat, reason: str) -> None:
    """Symmetric and positive definite: every pivot of an elimination in balls is above zero."""
    require(matrix == matrix.transpose(), reason)
    rows = [[arb(x) for x in row[i:]] for i, row in enumerate(matrix.tolist())]  # upper triangle
    while rows:
        (pivot, *top), *below = rows
        require(pivot > 0, reason)
        rows = []
        for i, row in enumerate(below):
            factor = top[i] / pivot
            rows.append([x - y * factor for x, y in zip(row, top[i:], strict=True)])


# what is said


def statement(body: dict[str, Any]) -> str:
    """The claim in one sentence."""
    models = "" if body["tau"] is None else f" of norm at most {body['tau']}"
    models += ", intercept not counted," if body["intercept"] == "free" else ""
    penalty = "" if body["ridge"] is None else f" plus {body['ridge']}/2 times its squared norm"
    loss = f"mean {LOSSES[body['loss']].name} loss{penalty}"
    except_with = f"Except with probability at most {body['beta']},"
    if "half" in body:
        return (
            f"{except_with} every linear model{models} that has the least {loss} on the real table "
            f"among these has {half_statement(body)}."
        )
    return (
        f"{except_with} no linear model{models} has a {loss} on the real table that is smaller "
        f"than that of the certified model by more than {body['bound']}."
    )


def half_statement(body: dict[str, Any]) -> str:
    """The property of a best model; the name of a coefficient is taken as given."""
    half = body["half"]
    last = half["coefficient"] == len(body["coefficients"]) - 1
    named = f"a coefficient of {shown(half['name'])} (place {half['coefficient']})"
    which = "an intercept" if last else named
    return f"{which} {'greater' if half['sign'] == 1 else 'less'} than {half['threshold']}"


def taken_as_given(body: dict[str, Any], degree: int) -> list[str]:
    """What no checker can know from the file alone."""
    adjacency = body["adjacency"]
    records = f"{'about ' if adjacency == 'add-remove' else ''}{body['size']} records"
    held_out = ", nor the model after that of fourth moments" if degree == 4 else ""
    given = [
        f"release {body['release']} ({adjacency}): these are its sums of {records}",
        "the records are in the domain of the blocks; the noise is Gaussian with these deviations, "
        "independent, and rounded",
        f"model {body['model']} and feature map {body['feature_map']} are these coefficients "
        "and blocks",
        f"failures, beta and class were not chosen after seeing the noise{held_out}",
    ]
    if "label_bits" in body:
        steps = f"in steps of 2^-{body['label_bits']}; the loss of a score s is (y - s)^2/2"
        given.append(f"the label is a number y from -1 to 1, {steps}")
    if "half" in body:
        half = body["half"]
        given.append(
            f"the coefficient at place {half['coefficient']} is that of {shown(half['name'])}"
        )
    return given + ([f"note: {body['note']}"] if body["note"] else [])


def said(data: bytes, limit: int | None) -> str:
    return "\n- ".join([" if:", *check(data, limit)])


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], said))
