"""Lemmas A.2 to A.4 of bojkovic2024: ratios, Rényi divergences and total variation on finite sets.

Uses of the lemmas are checked with the theorems that use them; this module checks only the lemmas themselves.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from flint import arb, fmpq

from bounds.enclosure import as_fmpq, precision
from verify.claim import Claim, Evidence, Method, Scope, Verdict, confirmed_if
from verify.claims.bojkovic2024_lemmas import BOJKOVIC

Table = tuple[Fraction, ...]


def small_tables(points: int, total: int) -> list[Table]:
    """Every distribution on that many points whose probabilities are positive multiples of 1/total."""
    weights = product(range(1, total), repeat=points - 1)
    return [tuple(Fraction(w, total) for w in (*first, total - sum(first))) for first in weights if sum(first) < total]


def total_variation(p: Table, q: Table) -> Fraction:
    return sum((abs(a - b) for a, b in zip(p, q, strict=True)), Fraction(0)) / 2


def power_sum(p: Table, q: Table, order: int) -> Fraction:
    """exp((order - 1) D_order(p||q))."""
    return sum((a**order / b ** (order - 1) for a, b in zip(p, q, strict=True)), Fraction(0))


def _least_ratio() -> Evidence:
    tables = [*small_tables(2, 12), *small_tables(3, 9)]
    pairs = [(p, q) for p in tables for q in tables if len(p) == len(q)]
    margins = [
        min(a / b for a, b in zip(p, q, strict=True)) - 1 / (1 + total_variation(p, q) / min(p)) for p, q in pairs
    ]
    equal = sum(margin == 0 for margin in margins)
    text = (
        f"q(y) <= p(y) + TV at the y of the smallest ratio, and x/(x + TV) rises with x; on {len(pairs)} pairs of "
        f"distributions the smallest margin is {min(margins)}, reached {equal} times"
    )
    return confirmed_if(min(margins) >= 0, text)


def _divergence_triangle() -> Evidence:
    """Cauchy-Schwarz: sum P^a Q^(1-a) = sum (P^a R^(1/2-a)) (R^(a-1/2) Q^(1-a))."""
    import sympy as sp

    a = sp.symbols("alpha")
    # half of each divergence's own factor, over alpha - 1, is the printed coefficient
    first = sp.simplify((2 * a - 1) / (2 * (a - 1)) - (a - sp.Rational(1, 2)) / (a - 1)) == 0
    second = sp.simplify((2 * a - 2) / (2 * (a - 1)) - 1) == 0
    exponents = sp.expand(2 * (sp.Rational(1, 2) - a) - (1 - 2 * a)) == 0
    tables = small_tables(3, 6)
    holds = all(
        power_sum(p, q, 2) ** 2 <= power_sum(p, r, 4) * power_sum(r, q, 3)
        for p in tables
        for q in tables
        for r in tables
    )
    text = (
        "the coefficients are those of Cauchy-Schwarz for every alpha > 1; for alpha = 2 also checked in rationals on "
        f"{len(tables) ** 3} triples of distributions"
    )
    return confirmed_if(first and second and exponents and holds, text)


def _divergence_from_distance() -> Evidence:
    tables = [*small_tables(2, 12), *small_tables(3, 8)]
    worst = None
    for order in (2, 3, 4):
        for p in tables:
            for q in tables:
                if len(p) != len(q) or p == q:
                    continue
                beta = min(b / a for a, b in zip(p, q, strict=True))
                bound = 1 + total_variation(p, q) * (beta ** (1 - order) - 1) / (1 - beta)
                margin = bound - power_sum(p, q, order)
                worst = margin if worst is None else min(worst, margin)
    text = (
        f"orders 2, 3, 4 on {len(tables)} distributions in rationals: the smallest margin is {worst}; for order 1/2 in "
        "ball arithmetic. With r = p/q, r^a - r lies below its chord between 1 and 1/beta for a > 1, above it for a < "
        "1, and has the other sign on [0, 1], which proves it; for p = q the formula reads 0/0 and means 0"
    )
    return confirmed_if(worst is not None and worst >= 0 and _order_of_one_half(tables), text, with_conditions=True)


def _order_of_one_half(tables: list[Table]) -> bool:
    """Below order 1 the logarithm has a negative factor: sum sqrt(p q) >= 1 - TV (1 - sqrt(beta))/(1 - beta)."""
    with precision(96):
        for p in tables:
            for q in tables:
                if len(p) == len(q) and p != q:
                    root = as_fmpq(min(b / a for a, b in zip(p, q, strict=True)))
                    affinity = sum((arb(as_fmpq(a * b)).sqrt() for a, b in zip(p, q, strict=True)), arb(0))
                    bound = 1 - as_fmpq(total_variation(p, q)) * (1 - arb(root).sqrt()) / (1 - root)
                    if not affinity - bound > fmpq(-1, 10**20):
                        return False
    return True


CLAIMS = (
    Claim(
        "bojkovic2024.A2.ratio", BOJKOVIC, "Lemma A.2",
        "The smallest ratio p/q is at least 1/(1 + TV(p, q)/min p).",
        Verdict.CONFIRMED, Method.EXACT, _least_ratio, theorems=("bojkovic2024.ratio-tv",), scope=Scope.REASONED,
        quote=r"supported on a finite set A , we have [...] "
              r"\geq \frac{1}{1 + \text{TV}(p, q) / \min_{x \in A} p(x)}",
    ),
    Claim(
        "bojkovic2024.A3.triangle", BOJKOVIC, "Lemma A.3",
        "D_a(P||Q) is at most (a - 1/2)/(a - 1) D_2a(P||R) + D_(2a-1)(R||Q) for a > 1.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _divergence_triangle, theorems=("bojkovic2024.renyi-triangle",),
        scope=Scope.REASONED,
        quote=r"D_\alpha(P\|Q) \leq \frac{\alpha - 1/2}{\alpha - 1} D_{2\alpha}(P\|R) + D_{2\alpha-1}(R\|Q)",
    ),
    Claim(
        "bojkovic2024.A4.distance", BOJKOVIC, "Lemma A.4",
        "D_a(P||Q) is at most log(1 + TV (beta^(1-a) - 1)/(1 - beta))/(a - 1) with beta the smallest ratio q/p, for a "
        "in [0, 1) and for a > 1.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _divergence_from_distance,
        "For p = q, where beta = 1, the quotient must be read as its limit.",
        ("bojkovic2024.renyi-tv",), scope=Scope.REASONED,
        quote=r"D_\alpha(P\|Q) \leq \frac{1}{\alpha - 1} \log \left(1 + \text{TV}(p, q) \cdot [...] "
              r"(\beta_1^{1-\alpha} - 1)",
    ),
)  # fmt: skip
