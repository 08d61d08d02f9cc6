"""Encodings of records in ddssp2024: Section 3.1, Appendix B, and the reduced encoding of Appendix G.1."""

from __future__ import annotations

from itertools import product
from typing import TypeAlias

from flint import fmpz_mat

from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, Withdrawn, confirmed_if

Matrix: TypeAlias = list[list[int]]

SIZES = (3, 2, 4)
RECORDS = [((i * i + i // 7) % 3, (i // 3) % 2, (i * 7 + i // 5) % 4) for i in range(61)]
"""Sixty-one records with three attributes, far from independent."""

ENCODINGS: tuple[Matrix, ...] = (
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[-1, 1]],
    [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
)
"""One-hot, scalar, reduced one-hot."""


def encode(attribute: int, value: int, encodings: tuple[Matrix, ...] = ENCODINGS) -> list[int]:
    """A_j psi_j(value)."""
    return [row[value] for row in encodings[attribute]]


def _appendix_b() -> Evidence:
    import sympy as sp

    hot = [int(s == 3) for s in range(1, 6)]
    scalar = sum(v * h for v, h in zip([1, 2, 4, 8, 16], hot, strict=True))
    entries = sp.symbols("v1:6")
    always = all(
        sum(v * int(s == chosen) for s, v in enumerate(entries, start=1)) == entries[chosen - 1]
        for chosen in range(1, 6)
    )
    text = f"psi(3) = {hot}, value {scalar}; with symbols v_1, ..., v_5 every level s gives v_s"
    return confirmed_if(hot == [0, 0, 1, 0, 0] and scalar == 4 and always, text)


def blocks_of(levels: int, *, dropped: bool) -> list[list[int]]:
    """The one-hot encoding of each value, with or without the first level."""
    return [[int(s == t) for t in range(int(dropped), levels)] for s in range(levels)]


def _norm_bound() -> Evidence:
    """All records with scalar features on and within their ball, and one-hot attributes reduced or not."""
    radius_squared = 25
    scalars: tuple[list[int], ...] = ([3, 4], [-5, 0], [0, 0, 5], [1, -2, 2], [0], [])
    largest, within = {}, True
    for count in range(4):
        found = set()
        for sizes in product(range(2, 5), repeat=count):
            for drops in product((False, True), repeat=count):
                blocks = [blocks_of(m, dropped=drop) for m, drop in zip(sizes, drops, strict=True)]
                for u, chosen in product(scalars, product(*blocks)):
                    x = [*u, *(entry for block in chosen for entry in block)]
                    found.add(sum(entry * entry for entry in x))
                    within &= sum(entry * entry for entry in u) <= radius_squared
        largest[count] = max(found)
    text = (
        f"||U||^2 = 25, c one-hot attributes of 2 to 4 levels, reduced or not: largest squared norms {largest}; in "
        "general |x|^2 = |u|^2 + |w|^2, and each of the c blocks of w has at most one entry 1"
    )
    return confirmed_if(within and all(found == radius_squared + count for count, found in largest.items()), text)


def _scalar_bound() -> Evidence:
    """Features bounded one by one by max |v_j|: the norm of the bounds is attained if one record has all the maxima."""
    values = ((-2, 1), (0, 3, -1), (5, -4))
    most = sum(max(abs(v) for v in levels) ** 2 for levels in values)
    norms = [sum(v * v for v in chosen) for chosen in product(*values)]
    text = (
        f"largest squared norm over a domain {max(norms)}, bound {most}; in general |x_k| <= x_k^+ in every entry, and "
        "the norm does not fall when entries grow in absolute value"
    )
    return confirmed_if(max(norms) == most and all(norm <= most for norm in norms), text)


def _tighter() -> Evidence:
    """c one-hot attributes have b columns: b > c unless each has a single column."""
    full = {sizes: sum(sizes) - len(sizes) for sizes in product((2, 3, 4), repeat=3)}
    reduced = {sizes: sum(m - 1 for m in sizes) - len(sizes) for sizes in product((2, 3, 4), repeat=3)}
    ties = [sizes for sizes, gain in reduced.items() if gain == 0]
    strict = all(gain > 0 for gain in full.values()) and ties == [(2, 2, 2)] and min(reduced.values()) == 0
    text = (
        f"the bound is smaller for full encodings, and for reduced ones unless all attributes are binary: {ties}; in "
        "general b - c is the sum over the attributes of m - 1, or of m - 2 if a level is dropped"
    )
    return confirmed_if(strict, text, with_conditions=True)


def full_rank_gap(*, dropped: int, records: list[tuple[int, int]]) -> int:
    """Columns minus rank for one-hot encodings of a binary and a ternary attribute, `dropped` levels left out."""
    rows = [[int(a == s) for s in range(dropped, 2)] + [int(b == t) for t in range(dropped, 3)] for a, b in records]
    return len(rows[0]) - int(fmpz_mat(rows).rank())


def _reduced() -> Evidence:
    everywhere = list(product(range(2), range(3)))
    nested = [(0, 0), (1, 1), (1, 2), (0, 0), (1, 1)]  # the first attribute is a function of the second
    gaps = [
        full_rank_gap(dropped=0, records=everywhere),
        full_rank_gap(dropped=1, records=everywhere),
        full_rank_gap(dropped=1, records=nested),
    ]
    text = (
        f"columns minus rank: full {gaps[0]}, reduced {gaps[1]}, reduced with one attribute a function of the "
        f"other {gaps[2]}; in general the columns of a full encoding add up to 1, for every attribute"
    )
    return confirmed_if(gaps == [1, 0, 1], text, with_conditions=True)


CLAIMS = (
    Claim(
        "ddssp2024.B.example", "ddssp2024", "Appendix B; Section 3.1",
        "With values 1, 2, 4, 8, 16 the level 3 of 5 is encoded as 4, and always as the value at its index.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _appendix_b,
        quote=r"It is easy to see that the numerical value is always equal to $v_j[\chi_j]$", scope=Scope.ALL_CASES,
    ),
    Claim(
        "ddssp2024.3-1.scalar", "ddssp2024", "Section 3.1, before Proposition 3.1",
        "Bounding each scalar feature by its largest absolute value bounds the norm of the feature vector.",
        Verdict.CONFIRMED, Method.EXACT, _scalar_bound, formula="||X|| = |x^+|, x_k^+ = max |v_j(s)|",
        quote=r"If $x_k$ is the scalar encoding of $\chi_j$ we can take $x_k^+ = \max_{s \in \Omega_j} |v_j(s)|$",
        scope=Scope.REASONED,
    ),
    Claim(
        "ddssp2024.P3-1.norm", "ddssp2024", "Proposition 3.1",
        "A vector of scalar features of norm at most ||U|| and c one-hot encoded attributes has norm at most "
        "sqrt(||U||^2 + c).",
        Verdict.CONFIRMED, Method.EXACT, _norm_bound,
        quote=r"Then $\|\mathcal{X}\| := \sqrt{\|\mathcal{U}\|^2 + c}$ is an upper bound on $\|x\|$",
        scope=Scope.REASONED,
    ),
    Claim(
        "ddssp2024.3-1.tighter", "ddssp2024", "Section 3.1, after Proposition 3.1",
        "The bound is tighter than sqrt(||U||^2 + b), b the number of one-hot columns.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _tighter,
        "The bound is never larger, and equal if every attribute has one column, as binary attributes with a reduced "
        "encoding do.",
        hypotheses=("every attribute has at least two levels",),
        quote=r"This bound is tighter than the naive one of $\sqrt{\|\mathcal{U}\|^2 + b}$ that would be obtained by "
        "bounding each entry",
        severity=Severity.READING, scope=Scope.REASONED, depends_on=("ddssp2024.P3-1.norm",),
    ),
    Claim(
        "ddssp2024.G1.reduced", "ddssp2024", "Appendix G.1",
        "Dropping the first level of a one-hot encoding avoids multi-collinearity.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _reduced,
        "It removes the dependence that is always present; one that is in the data, such as an attribute determined by "
        "another, remains.",
        quote="one-hot encoded, dropping the first level to avoid multi-collinearity",
        severity=Severity.READING, scope=Scope.REASONED,
    ),
)  # fmt: skip

WITHDRAWN = (
    Withdrawn(
        "ddssp2024.3-1.dimension",
        "That one entry of a record is the target and the others are features is a definition. The paper does not "
        "speak of a target with several columns, of which the others would stay among the features.",
    ),
)
