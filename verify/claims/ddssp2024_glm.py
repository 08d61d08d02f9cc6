"""Extensions in ddssp2024: Poisson regression (Appendix F.2) and degree 4 for logistic regression (Appendix F.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod

from flint import arb

from bounds.enclosure import Enclosure, precision
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if
from verify.claims.ddssp2024_chebyshev import digits, even_part
from verify.claims.ddssp2024_encoding import RECORDS, SIZES, encode
from verify.claims.ddssp2024_moments import block_from_marginal, gram_block


def _poisson_identity() -> Evidence:
    import sympy as sp

    x = sp.Matrix(3, 2, sp.symbols("x1:7"))
    theta, y, c = sp.Matrix(sp.symbols("t1:3")), sp.Matrix(sp.symbols("y1:4")), sp.symbols("c0:3")
    scores = x * theta
    left = sum(y[i] * scores[i] - (c[0] + c[1] * scores[i] + c[2] * scores[i] ** 2) for i in range(3))
    ones = sp.ones(1, 3)
    right = (x.T * y).T * theta - ones * x * theta * c[1] - theta.T * x.T * x * theta * c[2]
    text = (
        "3 symbolic records, 2 features: the same polynomial; in general each record adds y s - c_0 - c_1 s - c_2 s^2 "
        "with s = x.theta to both sides"
    )
    return confirmed_if(sp.expand(left - right[0] + 3 * c[0]) == 0, text)


def _poisson_likelihood() -> Evidence:
    import sympy as sp

    s, y, m = (
        sp.symbols("s", real=True),
        sp.symbols("y", integer=True, nonnegative=True),
        sp.symbols("m", positive=True),
    )
    density = m**y * sp.exp(-m) / sp.factorial(y)
    logarithm = sp.expand_log(sp.log(density), force=True).subs(m, sp.exp(s))
    same = sp.simplify(sp.expand_log(logarithm, force=True) - (y * s - sp.exp(s) - sp.log(sp.factorial(y)))) == 0
    text = (
        "log of the Poisson density at mean e^s is y s - e^s - log(y!), whose last term does not depend on theta and "
        "is the one that the sentence ignores"
    )
    return confirmed_if(same, text, with_conditions=True)


def _poisson_statistics() -> Evidence:
    pairs = all(gram_block(j, k) == block_from_marginal(j, k) for j, k in product(range(3), repeat=2))
    sums = all(
        sum(encode(j, r[j])[a] for r in RECORDS)
        == sum(encode(j, s)[a] * Counter(r[j] for r in RECORDS)[s] for s in range(SIZES[j]))
        for j in range(3) for a in range(len(encode(j, 0)))
    )  # fmt: skip
    text = (
        "61 records: X^T X, X^T y and the column sums from marginals of order 2 and 1 are exact; in general by "
        "Proposition 3.2, and the sum of A_j psi_j over the records is A_j mu_j"
    )
    return confirmed_if(pairs and sums, text)


def _poisson_error() -> Evidence:
    """(g(6) - 2 g(3) + 2 g(-3) - g(-6))/6 is 0 for quadratics and at most the largest |g|: no quadratic is closer."""
    vanishes = [sum(w * s**k for w, s in ((1, 6), (-2, 3), (2, -3), (-1, -6))) for k in range(3)] == [0, 0, 0]
    with precision(128):
        least = Enclosure.of((2 * arb(6).sinh() - 4 * arb(3).sinh()) / 6)
        node = arb(27).sqrt()
        c1, c2 = node.sinh() / node, (node.cosh() - 1) / 27
        lowest, inside = Enclosure.of(1 - c1**2 / (4 * c2)), bool(c1 < 12 * c2)
        close = Enclosure.of(arb(1).exp() / 24)
    text = (
        f"on [-6, 6] every quadratic is off e^s by at least {least.decimal(7)[0]}...; the quadratic through the "
        f"Chebyshev nodes falls to {digits(lowest, 7)}, c_2 > 0; on [-1, 1] it is within e/24 = "
        f"{close.decimal(5)[0]}..."
    )
    known = vanishes and least.lo > 60 and lowest.hi < -21 and inside
    return Evidence(Verdict.NOT_CHECKABLE if known else Verdict.UNDECIDABLE, text)


def degree_four() -> tuple[arb, arb]:
    """b_2 and b_4 of the interpolation of phi at the five Chebyshev nodes of [-6, 6], from differences in t = s^2."""
    first, second = ((6 * (arb.pi() * k / 10).cos()) ** 2 for k in (3, 1))
    start = even_part(arb(0))
    chord_1, chord_2 = (even_part(first) - start) / first, (even_part(second) - even_part(first)) / (second - first)
    b4 = (chord_2 - chord_1) / second
    return chord_1 - b4 * first, b4


def _expansion() -> Evidence:
    import sympy as sp

    x = sp.Matrix(2, 2, sp.symbols("x1:5"))
    theta, b = sp.Matrix(sp.symbols("t1:3")), sp.symbols("b0:5")
    proved = []
    for signs in product((-1, 1), repeat=2):
        y, scores = sp.Matrix(signs), x * theta
        left = sum(b[m] * (scores[i] * y[i]) ** m for i in range(2) for m in range(5))
        right = 2 * b[0] + b[1] * (theta.T * x.T * y)[0] + b[2] * (theta.T * x.T * x * theta)[0]
        right += sum(b[3] * y[i] * scores[i] ** 3 + b[4] * scores[i] ** 4 for i in range(2))
        proved.append(sp.expand(left - right) == 0)
    text = (
        "2 symbolic records, 2 features, all labels: the same polynomial; in general each record adds b_0 + ... + b_4 "
        "(y s)^4 with s = theta.x, where y^2 = 1"
    )
    return confirmed_if(all(proved), text)


def _statistics() -> Evidence:
    """phi(s) - s/2 is even, so b_3 = 0 for symmetric nodes; five nodes in balls show it, too."""
    import sympy as sp

    a = sp.symbols("a", positive=True)
    even = sp.simplify((1 + a) / (1 + 1 / a) - a) == 0  # phi(s) - phi(-s) = s with a = e^s
    with precision(128):
        third = interpolated_third()
        contains = third.contains(0) and third.hi - third.lo < Fraction(1, 10**20)
    text = "phi(s) - phi(-s) = s exactly, so b_1 = 1/2 and b_3 = 0: the sum of y x (x) x (x) x is never needed"
    return confirmed_if(even and contains, text, with_conditions=True)


def interpolated_third() -> Enclosure:
    """b_3 from the five nodes without using the symmetry: Newton's differences, expanded."""
    nodes = [6 * (arb.pi() * (2 * k + 1) / 10).cos() for k in range(5)]
    values = [-((-s).exp() + 1).log() for s in nodes]
    table, column = [values[0]], values
    for level in range(1, 5):
        column = [(column[i + 1] - column[i]) / (nodes[i + level] - nodes[i]) for i in range(5 - level)]
        table.append(column[0])
    # coefficient of s^3: the third difference, and the fourth times minus the sum of the first four nodes
    return Enclosure.of(table[3] - table[4] * (nodes[0] + nodes[1] + nodes[2] + nodes[3]))


