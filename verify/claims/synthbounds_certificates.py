"""Our own statements about certificates of models, checked like those of papers.

Small tables and exact numbers: certificates over the corners of their event, and constants that cannot be smaller.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq, fmpq_mat

from bounds.certify.excess import separable
from bounds.certify.problem import Ball, Compared, KnownMoments, Matrix, Problem, Vector, dot
from bounds.certify.shape import Shape
from bounds.certify.value import Multipliers, bound
from bounds.enclosure import as_fmpq, as_fraction, decimal_text, precision
from verify.claim import Claim, Evidence, Method, Scope, Verdict, Withdrawn, confirmed_if

CERTIFICATE, DUALITY = "synthbounds.model-certificate", "synthbounds.fenchel-young"
HALF = Fraction(1, 2)
TABLE = ((1, 1, 5), (1, -1, 2), (-1, 1, 1), (-1, -1, 4))
"""Feature, label and number of records of a table with one feature and an intercept."""


def table_moments() -> tuple[Vector, Matrix]:
    """Exact E[y f] and E[f f'] of the table."""
    n = sum(count for _, _, count in TABLE)
    first = tuple(Fraction(sum(c * y * f for x, y, c in TABLE for f in [(x, 1)[j]]), n) for j in range(2))
    second = tuple(
        tuple(Fraction(sum(c * (x, 1)[i] * (x, 1)[j] for x, _, c in TABLE), n) for j in range(2)) for i in range(2)
    )
    return first, second


def squared_gap(model: Vector) -> Fraction:
    """By how much the best of all models is better than this one on the table, for the squared loss (1 - m)^2/2."""
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
    """The certificate's question after noise has moved the table's moments, with the loss itself as polynomial."""
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

    With `allowed` = 0 the certificates ignore the noise.
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
        f"{decimal_text(gap, 5, up=True)}; without the radii {below} of them would be below the gap. At any other "
        "point of the event tr(G B'DB) <= k_2 tr(H B'B) for an error D of norm k_2, and an error of the first moments "
        "costs at most k_1 |a|"
    )
    return confirmed_if(min(bounds) >= gap > 0 and below > 0, text)


def _no_loss() -> Evidence:
    model = (Fraction(1, 3), Fraction(1, 7))
    zero = (Fraction(0), Fraction(0))
    problem, shape = squared_problem(model, zero, (zero, zero), Fraction(0), Fraction(0))
    multipliers = Multipliers((dominating_form(Fraction(1)),), Fraction(1), (Fraction(0),))
    value, gap = bound(problem, shape, multipliers, Fraction(0)).value, squared_gap(model)
    text = (
        f"12 records: certificate {decimal_text(value.hi, 20, up=True)}, exact gap {gap} = "
        f"{decimal_text(gap, 20, up=False)}; in general the loss is its own polynomial, so that F(w) - F(v) is the "
        "quadratic function of v whose maximum is certified"
    )
    return confirmed_if(value.contains(gap) and value.hi - value.lo < Fraction(1, 10**30), text)


def _eighth() -> Evidence:
    """g = (x - a)(b - x) delta/2 has second derivative -delta and vanishes at both ends."""
    import sympy as sp

    a, b, delta, x = sp.symbols("a b delta x", real=True)
    g = delta * (x - a) * (b - x) / 2
    bends = sp.expand(sp.diff(g, x, 2) + delta) == 0 and g.subs(x, a) == g.subs(x, b) == 0
    middle = sp.expand(g.subs(x, (a + b) / 2) - delta * (b - a) ** 2 / 8) == 0
    below = sp.expand(delta * (b - a) ** 2 / 8 - g - delta * (x - (a + b) / 2) ** 2 / 2) == 0
    text = (
        "g + delta x^2/2 is convex where g'' >= -delta, so g is at most delta (x - a)(b - x)/2 above its chord; this "
        "is delta (b - a)^2/8 minus a square, with equality at the middle, and is itself such a g"
    )
    return confirmed_if(bends and middle and below, text)


def _distance() -> Evidence:
    """L = 0: F = |v|^2 ridge/2, with the model at distance (1 + e) d from the minimiser 0."""
    import sympy as sp

    ridge, d, e = sp.symbols("ridge d e", positive=True)
    far = (1 + e) * d
    on_ball = ridge / 2 * (far**2 - (far - d) ** 2)  # against the best model within d of it
    quotient = sp.expand(on_ball / (ridge * d**2 / 2) - (1 + 2 * e)) == 0
    outside = sp.expand((ridge / 2 * far**2 - on_ball) / (ridge * d**2 / 2) - e**2) == 0
    text = (
        "the minimiser is (1 + e) times as far as d: the gain on the ball is (1 + 2e) ridge d^2/2, and the real one is "
        "larger by e^2 ridge d^2/2; so for any number above ridge d^2/2 in its place, a small e > 0 has a bound on the "
        "ball that fails outside"
    )
    return confirmed_if(quotient and outside, text)


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
    text = (
        "u = 1/10, -2/5, 49/100: slope 0 and the negative entropy at s = log((1/2 + u)/(1/2 - u)); in general the "
        "slope u - tanh(s/2)/2 falls strictly in s and vanishes there, where 4 cosh(s/2)^2 = 1/((1/2 + u)(1/2 - u))"
    )
    return confirmed_if(holds, text)


