"""Synthetic data and sufficient statistics in ddssp2024: Sections 3.3, 3.4, 4 and 6.

Two tables with the same pairwise marginals: the corners of a cube with an even and with an odd number of minus signs.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from math import prod

from flint import arb, fmpz_mat

from bounds.enclosure import Enclosure, precision
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, Withdrawn, confirmed_if
from verify.claims.ddssp2024_chebyshev import digits, even_part


def half_cube(sign: int) -> list[tuple[int, ...]]:
    """Four features whose product is `sign`, each with both labels, which come last."""
    return [(*x, y) for x in product((-1, 1), repeat=4) for y in (-1, 1) if prod(x) == sign]


def same_marginals(order: int) -> bool:
    """Whether the two tables agree on all marginals of that order."""
    tables = [half_cube(sign) for sign in (1, -1)]
    return all(
        Counter(tuple(row[j] for j in chosen) for row in tables[0])
        == Counter(tuple(row[j] for j in chosen) for row in tables[1])
        for chosen in combinations(range(5), order)
    )


def gram(rows: list[tuple[int, ...]]) -> fmpz_mat:
    table = fmpz_mat([list(row) for row in rows])
    return table.transpose() * table


def _linear() -> Evidence:
    even, odd = half_cube(1), half_cube(-1)
    same = same_marginals(2) and gram(even) == gram(odd) and not set(even) & set(odd)
    text = (
        "two tables of 16 records with no record in common and the same pairwise marginals have the same Z^T Z; in "
        "general Z^T Z is a function of the pairwise marginals (Proposition 3.2), and least squares is a function of "
        "Z^T Z"
    )
    return confirmed_if(same, text, with_conditions=True)


def _logistic() -> Evidence:
    """At theta = (1, 1, 1, 1) the margins are 0 and +-4 in one table, +-2 in the other; both labels cancel s/2."""
    margins = {sign: Counter(abs(sum(row[:4]) * row[4]) for row in half_cube(sign)) for sign in (1, -1)}
    with precision(96):
        values = [
            Enclosure.of(sum((count * even_part(arb(m * m)) for m, count in margins[sign].items()), arb(0)))
            for sign in (1, -1)
        ]
    text = (
        f"the two tables agree on marginals of order 2 ({same_marginals(2)}) and 3 ({same_marginals(3)}), but at "
        f"theta = (1, 1, 1, 1) the log-likelihoods are {digits(values[0], 8)} and {digits(values[1], 8)}"
    )
    differ = values[0].hi < values[1].lo or values[1].hi < values[0].lo
    return confirmed_if(same_marginals(2) and same_marginals(3) and differ, text, with_conditions=True)


def margin_moments(sign: int, theta: tuple[int, ...]) -> tuple[int, int]:
    """Sums of the margins y x.theta and of their squares."""
    margins = [sum(t * x for t, x in zip(theta, row[:4], strict=True)) * row[4] for row in half_cube(sign)]
    return sum(margins), sum(m * m for m in margins)


def _approximate() -> Evidence:
    """The sum of b_0 + b_1 m + b_2 m^2 depends only on the sums of m and m^2."""
    even, odd = ([margin_moments(sign, theta) for theta in ((1, 1, 1, 1), (2, -1, 0, 3))] for sign in (1, -1))
    text = (
        f"two tables with the same pairwise marginals have equal sums of margins and of their squares, {even}; in "
        "general the objective is n b_0 + b_1 theta^T X^T y + b_2 theta^T X^T X theta, a function of Z^T Z and n"
    )
    return confirmed_if(even == odd, text)


CLAIMS = (
    Claim(
        "ddssp2024.3-4.linear", "ddssp2024", "Sections 3.4 and 4; abstract",
        "Linear regression on synthetic data that preserve pairwise marginals is regression from those marginals.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _linear,
        "True if the marginals are preserved exactly, which is our hypothesis; a table of records drawn from a private "
        "model preserves those of the model up to rounding.",
        quote="This workflow differs from DD-SSP only in that it consolidates the noisy measurements into a model and "
        "samples synthetic data from it.",
        severity=Severity.READING, scope=Scope.REASONED, depends_on=("ddssp2024.P3-2.gram",),
    ),
    Claim(
        "ddssp2024.3-4.quadratic", "ddssp2024", "Sections 3.3 and 3.4",
        "For the objective of Proposition 3.4, pairwise marginals are also enough.",
        Verdict.CONFIRMED, Method.EXACT, _approximate,
        quote="a suitable workload input for logistic regression is all pairwise marginals",
        scope=Scope.REASONED, depends_on=("ddssp2024.P3-2.gram", "ddssp2024.P3-4.identity"),
    ),
    Claim(
        "ddssp2024.3-4.logistic", "ddssp2024", "Sections 3.4 and 6",
        "Synthetic data that preserve pairwise marginals carry the approximate sufficient statistics of logistic "
        "regression, so that training it on them corresponds to DD-SSP.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.BALL, _logistic,
        "True if the approximate objective is trained. The log-likelihood itself, which training on synthetic data "
        "commonly uses, is not determined by marginals of order 2 or 3; there the two ways differ.",
        quote="training these machine learning models on query-based DP synthetic data corresponds to data-dependent "
        "SSP",
        severity=Severity.READING, depends_on=("ddssp2024.3-4.quadratic",),
    ),
)  # fmt: skip

WITHDRAWN = (
    Withdrawn(
        "ddssp2024.2-8.domain",
        "This is a definition: the size of a product of sets was compared with the product of their sizes.",
    ),
)
