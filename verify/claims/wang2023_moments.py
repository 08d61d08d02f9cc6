"""Moment queries of wang2023, Sections 2.2 to 4: their number, their sensitivities, correlations from them.

Neighbours replace one of n records and n is public.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product

from verify.claim import Claim, Evidence, Method, Scope, Verdict, confirmed_if


def moment_queries(d: int) -> list[tuple[int, ...]]:
    """The features and the products of two features, each once."""
    singles: list[tuple[int, ...]] = [(i,) for i in range(d)]
    return singles + list(combinations_with_replacement(range(d), 2))


def _count() -> Evidence:
    import sympy as sp

    d, i = sp.symbols("d i", positive=True, integer=True)
    exact = sp.simplify(d + sp.summation(i, (i, 1, d)) - (d + 3) * d / 2) == 0
    counts = {k: len(moment_queries(k)) for k in range(1, 13)}
    right = exact and all(count * 2 == (k + 3) * k for k, count in counts.items())
    text = (
        "d features and 1 + ... + d products x_i x_j with i <= j are (d + 3) d/2 queries for every d, e.g. "
        f"{counts[5]} for d = 5 and {counts[10]} for d = 10"
    )
    return confirmed_if(right, text)


def _literal_set() -> Evidence:
    features = 5
    pairs = list(product(range(features), repeat=2))
    functions = {(i,) for i in range(features)} | {tuple(sorted(pair)) for pair in pairs}
    text = (
        f"{features} features: {features} and {len(pairs)} names of queries stand for {len(functions)} functions, "
        "since x_i x_j = x_j x_i, the same set as in Section 3"
    )
    return confirmed_if(functions == set(moment_queries(features)), text)


def largest_changes(d: int) -> tuple[Fraction, Fraction]:
    """Largest L1 change and squared L2 change of the sums of all moment queries over corners of the cube."""
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
    text = (
        "each of the (d + 3) d/2 queries takes values in [0, 1], so none moves by more than 1/n, and replacing the "
        f"record 0 by the record 1 moves all by 1/n; n Delta_1 = {', '.join(map(str, found))} for d = 1, ..., 4"
    )
    return confirmed_if(right, text)


def _l2() -> Evidence:
    """Squares: n^2 Delta_2^2 is (d+3)d/2; the printed square is (d+3)d/(2n)."""
    import sympy as sp

    d, n = sp.symbols("d n", positive=True)
    true, printed = (d + 3) * d / (2 * n**2), (d + 3) * d / (2 * n)
    times_n = sp.simplify(printed / true - n) == 0
    reached = all(largest_changes(k)[1] == Fraction((k + 3) * k, 2) for k in range(1, 5))
    text = (
        "each of the (d + 3) d/2 queries moves by at most 1/n, so the square is at most (d + 3) d/(2 n^2), reached by "
        "the records 0 and 1; (d + 3) d/(2n), as the text shows it, is n >= 1 times that, so it is a bound for every n"
    )
    return confirmed_if(times_n and reached, text)


def _norms() -> Evidence:
    """Delta_p(Q) of Section 2.2 against the true sensitivity: three queries that cannot all change together."""
    records = [tuple(int(i == k) for i in range(3)) for k in range(3)]  # indicators of the values of one feature
    l1 = max(sum(abs(a - b) for a, b in zip(u, v, strict=True)) for u, v in product(records, repeat=2))
    l2 = max(sum((a - b) ** 2 for a, b in zip(u, v, strict=True)) for u, v in product(records, repeat=2))
    bound = len(records)
    text = (
        "replacing x by x' moves the k-th mean by |q_k(x) - q_k(x')|/n, at most its range over n, and a p-norm grows "
        f"with every entry. The bound is not always reached: for three indicators of one feature n Delta_1 is {l1} and "
        f"n^2 Delta_2^2 is {l2}, the bounds are {bound} and {bound}"
    )
    return confirmed_if(l1 <= bound and l2 <= bound, text)


def _correlation() -> Evidence:
    """Centred products against moments, for four records of any values and weights."""
    import sympy as sp

    x, y, p = sp.symbols("x1:5", real=True), sp.symbols("y1:5", real=True), sp.symbols("p1:4", positive=True)
    weights = (*p, 1 - sum(p))

    def mean(values: list[sp.Expr]) -> sp.Expr:
        return sum(w * v for w, v in zip(weights, values, strict=True))

    def covariance(u: tuple[sp.Symbol, ...], v: tuple[sp.Symbol, ...]) -> tuple[sp.Expr, sp.Expr]:
        centred = mean([(a - mean(list(u))) * (b - mean(list(v))) for a, b in zip(u, v, strict=True)])
        return centred, mean([a * b for a, b in zip(u, v, strict=True)]) - mean(list(u)) * mean(list(v))

    same = all(sp.expand(c - m) == 0 for c, m in (covariance(x, y), covariance(x, x)))
    text = (
        "the mean of (x - mean x)(y - mean y) is mean xy - mean x mean y, since means are linear; checked for any four "
        "weighted records. A constant feature has no correlation"
    )
    return confirmed_if(same, text)


C = Verdict.CONFIRMED
PAPER = "wang2023"

CLAIMS = (
    Claim(
        "wang2023.S3.count",
        PAPER,
        "Section 3, aligning the correlation matrix",
        "First and second moments of d features are (d+3)d/2 queries.",
        C,
        Method.SYMBOLIC,
        _count,
        quote="we can select the following set of (d+3)d/2 queries as our utility measures",
        scope=Scope.ALL_CASES,
    ),
    Claim(
        "wang2023.S4.queries",
        PAPER,
        "Section 4, setup",
        "The measures are the moments x_i and x_i x_j of 5 selected features, as in Section 3.",
        C,
        Method.EXACT,
        _literal_set,
        "Counted as functions, with i <= j, these are 20 queries.",
        quote="define the utility measures as the first-order and second-order moment queries among the features in S",
    ),
    Claim(
        "wang2023.S3.l1",
        PAPER,
        "Section 3, sensitivities",
        "The L1 sensitivity of the moment queries is at most (d+3)d/(2n).",
        C,
        Method.EXACT,
        _l1,
        quote=r"$$\Delta_1(\mathcal{Q}) \leq \frac{(d+3)d}{2n}$$",
        scope=Scope.REASONED,
        depends_on=("wang2023.S3.count", "wang2023.S2.norms"),
    ),
    Claim(
        "wang2023.S3.l2",
        PAPER,
        "Section 3, sensitivities",
        "The L2 sensitivity of the moment queries is at most sqrt((d+3)d)/sqrt(2n).",
        C,
        Method.EXACT,
        _l2,
        "The sensitivity is sqrt((d+3)d/2)/n, smaller by a factor sqrt(n), which Section 2.2 gives, too. The root over "
        "n may be a slip of the print or of the scan; taken literally, the bound is valid but far too large.",
        quote=r"$\Delta_2(\mathcal{Q}) \leq \frac{\sqrt{(d+3)d}}{\sqrt{2n}}.$",
        scope=Scope.REASONED,
        depends_on=("wang2023.S3.count", "wang2023.S2.norms"),
    ),
    Claim(
        "wang2023.S2.norms",
        PAPER,
        "Section 2.2",
        "The Lp sensitivity of a set of queries is at most the p-norm of their ranges over n.",
        C,
        Method.EXACT,
        _norms,
        quote=r"upper bound their  $L_p$  sensitivity by  $\Delta_p(\mathcal{Q}) \triangleq \frac{1}{n} "
        r"(\sum_{k \in [K]} \Delta(q_k)^p)^{1/p}$",
        scope=Scope.REASONED,
    ),
    Claim(
        "wang2023.S3.correlation",
        PAPER,
        "Section 3, aligning the correlation matrix",
        "Correlation coefficients depend only on first and second moments.",
        C,
        Method.SYMBOLIC,
        _correlation,
        quote="the correlation coefficient only depends on the first and second order moments",
        scope=Scope.REASONED,
    ),
)
