"""Gaussian noise in ddssp2024: Section 2.1 and the sensitivities of Appendix D, with the exact delta of a scale.

The scales of the paper keep epsilon times sigma fixed, so the exact delta grows strictly with epsilon, and so one
crossing separates the budgets at which a scale is private from those at which it is not.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq, decimal_text, precision
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.gaussian import classical_valid_up_to, gaussian_delta, gaussian_epsilon
from bounds.privacy.statements import GaussianDP
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, refuted_if

DELTA = Fraction(1, 10**5)
BUDGETS = tuple(Fraction(text) for text in ("0.05", "0.1", "0.5", "1", "2"))
"""The delta and the epsilons of Section 4."""


def _log(number: Fraction) -> Enclosure:
    with precision(192):
        return Enclosure.of(arb(as_fmpq(number)).log())


def noise_of(constant: Fraction, epsilon: Fraction, releases: int, *, least: bool) -> GaussianDP:
    """Releases with (sigma/sensitivity)^2 = constant log(1.25/delta)/epsilon^2, at an end of the enclosed logarithm."""
    logarithm = _log(Fraction(5, 4) / DELTA)
    end = logarithm.hi if least else logarithm.lo
    return GaussianDP(mu_squared=releases * epsilon**2 / (constant * end), adjacency=Adjacency.ADD_REMOVE)


def is_private(constant: Fraction, epsilon: Fraction, releases: int) -> bool | None:
    """Whether the exact delta at epsilon is at most 1e-5, certified; None if not decided."""
    if gaussian_delta(noise_of(constant, epsilon, releases, least=False), epsilon=epsilon).delta.hi <= DELTA:
        return True
    if gaussian_delta(noise_of(constant, epsilon, releases, least=True), epsilon=epsilon).delta.lo > DELTA:
        return False
    return None


def true_epsilon(constant: Fraction, epsilon: Fraction, releases: int) -> Fraction:
    """A lower bound of the smallest epsilon at which the releases are private with delta = 1e-5."""
    found = gaussian_epsilon(noise_of(constant, epsilon, releases, least=True), dp_delta=DELTA)
    return found.epsilon.lo


def integrated_delta(constant: int, epsilon: str, releases: int) -> Any:
    """The same delta from its definition: integral of (p - e^epsilon q)_+ for two shifted normal densities."""
    import mpmath

    with mpmath.workdps(30):
        eps = mpmath.mpf(epsilon)
        mu = eps * mpmath.sqrt(releases / (constant * mpmath.log(mpmath.mpf(125000))))
        start = eps / mu - mu / 2  # from here on p(z) = normal density at z exceeds e^eps times that at z + mu
        excess = lambda z: mpmath.npdf(z) - mpmath.exp(eps) * mpmath.npdf(z + mu)  # noqa: E731
        return mpmath.quad(excess, [start, start + 1, start + 3, start + 12])


def _classical() -> Evidence:
    deltas = [is_private(Fraction(2), epsilon, 1) for epsilon in BUDGETS]
    limit = classical_valid_up_to(DELTA, adjacency=Adjacency.ADD_REMOVE)
    beyond = gaussian_delta(noise_of(Fraction(2), Fraction(10), 1, least=True), epsilon=10).delta.lo
    text = (
        f"at delta = 1e-5 private at every epsilon of Section 4 and exactly up to {limit.decimal(9)[0]}...; at "
        f"epsilon = 10 the exact delta is {decimal_text(beyond, 7, up=False)}..."
    )
    return refuted_if(all(deltas) and limit.lo > 8 and beyond > DELTA, text)


def _classical_integrated() -> Evidence:
    import mpmath

    below, beyond = (integrated_delta(2, epsilon, 1) for epsilon in ("8", "10"))
    text = f"delta by integration: {mpmath.nstr(below, 7)} at epsilon = 8, {mpmath.nstr(beyond, 7)} at epsilon = 10"
    return refuted_if(below < 1e-5 < beyond, text)


def _post_processing() -> Evidence:
    """delta = sum of (p - e^eps q)_+ is the largest excess of an event; after a map only some of the events remain."""
    p, q = ([Fraction(a, 20) for a in row] for row in ((9, 6, 4, 1), (5, 7, 3, 5)))
    factors = (Fraction(1), Fraction(11, 10), Fraction(3, 2))
    maps = list(product(range(4), repeat=4))
    worst = {f: sum((max(Fraction(0), a - f * b) for a, b in zip(p, q, strict=True)), Fraction(0)) for f in factors}
    never = all(_pushed(p, q, g, f) <= worst[f] for g in maps for f in factors)
    text = (
        f"for two distributions on 4 outputs none of the {len(maps)} maps raises delta at e^epsilon = 1, 11/10, 3/2; "
        "in general an event of the output is an event of the input, and a random map is a mixture of maps"
    )
    return confirmed_if(never, text)


def _pushed(p: list[Fraction], q: list[Fraction], g: tuple[int, ...], factor: Fraction) -> Fraction:
    total = Fraction(0)
    for value in range(4):
        inside = [i for i in range(4) if g[i] == value]
        total += max(Fraction(0), sum((p[i] - factor * q[i] for i in inside), Fraction(0)))
    return total


def _gram_sensitivity() -> Evidence:
    import sympy as sp

    proved = []
    for d in range(1, 6):
        v = sp.Matrix(sp.symbols(f"v1:{d + 1}", real=True))
        squares = sum(entry**2 for entry in v * v.T)
        proved.append(sp.expand(squares - sum(entry**2 for entry in v) ** 2) == 0)
    text = (
        "the squared Frobenius norm of v v^T is |v|^4 identically, d = 1, ..., 5; for every d the sum of v_i^2 v_j^2 "
        "is the product of two sums"
    )
    return confirmed_if(all(proved), text)


def _cross_sensitivity() -> Evidence:
    import sympy as sp

    v, w = sp.symbols("v1:5", real=True), sp.symbols("w", real=True)
    rows = sp.Matrix(3, 4, list(range(12)))
    longer, answers = rows.col_join(sp.Matrix([v])), sp.Matrix([5, -2, 1])
    moved = longer.T * answers.col_join(sp.Matrix([w])) - rows.T * answers
    proved = sp.expand(sum(m**2 for m in moved) - w**2 * sum(x**2 for x in v)) == 0
    text = (
        "adding (v, w) moves X^T y by w v, whose squared norm is w^2 |v|^2, for 3 records with 4 features, and "
        "likewise for any number; the largest |w| and the largest |v| can occur together, as v and w range over X and "
        "Y separately"
    )
    return confirmed_if(proved, text)


def _upper_triangle() -> Evidence:
    """The upper triangle gets independent noise: its change is v_i v_j for i <= j."""
    grid = [Fraction(k, 2) for k in range(-2, 3)]
    within, attained = True, False
    for v in product(grid, repeat=3):
        size = sum(x * x for x in v)
        upper = sum((v[i] * v[j]) ** 2 for i in range(3) for j in range(i, 3))
        within &= upper <= size**2
        attained |= upper == size**2 > 0
    uniform = Fraction(10 * 11 // 2, 100)
    text = (
        "the squares of v_i v_j over i <= j are some of the terms of |v|^4, and all of them if v has one nonzero "
        f"entry; a flat v in 10 dimensions moves the triangle by sqrt({uniform}) |v|^2"
    )
    return confirmed_if(within and attained and uniform == Fraction(11, 20), text)


CLAIMS = (
    Claim(
        "ddssp2024.P2-5.classical", "ddssp2024", "Definition 2.4, Proposition 2.5",
        "Gaussian noise of variance 2 log(1.25/delta) Delta^2/epsilon^2 is (epsilon, delta)-private.",
        Verdict.REFUTED, Method.BALL, _classical,
        "The paper gives no range of epsilon. The noise is private for every delta in (0, 1) if epsilon <= 15/4, and "
        "for each delta only up to some limit: at delta = 1e-5 exactly for epsilon <= 8.419771..., which covers every "
        "epsilon of the paper. We have not read the cited book; its theorem is commonly quoted for epsilon < 1.",
        formula="sigma^2 = 2 log(1.25/delta) Delta(f)^2/epsilon^2", again=_classical_integrated,
        quote=r"The Gaussian mechanism in Definition 2.4 satisfies $(\epsilon, \delta)$-DP.",
        severity=Severity.CONDITION,
        lemma="ddssp2024.gaussian_noise_is_not_always_private",
    ),
    Claim(
        "ddssp2024.P2-6.post-processing", "ddssp2024", "Proposition 2.6",
        "A function of an (epsilon, delta)-private output is (epsilon, delta)-private.",
        Verdict.CONFIRMED, Method.EXACT, _post_processing,
        quote=r"for any deterministic or randomized function $g$, $g(\mathcal{M}(D))$ satisfies "
        r"$(\epsilon, \delta)$-DP.",
        scope=Scope.REASONED,
    ),
    Claim(
        "ddssp2024.D.gram", "ddssp2024", "Appendix D, Section 2.2",
        "Adding or deleting a record moves X^T X by at most ||X||^2 in the Frobenius norm, and no smaller bound holds.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _gram_sensitivity,
        formula="sup ||v v^T||_F = sup |v|^2",
        quote=r"Therefore, $$\Delta_{X^T X} = \|\mathcal{X}\|^2.$$", scope=Scope.REASONED,
    ),
    Claim(
        "ddssp2024.D.cross", "ddssp2024", "Appendix D, Section 2.2",
        "Adding or deleting a record moves X^T y by at most ||X|| ||Y||.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _cross_sensitivity,
        quote=r"\sup_{w \in \mathcal{Y}, v \in \mathcal{X}} |w| \cdot \|v\| = \|\mathcal{Y}\| \cdot \|\mathcal{X}\|",
        scope=Scope.REASONED,
    ),
    Claim(
        "ddssp2024.2-2.upper-triangle", "ddssp2024", "Section 2.2, first item; Algorithm 5, step 4",
        "Independent noise on the upper triangle of X^T X, mirrored in the lower one, may use the sensitivity ||X||^2.",
        Verdict.CONFIRMED, Method.EXACT, _upper_triangle,
        quote=r"is a symmetric matrix with upper-triangular entries sampled from $\mathcal{N}(0, 1)$, and the noise "
        "scale is",
        scope=Scope.REASONED, depends_on=("ddssp2024.D.gram",),
    ),
)  # fmt: skip