def _most_noise() -> Evidence:
    """tr D (ww' - vv') for D of norm 1: the sum of the absolute eigenvalues, and twice the form at its best t."""
    import sympy as sp

    a, b = (sp.Matrix(sp.symbols(f"{name}1:4", real=True)) for name in "ab")  # w - v and w + v
    w, v = (a + b) / 2, (b - a) / 2
    form = (w * w.T - v * v.T).expand()
    trace, squares = sp.expand(form.trace()), sp.expand((form * form).trace())
    inner, sizes = (a.T * b)[0], (a.T * a)[0] * (b.T * b)[0]
    known = sp.expand(trace - inner) == 0 and sp.expand(squares - (inner**2 + sizes) / 2) == 0 and form.rank() == 2
    one, two = (Fraction(1), Fraction(2)), (Fraction(2), Fraction(1))
    minus, plus = (
        tuple(x - y for x, y in zip(one, two, strict=True)),
        tuple(x + y for x, y in zip(one, two, strict=True)),
    )
    t = Fraction(3)  # |w + v|/|w - v|
    form_value = 2 * (t * dot(minus, minus) + dot(plus, plus) / t) / 4
    attained = -(one[0] ** 2 - two[0] ** 2) + (one[1] ** 2 - two[1] ** 2)  # with the matrix diag(-1, 1)
    text = (
        "with a = w - v and b = w + v, ww' - vv' has rank 2 and the eigenvalues (a.b + |a||b|)/2 and (a.b - "
        "|a||b|)/2, whose absolute values add up to |a||b|, the most that noise of norm 1 can do; the form H reaches "
        f"it at t = |b|/|a|. w = (1,2), v = (2,1): the matrix diag(-1, 1) gives {attained}, the form H gives "
        f"{form_value}"
    )
    return confirmed_if(known and form_value == attained, text)


CLAIMS = (
    Claim(
        "synthbounds.certificate.corners", "synthbounds", "model-certificate, (a)",
        "At corners of its event the certificate of a small table is at least the real gap, computed exactly, and "
        "without its radii it would not be.",
        Verdict.CONFIRMED, Method.BALL, _corners, theorems=(CERTIFICATE,),
        quote=r"then on the event, for **every** compared model $v$, $$F(w)-F(v)\ \le\ X=\eta+c", scope=Scope.REASONED,
    ),
    Claim(
        "synthbounds.certificate.no-loss", "synthbounds", "fenchel-young, (e)",
        "For the squared loss and exact moments the certificate is the exact gap to the best model.",
        Verdict.CONFIRMED, Method.BALL, _no_loss, theorems=(CERTIFICATE, DUALITY),
        quote="with exact moments and no class it is the exact gap", scope=Scope.REASONED,
    ),
    Claim(
        "synthbounds.certificate.cells", "synthbounds", "model-certificate, proof of (c)",
        "A function with g'' >= -delta lies at most delta h^2/8 above its chord, and 1/8 cannot be smaller.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _eighth, theorems=(CERTIFICATE,),
        quote=r"so $g$ lies below its own chord plus $\frac\delta2(x-x_0)(x_1-x)\le\frac18\delta h^2$",
        scope=Scope.REASONED,
    ),
    Claim(
        "synthbounds.certificate.near", "synthbounds", "model-certificate, (f)",
        "The condition that a bound on a ball around the model is below ridge d^2/2 cannot be weakened: no larger "
        "number would do.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _distance, theorems=(CERTIFICATE,),
        quote=r"and $X<\frac\lambda2d^2$, then $F(w)-F(v)\le X$ for all $v$.", scope=Scope.ALL_CASES,
    ),
    Claim(
        "synthbounds.certificate.noise", "synthbounds", "model-certificate, (a)",
        "For the difference of two squared scores the form H gives exactly the most that noise of that operator norm "
        "can do.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _most_noise, theorems=(CERTIFICATE,),
        quote=r"Let $H\succeq\pm G$, $H_4\succeq\pm G_4$, $s>0$ and $\mu_j\ge0$.", scope=Scope.REASONED,
    ),
    Claim(
        "synthbounds.duality.conjugate", "synthbounds", "fenchel-young, (a)",
        "The conjugate of log(2 cosh(s/2)) is the negative entropy of 1/2 + u and 1/2 - u.",
        Verdict.CONFIRMED, Method.BALL, _conjugate, theorems=(DUALITY,),
        quote=r"\psi^*_R(u)=\begin{cases}(\frac12+u)\ln(\frac12+u)+(\frac12-u)\ln(\frac12-u)&|u|\le u_R",
        scope=Scope.REASONED,
    ),
)  # fmt: skip

WITHDRAWN = (
    Withdrawn(
        "synthbounds.certificate.beforehand",
        "No page of ours compares a certificate with the bounds of Corollary 3.6 of zhou2024 at the size of Adult.",
    ),
)