def leading(degree: int) -> arb:
    """Leading coefficient of the interpolation of even degree: a difference in t = s^2 over half of the nodes.

    log cosh is a sum of log(1 + c t) with c > 0, so the differences of f alternate in sign for all nodes.
    """
    half = degree // 2
    nodes = [(6 * (arb.pi() * (2 * k + 1) / (2 * degree + 2)).cos()) ** 2 for k in range(half)] + [arb(0)]
    column = [even_part(t) for t in nodes]
    for level in range(1, half + 1):
        column = [(column[i + 1] - column[i]) / (nodes[i + level] - nodes[i]) for i in range(half + 1 - level)]
    return column[0]


def _objective() -> Evidence:
    with precision(128):
        signs = {degree: leading(degree) > 0 for degree in (2, 4, 6, 8, 10)}
        negative = all(leading(degree) < 0 for degree in (2, 6, 10))
        b2, b4 = degree_four()
        bend = Enclosure.of((-b2 / (6 * b4)).sqrt())
        at_ten = Enclosure.of(-arb(2).log() + 5 + 100 * b2 + 10**4 * b4)
        fourth = Enclosure.of(b4)
    text = (
        f"b_4 = {fourth.decimal(10)[0]}... > 0 at the Chebyshev nodes: the polynomial is {at_ten.decimal(6)[0]}... at "
        f"s = 10 and grows without bound, and it is concave only for |s| <= {bend.decimal(8)[0]}...; the leading "
        f"coefficient is positive for the degrees {[d for d, positive in signs.items() if positive]} of 2 to 10"
    )
    return confirmed_if(
        negative and signs[4] and signs[8] and fourth.lo > 0 and at_ten.lo > 0 and bend.hi < 6,
        text,
        with_conditions=True,
    )


