"""Bernstein operators of bojkovic2024, Appendix D-A: iteration on one axis, and the polynomial in p variables."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, refuted_if
from verify.claims.bojkovic2024_lemmas import BOJKOVIC, ids

Rows = list[list[Fraction]]


def basis_matrix(k: int) -> Rows:
    """Row r: the Bernstein basis at r/k. B_k maps values on the lattice to this matrix times the values."""
    return [[Fraction(comb(k, j) * r**j * (k - r) ** (k - j), k**k) for j in range(k + 1)] for r in range(k + 1)]


def times(a: Rows, b: Rows) -> Rows:
    return [[sum((x * b[i][j] for i, x in enumerate(row)), Fraction(0)) for j in range(len(b[0]))] for row in a]


def identity(size: int) -> Rows:
    return [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]


def by_binomial_sum(k: int, order: int, power: int) -> Rows:
    """sum over i of C(order, i) (-1)^(i-1) B^(i - power), as matrices."""
    matrix, total = basis_matrix(k), [[Fraction(0)] * (k + 1) for _ in range(k + 1)]
    current = identity(k + 1) if power else matrix
    for i in range(1, order + 1):
        sign = (-1) ** (i - 1) * comb(order, i)
        total = [[t + sign * c for t, c in zip(*rows, strict=True)] for rows in zip(total, current, strict=True)]
        current = times(current, matrix)
    return total


def _expansion() -> Evidence:
    cases = [(k, h) for k in (1, 2, 3, 5) for h in (1, 2, 3, 6)]
    equal = []
    for k, h in cases:
        one, matrix = identity(k + 1), basis_matrix(k)
        rest = [[a - b for a, b in zip(*rows, strict=True)] for rows in zip(one, matrix, strict=True)]
        power = one
        for _ in range(h):
            power = times(power, rest)
        left = [[a - b for a, b in zip(*rows, strict=True)] for rows in zip(one, power, strict=True)]
        equal.append(left == by_binomial_sum(k, h, 0))
    text = (
        f"the two sides agree exactly for {len(cases)} pairs (k, h); in general it is the binomial theorem, as I and "
        "B_k commute"
    )
    return confirmed_if(all(equal), text)


def _basis_formula() -> Evidence:
    """The coefficients of b^(h) in the Bernstein basis against those that the library computes by Horner's rule."""
    from lp.measures.iterated import iterated_operator

    cases = [(2, 2), (3, 4), (4, 3), (5, 2)]
    equal = []
    for k, h in cases:
        rows, denominator = iterated_operator(k, h)
        equal.append([[Fraction(x, denominator) for x in row] for row in rows] == by_binomial_sum(k, h, 1))
    at = [sum(Fraction(x, 4) * comb(2, r) * 5**r * 1 ** (2 - r) for r, x in enumerate((4, -1, 0))) / 36]
    text = (
        "B^i f = B^(i-1)(sum of f(l/k) b_l) by definition, and B^(i-1) is linear; exact agreement with Horner's rule "
        f"for (k, h) = {cases}; the polynomials can be negative: b_0 for k = h = 2 is {at[0]} at 5/6"
    )
    return confirmed_if(all(equal) and at[0] < 0, text)


POINT = (Fraction(1, 3), Fraction(1, 4))
BASIS = [[comb(2, j) * t**j * (1 - t) ** (2 - j) for j in range(3)] for t in POINT]
"""Both bases of degree 2 at that point."""


def _added_sums() -> Evidence:
    """As printed the sums over the axes are added: then the constant 1 does not become 1 for any other l."""
    multiple = sum(a * b for a in BASIS[0] for b in BASIS[1])
    added = {sum(a * BASIS[1][j] for a in BASIS[0]) + sum(BASIS[0][i] * b for b in BASIS[1])
             for i in range(3) for j in range(3)}  # fmt: skip
    text = (
        f"p = 2, k = 2, f = 1 at (1/3, 1/4): the sum over all (l_1, l_2) is {multiple}; adding the two sums never "
        f"gives this, but values from {min(added)} to {max(added)}, depending on the index left free"
    )
    return refuted_if(multiple == 1 and 1 not in added, text)


def _added_sums_of_a_product() -> Evidence:
    """B of a product of functions of one variable is the product of the B's: true only of the sum over all indices."""
    f, g = (1, 3, 2), (2, 0, 5)
    multiple = sum(f[i] * g[j] * BASIS[0][i] * BASIS[1][j] for i in range(3) for j in range(3))
    product = sum(f[i] * BASIS[0][i] for i in range(3)) * sum(g[j] * BASIS[1][j] for j in range(3))
    added = {
        sum(f[i] * g[second] * BASIS[0][i] * BASIS[1][second] for i in range(3))
        + sum(f[first] * g[j] * BASIS[0][first] * BASIS[1][j] for j in range(3))
        for first in range(3)
        for second in range(3)
    }
    text = f"a product of two functions of one variable: {multiple} = {product} over all (l_1, l_2), never by adding"
    return refuted_if(multiple == product and product not in added, text)


CLAIMS = (
    Claim(
        "bojkovic2024.D.iterated-expansion", BOJKOVIC, "Appendix D-A, iterated operator",
        "I - (I - B_k)^h is the sum over i = 1, ..., h of C(h, i) (-1)^(i-1) B_k^i.",
        Verdict.CONFIRMED, Method.EXACT, _expansion, scope=Scope.REASONED,
        quote=r"B_k^{(h)} = I - (I - B_k)^h = \sum_{i=1}^h \binom{h}{i} (-1)^{i-1} B_k^i",
    ),
    Claim(
        "bojkovic2024.D.iterated-basis", BOJKOVIC, "Appendix D-A, after the iterated operator",
        "The iterated polynomial is the sum of f(l/k) b_l^(h), b_l^(h) = sum of C(h, i) (-1)^(i-1) B_k^(i-1)(b_l).",
        Verdict.CONFIRMED, Method.EXACT, _basis_formula, scope=Scope.REASONED,
        depends_on=ids("D.iterated-expansion"),
        quote=r"the iterated Bernstein polynomial of order h can be computed as [...] "
              r"where $b_{\ell,k}^{(h)}(y) = \sum_{i=1}^h",
    ),
    Claim(
        "bojkovic2024.D3.multiple-sum", BOJKOVIC, "Definition D.3 and the output of Algorithm 3",
        "The polynomial in p variables is a sum over j = 1, ..., p of sums over l_j of values times products of basis "
        "polynomials.",
        Verdict.REFUTED, Method.EXACT, _added_sums,
        "The two sum signs stand for one sum over all (l_1, ..., l_p). A slip of notation.",
        again=_added_sums_of_a_product, severity=Severity.SLIP,
        quote=r"The iterated Bernstein polynomial of f of order h is defined as [...] "
              r"= \sum_{j=1}^p \sum_{\ell_j=0}^{k_j}",
    ),
)  # fmt: skip
