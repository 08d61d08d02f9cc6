"""Moment queries of wang2023, Sections 2.2 to 4: their number, their sensitivities, correlations from them.

Neighbours replace one of n records and n is public.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product

from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if


def moment_queries(d: int) -> list[tuple[int, ...]]:
    """The features and the products of two features, each once."""
    singles: list[tuple[int, ...]] = [(i,) for i in range(d)]
    return singles + list(combinations_with_replacement(range(d), 2))


def _count() -> Evidence:
    counts = {d: len(moment_queries(d)) for d in range(1, 13)}
    right = all(count * 2 == (d + 3) * d for d, count in counts.items())
    return confirmed_if(
        right, f"(d+3)d/2 queries for d = 1, ..., 12, e.g. {counts[5]} for d = 5 and {counts[10]} for d = 10"
    )


def _literal_set() -> Evidence:
    ordered = 5 + 25
    functions = {tuple(sorted(q)) for q in [(i,) for i in range(5)] + list(product(range(5), repeat=2))}
    on_binary = {tuple(sorted(set(q))) for q in functions if set(q) == {0}}
    text = (
        f"5 features: {ordered} index pairs and singles name {len(functions)} different functions; "
        "for a binary feature "
        f"x^2 = x leaves {len(on_binary)} of its 2 own queries"
    )
    return confirmed_if(len(functions) == 20 and len(on_binary) == 1, text, with_conditions=True)


def largest_changes(d: int) -> tuple[Fraction, Fraction]:
    """L1 change and square of the L2 change of the sums of all moment queries, largest over corners of the cube."""
    queries = moment_queries(d)
    best_l1, best_l2 = Fraction(0), Fraction(0)
    for x, y in product(product((0, 1), repeat=d), repeat=2):
        changes = [abs(_value(q, x) - _value(q, y)) for q in queries]
        best_l1 = max(best_l1, Fraction(sum(changes)))
        best_l2 = max(best_l2, Fraction(sum(c * c for c in changes)))
    return best_l1, best_l2


def _value(query: tuple[int, ...], x: tuple[int, ...]) -> int:
    value = 1
    for i in query:
        value *= x[i]
    return value


def _l1() -> Evidence:
    found = [largest_changes(d)[0] for d in range(1, 5)]
    right = all(f == Fraction((d + 3) * d, 2) for d, f in enumerate(found, start=1))
    return confirmed_if(
        right, f"n Delta_1 = {', '.join(map(str, found))} for d = 1, ..., 4, reached by the records 0 and 1"
    )


def _l2() -> Evidence:
    """Squares: n^2 Delta_2^2 is (d+3)d/2; the printed square is (d+3)d/(2n)."""
    fits, n = True, 1000
    for d in range(1, 5):
        square = largest_changes(d)[1] / n**2
        printed = Fraction((d + 3) * d, 2 * n)
        fits = fits and square == Fraction((d + 3) * d, 2 * n**2) <= printed == n * square
    text = "for d = 1, ..., 4 the square is (d+3)d/(2 n^2) exactly; (d+3)d/(2n), as the text shows it, is n times that"
    return confirmed_if(fits, text, with_conditions=True)


def _norms() -> Evidence:
    """Delta_p(Q) of Section 2.2 against the true sensitivity: two queries that cannot change together."""
    halves = ((0, 1), (1, 0), (0, 0))  # indicators of two different values of one feature
    l1 = max(sum(abs(a - b) for a, b in zip(u, v, strict=True)) for u, v in product(halves, repeat=2))
    l2 = max(sum((a - b) ** 2 for a, b in zip(u, v, strict=True)) for u, v in product(halves, repeat=2))
    text = (
        f"two indicators of one feature: n times the L1 sensitivity is {l1}, the square in L2 {l2}; the "
        "bounds are 2 and 2"
    )
    return confirmed_if(l1 <= 2 and l2 <= 2, text)


def _correlation() -> Evidence:
    """Squared correlation from moments and from centred values, exactly."""
    x, y = [Fraction(v, 7) for v in (0, 1, 3, 7, 2)], [Fraction(v, 5) for v in (5, 1, 0, 2, 2)]

    def mean(values: list[Fraction]) -> Fraction:
        return sum(values, Fraction(0)) / len(values)

    products = [a * b for a, b in zip(x, y, strict=True)]
    spread = (mean([a * a for a in x]) - mean(x) ** 2) * (mean([b * b for b in y]) - mean(y) ** 2)
    by_moments = (mean(products) - mean(x) * mean(y)) ** 2 / spread
    centred = [(a - mean(x)) * (b - mean(y)) for a, b in zip(x, y, strict=True)]
    spread_centred = mean([(a - mean(x)) ** 2 for a in x]) * mean([(b - mean(y)) ** 2 for b in y])
    constant = mean([Fraction(1, 4)]) - mean([Fraction(1, 2)]) ** 2
    text = (
        f"five records: the squared correlation is {by_moments} both ways; a constant feature has variance {constant}"
    )
    return confirmed_if(by_moments == mean(centred) ** 2 / spread_centred and constant == 0, text, with_conditions=True)


C, W = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS
PAPER = "wang2023"

CLAIMS = (
    Claim(
        "wang2023.S3.count",
        PAPER,
        "Section 3, aligning the correlation matrix",
        "First and second moments of d features are (d+3)d/2 queries.",
        C,
        Method.EXACT,
        _count,
    ),
    Claim(
        "wang2023.S4.queries",
        PAPER,
        "Section 4, setup",
        "The measures are the moments x_i and x_i x_j of 5 selected features.",
        W,
        Method.EXACT,
        _literal_set,
        "Counted as functions, i <= j: 20 queries; a binary feature makes one of them redundant.",
    ),
    Claim(
        "wang2023.S3.l1",
        PAPER,
        "Section 3, sensitivities",
        "The L1 sensitivity of the moment queries is at most (d+3)d/(2n).",
        C,
        Method.EXACT,
        _l1,
    ),
    Claim(
        "wang2023.S3.l2",
        PAPER,
        "Section 3, sensitivities",
        "The L2 sensitivity of the moment queries is at most sqrt((d+3)d)/sqrt(2n).",
        W,
        Method.EXACT,
        _l2,
        "It is sqrt((d+3)d/2)/n, less by sqrt(n); Section 2.2 gives that, too. The root over n may "
        "be a slip of print or "
        "scan; taken literally it is valid and far too large.",
    ),
    Claim(
        "wang2023.S2.norms",
        PAPER,
        "Section 2.2",
        "The Lp sensitivity of a set of queries is at most the p-norm of their ranges over n.",
        C,
        Method.EXACT,
        _norms,
    ),
    Claim(
        "wang2023.S3.correlation",
        PAPER,
        "Section 3, aligning the correlation matrix",
        "Correlation coefficients depend on first and second moments only.",
        W,
        Method.EXACT,
        _correlation,
        "For features that are not constant: otherwise the coefficient is not defined.",
    ),
)