LEVELS = ((-1, 1), (2, -1, 5), (0, 1), (3, 4), (-1, 1))
"""The values of five attributes; the last is the label."""


def _four_way() -> Evidence:
    """All entries of both sums from marginals of four attributes, the only input of `from_marginal`."""
    table = [(i % 2, (i * i) % 3, i // 2 % 2, (i // 5) % 2, (i * i // 7) % 2) for i in range(50)]
    features = range(4)
    wanted = [(*chosen, 4) for chosen in product(features, repeat=3)] + list(product(features, repeat=4))
    same = all(_entry(table, places) == from_marginal(marginal(table, places), places) for places in wanted)
    even, odd = ([(*c, 0) for c in product((0, 1), repeat=4) if sum(c) % 2 == sign] for sign in (0, 1))
    alike = all(marginal(even, places) == marginal(odd, places) for places in combinations(range(4), 3))
    differ = sum((-1) ** sum(c) for c in even) != sum((-1) ** sum(c) for c in odd)
    text = (
        f"50 records with 4 features and a label: all {len(wanted)} entries agree; in general an entry is a sum of "
        "products of functions of at most four attributes, and so a function of their marginal. Marginals of order 3 "
        "are not enough: two tables agree on them and differ in a sum of products of four signs"
    )
    return confirmed_if(same and alike and differ, text)


def marginal(table: Sequence[tuple[int, ...]], places: tuple[int, ...]) -> Counter[tuple[int, ...]]:
    """Counts of the named attributes, each named once."""
    return Counter(tuple(record[j] for j in sorted(set(places))) for record in table)


def from_marginal(counts: Counter[tuple[int, ...]], places: tuple[int, ...]) -> int:
    """The sum of products of the values at the places, from counts alone."""
    axis = {j: i for i, j in enumerate(sorted(set(places)))}
    return sum(count * prod(LEVELS[j][cell[axis[j]]] for j in places) for cell, count in counts.items())


def _entry(table: Sequence[tuple[int, ...]], places: tuple[int, ...]) -> int:
    """The same sum, record by record, on encoded records."""
    encoded = [[LEVELS[j][value] for j, value in enumerate(record)] for record in table]
    return sum(prod(row[j] for j in places) for row in encoded)


CLAIMS = (
    Claim(
        "ddssp2024.F2.likelihood", "ddssp2024", "Appendix F.2",
        "Ignoring a constant, the Poisson log-likelihood is proportional to the sum of y x.theta - exp(x.theta).",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.SYMBOLIC, _poisson_likelihood,
        "With the ignored constant the two are equal, which is what the derivation uses; 'proportional' would be "
        "correct for likelihoods, not for their logarithms.",
        quote=r"Ignoring the constant term $\log(y^{(i)}!)$ (which does not depend on $\theta$), we have: "
        r"$$\ell(\theta) \propto",
        severity=Severity.READING,
    ),
    Claim(
        "ddssp2024.F2.identity", "ddssp2024", "Appendix F.2",
        "With a quadratic for e^s the Poisson log-likelihood is (X^T y)^T theta - c_0 n - c_1 1^T X theta - "
        "c_2 theta^T X^T X theta.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _poisson_identity,
        quote=r"(X^T y)^T \theta - c_0^{(2)} n - c_1^{(2)} \mathbf{1}^T X \theta - c_2^{(2)} \theta^T (X^T X) \theta",
        scope=Scope.REASONED, depends_on=("ddssp2024.F2.likelihood",),
    ),
    Claim(
        "ddssp2024.F2.statistics", "ddssp2024", "Appendix F.2",
        "X^T X, X^T y and 1^T X can be computed from all pairwise marginals.",
        Verdict.CONFIRMED, Method.EXACT, _poisson_statistics,
        quote=r"$X^T X$, $X^T y$, and $\mathbf{1}^T X$ can be computed from all pairwise marginals",
        scope=Scope.REASONED, depends_on=("ddssp2024.3-2.single", "ddssp2024.F1.tensor", "ddssp2024.P3-2.gram"),
    ),
    Claim(
        "ddssp2024.F2.range", "ddssp2024", "Appendix F.2",
        "e^s is approximated by a Chebyshev polynomial of degree 2 on an interval such as [-6, 6].",
        Verdict.NOT_CHECKABLE, Method.BALL, _poisson_error,
        "The paper states no tolerance, and the interval is an example. On [-6, 6] no quadratic is closer than 60.5 "
        "and the interpolation is partly negative; short intervals, such as [-1, 1], work.",
        quote=r"approximate the exponential function $e^s$ using a second-degree Chebyshev polynomial approximation "
        r"around a chosen interval (e.g. $[-6, 6]$)",
    ),
    Claim(
        "ddssp2024.F3.expansion", "ddssp2024", "Appendix F.3",
        "With a polynomial of degree 4 the log-likelihood is b_0 n + b_1 theta^T X^T y + b_2 theta^T X^T X theta + "
        "b_3 sum y (theta^T x)^3 + b_4 sum (theta^T x)^4.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _expansion, hypotheses=("labels in {-1, 1}",),
        quote=r"Expanding explicitly, this yields: [...] "
        r"b_3 \sum_{i=1}^n y^{(i)} (\theta^T x^{(i)})^3 + b_4 \sum_{i=1}^n (\theta^T x^{(i)})^4",
        scope=Scope.REASONED, depends_on=("ddssp2024.3-3.likelihood",),
    ),
    Claim(
        "ddssp2024.F3.statistics", "ddssp2024", "Appendix F.3",
        "Degree 4 requires X^T y, X^T X, the sum of y times third powers and the sum of fourth powers.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.BALL, _statistics,
        "A polynomial with arbitrary coefficients requires these. The polynomials for phi on a symmetric interval have "
        "b_3 = 0, so the third statistic is not required.",
        formula="b_3 = 0",
        quote=r"The required sufficient statistics are $X^T y$, $X^T X$, $\sum_{i=1}^n y^{(i)} (x^{(i)})^{\otimes 3}$, "
        r"and $\sum_{i=1}^n (x^{(i)})^{\otimes 4}$",
        severity=Severity.READING, depends_on=("ddssp2024.F3.expansion",),
    ),
    Claim(
        "ddssp2024.F3.objective", "ddssp2024", "Section 5; Appendix F.3",
        "Polynomials of higher degree, such as 4 for logistic regression, give approximate losses that can be "
        "minimised directly.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.BALL, _objective,
        "True if scores are kept within the interval of the approximation, for instance by a bound on the norm of "
        "theta. Without one there is no optimum in degree 4, since b_4 > 0; in degrees 2, 6 and 10 the leading "
        "coefficient is negative.",
        hypotheses=("the approximation is over a chosen interval, such as [-6, 6]",),
        quote="methods that directly minimize the approximate loss functions",
        depends_on=("ddssp2024.F3.expansion",),
    ),
    Claim(
        "ddssp2024.F3.four-way", "ddssp2024", "Appendix F.3",
        "The statistics of degree 4 can be computed from 4-way marginals.",
        Verdict.CONFIRMED, Method.EXACT, _four_way, hypotheses=("the label is one of the attributes",),
        quote="These can be computed from 4-way marginals (see Section F.1).",
        scope=Scope.REASONED, depends_on=("ddssp2024.F1.tensor",),
    ),
)  # fmt: skip
